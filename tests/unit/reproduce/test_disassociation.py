"""The experiment on parameters: one run measures everything that is kept, and claims follow from the kept runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from cloven.data.transactions import Transactions
from experiments.disassociation import ANCHOR, CLAIMS, EXPERIMENT, even_taxonomy, experiments, run
from experiments.harness.claims import FAILS, HOLDS, PARTLY, judged, measured
from experiments.harness.figures import as_csv, parse_csv

KEPT = EXPERIMENT.kept(Path(__file__).parents[3])


def test_kept_claims_follow_from_the_kept_runs():
    assert parse_csv(as_csv(measured(CLAIMS, KEPT["runs"]))) == KEPT["claims"]


def test_verdicts_change_with_the_runs():
    before = {one.claim.name: one.verdict for one in judged(CLAIMS, KEPT["claims"])}
    assert before == {
        "refining": HOLDS, "abandon": HOLDS, "maximum": FAILS, "adding": PARTLY, "pos": HOLDS, "tkd": HOLDS,
    }  # fmt: skip
    other = [row | {"oversize": 0, "items_kept": 0.5} for row in KEPT["runs"]]
    after = {one.claim.name: one.verdict for one in judged(CLAIMS, measured(CLAIMS, other))}
    assert (after["maximum"], after["refining"]) == (HOLDS, FAILS)


def test_one_run_measures_what_is_kept():
    rng = np.random.default_rng(1)
    data = Transactions.from_records([[f"i{n}" for n in rng.integers(12, size=4)] for _ in range(60)])
    row = run("made", data, replace(ANCHOR, refine=False), taxonomy=even_taxonomy(data), reconstructions=2)
    assert [*row] == [*KEPT["runs"][0]][1:]
    assert (row["k"], row["max_cluster_size"], row["refine"], row["suppressed_records"]) == (5, 10, "no", 0)
    assert row["tkd_low"] <= row["tkd"] <= row["tkd_high"]


def test_one_thing_is_varied_at_a_time():
    plan = experiments()
    assert sum(map(len, plan.values())) * 4 == len(KEPT["runs"])
    assert set(plan) == {row["varied"] for row in KEPT["runs"]}
