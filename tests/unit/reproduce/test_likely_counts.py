"""The experiment on likely counts: its page follows from the figures, and it runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cloven.kinds.disassociated.counts import Expected
from cloven.kinds.disassociated.likely import Shape, Tails, hidden_part, spread
from experiments.harness.claims import HOLDS, judged
from experiments.harness.claims import measured as figures_of
from experiments.harness.figures import as_csv, parse_csv
from experiments.likely_counts import CLAIMS, EXPERIMENT, fit
from experiments.likely_sizes import Asked, way_needed, way_of


def test_kept_claims_follow_from_the_kept_coverage():
    kept = EXPERIMENT.kept(Path(__file__).parents[3])
    assert parse_csv(as_csv(figures_of(CLAIMS, kept))) == kept["claims"]


def test_one_data_set_below_what_is_said_refutes_a_claim():
    ways = {"draws": 0.2, "spread": 0.5, "left out": 0.9, "release": 0.98, "owner": 0.95}
    kept = {
        "coverage": [{"data": "shop", "size": 2, "way": way, "all": share} for way, share in ways.items()],
        "sizes": [
            {
                "data": "shop",
                "records": 9,
                "size": 2,
                "spread": 0.99,
                "left_out": 0.96,
                "release": 0.97,
                "owner": share,
            }
            for share in (0.92, 0.99)
        ],
        "ways": [{"data": "shop", "way": 0.5}, {"data": "shed", "way": 0.75}],
    }
    found = {one.claim.name: one for one in judged(CLAIMS, figures_of(CLAIMS, kept))}
    assert {name for name, one in found.items() if one.verdict == HOLDS} == {"release"}
    assert found["owner"].found == (
        "least, shop, 9 records, pairs, 92.0 %; to compare: most, shop, 9 records, pairs, 99.0 %"
    )
    assert found["way"].figures["gone here minus in the program"].mean == pytest.approx(-0.05)


def test_a_fit_finds_the_numbers_that_made_the_counts():
    rng, true = np.random.default_rng(1), Shape(1.0, 0.7, 0.4, -0.5, -0.2)
    left, exact = rng.lognormal(0, 2, 20_000), rng.integers(0, 30, 20_000).astype(float)
    none = np.zeros(20_000)
    found = Expected(exact, none, left, rng.lognormal(1, 1, 20_000), none, none)
    mean, shape, chance = hidden_part(found, 2, true)
    counts = rng.negative_binomial(shape, chance) + exact
    assert mean.min() > 0
    asked = Asked(np.zeros((20_000, 2), np.int64), found, counts.astype(np.int64), np.ones(20_000, bool))
    assert np.abs(np.array(fit([asked], 2)) - np.array(true)).max() < 0.1


def test_the_way_that_is_needed_holds_the_truths_and_a_shorter_one_does_not():
    rng = np.random.default_rng(4)
    hidden, none = rng.lognormal(7, 1, 2_000), np.zeros(2_000)
    most = hidden * rng.uniform(2, 50, 2_000)
    true = np.floor(hidden * (most / hidden) ** rng.beta(2, 3, 2_000)).astype(np.int64)
    found = Expected(none, hidden, none, hidden, none, np.ceil(most))
    asked = Asked(np.zeros((2_000, 2), np.int64), found, true, np.ones(2_000, bool))
    way = way_needed(asked)
    for given, least, most_held in ((way, 0.95, 0.96), (way - 0.1, 0.0, 0.94)):
        _, low, high = spread(found, Tails(2), way=given)
        assert least <= np.mean((low <= true) & (true <= high)) <= most_held
    assert way + 0.025 <= way_of([asked]) <= way + 0.075


@pytest.mark.slow
@pytest.mark.data
def test_it_runs(data_dir):
    pytest.importorskip("altair")
    tables = EXPERIMENT.run(data_dir, lambda _step, _share: None, quick=True)
    assert "groceries" in EXPERIMENT.files(tables)["docs/results/likely-counts.md"]
    assert {row["way"] for row in tables["coverage"]} == {"draws", "spread", "left out", "release", "owner"}
