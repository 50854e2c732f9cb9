"""Composition attack against brute force over every row, bucket and value of small tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_tables import chances, people, releases, row, table_of, tables

from cloven.kinds.tables.attack.values import AttributeDisclosure, Composition, Membership
from cloven.kinds.tables.guesses import Found, Known
from tests.effort import tries

VALUES = ("cold", "flu", "gout")


def dense(found):
    return [float(found.get(value, 0)) for value in VALUES]


@settings(max_examples=tries(150), deadline=None)
@given(st.data(), tables(), st.sampled_from(("share", "rows")), st.booleans())
def test_chances_are_those_of_the_paper(data, table, weight, partly):
    release = data.draw(releases(table))
    names = ("age", "town") if partly else None
    known = Known.of(table, names=names)
    guesses = AttributeDisclosure(weight=weight).guess(release, known)
    for number, person in enumerate(people(table)):
        seen = {name: person[name] for name in known.names}
        found, matching = chances(release, seen, "illness", weight)
        assert matching == guesses.matched[number, 0] > 0
        assert guesses.confidence[number] == pytest.approx(dense(found))
        assert [VALUES[v] for v in np.flatnonzero(guesses.candidate[number])] == sorted(found)


@settings(max_examples=tries(100), deadline=None)
@given(st.data(), tables(), tables(), st.lists(row, min_size=1, max_size=4))
def test_candidates_are_the_intersection(data, first, second, shared):
    """Two tables that share some people, each anonymised for itself."""
    one = table_of(np.vstack([first.codes, shared]))
    two = table_of(np.vstack([second.codes, shared]))
    published = [data.draw(releases(table)) for table in (one, two)]
    targets = table_of(shared)
    guesses = Composition().guess(published, Known.of(targets))
    for number, person in enumerate(people(targets)):
        found = [chances(release, person, "illness", "rows")[0] for release in published]
        left = set(found[0]) & set(found[1])
        assert set(guesses.candidates(number)) == left
        # Nothing was exchanged, so the truth is possible everywhere.
        assert table_of(shared).row(number)[3] in left
        assert guesses.found[number] == Found.EVERYWHERE
        if guesses.notes["releases"] == 1:  # both came out the same: one witness, not two
            continue
        belief = {s: float(found[0][s] * found[1][s]) / guesses.prior[VALUES.index(s)] for s in left}
        for value, how in guesses.candidates(number).items():
            assert how == pytest.approx(belief[value] / sum(belief.values()))


@settings(max_examples=tries(60), deadline=None)
@given(st.data(), tables())
def test_a_release_given_twice_says_no_more_than_once(data, table):
    release, known = data.draw(releases(table)), Known.of(table)
    once = AttributeDisclosure().guess(release, known)
    twice = Composition().guess([release, release], known)
    assert np.array_equal(once.candidate, twice.candidate)
    assert np.allclose(once.confidence, twice.confidence)


@settings(max_examples=tries(60), deadline=None)
@given(st.data(), tables())
def test_a_further_release_never_adds_a_candidate(data, table):
    published = [data.draw(releases(table)) for _ in range(3)]
    known = Known.of(table)
    two, three = (Composition().guess(published[:many], known) for many in (2, 3))
    assert not (three.candidate & ~two.candidate).any()
    assert np.allclose(three.confidence.sum(axis=1), 1)


@settings(max_examples=tries(60), deadline=None)
@given(st.data(), tables())
def test_knowing_more_of_a_person_never_adds_a_candidate(data, table):
    release = data.draw(releases(table))
    more = AttributeDisclosure().guess(release, Known.of(table))
    less = AttributeDisclosure().guess(release, Known.of(table, names=("age",)))
    assert (more.matched <= less.matched).all()
    assert not (more.candidate & ~less.candidate).any()


@settings(max_examples=tries(60), deadline=None)
@given(st.data(), tables())
def test_everybody_who_is_there_is_found(data, table):
    release = data.draw(releases(table))
    guesses = Membership().guess(release, Known.of(table))
    assert (guesses.matched > 0).all()
    assert ((guesses.confidence > 0) & (guesses.confidence <= 1)).all()
    # Every row of the release stands for somebody: over all combinations the expected rows are the rows.
    grid = table_of([(a, l, t, 0) for a in range(6) for l in range(4) for t in range(2)])
    everybody = Membership().guess(release, Known.of(grid))
    assert everybody.rows.sum() == pytest.approx(len(table))
