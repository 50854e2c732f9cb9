"""The reader who replays, against every table that gives the release; and the Mondrian that tells less."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from plain_replayed import BRANCHES, FLAT, PlainMondrian, chances, possible_tables, uncut_deals
from plain_tables import LETTERS, table_of, tables

from cloven.data.table import Attribute, Table, ValueTree
from cloven.errors import ParameterError
from cloven.kinds.tables.attack.replay import Crowd, Replayed
from cloven.kinds.tables.attack.values import AttributeDisclosure
from cloven.kinds.tables.cells import shown_release
from cloven.kinds.tables.guesses import Known
from cloven.kinds.tables.methods.anatomy import Anatomy
from cloven.kinds.tables.methods.constraints import DistinctL, EntropyL, RecursiveL, TCloseness
from cloven.kinds.tables.methods.mondrian import Mondrian
from tests.effort import tries

CONSTRAINTS = st.sampled_from(
    [
        DistinctL(2),
        DistinctL(3),
        EntropyL(1.6),
        RecursiveL(2.0, 2),
        TCloseness(0.35),
        TCloseness(0.3, "ordered"),
    ]
)
PARTITIONS = st.sampled_from(["adaptive", "replay-proof"])
SLOW = settings(max_examples=tries(120), deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def rng():
    return np.random.default_rng(3)


def made(table, constraint, partition, k=2, tree=BRANCHES):
    method = Mondrian(k=k, constraints=(constraint,), partition=partition)
    try:
        release = method.anonymise(table).release
    except ParameterError:
        assume(False)
    people = [tuple(row[:3]) for row in table.codes.tolist()]
    plain = PlainMondrian(people, k, {**constraint.parameters}, partition, tree)
    return method, shown_release(release), plain, table.codes[:, 3].tolist()


def flat(table):
    """Letters have no branches: all that are together show the same."""
    tree = ValueTree((*LETTERS, "*"), np.full(5, 4, np.int32), 4)
    age, letter, *rest = table.attributes
    return replace(table, attributes=(age, replace(letter, tree=tree), *rest))


def left_of(found, person):
    return {found.values[at] for at in np.flatnonzero(found.candidate[person])}


ILLS = ("cold", "flu", "gout")


@settings(max_examples=tries(300), deadline=None)
@given(tables(least=4, most=14), CONSTRAINTS, PARTITIONS, st.integers(2, 3))
def test_plain_mondrian_is_mondrian(table, constraint, partition, k):
    method, _, plain, ills = made(table, constraint, partition, k)
    classes = method.classes(table)
    found = {frozenset(np.flatnonzero(classes == number).tolist()) for number in range(classes.max() + 1)}
    assert found == {frozenset(part) for part in plain.classes(ills)}


FEW_LOOKS = st.tuples(st.integers(0, 1), st.integers(0, 3), st.just(0), st.integers(0, 1))


@SLOW
@given(tables(least=5, most=7), CONSTRAINTS, PARTITIONS, st.sampled_from([50_000, 1]))
def test_nothing_is_ruled_out_that_some_table_has(table, constraint, partition, most):
    never_ruled_out(table, constraint, partition, BRANCHES, most)


@settings(parent=SLOW, max_examples=tries(400))
@given(
    st.lists(FEW_LOOKS, min_size=6, max_size=9), st.sampled_from([DistinctL(2), TCloseness(0.3)]), PARTITIONS
)
def test_classes_that_may_be_two_rule_nothing_out(rows, constraint, partition):
    never_ruled_out(flat(table_of(rows)), constraint, partition, FLAT)


def never_ruled_out(table, constraint, partition, tree, most=50_000):
    _, release, plain, ills = made(table, constraint, partition, tree=tree)
    found = Replayed(most=most, draws=40).guess(release, Crowd.of(table), Known.of(table), rng=rng())
    worlds = possible_tables(plain, ills)
    assert tuple(ills) in worlds
    for person, ill in enumerate(ills):
        truly = {ILLS[value] for value in chances(worlds, person)}
        left = left_of(found, person)
        assert truly <= left
        if len(left) == 1:
            assert left == truly == {ILLS[ill]}
    assert found.confidence.sum(axis=1) == pytest.approx(1.0)


@SLOW
@given(tables(least=5, most=7), CONSTRAINTS)
def test_of_replay_proof_classes_the_reader_knows_all_that_tables_tell(table, constraint):
    """Where everybody's class is known, chances and candidates are those over all tables."""
    _, release, plain, ills = made(table, constraint, "replay-proof")
    found = Replayed().guess(release, Crowd.of(table), Known.of(table), rng=rng())
    assume(not found.notes["unplaced"] and not found.notes["alike"])
    worlds = possible_tables(plain, ills)
    for person in range(len(ills)):
        truth = alike_mean(plain.people, person, lambda other: chances(worlds, other))
        mine = {at: p for at, p in enumerate(found.confidence[person].tolist()) if p > 0}
        assert {found.values[at]: p for at, p in mine.items()} == pytest.approx(
            {ILLS[at]: p for at, p in truth.items()}
        )
        assert left_of(found, person) == {ILLS[at] for at in truth}


