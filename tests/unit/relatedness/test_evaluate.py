"""Agreement with people: correlations against SciPy, intervals, word-similarity files, errors by frequency."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from cloven.errors import InputError, ParameterError
from cloven.protocols import Coverage
from cloven.relatedness.evaluation import (
    Benchmark,
    by_frequency,
    correlations,
    evaluate,
    fisher_interval,
    pearson,
    ranks,
    read_benchmark,
)

NUMBER = st.integers(-50, 50).map(lambda number: number / 8)
COLUMNS = st.lists(st.tuples(NUMBER, NUMBER), min_size=4, max_size=40)


class Fixed:
    """A measure given by a mapping of pairs; what is not in it has no score. It notes what it was asked."""

    name = "fixed"

    def __init__(self, scores):
        self.scores, self.asked = scores, 0

    def relate(self, items):
        self.items = list(items)
        return self

    @property
    def coverage(self):
        return Coverage({"exact": len(self.items)})

    def block(self, left, right):
        self.asked += len(left) * len(right)
        find = self.scores.get
        return np.array([[find((self.items[x], self.items[y]), np.nan) for y in right] for x in left], float)


def benchmark_of(human):
    pairs = tuple((f"left{number}", f"right{number}") for number in range(len(human)))
    return Benchmark("made up", pairs, np.array(human, float))


def measure_of(benchmark, scores):
    return Fixed(dict(zip(benchmark.pairs, scores, strict=True)))


@given(COLUMNS)
def test_coefficients_are_those_of_scipy(rows):
    x, y = np.array(rows).T
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
    assert pearson(ranks(x), ranks(y)) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)


@given(COLUMNS)
def test_evaluation_is_of_the_scored_pairs(rows):
    benchmark = benchmark_of([human for human, _ in rows] + [3.0])
    measure = measure_of(benchmark, [score for _, score in rows] + [np.nan])
    found = evaluate(measure, benchmark, np.random.default_rng(0), resamples=10)
    assert (found.pairs, found.scored) == (len(rows) + 1, len(rows))
    assert found.unscored == (benchmark.pairs[-1],)
    human, scores = np.array(rows).T
    assert found.pearson.value == pytest.approx(float(pearson(scores, human)), nan_ok=True)
    assert measure.asked == len(benchmark)


def test_fisher_intervals_are_those_of_scipy():
    x = np.arange(12.0)
    y = x + np.tile([0.0, 5.0, -4.0], 4)
    found = stats.pearsonr(x, y)
    expected = found.confidence_interval(0.9)
    assert fisher_interval(found.statistic, 12, 0.9) == pytest.approx((expected.low, expected.high))
    plain, ranked = fisher_interval(0.8, 12), fisher_interval(0.8, 12, of_ranks=True)
    assert ranked[0] < plain[0] < 0.8 < plain[1] < ranked[1]
    assert fisher_interval(1.0, 12) == (1.0, 1.0)
    assert np.isnan(fisher_interval(0.5, 3)).all()


def test_bootstrap_intervals_cover_the_truth_about_as_often_as_they_say():
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(100):
        x = rng.standard_normal(60)
        y = 0.6 * x + 0.8 * rng.standard_normal(60)
        low, high = correlations(x, y, rng, resamples=300)[0].bootstrap
        covered += low <= 0.6 <= high
    assert 86 <= covered <= 100


def test_same_generator_same_intervals():
    benchmark = benchmark_of(np.linspace(0, 1, 40))
    measure = measure_of(benchmark, np.sin(np.arange(40)))
    first, second = (evaluate(measure, benchmark, np.random.default_rng(3)) for _ in range(2))
    assert first == second
    assert first.pearson.bootstrap != evaluate(measure, benchmark, np.random.default_rng(4)).pearson.bootstrap
    assert first.to_dict()["spearman"]["fisher"] == list(first.spearman.fisher)
    assert evaluate(measure, benchmark).pearson.value == first.pearson.value


def test_too_few_scores_are_refused():
    benchmark = benchmark_of([1, 2, 3, 4])
    measure = measure_of(benchmark, [0.1, 0.2, np.nan, np.nan])
    with pytest.raises(
        ParameterError, match=r"fixed has scores for 2 of the 4 pairs of made up; .* at least 3"
    ):
        evaluate(measure, benchmark)
    with pytest.raises(ParameterError, match="resamples must be at least 1"):
        evaluate(measure, benchmark, resamples=0)


@pytest.mark.parametrize(
    "text",
    [
        "car\tauto\t3.9\ngem\tjewel\t3.8\nsun\tfood\t1\n",
        "\ufeffcar,auto,3.9\r\ngem, jewel ,3.8\r\n\r\nsun,food,1",
        '# Rubenstein\nfirst;second;score\n"car";"auto";3.9\ngem;jewel;3.8\nsun;food;1e0\n',
    ],
)
def test_files_of_word_pairs(tmp_path, text):
    path = tmp_path / "words.txt"
    path.write_text(text, encoding="utf-8", newline="")
    found = read_benchmark(path)
    assert found.name == "words"
    assert found.pairs == (("car", "auto"), ("gem", "jewel"), ("sun", "food"))
    assert found.human.tolist() == [3.9, 3.8, 1.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("car\tauto\t3.9\ngem\tjewel\n", r"words\.txt:2: expected a word, a word and a score.*gem"),
        ("car\tauto\t3.9\n\n\tjewel\t2\n", r"words\.txt:3: expected"),
        ("car\tauto 7\tnan\n", r"words\.txt:1: the score must be a finite number"),
        ("car\tauto\t1\nsun\tfood\t2\n", r"2 pairs; a correlation"),
        ("\xff\xfe", r"not UTF-8; save the file as UTF-8"),
    ],
)
def test_bad_lines_are_named(tmp_path, text, message):
    path = tmp_path / "words.txt"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=message):
        read_benchmark(path)


def test_errors_by_frequency_show_who_is_punished():
    """Ten pairs with rare words are scored lowest although people find them as related as the others."""
    human = np.concatenate([np.arange(10), np.arange(10) + 0.5])
    benchmark = benchmark_of(human)
    measure = measure_of(benchmark, np.concatenate([np.arange(10) - 100, np.arange(10)]))
    frequency = {
        word: 5 if number < 10 else 500 for number, pair in enumerate(benchmark.pairs) for word in pair
    }
    frequency["right3"] = 10_000  # the rarer word decides
    rare, frequent = by_frequency(measure, benchmark, frequency, bins=2)
    assert (rare.low, rare.high, frequent.low, frequent.high) == (5, 5, 500, 500)
    assert (rare.pairs, frequent.pairs, rare.unscored) == (10, 10, 0)
    gaps = (np.arange(1, 11) - (2 * np.arange(10) + 1)) / 20
    assert rare.bias == pytest.approx(gaps.mean())
    assert rare.error == pytest.approx(np.abs(gaps).mean())
    assert rare.bias_half == pytest.approx(1.96 * gaps.std(ddof=1) / np.sqrt(10))
    assert frequent.bias == pytest.approx(-rare.bias)


def test_bins_hold_all_pairs_and_may_be_given():
    benchmark = benchmark_of(np.arange(12))
    scores = np.arange(12.0)
    scores[7] = np.nan
    measure = measure_of(benchmark, scores)
    frequency = dict.fromkeys((f"right{number}" for number in range(12)), 99)
    frequency |= {f"left{number}": number for number in range(12)}
    found = by_frequency(measure, benchmark, frequency, bins=3)
    bins = [(one.low, one.high, one.pairs, one.unscored) for one in found]
    assert bins == [(0, 2, 3, 0), (3, 7, 4, 1), (8, 11, 4, 0)]
    assert [one.error for one in found] == [0, 0, 0]
    edges = by_frequency(measure, benchmark, frequency, bins=[1, 7, 8, 100])
    assert [(one.low, one.high) for one in edges] == [(0, 0), (1, 6), (7, 7), (8, 11)]
    assert np.isnan(edges[2].error)
    assert len(by_frequency(measure, benchmark, {}, bins=4)) == 1  # all equally unknown
    with pytest.raises(ParameterError, match="bins must be at least 1"):
        by_frequency(measure, benchmark, frequency, bins=0)


@pytest.mark.data
@pytest.mark.slow
def test_google_distance_punishes_rare_words(data_dir):
    """Both attack papers say so. Counted in film reviews, on the pairs of MEN; centring takes most of it away."""
    import re
    import tarfile
    from collections import Counter

    from cloven.relatedness.counts_index import ClosedIndex
    from cloven.relatedness.ngd import CentredDistance, GoogleDistance

    needed = [data_dir / "text" / "aclImdb_labelled.tar.gz", data_dir / "wordsim" / "EN-MEN-TR-3k.txt"]
    if not all(path.exists() for path in needed):
        pytest.skip(f"no {needed}")
    benchmark = read_benchmark(needed[1])
    words = {word for pair in benchmark.pairs for word in pair}
    texts = []
    with tarfile.open(needed[0]) as archive:
        for member in archive:
            if member.isfile() and len(texts) < 3_000:
                texts.append(
                    words & set(re.findall("[a-z]+", archive.extractfile(member).read().decode().lower()))
                )
    index = ClosedIndex.build(texts)
    frequency = Counter(word for text in texts for word in text)
    google = by_frequency(GoogleDistance(index), benchmark, frequency, bins=3)
    centred = by_frequency(CentredDistance(index), benchmark, frequency, bins=3)
    assert google[0].bias + google[0].bias_half < 0 < google[-1].bias - google[-1].bias_half
    assert np.ptp([one.bias for one in centred]) < 0.6 * np.ptp([one.bias for one in google])
