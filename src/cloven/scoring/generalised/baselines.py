"""Eliminations without any knowledge, drawn: for measures that have no formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.scoring.generalised.truth import Cells


def random_elimination(
    eliminated: NDArray[np.bool_], cells: Cells, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """As many cells of each table, drawn at random."""
    offsets = cells.tables.cell_offsets
    budget = np.repeat(cells.by_table(eliminated), np.diff(offsets))
    return _rank(np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), offsets, rng) < budget


def all_but_one(cells: Cells, rng: np.random.Generator) -> NDArray[np.bool_]:
    """All but one random cell of each row of each table."""
    return _rank(cells.line, cells.line_offsets, rng) > 0


def _rank(
    group: NDArray[np.int64], offsets: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Random places 0, 1, ... for the members of each group."""
    order = np.lexsort((rng.random(len(group)), group))
    rank = np.empty(len(group), np.int64)
    rank[order] = np.arange(len(group)) - offsets[:-1][group[order]]
    return rank
