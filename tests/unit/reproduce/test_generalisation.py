"""The experiment on set-based generalisation: its verdicts follow from the figures, and it measures what it says."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.kinds.generalised.attack.elimination import Elimination
from cloven.kinds.generalised.release import SetGeneralised
from experiments.generalisation import EXPERIMENT, kept_of, run
from experiments.generalisation.claims import CLAIMS, exponent
from experiments.generalisation.described import GeneralisedDescription
from experiments.generalisation.figures import Figures
from experiments.generalisation.page import higher, rows_of
from experiments.generalisation.runs import (
    COOKING,
    MEASURES,
    MEDQUAD,
    OHSUMED,
    RANKED,
    WIKI,
    RootedWordNet,
    Run,
    all_but_nearest,
    from_root,
    timed,
)
from experiments.harness.claims import FAILS, HOLDS, OPEN, PARTLY, judged
from experiments.harness.data import WORDNET

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
                places += [
                    (from_root("consistent", depth), k, method)
                    for depth in (1, 0)
                    for k in (2, 5)
                    for method in ("tba", "rba")
                ]
                places += [("density", x, method) for x in (0.2, 0.4) for method in ("tba", "rba")]
            runs += [Run(data, seed, sweep, x, method, ABOUT, 5, here) for sweep, x, method in places]
    return Figures(runs, times)


def verdict(of, name):
    (one,) = [one for one in judged(CLAIMS, kept_of(of)["claims"]) if one.claim.name == name]
    return one.verdict


def test_headline_is_judged_by_recall_and_precision_together():
    assert verdict(figures(0.85), "headline") == HOLDS
    assert verdict(figures(0.75), "headline") == FAILS
    assert verdict(figures(0.85, recall=0.6), "headline") == FAILS


def test_headline_stands_beside_what_guessing_has():
    (one,) = [
        one for one in judged(CLAIMS, kept_of(figures(0.85, 0.82))["claims"]) if one.claim.name == "headline"
    ]
    assert one.beside["of random elimination"].mean == pytest.approx(0.82)
    assert one.beside["recall of all but one random item"].mean == pytest.approx(0.75)


@pytest.mark.parametrize(("value", "says"), [(0.8, HOLDS), (0.7, FAILS), (0.9, FAILS)])
def test_about_eighty_is_a_range(value, says):
    assert verdict(figures(value), "about 80") == says


def test_equal_releases_have_unchanged_f_and_no_lower_recall():
    assert verdict(figures(), "consistent, same") == HOLDS
    assert verdict(figures(), "consistent, lower") == OPEN


def test_time_is_judged_by_power_and_order():
    assert verdict(figures(), "fastest") == HOLDS
    assert verdict(figures(), "growth") == HOLDS
    slow = [row | {"seconds": row["size"] ** 2 / 1e6} for row in TIMES]
    assert verdict(figures(times=slow), "fastest") == FAILS
    assert verdict(figures(times=slow), "growth") == PARTLY, "of four powers one is right"


def test_it_is_counted_where_the_baseline_is_beaten():
    assert higher(kept_of(figures(0.8, one=0.75)), "f, rba minus one") == "4 of 4"
    assert higher(kept_of(figures(0.8, one=0.85)), "f, rba minus one") == "0 of 4"


def test_records_are_counted_over_all_samples():
    # 2 hidden and 50 unique in each of 3 samples; a half is rebuilt
    rows = rows_of(kept_of(figures(0.5, wobble=0.0))["releases"], sweep="k")
    assert {(row["unique"], row["hidden"], row["unique_again"]) for row in rows} == {(150, 6, 3)}


def test_a_gap_is_taken_sample_by_sample():
    (row,) = rows_of(kept_of(figures())["gaps"], gap="precision, rba minus random", data=WIKI, k=5)
    assert row["mean"] == pytest.approx(0.102)
    assert row["low"] < row["mean"] < row["high"]


@pytest.mark.data
def test_at_depth_0_nouns_that_only_the_root_joins_have_nothing_in_common(data_dir):
    words = ("walrus", "weasel", "gratitude", "entity")
    (one, zero) = (
        RootedWordNet(WORDNET.path(data_dir), depth).relate(words).block(np.arange(4), np.arange(4))
        for depth in (1, 0)
    )
    assert one[0, 2] > 0
    assert zero[0, 2] == pytest.approx(0, abs=1e-6)
    assert 0.5 < zero[0, 1] < one[0, 1] < 1
    assert zero.diagonal().tolist() == one.diagonal().tolist() == [1, 1, 1, 1]


def test_exponent_uses_the_three_largest_tables():
    rows = [{"method": "x", "size": size, "seconds": size**2} for size in (10, 20, 40)]
    rows.append({"method": "x", "size": 2, "seconds": 1e6})
    assert exponent(rows, "x") == pytest.approx(1)


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


@pytest.mark.slow
@pytest.mark.data
def test_experiment_runs_on_small_samples(data_dir):
    pytest.importorskip("altair")
    found = run(data_dir, lambda _step, _share: None, quick=True)
    assert {row["data"] for row in found["attacks"]} == {*DATA, "Synthea"}
    assert {row["sweep"] for row in found["attacks"]} == {
        "k", "knowledge", "consistent", "consistent, root at 0", "density", "pairs",
    }  # fmt: skip
    assert {row["claim"] for row in found["claims"]} >= {
        claim.name for claim in CLAIMS if claim.name != "headline"
    }
    assert "docs/results/generalisation.md" in EXPERIMENT.files(found)
