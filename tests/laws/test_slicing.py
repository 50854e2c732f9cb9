"""Laws of slicing and of the upper/lower-level method, against brute force in exact fractions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise
from typing import get_args

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cloven.data.table import Attribute, Table, ValueTree
from cloven.errors import ParameterError
from cloven.kinds.tables.methods.columns import binned
from cloven.kinds.tables.methods.lots import lots_of
from cloven.kinds.tables.methods.slicing import Partition, Slicing
from cloven.kinds.tables.methods.slicing_kernel import Round, axes, axes_by_width, divide
from cloven.kinds.tables.methods.swaps import compile_rules, with_trees
from cloven.kinds.tables.methods.ul import UL
from tests.laws.plain_chances import sensitive_chances

TREE = ValueTree((*"abcd", "ab", "cd", "*"), np.array([4, 4, 5, 5, 6, 6, 6], np.int32), 4)
COLUMNS = (
    (("age",), ("letter", "town"), ("ill",)),
    (("age", "letter", "town"), ("ill",)),
    (("age",), ("letter",), ("town",), ("ill",)),
    (("age", "town"), ("letter", "ill")),
)
ROW = st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 1), st.integers(0, 3))
TABLES = st.lists(ROW, min_size=4, max_size=26)


def table_of(rows):
    attributes = (
        Attribute("age", "quasi-identifier", tuple("012345"), np.arange(6.0)),
        Attribute("letter", "quasi-identifier", tuple("abcd"), None, TREE),
        Attribute("town", "quasi-identifier", ("x", "y")),
        Attribute("ill", "sensitive", ("cold", "flu", "gout", "none")),
    )
    codes = np.array(rows, np.int32).reshape(-1, 4)
    return Table(attributes, codes, np.arange(len(codes), dtype=np.int64))


def chances(person, buckets, columns):
    """p(t, s) by the formula. A bucket is a list of rows of cells; a cell is the set of values it may stand for."""
    weight, found = Fraction(0), Counter()
    for bucket in buckets:
        share = Fraction(1)
        for column in columns:
            known = [place for place in column if place != 3]
            fits = [row for row in bucket if all(person[place] in row[place] for place in known)]
            share *= Fraction(len(fits), len(bucket))
            if 3 in column:
                values = Counter(next(iter(row[3])) for row in fits)
        if share:
            weight += share
            for value, count in values.items():
                found[value] += share * Fraction(count, sum(values.values()))
    return {value: total / weight for value, total in found.items()} if weight else {}


def worst(table, bucket_of, columns):
    """The largest chance that anybody has to have some value."""
    buckets = plain_buckets(table, bucket_of)
    return max(
        max(chances(person, buckets, columns).values()) for person in {*map(tuple, table.codes.tolist())}
    )


def plain_buckets(table, bucket_of):
    return [
        [[{code} for code in row] for row in table.codes[bucket_of == number].tolist()]
        for number in range(int(bucket_of.max()) + 1)
    ]


def published_buckets(release):
    """Buckets of a release as rows of sets; parts are side by side as published, which row they share means nothing."""
    members = [
        [
            set(domain.members[a:b].tolist())
            for a, b in zip(domain.member_offsets, domain.member_offsets[1:], strict=False)
        ]
        for domain in release.domains
    ]
    rows = [[members[place][cell] for place, cell in enumerate(row)] for row in release.cells.tolist()]
    edges = release.bucket_offsets.tolist()
    return [rows[a:b] for a, b in pairwise(edges)]


@given(
    TABLES,
    st.sampled_from(COLUMNS),
    st.sampled_from(get_args(Partition)),
    st.sampled_from(("matching", "bucket")),
    st.integers(2, 4),
    st.integers(2, 3),
)
def test_slicing_keeps_its_promise_or_makes_nothing(rows, columns, partition, check, k, l):
    table = table_of(rows)
    method = Slicing(k=k, l=l, columns=columns, partition=partition, check=check)
    cut = method.columns_of(table).all
    try:
        buckets = method.buckets_of(table, method.columns_of(table))
    except ParameterError:
        assert worst(table, np.zeros(len(table), np.int64), cut) > Fraction(1, l) or len(table) < k
        return
    assert np.bincount(buckets).min() >= k
    assert worst(table, buckets, cut) <= Fraction(1, l)
    if method.check == "bucket":
        for bucket in plain_buckets(table, buckets):
            for person in table.codes.tolist():
                assert max(chances(person, [bucket], cut).values(), default=0) <= Fraction(1, l)


def split_with_the_whole_formula(table, columns, k, l, seed):
    """The relaxed partition with every split checked anew over all buckets, with the lots of a seed."""
    ranks, secrets = axes(table, (3,)), lots_of(seed)(len(table))
    queue, finished = [np.arange(len(table))], []
    goes_left = np.zeros(len(table), np.bool_)
    done = 0
    while queue:
        rows = queue.pop(0)
        widest = axes_by_width(ranks, rows).tolist() if len(rows) >= 2 * k else []
        done += 1
        for attempt, axis in enumerate(widest, (done - 1) * len(ranks.rank)):
            divide(ranks.rank[axis], rows, False, Round(secrets, attempt), goes_left)
            halves = [rows[goes_left[rows]], rows[~goes_left[rows]]]
            if min(map(len, halves)) < k:
                continue
            bucket_of = np.empty(len(table), np.int64)
            for number, found in enumerate([*queue, *finished, *halves]):
                bucket_of[found] = number
            if sensitive_chances(table, bucket_of, columns).max() <= 1 / l + 1e-12:
                queue += halves
                break
        else:
            finished.append(rows)
    return sorted(tuple(found.tolist()) for found in finished)


@pytest.mark.parametrize("seed", range(4))
def test_the_running_check_decides_like_the_whole_formula(seed):
    rng = np.random.default_rng(seed)
    known = np.column_stack([rng.integers(3, size=160), rng.integers(4, size=160), rng.integers(2, size=160)])
    ill = np.where(rng.random(160) < 0.5, known[:, 1], rng.integers(4, size=160))  # goes with the letter
    table = table_of(np.column_stack([known, ill]))
    method = Slicing(k=3, l=2, columns=COLUMNS[2 * (seed % 2)], partition="relaxed", seed=seed)
    columns = method.columns_of(table)
    buckets = method.buckets_of(table, columns)
    made = sorted(tuple(np.flatnonzero(buckets == number).tolist()) for number in range(buckets.max() + 1))
    assert made == split_with_the_whole_formula(table, columns.all, 3, 2, seed)
    alone = Slicing(k=3, l=2, columns=method.columns, partition="relaxed", check="bucket", seed=seed)
    assert buckets.max() > alone.buckets_of(table, columns).max()  # several buckets match, and that counts


@given(TABLES, st.sampled_from(COLUMNS), st.randoms(use_true_random=False))
def test_chances_are_those_of_the_formula(rows, columns, random):
    table = table_of(rows)
    cut = Slicing(columns=columns).columns_of(table).all
    groups = np.unique([random.randrange(3) for _ in rows], return_inverse=True)[1]
    found = sensitive_chances(table, groups, cut)
    buckets, values = plain_buckets(table, groups), np.unique(table.codes[:, 3]).tolist()
    for number, person in enumerate(table.codes.tolist()):
        right = chances(person, buckets, cut)
        assert found[number] == pytest.approx([float(right.get(value, 0)) for value in values])


@given(TABLES, st.sampled_from(COLUMNS), st.randoms(use_true_random=False))
def test_slicing_publishes_what_each_bucket_holds_and_no_order(rows, columns, random):
    table = table_of(rows)
    method = Slicing(k=2, l=2, columns=columns, partition="strict")  # the others draw lots
    try:
        release = method.anonymise(table).release
    except ParameterError:
        assume(False)
    for place, domain in enumerate(release.domains):
        shown = Counter(domain.labels[cell] for cell in release.cells[:, place])
        assert shown == Counter(table.attributes[place].values[code] for code in table.codes[:, place])
    mixed = list(rows)
    random.shuffle(mixed)
    again = method.anonymise(table_of(mixed)).release
    assert (again.cells == release.cells).all()
    assert (again.bucket_offsets == release.bucket_offsets).all()


def protected(table, method):
    """What the method makes of a table, before it is put in order."""
    columns = method.columns_of(table)
    table = with_trees(table, method.bins, method.bins_by)
    buckets, looks = method.buckets_of(table, columns), method._looks(table, columns)
    rules = compile_rules(table, method.rules)
    return table, looks, method._protect(table, buckets, looks, rules, lots_of(method.seed))


RULES = ((), ({"letter": ["a", "c"], "town": ["x"]},))
METHODS = st.builds(
    UL,
    k=st.integers(2, 4),
    l=st.just(2),
    swap_rate=st.sampled_from((0.1, 0.3, 0.5)),
    columns=st.sampled_from(COLUMNS[:3]),
    protected=st.sampled_from((("age", "letter", "town"), ("letter",), None)),
    rules=st.sampled_from(RULES),
    seed=st.integers(0, 99),
)


@given(TABLES, METHODS)
def test_exchanges_keep_marginals_rank_groups_and_combinations(rows, method):
    table = table_of(rows)
    try:
        described, _, found = protected(table, method)
    except ParameterError:
        assume(False)
    for place, attribute in enumerate(described.attributes):
        before, after = table.codes[:, place], found.codes[:, place]
        assert Counter(before.tolist()) == Counter(after.tolist())
        moved = found.changed[:, place]
        assert (moved == (before != after)).all()
        assert (attribute.tree.parent[before] == attribute.tree.parent[after]).all()
    assert not found.changed[:, 3].any()
    coarse_of = [
        dict(zip(*pair, strict=True))
        for pair in zip(table.codes.T.tolist(), binned(table, 10).T.tolist(), strict=True)
    ]
    held = [[[coarse[code] for code, coarse in zip(row, coarse_of, strict=True)] for row in codes.tolist()]
            for codes in (table.codes, found.codes)]  # fmt: skip
    for one, two in combinations(range(4), 2):
        before, after = ({(row[one], row[two]) for row in codes} for codes in held)
        assert after <= before
    if method.rules:
        broken = (np.isin(found.codes[:, 1], (0, 2)) & (found.codes[:, 2] == 0)) & found.changed.any(axis=1)
        assert not (broken & ~(np.isin(table.codes[:, 1], (0, 2)) & (table.codes[:, 2] == 0))).any()


@given(TABLES, METHODS)
def test_every_generalised_cell_is_shown_by_k_rows_of_its_class(rows, method):
    table = table_of(rows)
    try:
        described, looks, found = protected(table, method)
    except ParameterError:
        assume(False)
    for look, level in zip(looks, method._levels(described, looks), strict=True):
        selected = level.rows(method.swap_rate)  # none of them is left as it was
        assert (found.changed[selected, look.attribute] | (found.nodes[selected, look.attribute] >= 0)).all()
        covers = described.attributes[look.attribute].tree
        nodes, values = found.nodes[:, look.attribute], found.codes[:, look.attribute]
        within = np.zeros(len(table)) if look.within is None else found.codes[:, look.within]
        for row in np.flatnonzero(nodes >= 0).tolist():
            assert nodes[row] in covers.path(int(values[row]))[1:]
            same = (within == within[row]) & (nodes == nodes[row])
            assert same.sum() >= min(method.k, (within == within[row]).sum())


@given(TABLES, METHODS)
def test_the_release_is_l_diverse_for_everybody(rows, method):
    table = table_of(rows)
    try:
        release = method.anonymise(table).release
    except ParameterError:
        assume(False)
    buckets = published_buckets(release)
    assert min(map(len, buckets)) >= method.k
    for person in table.codes.tolist():
        assert max(chances(person, buckets, release.columns).values(), default=0) <= Fraction(1, method.l)
