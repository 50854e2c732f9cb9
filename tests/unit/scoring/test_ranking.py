"""Ranking measures against every order of tied candidates."""

from __future__ import annotations

from itertools import permutations
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings

from cloven.kinds.disassociated.guesses import Answer
from cloven.kinds.disassociated.score.definitions import units
from cloven.kinds.disassociated.score.score import chance_rankings, rankings
from cloven.kinds.disassociated.score.truth import calibrations, truth
from cloven.statistics.findings import rank_targets
from tests.effort import tries

from .plain import attacked, guesses, world

SCOPES = {
    "all": ("record", "shared", "term"),
    "record": ("record",),
    "shared": ("shared",),
    "term": ("term",),
}


def by_hand(candidates, order):
    """Link AUC of each true link, hits and best guess of one target: ties are broken by the place in ``order``."""
    ranked = sorted(order, key=lambda i: -candidates[i][0])
    true = [i for i in ranked if candidates[i][1]]
    hits = sum(candidates[i][1] for i in ranked[: len(true)])
    return hits, candidates[ranked[0]][1]


def plain_measures(made, guess, asked, kinds):
    outranked, hits, links, top, squares = [], 0, 0, [], []
    for t, (chunk, _, slots) in enumerate(made.targets):
        if not asked[t] or chunk[0] not in kinds:
            continue
        first = made.questions.offsets[t]
        here = [(guess.score[first + i], made.holds(t, slot)) for i, slot in enumerate(slots)]
        squares += [(float(guess.confidence[first + i]) - mark) ** 2 for i, (_, mark) in enumerate(here)]
        false = [score for score, mark in here if not mark]
        for score in (score for score, mark in here if mark):
            links += 1
            if false:
                outranked.append(fmean(1.0 if score > f else 0.5 if score == f else 0.0 for f in false))
        found = [by_hand(here, order) for order in permutations(range(len(here)))]
        hits += fmean(each[0] for each in found)
        top.append(fmean(each[1] for each in found))
    return {
        "auc": fmean(outranked) if outranked else None,
        "hit": hits / links if links else None,
        "top_1": fmean(top) if top else None,
        "brier": fmean(squares) if squares else None,
    }


@settings(max_examples=tries(60))
@given(attacked(max_records=2))
def test_ranking_against_all_orders(case):
    made, guess, _ = case
    answers = truth(made.questions, made.release, made.key)
    asked = guess.answer != Answer.NO_ANCHOR
    found = rankings(guess, answers, units(made.questions, made.release), asked)
    for scope, kinds in SCOPES.items():
        for name, value in plain_measures(made, guess, asked, kinds).items():
            assert found[name, scope].value == (value if value is None else pytest.approx(value)), (
                name,
                scope,
            )


@given(attacked())
def test_chance_is_the_value_of_equal_scores(case):
    """Guessing with the true share as confidence; the expectation over orders is exact, so both are equal."""
    made, guess, _ = case
    answers = truth(made.questions, made.release, made.key)
    asked = guess.answer != Answer.NO_ANCHOR
    sizes = np.diff(made.questions.offsets)
    share = np.repeat(answers.copies / sizes, sizes)
    where = units(made.questions, made.release)
    level = rankings(guesses(made, confidence=share), answers, where, asked)
    for name, tally in chance_rankings(answers, where, asked).items():
        assert tally.numerator == pytest.approx(level[name].numerator, abs=1e-5), name
        assert tally.denominator == pytest.approx(level[name].denominator), name


def test_oracle_and_its_opposite():
    made = world([["ab", "ab", "a", "ac"]], [{"a": 0, "b": 1, "c": "term"}])
    answers = truth(made.questions, made.release, made.key)
    where, asked = units(made.questions, made.release), np.ones(len(made.targets), bool)
    best = rankings(guesses(made, answers.holds, answers.holds), answers, where, asked)
    worst = rankings(guesses(made, ~answers.holds, ~answers.holds), answers, where, asked)
    assert [best[name, "all"].value for name in ("auc", "hit", "top_1", "brier")] == [1, 1, 1, 0]
    assert [worst[name, "all"].value for name in ("auc", "hit", "top_1", "brier")] == [0, 0, 0, 1]
    assert best["hit", "shared"].value is None


def test_a_target_that_everybody_holds_has_no_auc_but_is_a_hit():
    made = world([["ab", "ab"]], [{"a": 0, "b": 1}])
    answers = truth(made.questions, made.release, made.key)
    found = rankings(guesses(made), answers, units(made.questions, made.release), np.ones(1, bool))
    assert (found["auc", "all"].value, found["hit", "all"].value) == (None, 1.0)


def test_infinite_scores_rank_like_any_other():
    holds = np.array([False, True, False])
    score = np.array([-np.inf, -1.0, -np.inf])
    found = rank_targets(np.array([0, 3]), score, np.zeros(3, np.float32), holds, np.ones(1, bool))
    assert found[0].tolist() == [1, 1, 1, 1, 1, 1]


@given(attacked())
def test_calibration_against_plain_bins(case):
    made, guess, _ = case
    answers = truth(made.questions, made.release, made.key)
    asked = guess.answer != Answer.NO_ANCHOR
    found = calibrations(guess, answers, asked)
    for scope, kinds in SCOPES.items():
        bins = {}
        for t, (chunk, _, slots) in enumerate(made.targets):
            if asked[t] and chunk[0] in kinds:
                for i, slot in enumerate(slots):
                    value = float(guess.confidence[made.questions.offsets[t] + i])
                    bins.setdefault(int(value * 10), []).append((value, made.holds(t, slot)))
        assert [(round(b.low * 10), b.count) for b in found[scope].bins] == [
            (number, len(bins[number])) for number in sorted(bins)
        ]
        pairs = [pair for inside in bins.values() for pair in inside]
        if not pairs:
            assert (found[scope].brier, found[scope].error) == (None, None)
            continue
        gaps = [abs(sum(v - mark for v, mark in inside)) for inside in bins.values()]
        assert found[scope].error == pytest.approx(sum(gaps) / len(pairs))
        assert found[scope].brier == pytest.approx(fmean((v - mark) ** 2 for v, mark in pairs))
        for number, each in zip(sorted(bins), found[scope].bins, strict=True):
            assert each.true == pytest.approx(fmean(mark for _, mark in bins[number]))
            assert each.confidence == pytest.approx(fmean(value for value, _ in bins[number]))
