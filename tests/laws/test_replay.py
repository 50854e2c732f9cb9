"""What somebody learns who knows the method and everybody's quasi-identifiers, and makes the buckets again.

``replayed`` follows every way that lots may fall, for every order of the sensitive values. What is left to be learnt
is told in docs/decisions/0010 with the figures of the exhaustive test here.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replayed import WAYS, exposed, posteriors, published, random_tables, releases, table_of

from cloven.data.table import Attribute, Table
from cloven.kinds.tables.methods.slicing import Slicing
from tests.effort import tries

COLUMNS = (("age", "sex"), ("ill",))
DEALT = ([3, 4, 1, 2, 4, 0, 1, 0], [0, 1, 0, 0, 0, 1, 0, 1], [1, 0, 1, 0, 0, 1, 1, 0])
"""Were rows with the middle value dealt in the order of their sensitive values, six of these eight would be certain."""


@pytest.mark.parametrize("partition", ["relaxed", "adaptive", "stratified"])
def test_where_equal_rows_go_says_nothing_about_sensitive_values(partition):
    for chance, persons in posteriors(table_of(*DEALT), partition, k=2, l=2).values():
        assert chance > 0
        assert {each for person in persons for each in person[:2]} == {Fraction(1, 2)}


def test_a_split_that_is_not_made_tells_something_unless_it_is_replay_proof():
    tables = list(random_tables(4, 6, seed=3))
    assert max(exposed(table, "strict", k=2, l=2)[0] for table in tables) == 1
    assert [exposed(table, "replay-proof", k=2, l=2) for table in tables] == [(0, 0)] * 4


@pytest.mark.slow
def test_exhaustively_what_a_replay_tells():
    """Of ten tables of seven people and three illnesses: in how many somebody can exceed 1/2, and can be certain."""
    found = {}
    for partition in WAYS:
        chances = [exposed(table, partition, k=2, l=2) for table in random_tables(10, 7, seed=12)]
        found[partition] = tuple(sum(chance > 0 for chance in of) for of in zip(*chances, strict=True))
    assert found == {
        "strict": (4, 1),
        "relaxed": (6, 0),
        "stratified": (4, 2),
        "adaptive": (6, 5),
        "replay-proof": (0, 0),
    }


@pytest.mark.parametrize("partition", [name for name in WAYS if name != "strict"])
@pytest.mark.parametrize("table", [table_of(*DEALT), *random_tables(1, 9, seed=5)], ids=["eight", "nine"])
def test_lots_fall_as_they_are_replayed(table, partition):
    tries = 400
    method = Slicing(k=2, l=2, columns=COLUMNS, partition=partition, check="bucket")
    columns = method.columns_of(table)
    seen = Counter()
    for _ in range(tries):
        buckets = method.buckets_of(table, columns)
        seen[published(table, [np.flatnonzero(buckets == each) for each in range(buckets.max() + 1)])] += 1
    expected = releases(table, partition, k=2, l=2)
    assert seen.keys() <= expected.keys()
    for release, chance in expected.items():
        spread = (tries * float(chance * (1 - chance))) ** 0.5
        assert abs(seen[release] - tries * float(chance)) <= 6 * spread + 2


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 1)), min_size=16, max_size=40),
    st.integers(0, 99),
    st.randoms(use_true_random=False),
)
@settings(max_examples=tries(40))
def test_replay_proof_cuts_are_the_same_whoever_of_a_bucket_has_which_value(known, seed, random):
    """With two sensitive columns nothing is dealt, so with the same lots the buckets are the very same."""
    secret = [[number % 6 for number in range(len(known))] for _ in range(2)]
    for values in secret:
        random.shuffle(values)
    attributes = (
        Attribute("age", "quasi-identifier", tuple("012345"), np.arange(6.0)),
        Attribute("sex", "quasi-identifier", ("f", "m")),
        Attribute("ill", "sensitive", tuple("uvwxyz")),
        Attribute("pay", "sensitive", tuple("abcdef")),
    )
    table = Table(attributes, np.column_stack([known, *secret]).astype(np.int32), np.arange(len(known)))
    method = Slicing(
        k=2, l=2, columns=(("age", "sex"), ("ill",), ("pay",)), partition="replay-proof", seed=seed
    )
    buckets = method.buckets_of(table, method.columns_of(table))
    assert buckets.any() or len(np.unique(known, axis=0)) == 1
    codes = table.codes.copy()
    for number in range(buckets.max() + 1):
        for place in (2, 3):
            inside = np.flatnonzero(buckets == number)
            codes[inside, place] = random.sample(codes[inside, place].tolist(), len(inside))
    other = Table(attributes, codes, table.source_rows)
    assert (method.buckets_of(other, method.columns_of(other)) == buckets).all()