@SLOW
@given(tables(least=6, most=9), CONSTRAINTS, PARTITIONS)
def test_worlds_of_a_class_are_those_that_no_cut_was_possible_in(table, constraint, partition):
    _, release, plain, ills = made(table, constraint, partition)
    found = Replayed().guess(release, Crowd.of(table), Known.of(table), rng=rng())
    assume(not found.notes["unplaced"] and not found.notes["alike"])
    for part in plain.classes(ills):
        worlds = uncut_deals(plain, part, ills)
        for person in part:
            truth = chances(worlds, person)
            for at, value in enumerate(found.values):
                assert found.confidence[person, at] == pytest.approx(truth.get(ILLS.index(value), 0.0))


def alike_mean(people, person, of):
    """People who look alike cannot be told apart, and have the same chances anyhow."""
    assert all(
        of(other) == pytest.approx(of(person)) for other, look in enumerate(people) if look == people[person]
    )
    return of(person)


@SLOW
@given(tables(least=8, most=12), CONSTRAINTS, PARTITIONS, st.integers(0, 9))
def test_where_lots_decide_nothing_true_is_ruled_out(table, constraint, partition, seed):
    method = Mondrian(k=2, constraints=(constraint,), mode="relaxed", seed=seed, partition=partition)
    try:
        release = shown_release(method.anonymise(table).release)
    except ParameterError:
        assume(False)
    found = Replayed().guess(release, Crowd.of(table), Known.of(table), rng=rng())
    for person, ill in enumerate(table.codes[:, 3].tolist()):
        assert ILLS[ill] in left_of(found, person)


def five(*ills):
    """Five people of different age."""
    attributes = (
        Attribute("age", "quasi-identifier", tuple("12345"), np.arange(1.0, 6.0)),
        Attribute("illness", "sensitive", ("flu", "gout")),
    )
    codes = np.column_stack([np.arange(5), [("flu", "gout").index(ill) for ill in ills]]).astype(np.int32)
    return Table(attributes, codes, np.arange(5))


GOUT_AT_ONE_END = five("gout", "gout", "flu", "flu", "flu")


def test_golden_the_one_in_the_middle_has_the_flu():
    """By hand: 2|3 and 3|2 were refused, so both with gout are at one end; of ten worlds two are left."""
    release = Mondrian(k=2, l=2).anonymise(GOUT_AT_ONE_END).release
    assert len({tuple(row) for row in release.cells[:, :1].tolist()}) == 1
    known = Known.of(GOUT_AT_ONE_END)
    before = AttributeDisclosure().guess(release, known)
    assert before.confidence[:, 0] == pytest.approx(0.6)
    found = Replayed().guess(release, Crowd.of(GOUT_AT_ONE_END), known, rng=rng())
    assert found.confidence[:, 0] == pytest.approx([0.5, 0.5, 1.0, 0.5, 0.5])
    assert found.candidates(2) == {"flu": 1.0}
    assert (found.candidate.sum(axis=1) == [2, 2, 1, 2, 2]).all()
    assert found.notes["ruled_out"] == 1


def test_golden_replay_proof_nobody_is_certain():
    """By hand: 2|3 was taken back, so the first two have the same: gout in one of four worlds, flu in three."""
    release = Mondrian(k=2, l=2, partition="replay-proof").anonymise(GOUT_AT_ONE_END).release
    found = Replayed().guess(release, Crowd.of(GOUT_AT_ONE_END), Known.of(GOUT_AT_ONE_END), rng=rng())
    assert found.confidence[:, 1] == pytest.approx([1 / 4, 1 / 4, 1 / 2, 1 / 2, 1 / 2])
    assert found.candidate.all()


