"""Read a release as somebody who works with it: draw a table that it may stand for.

The parts of each bucket are paired at random, and each cell becomes one of its values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.buckets import Buckets, cell_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.published_table import CellDomain, GeneralisedTable, Sliced


def drawn_rows(release: GeneralisedTable | Sliced, rng: np.random.Generator) -> NDArray[np.int32]:
    """Rows x attributes: values (positions in the domains) of one table that the release may stand for."""
    cells = paired_cells(release, rng)
    rows = np.empty_like(cells)
    for place, domain in enumerate(release.domains):
        rows[:, place] = drawn_values(domain, cells[:, place], rng)
    return rows


def paired_cells(release: GeneralisedTable | Sliced, rng: np.random.Generator) -> NDArray[np.int32]:
    """Rows x attributes: cells, with the parts of each bucket paired at random."""
    buckets = Buckets.of(release)
    cells = np.empty_like(buckets.cells)
    for column in buckets.columns:
        order = np.lexsort((rng.random(len(cells)), buckets.bucket_of_row))
        cells[:, column] = buckets.cells[order][:, column]
    return cells


def drawn_values(domain: CellDomain, cells: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
    """One of the values of each cell, all as likely."""
    picked = domain.member_offsets[cells] + rng.integers(0, cell_sizes(domain)[cells])
    values: NDArray[np.int32] = domain.members[picked]
    return values
