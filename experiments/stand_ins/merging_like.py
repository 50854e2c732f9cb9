"""An approximation of merging (Hasan, Jiang, Chen, Wang, Applied Sciences 8(5), 2018), of which not all is known.

Known is (BinJubier et al. 2022, section 2 and 4.2.1): slicing, cells that are generalised until a person fits several
buckets, parts permuted inside buckets, and invented rows with the quasi-identifiers of real ones and sensitive values
drawn from their distribution. Here: a part that stands in one bucket only goes up its taxonomies level by level until
it meets a part of another bucket, and both are published there; if it never does, a row with the same
quasi-identifiers is added to another bucket. Its sensitive value is drawn from the distribution, among those that keep
the bucket's promise. It is done for each column: a whole person may still fit one bucket only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cloven.data.given import expect_table
from cloven.data.taxonomy import balanced_ranges
from cloven.errors import ParameterError
from cloven.kinds.tables.methods.assembly import sliced
from cloven.kinds.tables.methods.lots import Drawing
from cloven.kinds.tables.methods.parameters import check_seed, one_sensitive
from cloven.kinds.tables.methods.slicing import Slicing
from experiments.stand_ins.hybrid import with_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Longs
    from cloven.data.table import Table
    from cloven.kinds.tables.key import PublishedTable


@dataclass(frozen=True)
class MergingLike:
    """Slicing in which no part of a person fits one bucket only.

    Attributes:
        k: rows of a bucket, at least.
        l: in each bucket no sensitive value has a share above 1/l.
        columns: columns of quasi-identifiers; see ``Slicing``.
        seed: for the lots; experiments only, and marks the release.
    """

    k: int = 6
    l: int = 6
    columns: int | tuple[tuple[str, ...], ...] | None = None
    seed: int | None = None
    family: ClassVar[str] = "tables"

    def __post_init__(self) -> None:
        slicing = self._slicing  # checks k, l and columns
        for name in ("k", "l", "columns"):
            object.__setattr__(self, name, getattr(slicing, name))
        check_seed(self.seed)

    @property
    def _slicing(self) -> Slicing:
        return Slicing(k=self.k, l=self.l, columns=self.columns, check="bucket", partition="adaptive")

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as plain JSON values."""
        return {
            "method": "merging-like",
            "approximates": "Hasan et al. 2018",
            "seeded": self.seed is not None,
            "l": self.l,
            "check": "bucket",
            "columns": "chosen" if isinstance(self.columns, tuple) else self.columns,
            "invented_rows": True,
        }

    def anonymise(self, table: Table, progress: Callable[[str, float], None] | None = None) -> PublishedTable:
        """Anonymise; ``progress(step, share done)`` is called along the way."""
        expect_table(table, type(self).__name__)
        report = progress or (lambda _step, _share: None)
        place = one_sensitive(table, "merging-like")
        table = with_ranges(table)
        report("buckets", 0.0)
        columns = self._slicing.columns_of(table)
        if (place,) not in columns.sensitive:
            message = (
                f"merging-like needs {table.attributes[place].name!r} in a column of its own: a raised part beside it"
                " would stand alone with its value"
            )
            raise ParameterError(message)
        drawing = Drawing.of(self.seed)
        buckets = self._slicing.buckets_of(table, columns, drawing.lots)
        report("merge", 0.0)
        nodes = np.full(table.codes.shape, -1, np.int32)
        alone = np.zeros(len(table), np.bool_)
        for column in (*columns.correlated, *columns.loose):
            alone |= raised_parts(table, buckets, list(column), nodes)
        rows = np.flatnonzero(alone)
        added, where, kept = _invented(table, buckets, rows, place, self.l, drawing)
        report("assemble", 0.0)
        result = sliced(
            with_rows(table, added),
            np.concatenate([buckets, where]),
            columns.all,
            k=self.k,
            parameters=self.parameters,
            nodes=np.vstack([nodes, nodes[kept]]),
        )
        report("assemble", 1.0)
        return result


