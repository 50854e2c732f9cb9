"""The experiment on tuning: its answers follow from the figures, and it runs."""

from __future__ import annotations

import pytest

from experiments.tuning import EXPERIMENT, answer, holds


def again(risk, kept, broken=0):
    return {"data": "shop", "setting": "better", "risk": risk, "kept": kept, "broken": broken}


def found(second, kind="beats the default"):
    settings = [("usual", "default"), ("better", kind)]
    return {
        "searches": [{"data": "shop", "records": 100, "sample": 20, "finished": 2}],
        "settings": [{"data": "shop", "setting": name, "kind": word} for name, word in settings],
        "again": [again(0.2, 0.5, 3) | {"setting": "usual"}, second],
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
    assert holds(second, again(0.2, 0.5, 3)) is agrees
    assert answer(found(second), "shop").startswith(
        "**shop: yes.**" if agrees else "**shop: not for certain.**"
    )


def test_breaking_a_promise_beats_nothing():
    assert not holds(again(0.1, 0.9, broken=1), again(0.2, 0.5))


def test_a_front_that_proves_the_default():
    assert answer(found(again(0.1, 0.6), kind="front"), "shop").startswith("**shop: no.**")


@pytest.mark.slow
@pytest.mark.data
def test_experiment_runs_on_small_samples(data_dir):
    pytest.importorskip("altair")
    tables = EXPERIMENT.run(data_dir, lambda _step, _share: None, quick=True)
    assert [row["data"] for row in tables["searches"]] == ["groceries", "What's Cooking", "BMS-WebView-1"]
    assert set(EXPERIMENT.files(tables)) == {
        "docs/results/tuning.md", "docs/results/tuning/tuning.svg",
        *(f"experiments/figures/tuning/{name}.csv" for name in ("searches", "settings", "again")),
    }  # fmt: skip
