"""The blocks that Spark finds by counting are those that the local engine finds with all records at hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloven.kinds.disassociated.blocks import splits
from cloven.kinds.disassociated.blocks.splits import Profiles, Top, descend, found_blocks
from cloven.kinds.disassociated.methods.labelling import blocks


class Plain:
    """Counts over records in memory, one after another."""

    def __init__(self, records, n_terms):
        self.records, self.n_terms, self.rounds = records, n_terms, 0
        lengths = [len(record) for record in records]
        self.offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        self.terms = np.array([term for record in records for term in sorted(record)], np.int32)

    def leaves(self, tree):
        return descend(self.offsets, self.terms, self.n_terms, *tree).tolist()

    def narrow(self, tree, leaves, records):
        """What is told of open parts is right."""
        found = [leaf for leaf in self.leaves(tree) if leaf in leaves]
        assert len(found) == records

    def top(self, tree, spent, many):
        self.rounds += 1
        counts = {}
        for leaf, record in zip(self.leaves(tree), self.records, strict=True):
            for term in record - spent[leaf] if leaf in spent else ():
                counts.setdefault(leaf, {}).setdefault(term, 0)
                counts[leaf][term] += 1
        ranked = {
            leaf: sorted((-held, term) for term, held in found.items())[:many]
            for leaf, found in counts.items()
        }
        return {
            leaf: Top(tuple(term for _, term in rows), tuple(-held for held, _ in rows))
            for leaf, rows in ranked.items()
        }

    def profiles(self, tree, terms):
        counts = {}
        for leaf, record in zip(self.leaves(tree), self.records, strict=True):
            if leaf in terms:
                mask = sum(1 << bit for bit, term in enumerate(terms[leaf]) if term in record)
                counts.setdefault(leaf, {}).setdefault(mask, 0)
                counts[leaf][mask] += 1
        return {
            leaf: Profiles(np.array(list(found)), np.array(list(found.values())))
            for leaf, found in counts.items()
        }


def both(records, n_terms, k, block_records):
    """Blocks as (records, spent terms), by counting and with all records at hand."""
    counting = Plain(records, n_terms)
    tree, found = found_blocks(counting, len(records), block_records, k)
    leaf = np.array(counting.leaves(tree))
    counted = [(np.flatnonzero(np.isin(leaf, block.nodes)).tolist(), block.spent) for block in found]
    nobody = np.empty(0, np.int64)
    known = blocks(counting.offsets, counting.terms, n_terms, nobody, k, block_records)
    return counted, [(block.records.tolist(), block.spent) for block in known], found, counting


records_and_sizes = st.tuples(
    st.lists(st.sets(st.integers(0, 9), min_size=1, max_size=6), min_size=4, max_size=80),
    st.integers(2, 4),
    st.integers(0, 20),
    st.integers(0, 2),
)


@settings(deadline=None)
@given(records_and_sizes)
def test_blocks_are_those_of_the_local_engine(drawn):
    records, k, more, profiles = drawn
    was = splits.MOST_PROFILES
    splits.MOST_PROFILES = (4, 64, was)[profiles]  # few profiles: many rounds
    try:
        counted, known, found, _ = both(records, 10, k, 2 * k + more)
    finally:
        splits.MOST_PROFILES = was
    assert counted == known
    assert [block.size for block in found] == [len(rows) for rows, _ in known]


def test_a_chain_of_splits_takes_few_rounds():
    """Forty terms, one in each record: the rest of the rest of the rest, and only three passes."""
    records = [{term} for term in range(40) for _ in range(40 - term + 5)]
    counted, known, _, counting = both(records, 40, 5, 10)
    assert counted == known
    assert len(known) > 30
    assert counting.rounds <= 4


def test_an_item_in_every_record_is_no_split_for_ever():
    records = [{0, 1 + number % 3} for number in range(30)]
    counted, known, _, _ = both(records, 4, 2, 12)
    assert counted == known
    assert all(0 in spent for _, spent in known)


@pytest.mark.parametrize("size", [1, 5])
def test_equal_records_cannot_be_split(size):
    counted, known, _, _ = both([set(range(size))] * 30, size, 2, 10)
    assert counted == known
    assert len(known) == 1