def _invented(
    table: Table, buckets: Longs, rows: Longs, place: int, l: int, drawing: Drawing
) -> tuple[NDArray[np.int32], Longs, Longs]:
    """Rows like some real ones but in other buckets; the buckets; and the rows they are like.

    A row for which no bucket has room for another sensitive value gets none.
    """
    number, width = int(buckets.max()) + 1, len(table.attributes[place])
    held = np.zeros((number, width), np.int64)
    np.add.at(held, (buckets, table.codes[:, place]), 1)
    shares = np.bincount(table.codes[:, place], minlength=width) / len(table)
    added, where, kept = [], [], []
    for row in rows.tolist():
        for bucket in drawing.order(number).tolist()[:50]:
            room = (held[bucket] + 1) * l <= held[bucket].sum() + 1
            room &= shares > 0
            if bucket == buckets[row] or not room.any():
                continue
            value = drawing.weighted(np.log(np.where(room, shares, 1e-300)))
            codes = table.codes[row].copy()
            codes[place] = value
            held[bucket, value] += 1
            added.append(codes)
            where.append(bucket)
            kept.append(row)
            break
    empty = np.empty((0, table.codes.shape[1]), np.int32)
    return (
        np.array(added, np.int32).reshape(-1, table.codes.shape[1]) if added else empty,
        np.array(where, np.int64),
        np.array(kept, np.int64),
    )


# Raise parts of a sliced table up their taxonomies until they fit more than one bucket.


def with_ranges(table: Table) -> Table:
    """The table with balanced ranges for numbers without a taxonomy, so that they can be raised too."""
    attributes = [
        replace(attribute, tree=balanced_ranges(attribute.values))
        if attribute.numbers is not None and attribute.tree is None
        else attribute
        for attribute in table.attributes
    ]
    return replace(table, attributes=tuple(attributes))


def raised_parts(table: Table, buckets: Longs, attributes: list[int], nodes: NDArray[np.int32]) -> Flags:
    """Raise the parts of one column; writes to ``nodes`` and gives the rows whose part still fits one bucket only.

    Level by level: all attributes of the column that have a taxonomy go up together.
    """
    paths = [_levels(table, attribute) for attribute in attributes]
    deepest = max(path.shape[1] for path in paths)
    codes = table.codes[:, attributes]
    alone = np.ones(len(table), np.bool_)
    for level in range(deepest):
        at = [path[:, min(level, path.shape[1] - 1)] for path in paths]
        lifted = np.column_stack([place[codes[:, column]] for column, place in enumerate(at)])
        part = np.unique(lifted, axis=0, return_inverse=True)[1].reshape(-1)
        partner = _partners(part, buckets)
        fitting = np.flatnonzero(alone & (partner >= 0))
        if level:
            # Both go up: the person of one then fits the bucket of the other.
            touched = np.union1d(fitting, partner[fitting])
            for column, attribute in enumerate(attributes):
                if table.attributes[attribute].tree is not None:
                    nodes[touched, attribute] = lifted[touched, column]
        alone[fitting] = False
        if not alone.any():
            break
    return alone


def _partners(part: Longs, buckets: Longs) -> Longs:
    """For each row one with the same part in another bucket, -1 if there is none.

    All rows of a part share the one of its first bucket, or, in that bucket, the one of its last: few rows go up.
    """
    order = np.lexsort((buckets, part))
    starts = np.flatnonzero(np.concatenate(([True], part[order][1:] != part[order][:-1])))
    ends = np.append(starts[1:], len(order)) - 1
    first, last = order[starts][part], order[ends][part]
    partner = np.where(buckets[first] != buckets, first, last)
    return np.where(buckets[partner] != buckets, partner, -1)


def _levels(table: Table, attribute: int) -> NDArray[np.int32]:
    """Values x levels: the node of each value so many steps up; the root stays the root."""
    tree = table.attributes[attribute].tree
    values = np.arange(len(table.attributes[attribute]), dtype=np.int32)
    if tree is None:
        return values[:, None]
    paths = [tree.path(value) for value in values.tolist()]
    deepest = max(map(len, paths))
    return np.array([path + (path[-1],) * (deepest - len(path)) for path in paths], np.int32)
