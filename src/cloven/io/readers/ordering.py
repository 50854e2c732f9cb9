"""Put the items of each record in order and collapse repeats, in one pass.

``Transactions.from_arrays`` could do it too, by sorting all (record, item) pairs; records are short, so
sorting each by itself is several times faster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SHORT = 32


@compiled
def order_records(
    lengths: NDArray[np.int64], codes: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Lengths and codes with each record strictly ascending.

    >>> lengths, codes = order_records(np.array([3, 1]), np.array([2, 0, 2, 1], np.int32))
    >>> lengths.tolist(), codes.tolist()
    ([2, 1], [0, 2, 1])
    """
    kept = np.empty_like(lengths)
    ordered = np.empty_like(codes)
    start = write = 0
    for record in range(len(lengths)):
        end = start + lengths[record]
        first = write
        if lengths[record] <= _SHORT:
            write = _insert_sorted(codes, start, end, ordered, write)
        else:
            items = np.unique(codes[start:end])
            ordered[write : write + len(items)] = items
            write += len(items)
        kept[record] = write - first
        start = end
    return kept, ordered[:write]


@compiled
def _insert_sorted(
    codes: NDArray[np.int32], start: int, end: int, ordered: NDArray[np.int32], first: int
) -> int:
    """Insert codes one by one into ``ordered`` from ``first`` on; give the end."""
    write = first
    for position in range(start, end):
        code = codes[position]
        slot = write
        while slot > first and ordered[slot - 1] > code:
            slot -= 1
        if slot > first and ordered[slot - 1] == code:
            continue
        for moved in range(write, slot, -1):
            ordered[moved] = ordered[moved - 1]
        ordered[slot] = code
        write += 1
    return write
