"""Records put together from rows and terms: every item once, ascending, however long they are."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.kinds.disassociated.reconstruction import assembled


@pytest.mark.parametrize(("rows", "length"), [(0, 0), (3, 5), (40, 30), (200, 90), (2, 20_000)])
def test_records_are_the_sets_of_what_was_placed_on_them(rows, length):
    rng, records = np.random.default_rng(rows), max(1, rows // 2)
    offsets = np.arange(rows + 1) * length
    items = rng.integers(0, 3 * length + 1, rows * length).astype(np.int32)
    place, of = rng.integers(0, records, rows), rng.integers(0, records, 50)
    terms = rng.integers(0, 3 * length + 1, 50).astype(np.int32)
    wanted: list[set[int]] = [set() for _ in range(records)]
    for row in range(rows):
        wanted[place[row]].update(items[offsets[row] : offsets[row + 1]].tolist())
    for record, term in zip(of.tolist(), terms.tolist(), strict=True):
        wanted[record].add(term)
    lengths, found = assembled(place, (offsets, items), of, terms, records)
    ends = np.cumsum(lengths).tolist()
    shown = [found[end - many : end].tolist() for end, many in zip(ends, lengths.tolist(), strict=True)]
    assert shown == [sorted(each) for each in wanted]
