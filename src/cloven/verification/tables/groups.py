"""Groups of published rows that nobody can tell apart, and how large they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.published_table import Sliced
from cloven.verification.faults import conclude, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.published_table import GeneralisedTable
    from cloven.verification.verdict import Check


def group_of_row(release: GeneralisedTable | Sliced) -> NDArray[np.int64]:
    """Bucket of each row, or class of rows with the same cells of quasi-identifiers."""
    if isinstance(release, Sliced):
        return np.repeat(np.arange(release.buckets), np.diff(release.bucket_offsets))
    known = [number for number, domain in enumerate(release.domains) if not domain.sensitive]
    return number_rows(release.cells[:, known])


def number_rows(rows: NDArray[np.int32]) -> NDArray[np.int64]:
    """Equal numbers for equal rows, from 0."""
    found = np.zeros(len(rows), np.int64)
    for column in rows.T:
        values, codes = np.unique(column, return_inverse=True)
        found = np.unique(found * len(values) + codes, return_inverse=True)[1]
    return found


def check_sizes(release: GeneralisedTable | Sliced) -> Check:
    """Every group has at least k rows."""
    what = "bucket" if isinstance(release, Sliced) else "class"
    sizes = np.bincount(group_of_row(release))
    fault = spot(sizes < release.k, lambda at: f"{what} {at} has {sizes[at]} rows, k is {release.k}")
    least = int(sizes.min(initial=len(release)))  # 0 where noise has left no row
    otherwise = f"{len(sizes):,} of at least {least} rows, k is {release.k}"
    return conclude(f"{what} size", "release", len(sizes), [fault], otherwise)
