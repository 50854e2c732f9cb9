"""Figures of the thesis's experiments: pairing, intervals, verdicts and claims on made-up runs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from experiments.thesis_claims import claims
from experiments.thesis_claims_k import accuracy_rises, gap_shrinks
from experiments.thesis_claims_size import seventy_percent_of_itemsets
from experiments.thesis_figures import Estimate, Figures, Series, estimate, slope_of, spread_of
from experiments.thesis_helped import HELPED
from experiments.thesis_judging import judged, together
from experiments.thesis_page import page
from experiments.thesis_runs import Run, Scale, settings
from experiments.thesis_trial import MEASURES, SCOPES

PLAN = [*settings(Scale()), HELPED]


def made_up(rise: float, noise: float = 0.001, edge: float = 0.05) -> Figures:
    """Runs of which every measure rises by so much for each step of k, 0.05 above guessing."""
    rng, runs = np.random.default_rng(1), []
    for corpus, seed, setting in product(("ohsumed", "MedQuAD"), (1, 2), PLAN):
        level = 0.2 + rise * (setting.x if setting.sweep == "k" else 0)
        for tried in setting.attacks:
            found = {
                side: {
                    f"{measure}:{scope}": level + gain + noise * rng.normal()
                    for measure in (*MEASURES, "auc_shown", "movers")
                    for scope in SCOPES
                }
                for side, gain in (("value", edge), ("chance", 0.0), ("control", 0.01))
            }
            runs.append(Run(corpus, seed, setting.sweep, setting.x, tried, found))
    return Figures(runs)


def test_interval_is_students() -> None:
    values = [0.1, 0.4, 0.2, 0.5]
    low, high = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
    assert estimate(values) == pytest.approx(Estimate(0.3, low, high, 4))


def test_one_pair_has_no_interval() -> None:
    assert judged(estimate([5.0]), 1) == "chance"


def test_differences_are_paired_and_drop_what_one_side_lacks() -> None:
    left, right = Series({("a", 1): 0.5, ("a", 2): 0.7}), Series({("a", 2): 0.4, ("b", 1): 9.0})
    assert left - right == {("a", 2): pytest.approx(0.3)}


def test_slope_and_spread() -> None:
    steps = [Series({("a", 1): value}) for value in (0.1, 0.4, 0.4, 0.9)]
    assert slope_of(steps)["a", 1] == pytest.approx(np.polyfit(range(4), (0.1, 0.4, 0.4, 0.9), 1)[0])
    assert spread_of(steps)["a", 1] == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("low", "high", "sign", "verdict"),
    [
        (0.1, 0.2, 1, "confirmed"),
        (-0.2, -0.1, 1, "refuted"),
        (-0.1, 0.1, 1, "chance"),
        (-0.2, -0.1, -1, "confirmed"),
        (0.1, 0.2, -1, "refuted"),
    ],
)
def test_verdict_on_a_difference(low: float, high: float, sign: int, verdict: str) -> None:
    assert judged(Estimate((low + high) / 2, low, high, 9), sign) == verdict


def test_verdict_on_several_parts() -> None:
    assert together(["confirmed", "confirmed"]) == "confirmed"
    assert together(["confirmed", "chance"]) == "chance"
    assert together(["confirmed", "chance", "refuted"]) == "refuted"


def test_random_is_chance_and_other_sides_are_kept_apart() -> None:
    figures = made_up(0.0, noise=0.0)
    assert figures.at("k", 2, "random", "hit").estimate.mean == pytest.approx(0.2)
    assert figures.at("k", 2, "aba/aba WE", "hit").estimate.mean == pytest.approx(0.25)
    assert figures.at("k", 2, "aba/aba WE", "hit", side="control").estimate.mean == pytest.approx(0.21)
    assert figures.at("k", 2, "no such attack", "hit").estimate.pairs == 0


@pytest.mark.parametrize(("rise", "verdict"), [(0.05, "confirmed"), (-0.05, "refuted"), (0.0, "chance")])
def test_claim_follows_the_figures(rise: float, verdict: str) -> None:
    assert accuracy_rises(made_up(rise, noise=0.01)).verdict == verdict


@pytest.mark.parametrize(
    ("edge", "verdict"),
    [(0.1, "refuted"), (0.5, "confirmed")],  # 0.3 and 0.7 at best; shuffled words have 0.21
)
def test_number_without_a_setting(edge: float, verdict: str) -> None:
    assert seventy_percent_of_itemsets(made_up(0.0, edge=edge)).verdict == verdict


def test_number_that_shuffled_words_reach_as_well_is_not_confirmed() -> None:
    found = seventy_percent_of_itemsets(made_up(0.12))  # at k = 5 0.85, and 0.81 with shuffled words
    assert found.verdict == "chance"
    assert "above shuffled words +0.04" in found.why


def test_gap_that_stays_is_not_said_to_shrink() -> None:
    assert gap_shrinks(made_up(0.05)).verdict != "confirmed"


def test_every_claim_has_a_verdict_and_numbers() -> None:
    found = claims(made_up(0.03))
    assert {claim.verdict for claim in found} <= {"confirmed", "refuted", "chance"}
    assert len({claim.says for claim in found}) == len(found) > 40
    for claim in found:
        assert any(sign.isdigit() for sign in claim.get), claim
        assert "nan" not in claim.get + claim.why, claim


def test_page_fills_every_number() -> None:
    figures = made_up(0.03)
    unknown = {"unknown": {"WE": 0.1, "NGD": 0.0}}
    names = (
        "type_token_ratio",
        "clusters",
        "mean_cluster",
        "disassociated",
        "in_term_chunks",
        "without_anchor",
    )
    facts = [{"sweep": one.sweep, "x": one.x, **dict.fromkeys(names, 0.5), **unknown} for one in PLAN]
    lost = [{"data": "BMS-WebView-1", "strategy": "add", "k": k, "only": 0.1, "any": 0.2} for k in (2, 3)]
    text = page(figures, claims(figures), {"facts": facts, "frequency": [], "table_4_1": "", "tlost": lost})
    assert "nan" not in text
    assert "{" not in text
    assert all(
        f"](thesis/{name}.svg)" in text for name in ("k", "density", "size", "movers", "methods", "helped")
    )
    prose = [line for line in text.splitlines() if not line.startswith(("|", "!", "["))]
    assert max(map(len, prose)) <= 120


def test_every_setting_is_possible() -> None:
    for setting in PLAN:
        assert setting.max_cluster_size is None or setting.max_cluster_size >= 2 * setting.k - 1
    assert len({(one.sweep, one.x) for one in PLAN}) == len(PLAN)
