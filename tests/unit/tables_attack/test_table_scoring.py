"""Disclosure risk ratio, chance, intervals and membership, against counting by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from small_tables import people

from cloven.errors import InputError, ParameterError
from cloven.kinds.tables.guesses import Found, ValueGuesses
from cloven.kinds.tables.score.score import TableFindings, beats, score_values
from cloven.kinds.tables.score.truth import true_values
from cloven.statistics.intervals import wilson


def guesses(candidate, confidence=None, prior=(0.5, 0.3, 0.2)):
    candidate = np.array(candidate, bool)
    if confidence is None:
        many = np.maximum(1, candidate.sum(axis=1, keepdims=True))
        confidence = np.where(candidate.any(axis=1, keepdims=True), candidate / many, prior)
    return ValueGuesses(
        "illness",
        ("cold", "flu", "gout"),
        candidate,
        np.array(confidence, float),
        np.array(prior),
        candidate.any(axis=1).astype(np.int64)[:, None],
        np.where(candidate.any(axis=1), Found.EVERYWHERE, Found.NOWHERE).astype(np.int8),
        {"name": "composition"},
        {},
    )


def rng():
    return np.random.default_rng(5)


def test_ratios_by_hand():
    given = guesses([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 1, 1], [0, 0, 0]])
    truth = ["cold", "cold", "flu", "flu", "flu"]
    found = score_values(given, truth, rng=rng())
    value = {finding.measure: finding.value for finding in found}
    assert value == pytest.approx(
        {
            "drr_strict": 1 / 5,
            "drr_soft": (1 + 0 + 0.5 + 0.5 + 0) / 5,
            "drr_strict_matches": 1 / 2,
            "drr_soft_matches": 3 / 6,
            "likeliest": (1 + 0 + 0.5 + 0.5 + 0) / 5,
            "confidence": (1 + 0 + 0.5 + 0.5 + 0.3) / 5,
            "left": 3 / 5,
        }
    )
    chance = {finding.measure: finding.chance for finding in found}
    # The commonest published value, cold, named of everybody; as many of the commonest where several are left.
    assert chance == pytest.approx(
        {
            "drr_strict": 2 / 5,
            "drr_soft": 2 / 5,
            "drr_strict_matches": 2 / 2,
            "drr_soft_matches": 4 / 6,
            "likeliest": 2 / 5,
            "confidence": 2 / 5,
            "left": 4 / 5,
        }
    )
    assert found.counts["with_one_value_left"] == 2
    assert found.counts["found_nowhere"] == 1
    assert found.notes["most_common"] == 2 / 5


def test_nothing_found_still_has_an_interval():
    found = score_values(guesses([[1, 1, 0]] * 50), ["gout"] * 50, rng=rng()).get("drr_strict")
    assert (found.value, found.low) == (0, 0)
    assert found.high == pytest.approx(wilson(0, 50)[1])
    assert found.high > 0.05
    assert (
        score_values(guesses([[1, 1, 0]] * 50), ["flu"] * 50, rng=rng()).get("drr_strict_matches").value
        is None
    )


def test_an_oracle_beats_chance_and_control_and_guessing_does_not():
    truth = ["cold", "flu", "gout"] * 20
    oracle = guesses([[value == each for each in ("cold", "flu", "gout")] for value in truth])
    control = guesses([[1, 1, 1]] * 60)
    found = score_values(oracle, truth, rng=rng(), control=control).get("drr_soft")
    assert (found.value, found.control) == (1, pytest.approx(1 / 3))
    assert beats(found) is True
    blind = guesses([[1, 1, 1]] * 60, np.tile((0.5, 0.3, 0.2), (60, 1)))
    assert beats(score_values(blind, truth, rng=rng()).get("confidence")) is False


def test_chance_is_what_drawing_lots_reaches_where_that_is_better():
    """What is commonest in the release nobody here has."""
    given = guesses([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 1, 1], [0, 0, 0]])
    found = score_values(given, ["flu"] * 5, rng=rng())
    chance = {finding.measure: finding.chance for finding in found}
    assert chance == pytest.approx(
        {
            "drr_strict": (0.3 + 0.3) / 5,
            "drr_soft": 4 * 0.3 / 5,
            "drr_strict_matches": 0.3,
            "drr_soft_matches": 2 / 6,  # cold and flu, named of two persons
            "likeliest": 0.3,
            "confidence": 0.3,
            "left": 6 / 15,
        }
    )


def test_who_names_the_commonest_value_is_no_better_than_guessing():
    """Drawn from the published distribution, a value is right for 38 %; always naming cold, for 50 %."""
    draw = np.random.default_rng(11)
    truth = draw.choice(("cold", "flu", "gout"), 2_000, p=(0.5, 0.3, 0.2)).tolist()
    for measure in ("likeliest", "drr_strict", "confidence"):
        found = score_values(guesses([[1, 0, 0]] * 2_000), truth, rng=rng(), draws=50).get(measure)
        assert found.value == found.chance == pytest.approx(0.5, abs=0.03)
        assert beats(found) is False
        assert found.lift == 1


def test_findings_become_risks_and_come_back():
    told = np.eye(3)[np.arange(20) % 2]  # cold and flu in turn, as it is
    found = score_values(guesses(told), ["cold", "flu"] * 10, rng=rng())
    again = TableFindings.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.to_dict() == found.to_dict()
    risk = found.risk("two releases", "quasi-identifiers of a person", words="share of persons", broken=3)
    assert risk.attacker.value == 1
    assert risk.guessing.value == 0.5
    assert risk.control is None
    assert (risk.beats, risk.count, risk.broken, risk.linkage) == (True, 20, 3, "attribute")
    with pytest.raises(ParameterError, match="measured were drr_strict"):
        found.get("auc")
    with pytest.raises(InputError, match="score again"):
        TableFindings.from_dict({"findings": [{}]})


def test_truth_is_read_off_the_table():
    data = people(30)
    assert true_values(data, "illness", np.array([3]))[0] == data.row(3)[3]
    with pytest.raises(ParameterError, match="no attribute 'height'"):
        true_values(data, "height")
    with pytest.raises(ParameterError, match="2 persons were guessed about, but 1 true"):
        score_values(guesses([[1, 0, 0]] * 2), ["cold"], rng=rng())
