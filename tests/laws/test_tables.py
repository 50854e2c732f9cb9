"""Laws of tables: what Mondrian promises holds by brute force, nothing more could be cut, and only content matters."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from plain_classes import distinct, entropy, equal_distance, ordered_distance, recursive, strict_cuts

from cloven.data.table import Attribute, Table
from cloven.data.taxonomy import Taxonomy, tree_of
from cloven.errors import ParameterError
from cloven.kinds.tables.methods.assembly import generalised, sliced
from cloven.kinds.tables.methods.constraints import DistinctL, EntropyL, RecursiveL, TCloseness
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.verify.checker import verify_table

PLACES = ("Bonn", "Graz", "Köln", "Linz", "Wien")
TREE = tree_of(
    Taxonomy.from_rows(
        [
            ("Bonn", "DE", "*"),
            ("Graz", "AT", "*"),
            ("Köln", "DE", "*"),
            ("Linz", "AT", "*"),
            ("Wien", "AT", "*"),
        ]
    ),
    PLACES,
)
ATTRIBUTES = (
    Attribute("age", "quasi-identifier", ("20", "21", "30", "47"), np.array([20.0, 21.0, 30.0, 47.0])),
    Attribute("place", "quasi-identifier", PLACES, None, TREE),
    Attribute("sex", "quasi-identifier", ("f", "m", "x")),
    Attribute("illness", "sensitive", ("Flu", "Gout", "Mumps", "Ulcer")),
    Attribute("drug", "sensitive", ("A", "B", "C")),
)
WALK = {"Graz": 0, "Linz": 1, "Wien": 2, "Bonn": 3, "Köln": 4}


@st.composite
def tables(draw, least=6, most=60):
    seed, size = draw(st.integers(0, 2**32 - 1)), draw(st.integers(least, most))
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, len(attribute), size) for attribute in ATTRIBUTES]).astype(
        np.int32
    )
    if draw(st.booleans()):  # many alike
        codes[: size // 2, :3] = codes[0, :3]
    return Table(ATTRIBUTES, codes, rng.permutation(3 * size)[:size].astype(np.int64))


MODES = st.sampled_from(["strict", "relaxed"])
CONSTRAINTS = st.sampled_from(
    [
        (),
        (DistinctL(2),),
        (EntropyL(1.6),),
        (EntropyL(1.9),),  # two of three alike are 1.89
        (RecursiveL(2.0, 2, sensitive="illness"),),
        (TCloseness(0.35),),
        (TCloseness(0.3, "ordered", sensitive="illness"),),
        (DistinctL(3, sensitive="jointly"), TCloseness(0.6, sensitive="jointly")),
        (DistinctL(2, sensitive=("drug",)), EntropyL(1.5, sensitive="illness")),
    ]
)


def secret(table, constraint):
    """Values that a constraint speaks of, row by row."""
    names = [attribute.name for attribute in table.attributes]
    if constraint.sensitive == "each":
        return [[(code,) for code in table.codes[:, place].tolist()] for place in (3, 4)]
    chosen = (3, 4) if constraint.sensitive == "jointly" else None
    if chosen is None:
        listed = (constraint.sensitive,) if isinstance(constraint.sensitive, str) else constraint.sensitive
        chosen = tuple(names.index(name) for name in listed)
    return [[tuple(row) for row in table.codes[:, chosen].tolist()]]


def keeps(constraint, values, whole):
    if isinstance(constraint, DistinctL):
        return distinct(values, whole) >= constraint.l
    if isinstance(constraint, EntropyL):
        return entropy(values, whole) >= constraint.l - 1e-7
    if isinstance(constraint, RecursiveL):
        return recursive(values, constraint.c, constraint.l)
    distance = equal_distance if constraint.distance == "equal" else ordered_distance
    return distance(values, whole) <= constraint.t + 1e-7


def all_kept(table, rows, k, constraints):
    return len(rows) >= k and all(
        keeps(constraint, [values[row] for row in rows], values)
        for constraint in constraints
        for values in secret(table, constraint)
    )


def cut(table, k, constraints, mode):
    method = Mondrian(k=k, constraints=constraints, mode=mode)
    try:
        return method, method.classes(table)
    except ParameterError:
        assert not all_kept(table, range(len(table)), k, constraints)
        assume(False)


@given(tables(), st.integers(2, 6), CONSTRAINTS, MODES)
def test_every_class_keeps_to_everything(table, k, constraints, mode):
    method, classes = cut(table, k, constraints, mode)
    for number in range(classes.max() + 1):
        assert all_kept(table, np.flatnonzero(classes == number).tolist(), k, constraints)
    result = method.anonymise(table)
    verdict = verify_table(result.release, table, result.key)
    assert verdict.ok, str(verdict)


@given(tables(), st.integers(2, 6), CONSTRAINTS)
def test_no_allowable_cut_is_left(table, k, constraints):
    _, classes = cut(table, k, constraints, "strict")
    order = [[code, WALK[PLACES[place]], sex] for code, place, sex in table.codes[:, :3].tolist()]
    for number in range(classes.max() + 1):
        rows = np.flatnonzero(classes == number).tolist()
        for left, right in strict_cuts([(*order[row], row) for row in rows], 3):
            sides = [[row[3] for row in left], [row[3] for row in right]]
            assert not all(all_kept(table, side, k, constraints) for side in sides)


@given(tables(), st.integers(2, 6))
def test_relaxed_classes_that_differ_have_fewer_than_2k_rows(table, k):
    _, classes = cut(table, k, (), "relaxed")
    for number in range(classes.max() + 1):
        rows = table.codes[classes == number, :3]
        assert len(rows) < 2 * k or (rows == rows[0]).all()


def content(release):
    """All that is published, as plain values."""
    return [
        (
            domain.labels,
            [domain.members[a:b].tolist() for a, b in pairwise(domain.member_offsets)],
        )
        for domain in release.domains
    ], release.cells.tolist()


@given(tables(), st.integers(2, 6), CONSTRAINTS, st.randoms())
def test_order_of_rows_changes_no_strict_cut(table, k, constraints, random):
    method, _ = cut(table, k, constraints, "strict")
    order = list(range(len(table)))
    random.shuffle(order)
    other = method.anonymise(table.take(np.array(order)))
    assert content(other.release) == content(method.anonymise(table).release)


@given(tables(), st.integers(2, 6), MODES)
def test_new_names_in_the_same_order_change_no_class(table, k, mode):
    method = Mondrian(k=k, mode=mode, seed=1)
    assume(len(table) >= k)
    renamed = tuple(
        Attribute(a.name, a.role, tuple(f"{n}{v}" for n, v in enumerate(a.values)), a.numbers, a.tree)
        for a in table.attributes
    )
    other = Table(renamed, table.codes, table.source_rows)
    assert (method.classes(other) == method.classes(table)).all()


@given(tables(), st.integers(1, 8), st.booleans())
def test_generalised_classes_show_the_smallest_cover(table, groups, suppress):
    classes = np.arange(len(table)) % groups - int(suppress)
    assume((classes >= 0).any())
    result = generalised(table, classes.astype(np.int64), k=1, parameters={})
    row_of = {source: row for row, source in enumerate(table.source_rows.tolist())}
    assert sorted(result.key.suppressed) == sorted(table.source_rows[classes < 0])
    for cells, (person,) in zip(result.release.cells.tolist(), result.key.records.tolist(), strict=True):
        mine = table.codes[classes == classes[row_of[person]]]
        held = [
            set(domain.members[domain.member_offsets[cell] : domain.member_offsets[cell + 1]].tolist())
            for domain, cell in zip(result.release.domains, cells, strict=True)
        ]
        assert held[0] == set(range(mine[:, 0].min(), mine[:, 0].max() + 1))
        countries = {place in (0, 2) for place in mine[:, 1].tolist()}
        places = set(mine[:, 1].tolist())
        wanted = places if len(places) == 1 else {0, 2} if countries == {True} else {1, 3, 4}
        assert held[1] == (wanted if len(countries) == 1 else set(range(5)))
        assert held[2] == set(mine[:, 2].tolist())
        assert held[3:] == [{code} for code in table.codes[row_of[person], 3:].tolist()]


@given(tables(), st.integers(1, 6), st.randoms())
def test_slicing_keeps_columns_and_forgets_the_rest(table, buckets, random):
    bucket = np.array([random.randrange(buckets) for _ in range(len(table))], np.int64)
    columns = ((4, 0), (1, 2), (3,))
    result = sliced(table, bucket, columns, k=1, parameters={})
    assert result.release.columns == ((0, 4), (1, 2), (3,))
    verdict = verify_table(result.release, table, result.key)
    assert verdict.ok, str(verdict)
    for column in result.release.columns:
        shown = [
            tuple(result.release.domains[place].labels[row[place]] for place in column)
            for row in result.release.cells.tolist()
        ]
        assert sorted(shown) == sorted(
            tuple(table.row(row)[place] for place in column) for row in range(len(table))
        )
    order = list(range(len(table)))
    random.shuffle(order)
    again = sliced(table.take(np.array(order)), 7 * bucket[order] + 3, columns[::-1], k=1, parameters={})
    assert content(again.release) == content(result.release)
    assert again.release.bucket_offsets.tolist() == result.release.bucket_offsets.tolist()


@pytest.mark.parametrize("mode", ["strict", "relaxed"])
def test_equal_rows_cannot_be_parted(mode):
    table = Table(ATTRIBUTES, np.zeros((30, 5), np.int32), np.arange(30))
    assert not Mondrian(k=2, mode=mode).classes(table).any()
