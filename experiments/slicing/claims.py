"""What sections 4 and 5 of BinJubier et al. say, as claims on the figures of the experiment.

The ratio of matched to total records can be read in four ways (strict or soft, over individuals or over matches): a
claim about risk (Figures 5 to 7) is judged by the soft ratio over individuals. Differences are of Education and
Occupation together, which use the same rows of Adult. What the paper prints stands at the end.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from experiments.harness.claims import Claim, above, below, each, in_turn, within
from experiments.harness.figures import Estimate
from experiments.slicing.data import (
    ADULT,
    ANATOMY,
    COMPOSITION,
    DIFFGEN,
    EDUCATION,
    HYBRID,
    MERGING,
    MONDRIAN,
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
from experiments.slicing.runs import DIMENSIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from experiments.harness.claims import Named
    from experiments.slicing.figures import Figures

NEAR = 0.005
"""A printed utility is met if ours rounds to the same half per cent."""
NOT_PRIVATE = tuple(name for name in RIVALS if name != DIFFGEN)


def _exact(values: dict[str, float]) -> Named:
    return {name: Estimate.exact(value) for name, value in values.items()}


def _means(
    measure: str, methods: Sequence[str], data: str | Sequence[str] = ADULT
) -> Callable[[Figures], Named]:
    """Means of a measure by method, for comparison."""
    return lambda figures: _exact({name: figures.mean(name, measure, data=data) for name in methods})


def _below(one: str, others: Sequence[str]) -> Callable[[Figures], Named]:
    """Soft ratio of a method minus that of each of some others."""
    return lambda figures: {f"minus {other}": figures.gap(one, other, "drr_soft", ADULT) for other in others}


# Cells, utility and queries.


def _lower(figures: Figures) -> Named:
    """How many of the means over the five sizes lie in the range that is printed."""
    inside, every = 0, 0
    for what, field in (("cells 1", "lower_cells"), ("rows 1", "lower_rows")):
        for rate in RATES:
            sizes = [figures.cells(EDUCATION, rate, overlap, field).mean for overlap in figures.overlaps]
            inside += min(printed(rate, what)) <= sum(sizes) / len(sizes) <= max(printed(rate, what))
            every += 1
    return _exact({"share of means in the printed ranges": inside / every})


def _upper(figures: Figures) -> Named:
    cells, rows = (median(column) for column in zip(*figures.upper, strict=True))
    return _exact({"median of cells": cells, "of tuples": rows})


def _upper_beside(figures: Figures) -> Named:
    tuples = [rows for _, rows in figures.upper]
    inside = sum(UPPER_ROWS[0] <= rows <= UPPER_ROWS[1] for rows in tuples) / len(tuples)
    few = sum(2 * rows <= UPPER_ROWS[0] for rows in tuples) / len(tuples)
    return _exact({"of 100 tables in the range": 100 * inside, "below half of it": 100 * few})


def _possible(figures: Figures) -> Named:
    possible = figures.of(EDUCATION).possible
    return _exact({"l that every table allows": min(possible), "largest that any allows": max(possible)})


def _utility(figures: Figures) -> Named:
    return {
        f"{100 * rate:g} %": figures.at(swapped(rate), "utility", data=EDUCATION).estimate for rate in UTILITY
    }


def _exchanged(figures: Figures) -> Named:
    return _exact(
        {
            f"rows with another's value, {100 * rate:g} %": figures.mean(
                swapped(rate), "exchanged", data=EDUCATION
            )
            for rate in UTILITY
        }
    )


def _beside_best(figures: Figures) -> Named:
    return {
        f"minus the best at {100 * rate:g} %": figures.beside(
            swapped(rate), RIVALS, "utility", (EDUCATION,), "max"
        )
        for rate in UTILITY
    }


def _merging(figures: Figures) -> Named:
    return {
        name: figures.gap(UL_MAIN, MERGING, measure, EDUCATION)
        for name, measure in (
            ("utility, UL minus merging-like", "utility"),
            ("error of counts", "query with"),
        )
    }


def _by_predicates(kind: str) -> Callable[[Figures], Named]:
    return lambda figures: _exact(
        {
            f"UL minus Mondrian, {number} and {kind} the sensitive value": figures.gap(
                UL_MAIN, MONDRIAN, f"query {number} {kind}", OCCUPATION
            ).mean
            for number in DIMENSIONS
        }
    )


# Risk under the composition attack.


def _diffgen(figures: Figures) -> Named:
    found, single, right = (
        figures.mean(DIFFGEN, name, data=ADULT) for name in ("found", "single", "drr_strict_matches")
    )
    return _exact(
        {
            "people who fit no row": 1 - found,
            "with a single value left": single,
            "of these rightly": right,
        }
    )


def _swaps(figures: Figures) -> Named:
    return {
        name: figures.gap(UL_MAIN, NO_SWAP, measure, ADULT)
        for name, measure in (("soft ratio", "drr_soft"), ("confidence", "confidence"))
    }


def _confidence_gap(one: str, other: str) -> Callable[[Figures], Named]:
    return lambda figures: _exact(
        {
            f"confidence, {one} minus {other}": figures.mean(one, "confidence", data=ADULT)
            - figures.mean(other, "confidence", data=ADULT)
        }
    )


# What the paper prints.

LOWER = {
    0.01: ((5, 6, 6, 7, 6), (16, 35, 16, 39, 22), (11, 9, 13, 12, 17), (156, 488, 16, 1619, 22)),
    0.02: ((7, 8, 7, 7, 8), (28, 59, 34, 58, 37), (24, 18, 20, 12, 27), (654, 1982, 238, 1674, 273)),
    0.05: ((13, 13, 10, 14, 12), (44, 103, 53, 102, 50), (111, 128, 107, 166, 117), (1082, 2412, 1386, 2590, 467)),
    0.1: ((17, 17, 17, 17, 15), (62, 115, 67, 146, 67), (324, 342, 398, 362, 229), (1132, 2824, 1988, 2703, 721)),
    0.15: ((21, 22, 20, 22, 19), (68, 153, 76, 146, 72), (542, 611, 631, 639, 526), (1230, 2910, 2088, 2703, 743)),
}  # fmt: skip
"""Table 3: for each rate cells of column 1 and 2, tuples of column 1 and 2, at the five sizes."""
UPPER_CELLS, UPPER_ROWS = (1, 2), (1362, 1787)
"""Table 4, column 1: fewest and most cells and tuples. Which of the five rates its four rows are cannot be told."""
UTILITY = {0.02: 0.9247, 0.05: 0.9219}
"""Conclusions: data utility of Education with 4.5K rows."""


def printed(rate: float, what: str) -> tuple[int, ...]:
    """A row of Table 3: ``cells 1``, ``cells 2``, ``rows 1`` or ``rows 2``, at the five sizes.

    >>> printed(0.01, "cells 1")
    (5, 6, 6, 7, 6)
    """
    return LOWER[rate][("cells 1", "cells 2", "rows 1", "rows 2").index(what)]


CLAIMS: tuple[Claim[Figures], ...] = (
    Claim(
        "lower",
        "Table 3",
        "5 to 22 cells of column 1 are rare at 1 to 15 %, with 9 to 639 tuples",
        _lower,
        each(above(0.99)),
        form=".0%",
        why="the paper does not say what column 1 is; marital status by relationship comes nearest of some 250 tried",
    ),
    Claim(
        "upper",
        "Table 4",
        "1 or 2 cells of column 1 are common, with 1,362 to 1,787 tuples",
        _upper,
        in_turn(within(*UPPER_CELLS), within(*UPPER_ROWS)),
        _upper_beside,
        form=",.0f",
        why="it is the married husbands; where all are married the share is 1, which is not selected",
    ),
    Claim(
        "six values",
        "4.2, Fig. 5",
        f"Education is published with k={K} and l={L}",
        _possible,
        each(above(L - 0.5)),
        lambda figures: _exact(
            {
                "of 100 rows have the most common value": 100
                * figures.of(EDUCATION).most_common[1]
                / figures.of(EDUCATION).all_rows
            }
        ),
        form=".0f",
        why="a slip: a value that more than 1/l of the people have is likelier than 1/l",
    ),
    Claim(
        "utility",
        "Figs. 3, 4",
        "UL has a data utility of 92.47 % at a swap rate of 2 % and of 92.19 % at 5 %",
        _utility,
        in_turn(*(within(value - NEAR, value + NEAR) for value in UTILITY.values())),
        _exchanged,
        form=".2%",
        why="the measure counts coarse cells alone",
    ),
    Claim(
        "most useful",
        "Figs. 3, 4",
        "the data utility of UL is higher than that of all the others",
        _beside_best,
        each(above(0)),
        form="+.2%",
        why="slicing and anatomy, which it leaves out, have 100 %",
    ),
    Claim(
        "merging",
        "4.2.1",
        "UL loses less than merging, which adds fake tuples",
        _merging,
        in_turn(above(0), below(0)),
        form="+.3f",
        why="our approximation cuts its buckets adaptively",
    ),
    Claim(
        "private",
        "4.2.2",
        "differential privacy (e-DP) reduces data utility",
        lambda figures: {
            "minus the lowest of the others": figures.beside(
                DIFFGEN, (*NOT_PRIVATE, UL_MAIN), "utility", (EDUCATION,), "min"
            )
        },
        each(below(0)),
        form="+.1%",
    ),
    Claim(
        "private, risk",
        "4.2.2, Figs. 5, 6",
        "differential privacy has the lowest risk of all",
        _below(DIFFGEN, (*NOT_PRIVATE, UL_MAIN)),
        each(below(0)),
        _diffgen,
        form=".2f",
        why="noise empties cells, and who fits no row counts as safe",
    ),
    Claim(
        "hybrid, risk",
        "4.2.2",
        "hybrid has a lower risk than probabilistic, composition, Mondrian and merging",
        _below(HYBRID, (PROBABILISTIC, COMPOSITION, MONDRIAN, MERGING)),
        each(below(0)),
        form=".2f",
        why="its noise invents values, so that the true one is lost, and its counts err most",
    ),
    Claim(
        "merging, risk",
        "4.2.2",
        "merging has a lower risk than probabilistic, composition and Mondrian",
        _below(MERGING, (PROBABILISTIC, COMPOSITION, MONDRIAN)),
        each(below(0)),
        form=".2f",
        why="it is slicing with buckets cut by Mondrian where l leaves room",
    ),
    Claim(
        "risk",
        "4.2.2, 5",
        "UL has a lower risk than the others but e-DP: buckets cut proportionally",
        _below(UL_MAIN, NOT_PRIVATE),
        each(below(0)),
        _confidence_gap(UL_MAIN, HYBRID),
        form=".2f",
        why="Mondrian keeps k alone, UL l as well",
    ),
    Claim(
        "risk, adaptive",
        "4.2.2, 5",
        "the same: buckets cut by Mondrian, as in the paper",
        _below(UL_ADAPTIVE, NOT_PRIVATE),
        each(below(0)),
        form=".2f",
        why="where l leaves room, a second release undoes small buckets of alike people",
    ),
    Claim(
        "swaps",
        "1, 5",
        "swapping rare and common cells gives stronger privacy than slicing",
        _swaps,
        each(below(0)),
        form="+.4f",
        why="the buckets do much more",
    ),
    Claim(
        "rate",
        "4.1, Fig. 7",
        "a higher swap rate means a lower risk",
        lambda figures: {
            "soft ratio, from rate to rate": figures.slope("drr_soft"),
            "confidence": figures.slope("confidence"),
        },
        each(below(0)),
        form="+.4f",
    ),
    Claim(
        "rate, utility",
        "4.1, Fig. 7",
        "a higher swap rate means less data utility",
        lambda figures: {
            "utility, from rate to rate": figures.slope("utility"),
            "error with the sensitive value": figures.slope("query with"),
        },
        in_turn(below(0), above(0)),
        form="+.4f",
        why="of these the printed measure moves least",
    ),
    Claim(
        "queries",
        "Fig. 8",
        "UL has a slighter query error than all the others",
        lambda figures: {
            f"minus the best, {name} the sensitive value": figures.beside(
                UL_MAIN, RIVALS, f"query {name}", (OCCUPATION,), "min"
            )
            for name in ("with", "without")
        },
        each(below(0)),
        form="+.2f",
    ),
    Claim(
        "generalisation",
        "4.2.3",
        "swapping consistently outperforms generalisation in counts",
        _by_predicates("with"),
        each(below(0)),
        _by_predicates("without"),
        form="+.2f",
        why="slicing breaks what goes with the sensitive value, Mondrian the rest",
    ),
    Claim(
        "slicing invents",
        "1, 2",
        "slicing creates invalid tuples, because parts are permuted",
        lambda figures: {
            "rows with values that never meet": figures.at(SLICING, "invalid", data=ADULT).estimate
        },
        each(above(0)),
        _means("invalid", (MONDRIAN, ANATOMY)),
        form=".1%",
        why="coarse cells suggest them, too",
    ),
    Claim(
        "nothing invalid",
        "1, 3.4.2",
        "UL leaves no nonsensical combinations and solves the problem of invalid tuples",
        lambda figures: {
            "rows with values that never meet": figures.at(UL_MAIN, "invalid", data=ADULT).estimate
        },
        each(below(NEAR)),
        lambda figures: {"added by swapping": figures.gap(UL_MAIN, NO_SWAP, "invalid", ADULT)},
        form=".1%",
        why="rows read out of a bucket are as with slicing",
    ),
)
