"""The page of ``cloven reproduce known-person``, from the figures alone: answers, demands, tables and charts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from experiments.harness.charts import coloured, library, seen
from experiments.harness.page import filled, grid, percent, picture, points, section
from experiments.known_person.runs import KS, MS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.harness.runs import Plain

DEFAULT = "max 120"
"""The default among the settings that were tried."""
TAIL = 0.01
JUDGED = ("1 rarest item", "2 rarest items", "2 random items")
TOLD, TOLD_UPPER, CERTAIN = 0.02, 0.03, 0.005
ITEMS, TKD, PAIRS = 0.97, 0.02, 0.95
ROUNDING = 1e-9
KEPT = ("items kept", "ceiling", "pairs kept", "tKd", "tKd of sets", "re")
LINES = ("told", "told, upper end", "certain", "items of the ceiling", "tKd", "pairs kept")

_HEAD = """# What is told of a known person, and which default is best

Made by `cloven reproduce known-person`; the figures behind every line are in `known-person.json`. Somebody knows that
a person is in the release, and one or two of the person's items, and claims further ones. *Told* is the share of people
of whom an item is claimed with a probability of 0.8 or more, and rightly (only items that fewer than 30 % hold count);
*certain* the share of whom an item follows by logic. Both are asked of the same people in releases with them (members)
and without them (outsiders): **what being in the release adds is the harm**. k=5 and m=2 throughout.

