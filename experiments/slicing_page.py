"""The page of ``cloven reproduce slicing``: answer, claims, data, charts, tables, all from the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments import slicing_words as words
from experiments.page_parts import filled, grid, number, section
from experiments.slicing_answer import answer
from experiments.slicing_claims import percent
from experiments.slicing_data import EDUCATION, OCCUPATION
from experiments.slicing_methods import (
    ADAPTIVE,
    ANATOMY,
    COMPOSITION,
    DIFFGEN,
    HYBRID,
    MAIN_RATES,
    MERGING,
    MONDRIAN,
    ORIGINAL,
    PROBABILISTIC,
    RATES,
    SLICING,
    UL_ADAPTIVE,
    UL_MAIN,
    swapped,
)
from experiments.slicing_printed import SIZES, printed
from experiments.slicing_runs import NEAREST
from experiments.slicing_trial import DIMENSIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.slicing_figures import Figures
    from experiments.thesis_figures import Estimate
    from experiments.thesis_judging import Claim

MAIN = (
    ORIGINAL, *map(swapped, RATES), UL_ADAPTIVE, SLICING, ANATOMY, MERGING, PROBABILISTIC, COMPOSITION, MONDRIAN,
    HYBRID, DIFFGEN,
)  # fmt: skip


def page(figures: Figures, claims: Sequence[Claim]) -> str:
    """The whole page."""
    parts = [
        filled(words.HEAD.format(samples=figures.samples)),
        "\n## In short\n",
        *(filled(f"- {line}", "  ") for line in answer(figures)),
        f"\n{_picture('trade', 'Confidence of the attacker against the error of counts; left and low is best')}",
        "The dashed line is guessing.\n",
        _claims(claims),
        _data(figures),
        _cells(figures),
        _worth(figures),
        _sizes(figures),
        _risk(figures),
        _rate(),
        _query(figures),
        _variants(figures),
        "## What is different here\n",
        *(filled(f"- {line}", "  ") for line in words.DIFFERENT),
    ]
    return "# Slicing and the upper/lower-level method, run again\n\n" + "\n".join(parts) + "\n"


def _picture(name: str, title: str) -> str:
    return f"![{title}](slicing/{name}.svg)\n"


def _share(found: Estimate, digits: int = 1) -> str:
    if not found.pairs:
        return "-"
    half = f" ±{50 * (found.high - found.low):.{digits}f}" if found.pairs > 1 else ""
    return f"{100 * found.mean:.{digits}f}{half} %"


def _claims(claims: Sequence[Claim]) -> str:
    rows = [(one.where, one.says, f"**{one.verdict}**", one.get, one.why) for one in claims]
    return section(
        "The paper says, we get",
        filled(words.RULE),
        "",
        grid(("where", "the paper says", "verdict", "we get", "why, and what guessing does"), rows),
    )


def _data(figures: Figures) -> str:
    rows = [
        [
            one.name,
            f"{one.all_rows:,}",
            f"{one.rows:,} + {figures.overlaps[0]} to {figures.overlaps[-1]}",
            f"{one.sensitive} ({one.values} values)",
            f"{one.most_common[0]}, {percent(one.most_common[1] / one.all_rows)}",
            ", ".join(f"{l} in {one.possible.count(l)}" for l in sorted(set(one.possible))),
            str(one.l),
        ]
        for one in figures.about
    ]
    heads = (
        "data",
        "all rows",
        "rows of a table",
        "sensitive",
        "its most common value",
        "possible l, tables",
        "l",
    )
    return section("The data", filled(words.DATA), "", grid(heads, rows))


def _cells(figures: Figures) -> str:
    within, attribute = NEAREST
    rows = []
    for rate in RATES:
        for place, size in enumerate(SIZES[: len(figures.overlaps)] if len(figures.overlaps) == 5 else ()):
            mine = {
                field: figures.cells(EDUCATION, attribute, within, rate, field)[place]
                for field in ("lower_cells", "lower_rows", "upper_cells", "upper_rows")
            }
            paper = [f"{printed(rate, what)[place]:,}" for what in ("cells 1", "cells 2", "rows 1", "rows 2")]
            rows.append(
                [
                    f"{100 * rate:g} %",
                    size,
                    f"{paper[0]} / {paper[1]}",
                    f"{paper[2]} / {paper[3]}",
                    *(number(mine[field], 0 if "upper_rows" in field else 1) for field in mine),
                ]
            )
    heads = (
        "rate", "table", "paper: cells 1 / 2", "paper: tuples 1 / 2", "pair: rare cells", "rows in them",
        "pair: common cells", "rows in them",
    )  # fmt: skip
    return section(
        "Cells and tuples by swap rate: Tables 3 and 4",
        _picture("cells", "Cells and rows at the lower level, printed and ours; a point for each size"),
        filled(words.CELLS),
        "",
        *([grid(heads, rows)] if rows else []),
        "*own*, at the largest size (rare cells / rows; common cells / rows):\n",
        _own(figures),
    )


def _own(figures: Figures) -> str:
    """What the method itself would select; which attributes it protects can differ from sample to sample."""
    last = [
        one
        for one in figures.selected
        if one.overlap == figures.overlaps[-1] and (one.within, one.attribute) != NEAREST
    ]
    rows = []
    for data, attribute in dict.fromkeys((one.data, one.attribute) for one in last):
        mine = [one for one in last if (one.data, one.attribute) == (data, attribute)]
        cells = []
        for rate in RATES:
            here = [one for one in mine if one.rate == rate]
            lower, held, upper, common = (
                sum(getattr(one, field) for one in here) / len(here)
                for field in ("lower_cells", "lower_rows", "upper_cells", "upper_rows")
            )
            cells.append(f"{lower:.1f} / {held:,.0f}; {upper:.1f} / {common:,.0f}")
        rows.append([data, attribute, str(len({one.seed for one in mine})), *cells])
    return grid(("data", "attribute", "samples", *(f"{100 * rate:g} %" for rate in RATES)), rows)


def _worth_row(figures: Figures, method: str, data: str) -> list[str]:
    def mean(measure: str, side: str = "value", digits: int = 2) -> str:
        found = figures.at(method, measure, side, data).estimate
        return f"{found.mean:.{digits}f}" if found.pairs else "-"

    def share(measure: str) -> str:
        found = figures.at(method, measure, data=data).estimate
        return percent(found.mean) if found.pairs else "-"

    with_, without = (figures.at(method, f"query {name}", data=data).estimate for name in ("with", "without"))
    return [
        method,
        _share(figures.at(method, "utility", data=data).estimate, 2),
        f"{number(with_, 2)} / {number(without, 2)}",
        f"{mean('query with', 'median')} / {mean('query without', 'median')}",
        number(figures.at(method, "pairs", data=data).estimate, 3),
        f"{share('invalid')} / {share('rules')}",
        f"{share('learned')} / {share('balanced')}",
        share("exchanged"),
        f"{mean('groups', digits=0)} / {mean('largest', digits=0)}",
    ]


WORTH_HEADS = (
    "method", "utility", "error with / without", "its median", "pairs", "invalid / against rules",
    "learned / balanced", "exchanged", "groups / largest",
)  # fmt: skip


def _worth(figures: Figures) -> str:
    parts = []
    for data in figures.data:
        majority = figures.mean(UL_MAIN, "learned", "chance", data)
        parts.append(f"{data} (the most common class has {percent(majority)} of the test rows):\n")
        parts.append(grid(WORTH_HEADS, [_worth_row(figures, method, data) for method in MAIN]))
    return section(
        "Utility as printed, and what it hides: Figures 3 and 4",
        _picture("worth", "What releases are worth, by method; intervals are 95 % over samples"),
        filled(words.WORTH),
        "",
        *parts,
    )


def _sizes(figures: Figures) -> str:
    methods = [
        *map(swapped, MAIN_RATES),
        SLICING,
        ANATOMY,
        MERGING,
        PROBABILISTIC,
        COMPOSITION,
        MONDRIAN,
        HYBRID,
        DIFFGEN,
    ]
    rows = [
        [
            method,
            *(
                _share(figures.at(method, "utility", "value", EDUCATION, overlap).estimate)
                for overlap in figures.overlaps
            ),
        ]
        for method in methods
    ]
    base = figures.about[0].rows
    heads = ("Education, utility as printed", *(f"{base + overlap:,} rows" for overlap in figures.overlaps))
    return "By the size of the table (Figures 3 and 4):\n\n" + grid(heads, rows)


RISK_HEADS = (
    "method", "soft / chance / control", "strict / chance", "soft over matches / chance", "strict over matches",
    "confidence / one release / others / chance / control", "left",
)  # fmt: skip


def _risk_row(figures: Figures, method: str, data: str) -> list[str]:
    def cell(measure: str, *sides: str) -> str:
        first, *others = (figures.at(method, measure, side, data).estimate for side in ("value", *sides))
        return " / ".join([number(first, 3), *(number(one, 3, spread=False) for one in others)])

    return [
        method,
        cell("drr_soft", "chance", "control"),
        cell("drr_strict", "chance"),
        cell("drr_soft_matches", "chance"),
        cell("drr_strict_matches"),
        cell("confidence", "alone", "others", "chance", "control"),
        cell("left"),
    ]


def _risk(figures: Figures) -> str:
    parts = []
    for data in figures.data:
        parts += [f"{data}:\n", grid(RISK_HEADS, [_risk_row(figures, method, data) for method in MAIN])]
    return section(
        "Risk under the composition attack: Figures 5 and 6",
        _picture("risk", "Risk against the number of shared people, by method; bands are 95 % over samples"),
        filled(words.RISK),
        "",
        *parts,
    )


def _rate() -> str:
    return section(
        "The swap rate: Figure 7",
        _picture("rate", "Risk and utility of UL against the swap rate; bands are 95 % over samples"),
        filled(words.RATE),
        "",
    )


def _query(figures: Figures) -> str:
    shares = [
        percent(figures.mean(UL_MAIN, f"query {number} with", "selectivity", OCCUPATION))
        for number in (DIMENSIONS[0], DIMENSIONS[-1])
    ]
    rows = []
    for data in figures.data:
        for name in ("with", "without"):
            for method in MAIN[1:]:
                found = [
                    figures.at(method, f"query {number} {name}", data=data).estimate for number in DIMENSIONS
                ]
                if data == OCCUPATION:
                    rows.append([name, method, *(number(one, 2) for one in found)])
    heads = ("sensitive value", "method", *(f"{number}" for number in DIMENSIONS))
    return section(
        "Error of counts: Figure 8",
        _picture("query", "Error of counts against the number of quasi-identifiers asked about, logarithmic"),
        filled(words.QUERY.format(first=shares[0], last=shares[1])),
        "",
        "Occupation, mean relative error by the number of quasi-identifiers:\n",
        grid(heads, rows),
    )


def _variants(figures: Figures) -> str:
    names = [name for name in figures.methods if name not in MAIN]
    beside = [UL_MAIN, SLICING, MONDRIAN]
    parts = []
    for data in figures.data:
        here = [name for name in (*beside, *names) if figures.at(name, "confidence", data=data)]
        rows = []
        for name in here:
            samples = len(figures.at(name, "confidence", data=data))
            worth = _worth_row(figures, name, data)
            rows.append(
                [
                    name,
                    str(samples),
                    number(figures.at(name, "drr_soft", data=data).estimate, 3),
                    number(figures.at(name, "confidence", data=data).estimate, 3),
                    *worth[1:3],
                    worth[5],
                    *worth[7:],
                ]
            )
        heads = (
            "method",
            "samples",
            "soft",
            "confidence",
            *WORTH_HEADS[1:3],
            *(WORTH_HEADS[place] for place in (5, 7, 8)),
        )
        parts += [f"{data}:\n", grid(heads, rows)]
    return section(f"Variants, {ADAPTIVE.strip(', ')} buckets among them", filled(words.VARIANTS), "", *parts)
