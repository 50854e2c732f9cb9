"""The search itself, on a method whose risk and utility are formulas."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from tuning_toys import DONE

from cloven.audit.decision import Limits
from cloven.errors import ParameterError
from cloven.tuning import Tune
from cloven.tuning.objectives import OneThreat
from cloven.tuning.tune import trial_effort

TOY = {"methods": ("toy",), "seed": 1}


def test_the_default_is_tried_first_and_then_what_the_family_would_try(data):
    tuned = Tune(**TOY, trials=2).run(data)
    assert [trial.name for trial in tuned.trials] == ["toy:k=5,m=2", "toy:k=5,m=2,care=yes"]
    assert tuned.default.name == "toy:k=5,m=2"


def test_front_chosen_and_dominating_are_what_they_say(data):
    tuned = Tune(**TOY, trials=30, limits=Limits(max_risk=0.03, min_utility=0.5)).run(data)
    assert tuned.tried == len(tuned.outcomes) == 30
    points = {trial.name: (tuned.point(trial).risk, tuned.point(trial).utility) for trial in tuned.finished}

    def beaten(one, other):
        return other[0] <= one[0] and other[1] >= one[1] and other != one

    front = {name for name, one in points.items() if not any(beaten(one, other) for other in points.values())}
    assert {trial.name for trial in tuned.front} == front
    good = [point for point in points.values() if point[0] <= 0.03 and point[1] >= 0.5]
    assert tuned.satisfied
    assert points[tuned.chosen.name] == max(good, key=lambda point: point[1])
    default = points["toy:k=5,m=2"]
    assert {trial.name for trial in tuned.dominating} == {
        name for name, one in points.items() if beaten(default, one)
    }
    assert tuned.dominating
    assert "beat the default" in tuned.comparison
    assert tuned.chosen.name in tuned.sentence


def test_nothing_satisfies(data):
    tuned = Tune(**TOY, trials=10, limits=Limits(max_risk=0.001, min_utility=0.5)).run(data)
    assert (tuned.satisfied, tuned.chosen, tuned.audit(data)) == (False, None, None)
    assert "as good as certainly and at least 50.0 % of kept). With enough utility" in tuned.sentence
    assert "With enough utility, least risk has toy:" in tuned.sentence
    assert "With a risk that is accepted" not in tuned.sentence


def test_very_large_data_are_searched_on_a_sample(large):
    tuned = Tune(**TOY, trials=3, effort=replace(trial_effort(), most_records=300)).run(large)
    assert (tuned.records, tuned.sample_records) == (300, None)
    assert {records for _, records in DONE} == {300}


def test_the_promise_is_never_lowered(data):
    tuned = Tune(**TOY, k=7, m=3, trials=30).run(data)
    ks = [trial.method.k for trial in tuned.finished]
    assert min(ks) == 7
    assert max(ks) > 7
    assert max(ks) <= 28
    assert {trial.method.m for trial in tuned.finished} == {3}


def test_a_fixed_k_is_the_promise(data):
    tuned = Tune(**TOY, fix={"k": 8}, trials=5).run(data)
    assert {trial.method.k for trial in tuned.finished} == {8}
    assert "risk up to 20.0 %" in tuned.sentence


def test_impossible_settings_are_counted_and_cost_no_trial(data):
    tuned = Tune(**TOY, k=10, fix={"care": False, "share": 0.5, "m": 2}, trials=25).run(data)
    states = [trial.state for trial in tuned.trials]
    assert states.count("finished") == 25
    assert states.count("impossible") > 0
    bad = next(trial for trial in tuned.trials if trial.state == "impossible")
    assert "size must be at least" in bad.why
    assert tuned.to_dict()["counts"]["impossible"] == states.count("impossible")


def test_an_impossible_default_is_an_error(data):
    with pytest.raises(ParameterError, match="size must be at least 60"):
        Tune(**TOY, k=30).run(data)


def test_no_setting_is_measured_twice_and_small_spaces_end(data):
    tuned = Tune(**TOY, vary=("care", "m"), trials=40).run(data)
    assert tuned.exhausted
    assert sorted(trial.name for trial in tuned.trials) == [
        "toy:k=5,m=2", "toy:k=5,m=2,care=yes", "toy:k=5,m=3", "toy:k=5,m=3,care=yes",
    ]  # fmt: skip
    assert len(DONE) == 4


def test_several_methods_each_with_its_own_parameters(data):
    tuned = Tune(methods=("toy", "other"), seed=3, trials=40).run(data)
    kinds = {trial.method.parameters["method"] for trial in tuned.finished}
    assert kinds == {"toy", "other"}
    assert {"toy:k=5,m=2", "other:k=5,m=2"} <= {trial.name for trial in tuned.trials}
    # promises broken: kept from the limits, and searched less
    broken = [trial for trial in tuned.finished if trial.outcome.broken]
    assert 0 < len(broken) < 20
    assert all(tuned.faults(trial) for trial in broken)
    assert not tuned.chosen.outcome.broken


def test_a_sample_spares_what_is_beaten_there(large):
    tuned = Tune(**TOY, trials=30, margin=0.002).run(large)
    pruned = [trial for trial in tuned.trials if trial.state == "pruned"]
    assert tuned.sample_records == 2_000
    assert pruned
    assert len(tuned.finished) + len(pruned) == 30
    known = {trial.name: trial for trial in tuned.trials}
    for trial in pruned:
        better = known[trial.why.removeprefix("on the sample ").removesuffix(" is better")]
        assert tuned.tune.point(better.sample).beats(tuned.tune.point(trial.sample), 0.002)
    measured = [setting for setting, records in DONE if records == 4_400]
    assert len(measured) == len(tuned.finished)


def test_the_default_is_measured_on_all_records_even_if_beaten(large):
    tuned = Tune(**TOY, trials=2, margin=1e-9).run(large)
    assert tuned.default.state == "finished"


def test_a_seed_repeats_a_search(data):
    first, second = (Tune(**TOY, trials=15).run(data) for _ in "ab")
    assert [trial.name for trial in first.trials] == [trial.name for trial in second.trials]
    other = Tune(methods=("toy",), seed=2, trials=15).run(data)
    assert [trial.name for trial in first.trials] != [trial.name for trial in other.trials]


def test_time_is_up_after_the_default(data):
    assert [t.name for t in Tune(**TOY, seconds=0).run(data).trials] == ["toy:k=5,m=2"]


def test_another_measure_and_objective(data):
    tuned = Tune(**TOY, trials=5, limits=Limits(measure="half"), objective=OneThreat("formula")).run(data)
    assert tuned.measure == "half"
    default = tuned.default.method
    assert tuned.point(tuned.default) == (False, default.risk, default.utility / 2)


def test_a_threat_that_is_not_there(data):
    with pytest.raises(
        ParameterError, match="no threat 'magic' was tried on toy:k=5,m=2; there are 'formula'"
    ):
        Tune(**TOY, objective=OneThreat("magic")).run(data)


def test_bad_numbers():
    with pytest.raises(ParameterError, match="trials must be at least 1"):
        Tune(trials=0)


def test_without_optuna(data, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ParameterError, match=r'pip install "cloven\[tune\]"'):
        Tune(**TOY).run(data)
    assert DONE == []
