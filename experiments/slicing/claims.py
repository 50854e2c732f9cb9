"""The paper says, we get: every claim of sections 4 and 5 of BinJubier et al., judged by the figures.

A difference counts if its 95 % interval over samples does not cover 0. The ratio of matched to total records can be
read in four ways (strict or soft, over individuals or over matches): a claim about risk (Figures 5 to 7) is judged by
the soft ratio over individuals, and it is told which of the other readings judge otherwise.

What the paper prints about cells and tuples, Tables 3 and 4, stands at the end. The text of Table 4 has four of five
swap rates; which one is missing cannot be told, so its smallest and largest numbers are used.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from experiments.harness.figures import Estimate, slope_of
from experiments.harness.former import CONFIRMED, REFUTED, UNDECIDED, Claim, judged, side, together, told
from experiments.harness.page import percent
from experiments.slicing.data import (
    ADAPTIVE,
    ADULT,
    ANATOMY,
    COMPOSITION,
    DIFFGEN,
    EDUCATION,
    EVERY,
    HYBRID,
    MERGING,
    MONDRIAN,
    MONDRIAN_L,
    NO_SWAP,
    OCCUPATION,
    PROBABILISTIC,
    RATES,
    RIVALS,
    SLICING,
    UL_ADAPTIVE,
    UL_MAIN,
    K,
    L,
    swapped,
)
from experiments.slicing.runs import DIMENSIONS, NEAREST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.slicing.runs import Figures

NEAR = 0.005
"""A printed utility is met if ours rounds to the same half per cent."""
READINGS = {
    "drr_soft": "soft",
    "drr_strict": "strict",
    "drr_soft_matches": "soft over matches",
    "drr_strict_matches": "strict over matches",
    "confidence": "confidence",
}
NOT_PRIVATE = tuple(name for name in RIVALS if name != DIFFGEN)


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
        _private(figures),
        _hybrid(figures),
        _merging_risk(figures),
        _lowest(figures),
        _lowest_as_cut(figures),
        _swaps(figures),
        _rate(figures),
        _rate_costs(figures),
        _queries(figures),
        _beats_generalising(figures),
        _slicing_invents(figures),
        _nothing_invalid(figures),
    ]


def in_points(found: Estimate) -> str:
    """A difference of shares, in points of per cent."""
    return f"{100 * found.mean:+.2f} points ({100 * found.low:+.2f} to {100 * found.high:+.2f})"


def fine(found: Estimate) -> str:
    """A small difference.

    >>> fine(Estimate(-0.0012, -0.002, -0.0004, 9))
    '-0.0012 (-0.0020 to -0.0004)'
    """
    return f"{found.mean:+.4f} ({found.low:+.4f} to {found.high:+.4f})"


# Cells, utility and queries.


def _lower(figures: Figures) -> Claim:
    within, attribute = NEAREST
    misses = 0
    cells: list[str] = []
    rows: list[str] = []
    for rate in RATES:
        for what, field, listed in (("cells 1", "lower_cells", cells), ("rows 1", "lower_rows", rows)):
            found = figures.cells(EDUCATION, attribute, within, rate, field)
            mean = sum(one.mean for one in found) / len(found)
            listed.append(f"{mean:.1f}" if field == "lower_cells" else f"{mean:.0f}")
            misses += not min(printed(rate, what)) <= mean <= max(printed(rate, what))
    return Claim(
        "Table 3",
        "Cells with a share of at most 1, 2, 5, 10 and 15 %, column 1: 5 to 7, 7 to 8, 10 to 14, 15 to 17, 19 to 22;"
        " their tuples: 9 to 17, 12 to 27, 107 to 166, 229 to 398, 526 to 639.",
        f"{attribute.capitalize()} among the rows with the same {within}: {', '.join(cells)} cells,"
        f" {', '.join(rows)} rows; {misses} of {2 * len(RATES)} means lie outside what is printed.",
        CONFIRMED if not misses else REFUTED,
        "The paper does not say what the correlation coefficient of a cell is, nor which attributes its columns hold."
        " This pair and measure were chosen as the nearest of some 250 that were tried. Column 2 of the paper doubles"
        " its cells from one sample to another.",
    )


def _upper(figures: Figures) -> Claim:
    within, attribute = NEAREST
    of_data = [one for one in figures.selected if one.data == EDUCATION and one.rate in RATES[:4]]
    found = [
        (one.upper_cells, one.upper_rows)
        for one in of_data
        if (one.attribute, one.within) == (attribute, within)
    ]
    own = max((one.upper_cells for one in of_data if (one.within, one.attribute) != NEAREST), default=0)
    cells, rows = (median(column) for column in zip(*found, strict=True))
    inside = UPPER_CELLS[0] <= cells <= UPPER_CELLS[1] and UPPER_ROWS[0] <= rows <= UPPER_ROWS[1]
    within_range, none = (
        sum(low <= held <= high for _, held in found) / len(found)
        for low, high in (UPPER_ROWS, (0, UPPER_ROWS[0] // 2))
    )
    errors = [
        figures.mean(name, "query without", data=EDUCATION) for name in (UL_MAIN + EVERY, UL_MAIN, NO_SWAP)
    ]
    return Claim(
        "Table 4",
        "1 or 2 cells of column 1 have a share of at least 99 to 85 %, with 1,362 to 1,787 tuples.",
        f"With the same pair, at 1 to 10 %: medians of {cells:g} cells and {rows:,.0f} rows; {percent(within_range, 0)}"
        f" of the tables lie in the printed range, and {percent(none, 0)} hold less than half of it.",
        CONFIRMED if inside else REFUTED,
        "It is the cell of the married husbands; where every husband is married its share is 1, and it is not selected."
        " Our default protects the attributes that hang together least, of which"
        f" {'none has' if not own else f'some have up to {own}'} values that common. Counts without the sensitive value"
        f" are off by {errors[0]:.2f} where every attribute is protected, by {errors[1]:.2f} by default and by"
        f" {errors[2]:.2f} without swaps.",
    )


def _six_values(figures: Figures) -> Claim:
    about = figures.of(EDUCATION)
    value, rows = about.most_common
    fewest, most = min(about.possible), max(about.possible)
    less = (
        f" So Education is published with l = {about.l} here, and with l = {about.l + 1} where a sample allows it."
        if about.l < L
        else ""
    )
    return Claim(
        "4.2, Fig. 5",
        f"k = {K} and l = {L} for the Education data, where l is that of slicing: no value likelier than 1/{L}.",
        f"{value} has {rows:,} of {about.all_rows:,} rows. Of {len(about.possible)} tables"
        f" {sum(one >= L for one in about.possible)} allow l = {L}; the largest is {most}, and {fewest} in"
        f" {sum(one == fewest for one in about.possible)} of them.",
        CONFIRMED if fewest >= L else REFUTED,
        f"A value that more than 1/l of all people have is likelier than 1/l for somebody.{less}",
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
    kept, errors = (
        {name: figures.mean(name, measure, data=EDUCATION) for name in (UL_MAIN, MONDRIAN, MERGING)}
        for measure in ("utility", "query with")
    )
    same = sorted(kept, key=lambda name: -kept[name]) == sorted(errors, key=lambda name: errors[name])
    return Claim(
        "Figs. 3, 4",
        "The data utility of UL is higher than that of all the others.",
        f"Beside the best of the others: {in_points(gaps[0])} at 2 %, {in_points(gaps[1])} at 5 %.",
        together(judged(gap, 1) for gap in gaps),
        f"Whatever makes no cell coarse has 100 %: {', '.join(f'{name} {percent(free[name])}' for name in free)},"
        " which the paper leaves out. By the error of counts with the sensitive value the order is"
        f" {'the same' if same else 'another'}: {', '.join(f'{name} {errors[name]:.2f}' for name in errors)}.",
    )


def _merging(figures: Figures) -> Claim:
    gap, error = (figures.gap(UL_MAIN, MERGING, name, EDUCATION) for name in ("utility", "query with"))
    invented = figures.mean(MERGING, "rows", data=EDUCATION) - figures.mean(UL_MAIN, "rows", data=EDUCATION)
    return Claim(
        "4.2.1",
        "UL loses less than merging, which adds fake tuples.",
        f"UL minus merging-like, Education: data utility {in_points(gap)}; error of counts {error.signed}.",
        together((judged(gap, 1), judged(error, -1))),
        f"Our approximation adds {invented:.1f} rows to a table; what the real one does is not known. It"
        " cuts its buckets adaptively: so cut, the error of UL is"
        f" {figures.mean(UL_ADAPTIVE, 'query with', data=EDUCATION):.2f}, of merging-like"
        f" {figures.mean(MERGING, 'query with', data=EDUCATION):.2f}.",
    )


def _private_but_useless(figures: Figures) -> Claim:
    gap = figures.beside(DIFFGEN, (*NOT_PRIVATE, UL_MAIN), "utility", (EDUCATION,), "min")
    errors = [figures.mean(name, "query with", data=EDUCATION) for name in (DIFFGEN, UL_MAIN)]
    worse = side(figures.gap(DIFFGEN, UL_MAIN, "query with", EDUCATION)) > 0
    lead = "Counts say the same" if worse else "Counts do not say the same for certain"
    return Claim(
        "4.2.2",
        "e-DP reduces data utility, as Figs. 3 and 4 show.",
        f"DiffGen minus the lowest of the others: {in_points(gap)}.",
        judged(gap, -1),
        f"{lead}: their error is {errors[0]:.1f}, that of UL {errors[1]:.1f}.",
    )


def _rate_costs(figures: Figures) -> Claim:
    slopes = {
        name: slope_of([figures.at(swapped(rate), name, data=ADULT) for rate in RATES]).estimate
        for name in ("utility", "query with", "query without", "pairs")
    }
    words = {
        "utility": "data utility",
        "query with": "the error with the sensitive value",
        "query without": "the error without it",
        "pairs": "pair distance",
    }
    least = min(slopes, key=lambda name: abs(slopes[name].mean))
    return Claim(
        "4.1, Fig. 7",
        "A higher swap rate means less data utility.",
        f"From each rate to the next: data utility {in_points(slopes['utility'])}, error of counts"
        f" {slopes['query with'].signed} with the sensitive value and {slopes['query without'].signed} without, pair"
        f" distance {slopes['pairs'].signed}.",
        together((judged(slopes["utility"], -1), judged(slopes["query with"], 1))),
        "The printed measure counts coarse cells alone, not exchanged values. Of these figures"
        f" {words[least]} moves least.",
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
    listed = "; ".join(
        f"{name} the sensitive value {', '.join(f'{one.mean:+.2f}' for one in found)}"
        for name, found in gaps.items()
    )
    swaps = {name: figures.gap(UL_MAIN, NO_SWAP, f"query {name}", OCCUPATION) for name in gaps}
    return Claim(
        "4.2.3",
        "Swapping consistently outperforms generalisation in answering aggregate queries.",
        f"UL minus Mondrian with 1 to 5 predicates, {listed}. Judged by the first, which is the paper's query; without"
        f" it the claim is {together(judged(one, -1) for one in gaps['without'])}.",
        together(judged(one, -1) for one in gaps["with"]),
        "Slicing keeps single values exact and breaks what goes with the sensitive value; Mondrian does the opposite."
        f" Swapping itself makes the errors {told(swaps['with'])} with the sensitive value and"
        f" {told(swaps['without'])} without, beside the same buckets without swaps.",
    )


def _slicing_invents(figures: Figures) -> Claim:
    found = figures.at(SLICING, "invalid", data=ADULT).estimate
    others = ", ".join(
        f"{name} {percent(figures.mean(name, 'invalid', data=ADULT))}" for name in (MONDRIAN, ANATOMY)
    )
    return Claim(
        "1, 2",
        "Slicing creates invalid tuples, because parts are permuted.",
        f"{percent(found.mean)} of the rows as read hold two values that never meet in the original"
        f" ({percent(found.low)} to {percent(found.high)}).",
        judged(found, 1),
        f"{percent(figures.mean(SLICING, 'rules', data=ADULT), 2)} break a rule, such as a female husband. Rows as read"
        f" from other releases: {others}.",
    )


def _nothing_invalid(figures: Figures) -> Claim:
    found = figures.at(UL_MAIN, "invalid", data=ADULT).estimate
    gap = figures.gap(UL_MAIN, NO_SWAP, "invalid", ADULT)
    return Claim(
        "1, 3.4.2",
        "UL leaves no nonsensical combinations; it solves the problem of invalid tuples.",
        f"{percent(found.mean)} of the rows as read are invalid; beside the same buckets without swaps"
        f" {in_points(gap)}.",
        CONFIRMED if found.high < NEAR else REFUTED,
        "No swap makes an invalid combination in the row that it changes; but the columns of a bucket stand apart as"
        f" those of slicing do, of whose rows {percent(figures.mean(SLICING, 'invalid', data=ADULT))} are invalid.",
    )


# Risk under the composition attack.


def below(figures: Figures, one: str, others: Sequence[str], measure: str) -> str:
    """Whether a method has a lower risk than each of some others."""
    gaps = [figures.gap(one, other, measure, ADULT) for other in others]
    known = [gap for gap in gaps if gap.pairs > 1]
    return together(judged(gap, -1) for gap in known) if known else UNDECIDED


def readings(figures: Figures, one: str, others: Sequence[str]) -> str:
    """Which other readings of the ratio judge the same claim otherwise."""
    verdicts = {words: below(figures, one, others, name) for name, words in READINGS.items()}
    first = verdicts.pop("soft")
    differ = [f"{words}: {verdict}" for words, verdict in verdicts.items() if verdict != first]
    return f"Otherwise read: {', '.join(differ)}." if differ else "All other readings say the same."


def _by_data(figures: Figures, methods: Sequence[str], measure: str = "drr_soft") -> str:
    return "; ".join(
        f"{data} " + ", ".join(f"{name} {figures.mean(name, measure, data=data):.2f}" for name in methods)
        for data in ADULT
    )


def _risk(figures: Figures, where: str, says: str, one: str, others: Sequence[str], why: str) -> Claim:
    gaps = ", ".join(f"{other} {figures.gap(one, other, 'drr_soft', ADULT).signed}" for other in others)
    get = f"Soft ratio of {one} minus: {gaps}. {readings(figures, one, others)}"
    return Claim(where, says, get, below(figures, one, others, "drr_soft"), why)


def _private(figures: Figures) -> Claim:
    found, single, right = (
        figures.mean(DIFFGEN, name, data=ADULT) for name in ("found", "single", "drr_strict_matches")
    )
    return _risk(
        figures,
        "4.2.2, Figs. 5, 6",
        "e-DP has the lowest risk of all.",
        DIFFGEN,
        (*NOT_PRIVATE, UL_MAIN),
        f"Noise empties cells: {100 * (1 - found):.0f} % of the shared people fit no row in one release or both, and"
        f" count as safe. Of {100 * single:.0f} % a single value is left, which is theirs in {100 * right:.0f} of 100"
        " cases.",
    )


def _hybrid(figures: Figures) -> Claim:
    errors = {name: figures.mean(name, "query with", data=ADULT) for name in (*RIVALS, UL_MAIN)}
    worst = max(errors, key=lambda name: errors[name])
    return _risk(
        figures,
        "4.2.2",
        "Hybrid has a lower risk than the probabilistic, composition, Mondrian and merging approaches.",
        HYBRID,
        (PROBABILISTIC, COMPOSITION, MONDRIAN, MERGING),
        "Its noise invents values, so that the true one may be lost where releases meet: it is left of"
        f" {percent(figures.mean(HYBRID, 'left', data=ADULT), 0)} of the people. Its error of counts with the sensitive"
        f" value is {errors[HYBRID]:.2f}"
        + (", the largest of all." if worst == HYBRID else f" (largest: {worst}, {errors[worst]:.2f}).")
        + f" Soft ratio: {_by_data(figures, (HYBRID, MERGING))}.",
    )


def _merging_risk(figures: Figures) -> Claim:
    return _risk(
        figures,
        "4.2.2",
        "Merging has a lower risk than the probabilistic, composition and Mondrian approaches.",
        MERGING,
        (PROBABILISTIC, COMPOSITION, MONDRIAN),
        "It is slicing with buckets cut by Mondrian where l leaves room: soft ratio"
        f" {_by_data(figures, (MERGING, SLICING + ADAPTIVE, PROBABILISTIC))}.",
    )


def _lowest(figures: Figures) -> Claim:
    listed = ", ".join(
        f"{name} {figures.mean(name, 'confidence', data=ADULT):.2f}"
        for name in (UL_MAIN, SLICING, MONDRIAN_L, MONDRIAN)
    )
    return _risk(
        figures,
        "4.2.2, 5",
        "UL has a lower risk under the composition attack than the others (e-DP apart): buckets cut proportionally.",
        UL_MAIN,
        NOT_PRIVATE,
        "Compared are promises of different kinds: Mondrian keeps k alone, UL l as well. Mean confidence in the true"
        f" value: {listed}; guessing has {figures.mean(UL_MAIN, 'confidence', 'chance', ADULT):.2f}.",
    )


def _lowest_as_cut(figures: Figures) -> Claim:
    cut = figures.gap(UL_ADAPTIVE, UL_MAIN, "confidence", ADULT)
    each = _by_data(figures, (UL_MAIN, UL_ADAPTIVE, MONDRIAN), "confidence")
    return _risk(
        figures,
        "4.2.2, 5",
        "The same, with buckets cut by Mondrian, as the paper does (adaptive).",
        UL_ADAPTIVE,
        NOT_PRIVATE,
        f"Where l leaves room, small buckets of alike people are cut. Confidence is {told(cut)} beside buckets cut"
        f" proportionally: {each}. Merging-like is cut in the same way.",
    )


def _swaps(figures: Figures) -> Claim:
    gaps = {name: figures.gap(UL_MAIN, NO_SWAP, name, ADULT) for name in ("drr_soft", "confidence", "left")}
    buckets = figures.gap(NO_SWAP, MONDRIAN, "confidence", ADULT)
    return Claim(
        "1, 5",
        "Swapping rare and common cells gives stronger privacy than slicing does.",
        f"UL at 5 % minus the same buckets without swaps: soft ratio {fine(gaps['drr_soft'])}, confidence"
        f" {fine(gaps['confidence'])}, people whose value is still among those left {fine(gaps['left'])}.",
        judged(gaps["drr_soft"], -1),
        f"These buckets without swaps change confidence by {fine(buckets)} beside the classes of Mondrian. Confidence"
        " of Mondrian, of these buckets without swaps, and of guessing:"
        f" {figures.mean(MONDRIAN, 'confidence', data=ADULT):.3f},"
        f" {figures.mean(NO_SWAP, 'confidence', data=ADULT):.3f},"
        f" {figures.mean(NO_SWAP, 'confidence', 'chance', ADULT):.3f}.",
    )


def _rate(figures: Figures) -> Claim:
    soft, confidence = (
        slope_of([figures.at(swapped(rate), name, data=ADULT) for rate in RATES]).estimate
        for name in ("drr_soft", "confidence")
    )
    ends = [figures.mean(swapped(rate), "drr_soft", data=ADULT) for rate in (RATES[0], RATES[-1])]
    return Claim(
        "4.1, Fig. 7",
        "A higher swap rate means a lower risk.",
        f"From each rate to the next: soft ratio {fine(soft)}, confidence {fine(confidence)}.",
        judged(soft, -1),
        f"From 1 % to 15 % the soft ratio goes from {ends[0]:.4f} to {ends[1]:.4f}.",
    )


# What the paper prints.

SIZES = ("4.1K", "4.2K", "4.3K", "4.4K", "4.5K")
LOWER = {
    0.01: ((5, 6, 6, 7, 6), (16, 35, 16, 39, 22), (11, 9, 13, 12, 17), (156, 488, 16, 1619, 22)),
    0.02: ((7, 8, 7, 7, 8), (28, 59, 34, 58, 37), (24, 18, 20, 12, 27), (654, 1982, 238, 1674, 273)),
    0.05: ((13, 13, 10, 14, 12), (44, 103, 53, 102, 50), (111, 128, 107, 166, 117), (1082, 2412, 1386, 2590, 467)),
    0.1: ((17, 17, 17, 17, 15), (62, 115, 67, 146, 67), (324, 342, 398, 362, 229), (1132, 2824, 1988, 2703, 721)),
    0.15: ((21, 22, 20, 22, 19), (68, 153, 76, 146, 72), (542, 611, 631, 639, 526), (1230, 2910, 2088, 2703, 743)),
}  # fmt: skip
"""Table 3: for each rate cells of column 1 and 2, tuples of column 1 and 2, at the five sizes."""
UPPER_CELLS, UPPER_ROWS = (1, 2), (1362, 1787)
"""Table 4, column 1: fewest and most cells and tuples over all rates and sizes."""
UTILITY = {0.02: 0.9247, 0.05: 0.9219}
"""Conclusions: data utility of Education with 4.5K rows."""


def printed(rate: float, what: str) -> tuple[int, ...]:
    """A row of Table 3: ``cells 1``, ``cells 2``, ``rows 1`` or ``rows 2``, at the five sizes.

    >>> printed(0.01, "cells 1")
    (5, 6, 6, 7, 6)
    """
    return LOWER[rate][("cells 1", "cells 2", "rows 1", "rows 2").index(what)]
