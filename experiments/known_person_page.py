"""The page of ``cloven reproduce known-person``, from the figures alone."""

from __future__ import annotations

from typing import Any

from experiments.known_person_cases import KS, MS, turned
from experiments.known_person_claims import (
    CERTAIN,
    ITEMS,
    JUDGED,
    LINES,
    PAIRS,
    TKD,
    TOLD,
    TOLD_UPPER,
    Line,
    lines,
    meeting,
    of,
    standings,
)
from experiments.page_parts import filled, grid, section

Plain = dict[str, Any]
DEFAULT = "max 120"
"""The default among the settings that were tried."""
TAIL = 0.01

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


def page(found: dict[str, list[Plain]]) -> str:
    """The page."""
    ways, tried = found["ways"], found["settings"]
    parts = [
        _HEAD,
        section("The answer", *[filled(f"- {each}", "  ") for each in _answers(found)], ""),
        section(
            "Told: the ways compared",
            "![What being in the release adds](known-person/told.svg)\n",
            "Members / outsiders, what being in the release adds, and in brackets the upper end of its"
            " 95 % interval.\n",
            grid(
                ("data", "records", "way", *JUDGED, "certain (most)", "precision"),
                [_told(run) for run in ways],
            ),
        ),
        section(
            "Kept: the ways compared",
            filled(
                "*Ceiling*: occurrences of items that k people hold. tKd over 1,000 itemsets, *of sets*"
                " over 1,000 of two and"
                " more items, re as on the other pages; 0 is best for all three."
            )
            + "\n",
            grid(
                (
                    "data",
                    "way",
                    "items kept",
                    "ceiling",
                    "pairs kept",
                    "tKd",
                    "tKd of sets",
                    "re",
                    "clusters",
                    "time s",
                ),
                [_kept(run) for run in ways],
            ),
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
            f"{_percent(value)} with {words} ({data})"
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
    gain = "" if case["told"] is None else f", told {_percent(case['told'][2])} more"
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
    if mine is None or mine["setting"] == best["setting"]:
        return words + ": it is the default."
    return words + f"; the default, *{DEFAULT}*, misses {_count(mine)}."


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
    text = (
        f"Told: being in adds at most {TOLD}, with the upper end at most {TOLD_UPPER}, for each of"
        f" {', '.join(JUDGED)}."
        f" Certain: at most {CERTAIN}. Items kept: at least {ITEMS} of the ceiling. tKd: at most"
        f" {TKD} above the default before."
        f" Pairs kept: at least {PAIRS} of it. Where a demand is missed, its limit stands in bold brackets."
    )
    parts = [filled(text) + "\n", grid(("data", *LINES), rows)]
    for data, found in every.items():
        for line in found:
            if not line.holds:
                good, some = meeting(tried, data, line.name), of(tried, data, "before") is not None
                none = "met by no setting that was tried" if some else "no other setting was tried"
                remedy = f"on the samples below met by {'; '.join(good)}" if good else none
                parts.append(filled(f"- {data}, {line.name}: missed by {line.missed:.3f}; {remedy}.", "  "))
    return [*parts, ""]


def _settings(tried: list[Plain]) -> list[str]:
    if not tried:
        return ["None was tried.\n"]
    names = ", ".join(dict.fromkeys(run["data"] for run in tried))
    intro = (
        f"The same on the first 3,000 records of {names}, rare items withheld in all but the"
        " first line (*before*)."
        " *Missed* counts demands over all of these; tKd, tKd of sets and re are differences to"
        " the default before, pairs kept"
        " is relative to it, all as means over them. *Release alone* and *method* are the"
        " shares of hidden links that"
        " these attackers get right, where records have fewer than 10 items."
        " A root of several items publishes leftovers together where"
        " that keeps the promise."
    )
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
        filled(intro) + "\n",
        grid(heads, rows),
        "![What settings tell and keep](known-person/settings.svg)\n",
        "### Each data set\n",
        grid(
            ("data", "setting", "told adds", "certain adds", "items kept", "ceiling", "pairs kept", "tKd",
             "tKd of sets", "re",
             "release alone", "method", "time s"),
            each,
        ),
    ]  # fmt: skip


def _link(run: Plain, threat: str) -> str:
    found = run["linked"].get(threat)
    return "-" if found is None else f"{found[0]:.3f}"


def level(case: Plain) -> bool:
    """Whether told and certain are at the level of outsiders: within the demands on a default, and on a verdict."""
    told = case["told"]
    mean = told is None or (told[2] <= TOLD and told[3] <= TOLD_UPPER)
    return mean and all(tail[3] <= TAIL for tail in case["tails"].values())


def _cases(cases: list[Plain]) -> list[str]:
    intro = (
        "Full audits of data made to leak, with no other settings tried. *Names*: a name that"
        " nobody else has, and one of four"
        " diagnoses. *Shop*: one of four diagnoses and four articles of 600, all independent."
        " *Five records a person*: 200"
        " people with five equal records of 6 items of 100, with and without saying whose they"
        " are. *Adult*: 3,000 rows, the occupation"
        " is sensitive; with k=2 many classes hold a single one. Members / outsiders, what being"
        " in adds, its upper end."
    )
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
        "case",
        "setting",
        "verdict",
        "told most beyond outsiders",
        "told at 0.95",
        "certain",
        "reasons (first two)",
    )
    return [filled(intro) + "\n", grid(heads, rows)]


def _lowered(rows: list[Plain]) -> list[str]:
    intro = (
        "Verdicts of quick audits of the default on the first 3,000 records (fewer where they are long),"
        " for each k and m. A"
        " weaker promise must never be"
        " published where a stronger one is not."
    )
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
    why = [
        filled(f"- {strong['data']}, k={strong['k']}, m={strong['m']}: {strong['reasons'][0]}", "  ")
        for strong in {(row["data"], row["k"], row["m"]): row for row, _ in turned(rows)}.values()
        if strong.get("reasons")
    ]
    told = ["Why the stronger promise is not published there:\n", *why, ""] if why else []
    return [filled(intro) + "\n", grid(("data", *(f"k={k}, m={m}" for k, m in kinds), ""), table), *told]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
