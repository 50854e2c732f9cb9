"""Data sets drawn from set-generalised releases: they agree with the release, and have as many items as it tells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cloven as cv
from cloven.kinds.generalised.attack.elimination import expected_originals
from cloven.kinds.generalised.methods.assembly import assemble
from cloven.kinds.generalised.reconstruction import certain_records
from tests.effort import tries


def release_of(records, draw=None):
    data = cv.Transactions.from_records(records)
    blocks = np.array([draw(item) if draw else 0 for item in data.vocabulary], np.int64)
    return data, assemble(data, blocks, k=2, parameters={"method": "coat"}).release


@settings(max_examples=tries(50), deadline=None)
@given(
    st.lists(st.sets(st.sampled_from("abcdefgh"), min_size=1), min_size=1, max_size=12),
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3)),
    st.integers(0, 2**32),
)
def test_a_data_set_shows_exactly_the_blocks_of_the_release(records, blocks, seed):
    _, release = release_of([sorted(record) for record in records], lambda item: blocks.get(item, 4))
    world = cv.reconstruct(release, np.random.default_rng(seed))
    shown = [row for row in release if row]
    assert (len(world), world.empty_records) == (len(shown), release.records - len(shown))
    for record, row in zip(world, shown, strict=True):
        assert record <= {item for block in row for item in block}
        assert all(record & set(block) for block in row)


@pytest.mark.parametrize(("holders", "records"), [(800, 40_000), (2000, 4000), (4000, 4000)])
def test_blocks_stand_for_as_many_items_as_the_release_tells(holders, records):
    _, release = release_of([["a"], ["b"], ["c"], ["d"]] * (holders // 4) + [["other"]] * (records - holders),
                            lambda item: 1 if item == "other" else 0)  # fmt: skip
    world = cv.reconstruct(release, np.random.default_rng(1))
    drawn = world.supports[[world.vocabulary.index(item) for item in "abcd"]]
    expected = expected_originals(4, holders, records)
    assert drawn.sum() / holders == pytest.approx(expected, rel=0.1)
    # Every item is drawn as often as any other.
    assert drawn.min() > 0.5 * drawn.max()


def test_lots_decide_and_a_seed_repeats_them():
    release = cv.Coat(k=5, m=2).anonymise(cv.sample("clinic")).release
    one, two, other = (cv.reconstruct(release, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert one == two != other


def test_what_is_certain_are_the_blocks_of_one_item():
    data, release = release_of([["a", "x"], ["b"], ["x"]], lambda item: 1 if item == "x" else 0)
    certain = certain_records(release)
    assert sorted(map(sorted, certain)) == [["x"], ["x"]]
    assert certain.empty_records == 1
    assert len(data) == 3
