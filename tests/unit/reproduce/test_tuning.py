"""The experiment on tuning: its answers follow from the figures, and it runs."""

from __future__ import annotations

import pytest

from experiments.tuning import holds, page, shown, tuning


def trial(name, risk, utility, broken=0, state="finished"):
    measures = [{"name": "records published", "value": 0.99}]
    outcome = {"broken": broken, "utility": {"measures": measures}} if state == "finished" else None
    return {"name": name, "state": state, "risk": risk, "utility": utility, "outcome": outcome}


def again(risk, utility, broken=0):
    return {
        "risk": risk, "value": risk / 2, "low": risk / 4, "threat": "method", "broken": broken, "utility": utility,
        "utility_low": None, "utility_high": None,
    }  # fmt: skip


def found(second, dominating=("better",)):
    return {
        "data": "What's Cooking",
        "records": 100,
        "sample_records": 20,
        "counts": {"finished": 2, "pruned": 1, "impossible": 0},
        "limits": {"measure": "kept"},
        "default": "usual",
        "front": ["better"],
        "dominating": list(dominating),
        "comparison": "1 setting beats the default.",
        "trials": [
            trial("usual", 0.2, 0.5, 3),
            trial("better", 0.1, 0.6),
            trial("bad", None, None, state="pruned"),
        ],
        "again": {"usual": again(0.2, 0.5, 3), "better": second},
    }


@pytest.mark.parametrize(
    ("second", "agrees"),
    [
        (again(0.1, 0.6), True),
        (again(0.2, 0.6), True),
        (again(0.2, 0.5), False),
        (again(0.21, 0.9), False),
        (again(0.1, 0.4), False),
    ],
)
def test_a_second_look_agrees_only_if_it_beats_the_default_again(second, agrees):
    one = found(second)
    assert holds(one, "better") is agrees
    text = page([one])
    assert ("**What's Cooking**: yes." in text) is agrees
    assert ("**What's Cooking**: not for certain." in text) is not agrees
    assert "| `better` | 10.0 % | 0 | 60.0 % | 99.0 % | beats the default |" in text
    assert "| `usual` | 20.0 % | 3 | 50.0 % | 99.0 % | default, not on the front |" in text
    assert "1 were given up on a sample of 20" in text


def test_breaking_a_promise_beats_nothing():
    one = found(again(0.1, 0.9, broken=1))
    one["again"]["usual"]["broken"] = 0
    assert not holds(one, "better")


def test_a_front_that_proves_the_default():
    one = found(again(0.1, 0.6), dominating=())
    assert "**What's Cooking**: no." in page([one])


def test_charts_show_every_kind():
    pytest.importorskip("altair")
    files = shown([found(again(0.1, 0.6))])
    assert set(files) == {"tuning.md", "tuning.json", "tuning/whats-cooking.svg"}
    assert files["tuning/whats-cooking.svg"].startswith("<svg")
    assert "beats the default" in files["tuning/whats-cooking.svg"]


@pytest.mark.slow
@pytest.mark.data
def test_experiment_runs_on_small_samples(data_dir):
    files = tuning(data_dir, lambda _step, _share: None, quick=True)
    assert files["tuning.md"].count("Measured again, in full:") == 3
