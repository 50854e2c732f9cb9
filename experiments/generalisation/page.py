"""The page of ``cloven reproduce generalisation``: answer, claims, data, charts, tables, all from the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from experiments.generalisation.claims import answer
from experiments.generalisation.runs import MEDQUAD, OHSUMED, K
from experiments.harness.charts import STROKES, band, coloured, intervals, library, lines, seen, styled
from experiments.harness.figures import Series
from experiments.harness.former import judgements, side
from experiments.harness.page import filled, grid, number, picture, points, section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.generalisation.claims import Figures
    from experiments.harness.former import Claim
    from experiments.harness.runs import Plain

SHOWN = ("random", "mda", "tba", "wba", "gba", "rba", "nearest")
Origin = tuple[str, str, str, str]
"""Name, format, quality and domain of a data set."""
GO_ARTICLE, NEAR = 0.55, 0.05
"""Density of one of the paper's data sets, and how near one of ours must come to it."""


def page(figures: Figures, claims: Sequence[Claim], origins: Sequence[Origin]) -> str:
    """The whole page."""
    parts = [
        filled(HEAD.format(samples=figures.samples)),
        "\n## In short\n",
        *points(answer(figures)),
        f"\n{_picture('left', 'F at k = 5 of RBA and of what knows nothing')}",
        judgements(claims, RULE, "paper", "why, and what guessing does"),
        _data(figures, origins),
        _against_k(figures),
        _density(figures),
        _utility(figures),
        _records(figures),
        _pairs(figures),
        _knowledge(figures),
        _time(figures),
        "## What is different here\n",
        *points(_different(figures)),
    ]
    return "# Attacks on set-generalised data, run again\n\n" + "\n".join(parts) + "\n"


def _picture(name: str, title: str) -> str:
    return picture(f"generalisation/{name}", f"{title}; intervals are 95 % over samples")


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


DESCRIBED = {
    "density": "density", "base_rate": "base rate", "length": "length", "transactions": "transactions",
    "items": "items", "generalised_items": "generalised items", "mean_size": "items in one",
    "mean_rows": "records that show one",
    "rows_without_context": "records without context", "mean_context": "certain items of the others",
}  # fmt: skip


