"""Are the eliminated items the added ones? Recall, precision and F, and what they are without any knowledge.

Counts are pooled over all tables; the same figures for each generalised item are also averaged. Units of the intervals
are the generalised items: answers about one of them go together, since they compete for the same distances.

- *Random elimination* of as many cells of each table finds, on average, as many added ones as their share in the table
  says; that is exact, also for attacks that keep one cell in each row and column.
- *All but one*: keep one random item of each generalised item of a record, and eliminate the others. On sparse data
  hardly anything that is eliminated is original, so F alone says little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.scoring.generalised.definitions import BESIDE, DETECTED, RECORDS
from cloven.scoring.tally import Tallies, Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.scoring.generalised.truth import Truth

    Floats = NDArray[np.float64]


def detections(eliminated: NDArray[np.bool_], truth: Truth) -> Tallies:
    """Recall, precision and F of some eliminations."""
    cells = truth.cells
    correct, given = cells.by_table(eliminated & truth.added), cells.by_table(eliminated)
    return _measured(correct, given, truth)


def random_detections(eliminated: NDArray[np.bool_], truth: Truth) -> Tallies:
    """The same for as many cells of each table, drawn at random: expectations."""
    cells = truth.cells
    given, added = cells.by_table(eliminated), cells.by_table(truth.added)
    return _measured(given * added / np.maximum(1, np.diff(cells.tables.cell_offsets)), given, truth)


def all_but_one_detections(truth: Truth) -> Tallies:
    """The same for all but one random item of each row of each table: expectations."""
    cells = truth.cells
    width = np.diff(cells.line_offsets).astype(float)
    added = cells.by_line(truth.added)
    tables = len(cells.tables)
    correct, given = (
        np.bincount(cells.line_table, each, tables).astype(np.float64)
        for each in (added * (1 - 1 / np.maximum(1, width)), width - 1)
    )
    return _measured(correct, given, truth)


def beside_all_but_one(values: Tallies, baseline: Tallies) -> tuple[Tallies, Tallies]:
    """The pooled measures again, under names of their own, beside the second baseline."""
    names = [name for name in values if name[0] in DETECTED or name[0] in RECORDS]
    return (
        {(measure + BESIDE, scope): values[measure, scope] for measure, scope in names},
        {(measure + BESIDE, scope): baseline[measure, scope] for measure, scope in names},
    )


def _measured(correct: Floats, given: Floats, truth: Truth) -> Tallies:
    """Pooled ratios, and means over tables; what no table asks about is one unit more."""
    tables = len(truth.cells.tables)
    correct, given, added = (
        np.pad(each, (0, truth.units - tables))
        for each in (correct, given, truth.cells.by_table(truth.added))
    )
    added[tables:] = truth.missed
    ratios = {
        "recall": (correct, added),
        "precision": (correct, given),
        "f": (correct, (given + added) / 2),
    }
    tallies: Tallies = {}
    for name, (top, bottom) in ratios.items():
        there = (bottom > 0) & (np.arange(truth.units) < tables)
        each = np.divide(top, bottom, out=np.zeros(truth.units), where=there)
        tallies[name, "all"] = Tally(top, bottom)
        tallies[f"{name}_per_item", "all"] = Tally(each, there.astype(float))
    return tallies
