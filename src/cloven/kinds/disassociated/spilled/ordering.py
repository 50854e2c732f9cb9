"""Sort rows by lists of numbers that memory does not hold: ranges of them one after another.

Rows go to a shelf by the numbers that their lists begin with, between bounds that a sample of the rows gives. What lies
between two bounds is sorted in memory. Rows that begin alike and are still too many are sorted by what follows; lists
that are equal are not sorted at all: they stay in the order in which they came.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import Ints, compiled
from cloven.data.arrays import distinct, lexicographic_order
from cloven.kinds.disassociated.blocks.clusters import rows_of
from cloven.storage.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from cloven.compiled import Longs

SAMPLE = 1 << 12
"""Rows that a range is judged by."""
SPREAD = 4
"""Times as many ranges as would do if all were equally large."""
IN_MEMORY = 6
"""Bytes that sorting takes for each byte of the rows."""


@dataclass(frozen=True)
class Order:
    """How rows are sorted.

    Attributes:
        folder: where ranges are kept.
        room: bytes that may be used.
        column: the column of lists.
        most: no number is larger.
    """

    folder: Path
    room: int
    column: str
    most: int

    @property
    def bits(self) -> int:
        """Bits of a number; a missing one is told from all others."""
        return (self.most + 1).bit_length()

    @property
    def many(self) -> int:
        """Numbers that a key holds."""
        return 62 // self.bits

    def sorted(self, rows: Shelf, name: str) -> Iterator[pa.Table]:
        """The rows of compartment 0 by the lists of their column; equal ones as they came. The shelf is emptied."""
        numbers = count()
        yield from self._sorted(
            lambda: rows.pieces(0), rows.bytes.get(0, 0), 0, lambda: self._shelf(name, next(numbers))
        )
        rows.remove()

    def _shelf(self, name: str, number: int) -> Shelf:
        return Shelf(self.folder / f"{name}-{number}.arrow", max(1, self.room // (2 * IN_MEMORY)))

    def _sorted(
        self, pieces: Callable[[], Iterator[pa.Table]], size: int, skip: int, new: Callable[[], Shelf]
    ) -> Iterator[pa.Table]:
        """Rows whose lists agree in the first ``skip`` numbers, in order."""
        if size * IN_MEMORY <= self.room:
            yield from self._in_memory(list(pieces()))
            return
        bounds = self._bounds(pieces(), size, skip)
        shelf = new()
        for table in pieces():
            keys = self._keys(table, skip)
            at = np.searchsorted(bounds, keys, "left")
            equal = at < len(bounds)
            equal[equal] = bounds[at[equal]] == keys[equal]
            shelf.scatter(2 * at + equal, table)
        shelf.close()
        for number in shelf.numbers:
            yield from self._range(shelf, number, bounds, skip, new)
        shelf.remove()

    def _range(
        self, shelf: Shelf, number: int, bounds: Longs, skip: int, new: Callable[[], Shelf]
    ) -> Iterator[pa.Table]:
        """One range: an odd one holds rows that begin alike."""
        alike = number % 2 == 1
        if alike and not int(bounds[number // 2]) & ((1 << self.bits) - 1):
            yield from shelf.pieces(number)  # the lists end there, so they are equal
            return
        more = self.many if alike else 0
        yield from self._sorted(lambda: shelf.pieces(number), shelf.bytes[number], skip + more, new)

    def _in_memory(self, tables: list[pa.Table]) -> Iterator[pa.Table]:
        import pyarrow as pa

        if not tables:
            return
        table = pa.concat_tables(tables)
        order = lexicographic_order(*rows_of(table.column(self.column)))
        yield table.take(pa.array(order))

    def _keys(self, table: pa.Table, skip: int) -> Longs:
        return keys_behind(*rows_of(table.column(self.column)), skip, self.bits)

    def _bounds(self, tables: Iterator[pa.Table], size: int, skip: int) -> Longs:
        """Keys between ranges, from rows at equal distances."""
        found = [np.empty(0, np.int64)]
        for table in tables:
            share = max(1, SAMPLE * table.nbytes // size)
            found.append(self._keys(table.take(_spaced(len(table), share)), skip))
        keys = np.sort(np.concatenate(found))
        ranges = min(len(keys), SPREAD * (size * IN_MEMORY // self.room + 1))
        return distinct(keys[np.arange(1, ranges + 1) * len(keys) // (ranges + 1)])


def _spaced(rows: int, many: int) -> Any:
    import pyarrow as pa

    return pa.array(np.unique(np.linspace(0, rows - 1, min(rows, many)).astype(np.int64)))


@compiled
def keys_behind(offsets: Ints, values: Ints, skip: int, bits: int) -> Ints:
    """The numbers of each list behind the first ``skip`` as one, as many as fit; a missing one counts as none."""
    keys = np.empty(len(offsets) - 1, np.int64)
    for row in range(len(offsets) - 1):
        key, at = 0, offsets[row] + skip
        for _ in range(62 // bits):
            key <<= bits
            if at < offsets[row + 1]:
                key |= int(values[at]) + 1
            at += 1
        keys[row] = key
    return keys
