"""What is told of a known person, on releases small enough to compute by hand."""

from __future__ import annotations

import numpy as np
import pytest

import cloven as cv
from cloven.data.known_sets import Known, Told
from cloven.errors import ParameterError, ReleaseError
from cloven.kinds.disassociated.attack.known_person import KnownPerson
from cloven.kinds.disassociated.release import Disassociated, Kind


def two_clusters():
    """Four records that all hold flu, three that all hold gout, and a name in the first one's term chunk."""
    rows = [(0, Kind.RECORD, "flu")] * 4 + [(0, Kind.TERM, "ann"), *[(1, Kind.RECORD, "gout")] * 3]
    names = ("ann", "flu", "gout")
    return Disassociated(
        2,
        2,
        {},
        names,
        np.array([4, 3]),
        np.array([-1, -1]),
        np.empty(0, np.int64),
        np.array([cluster for cluster, _, _ in rows]),
        np.full(len(rows), -1),
        np.zeros(len(rows), np.int32),
        np.array([kind for _, kind, _ in rows], np.int8),
        np.arange(len(rows) + 1),
        np.array([names.index(name) for _, _, name in rows], np.int32),
    )


def test_a_name_in_a_term_chunk_tells_what_all_of_its_cluster_hold():
    person = KnownPerson.of(two_clusters())
    claims, known = person.claims(Known.from_sets([[0], [2], []])), Known.from_sets([[0], [2], []])
    assert claims.of(0) == {1: 1.0}
    assert claims.of(1) == {}
    assert claims.of(2) == {1: pytest.approx(4 / 7), 2: pytest.approx(3 / 7)}
    assert (claims.best.tolist(), claims.expected[1]) == ([1, -1, 1], 3)
    assert [person.certain(known).of(number) for number in range(3)] == [[1], [], []]


def test_items_that_cannot_meet_tell_nothing():
    claims = KnownPerson.of(two_clusters()).claims(Known.from_sets([[0, 2]]))
    assert (claims.of(0), claims.expected[0], claims.best[0]) == ({}, 0, -1)


def test_only_eligible_items_are_claimed():
    person, only = KnownPerson.of(two_clusters()), np.array([True, False, True])
    assert person.claims(Known.from_sets([[0]]), only).of(0) == {}
    assert person.certain(Known.from_sets([[0]]), only).of(0) == []


def test_where_rows_may_lack_items_only_full_items_are_certain():
    data = cv.Transactions.from_records([["a", "b"]] * 5 + [["c"]] * 5)
    release = cv.Disassociation(k=5, m=2, max_cluster_size=None).anonymise(data).release
    code = release.vocabulary.index("a")
    assert KnownPerson.of(release).certain(Known.from_sets([[code]])).of(0) == [1]
    lossy = Disassociated(
        release.k,
        release.m,
        {"supports": "lower bounds"},
        release.vocabulary,
        *(getattr(release, name) for name in release.ARRAYS),
    )
    found = KnownPerson.of(lossy).certain(Known.from_sets([[code]])).of(0)
    assert found in ([], [1])
    assert (found == [1]) == (release.clusters == 2)


def test_equal_sets_get_equal_answers_in_the_order_asked():
    person = KnownPerson.of(two_clusters())
    claims = person.claims(Known.from_sets([[2], [0], [0], [2]]))
    assert [claims.of(number) for number in range(4)] == [{}, {1: 1.0}, {1: 1.0}, {}]


def test_what_cannot_be_asked():
    with pytest.raises(ReleaseError, match="published"):
        KnownPerson.of("release")
    person = KnownPerson.of(two_clusters())
    with pytest.raises(ParameterError, match="published"):
        person.claims(Known.from_sets([[3]]))
    with pytest.raises(ParameterError, match="floor"):
        person.claims(Known.from_sets([[0]]), floor=0.0)
    with pytest.raises(ParameterError, match="eligible"):
        person.claims(Known.from_sets([[0]]), np.ones(2, bool))
    with pytest.raises(ParameterError, match="twice"):
        person.claims(Known.from_arrays(np.array([0, 2]), np.array([1, 1])))
    with pytest.raises(ParameterError, match="at most"):
        KnownPerson.of(two_clusters()).claims(Known.from_arrays(np.array([0, 9]), np.array([0, 1, 2] * 3)))


def test_the_best_of_all_that_is_told_is_the_first_of_the_likeliest_that_count():
    told = Told(
        np.array([0, 3, 3, 5]),
        np.array([1, 4, 6, 0, 4]),
        np.array([0.5, 0.9, 0.9, 0.1, 0.3]),
        np.array([7.0, 0.0, 2.0]),
    )
    every = told.claims(np.array([2, 0, 1]), None, 0.2, best=True)
    assert (every.best.tolist(), every.best_probability.tolist()) == ([4, 4, -1], [0.3, 0.9, 0.0])
    assert ([every.of(number) for number in range(3)], every.expected.tolist()) == (
        [{4: 0.3}, {1: 0.5, 4: 0.9, 6: 0.9}, {}],
        [2.0, 7.0, 0.0],
    )
    eligible = np.array([True, True, False, False, False, False, False])
    likely = told.claims(np.array([0, 2]), eligible, 0.4, best=True)
    assert (likely.best.tolist(), [likely.of(0), likely.of(1)]) == ([1, 0], [{1: 0.5}, {}])
    assert told.claims(np.array([0, 2]), eligible, 0.4, best=False).best.tolist() == [1, -1]
