"""What meaning brings: everything where the answer is determined, nothing when the words are shuffled."""

from __future__ import annotations

import numpy as np
import pytest
from made_up import MadeUp

import cloven as cv


def oracle(items):
    """Which words stand in one record, as ``ward:letters:word`` says."""

    def related(a, b):
        ward, letters, _ = a.split(":")
        return float(b.startswith(f"{ward}:") and b.split(":")[1] in letters)

    return np.array([[related(a, b) for b in items] for a in items])


def determined(wards=5, rare=3):
    """In each ward four records over four common items: every pair is held twice, every three are held once.

    So each anchor is unique, though the anchoring chunk is 2^2-anonymous; each record has rare words of its own.
    """
    return cv.Transactions.from_records(
        [
            f"ward{w}:all:",
            *(f"ward{w}:{letter}:" for letter in letters),
            *(f"ward{w}:{letters}:rare{n}" for n in range(rare)),
        ]
        for w in range(wards)
        for letters in ("abc", "abd", "acd", "bcd")
    )


@pytest.mark.parametrize("selection", ["best", "one-per-row", "optimal"])
def test_an_oracle_is_right_where_the_answer_is_determined(selection):
    made = cv.Disassociation(k=2, m=2, max_cluster_size=4, rare_items="cluster", refine=False).anonymise(
        determined()
    )
    assert made.release.clusters == 5
    attack = cv.attacks.Semantic(MadeUp(oracle), selection=selection)
    found = cv.attacks.trial(
        attack, made.release, made.key, control=cv.attacks.Guesswork(), rng=np.random.default_rng(1)
    )
    for measure in ("auc", "hit", "top_1", "precision"):
        assert found.get(measure).value == pytest.approx(1.0), measure
    assert found.get("auc").control < 0.9


@pytest.mark.parametrize("seed", range(6))
def test_shuffled_words_are_no_better_than_chance(seed):
    """A permutation test in effect: every seed is another permutation of the words."""
    made = cv.Disassociation(k=5, m=2, rare_items="cluster", refine=True).anonymise(cv.sample("clinic"))
    attack = cv.attacks.Semantic(cv.relatedness.Shuffled(cv.relatedness.Vectors.sample(), seed))
    found = cv.attacks.trial(
        attack, made.release, made.key, rng=np.random.default_rng(seed), measures=["ranking"]
    )
    for measure in ("auc", "hit"):
        assert abs(found.get(measure).over_chance_z) < 4


@pytest.mark.slow
def test_permutations_of_the_words_centre_on_chance():
    made = cv.Disassociation(k=3, m=2, max_cluster_size=30, rare_items="cluster", refine=True).anonymise(
        cv.sample("clinic")
    )

    def shuffled(seed):
        return cv.attacks.Semantic(cv.relatedness.Shuffled(cv.relatedness.Vectors.sample(), seed))

    rng = np.random.default_rng(1)
    values = [
        cv.attacks.trial(shuffled(seed), made.release, made.key, rng=rng, measures=["ranking"]).get("auc").value
        for seed in range(24)
    ]  # fmt: skip
    z = (np.mean(values) - 0.5) / (np.std(values, ddof=1) / np.sqrt(len(values)))
    assert abs(z) < 4


def test_meaning_beats_chance_and_control_on_the_sample():
    """The sample is a demonstration: its generator was frozen before the attack was run on it."""
    made = cv.Disassociation(k=5, m=2, rare_items="cluster", refine=True).anonymise(cv.sample("clinic"))
    attack = cv.attacks.Semantic(cv.relatedness.Vectors.sample())
    found = cv.attacks.trial(
        attack,
        made.release,
        made.key,
        control=cv.attacks.control_of(attack),
        rng=np.random.default_rng(1),
        measures=["ranking"],
    )
    for measure in ("auc", "hit"):
        finding = found.get(measure)
        # By unit, what the attack reaches and what guessing does rise and fall together.
        assert finding.over_chance_low > 0
        assert finding.over_control_low > 0
