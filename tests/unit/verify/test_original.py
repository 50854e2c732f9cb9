"""Release against original: items lost, invented or moved."""

from __future__ import annotations

import pytest

from cloven.verification import verify

from .keys import group, join, publish, transactions
from .releases import build, changed_arrays, cluster, failed, rows, with_rows

DATA = ["abx", "ab", "abs", "as", "cst", "ct", "c", "cdt", "e", "ey", "ez"]
PLANS = [
    lambda: join(["s", "t"], [group([0, 1, 2, 3], ["ab"], "x"), group([4, 5, 6, 7], ["c"], "d")]),
    lambda: group([8, 9, 10], ["e"], "yz"),
]


def published(**options):
    return publish(DATA, [plan() for plan in PLANS], **options)


def original(data=DATA):
    return transactions(data)


def detail(verdict, name):
    return next(check.detail for check in verdict.checks if check.name == name)


def test_release_of_these_data_passes():
    verdict = verify(published().release, original=original())
    assert failed(verdict) == []
    assert verdict.level == "original"
    assert {"number of records", "items kept", "supports"} == {
        check.name for check in verdict.checks if check.level == "original"
    }


def test_item_invented():
    verdict = verify(published().release, original=original([*DATA[:-1], "e"]))
    assert failed(verdict) == ["items kept", "supports"]
    assert "published but not in the original: {'z'}" in detail(verdict, "items kept")


def test_record_lost_and_record_invented():
    assert failed(verify(published().release, original=original([*DATA, "y"]))) == ["number of records"]
    assert "number of records" in failed(verify(published().release, original=original(DATA[1:])))


def test_item_moved_to_another_chunk():
    """One c of a record chunk becomes one more a: c is short, a is in excess."""
    release = published().release
    changed = rows(release)
    a, c = release.vocabulary.index("a"), release.vocabulary.index("c")
    at = next(at for at, row in enumerate(changed) if row[4] == (c,))
    changed[at] = (*changed[at][:4], (a,))
    verdict = verify(with_rows(release, changed), original=original())
    assert "supports" in failed(verdict)
    assert "2 such faults" in detail(verdict, "supports")


@pytest.mark.parametrize(("support", "expected"), [(0, False), (1, True), (5, True), (6, False)])
def test_term_chunk_bounds_the_support(support, expected):
    """Item t is listed by one term chunk of 5 records, and shown nowhere."""
    release = build([cluster(5, [["a"] * 5], "t"), cluster(4, [["b"] * 4])])
    data = ["at" if at < support else "a" for at in range(5)] + ["bt" if support > 5 else "b", "b", "b", "b"]
    verdict = verify(release, original=original(data))
    assert ("supports" not in failed(verdict)) is expected


@pytest.mark.parametrize("mark", [{"small_clusters": "suppress"}, {"min_item_support": 2}, {"suppressed": 3}])
def test_suppression_relaxes_to_at_most(mark):
    release = published().release
    more = [*DATA, "aqq", "z"]
    assert failed(verify(release, original=original(more))) == ["number of records", "items kept", "supports"]
    verdict = verify(changed_arrays(release, parameters=mark), original=original(more))
    assert failed(verdict) == []
    for name in ("number of records", "items kept", "supports"):
        assert "cannot be decided without the key" in detail(verdict, name)


@pytest.mark.parametrize(
    "parameters", [{"small_clusters": "add", "min_item_support": 1, "suppressed": False}, {}]
)
def test_nothing_suppressed_relaxes_nothing(parameters):
    release = changed_arrays(published().release, parameters=parameters)
    assert not verify(release, original=original([*DATA, "aqq"])).ok


def test_suppression_excuses_no_invention():
    release = changed_arrays(published().release, parameters={"small_clusters": "suppress"})
    assert failed(verify(release, original=original(["b", *DATA[1:]]))) == ["items kept", "supports"]
    assert "number of records" in failed(verify(release, original=original(DATA[:-1])))
