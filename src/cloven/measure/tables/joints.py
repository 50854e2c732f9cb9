"""How often two values go together according to a release.

Inside a column pairs are published; across columns the parts of a bucket are paired at random, so the expected number
is the product of both counts by the rows of the bucket. Values inside a cell are taken as equally likely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.measure.tables.rectangles_kernel import weight_at
from cloven.model.buckets import positions_of
from cloven.model.cell_runs import CellRuns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.buckets import Buckets
    from cloven.model.table import Attribute, Table


def published_joint(buckets: Buckets, first: int, second: int) -> NDArray[np.float64]:
    """Values x values: expected shares of two attributes' pairs; sums to 1."""
    one, two = (CellRuns.of(buckets.domains[place]) for place in (first, second))
    cells = _cell_pairs(buckets, first, second)
    return one.over_values(two.over_values(cells.T.toarray()).T)


def joint_at(buckets: Buckets, first: int, second: int, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Expected share of some pairs of values (positions in the domains), without looking at any other pair.

    Every pair of cells is a rectangle in the plane of both domains, or some, if values between them are missing.
    """
    one, two = (CellRuns.of(buckets.domains[place]) for place in (first, second))
    cells = _cell_pairs(buckets, first, second).tocoo()
    left, right = cells.coords
    if one.single and two.single:
        return _looked_up(
            one.first[left] * two.values + two.first[right],
            cells.data,
            pairs[:, 0] * two.values + pairs[:, 1],
        )
    some, many = np.diff(one.offsets)[left], np.diff(two.offsets)[right]
    which = np.repeat(np.arange(len(left)), some * many)
    number = np.arange(len(which)) - np.repeat(np.cumsum(some * many) - some * many, some * many)
    across = one.offsets[left[which]] + number // many[which]
    up = two.offsets[right[which]] + number % many[which]
    rectangles = np.column_stack([one.first[across], one.last[across], two.first[up], two.last[up]])
    weight = (cells.data / (one.sizes[left] * two.sizes[right]))[which]
    return weight_at(
        pairs,
        np.argsort(pairs[:, 0], kind="stable"),
        rectangles,
        np.argsort(rectangles[:, 0], kind="stable"),
        np.argsort(rectangles[:, 1], kind="stable"),
        weight,
        two.values,
    )


def _looked_up(
    keys: NDArray[np.int64], data: NDArray[np.float64], asked: NDArray[np.int64]
) -> NDArray[np.float64]:
    order = np.argsort(keys)
    place = np.minimum(np.searchsorted(keys[order], asked), len(keys) - 1)
    return np.where(keys[order][place] == asked, data[order][place], 0.0)


def original_pairs(table: Table, first: int, second: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Pairs of values (positions in the domains) of two attributes of the original, and their shares."""
    width = len(table.attributes[second])
    keys = table.codes[:, first].astype(np.int64) * width + table.codes[:, second]
    found, counts = np.unique(keys, return_counts=True)
    return np.column_stack([found // width, found % width]), counts / len(table)


def check_domain(buckets: Buckets, place: int, attribute: Attribute) -> NDArray[np.int64]:
    """Where each value of the original stands in the domain of a release, which must not know impossible values.

    A release may know more than the rows hold: rows that noise has put where nobody is show numbers that the owner
    states as possible.
    """
    values = buckets.domains[place].values
    strange = (positions_of(values, attribute.values) < 0) & ~_possible(values, attribute)
    if strange.any():
        value = values[int(np.flatnonzero(strange)[0])]
        message = (
            f"the release knows {attribute.name} = {value!r} and the original does not; compare a release with the"
            " table that it was made of"
        )
        raise ParameterError(message)
    return positions_of(attribute.values, values)


def _possible(values: tuple[str, ...], attribute: Attribute) -> NDArray[np.bool_]:
    """Numbers at which a block of the owner's begins or ends."""
    if attribute.blocks is None:
        return np.zeros(len(values), np.bool_)
    ends = np.concatenate([attribute.blocks.lows, attribute.blocks.highs])
    found: NDArray[np.bool_] = np.isin(np.array(values, np.float64), ends)
    return found


def _cell_pairs(buckets: Buckets, first: int, second: int) -> Any:
    """Cells x cells (sparse): expected shares of pairs of cells."""
    from scipy.sparse import csr_array

    rows = len(buckets.cells)
    if buckets.column_of(first) == buckets.column_of(second):
        shape = tuple(len(buckets.domains[place].labels) for place in (first, second))
        places = (buckets.cells[:, first], buckets.cells[:, second])
        found = csr_array((np.full(rows, 1.0 / rows), places), shape=shape)
        found.sum_duplicates()
        return found
    left, right = (_per_bucket(buckets, place) for place in (first, second))
    left.data = left.data * np.repeat(1.0 / (buckets.sizes * rows), np.diff(left.indptr))
    return (left.T @ right).tocsr()


def _per_bucket(buckets: Buckets, place: int) -> Any:
    """Buckets x cells (sparse): how many rows of a bucket show each cell."""
    from scipy.sparse import csr_array

    shape = (len(buckets), len(buckets.domains[place].labels))
    each = (buckets.bucket_of_row, buckets.cells[:, place])
    found = csr_array((np.ones(len(buckets.cells)), each), shape=shape)
    found.sum_duplicates()
    return found
