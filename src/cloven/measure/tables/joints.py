"""How often two values go together according to a release.

Inside a column pairs are published; across columns the parts of a bucket are paired at random, so the expected number
is the product of both counts by the rows of the bucket. Values inside a cell are taken as equally likely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.model.buckets import positions_of, spread

if TYPE_CHECKING:
    from cloven.model.buckets import Buckets
    from cloven.model.table import Attribute, Table


def published_joint(buckets: Buckets, first: int, second: int) -> Any:
    """Values x values (sparse): expected shares of two attributes' pairs; sums to 1."""
    from scipy.sparse import csr_array

    one, two = buckets.domains[first], buckets.domains[second]
    rows = len(buckets.cells)
    if buckets.column_of(first) == buckets.column_of(second):
        shape = (len(one.labels), len(two.labels))
        places = (buckets.cells[:, first], buckets.cells[:, second])
        together = csr_array((np.full(rows, 1.0 / rows), places), shape=shape)
        return (spread(one).T @ together @ spread(two)).tocsr()
    left, right = (_per_bucket(buckets, place) for place in (first, second))
    weight = np.repeat(1.0 / (buckets.sizes * rows), np.diff(left.indptr))
    left.data = left.data * weight
    return (spread(one).T @ (left.T @ right) @ spread(two)).tocsr()


def original_joint(table: Table, first: int, second: int) -> Any:
    """Values x values (sparse): shares of two attributes' pairs in the original."""
    from scipy.sparse import csr_array

    shape = (len(table.attributes[first]), len(table.attributes[second]))
    places = (table.codes[:, first], table.codes[:, second])
    return csr_array((np.full(len(table), 1.0 / len(table)), places), shape=shape)


def on_domain(
    joint: Any, buckets: Buckets, places: tuple[int, int], attributes: tuple[Attribute, Attribute]
) -> Any:
    """A published joint with the values of the original's attributes; the release must not know other values."""
    from scipy.sparse import coo_array

    found = joint.tocoo()
    codes = []
    for axis, (place, attribute) in enumerate(zip(places, attributes, strict=True)):
        at = positions_of(buckets.domains[place].values, attribute.values)
        if (at < 0).any():
            value = buckets.domains[place].values[int(np.flatnonzero(at < 0)[0])]
            message = (
                f"the release knows {attribute.name} = {value!r} and the original does not; compare a release with the"
                " table that it was made of"
            )
            raise ParameterError(message)
        codes.append(at[found.coords[axis]])
    shape = (len(attributes[0]), len(attributes[1]))
    return coo_array((found.data, tuple(codes)), shape=shape).tocsr()


def _per_bucket(buckets: Buckets, place: int) -> Any:
    """Buckets x cells (sparse): how many rows of a bucket show each cell."""
    from scipy.sparse import csr_array

    shape = (len(buckets), len(buckets.domains[place].labels))
    each = (buckets.bucket_of_row, buckets.cells[:, place])
    found = csr_array((np.ones(len(buckets.cells)), each), shape=shape)
    found.sum_duplicates()
    return found