def test_golden_two_classes_that_look_alike_are_not_taken_for_one():
    """By hand: a and b, and c and d, are classes that both show *; that they were cut must not be ruled out."""
    table = flat(table_of([(0, letter, 0, letter % 2) for letter in (0, 0, 1, 1, 2, 2, 3, 3)]))
    method = Mondrian(k=2, l=2)
    assert len(set(method.classes(table).tolist())) == 2
    release = method.anonymise(table).release
    assert len({tuple(row) for row in release.cells[:, :3].tolist()}) == 1
    found = Replayed().guess(release, Crowd.of(table), Known.of(table), rng=rng())
    assert found.notes["alike"] == 1
    assert found.confidence[:, :2] == pytest.approx(0.5)


def test_a_class_that_could_never_be_cut_tells_nothing():
    table = five("flu", "flu", "gout", "flu", "flu")
    release = Mondrian(k=2, l=2).anonymise(table).release
    found = Replayed().guess(release, Crowd.of(table), Known.of(table), rng=rng())
    assert found.confidence[:, 1] == pytest.approx(0.2)
    assert found.notes["ruled_out"] == 0


def test_people_who_are_away_get_what_the_class_shows():
    release = Mondrian(k=2, l=2).anonymise(GOUT_AT_ONE_END).release
    away = np.array([False, False, True, False, False])
    found = Replayed().guess(release, Crowd.of(GOUT_AT_ONE_END), Known.of(GOUT_AT_ONE_END), away, rng=rng())
    assert found.confidence[2] == pytest.approx([0.6, 0.4])
    assert found.candidate[2].all()


def large(rows, seed, rare):
    """Many people of whom two things are known; a rare illness goes with age, so that many cuts are refused."""
    draw = np.random.default_rng(seed)
    attributes = (
        Attribute("age", "quasi-identifier", tuple(f"{n:02}" for n in range(60)), np.arange(60.0)),
        Attribute("size", "quasi-identifier", tuple(f"{n:02}" for n in range(40)), np.arange(40.0)),
        Attribute("illness", "sensitive", ("cold", "flu", "gout", "mumps")),
    )
    age = draw.integers(60, size=rows)
    ill = np.where(draw.random(rows) < rare * age / 30, draw.integers(1, 4, size=rows), 0)
    codes = np.column_stack([age, draw.integers(40, size=rows), ill]).astype(np.int32)
    return Table(attributes, codes, np.arange(rows))


@pytest.mark.parametrize("constraint", [DistinctL(2), DistinctL(3), EntropyL(1.5), TCloseness(0.15)])
def test_at_size_all_that_is_certain_is_right_and_sampling_agrees_with_looking_at_all(constraint):
    table = large(1_500, 5, 0.15)
    release = shown_release(Mondrian(k=4, constraints=(constraint,)).anonymise(table).release)
    known, truth = Known.of(table), table.codes[:, 2]
    whole, drawn = (
        Replayed(most=most, draws=draws).guess(release, Crowd.of(table), known, rng=rng())
        for most, draws in ((50_000, 1_000), (300, 4_000))
    )
    for found in (whole, drawn):
        at = np.array(
            [found.values.index(each) if each in found.values else -1 for each in table.attributes[2].values]
        )
        assert found.candidate[np.arange(len(truth)), at[truth]].all()
        assert ((found.confidence > 1e-12) <= found.candidate).all()
    assert (whole.candidate <= drawn.candidate).all()  # what is not looked at is not ruled out
    assert drawn.notes["sampled"] >= max(1, whole.notes["sampled"])
    assert np.abs(whole.confidence - drawn.confidence).mean() < 0.02


@pytest.mark.parametrize(
    ("release", "words"),
    [
        (
            lambda: Anatomy(l=2, seed=1).anonymise(table_of([(1, 0, 0, n % 2) for n in range(8)])),
            "only Mondrian",
        ),
        (lambda: Mondrian(k=2).anonymise(GOUT_AT_ONE_END), "promises neither l nor t"),
        (lambda: Mondrian(k=2, l=2).anonymise(GOUT_AT_ONE_END), "5 rows, and 3 persons are known"),
    ],
)
def test_what_cannot_be_replayed_is_refused(release, words):
    crowd = Crowd.of(GOUT_AT_ONE_END, np.arange(3))
    with pytest.raises(ParameterError, match=words):
        Replayed("illness").guess(release().release, crowd, Known.of(GOUT_AT_ONE_END), rng=rng())


@pytest.mark.parametrize("wrong", [{"draws": 0}, {"most": 0}])
def test_bad_parameters_are_refused(wrong):
    with pytest.raises(ParameterError, match="must be a whole number from 1"):
        Replayed(**wrong)


def test_a_partition_that_is_not_known_is_refused():
    with pytest.raises(ParameterError, match="partition must be one of adaptive, replay-proof, got 'lots'"):
        Mondrian(partition="lots")
