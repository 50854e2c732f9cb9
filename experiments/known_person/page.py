"""The page of ``cloven reproduce known-person``: demands on the default, verdicts, table and picture."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any

from experiments.harness.charts import coloured, library, seen
from experiments.harness.claims import Claim, each, judged, sentence, within
from experiments.harness.figures import Estimate, number
from experiments.harness.page import Page, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from experiments.harness.claims import Named
    from experiments.harness.figures import Row, Table, Tables

DEFAULT = "max 120"
REFINED = "max 120, refined"
"""The default among the settings that were tried, and the same refined."""
JUDGED = ("1 rarest item", "2 rarest items", "2 random items")
COMPARED = {"papers": "#7b4fa3", "before": "#d95f02", "default": "#1b9e77"}
TAIL = 0.01
INFINITE = float("inf")
ROUNDING = 1e-9


def _told(mine: Row, _before: Row) -> float:
    return number(mine["told_adds"])


def _upper(mine: Row, _before: Row) -> float:
    return number(mine["told_upper"])


def _certain(mine: Row, _before: Row) -> float:
    return number(mine["certain_adds"])


def _ceiling(mine: Row, _before: Row) -> float:
    return number(mine["items_kept"]) / number(mine["ceiling"])


def _tkd(mine: Row, before: Row) -> float:
    return number(mine["tkd"]) - number(before["tkd"])


def _pairs(mine: Row, before: Row) -> float:
    whole = number(before["pairs_kept"])
    return number(mine["pairs_kept"]) / whole if whole else 1.0


Demand = tuple["Callable[[Row, Row], float]", float, float]
DEMANDS: dict[str, Demand] = {
    "told": (_told, -INFINITE, 0.02),
    "told, upper end": (_upper, -INFINITE, 0.03),
    "certain": (_certain, -INFINITE, 0.005),
    "items of the ceiling": (_ceiling, 0.97, INFINITE),
    "tKd": (_tkd, -INFINITE, 0.02),
    "pairs kept": (_pairs, 0.95, INFINITE),
}
"""What is demanded of a default: how it is measured against the default before, the least and the most."""
ABOUT_TOLD = ("told", "told, upper end", "certain")
SAYS = {
    "told": "being in the release adds at most 2 points to the people of whom an item is told",
    "told, upper end": "the upper end of that is at most 3 points",
    "certain": "it adds at most half a point to those of whom an item is certain",
    "items of the ceiling": "at least 97 % of the occurrences are kept of items that k people hold",
    "tKd": "tKd is at most 0.02 above that of the default before",
    "pairs kept": "at least 95 % of the pairs are kept that it kept",
}


def missed(mine: Row, before: Row) -> list[str]:
    """Demands that a run does not meet."""
    return [
        name
        for name, (value, least, most) in DEMANDS.items()
        if not least - ROUNDING <= value(mine, before) <= most + ROUNDING
    ]


def _claim(name: str) -> Claim[Tables]:
    value, least, most = DEMANDS[name]

    def figures(kept: Tables) -> Named:
        ways = [row for row in kept["runs"] if row["part"] == "ways"]
        pairs = {data: (of(ways, data, "default"), of(ways, data, "before")) for data in names(ways)}
        found = {
            data: value(mine, before)
            for data, (mine, before) in pairs.items()
            if mine is not None and before is not None
        }
        worst, word = (max, "most") if most < INFINITE else (min, "least")
        data = worst(found, key=lambda data: found[data])
        return {f"{word}, on {data},": Estimate.exact(found[data])}

    rule = each(within(least - ROUNDING, most + ROUNDING))
    return Claim(name, "demanded of the default", SAYS[name], figures, rule, form=".3f")


CLAIMS = tuple(map(_claim, DEMANDS))


def names(rows: Iterable[Row]) -> list[str]:
    """Data sets in their order."""
    return [str(name) for name in dict.fromkeys(row["data"] for row in rows)]


def of(rows: Iterable[Row], data: str, setting: str) -> Row | None:
    """The run of one data set with one setting."""
    return next((row for row in rows if row["data"] == data and row["setting"] == setting), None)


def standings(rows: Table) -> Table:
    """Every setting that was tried on all data sets, the best first.

    Fewest demands missed on what is told, then on what is kept, then the least by which tKd and pairs kept got worse.
    """
    out: Table = []
    for setting in dict.fromkeys(str(row["setting"]) for row in rows):
        runs = [(of(rows, name, setting), of(rows, name, "before")) for name in names(rows)]
        pairs = [(mine, before) for mine, before in runs if mine is not None and before is not None]
        if len(pairs) < len(runs):
            continue
        lacking = [name for mine, before in pairs for name in missed(mine, before)]
        out.append(
            {
                "setting": setting,
                "told_missed": sum(name in ABOUT_TOLD for name in lacking),
                "kept_missed": sum(name not in ABOUT_TOLD for name in lacking),
                "worse": sum(_tkd(mine, before) - _pairs(mine, before) for mine, before in pairs)
                / len(pairs),
                "told": sum(_told(mine, before) for mine, before in pairs) / len(pairs),
            }
        )
    return sorted(
        out,
        key=lambda one: tuple(number(one[name]) for name in ("told_missed", "kept_missed", "worse", "told")),
    )


def turned(rows: Table) -> list[tuple[Row, Row]]:
    """Pairs of settings where the weaker promise is published and the stronger one is not."""
    return [
        (strong, weak)
        for strong in rows
        for weak in rows
        if strong["data"] == weak["data"]
        and number(weak["k"]) <= number(strong["k"])
        and number(weak["m"]) <= number(strong["m"])
        and strong["verdict"] != "publish"
        and weak["verdict"] == "publish"
    ]


def is_level(case: Row) -> bool:
    """Whether members are at the level of outsiders: within the demands on a default, and on a verdict."""
    most = {"told_adds": 0.02, "told_upper": 0.03, "near_certain_upper": TAIL, "certain_upper": TAIL}
    return all(case[name] is None or number(case[name]) <= limit for name, limit in most.items())


def _most(kept: Tables) -> str:
    """The most that being in a release adds with each way to publish."""
    told = []
    for way in COMPARED:
        rows = [row for row in kept["told"] if row["setting"] == way and row["known"] in JUDGED]
        most = max(rows, key=lambda row: number(row["told_adds"]))
        told.append(f"{percent(number(most['told_adds']))} with *{way}* ({most['data']})")
    return f"**The default tells least.** Being in the release adds at most {', '.join(told)}."


def _best(kept: Tables) -> str:
    ranked = standings([row for row in kept["runs"] if row["part"] == "settings"])
    rivals = [one for one in ranked if one["setting"] != "before"]
    first, mine = rivals[0], next((one for one in rivals if one["setting"] == DEFAULT), None)
    words = f"**Settings.** Of {len(rivals)} settings *{first['setting']}* misses fewest demands ({_count(first)})"
    if mine is None:
        return f"{words}; the default, *{DEFAULT}*, was not tried on all data."
    if mine is first:
        return f"{words}: it is the default. Next is *{rivals[1]['setting']}* ({_count(rivals[1])})."
    return f"{words}; the default, *{DEFAULT}*, misses {_count(mine)}."


def _links(kept: Tables) -> str:
    """What the default costs: hidden links that who has the release alone gets right."""
    found: dict[str, dict[str, float]] = {DEFAULT: {}, REFINED: {}, "before": {}}
    for row in kept["runs"]:
        if row["part"] == "settings" and row["setting"] in found and row["release_alone"] is not None:
            found[str(row["setting"])][str(row["data"])] = number(row["release_alone"])
    same = set.intersection(*(set(shares) for shares in found.values()))
    if not same:
        return "**The price.** Links were not tried: all records are long."
    told = {
        setting: percent(fsum(shares[data] for data in same) / len(same)) for setting, shares in found.items()
    }
    return (
        f"**The price.** Who has the release alone puts {told[DEFAULT]} of the hidden links right with the default,"
        f" {told[REFINED]} with the default refined, and {told['before']} with the one before ({len(same)} data sets of"
        " short records)."
    )


def _count(one: Row) -> str:
    return f"{one['told_missed']} on what is told, {one['kept_missed']} on what is kept"


def _leaks(kept: Tables) -> str:
    published = [case for case in kept["cases"] if case["verdict"] == "publish"]
    bad = [f"{case['case']} ({case['setting']})" for case in published if not is_level(case)]
    said = (
        f"those that leak are {', '.join(bad)}"
        if bad
        else "in each of them members are at the level of outsiders"
    )
    return (
        f"**Data made to leak.** Of {len(kept['cases'])} full audits {len(published)} say publish; {said}. With"
        f" names that nobody else has the default adds {_case(kept, 'names')}, with five equal records of each person"
        f" that are taken for five people {_case(kept, 'five records a person, not told')}, and where it is said whose"
        f" they are {_case(kept, 'five records a person, told')}."
    )


def _case(kept: Tables, name: str) -> str:
    found = next(row for row in kept["cases"] if (row["case"], row["setting"]) == (name, "default"))
    return f"{100 * number(found['told_adds']):.1f} points"


def _monotone(kept: Tables) -> str:
    pairs = turned(kept["verdicts"])
    if not pairs:
        tried = len(names(kept["verdicts"]))
        return f"**A smaller k or m** never turned *do not publish* into *publish*, on {tried} data sets."
    found = ", ".join(sorted({str(strong["data"]) for strong, _ in pairs}))
    return f"**A smaller k or m** turned *do not publish* into *publish* on {found}, in {len(pairs)} pairs of settings."


CLAIM = """\
Somebody knows that a person is in the release, and one or two of the person's items, and infers further ones.
*Told* is the share of people of whom an item is claimed with a probability of 0.8 or more, and rightly (only items that
fewer than 30 % hold count); *certain* the share of whom an item follows by logic. Both are asked of the same people in
releases with them (members) and without them (outsiders): what being in the release adds is the harm. k=5 and m=2.

