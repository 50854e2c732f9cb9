"""Who is in which class, for somebody who knows everybody's quasi-identifiers: never wrong, and cuts tell more."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.data.arrays import row_numbers
from cloven.data.table import Attribute, Table, ValueTree
from cloven.kinds.tables.attack.replay import Crowd, Placed
from cloven.kinds.tables.buckets import Buckets
from cloven.kinds.tables.methods.mondrian import Mondrian

LETTERS = tuple("abcdefgh")
FLAT = ValueTree((*LETTERS, "*"), np.full(9, 8, np.int32), 8)
BRANCHES = ValueTree((*LETTERS, "a-c", "d-h", "*"), np.array([8] * 3 + [9] * 5 + [10] * 3, np.int32), 8)


def table_of(rows, seed):
    """Two attributes whose cells overlap wherever more than one value is together, and one whose cells do not."""
    rng = np.random.default_rng(seed)
    attributes = (
        Attribute("one", "quasi-identifier", LETTERS, None, FLAT),
        Attribute("two", "quasi-identifier", LETTERS, None, BRANCHES),
        Attribute("age", "quasi-identifier", tuple("0123"), np.arange(4.0)),
        Attribute("illness", "sensitive", ("cold", "flu", "gout")),
    )
    sizes = (8, 8, int(rng.integers(1, 5)), 3)
    codes = np.column_stack([rng.integers(size, size=rows) for size in sizes]).astype(np.int32)
    return Table(attributes, codes, np.arange(rows))


def shown_together(result, table):
    """For each person, a number for the cells that their row shows, by the key."""
    cells = np.empty((len(table), 3), np.int32)
    cells[result.key.records[:, 0]] = result.release.cells[:, :3]
    return row_numbers(cells)


def placed(result, table, k, *, strict):
    crowd = Crowd.of(table)
    return Placed.of(Buckets.of(crowd.known.reads(result.release)), crowd, k, strict=strict).rows_of_class


@pytest.mark.parametrize("method", [{"l": 2}, {"l": 2, "partition": "replay-proof"}, {}])
def test_whoever_is_placed_is_there_and_cuts_place_more(method):
    by_counting, by_cuts = 0, 0
    for seed in range(250):
        table, k = table_of(int(12 + seed % 40), seed), 2 + seed % 2
        result = Mondrian(k=k, **method).anonymise(table)
        truth = shown_together(result, table)
        found = placed(result, table, k, strict=True)
        for rows in found:
            if rows is not None:
                assert len(set(truth[rows].tolist())) == 1
                assert len(rows) == (truth == truth[rows[0]]).sum()
        by_cuts += sum(rows is not None for rows in found)
        by_counting += sum(rows is not None for rows in placed(result, table, k, strict=False))
    assert by_cuts > by_counting > 0


def test_where_lots_decide_whoever_is_placed_is_there():
    for seed in range(100):
        table = table_of(30, seed)
        result = Mondrian(k=2, l=2, mode="relaxed", seed=seed).anonymise(table)
        truth = shown_together(result, table)
        for rows in placed(result, table, 2, strict=False):
            assert rows is None or len(set(truth[rows].tolist())) == 1
