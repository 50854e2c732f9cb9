"""The page of ``cloven reproduce generalisation``: answer, claims, data, charts, tables, all from the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments import generalisation_words as words
from experiments.generalisation_answer import answer
from experiments.page_parts import filled, grid, number, section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.generalisation_figures import Figures
    from experiments.thesis_judging import Claim

K = 5
SHOWN = ("random", "mda", "tba", "wba", "gba", "rba", "nearest")
Origin = tuple[str, str, str, str]
"""Name, format, quality and domain of a data set."""


def page(figures: Figures, claims: Sequence[Claim], origins: Sequence[Origin]) -> str:
    """The whole page."""
    parts = [
        filled(words.HEAD.format(samples=figures.samples)),
        "\n## In short\n",
        *(filled(f"- {line}", "  ") for line in answer(figures)),
        f"\n{_picture('left', 'F at k = 5 of RBA and of what knows nothing')}",
        _claims(claims),
        _data(figures, origins),
        _against_k(figures),
        _density(figures),
        _utility(figures),
        _records(figures),
        _pairs(figures),
        _knowledge(figures),
        _time(figures),
        "## What is different here\n",
        *(filled(f"- {line}", "  ") for line in words.DIFFERENT),
    ]
    return "# Attacks on set-generalised data, run again\n\n" + "\n".join(parts) + "\n"


def _picture(name: str, title: str) -> str:
    return f"![{title}; intervals are 95 % over samples](generalisation/{name}.svg)\n"


def _cell(
    figures: Figures, place: tuple[str, float, str], data: str, measure: str, sides: Sequence[str]
) -> str:
    """The value with half its interval, then other sides."""
    first, *beside = (figures.at(*place, measure, side, data).estimate for side in sides)
    return " / ".join([number(first, 2), *(f"{one.mean:.2f}" if one.pairs else "-" for one in beside)])


FULL = {
    "recall": ("recall / one", ("value", "one")),
    "precision": ("precision / random / shuffled / one", ("value", "chance", "control", "one")),
    "f": ("F / random / shuffled / one", ("value", "chance", "control", "one")),
    "auc": ("link AUC / shuffled", ("value", "control")),
}


def _lines(figures: Figures, sweep: str, x: float, data: str, attacks: Sequence[str]) -> list[list[str]]:
    """A row of a table for each attack: base rate, measures with what stands beside them, lift."""
    rows = []
    base = figures.described(sweep, x, data, "base_rate")
    for attack in attacks:
        if not figures.at(sweep, x, attack, "f", data=data):
            continue
        value, chance = (
            figures.at(sweep, x, attack, "precision", side, data).estimate for side in ("value", "chance")
        )
        lift = f"{value.mean / chance.mean:.2f}" if chance.pairs and chance.mean else "-"
        cells = [_cell(figures, (sweep, x, attack), data, name, sides) for name, (_, sides) in FULL.items()]
        rows.append([attack, f"{base.mean:.2f}", *cells[:2], lift, *cells[2:]])
    return rows


HEADS = ("base rate", FULL["recall"][0], FULL["precision"][0], "lift", FULL["f"][0], FULL["auc"][0])


def _claims(claims: Sequence[Claim]) -> str:
    rows = [(one.where, one.says, f"**{one.verdict}**", one.get, one.why) for one in claims]
    return section(
        "The paper says, we get",
        filled(words.RULE),
        "",
        grid(("where", "the paper says", "verdict", "we get", "why, and what guessing does"), rows),
    )


DESCRIBED = {
    "density": "density", "base_rate": "base rate", "length": "length", "transactions": "transactions",
    "items": "items", "generalised_items": "generalised items", "mean_size": "items in one",
    "mean_rows": "records that show one",
    "rows_without_context": "records without context", "mean_context": "certain items of the others",
}  # fmt: skip


def _data(figures: Figures, origins: Sequence[Origin]) -> str:
    rows = [
        [name, density, "-", length, records, "-", tables, "-", "-", "-", "-", *told]
        for name, density, length, records, tables, *told in words.PAPER
    ]
    for name, *told in origins:
        found = {field: figures.described("k", K, name, field).mean for field in DESCRIBED}
        shown = [
            f"{value:.2f}"
            if field in ("density", "base_rate")
            else f"{value:,.1f}"
            if field in ("length", "mean_size", "mean_rows", "mean_context")
            else f"{value:,.0f}"
            for field, value in found.items()
        ]
        rows.append([name, *shown, *told])
    heads = ("data", *DESCRIBED.values(), "source format", "quality", "domain")
    return section("The data: Tables I and II", filled(words.DATA), "", grid(heads, rows))


def _against_k(figures: Figures) -> str:
    rows = [
        [data, *line]
        for data in figures.data
        for line in _lines(figures, "k", K, data, SHOWN)
    ]  # fmt: skip
    by_k = [
        [data, f"{k:g}", *line[1:]]
        for data in figures.data
        for k in figures.places("k", data)
        for line in _lines(figures, "k", k, data, ("rba",))
    ]
    return section(
        "Against k: Figure 13",
        _picture("k", "Recall, precision and F against k"),
        filled(words.COLUMNS),
        "",
        f"At k = {K}:\n",
        grid(("data", "attack", *HEADS), rows),
        "RBA at every k:\n",
        grid(("data", "k", *HEADS), by_k),
    )


def _density(figures: Figures) -> str:
    rows = []
    for data in figures.data:
        for x in figures.places("density", data):
            got = figures.described("density", x, data, "density").mean
            k = figures.described("density", x, data, "k").mean
            rows += [
                [data, f"{x:g}", f"{got:.2f}", f"{k:.1f}", *line]
                for line in _lines(figures, "density", x, data, ("tba", "rba"))
            ]
    return section(
        "Against density: Figure 14",
        _picture("density", "Recall, precision and F against density"),
        filled(words.DENSITY),
        "",
        grid(("data", "wanted", "density", "mean k", "attack", *HEADS), rows),
    )


def _utility(figures: Figures) -> str:
    rows = []
    for data in figures.data:
        for x in figures.places("consistent", data):
            gone = figures.described("consistent", x, data, "suppressed_items").mean
            for sweep, lost in (("k", 0.0), ("consistent", gone)):
                name = {"k": "general"}.get(sweep, sweep)
                tables = figures.described(sweep, x, data, "generalised_items").mean
                rows += [
                    [data, f"{x:g}", name, f"{tables:.0f}", f"{lost:.0f}", *line]
                    for line in _lines(figures, sweep, x, data, ("tba", "rba"))
                ]
    heads = ("data", "k", "constraints", "generalised items", "suppressed", "attack", *HEADS)
    return section(
        "General and consistent utility constraints: Figure 15",
        _picture("utility", "Recall, precision and F with general and with consistent utility constraints"),
        filled(words.UTILITY),
        "",
        grid(heads, rows),
    )


def _records(figures: Figures) -> str:
    rows = []
    for data in figures.data:
        for k in figures.places("k", data):
            were, hidden = (
                figures.at("k", k, "rba", name, data=data).estimate.mean for name in ("were_unique", "hidden")
            )
            cells = [
                _cell(figures, ("k", k, attack), data, "unique", sides)
                for attack, sides in (("rba", ("value", "chance", "control", "one")), ("nearest", ("value",)))
            ]
            rows.append([data, f"{k:g}", f"{were:.0f}", f"{hidden:.0f}", *cells])
    heads = (
        "data",
        "k",
        "unique records with a generalised item",
        "published equal to others",
        "rebuilt and unique: RBA / random / shuffled / one",
        "all but the nearest",
    )
    return section("Records that are unique again", filled(words.RECORDS), "", grid(heads, rows))


def _pairs(figures: Figures) -> str:
    rows = [
        [
            data,
            f"{figures.described('pairs', K, data, 'rows_without_context').mean:.0f}"
            f" of {figures.described('pairs', K, data, 'transactions').mean:.0f}",
            f"{figures.at('pairs', K, 'rba, no-answer', 'hidden', data=data).estimate.mean:.0f}",
            *line,
        ]
        for data in figures.data
        for line in _lines(figures, "pairs", K, data, ("rba, no-answer", "rba, generalised"))
    ]
    heads = ("data", "records without context", "published equal to others", "attack", *HEADS)
    return section("When every pair is protected", filled(words.PAIRS), "", grid(heads, rows))


def _knowledge(figures: Figures) -> str:
    attacks = list(dict.fromkeys(run.attack for run in figures.runs if run.sweep == "knowledge"))
    rows = [[data, *line] for data in figures.data for line in _lines(figures, "knowledge", K, data, attacks)]
    return section("Other knowledge", filled(words.KNOWLEDGE), "", grid(("data", "attack", *HEADS), rows))


def _time(figures: Figures) -> str:
    sizes = sorted({row["size"] for row in figures.times})
    methods = list(dict.fromkeys(row["method"] for row in figures.times))
    seconds = {(row["method"], row["size"]): row["seconds"] for row in figures.times}
    rows = [[method, *(f"{seconds[method, size]:.4f}" for size in sizes)] for method in methods]
    return section(
        "Time: Figure 16",
        "![Seconds against the cells of a table](generalisation/time.svg)\n",
        filled(words.TIME),
        "",
        grid(("seconds", *(f"{size} x {size}" for size in sizes)), rows),
    )
