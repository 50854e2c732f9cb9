"""The experiment on set-based generalisation: its answers and verdicts follow from the figures, and it runs."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from cloven.kinds.generalised.attack.elimination import Elimination
from cloven.kinds.generalised.release import SetGeneralised
from experiments.generalisation import generalisation, shown
from experiments.generalisation.claims import Figures, answer, claims, exponent
from experiments.generalisation.runs import (
    COOKING,
    MEASURES,
    MEDQUAD,
    OHSUMED,
    RANKED,
    WIKI,
    GeneralisedDescription,
    Run,
    all_but_nearest,
    timed,
)
from experiments.harness.figures import Estimate
from experiments.harness.former import compared, unchanged

METHODS = ("random", "mda", "tba", "wba", "gba", "rba", "nearest")
DATA = (COOKING, WIKI, OHSUMED, MEDQUAD)
ABOUT = GeneralisedDescription(100, 8.0, 50, 0, 9, 30, 3.3, 5, 5.0, 150, 0.25, 0.7, 0, 6.0)
TIMES = [
    {"size": size, "method": method, "seconds": factor * size**power / 1e6}
    for size in (10, 20, 40)
    for method, factor, power in (("tba", 1, 2), ("wba", 2, 4), ("gba", 3, 4), ("rba", 4, 4))
]


def found(value, chance, one):
    """Every measure at these levels; what ranks has no second baseline."""
    sides = {"value": value, "chance": chance, "control": chance, "one": one}
    out = {
        name: {side: level for side, level in sides.items() if name not in RANKED or side != "one"}
        for name in MEASURES
    }
    return out | {"hidden": {"value": 2}, "were_unique": {"value": 50}}


def figures(value=0.8, chance=0.7, one=0.75, *, wobble=0.001, times=TIMES, recall=None):
    """Runs of all sweeps at one level each, a little different from sample to sample."""
    runs = []
    for data in DATA:
        for seed in (1, 2, 3):
            here = found(value + seed * wobble, chance, one)
            if recall is not None:
                here["recall"]["value"] = recall + seed * wobble
            places = [("k", k, method) for k in (2, 5) for method in METHODS]
            places += [("knowledge", 5, "rba WordNet"), ("pairs", 5, "rba, no-answer")]
            places += [("pairs", 5, "rba, generalised")]
            if data == MEDQUAD:
                places += [("consistent", k, method) for k in (2, 5) for method in ("tba", "rba")]
                places += [("density", x, method) for x in (0.2, 0.4) for method in ("tba", "rba")]
            runs += [Run(data, seed, sweep, x, method, ABOUT, 5, here) for sweep, x, method in places]
    return Figures(runs, times)


def verdict(of, says):
    (one,) = [claim for claim in claims(of) if says in claim.says]
    return one.verdict


def test_headline_is_judged_by_recall_and_precision_together():
    assert verdict(figures(0.85), "Up to 70 %") == "confirmed"
    assert verdict(figures(0.75), "Up to 70 %") == "refuted"
    assert verdict(figures(0.85, recall=0.6), "Up to 70 %") == "refuted"


def test_headline_names_what_guessing_has():
    (one,) = [claim for claim in claims(figures(0.85, 0.82)) if "Up to 70 %" in claim.says]
    assert "precision of 82 % already" in one.why
    assert "finds 75 % at 75 %" in one.why


@pytest.mark.parametrize(("value", "says"), [(0.8, "confirmed"), (0.7, "refuted"), (0.9, "refuted")])
def test_about_eighty_is_a_range(value, says):
    assert verdict(figures(value), "F of about 80 %") == says


def test_equal_releases_have_unchanged_f_and_no_lower_recall():
    assert verdict(figures(), "F is not significantly affected") == "confirmed"
    assert verdict(figures(), "slightly lower") == "chance"


def test_unchanged_needs_the_whole_interval():
    assert unchanged(Estimate(0.0, -0.04, 0.04, 9)) == "confirmed"
    assert unchanged(Estimate(0.0, -0.06, 0.04, 9)) == "chance"
    assert unchanged(Estimate(-0.2, -0.3, -0.1, 9)) == "refuted"


def test_time_is_judged_by_power_and_order():
    assert verdict(figures(), "TBA is fastest") == "confirmed"
    assert verdict(figures(), "to their square") == "confirmed"
    slow = [row | {"seconds": row["size"] ** 2 / 1e6} for row in TIMES]
    assert verdict(figures(times=slow), "TBA is fastest") == "refuted"
    assert verdict(figures(times=slow), "to their square") == "refuted"


def test_exponent_uses_the_three_largest_tables():
    rows = [{"method": "x", "size": size, "seconds": size**2} for size in (10, 20, 40)]
    rows.append({"method": "x", "size": 2, "seconds": 1e6})
    assert exponent(rows, "x") == pytest.approx(1)


def test_answer_counts_where_the_baseline_is_beaten():
    assert "on 4 of 4 data sets" in answer(figures(0.8, one=0.75))[0]
    assert answer(figures(0.8, one=0.75))[0].endswith("on 4 of 4 (4 of 4 at k=2).")
    assert answer(figures(0.8, one=0.85))[0].endswith("on 0 of 4 (0 of 4 at k=2).")
    assert "below it on" in answer(figures(0.8, one=0.85))[2]


def test_answer_counts_records_over_all_releases():
    # 2 hidden and 50 unique in each of 4 data sets, 3 samples and 2 values of k; a half is rebuilt
    text = answer(figures(0.5, wobble=0.0))[5]
    assert "48 of 1,200 unique records" in text
    assert "makes 24 of these unique again" in text


def test_compared_tells_the_three_signs_apart():
    gaps = {"a": Estimate(-0.2, -0.3, -0.1, 5), "b": Estimate(0.2, 0.1, 0.3, 5), "c": Estimate(0, -1, 1, 5)}
    assert (
        compared(gaps) == "above it on b (+0.20); not told apart from it on c (+0.00); below it on a (-0.20)"
    )


def test_figures_leave_out_what_is_not_defined():
    run = Run(COOKING, 1, "k", 5, "rba", ABOUT, 5, {"precision": {"value": None, "chance": 0.5}})
    assert not Figures([run]).at("k", 5, "rba", "precision")
    assert Figures([run]).at("k", 5, "rba", "precision", "chance") == {(COOKING, 1): 0.5}
    assert Figures([run]).described("k", 5, COOKING, "density").mean == 0.25


def test_all_but_nearest_keeps_one_item_of_each_row():
    release = SetGeneralised(
        2, {}, ("a", "b", "c", "d"), ("", ""), np.array([0, 3, 4]), np.array([0, 1, 2, 3]),
        np.array([0, 2, 4]), np.array([0, 1, 0, 1]),
    )  # fmt: skip
    distances = np.array([[0.1, 0.8, 0.9], [0.7, 0.2, 0.9]])
    kept = all_but_nearest(Elimination(method="rba").guess(release, distances=[distances]))
    assert (~kept.eliminated).reshape(2, 3).tolist() == [[True, False, False], [False, True, False]]


def test_times_are_of_every_method_and_size():
    rows = timed((4, 6))
    assert {(row["method"], row["size"]) for row in rows} == {
        (method, size) for method in ("tba", "wba", "gba", "rba") for size in (4, 6)
    }
    assert all(row["seconds"] > 0 for row in rows)


def why(of, says):
    (one,) = [claim for claim in claims(of) if says in claim.says]
    return one.why


def test_reasons_follow_the_figures():
    """Where the figures change, so do the words beside a verdict."""
    level = figures()
    apart = [
        replace(run, found=run.found | {"auc": {"value": 0.5}}) if run.attack == "tba" else run
        for run in level.runs
    ]
    assert "they are close: link AUC" in why(level, "TBA and WBA have a high precision")
    assert "they are 0.30 apart: link AUC" in why(Figures(apart, TIMES), "TBA and WBA have a high precision")
    assert "With k the base rate hardly changes" in why(level, "about 80 %")
    assert "Its precision is not the base rate (50 %)" in why(figures(chance=0.5), "RA has a precision")
    assert "Its precision is the base rate (79 %)" in why(figures(chance=0.79), "RA has a precision")


def test_wordnet_is_placed_by_the_figures():
    level = figures()
    assert "not told apart from counts of what occurs together (+0.00)" in why(level, "slightly lower")
    lower = [
        replace(run, found=run.found | {"auc": {"value": 0.5 + run.seed / 2000}})
        if run.sweep == "knowledge"
        else run
        for run in level.runs
    ]
    assert "below counts of what occurs together (-0.30)" in why(Figures(lower, TIMES), "slightly lower")


def test_records_are_said_to_be_hidden_where_many_are():
    few = figures()
    many = Figures([replace(run, found=run.found | {"hidden": {"value": 20}}) for run in few.runs], TIMES)
    assert "Protecting single items hardly hides records" in answer(few)[5]
    assert "Protecting single items hides some records" in answer(many)[5]


@pytest.mark.slow
def test_files_are_a_page_figures_and_charts():
    pytest.importorskip("altair")
    origins = [(data, "text", "few T&A", "food") for data in DATA]
    files = shown(figures(), origins)
    charts = {f"generalisation/{name}.svg" for name in ("k", "density", "utility", "left", "time")}
    assert set(files) == {"generalisation.md", "generalisation.json"} | charts
    assert all(files[name].startswith("<svg") for name in charts)
    text = files["generalisation.md"]
    assert all(f"({name})" in text for name in charts)
    rows = [
        line for line in text.splitlines() if line.startswith(f"| {WIKI} | rba | 0.70 | 0.80 ±0.00 / 0.75 |")
    ]
    assert len(rows) == 1
    assert "| 1.15 |" in rows[0]  # lift, 0.802 / 0.7
    plain = json.loads(files["generalisation.json"])
    assert len(plain["runs"]) == len(figures().runs)


@pytest.mark.slow
@pytest.mark.data
def test_experiment_runs_on_small_samples(data_dir):
    pytest.importorskip("altair")
    files = generalisation(data_dir, lambda _step, _share: None, quick=True)
    plain = json.loads(files["generalisation.json"])
    assert {run["data"] for run in plain["runs"]} == {*DATA, "Synthea"}
    assert {run["sweep"] for run in plain["runs"]} == {"k", "knowledge", "consistent", "density", "pairs"}
    assert len(plain["claims"]) == len(claims(figures()))
