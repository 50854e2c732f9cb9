"""The experiment on known people: its answers follow from the figures, and it runs on small data."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.data.transactions import Transactions
from experiments.known_person import SMALL, known_person, shown
from experiments.known_person.page import JUDGED, level, lines, meeting, page, standings, turned
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


def run(setting, told=0.0, certain=0.0, items=0.9, tkd=0.1, pairs=0.5, data="shop"):
    way = {
        "people": 100, "precision": 0.9, "told": [told + 0.1, 0.1, told, told + 0.005],
        "told_95": [0.0, 0.0, 0.0, 0.0], "certain": [certain, 0.0, certain, certain + 0.002],
    }  # fmt: skip
    return {
        "setting": setting, "data": data, "records": 1_000, "clusters": 9, "told": dict.fromkeys(JUDGED, way),
        "linked": {"release alone": [0.2, 0.3], "method": None}, "items_kept": items, "ceiling": 0.9,
        "pairs_kept": pairs, "tkd": tkd, "tkd_sets": tkd, "re": None, "seconds": 0.1,
    }  # fmt: skip


def case(verdict, certain):
    tail = [certain, 0.0, certain, certain]
    return {
        "case": "names", "setting": "papers", "verdict": verdict, "reasons": ["told"],
        "told": [*tail, "a known person"], "tails": {"certain": tail},
    }  # fmt: skip


def verdict(k, m, said):
    return {"data": "shop", "k": k, "m": m, "verdict": said}


def found(default, cases=(), lowered=(), tried=None):
    ways = [run("papers", 0.4), run("before", 0.2), default]
    tried = [run("before", 0.2), run("max 120"), run("max 30", 0.1)] if tried is None else tried
    return {"ways": ways, "settings": tried, "cases": list(cases), "lowered": list(lowered)}


def words(text):
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("change", "missed"),
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
def test_every_demand_is_held_against_its_limit(change, missed):
    assert [line.name for line in lines(run("default", **change), run("before")) if not line.holds] == missed


def test_the_page_says_what_is_missed_and_what_would_meet_it():
    good = words(page(found(run("default"))))
    assert "Of 6 demands on the default, 6 hold: all." in good
    assert (
        "40.0 % with the papers' way (shop), 20.0 % with the default before (shop), 0.0 % with the default"
        in good
    )
    assert (
        "*max 120* misses fewest demands (0 on what is told, 0 on what is kept): it is the default." in good
    )
    bad = words(page(found(run("default", tkd=0.15))))
    assert "Of 6 demands on the default, 5 hold; missed: tKd on shop by 0.030." in bad
    assert "- shop, tKd: missed by 0.030; on the samples below met by max 120; max 30." in bad


def test_the_best_setting_tells_least_and_then_keeps_most():
    rows = [run("before", 0.2), run("max 120", tkd=0.2), run("max 30", 0.1), run("max 500", tkd=0.11)]
    assert [one["setting"] for one in standings(rows)] == ["max 500", "max 120", "max 30", "before"]
    assert meeting(rows, "shop", "tKd") == ["max 30", "max 500"]
    text = words(page(found(run("default"), tried=rows)))
    assert "*max 500* misses fewest demands" in text
    assert "the default, *max 120*, misses 0 on what is told, 1 on what is kept." in text


def test_a_default_that_was_not_tried_is_not_called_the_best():
    rows = [run("before", 0.2), run("max 500")]
    text = words(page(found(run("default"), tried=rows)))
    assert "*max 500* misses fewest demands" in text
    assert "the default, *max 120*, was not tried on all of them." in text


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
    assert not level(case("publish", 0.3))
    leaking = words(page(found(run("default"), [case("publish", 0.3), case("do not publish", 0.3)])))
    assert "Of 2 audits of constructed cases 1 say publish; not at the level of outsiders: names" in leaking
    assert "names (papers, told 30.0 % more)." in leaking
    fine = words(page(found(run("default"), [case("publish", 0.0)])))
    assert "in each of them told and certain are at the level of outsiders." in fine


def test_a_smaller_k_or_m_that_is_published_is_found():
    rows = [verdict(5, 2, "do not publish"), verdict(3, 2, "publish"), verdict(5, 1, "do not publish")]
    assert [(strong["m"], weak["k"]) for strong, weak in turned(rows)] == [(2, 3)]
    assert "turned *do not publish* into *publish* on shop, in 1 pairs of settings." in page(
        found(run("default"), lowered=rows)
    )
    rows = [verdict(5, 2, "publish"), verdict(2, 1, "do not publish")]
    assert not turned(rows)
    assert "never turned *do not publish* into *publish*." in page(found(run("default"), lowered=rows))


def test_charts():
    pytest.importorskip("altair")
    files = shown(found(run("default")))
    assert set(files) == {
        "known-person.md", "known-person.json", "known-person/told.svg", "known-person/settings.svg",
    }  # fmt: skip
    assert files["known-person/told.svg"].startswith("<svg")


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


@pytest.mark.slow
@pytest.mark.data
def test_experiment_runs_on_small_samples(data_dir):
    files = known_person(data_dir, lambda _step, _share: None, quick=True)
    assert files["known-person.md"].count("| What's Cooking |") > 10