Three ways to publish are compared. *papers*: rare items in a list for each cluster, refined, clusters of at most 30.
*before*: the same with at most 120. *default*: what fewer than k hold is withheld, other leftovers are published once
for the whole release, not refined, at most 120. Which is best, and does the default meet what is demanded of it?"""
CAPTION = """What being in the release adds to the people of whom an item is told, with the upper end of its 95 %
interval, by what is known; to those of whom an item is certain; and what is kept. *Ceiling*: occurrences of items that
k people hold. tKd over 1,000 itemsets; 0 is best."""
NOTES = (
    "`runs.csv` also has the default refined, and 11 or 12 settings on the first 3,000 records of each data set, with"
    " the shares of hidden links that attackers get right; `cases.csv` the constructed cases with their verdicts;"
    " `verdicts.csv` those of quick audits for each k and m. It takes about half an hour.",
    "MovieLens has 610 people, so that an upper end says little there. Of the people in disease-symptom nearly"
    " everything is told with or without them, and in each way.",
)


def page(kept: Tables) -> Page:
    """Which way to publish tells least, and what it keeps."""
    ways = [row for row in kept["runs"] if row["part"] == "ways" and row["setting"] in COMPARED]
    return Page(
        title="What is told of a known person, and which default is best",
        claim=CLAIM,
        verdict=[
            _most(kept),
            *map(sentence, judged(CLAIMS, kept["claims"])),
            _best(kept),
            _links(kept),
            _leaks(kept),
            _monotone(kept),
        ],
        caption=CAPTION,
        heads=("data", "way", *JUDGED, "certain", "items kept", "ceiling", "pairs kept", "tKd"),
        rows=[_line(kept, row) for row in ways],
        picture="What being in the release adds, by what is known; whiskers end at the upper end",
        notes=NOTES,
    )


def _line(kept: Tables, run: Row) -> tuple[str, ...]:
    told = {
        row["known"]: row
        for row in kept["told"]
        if (row["data"], row["setting"]) == (run["data"], run["setting"])
    }
    return (
        str(run["data"]),
        str(run["setting"]),
        *(f"{told[known]['told_adds']:+.3f} ({told[known]['told_upper']:.3f})" for known in JUDGED),
        f"{run['certain_adds']:+.3f}",
        *(f"{run[name]:.3f}" for name in ("items_kept", "ceiling", "pairs_kept", "tkd")),
    )


def picture(kept: Tables) -> Any:
    """What being in the release adds, one panel for each way of knowing; whiskers end at the upper end."""
    altair = library()
    panels = []
    for known in JUDGED:
        mine = seen(
            {"data": row["data"], "way": row["setting"], "adds": row["told_adds"], "upper": row["told_upper"]}
            for row in kept["told"]
            if row["known"] == known and row["setting"] in COMPARED
        )
        x = altair.X("data:N", title=None, sort=None)
        y = altair.Y("adds:Q", title="told of members, less outsiders").axis(format="%")
        offset = altair.XOffset("way:N", sort=list(COMPARED))
        bars = mine.mark_bar().encode(x=x, y=y, color=coloured("way", COMPARED), xOffset=offset)
        whiskers = mine.mark_rule(color="#555555").encode(x=x, y="adds:Q", y2="upper:Q", xOffset=offset)
        panels.append((bars + whiskers).properties(width=260, height=180, title=f"{known} known"))
    return altair.hconcat(*panels)
