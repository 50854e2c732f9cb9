"""The experiment on covers: the control keeps what it should, answers follow from the figures, and it runs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from cloven.data.transactions import Transactions
from experiments.cover import EXPERIMENT
from experiments.cover.page import UNITS, linear, verdict
from experiments.cover.runs import COUNTS, exchanged, run

STRAIGHT = [(10, 100), (20, 200), (40, 400)]
BENT = [(10, 100), (20, 400), (40, 90)]


def sizes(values, **others):
    """A value for every count at each size; some counts have values of their own."""
    scores = {f"{name}{end}": 1.0 for name in ("moderate", "weak") for end in ("", "_low", "_high")}
    return [
        {"data": "data", "size": size}
        | dict.fromkeys(COUNTS, value)
        | {name: own[place] for name, own in others.items()}
        | scores
        | {"detection_seconds": 0.1}
        for place, (size, value) in enumerate(values)
    ]


def repair(safe="cover", **own):
    row = {"data": "data", "size": 10, "safe": safe, "covers": 0, "share_suppressed": 0.01, "pairs_kept": 0.5}
    return row | {"broken_pairs": 2, "enumerated": 5, "several_chunks": 20} | own


def answers(values, repairs=None, share=0.5):
    """The points of the page, where the score without associations is a share of that with them."""
    control = [
        {"data": "data", "size": size, "measure": "score", "mean": share * value, "low": 0.0, "high": 0.0}
        for size, value in values
    ]
    table = [row | {"data": "BMS-WebView-1"} for row in sizes(values)]
    kept = {"sizes": table, "exchanged": [row | {"data": "BMS-WebView-1"} for row in control]}
    return verdict(kept | {"repair": repairs or [repair("no"), repair(), repair("exact")]})


def test_exchanges_keep_supports_and_sizes_and_leave_nothing_together():
    rng = np.random.default_rng(1)
    records = [["a", "b", "cd"[place % 2]] if place % 4 else ["e", "f"] for place in range(400)]
    data = Transactions.from_records(records)
    other = exchanged(data, rng)
    assert other.vocabulary == data.vocabulary
    assert other.supports.tolist() == data.supports.tolist()
    assert other.lengths.tolist() == data.lengths.tolist()
    together = {pair: sum(set(pair) <= record for record in other) for pair in combinations("abef", 2)}
    assert together["a", "b"] < 280, "of 300 that hold both"
    assert together["e", "f"] < 40, "of 100 that hold both"
    assert together["a", "e"] > 20, "of none"


def test_growth_knows_a_straight_line():
    assert linear(sizes(STRAIGHT), "covers") == {"data": True}
    assert linear(sizes(BENT), "covers") == {"data": False}
    assert linear(sizes([(10, 100), (20, 105), (40, 115)]), "covers") == {"data": False}, (
        "straight, and level"
    )


def test_records_are_judged_apart_from_other_counts():
    table = sizes(BENT, records=(100, 210, 390))
    assert [unit for unit in UNITS if linear(table, unit)["data"]] == ["records"]
    assert "holds for vulnerable records" in answers(STRAIGHT)[0]
    assert "does not hold for vulnerable records" in answers(BENT)[0]


@pytest.mark.parametrize(
    ("share", "source"),
    [(0.9, "mostly from supports"), (0.5, "from both"), (0.1, "mostly from associations")],
)
def test_the_control_says_where_covers_come_from(share, source):
    assert (
        f"{100 * share:.0f} % to {100 * share:.0f} % on BMS-WebView-1 ({source})"
        in answers(BENT, share=share)[1]
    )


@pytest.mark.parametrize(
    ("own", "says"),
    [
        ({}, "**Repair costs little.** `--safe cover` removes every cover"),
        ({"share_suppressed": 0.03}, "**Repair costs much.** `--safe cover` removes every cover"),
        ({"covers": 4}, "**Repair costs little.** `--safe cover` leaves 4 covers"),
    ],
)
def test_the_price_of_repair_is_called_what_it_is(own, says):
    assert says in answers(BENT, [repair("no"), repair(**own), repair("exact")])[4]


def test_what_could_not_be_enumerated_is_counted_over_all_releases():
    rows = [repair("no"), repair(), repair(several_chunks=8), repair("exact", broken_pairs=0)]
    told = answers(BENT, rows)[5]
    assert "after `--safe cover` 4 pairs are broken in the 10 of 28 clusters" in told
    assert "after `--safe exact` 0 pairs are broken in the 5 of 20 clusters" in told


@pytest.mark.slow
@pytest.mark.data
def test_experiment_runs_on_small_samples(data_dir):
    pytest.importorskip("altair")
    found = run(data_dir, lambda _step, _share: None, quick=True)
    assert {row["data"] for row in found["exchanged"]} == {"BMS-WebView-1", "BMS-WebView-2", "groceries"}
    assert [row["safe"] for row in found["repair"]] == 3 * ["no", "cover", "exact"]
    assert len(verdict(found)) == 6
    assert "docs/results/cover.md" in EXPERIMENT.files(found)