def _data(figures: Figures, origins: Sequence[Origin]) -> str:
    rows = [
        [name, density, "-", length, records, "-", tables, "-", "-", "-", "-", *told]
        for name, density, length, records, tables, *told in PAPER
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
    return section("The data: Tables I and II", filled(DATA), "", grid(heads, rows))


def _different(figures: Figures) -> list[str]:
    """How the experiment differs from the paper's, and what the figures say of it."""
    counts, vectors = (figures.at("knowledge", K, f"rba {name}", "auc") for name in ("NGD", "vectors"))
    gaps = {data: _of(counts, data) - _of(vectors, data) for data in figures.data}
    known = {data: gap.estimate for data, gap in gaps.items() if gap}
    above = [data for data, gap in known.items() if side(gap) > 0]
    dense = [
        f"{data} at k = {k:g}"
        for data in (OHSUMED, MEDQUAD)
        for k in figures.places("k", data)
        if abs(figures.described("k", k, data, "density").mean - GO_ARTICLE) < NEAR
    ]
    told = {
        "vectors": f"By link AUC that is better than general vectors on {len(above)} of {len(known)} data sets.",
        "dense": f"About the {GO_ARTICLE} of GoArticle (within {NEAR}) COAT leaves on: {', '.join(dense) or 'none'}.",
    }
    return [text.format(**told) for text in DIFFERENT]


def _of(series: Series, data: str) -> Series:
    return Series({pair: value for pair, value in series.items() if pair[0] == data})


def _against_k(figures: Figures) -> str:
    rows = [[data, *line] for data in figures.data for line in _lines(figures, "k", K, data, SHOWN)]
    by_k = [
        [data, f"{k:g}", *line[1:]]
        for data in figures.data
        for k in figures.places("k", data)
        for line in _lines(figures, "k", k, data, ("rba",))
    ]
    return section(
        "Against k: Figure 13",
        _picture("k", "Recall, precision and F against k"),
        filled(COLUMNS),
        "",
        f"At k = {K}:\n",
        grid(("data", "attack", *HEADS), rows),
        "RBA at every k:\n",
        grid(("data", "k", *HEADS), by_k),
    )


def _density(figures: Figures) -> str:
    rows = []
    factors = [
        k * figures.described("k", k, data, "density").mean
        for data in figures.data
        for k in figures.places("k", data)
    ]
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
        filled(DENSITY.format(low=min(factors), high=max(factors))),
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
        filled(UTILITY),
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
    return section("Records that are unique again", filled(RECORDS), "", grid(heads, rows))


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
    return section("When every pair is protected", filled(PAIRS), "", grid(heads, rows))


def _knowledge(figures: Figures) -> str:
    attacks = list(dict.fromkeys(run.attack for run in figures.runs if run.sweep == "knowledge"))
    rows = [[data, *line] for data in figures.data for line in _lines(figures, "knowledge", K, data, attacks)]
    return section("Other knowledge", filled(KNOWLEDGE), "", grid(("data", "attack", *HEADS), rows))


def _time(figures: Figures) -> str:
    sizes = sorted({row["size"] for row in figures.times})
    methods = list(dict.fromkeys(row["method"] for row in figures.times))
    seconds = {(row["method"], row["size"]): row["seconds"] for row in figures.times}
    rows = [[method, *(f"{seconds[method, size]:.4f}" for size in sizes)] for method in methods]
    return section(
        "Time: Figure 16",
        "![Seconds against the cells of a table](generalisation/time.svg)\n",
        filled(TIME),
        "",
        grid(("seconds", *(f"{size} x {size}" for size in sizes)), rows),
    )


HEAD = """Made by `cloven reproduce generalisation`; the figures behind every line are in `generalisation.json`.
It repeats Figures 13 to 16 of Shao and Ong, *Exploiting contextual information in attacking set-generalized
transactions* (ACM TOIT), on public data, and sets beside every figure what no knowledge gets. Means over
{samples} samples of each data set, each with its own privacy constraints; ± is half of the 95 % interval. How
the attacks work: [set-based generalisation](../explanation/set-generalisation.md); what the words mean:
[measures](../reference/measures.md)."""

RULE = """*confirmed*: the difference has the sign that the paper says, and its 95 % interval over data sets and
samples does not cover 0. *refuted*: it lies on the other side. *chance*: it covers 0. Printed numbers are
confirmed if ours lie in the range that the words allow, which is a verdict on that data set alone; that
something does not change, if the whole interval lies within 0.05 of 0 (0.1 for recall along densities). The
samples of a data set overlap, and five data sets are few: intervals speak of these data sets, not of all data."""

DATA = """At k = 5. Density is the mean share of original items in a generalised item, length the mean number of
items of a record, T&A typing errors and abbreviations. A tenth of the items is protected, each on its own,
drawn at random for every sample (the paper does not print its share); of Synthea, which has few rare items,
all. A text is the set of its 60 terms of highest TF-IDF. What a record shows for certain is
the attacker's context. Quality is judged from where the data comes from, not counted."""

COLUMNS = """*random*: elimination of as many items of each table at random; *shuffled*: the same attack with
the words exchanged; *one*: all but one random item of each generalised item of a record; *lift*: precision
divided by that of random elimination. *random* as an attack is RA of the paper, one item of each table;
*nearest* is not in the paper: all but the
one item that RBA trusts most. An attack with shuffled words may eliminate more or fewer items, and recall and F rise
with their number: compare it by precision and AUC."""

DENSITY = """The density that COAT leaves cannot be set: over all data sets and k above it lies between {low:.1f} / k
and {high:.1f} / k. Here k is chosen from 3 to 20, and items of fewer than two or three records of the sample are left
out where k alone does not bring the density within 0.05 of the wanted one; what nothing comes so near to is not shown.
So k changes along with density."""

UTILITY = """*general*: any items may be merged; *consistent*: only items whose similarity in WordNet (Wu and
Palmer) to the protected one is above 0.5, with suppression where nothing can be merged. The mark ' in the chart
stands for consistent. Suppressed items are not attacked."""

RECORDS = (
    """A record counts as rebuilt if exactly its added items are eliminated, in all its generalised items."""
)

PAIRS = """The same data, k = 5, but every combination of up to two items is protected, as in k^m-anonymity.
*no-answer* leaves records without context alone, as the paper does; *generalised* takes the other generalised
items of the record for a context."""

KNOWLEDGE = """RBA at k = 5 with other measures of relatedness: NGD and NPMI count the attacker's half of the
data; vectors are GloVe's from the web and the news, WordNet is a dictionary: neither was made from this data."""

TIME = """One table of random distances. Single runs: times depend on the machine and on what else it does."""

DIFFERENT = (
    """The paper counts pages of the web with a search engine. We count the other half of the data, which no published
    record is in: an attacker with records of the same kind. {vectors} How it compares with a search engine cannot be
    told here.""",
    """AOL's log identifies private persons and is not used; I2B2 is not public; GoArticle is not available. We take
    wikispeedia (links of encyclopaedia articles: several domains, about AOL's length), ohsumed (medical abstracts) and
    MedQuAD (questions and answers about health), with the paper's numbers of records, and recipes and patients.""",
    """The paper attacks a choice of generalised items, without those that hold typing errors; we attack all.""",
    """Densities differ: see the tables. {dense}""",
)

PAPER = (
    ("AOL (paper)", "0.22", "23", "758", "127", "transaction", "many T&A", "multiple"),
    ("I2B2 (paper)", "0.28", "216", "643", "112", "text", "many T&A", "healthcare"),
    ("GoArticle (paper)", "0.55", "104", "263", "45", "text", "few T&A", "multiple"),
)
"""Tables I and II of the paper."""


ONE, RANDOM = "all but one random", "random, RBA's budget"
COLOURS = {
    "RA": "#9ecae1", "MDA": "#6baed6", "TBA": "#7b4fa3", "WBA": "#1b9e77", "GBA": "#1f77b4", "RBA": "#d95f02",
    "TBA'": "#c5b0d5", "RBA'": "#fdae6b", ONE: "#222222", RANDOM: "#999999", f"{ONE}'": "#bbbbbb",
}  # fmt: skip
MEASURES = {"recall": "recall", "precision": "precision", "f": "F"}
NAMES = {"random": "RA", "mda": "MDA", "tba": "TBA", "wba": "WBA", "gba": "GBA", "rba": "RBA"}
BASELINES = {ONE: "one", RANDOM: "chance"}


def charts(figures: Figures) -> dict[str, Any]:
    """Figures 13 to 16 of Shao and Ong, baselines beside, by the name of the file."""
    along_k = {name: ("k", attack, "value") for attack, name in NAMES.items()}
    beside = {name: ("k", "rba", other) for name, other in BASELINES.items()}
    dense = {
        NAMES[attack]: ("density", attack, "value")
        for attack in NAMES
        if figures.at("density", figures.places("density")[0], attack, "f")
    }
    dense |= {name: ("density", "rba", other) for name, other in BASELINES.items()}
    both = {NAMES[attack]: ("k", attack, "value") for attack in ("tba", "rba")}
    both |= {f"{NAMES[attack]}'": ("consistent", attack, "value") for attack in ("tba", "rba")}
    both |= {ONE: ("k", "rba", "one"), f"{ONE}'": ("consistent", "rba", "one")}
    along = [data for data in figures.data if len(figures.places("consistent", data)) > 1]
    varied = [data for data in figures.data if figures.places("density", data)]
    return {
        "k": _panels(figures, along_k | beside, figures.data, "k"),
        "density": _panels(figures, dense, varied, "density"),
        "utility": _panels(figures, both, along, "k"),
        "left": _left(figures),
        "time": _time_chart(figures),
    }


def _panels(figures: Figures, shown: dict[str, tuple[str, str, str]], data: Sequence[str], axis: str) -> Any:
    """A column for each data set, a row for each measure."""
    altair = library()
    rows: list[Any] = []
    for measure, title in MEASURES.items():
        panels = [
            _panel(_rows(figures, shown, name, measure), axis, title).properties(
                width=150, height=125, title=name if not rows else ""
            )
            for name in data
        ]
        rows.append(altair.hconcat(*panels, spacing=12))
    return styled(altair.vconcat(*rows, spacing=8))


def _rows(figures: Figures, shown: dict[str, tuple[str, str, str]], data: str, measure: str) -> list[Plain]:
    rows = []
    for name, (sweep, attack, beside) in shown.items():
        for x in figures.places(sweep, data):
            found = figures.at(sweep, x, attack, measure, beside, data).estimate
            if found.pairs:
                rows.append({"series": name, "x": x, **band(found, 0.0, 1.0)})
    return rows


def _colours(rows: Sequence[Plain]) -> Any:
    present = {row["series"] for row in rows}
    colours = {name: colour for name, colour in COLOURS.items() if name in present}
    return coloured("series", colours, columns=8, **STROKES)


def _panel(rows: list[Plain], axis: str, title: str) -> Any:
    altair = library()
    dashes = {row["series"]: [4, 3] if " " in row["series"] else [1, 0] for row in rows}
    x = altair.X("x:O", title=axis, axis=altair.Axis(labelAngle=0))
    y = {"title": title, "scale": altair.Scale(domain=[0, 1])}
    return lines(rows, x, y, _colours(rows), dashes=dashes)


def _left(figures: Figures) -> Any:
    """F of RBA, of all but the nearest item, and of all but a random one: what meaning adds."""
    altair = library()
    shown = {
        "RBA": ("rba", "value", "#d95f02"),
        "RBA, words shuffled": ("rba", "control", "#fdae6b"),
        RANDOM: ("rba", "chance", "#999999"),
        "all but the nearest": ("nearest", "value", "#1f77b4"),
        ONE: ("rba", "one", "#222222"),
    }
    rows = [
        {
            "data": data,
            "series": name,
            **band(figures.at("k", K, attack, "f", beside, data).estimate, 0.0, 1.0),
        }
        for data in figures.data
        for name, (attack, beside, _) in shown.items()
        if figures.at("k", K, attack, "f", beside, data)
    ]
    chart = intervals(
        rows,
        {"title": "F at k = 5", "scale": altair.Scale(zero=False)},
        45,
        y=altair.Y("data:N", sort=list(figures.data), title=None),
        yOffset=altair.YOffset("series:N", sort=list(shown)),
        color=coloured("series", {name: colour for name, (_, _, colour) in shown.items()}),
    )
    return styled(chart.properties(width=480, height=altair.Step(11)))


def _time_chart(figures: Figures) -> Any:
    altair = library()
    rows = [
        {"series": NAMES[row["method"]], "cells": row["size"] ** 2, "seconds": row["seconds"]}
        for row in figures.times
    ]
    log = altair.Scale(type="log")
    chart = (
        seen(rows)
        .mark_line(point=True)
        .encode(
            x=altair.X("cells:Q", scale=log, title="cells of the table"),
            y=altair.Y("seconds:Q", scale=log, title="seconds"),
            color=_colours(rows),
        )
    )
    return styled(chart.properties(width=340, height=220))
