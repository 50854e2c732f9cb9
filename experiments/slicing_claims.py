"""The paper says, we get: every claim of sections 4 and 5 of BinJubier et al., judged by the figures.

*confirmed*, *refuted* and *chance* mean what they mean in ``thesis_judging``: a difference counts if its 95 % interval
over samples does not cover 0.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from experiments.slicing_claims_risk import risk_claims
from experiments.slicing_data import EDUCATION, OCCUPATION
from experiments.slicing_methods import (
    ANATOMY,
    DIFFGEN,
    EVERY,
    MERGING,
    MONDRIAN,
    NO_SWAP,
    RATES,
    RIVALS,
    SLICING,
    UL_ADAPTIVE,
    UL_MAIN,
    K,
    L,
    swapped,
)
from experiments.slicing_printed import UPPER_CELLS, UPPER_ROWS, UTILITY, printed
from experiments.slicing_runs import NEAREST
from experiments.slicing_trial import DIMENSIONS
from experiments.thesis_figures import Estimate, slope_of
from experiments.thesis_judging import CONFIRMED, REFUTED, Claim, judged, together

if TYPE_CHECKING:
    from experiments.slicing_figures import Figures

NEAR = 0.005
"""A printed utility is met if ours rounds to the same half per cent."""


def claims(figures: Figures) -> list[Claim]:
    """All claims in the order of the paper."""
    return [
        _lower(figures),
        _upper(figures),
        _six_values(figures),
        _printed_utility(figures, 0.02, "Fig. 3, 5"),
        _printed_utility(figures, 0.05, "Fig. 4, 5"),
        _most_useful(figures),
        _merging(figures),
        _private_but_useless(figures),
        *risk_claims(figures),
        _rate_costs(figures),
        _queries(figures),
        _beats_generalising(figures),
        _slicing_invents(figures),
        _nothing_invalid(figures),
    ]


def percent(value: float, digits: int = 1) -> str:
    """As tables print it."""
    return f"{100 * value:.{digits}f} %"


def points(found: Estimate) -> str:
    """A difference of shares, in points of per cent."""
    return f"{100 * found.mean:+.2f} points ({100 * found.low:+.2f} to {100 * found.high:+.2f})"


def _lower(figures: Figures) -> Claim:
    within, attribute = NEAREST
    misses = 0
    cells: list[str] = []
    rows: list[str] = []
    for rate in RATES:
        for what, field, told in (("cells 1", "lower_cells", cells), ("rows 1", "lower_rows", rows)):
            found = figures.cells(EDUCATION, attribute, within, rate, field)
            mean = sum(one.mean for one in found) / len(found)
            told.append(f"{mean:.1f}" if field == "lower_cells" else f"{mean:.0f}")
            misses += not min(printed(rate, what)) <= mean <= max(printed(rate, what))
    return Claim(
        "Table 3",
        "Cells with a share of at most 1, 2, 5, 10 and 15 %, column 1: 5 to 7, 7 to 8, 10 to 14, 15 to 17, 19 to 22;"
        " their tuples: 9 to 17, 12 to 27, 107 to 166, 229 to 398, 526 to 639.",
        f"{attribute.capitalize()} among the rows with the same {within}: {', '.join(cells)} cells,"
        f" {', '.join(rows)} rows; {misses} of {2 * len(RATES)} means lie outside what is printed.",
        CONFIRMED if not misses else REFUTED,
        "The paper does not say what the correlation coefficient of a cell is, nor which attributes its columns hold."
        " This pair and measure are the nearest of some 250 that were tried, and still not the same."
        " Column 2 of the paper doubles its cells from one sample to another, which no pair of attributes does here.",
    )


def _upper(figures: Figures) -> Claim:
    within, attribute = NEAREST
    found = [
        (one.upper_cells, one.upper_rows)
        for one in figures.selected
        if (one.data, one.attribute, one.within) == (EDUCATION, attribute, within) and one.rate in RATES[:4]
    ]
    cells, rows = (median(column) for column in zip(*found, strict=True))
    inside = UPPER_CELLS[0] <= cells <= UPPER_CELLS[1] and UPPER_ROWS[0] <= rows <= UPPER_ROWS[1]
    within_range, none = (
        sum(low <= held <= high for _, held in found) / len(found)
        for low, high in (UPPER_ROWS, (0, UPPER_ROWS[0] // 2))
    )
    return Claim(
        "Table 4",
        "1 or 2 cells of column 1 have a share of at least 99 to 85 %, with 1,362 to 1,787 tuples.",
        f"With the same pair, at 1 to 10 %: medians of {cells:g} cells and {rows:,.0f} rows; {percent(within_range, 0)}"
        f" of the tables lie in the printed range, and {percent(none, 0)} hold less than half of it.",
        CONFIRMED if inside else REFUTED,
        "It is the cell of the married husbands; where every husband is married its share is 1,"
        f" and it is not selected. Protecting it costs most of what the method costs ({UL_MAIN + EVERY!r} below); our"
        " default protects the attributes that hang together least, of which none has a value that common.",
    )


def _six_values(figures: Figures) -> Claim:
    (about,) = [one for one in figures.about if one.name == EDUCATION]
    value, rows = about.most_common
    fewest, most = min(about.possible), max(about.possible)
    return Claim(
        "4.2, Fig. 5",
        f"k = {K} and l = {L} for the Education data, where l is that of slicing: no value likelier than 1/{L}.",
        f"{value} has {rows:,} of {about.all_rows:,} rows. Of {len(about.possible)} tables"
        f" {sum(one >= L for one in about.possible)} allow l = {L}; the largest is {most}, and {fewest} in"
        f" {sum(one == fewest for one in about.possible)} of them.",
        CONFIRMED if fewest >= L else REFUTED,
        "A value that more than 1/l of all people have is likelier than 1/l for somebody. So Education is"
        f" published with l = {about.l} here, and with l = {about.l + 1} where a sample allows it.",
    )


def _printed_utility(figures: Figures, rate: float, where: str) -> Claim:
    method = swapped(rate)
    found = figures.at(method, "utility", data=EDUCATION).estimate
    every = figures.mean(UL_MAIN + EVERY, "utility", data=EDUCATION)
    verdict = CONFIRMED if abs(found.mean - UTILITY[rate]) <= NEAR else REFUTED
    exchanged, coarse = (figures.mean(method, name, data=EDUCATION) for name in ("exchanged", "coarse"))
    return Claim(
        where,
        f"UL has a data utility of {percent(UTILITY[rate], 2)} at a swap rate of {percent(rate, 0)} (Education, 4.5K).",
        f"{percent(found.mean, 2)} ({percent(found.low, 2)} to {percent(found.high, 2)}).",
        verdict,
        f"It counts coarse cells only: {percent(coarse)} of ours are, while {percent(exchanged)} of the rows hold a"
        f" value of somebody else, which costs nothing by this measure. With every attribute protected (at 5 %) it is"
        f" {percent(every)}.",
    )


def _most_useful(figures: Figures) -> Claim:
    gaps = [figures.beside(swapped(rate), RIVALS, "utility", (EDUCATION,), "max") for rate in UTILITY]
    free = {name: figures.mean(name, "utility", data=EDUCATION) for name in (SLICING, ANATOMY)}
    errors = {name: figures.mean(name, "query with", data=EDUCATION) for name in (UL_MAIN, MONDRIAN, MERGING)}
    return Claim(
        "Figs. 3, 4",
        "The data utility of UL is higher than that of all the others.",
        f"Beside the best of the others: {points(gaps[0])} at 2 %, {points(gaps[1])} at 5 %.",
        together(judged(gap, 1) for gap in gaps),
        f"Whatever makes no cell coarse has 100 %: {', '.join(f'{name} {percent(free[name])}' for name in free)},"
        " which the paper leaves out. By the error of counts with the sensitive value the order is another: "
        + ", ".join(f"{name} {errors[name]:.2f}" for name in errors)
        + ".",
    )


def _merging(figures: Figures) -> Claim:
    gap = figures.gap(UL_MAIN, MERGING, "utility", EDUCATION)
    error = figures.gap(UL_MAIN, MERGING, "query with", EDUCATION)
    invented = figures.mean(MERGING, "rows", data=EDUCATION) - figures.mean(UL_MAIN, "rows", data=EDUCATION)
    return Claim(
        "4.2.1",
        "UL loses less than merging, which adds fake tuples.",
        f"UL minus merging-like, Education: data utility {points(gap)}; error of counts {error.signed}.",
        together((judged(gap, 1), judged(error, -1))),
        f"Our approximation adds {invented:.1f} rows to a table; what the real one does is not known. It"
        " cuts its buckets adaptively: so cut, the error of UL is"
        f" {figures.mean(UL_ADAPTIVE, 'query with', data=EDUCATION):.2f}, of merging-like"
        f" {figures.mean(MERGING, 'query with', data=EDUCATION):.2f}.",
    )


def _private_but_useless(figures: Figures) -> Claim:
    others = [name for name in (*RIVALS, UL_MAIN) if name != DIFFGEN]
    gap = figures.beside(DIFFGEN, others, "utility", (EDUCATION,), "min")
    errors = (
        figures.mean(DIFFGEN, "query with", data=EDUCATION),
        figures.mean(UL_MAIN, "query with", data=EDUCATION),
    )
    return Claim(
        "4.2.2",
        "e-DP reduces data utility, as Figs. 3 and 4 show.",
        f"DiffGen minus the lowest of the others: {points(gap)}.",
        judged(gap, -1),
        f"It is no artefact of the measure: the error of counts is {errors[0]:.1f}, that of UL {errors[1]:.1f}.",
    )


def _rate_costs(figures: Figures) -> Claim:
    slopes = [
        slope_of([figures.at(swapped(rate), name, data=(EDUCATION, OCCUPATION)) for rate in RATES]).estimate
        for name in ("utility", "query with", "query without", "pairs")
    ]
    return Claim(
        "4.1, Fig. 7",
        "A higher swap rate means less data utility.",
        f"From each rate to the next: data utility {points(slopes[0])}, error of counts {slopes[1].signed} with the"
        f" sensitive value and {slopes[2].signed} without, pair distance {slopes[3].signed}.",
        together((judged(slopes[0], -1), judged(slopes[1], 1))),
        "Swapping does the damage: the printed measure, which it does not touch, moves least.",
    )


def _queries(figures: Figures) -> Claim:
    best = [
        figures.beside(UL_MAIN, RIVALS, f"query {name}", (OCCUPATION,), "min") for name in ("with", "without")
    ]
    errors = sorted(
        (figures.mean(name, "query with", data=OCCUPATION), name)
        for name in (*RIVALS, SLICING, UL_MAIN, UL_ADAPTIVE)
    )
    share = figures.mean(UL_MAIN, "query with", "selectivity", OCCUPATION)
    return Claim(
        "Fig. 8",
        "UL has a slighter query error than all the others (Occupation, 4.5K).",
        f"Beside the best of the others: {best[0].signed} with the sensitive value, {best[1].signed} without.",
        together(judged(one, -1) for one in best),
        f"Means over 1 to 5 predicates; a query with the sensitive value means {percent(share)} of the rows: "
        + ", ".join(f"{name} {error:.2f}" for error, name in errors)
        + ". The paper's query has a predicate on the sensitive value, and no word on its selectivity.",
    )


def _beats_generalising(figures: Figures) -> Claim:
    gaps = {
        name: [figures.gap(UL_MAIN, MONDRIAN, f"query {number} {name}", OCCUPATION) for number in DIMENSIONS]
        for name in ("with", "without")
    }
    told = "; ".join(
        f"{name} the sensitive value {', '.join(f'{one.mean:+.2f}' for one in found)}"
        for name, found in gaps.items()
    )
    return Claim(
        "4.2.3",
        "Swapping consistently outperforms generalisation in answering aggregate queries.",
        f"UL minus Mondrian with 1 to 5 predicates, {told}. Judged by the first, which is the paper's query; without it"
        f" the claim is {together(judged(one, -1) for one in gaps['without'])}.",
        together(judged(one, -1) for one in gaps["with"]),
        "Slicing keeps single values exact and breaks what goes with the sensitive value; Mondrian does the opposite."
        f" Without swaps the errors are {figures.mean(NO_SWAP, 'query with', data=OCCUPATION):.2f} and"
        f" {figures.mean(NO_SWAP, 'query without', data=OCCUPATION):.2f}, with them"
        f" {figures.mean(UL_MAIN, 'query with', data=OCCUPATION):.2f} and"
        f" {figures.mean(UL_MAIN, 'query without', data=OCCUPATION):.2f}: swapping has no part in it.",
    )


def _slicing_invents(figures: Figures) -> Claim:
    found = figures.at(SLICING, "invalid", data=(EDUCATION, OCCUPATION)).estimate
    others = ", ".join(
        f"{name} {percent(figures.at(name, 'invalid', data=(EDUCATION, OCCUPATION)).estimate.mean)}"
        for name in (MONDRIAN, ANATOMY)
    )
    rules = figures.at(SLICING, "rules", data=(EDUCATION, OCCUPATION)).estimate.mean
    return Claim(
        "1, 2",
        "Slicing creates invalid tuples, because parts are permuted.",
        f"{percent(found.mean)} of the rows as read hold two values that never meet in the original"
        f" ({percent(found.low)} to {percent(found.high)}).",
        judged(found, 1),
        f"Mostly an age and an education or occupation that nobody of that age has; {percent(rules, 2)} break a rule,"
        " such as a female husband, because relationship, sex and marital status stand in one column. Coarse cells"
        f" suggest such rows, too: {others}.",
    )


def _nothing_invalid(figures: Figures) -> Claim:
    both = (EDUCATION, OCCUPATION)
    found = figures.at(UL_MAIN, "invalid", data=both).estimate
    gap = figures.gap(UL_MAIN, NO_SWAP, "invalid", both)
    return Claim(
        "1, 3.4.2",
        "UL leaves no nonsensical combinations; it solves the problem of invalid tuples.",
        f"{percent(found.mean)} of the rows as read are invalid; beside the same buckets without swaps {points(gap)}.",
        CONFIRMED if found.high < NEAR else REFUTED,
        "No swap makes an invalid combination in the row that it changes; the columns of a bucket stand apart all the"
        " same, so whoever reads rows out of it makes invalid ones as with slicing.",
    )
