"""The experiment on public data: releases are the defaults, and what speaks against one follows from the figures."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.data.transactions import Transactions
from cloven.kinds.disassociated.methods import Disassociation
from experiments.datasets import AS_PAPERS, DEFAULTS, LIMITS, audited, described, objections, undecided


def row(said="do not publish", against=None, **figures):
    shown = {f"{name}{end}": 0.0 for name in LIMITS for end in ("", "_high")}
    return shown | {"verdict": said, "against": against} | figures


def test_the_defaults_are_those_of_the_method_and_the_papers_way_is_not():
    assert Disassociation() == DEFAULTS
    assert (AS_PAPERS.rare_items, AS_PAPERS.refine) == ("cluster", True)
    assert (DEFAULTS.rare_items, DEFAULTS.refine) == ("withhold", False)


def test_what_speaks_against_a_release_is_above_its_limit():
    assert objections(row("publish")) == []
    high = row(linked=0.25, linked_high=0.3, replayed=0.1, replayed_high=0.15)
    assert objections(high) == ["linkability 25.0 %, up to 30.0 %"]
    assert not undecided(high)
    several = row(against="these look like several records of one person; name the column")
    assert objections(several) == ["records look like several of one person"]
    assert not undecided(several)


def test_what_only_an_upper_end_speaks_against_is_not_decided():
    near = row(near_certain_added=0.008, near_certain_added_high=0.016)
    assert objections(near) == ["near-certain inference 0.8 %, up to 1.6 %"]
    assert undecided(near)
    assert not undecided(row("publish"))


@pytest.mark.slow
def test_a_row_is_an_audit_of_the_default_release():
    rng = np.random.default_rng(1)
    data = Transactions.from_records([rng.choice(list("abcdefgh"), 3, replace=False) for _ in range(300)])
    found = audited(data, quick=True)
    assert 0 < found["pairs_kept"] <= found["items_kept"] <= 1
    assert found["linked_low"] <= found["linked"] <= found["linked_high"]
    assert found["verdict"] in ("publish", "do not publish")
    assert described(data)["records"] == 300
