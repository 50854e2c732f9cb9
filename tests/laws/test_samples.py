"""Laws of samples: they leave out targets and nothing else, and no answer depends on who else is asked about."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from made_up import MadeUp
from strategies import RARE_ITEMS, skewed_records

import cloven as cv
from cloven.datasets.baskets import sparse
from cloven.kinds.disassociated.attack.named import attack_named
from cloven.kinds.disassociated.attack.questions import Candidates, questions
from cloven.kinds.disassociated.guesses import Questions
from cloven.kinds.disassociated.release import Kind
from tests.effort import tries


def scattered(seed):
    """Relatedness from random vectors, with unknown words."""

    def scores(items):
        vectors = np.random.default_rng(seed).normal(size=(len(items), 3)).round(1)
        table = vectors @ vectors.T
        return np.where(table > 3, np.nan, table)

    return MadeUp(scores)


def published(rows, k, **options):
    data = cv.Transactions.from_records([sorted(row) for row in rows])
    method = cv.Disassociation(k=k, m=2, max_cluster_size=2 * k + 3, refine=True, **options)
    return method.anonymise(data).release


def same(left, right, names):
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in names)


def places(sample, full):
    """Where the targets of a sample stand among all."""
    names = {pair: at for at, pair in enumerate(zip(full.target_row, full.target_item, strict=True))}
    return np.array([names[pair] for pair in zip(sample.target_row, sample.target_item, strict=True)], int)


@pytest.fixture(scope="module", params=["cluster", "withhold"])
def clinic(request):
    return cv.Disassociation(k=5, m=2, rare_items=request.param, refine=True).anonymise(cv.sample("clinic"))


DATA = {
    "rows": skewed_records(min_records=8, max_records=70),
    "k": st.integers(2, 4),
    "seed": st.integers(0, 999),
    "share": st.floats(0.1, 0.9),
    "rare": st.sampled_from(RARE_ITEMS),
}


@settings(max_examples=tries(80))
@given(**DATA)
def test_a_sample_is_a_part_of_all(rows, k, seed, share, rare):
    release = published(rows, k, rare_items=rare)
    full = questions(release)
    most = int(share * len(full.slots))
    assume(len(full) and most * len(full) >= len(full.slots))
    sample = questions(release, most, np.random.default_rng(seed))
    at = places(sample, full)
    assert len(sample) == most * len(full) // len(full.slots)
    assert (np.diff(at) > 0).all()
    assert same(sample, full.only(at), Questions.ARRAYS)
    assert (sample.targets_in_all, sample.candidates_in_all) == (len(full), len(full.slots))
    assert sample.is_sample
    assert not full.is_sample
    assert not questions(release, len(full.slots)).is_sample


@pytest.mark.parametrize("names", [("aba", "aba"), ("rga", "mra"), ("vpa", "aba")])
@settings(max_examples=tries(40))
@given(**DATA)
def test_answers_do_not_depend_on_who_else_is_asked(names, rows, k, seed, share, rare):
    release = published(rows, k, rare_items=rare)
    attack = attack_named(*names, scattered(seed), tries=20)
    full = attack.guess(release, np.random.default_rng(seed))
    at = np.flatnonzero(np.random.default_rng(seed).random(len(full.questions)) < share)
    asked = full.questions.only(at)
    found, expected = attack.guess(release, np.random.default_rng(seed), asked=asked), full.only(at)
    assert found.questions is asked
    assert same(found, expected, ("score", "confidence", "answer"))
    # VPA puts shared sub-records anywhere.
    settled = asked.target_kind[asked.pair_target] != Kind.SHARED
    assert (found.chosen == expected.chosen)[settled if names[0] == "vpa" else slice(None)].all()


@pytest.mark.slow
def test_every_target_is_drawn_equally_often(clinic):
    """400 draws of a fifth: counts lie within five standard deviations, and candidates stay below on average."""
    every = Candidates.of(clinic.release)
    most, rng = every.total // 5, np.random.default_rng(3)
    drawn = np.zeros(len(every), int)
    candidates = []
    for _ in range(400):
        sample = questions(clinic.release, most, rng)
        drawn[places(sample, questions(clinic.release))] += 1
        candidates.append(len(sample.slots))
    rate = drawn.sum() / 400 / len(every)
    assert abs(drawn - 400 * rate).max() < 5 * np.sqrt(400 * rate * (1 - rate))
    error = np.std(candidates) / np.sqrt(400)
    assert 0.9 * most < np.mean(candidates) < most + 4 * error


@pytest.mark.slow
def test_values_on_samples_are_right_on_average(clinic):
    """Over 60 samples, the mean of hit, best guess and link AUC comes to the value on all targets."""
    release, attack = clinic.release, cv.attacks.Semantic(cv.relatedness.Vectors.sample())
    options = {"measures": ["ranking"]}
    full = cv.attacks.trial(attack, release, clinic.key, rng=np.random.default_rng(1), **options)
    most = len(questions(release).slots) // 4
    runs = [
        cv.attacks.trial(
            attack, release, clinic.key, rng=np.random.default_rng(seed), most_candidates=most, **options
        )
        for seed in range(60)
    ]
    for measure in ("hit", "top_1", "auc"):
        values = [run.get(measure).value for run in runs]
        error = np.std(values) / np.sqrt(len(values))
        assert np.std(values) > 0
        assert abs(np.mean(values) - full.get(measure).value) < 4 * error, measure
        covered = [run.get(measure).low <= full.get(measure).value <= run.get(measure).high for run in runs]
        assert np.mean(covered) > 0.85, measure


def test_all_candidates_are_never_written_down():
    release = (
        cv.Disassociation(k=3, m=2, rare_items="cluster", refine=True)
        .anonymise(sparse(20_000, 2000, 6.0, 40))
        .release
    )
    total = Candidates.of(release).total
    tracemalloc.start()
    sample = questions(release, 20_000, np.random.default_rng(1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sample.candidates_in_all == total
    # The slots of all candidates alone would take four bytes each.
    assert peak < total


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"most": 10**9}, r"most must lie between 1 and 400,000,000 candidates \(got 1,000,000,000\)"),
        ({"most_targets": 0}, r"most_targets must be at least 1 \(got 0\)"),
        ({"most": 1}, "1 candidates are not even one target, which has .* on average; allow more"),
    ],
)
def test_impossible_samples_are_refused(clinic, options, match):
    with pytest.raises(cv.ParameterError, match=match):
        questions(clinic.release, **options)


def test_a_release_with_too_many_candidates_is_refused_without_a_sample(clinic, monkeypatch):
    monkeypatch.setattr("cloven.kinds.disassociated.attack.questions.MOST_CANDIDATES", 1000)
    with pytest.raises(
        cv.ParameterError, match=r"more than 1,000; ask about a sample, questions\(release, most="
    ):
        questions(clinic.release)
    assert len(questions(clinic.release, 900).slots) < 3000


def test_targets_can_be_limited_too(clinic):
    assert len(questions(clinic.release, most_targets=40, rng=np.random.default_rng(1))) == 40


@pytest.mark.parametrize(
    ("attack", "match"),
    [
        (cv.attacks.Semantic(scattered(1), grow_anchors=True), "grow_anchors places all targets"),
        (
            cv.attacks.Semantic(scattered(1), selection="optimal"),
            "selection 'optimal' looks at all sub-records of a chunk",
        ),
        (cv.attacks.Guesswork("one-per-row"), "selection 'one-per-row' looks at all"),
    ],
)
def test_what_needs_all_targets_is_refused_on_a_sample(clinic, attack, match):
    with pytest.raises(cv.ParameterError, match=match):
        attack.guess(clinic.release, asked=questions(clinic.release, most_targets=40))


@pytest.mark.parametrize(
    "attack", [cv.attacks.Semantic(scattered(1)), cv.attacks.Guesswork(), cv.attacks.VerticalPartitioning()]
)
def test_questions_about_another_release_are_refused(clinic, attack):
    other = cv.Disassociation(k=4, m=2).anonymise(cv.sample("clinic")).release
    with pytest.raises(cv.ReleaseError, match="the questions are about another release than Disassociated"):
        attack.guess(clinic.release, asked=questions(other))
    with pytest.raises(cv.ReleaseError, match="published disassociated release alone"):
        attack.guess(clinic.key, asked=questions(clinic.release))