Ways to publish are compared: the *papers'* (rare items in a list for each cluster, refined, clusters of at most
30), the default *before* (the same with at most 120), and the *default* now (what fewer than k hold is withheld, other
leftovers are published once for the whole release, not refined, at most 120). *Refined* is the default with clusters
joined that share leftovers.
"""

_KEPT = """*Ceiling*: occurrences of items that k people hold. tKd over 1,000 itemsets, *of sets* over 1,000 of two and
more items, re as on the other pages; 0 is best for all three."""
_DEMANDED = f"""Told: being in adds at most {TOLD}, with the upper end at most {TOLD_UPPER}, for each of
{", ".join(JUDGED)}. Certain: at most {CERTAIN}. Items kept: at least {ITEMS} of the ceiling. tKd: at most {TKD} above
the default before. Pairs kept: at least {PAIRS} of it. Where a demand is missed, its limit stands in bold brackets."""
_SETTINGS = """The same on the first 3,000 records of {names}, rare items withheld in all but the first line (*before*).
*Missed* counts demands over all of these; tKd, tKd of sets and re are differences to the default before, pairs kept is
relative to it, all as means over them. *Release alone* and *method* are the shares of hidden links that these attackers
get right, where records have fewer than 10 items. A root of several items publishes leftovers together where that keeps
the promise."""
_CASES = """Full audits of data made to leak, with no other settings tried. *Names*: a name that nobody else has, and
one of four diagnoses. *Shop*: one of four diagnoses and four articles of 600, all independent. *Five records a person*:
200 people with five equal records of 6 items of 100, with and without saying whose they are. *Adult*: 3,000 rows, the
occupation is sensitive. Members / outsiders, what being in adds, its upper end."""
_LOWERED = """Verdicts of quick audits of the default on the first 3,000 records (fewer where they are long), for each k
and m. A weaker promise must never be published where a stronger one is not."""


def page(found: dict[str, list[Plain]]) -> str:
    """The page."""
    ways, tried = found["ways"], found["settings"]
    parts = [
        _HEAD,
        section("The answer", *points(_answers(found)), ""),
        section(
            "Told: the ways compared",
            picture("known-person/told", "What being in the release adds"),
            "Members / outsiders, what being in the release adds, and in brackets the upper end of its"
            " 95 % interval.\n",
            grid(
                ("data", "records", "way", *JUDGED, "certain (most)", "precision"),
                [_told(run) for run in ways],
            ),
        ),
        section(
            "Kept: the ways compared",
            filled(_KEPT) + "\n",
            grid(("data", "way", *KEPT, "clusters", "time s"), map(_kept, ways)),
        ),
        section("What is demanded of the default", *_demanded(ways, tried)),
        section("Settings", *_settings(tried)),
        section("Constructed cases", *_cases(found["cases"])),
        section("A smaller k or m", *_lowered(found["lowered"])),
    ]
    return "\n".join(parts).rstrip() + "\n"


def judged(ways: list[Plain]) -> dict[str, list[Line]]:
    """All demands on the default, by data set."""
    out = {}
    for name in dict.fromkeys(run["data"] for run in ways):
        mine, before = of(ways, name, "default"), of(ways, name, "before")
        if mine is not None and before is not None:
            out[name] = lines(mine, before)
    return out


def _answers(found: dict[str, list[Plain]]) -> list[str]:
    ways = found["ways"]
    most = {way: _most_told(ways, way) for way in ("papers", "before", "default")}
    out = [
        "Being in the release adds at most "
        + ", ".join(
            f"{percent(value)} with {words} ({data})"
            for words, (value, data) in (
                ("the papers' way", most["papers"]),
                ("the default before", most["before"]),
                ("the default", most["default"]),
            )
        )
        + " to the people of whom an item is told."
    ]
    missed = [(data, line) for data, every in judged(ways).items() for line in every if not line.holds]
    total = sum(len(every) for every in judged(ways).values())
    out.append(
        f"Of {total} demands on the default, {total - len(missed)} hold"
        + (": all." if not missed else f"; missed: {_missed(missed)}.")
    )
    if found["settings"]:
        out.append(_best(standings(found["settings"])))
    bad = [case for case in found["cases"] if case["verdict"] == "publish" and not level(case)]
    published = [case for case in found["cases"] if case["verdict"] == "publish"]
    out.append(
        f"Of {len(found['cases'])} audits of constructed cases {len(published)} say publish; "
        + (
            "in each of them told and certain are at the level of outsiders."
            if not bad
            else "not at the level of outsiders: " + ", ".join(map(_beyond, bad)) + "."
        )
    )
    pairs = turned(found["lowered"])
    out.append(
        "A smaller k or m never turned *do not publish* into *publish*."
        if not pairs
        else "A smaller k or m turned *do not publish* into *publish* on "
        + ", ".join(sorted({f"{strong['data']}" for strong, _ in pairs}))
        + f", in {len(pairs)} pairs of settings."
    )
    return out


def _beyond(case: Plain) -> str:
    """A case that is published though more is told of members."""
    gain = "" if case["told"] is None else f", told {percent(case['told'][2])} more"
    return f"{case['case']} ({case['setting']}{gain})"


def _most_told(ways: list[Plain], way: str) -> tuple[float, str]:
    """The most that being in a release adds over data sets and judged ways of knowing, and where."""
    found = [
        (run["told"][known]["told"][2], run["data"])
        for run in ways
        if run["setting"] == way
        for known in JUDGED
        if known in run["told"]
    ]
    return max(found, default=(0.0, "-"))


def _missed(missed: list[tuple[str, Line]]) -> str:
    return "; ".join(f"{line.name} on {data} by {line.missed:.3f}" for data, line in missed)


def _best(ranked: list[Plain]) -> str:
    rivals = [one for one in ranked if one["setting"] != "before"]
    if not rivals:
        return "No setting was tried on all data sets."
    best = rivals[0]
    mine = next((one for one in rivals if one["setting"] == DEFAULT), None)
    words = f"Of the settings tried, *{best['setting']}* misses fewest demands ({_count(best)})"
    if mine is None:
        return f"{words}; the default, *{DEFAULT}*, was not tried on all of them."
    if mine is best:
        return f"{words}: it is the default."
    return f"{words}; the default, *{DEFAULT}*, misses {_count(mine)}."


def _count(one: Plain) -> str:
    return f"{one['told_missed']} on what is told, {one['kept_missed']} on what is kept"


def _told(run: Plain) -> tuple[str, ...]:
    ways = [run["told"].get(known) for known in JUDGED]
    certain = max((way["certain"] for way in ways if way), key=lambda tail: tail[2], default=None)
    right = [way["precision"] for way in ways if way and way["precision"] is not None]
    return (
        run["data"],
        f"{run['records']:,}",
        run["setting"],
        *("-" if way is None else _sides(way["told"]) for way in ways),
        "-" if certain is None else _sides(certain),
        "-" if not right else f"{min(right):.2f} to {max(right):.2f}",
    )


def _sides(tail: list[float]) -> str:
    return f"{tail[0]:.3f} / {tail[1]:.3f}, {tail[2]:+.3f} ({tail[3]:.3f})"


def _kept(run: Plain) -> tuple[str, ...]:
    return (
        run["data"],
        run["setting"],
        *(f"{run[name]:.3f}" for name in ("items_kept", "ceiling", "pairs_kept", "tkd", "tkd_sets")),
        "-" if run["re"] is None else f"{run['re']:.3f}",
        f"{run['clusters']:,}",
        f"{run['seconds']:.2f}",
    )


def _demanded(ways: list[Plain], tried: list[Plain]) -> list[str]:
    every = judged(ways)
    rows = [
        (data, *(f"{line.value:.3f}{'' if line.holds else f' **({line.limit:.3f})**'}" for line in found))
        for data, found in every.items()
    ]
    parts = [filled(_DEMANDED) + "\n", grid(("data", *LINES), rows)]
    for data, found in every.items():
        for line in found:
            if not line.holds:
                good, some = meeting(tried, data, line.name), of(tried, data, "before") is not None
                none = "met by no setting that was tried" if some else "no other setting was tried"
                remedy = f"on the samples below met by {'; '.join(good)}" if good else none
                parts += points([f"{data}, {line.name}: missed by {line.missed:.3f}; {remedy}."])
    return [*parts, ""]


def _settings(tried: list[Plain]) -> list[str]:
    if not tried:
        return ["None was tried.\n"]
    names = ", ".join(dict.fromkeys(run["data"] for run in tried))
    heads = ("setting", "told missed", "kept missed", "told adds", "items of the ceiling", "pairs kept", "tKd",
             "tKd of sets", "re", "release alone", "method", "time s")  # fmt: skip
    rows = [
        (
            one["setting"],
            f"{one['told_missed']}",
            f"{one['kept_missed']}",
            f"{one['told']:.3f}",
            f"{one['items']:.3f}",
            f"{one['pairs']:.2f}",
            *(f"{one[name]:+.3f}" for name in ("tkd", "tkd_sets", "re")),
            f"{one['linked']:.3f}",
            f"{one['method']:.3f}",
            f"{one['seconds']:.2f}",
        )
        for one in standings(tried)
    ]
    each = [
        (
            run["data"],
            run["setting"],
            f"{line[0].value:.3f} ({line[1].value:.3f})",
            f"{line[2].value:.4f}",
            *_kept(run)[2:8],
            _link(run, "release alone"),
            _link(run, "method"),
            f"{run['seconds']:.2f}",
        )
        for run in tried
        for line in (lines(run, of(tried, run["data"], "before") or run),)
    ]
    return [
        filled(_SETTINGS.format(names=names)) + "\n",
        grid(heads, rows),
        picture("known-person/settings", "What settings tell and keep"),
        "### Each data set\n",
        grid(
            ("data", "setting", "told adds", "certain adds", *KEPT, "release alone", "method", "time s"),
            each,
        ),
    ]


def _link(run: Plain, threat: str) -> str:
    found = run["linked"].get(threat)
    return "-" if found is None else f"{found[0]:.3f}"


def level(case: Plain) -> bool:
    """Whether told and certain are at the level of outsiders: within the demands on a default, and on a verdict."""
    told = case["told"]
    mean = told is None or (told[2] <= TOLD and told[3] <= TOLD_UPPER)
    return mean and all(tail[3] <= TAIL for tail in case["tails"].values())


def _cases(cases: list[Plain]) -> list[str]:
    rows = [
        (
            case["case"],
            case["setting"],
            f"**{case['verdict']}**",
            "-" if case["told"] is None else f"{_sides(case['told'])}, {case['told'][4]}",
            *(
                "-" if name not in case["tails"] else _sides(case["tails"][name])
                for name in ("told at 0.95", "certain")
            ),
            "; ".join(case["reasons"][:2]),
        )
        for case in cases
    ]
    heads = (
        "case", "setting", "verdict", "told most beyond outsiders", "told at 0.95", "certain", "reasons (first two)",
    )  # fmt: skip
    return [filled(_CASES) + "\n", grid(heads, rows)]


def _lowered(rows: list[Plain]) -> list[str]:
    kinds = [(k, m) for k in KS for m in MS]
    table = []
    for name in dict.fromkeys(row["data"] for row in rows):
        mine = {(row["k"], row["m"]): row["verdict"] for row in rows if row["data"] == name}
        pairs = turned([row for row in rows if row["data"] == name])
        said = ", ".join(
            f"k={weak['k']}, m={weak['m']} though not k={strong['k']}, m={strong['m']}"
            for strong, weak in pairs
        )
        table.append((name, *(mine.get(kind, "-") for kind in kinds), said or "never turned"))
    why = points(
        f"{strong['data']}, k={strong['k']}, m={strong['m']}: {strong['reasons'][0]}"
        for strong in {(row["data"], row["k"], row["m"]): row for row, _ in turned(rows)}.values()
        if strong.get("reasons")
    )
    told = ["Why the stronger promise is not published there:\n", *why, ""] if why else []
    return [filled(_LOWERED) + "\n", grid(("data", *(f"k={k}, m={m}" for k, m in kinds), ""), table), *told]


@dataclass(frozen=True)
class Line:
    """One demand on one run.

    Attributes:
        name: what is demanded, in a few words.
        value: what was found.
        limit: what it is held against.
        most: whether the limit is the most that is allowed; else the least.
        about: whether it is about what is told, or about what is kept.
    """

    name: str
    value: float
    limit: float
    most: bool
    about: str

    @property
    def missed(self) -> float:
        """By how much it is missed; 0 where it holds."""
        off = self.value - self.limit if self.most else self.limit - self.value
        return off if off > ROUNDING else 0.0

    @property
    def holds(self) -> bool:
        """Whether it holds."""
        return not self.missed


def lines(run: Plain, before: Plain) -> list[Line]:
    """All demands on one run; ``before`` is the former default on the same data."""
    ways = [run["told"][way] for way in JUDGED if way in run["told"]]
    told, upper, certain = (
        max((way[name][place] for way in ways), default=0.0)
        for name, place in (("told", 2), ("told", 3), ("certain", 2))
    )
    found = (
        (told, TOLD, "most", "told"),
        (upper, TOLD_UPPER, "most", "told"),
        (certain, CERTAIN, "most", "told"),
        (run["items_kept"] / run["ceiling"], ITEMS, "least", "kept"),
        (run["tkd"], before["tkd"] + TKD, "most", "kept"),
        (run["pairs_kept"], PAIRS * before["pairs_kept"], "least", "kept"),
    )
    return [
        Line(name, value, limit, most=bound == "most", about=about)
        for name, (value, limit, bound, about) in zip(LINES, found, strict=True)
    ]


def of(rows: Sequence[Plain], data: str, setting: str) -> Plain | None:
    """The run of one data set with one setting."""
    return next((row for row in rows if row["data"] == data and row["setting"] == setting), None)


def meeting(rows: Sequence[Plain], data: str, line: str) -> list[str]:
    """Settings that meet one line on one data set, on the samples that settings were tried on."""
    before = of(rows, data, "before")
    if before is None:
        return []
    return [
        row["setting"]
        for row in rows
        if row["data"] == data
        and row["setting"] != "before"
        and all(each.holds for each in lines(row, before) if each.name == line)
    ]


def standings(rows: Sequence[Plain]) -> list[Plain]:
    """Every setting that was tried on all data sets, the best first.

    Fewest missed lines of what is told, then of what is kept, then the least by which tKd and pairs kept got worse.
    """
    data = list(dict.fromkeys(row["data"] for row in rows))
    out = []
    for setting in dict.fromkeys(row["setting"] for row in rows):
        runs = [(of(rows, name, setting), of(rows, name, "before")) for name in data]
        pairs = [(mine, base) for mine, base in runs if mine is not None and base is not None]
        if len(pairs) < len(data):
            continue
        judged = [line for mine, base in pairs for line in lines(mine, base)]
        out.append(
            {
                "setting": setting,
                "told_missed": sum(not line.holds for line in judged if line.about == "told"),
                "kept_missed": sum(not line.holds for line in judged if line.about == "kept"),
                "told": _mean([lines(mine, base)[0].value for mine, base in pairs]),
                "items": _mean([mine["items_kept"] / mine["ceiling"] for mine, _ in pairs]),
                "tkd": _mean([mine["tkd"] - base["tkd"] for mine, base in pairs]),
                "tkd_sets": _mean([mine["tkd_sets"] - base["tkd_sets"] for mine, base in pairs]),
                "pairs": _mean([_ratio(mine["pairs_kept"], base["pairs_kept"]) for mine, base in pairs]),
                "re": _mean(
                    [mine["re"] - base["re"] for mine, base in pairs if None not in (mine["re"], base["re"])]
                ),
                "linked": _mean([mine["linked"].get("release alone") for mine, _ in pairs]),
                "method": _mean([mine["linked"].get("method") for mine, _ in pairs]),
                "seconds": sum(mine["seconds"] for mine, _ in pairs),
            }
        )
    return sorted(
        out,
        key=lambda one: (one["told_missed"], one["kept_missed"], one["tkd"] + 1 - one["pairs"], one["told"]),
    )


def turned(rows: list[Plain]) -> list[tuple[Plain, Plain]]:
    """Pairs of settings where the weaker promise is published and the stronger one is not."""
    return [
        (strong, weak)
        for strong in rows
        for weak in rows
        if strong["data"] == weak["data"]
        and weak["k"] <= strong["k"]
        and weak["m"] <= strong["m"]
        and strong["verdict"] != "publish"
        and weak["verdict"] == "publish"
    ]


def _ratio(part: float, whole: float) -> float:
    """One figure relative to another; where that is nothing, nothing changed."""
    return part / whole if whole else 1.0


def _mean(values: Sequence[Any]) -> float:
    """Mean of figures; of estimates the value counts, and what was not tried is left out."""
    known = [value[0] if isinstance(value, list) else value for value in values if value is not None]
    return float(sum(known) / len(known)) if known else 0.0


WAYS = {"papers": "#7b4fa3", "before": "#d95f02", "default": "#1b9e77", "refined": "#1f77b4"}


def charts(found: dict[str, list[Plain]]) -> dict[str, Any]:
    """Members beside outsiders, and settings on both sides."""
    return {"told": told_chart(found["ways"]), "settings": settings_chart(found["settings"])}


def told_chart(ways: list[Plain]) -> Any:
    """What being in the release adds, one panel for each way of knowing; whiskers end at the upper end."""
    altair = library()
    panels = []
    for known in JUDGED:
        mine = seen(
            {"data": run["data"], "way": run["setting"], "adds": told[2], "upper": told[3]}
            for run in ways
            if known in run["told"]
            for told in (run["told"][known]["told"],)
        )
        x = altair.X("data:N", title=None, sort=None)
        y = altair.Y("adds:Q", title="told of members, less outsiders").axis(format="%")
        offset = altair.XOffset("way:N", sort=list(WAYS))
        bars = mine.mark_bar().encode(x=x, y=y, color=coloured("way", WAYS), xOffset=offset)
        whiskers = mine.mark_rule(color="#555555").encode(x=x, y="adds:Q", y2="upper:Q", xOffset=offset)
        panels.append((bars + whiskers).properties(width=260, height=180, title=f"{known} known"))
    return altair.hconcat(*panels)


def settings_chart(settings: list[Plain]) -> Any:
    """Every setting: what it tells against what it keeps, means over the data sets."""
    altair = library()
    rows = [
        {"setting": one["setting"], "told": one["told"], "tkd": one["tkd_sets"]}
        for one in standings(settings)
    ]
    base = seen(rows).encode(
        x=altair.X("told:Q", title="told of members, less outsiders (mean)").axis(format="%"),
        y=altair.Y("tkd:Q", title="tKd of sets of two and more, change", scale=altair.Scale(zero=False)),
    )
    text = base.mark_text(align="left", dx=6, fontSize=10).encode(text="setting:N")
    return (base.mark_point(filled=True, size=60) + text).properties(width=460, height=300)
