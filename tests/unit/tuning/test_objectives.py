"""What a search minimises."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import cloven.registry
from cloven.disclosure.outcome import Measured, Outcome, Utility
from cloven.disclosure.risk import Estimate, Risk
from cloven.errors import ParameterError
from cloven.tuning.objectives import RiskObjective, objective


def risk(threat, value, high, **rest):
    return Risk(threat, "", "attribute", "", Estimate(value, 0.0, high), **rest)


OUTCOME = Outcome(
    "toy:k=5",
    "toy",
    {},
    (
        risk("method", 0.1, 0.3),
        risk("words", 0.2, 0.25),
        risk("beyond", 0.9, 1.0, counts=False),
        Risk("nothing", "", "attribute", "", not_tried="there is nothing"),
    ),
    Utility("kept", (Measured("kept", 0.5, None, None, 1.0, 0.0, ""),)),
)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("worst", 0.3),
        ("worst-value", 0.2),
        ("mean", 0.275),
        ("threat:words", 0.25),
        ("threat:beyond", 1.0),
        ("threat:nothing", 0.0),
    ],
)
def test_built_in(name, value):
    made = objective(name)
    assert isinstance(made, RiskObjective)
    assert made.name == name
    assert made(OUTCOME) == pytest.approx(value)


def test_a_package_joins_by_entry_point(monkeypatch):
    point = SimpleNamespace(name="mine", load=lambda: lambda: SimpleNamespace(name="mine"), value="mine")
    monkeypatch.setattr(
        cloven.registry, "entry_points", lambda group: [point] if group == "cloven.objectives" else []
    )
    assert objective("mine").name == "mine"
    with pytest.raises(ParameterError, match="takes nothing after a colon"):
        objective("mine:x")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("best", "unknown objective 'best'; known are mean, threat, worst, worst-value"),
        ("threat", "objective 'threat' needs a name after a colon"),
    ],
)
def test_unknown(text, words):
    with pytest.raises(ParameterError, match=words):
        objective(text)
