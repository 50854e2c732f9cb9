"""Does confidence tell added items from original ones? Link AUC and Brier score; neither depends on what was chosen.

Rows that an attack knows nothing about stay in, with the base rate as confidence: not knowing a word is a weakness of
the attack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.scoring.calibration import BINS, Calibration, calibration
from cloven.scoring.generalised.definitions import BY_FREQUENCY, RANKED
from cloven.scoring.ranking_kernel import rank_targets, sort_into_bins
from cloven.scoring.tally import Tallies, Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.scoring.generalised.truth import Truth


def rankings(confidence: NDArray[np.float32], truth: Truth) -> Tallies:
    """AUC inside tables and inside rows, and Brier score."""
    cells = truth.cells
    inside = _ranked(cells.tables.cell_offsets, confidence, truth.added)
    rows = _ranked(cells.line_offsets, confidence, truth.added)
    tables = np.arange(len(cells.tables))
    many = np.diff(cells.tables.cell_offsets).astype(float)
    return {
        ("auc", "all"): Tally.of(tables, inside[:, 2], inside[:, 1], truth.units),
        ("auc_row", "all"): Tally.of(cells.line_table, rows[:, 2], rows[:, 1], truth.units),
        ("brier", "all"): Tally.of(tables, inside[:, 5], many, truth.units),
        ("hit", "all"): _hits(confidence, truth),
    }


def _hits(confidence: NDArray[np.float32], truth: Truth) -> Tally:
    """Original items among as many best guesses in each row: the items that the attack takes least for added."""
    cells = truth.cells
    found = _ranked(cells.line_offsets, 1 - confidence, ~truth.added)
    return Tally.of(cells.line_table, found[:, 3], found[:, 0], truth.units)


def chance_rankings(truth: Truth) -> Tallies:
    """The same for equal confidence everywhere, the true share of added items of each table: exact expectations."""
    cells = truth.cells
    share = cells.by_table(truth.added) / np.maximum(1, np.diff(cells.tables.cell_offsets))
    known = np.repeat(share, np.diff(cells.tables.cell_offsets)).astype(np.float32)
    return rankings(known, truth)


def frequency_rankings(truth: Truth) -> Tallies:
    """The same for whoever knows how common each item of a table is in its rows, and nothing of any row.

    The best that frequencies alone can do: what an attack reaches beyond it, it has from what else a row shows. With
    lots as chance, every attack that prefers common items would seem to have learned something of people.
    """
    cells = truth.cells
    table = cells.line_table[cells.line]
    _, column = np.unique(table * (int(cells.item.max(initial=-1)) + 1) + cells.item, return_inverse=True)
    added = np.bincount(column, truth.added) / np.maximum(1, np.bincount(column))
    return rankings(added[column].astype(np.float32), truth)


def beside_frequency(values: Tallies, baseline: Tallies) -> tuple[Tallies, Tallies]:
    """The rankings again, under names of their own, beside frequencies; what is compared is in both."""
    names = [name for name in values if name[0] in RANKED]
    return (
        {(measure + BY_FREQUENCY, scope): values[measure, scope] for measure, scope in names},
        {(measure + BY_FREQUENCY, scope): baseline[measure, scope] for measure, scope in names},
    )


def calibrated(confidence: NDArray[np.float32], truth: Truth) -> Calibration:
    """Confidence against truth, over all cells."""
    offsets = truth.cells.tables.cell_offsets
    kind, asked = np.zeros(len(offsets) - 1, np.int64), np.ones(len(offsets) - 1, bool)
    bins = sort_into_bins(offsets, kind, confidence, truth.added, asked, BINS)
    return calibration(*bins[0].T)


def _ranked(
    offsets: NDArray[np.int64], confidence: NDArray[np.float32], added: NDArray[np.bool_]
) -> NDArray[np.float64]:
    every = np.ones(len(offsets) - 1, bool)
    return rank_targets(offsets, confidence.astype(np.float64), confidence, added, every)
