"""The semantic attack on tables: what words add, and what they cannot."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from small_tables import people

from cloven.errors import ParameterError
from cloven.kinds.tables.attack.semantic import SemanticValues, balanced
from cloven.kinds.tables.attack.values import AttributeDisclosure
from cloven.kinds.tables.guesses import Known
from cloven.kinds.tables.methods.assembly import generalised, sliced
from cloven.protocols import Coverage


@dataclass(frozen=True)
class Pairs:
    """Relatedness from a few pairs of words; others have no score."""

    scores: dict = field(default_factory=dict)
    name: str = "pairs"

    def relate(self, items):
        return Looked(tuple(items), self.scores)


@dataclass(frozen=True)
class Looked:
    items: tuple
    scores: dict

    @property
    def coverage(self):
        return Coverage({"exact": len(self.items)})

    def block(self, left, right):
        return np.array(
            [[self.scores.get((self.items[a], self.items[b]), np.nan) for b in right] for a in left]
        ).reshape(len(left), len(right))


JOBS, ILLS = (
    ("baker", "cook", "judge", "lawyer"),
    ("asthma", "burn", "cold", "flu", "gout", "mumps"),
)
TRUE = Pairs({(job, ill): float(a == b) for a, job in enumerate(JOBS) for b, ill in enumerate(ILLS)})
WRONG = Pairs({(job, ill): float(a == 3 - b) for a, job in enumerate(JOBS) for b, ill in enumerate(ILLS)})


def hiding(data):
    """Releases that do not show which job goes with which illness."""
    groups = np.arange(len(data)) // 8
    yield sliced(data, groups, ((0,), (1, 2), (3,)), k=2, parameters={}).release
    yield generalised(data, groups, k=2, parameters={}).release


def releases(data):
    yield from hiding(data)
    yield sliced(data, np.arange(len(data)) // 8, ((0, 2), (1, 3)), k=2, parameters={}).release


def confidence(guesses, data):
    return guesses.confidence[np.arange(len(data)), data.codes[:, 3]].mean()


def test_without_sharpness_or_words_it_is_the_plain_attack():
    data = people(80)
    for release in releases(data):
        plain = AttributeDisclosure(weight="rows").guess(release, Known.of(data))
        for attack in (SemanticValues(TRUE, sharpness=0), SemanticValues(Pairs(), sharpness=2)):
            guesses = attack.guess(release, Known.of(data))
            assert guesses.confidence == pytest.approx(plain.confidence)


def test_words_that_are_right_help_and_words_that_are_wrong_mislead():
    data = people(160)
    for release in hiding(data):
        plain = confidence(AttributeDisclosure(weight="rows").guess(release, Known.of(data)), data)
        right = SemanticValues(TRUE, sharpness=1.0).guess(release, Known.of(data))
        wrong = SemanticValues(WRONG, sharpness=1.0).guess(release, Known.of(data))
        assert confidence(right, data) > plain > confidence(wrong, data)
        assert right.notes["pairs_with_a_score"] == 24


def test_words_never_revive_what_is_impossible():
    data = people(160)
    for release in releases(data):
        plain = AttributeDisclosure(weight="rows").guess(release, Known.of(data))
        worded = SemanticValues(WRONG, sharpness=3.0).guess(release, Known.of(data))
        assert np.array_equal(worded.candidate, plain.candidate)
        assert worded.confidence.sum(axis=1) == pytest.approx(np.ones(len(data)))


def test_pairing_respects_what_is_published():
    rng = np.random.default_rng(3)
    totals = np.array([3.0, 0.0, 2.0, 1.0])
    chances = balanced(np.exp(rng.normal(size=(6, 4))), totals)
    assert chances.sum(axis=1) == pytest.approx(np.ones(6))
    assert chances.sum(axis=0) == pytest.approx(totals, abs=1e-6)


def test_bad_sharpness():
    with pytest.raises(ParameterError, match="between 0 and 20"):
        SemanticValues(TRUE, sharpness=-1)
