"""Measures from document counts, against their formulas written out."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from math import inf, isfinite, isnan, log, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloven.errors import InputError, ParameterError
from cloven.protocols import Relatedness
from cloven.relatedness.counts import CountsFile
from cloven.relatedness.counts_index import ClosedIndex
from cloven.relatedness.ngd import CentredDistance, GoogleDistance, MutualInformation

ITEMS = ["a", "b", "c", "d", "e", "f"]
corpora = st.lists(st.sets(st.sampled_from(ITEMS[:5])), min_size=1, max_size=12).filter(any)
MEASURES = [GoogleDistance, CentredDistance, MutualInformation]


@dataclass
class Table:
    """A source that must be asked pair by pair, and remembers what it was asked."""

    documents: int
    numbers: dict[str, int]
    pairs: dict[str, int] = field(default_factory=dict)
    source: str = "a table"
    date: str = ""
    asked: list[str] = field(default_factory=list)

    def count(self, items):
        self.items = items
        self.single = np.array([self.numbers.get(item, 0) for item in items], dtype=np.int64)
        return self

    def together(self, left, right):
        names = [["".join(sorted(self.items[x] + self.items[y])) for y in right] for x in left]
        self.asked += [name for row in names for name in row]
        return np.array([[self.pairs.get(name, -1) for name in row] for row in names], dtype=np.int64)


def counts_of(corpus):
    def together(*items):
        return sum(set(items) <= document for document in corpus)

    return together


def plain_ngd(corpus, x, y):
    f, n = counts_of(corpus), len(corpus)
    if not f(x) or not f(y):
        return nan
    if x == y or f(x) == f(y) == f(x, y):
        return 0.0
    if not f(x, y):
        return inf
    return (max(log(f(x)), log(f(y))) - log(f(x, y))) / (log(n) - min(log(f(x)), log(f(y))))


def plain_npmi(corpus, x, y):
    f, n = counts_of(corpus), len(corpus)
    if not f(x) or not f(y):
        return nan
    if x == y:
        return 1.0
    if not f(x, y):
        return -1.0
    p = f(x, y) / n
    return log(p / (f(x) / n * f(y) / n)) / -log(p) if p < 1 else 0.0


def table(measure, items=ITEMS):
    every = np.arange(len(items))
    return measure.relate(items).block(every, every)


def same_scores(found, expected):
    np.testing.assert_allclose(found, expected, atol=1e-12, equal_nan=True)


@given(corpora)
def test_ngd_is_the_formula(corpus):
    plain = [[plain_ngd(corpus, x, y) for y in ITEMS] for x in ITEMS]
    finite = [d for row in plain for d in row if isfinite(d)]
    largest = max(finite) or 1.0
    distances = [[1.1 * largest if d == inf else d for d in row] for row in plain]
    worst = 1.1 * largest if any(d == inf for row in plain for d in row) else largest
    related = GoogleDistance(ClosedIndex.build(corpus)).relate(ITEMS)
    every = np.arange(len(ITEMS))
    same_scores(related.distances(every, every), distances)
    same_scores(related.block(every, every), [[1 - d / worst for d in row] for row in distances])


@given(corpora)
def test_never_together_can_be_left_open(corpus):
    plain = [[plain_ngd(corpus, x, y) for y in ITEMS] for x in ITEMS]
    largest = max(d for row in plain for d in row if isfinite(d)) or 1.0
    found = table(GoogleDistance(ClosedIndex.build(corpus), never="unknown"))
    same_scores(found, [[1 - d / largest if isfinite(d) else nan for d in row] for row in plain])
    found = table(MutualInformation(ClosedIndex.build(corpus), never="unknown"))
    expected = [[plain_npmi(corpus, x, y) for y in ITEMS] for x in ITEMS]
    apart = np.array([[d == inf for d in row] for row in plain])
    same_scores(found, np.where(apart, nan, expected))


@given(corpora)
def test_npmi_is_the_formula(corpus):
    found = table(MutualInformation(ClosedIndex.build(corpus)))
    same_scores(found, [[plain_npmi(corpus, x, y) for y in ITEMS] for x in ITEMS])


@given(corpora)
def test_centred_scores_are_residuals_of_the_additive_fit(corpus):
    index = ClosedIndex.build(corpus)
    plain = GoogleDistance(index).relate(ITEMS)
    known = [place for place, item in enumerate(ITEMS) if any(item in document for document in corpus)]
    pairs = list(combinations(known, 2))
    scores = table(CentredDistance(index))
    if len(known) > 2:
        distances = plain.distances(np.arange(6), np.arange(6))
        design = np.array([[1.0] + [float(item in pair) for item in known] for pair in pairs])
        wanted = np.array([distances[pair] for pair in pairs])
        residuals = wanted - design @ np.linalg.lstsq(design, wanted, rcond=None)[0]
        same_scores([scores[pair] for pair in pairs], -residuals / plain.worst)
        off = scores[np.ix_(known, known)] - np.diag(scores.diagonal()[known])
        same_scores(off.sum(axis=1), 0.0)
    same_scores(scores, scores.T)
    assert np.isnan(scores).tolist() == np.isnan(table(GoogleDistance(index))).tolist()


@pytest.mark.parametrize("measure", MEASURES)
@given(corpus=corpora, order=st.permutations(range(6)))
def test_relabelling_relabels_the_scores(measure, corpus, order):
    before = table(measure(ClosedIndex.build(corpus)))
    renamed = {item: f"item {place}" for place, item in enumerate(ITEMS)}
    index = ClosedIndex.build([{renamed[item] for item in document} for document in reversed(corpus)])
    after = table(measure(index), [renamed[ITEMS[place]] for place in order])
    same_scores(after, before[np.ix_(order, order)])


@pytest.mark.parametrize("measure", MEASURES)
def test_blocks_are_parts_of_the_table(measure):
    index = ClosedIndex.build([{"a", "b"}, {"b", "c"}, {"a", "b", "d"}, {"c"}])
    assert isinstance(measure(index), Relatedness)
    related, whole = measure(index).relate(ITEMS), table(measure(index))
    left, right = np.array([3, 0]), np.array([5, 0, 3])
    same_scores(related.block(left, right), whole[np.ix_(left, right)])
    assert related.coverage.to_dict() == {"items": 6, "rungs": {"counted": 4}, "unknown": 2}
    assert related.coverage.unknown == ("e", "f")
    assert measure(index).relate([]).block(left[:0], right[:0]).shape == (0, 0)


def test_distances_above_one_are_kept():
    corpus = [{"a"}] * 9 + [{"b"}] * 9 + [{"a", "b"}, set()]
    related = GoogleDistance(ClosedIndex.build(corpus)).relate(["a", "b"])
    assert related.distances(np.array([0]), np.array([1]))[0, 0] == pytest.approx(log(10) / log(2))


def test_source_that_must_be_asked_is_asked_only_for_what_is_needed():
    source = Table(1000, {"a": 100, "b": 50, "c": 20}, {"ab": 10, "ac": 0})
    related = GoogleDistance(source).relate(["a", "b", "c", "x"])
    assert source.asked == []
    conceivable = log(100) / (log(1000) - log(50))
    distances = related.distances(np.array([0]), np.arange(4))
    same_scores(distances, [[0, log(10) / log(20), 1.1 * conceivable, nan]])
    assert set(source.asked) == {"aa", "ab", "ac", "ax"}
    same_scores(related.block(np.array([0]), np.arange(4)), 1 - distances / (1.1 * conceivable))
    assert isnan(related.block(np.array([1]), np.array([2]))[0, 0])


def test_largest_distance_can_be_given():
    source = Table(1000, {"a": 100, "b": 50}, {"ab": 10})
    found = table(GoogleDistance(source, largest=0.5, never="unknown"), ["a", "b"])
    same_scores(found, [[1, 1 - 2 * log(10) / log(20)], [1 - 2 * log(10) / log(20), 1]])


@given(st.lists(st.integers(1, 50), min_size=2, max_size=6), st.data())
def test_no_distance_exceeds_the_conceivable_one(numbers, data):
    documents = max(numbers) + data.draw(st.integers(0, 5))
    items = [chr(97 + place) for place in range(len(numbers))]
    counts = dict(zip(items, numbers, strict=True))
    least = {x + y: max(1, counts[x] + counts[y] - documents) for x, y in combinations(items, 2)}
    scores = table(GoogleDistance(Table(documents, counts, least), never="unknown"), items)
    assert np.nanmin(scores) > -1e-9


def test_all_pairs_are_asked_for_centring():
    source = Table(1000, {"a": 100, "b": 50, "c": 20, "d": 9}, {"ab": 10, "ac": 5, "bc": 1, "ad": 2})
    scores = table(CentredDistance(source), list("abcdx"))
    assert {"ab", "ac", "ad", "bc", "bd", "cd"} <= set(source.asked)
    assert np.isnan(scores[3]).tolist() == [False, True, True, False, True]


def test_incomplete_counts_of_a_file(tmp_path):
    path = tmp_path / "counts.jsonl"
    path.write_text(
        '{"format": "cloven.counts/1", "source": "s", "date": "", "documents": 100, "unlisted": "unknown"}\n'
        '["a", 40]\n["b", 20]\n["c", 10]\n["d", 5]\n["a", "b", 10]\n["a", "c", 0]\n["b", "c", 5]\n'
    )
    related = GoogleDistance(CountsFile(path)).relate(list("abcd"))
    largest = max(log(4) / log(5), log(4) / log(10))
    expected = [0, log(4) / log(5), 1.1 * largest, nan]
    same_scores(related.distances(np.array([0]), np.arange(4)), [expected])
    assert related.worst == pytest.approx(1.1 * largest)
    scores = table(CentredDistance(CountsFile(path)), list("abcd"))
    assert np.isnan(scores).sum() == 6
    same_scores([scores[0, 1] + scores[0, 2], scores[1, 2] + scores[0, 1]], 0.0)


def test_counts_that_contradict_each_other():
    source = Table(1000, {"a": 100, "b": 50, "c": 1000, "d": 1000}, {"ab": 400, "cd": 10, "ac": 2000})
    distances = GoogleDistance(source).relate(list("abcd")).distances(np.arange(4), np.arange(4))
    assert (distances[0, 1], distances[0, 2]) == (0.0, 0.0)
    assert distances[2, 3] == pytest.approx(1.1 * log(100) / log(1000 / 50))
    found = MutualInformation(source).relate(list("abcd")).block(np.arange(4), np.arange(4))
    assert found[0, 1] == 1.0
    assert -1.0 <= np.nanmin(found) <= np.nanmax(found) <= 1.0


@pytest.mark.parametrize("measure", MEASURES)
def test_vocabulary_that_is_not_found(measure):
    index = ClosedIndex.build([["a"]], source="one set")
    with pytest.raises(
        ParameterError, match=r"one set: none of the 2 items \('x', 'y'\) was found; count documents"
    ):
        measure(index).relate(["x", "y"])
    with pytest.raises(InputError, match=r"a table: 12 documents hold 'a', but all are 10"):
        measure(Table(10, {"a": 12})).relate(["a"])


def test_bad_parameters():
    index = ClosedIndex.build([["a"]])
    for measure in (GoogleDistance, MutualInformation):
        with pytest.raises(ParameterError, match="never must be 'far' or 'unknown', got 'near'"):
            measure(index, never="near")
    for largest in (0.0, -1.0, inf, nan):
        with pytest.raises(ParameterError, match="largest must be a positive distance"):
            GoogleDistance(index, largest=largest)


def test_rare_words_are_far_by_ngd_but_not_when_centred():
    """A rare word whose documents all hold its frequent friend, among frequent words that share half of theirs."""
    frequent = [{"friend", "other"}, {"friend", "third"}, {"other", "third"}, {"other"}, {"third"}]
    corpus = [{"rare", "friend", "other"}, {"rare", "friend"}, *frequent * 20, *[set()] * 300]
    items = ["rare", "friend", "other", "third"]
    index = ClosedIndex.build(corpus)
    plain, centred, npmi = (table(measure(index), items) for measure in MEASURES)
    assert plain[0, 1] < plain[2, 1]
    assert centred[0, 1] > centred[2, 1]
    assert npmi[0, 1] > npmi[2, 1]
