"""A release in parts tells of known persons, by every reader, what it tells when it is read whole."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cloven as cv
from cloven.data.known_sets import LEAST_BEST, Known
from cloven.kinds.disassociated.attack.known_person import readers as whole_readers
from cloven.kinds.disassociated.counts import expected
from cloven.kinds.disassociated.counts import told as bounded
from cloven.kinds.disassociated.covers.breaches import breaches
from cloven.kinds.disassociated.covers.covers import covers
from cloven.kinds.disassociated.likely import Tails, spread
from cloven.kinds.disassociated.parts.counts import _sums, likely
from cloven.kinds.disassociated.parts.covers import covered
from cloven.kinds.disassociated.parts.drawn import clusters_of, with_key
from cloven.kinds.disassociated.parts.folder import PartsFolder
from cloven.kinds.disassociated.parts.known_items import looked_up
from cloven.kinds.disassociated.parts.known_person import readers
from cloven.kinds.disassociated.release import Kind
from cloven.kinds.known_items import _look_up
from tests.effort import tries
from tests.unit.io.divided import in_parts

names = st.sampled_from([*(f"i{number}" for number in range(7)), "ä"])
many_records = st.lists(st.lists(names, min_size=1, max_size=5), min_size=12, max_size=60)
WAYS = [
    {"rare_items": "withhold"},
    {"rare_items": "withhold", "m": 1, "small_clusters": "suppress"},
    {"rare_items": "cluster", "refine": False},
]


def one_after_another(function, given):
    return [function(each) for each in given]


@contextmanager
def laid_out(result, clusters):
    """A folder in which a release lies in parts."""
    with tempfile.TemporaryDirectory() as place:
        cv.write_release(result, Path(place) / "out")
        in_parts(Path(place) / "out", clusters, 7)
        yield Path(place)


def asked_in(folder, release, sets, **room):
    """The parts of a release as they are, asked about sets."""
    scratch = folder / "scratch"
    scratch.mkdir()
    parts = PartsFolder(folder / "out", one_after_another, scratch, **room)
    found = readers(parts, sets, LEAST_BEST)
    assert not list(scratch.iterdir())
    assert parts.totals.names == release.vocabulary
    assert parts.totals.records == release.records
    return found


def same_answers(one, two, sets, width, rng):
    for eligible in (None, rng.random(width) < 0.6):
        for floor, best in ((0.2, True), (0.5, False), (0.95, True)):
            said, wanted = (each.claims(sets, eligible, floor, best=best) for each in (one, two))
            assert said.expected == pytest.approx(wanted.expected, abs=1e-9)
            assert said.offsets.tolist() == wanted.offsets.tolist()
            assert said.items.tolist() == wanted.items.tolist()
            assert said.probability == pytest.approx(wanted.probability, abs=1e-9)
            assert said.best_probability == pytest.approx(wanted.best_probability, abs=1e-9)
        said, wanted = (each.certain(sets, eligible) for each in (one, two))
        assert (said.offsets.tolist(), said.items.tolist()) == (
            wanted.offsets.tolist(),
            wanted.items.tolist(),
        )


@settings(max_examples=tries(120), deadline=None)
@given(many_records, st.sampled_from(WAYS), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_parts_tell_what_the_whole_tells(records, way, clusters, seed):
    rng = np.random.default_rng(seed)
    method = cv.Disassociation(k=2, max_cluster_size=6, **way)
    result = method.anonymise(cv.Transactions.from_records(records))
    release, width = result.release, len(result.release.vocabulary)
    if not width:
        return
    every = [set(some) for size in (1, 2, 3) for some in combinations(range(width), size)]
    sets = Known.from_sets([every[at] for at in rng.permutation(len(every))[:40]])
    with laid_out(result, clusters) as folder:
        found = asked_in(folder, release, sets)
    wanted = whole_readers(release)(sets, LEAST_BEST)
    assert list(found) == list(wanted)
    for name, reader in found.items():
        same_answers(reader, wanted[name], sets, width, rng)


@settings(max_examples=tries(120), deadline=None)
@given(many_records, st.sampled_from(WAYS), st.integers(1, 4))
def test_parts_have_the_covers_and_the_counts_of_the_whole(records, way, clusters):
    method = cv.Disassociation(k=2, max_cluster_size=6, **way)
    result = method.anonymise(cv.Transactions.from_records(records))
    release = result.release
    pairs = np.array([*combinations(range(len(release.vocabulary)), 2)], np.int64).reshape(-1, 2)
    with laid_out(result, clusters) as folder:
        parts = PartsFolder(folder / "out", one_after_another, folder)
        found, added = covered(parts), np.array(_sums(parts, pairs)[:5])
        told = likely(parts, pairs)
    wanted = breaches(covers(release)).to_dict()
    assert found == {name: wanted[name] for name in found}
    if not len(pairs):
        return
    whole = expected(release.shown, pairs)
    assert added[:3] == pytest.approx(np.array([whole.exact, whole.apart, whole.left]), abs=1e-9)
    likely_there, low, high = spread(bounded(release, pairs), Tails.of(release.parameters, 2))
    assert told[2].tolist() == high.tolist()
    if release.rare_items != "cluster":
        assert [column.tolist() for column in told] == [likely_there.tolist(), low.tolist(), high.tolist()]
    assert np.maximum(told[0], low).tolist() == likely_there.tolist()
    assert (told[1] <= low).all()


@settings(max_examples=tries(120), deadline=None)
@given(many_records, st.sampled_from(WAYS), st.integers(1, 4))
def test_parts_leave_the_candidates_of_the_whole(records, way, clusters):
    method = cv.Disassociation(k=2, max_cluster_size=6, **way)
    result = method.anonymise(cv.Transactions.from_records(records))
    vocabulary = result.release.vocabulary
    lists = [[*combinations(vocabulary, size)] for size in (1, 2, 3)]
    with laid_out(result, clusters) as folder:
        found = looked_up(PartsFolder(folder / "out", one_after_another, folder), lists)
    for said, wanted in zip(found, _look_up(result.release, tuple(lists), None), strict=True):
        assert said.candidates.tolist() == wanted.candidates.tolist()
        assert said.picked == pytest.approx(wanted.picked, abs=1e-12)


@settings(max_examples=tries(120), deadline=None)
@given(many_records, st.sampled_from(WAYS), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_drawn_clusters_are_those_of_the_release_and_of_the_key(records, way, clusters, seed):
    rng = np.random.default_rng(seed)
    method = cv.Disassociation(k=2, max_cluster_size=6, **way)
    result = method.anonymise(cv.Transactions.from_records(records))
    release = result.release
    numbers = np.sort(rng.permutation(release.clusters)[: rng.integers(1, release.clusters + 1)])
    with laid_out(result, clusters) as folder:
        parts = PartsFolder(folder / "out", one_after_another, folder)
        some = clusters_of(parts, numbers)
        key = with_key(parts, folder / "out.private", numbers, some).key
        assert sorted(each.name for each in folder.iterdir()) == ["out", "out.private"]
    assert some.vocabulary == release.vocabulary
    assert [(some.cluster(at).record_chunks, some.cluster(at).term_chunk) for at in range(len(numbers))] == [
        (release.cluster(at).record_chunks, release.cluster(at).term_chunk) for at in numbers.tolist()
    ]
    assert _said(some, key) == _said(release, result.key, numbers)


def _said(release, key, numbers=None):
    """What every record of some clusters is said to give to which row of them."""
    numbers = np.arange(release.clusters) if numbers is None else numbers
    place = {number: at for at, number in enumerate(numbers.tolist())}
    out = []
    for entry, (record, row) in enumerate(zip(key.record.tolist(), key.release_row.tolist(), strict=True)):
        cluster = int(release.row_cluster[row])
        if cluster in place:
            items = key.items[key.offsets[entry] : key.offsets[entry + 1]].tolist()
            kind = Kind(release.row_kind[row])
            out.append((record, place[cluster], kind, int(release.row_chunk[row]), release.row(row), items))
    near = [at for at, cluster in enumerate(key.record_cluster.tolist()) if cluster in place]
    return out, key.records[near].tolist(), [place[key.record_cluster[at]] for at in near]


def test_sets_are_asked_about_in_steps(tmp_path):
    """With little room the parts are read several times."""
    result = cv.Disassociation(k=3, m=2, max_cluster_size=15).anonymise(cv.sample("clinic"))
    cv.write_release(result, tmp_path / "out")
    in_parts(tmp_path / "out", 7, 100)
    sets = Known.from_sets([{number, number + 3} for number in range(0, 60, 2)] + [{5}, {5}])
    found = asked_in(tmp_path, result.release, sets, sums=900)
    wanted = whole_readers(result.release)(sets, LEAST_BEST)
    for name, reader in found.items():
        same_answers(reader, wanted[name], sets, len(result.release.vocabulary), np.random.default_rng(1))


def test_what_was_not_asked_is_refused(tmp_path):
    result = cv.Disassociation(k=3, m=2).anonymise(cv.sample("clinic"))
    cv.write_release(result, tmp_path / "out")
    with pytest.raises(cv.ParameterError, match="does not lie in parts"):
        _ = PartsFolder(tmp_path / "out", one_after_another, tmp_path).totals
    in_parts(tmp_path / "out", 7, 100)
    found = asked_in(tmp_path, result.release, Known.from_sets([{1, 2}]))
    with pytest.raises(cv.ParameterError, match="were not asked"):
        found["shown"].claims(Known.from_sets([{1}]))
    with pytest.raises(cv.ParameterError, match="empty"):
        readers(
            PartsFolder(tmp_path / "out", one_after_another, tmp_path), Known.from_sets([set()]), LEAST_BEST
        )
