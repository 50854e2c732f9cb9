"""Blocks of large data against brute force: prefixes in one order of all items, packed while they fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloven.kinds.disassociated.methods.blocks import Walk, blocks

ITEMS = 9
NOBODY = np.empty(0, np.int64)


def rows_of(records):
    offsets = np.concatenate(([0], np.cumsum([len(record) for record in records]))).astype(np.int64)
    return offsets, np.array([item for record in records for item in sorted(record)], np.int32)


def found(records, k, most, barred=frozenset(), person=NOBODY):
    flags = np.isin(np.arange(ITEMS), sorted(barred))
    return [block.tolist() for block in blocks(*rows_of(records), flags, person, k, most)]


def plain(records, k, most, barred, person):
    """The same with lists: split a group by its next item as long as it is too large and anything is left."""
    support = {item: sum(item in record for record in records) for item in range(ITEMS)}
    order = sorted(
        (item for item in support if support[item] and item not in barred), key=lambda i: (-support[i], i)
    )
    paths = [[order.index(item) for item in order if item in record] for record in records]
    leaves = []

    def split(group, depth):
        going = [at for at in group if len(paths[at]) > depth]
        if depth and (len(group) <= most or not going):
            leaves.append(group)
            return
        for rank in range(len(order)):
            if here := [at for at in going if paths[at][depth] == rank]:
                split(here, depth + 1)
        if ended := [at for at in group if len(paths[at]) == depth]:
            leaves.append(ended)

    if len(records) <= most:
        return [list(range(len(records)))]
    split(range(len(records)), 0)
    out = []
    for leaf in leaves:
        if out and len(out[-1]) + len(leaf) <= most:
            out[-1] = out[-1] + leaf
        else:
            out.append(leaf)

    def small(block):
        return len({person[at] for at in block} if len(person) else block) < k

    at = 0
    while at + 1 < len(out):
        if small(out[at]):
            out[at : at + 2] = [out[at] + out[at + 1]]
        else:
            at += 1
    if len(out) > 1 and small(out[-1]):
        out[-2:] = [out[-2] + out[-1]]
    return [sorted(block) for block in out]


@st.composite
def cases(draw):
    records = draw(
        st.lists(st.sets(st.integers(0, ITEMS - 1), min_size=1, max_size=6), min_size=4, max_size=80)
    )
    k = draw(st.integers(2, 4))
    persons = draw(
        st.one_of(st.none(), st.lists(st.integers(0, 20), min_size=len(records), max_size=len(records)))
    )
    person = NOBODY if persons is None else np.array(persons, np.int64)
    return (
        records,
        k,
        2 * k + draw(st.integers(0, 20)),
        draw(st.frozensets(st.integers(0, ITEMS - 1))),
        person,
    )


@given(cases())
def test_blocks_are_those_of_brute_force(case):
    assert found(*case) == plain(*case)


@given(cases(), st.randoms(use_true_random=False))
def test_blocks_follow_content_alone(case, lots):
    """Whatever the order of the input."""
    records, k, most, barred, person = case
    order = list(range(len(records)))
    lots.shuffle(order)
    moved = person[order] if len(person) else person
    again = found([records[at] for at in order], k, most, barred, moved)
    assert [sorted(order[at] for at in block) for block in again] == found(*case)


def test_an_item_in_every_record_is_no_cut():
    assert found([{0, 1 + number % 3} for number in range(30)], 2, 12) == [
        list(range(first, 30, 3)) for first in range(3)
    ]


@pytest.mark.parametrize("size", [1, 5])
def test_equal_records_stay_together(size):
    assert found([set(range(size))] * 30, 2, 10) == [list(range(30))]


def test_nothing_is_cut_by_barred_items():
    records = [{0, 1 + number % 2, 3 + number % 5} for number in range(40)]
    assert found(records, 2, 20, barred={1, 2}) == plain(records, 2, 20, {1, 2}, NOBODY)
    assert found(records, 2, 20, barred=set(range(ITEMS))) == [list(range(40))]


def test_items_that_all_records_hold_cost_no_round(monkeypatch):
    """However many they are."""
    rounds = []
    going = Walk.next_steps
    monkeypatch.setattr(Walk, "next_steps", lambda *given: rounds.append(1) or going(*given))
    records = [{0, 1, 2, 3, 4, 5 + number % 4} for number in range(40)]
    assert len(found(records, 2, 10)) == 4
    assert len(rounds) == 1
