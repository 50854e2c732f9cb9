"""Read a release as somebody who works with it: draw a table that it may stand for.

The parts of each bucket are paired at random, and each cell becomes one of its values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.buckets import Buckets, cell_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.published_table import GeneralisedTable, Sliced


def drawn_rows(release: GeneralisedTable | Sliced, rng: np.random.Generator) -> NDArray[np.int32]:
    """Rows x attributes: values (positions in the domains) of one table that the release may stand for."""
    buckets = Buckets.of(release)
    cells = np.empty_like(buckets.cells)
    for column in buckets.columns:
        order = np.lexsort((rng.random(len(cells)), buckets.bucket_of_row))
        cells[:, column] = buckets.cells[order][:, column]
    rows = np.empty_like(cells)
    for place, domain in enumerate(buckets.domains):
        sizes = cell_sizes(domain)[cells[:, place]]
        picked = domain.member_offsets[cells[:, place]] + rng.integers(0, sizes)
        rows[:, place] = domain.members[picked]
    return rows
