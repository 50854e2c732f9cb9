"""The experiment on known people: its verdicts follow from the figures, and it runs on small data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cloven.data.transactions import Transactions
from experiments.harness.claims import FAILS, HOLDS, judged
from experiments.harness.claims import measured as figures_of
from experiments.harness.figures import as_csv, parse_csv
from experiments.known_person import EXPERIMENT, SMALL, run_row
from experiments.known_person.page import CLAIMS, JUDGED, is_level, missed, standings, turned
from experiments.known_person.runs import (
    DEFAULT,
    WAYS,
    Thorough,
    ceiling,
    measured,
    names,
    sampled,
    settings,
    shop,
    visits,
)

ROOT = Path(__file__).parents[3]


def run(setting, told=0.0, certain=0.0, items=0.9, tkd=0.1, pairs=0.5, data="shop", part="settings"):
    return {
        "part": part, "data": data, "setting": setting, "told_adds": told, "told_upper": told + 0.005,
        "certain_adds": certain, "items_kept": items, "ceiling": 0.9, "pairs_kept": pairs, "tkd": tkd,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "lacking"),
    [
        ({}, []),
        ({"told": 0.02}, []),
        ({"told": 0.024}, ["told"]),
        ({"told": 0.03}, ["told", "told, upper end"]),
        ({"certain": 0.006}, ["certain"]),
        ({"items": 0.872}, ["items of the ceiling"]),
        ({"tkd": 0.12}, []),
        ({"tkd": 0.125}, ["tKd"]),
        ({"pairs": 0.474}, ["pairs kept"]),
    ],
)
def test_every_demand_is_held_against_its_limit(change, lacking):
    mine, before = run("default", **change, part="ways"), run("before", part="ways")
    assert missed(mine, before) == lacking
    kept = {"runs": [mine, before]}
    verdicts = {one.claim.name: one.verdict for one in judged(CLAIMS, figures_of(CLAIMS, kept))}
    assert {name for name, verdict in verdicts.items() if verdict == FAILS} == set(lacking)
    assert set(verdicts.values()) <= {HOLDS, FAILS}


def test_kept_claims_follow_from_the_kept_runs():
    kept = EXPERIMENT.kept(ROOT)
    assert parse_csv(as_csv(figures_of(CLAIMS, kept))) == kept["claims"]


def test_the_best_setting_tells_least_and_then_keeps_most():
    rows = [run("before", 0.2), run("max 120", tkd=0.2), run("max 30", 0.1), run("max 500", tkd=0.11)]
    assert [one["setting"] for one in standings(rows)] == ["max 500", "max 120", "max 30", "before"]


def test_a_setting_that_was_not_tried_everywhere_takes_no_part():
    rows = [
        run("before"),
        run("max 120"),
        run("hierarchical"),
        run("before", data="other"),
        run("max 120", data="other"),
    ]
    assert {one["setting"] for one in standings(rows)} == {"before", "max 120"}


def test_published_cases_must_be_at_the_level_of_outsiders():
    level = {"told_adds": 0.0, "told_upper": 0.01, "near_certain_upper": None, "certain_upper": 0.005}
    assert is_level(level)
    assert not is_level(level | {"certain_upper": 0.3})
    assert not is_level(level | {"told_adds": 0.3})


def test_a_smaller_k_or_m_that_is_published_is_found():
    def verdict(k, m, said):
        return {"data": "shop", "k": k, "m": m, "verdict": said}

    rows = [verdict(5, 2, "do not publish"), verdict(3, 2, "publish"), verdict(5, 1, "do not publish")]
    assert [(strong["m"], weak["k"]) for strong, weak in turned(rows)] == [(2, 3)]
    assert not turned([verdict(5, 2, "publish"), verdict(2, 1, "do not publish")])


def test_constructed_data_are_what_they_are_called():
    assert names(50).holders.min() == 1
    assert set(shop(50).lengths.tolist()) == {5}
    plain, told = visits(8, told=False), visits(8, told=True)
    assert (len(plain), plain.persons) == (40, None)
    assert len(np.unique(told.persons)) == 8


def test_samples_are_short_where_records_are_long():
    long = Transactions.from_records([[f"i{n}" for n in range(1_000)]] * 50)
    assert (len(sampled(long)), len(sampled(shop(50)))) == (35, 50)


def test_settings_vary_one_thing_at_a_time():
    few, many = settings(100), settings(10_000)
    assert set(few) - set(many) == {"max 120, hierarchical"}
    assert many["max 120"] == DEFAULT == WAYS["default"]
    assert many["whole data, refined"].max_cluster_size is None


def test_one_run_measures_both_sides():
    rng = np.random.default_rng(1)
    data = Transactions.from_records([[f"i{n}" for n in rng.integers(12, size=4)] for _ in range(120)])
    thorough = Thorough(people=30, divisions=SMALL.divisions, reconstructions=1)
    figures = measured("made", data, DEFAULT, thorough)
    assert set(JUDGED) <= set(figures["told"])
    assert figures["ceiling"] == ceiling(data, 5) == 1.0
    assert 0 < figures["items_kept"] <= 1
    assert figures["linked"] == {}
    row = run_row(figures)
    assert row["told_adds"] == max(way["told"][2] for way in figures["told"].values())


@pytest.mark.slow
@pytest.mark.data
def test_experiment_runs_on_small_samples(data_dir):
    pytest.importorskip("altair")
    tables = EXPERIMENT.run(data_dir, lambda _step, _share: None, quick=True)
    files = EXPERIMENT.files(tables)
    assert files["docs/results/known-person.md"].count("| What's Cooking |") == 3
    assert {row["setting"] for row in tables["cases"]} >= {"papers", "default", "mondrian k=5, l=4"}
