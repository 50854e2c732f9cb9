"""Figures of the thesis's experiments: pairing, intervals, verdicts and claims on made-up runs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from experiments.harness.claims import FAILS, HOLDS, OPEN, VERDICTS, Judged, judged, measured
from experiments.harness.figures import Estimate, Series, as_csv, estimate, parse_csv, slope_of, spread_of
from experiments.thesis import EXPERIMENT, Gathered, kept
from experiments.thesis.claims import CLAIMS, Figures
from experiments.thesis.runs import HELPED, MEASURES, SCOPES, Run, Scale, settings

PLAN = [*settings(Scale()), HELPED]
SLOPE = 0.05


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


def judged_from(figures: Figures) -> list[Judged]:
    """All claims, from the figures as they are kept."""
    return judged(CLAIMS, parse_csv(as_csv(measured(CLAIMS, figures))))


def verdict(figures: Figures, says: str) -> str:
    """That of the one claim that says so."""
    (one,) = [each for each in judged_from(figures) if each.claim.says.startswith(says)]
    return one.verdict


def test_interval_is_students() -> None:
    values = [0.1, 0.4, 0.2, 0.5]
    low, high = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
    assert estimate(values) == pytest.approx(Estimate(0.3, low, high, 4))


def test_one_pair_has_no_interval() -> None:
    assert not estimate([5.0]).has_interval


def test_differences_are_paired_and_drop_what_one_side_lacks() -> None:
    left, right = Series({("a", 1): 0.5, ("a", 2): 0.7}), Series({("a", 2): 0.4, ("b", 1): 9.0})
    assert left - right == {("a", 2): pytest.approx(0.3)}


def test_slope_and_spread() -> None:
    steps = [Series({("a", 1): value}) for value in (0.1, 0.4, 0.4, 0.9)]
    assert slope_of(steps)["a", 1] == pytest.approx(np.polyfit(range(4), (0.1, 0.4, 0.4, 0.9), 1)[0])
    assert spread_of(steps)["a", 1] == pytest.approx(0.8)


def test_random_is_chance_and_other_sides_are_kept_apart() -> None:
    figures = made_up(0.0, noise=0.0)
    assert figures.at("k", 2, "random", "hit").estimate.mean == pytest.approx(0.2)
    assert figures.at("k", 2, "aba/aba WE", "hit").estimate.mean == pytest.approx(0.25)
    assert figures.at("k", 2, "aba/aba WE", "hit", side="control").estimate.mean == pytest.approx(0.21)
    assert figures.at("k", 2, "no such attack", "hit").estimate.pairs == 0


@pytest.mark.parametrize(("rise", "found"), [(SLOPE, HOLDS), (-SLOPE, FAILS), (0.0, OPEN)])
def test_claim_follows_the_figures(rise: float, found: str) -> None:
    assert verdict(made_up(rise, noise=0.01), "accuracy rises with k, even") == found


@pytest.mark.parametrize(
    ("edge", "found"),
    [(0.1, FAILS), (0.5, HOLDS)],  # 0.3 and 0.7 at best; shuffled words have 0.21
)
def test_number_without_a_setting(edge: float, found: str) -> None:
    assert verdict(made_up(0.0, edge=edge), "nearly 70 %") == found


def test_number_that_shuffled_words_reach_as_well_does_not_hold_for_certain() -> None:
    figures = made_up(0.12)  # at k = 5 0.85, and 0.81 with shuffled words
    assert verdict(figures, "nearly 70 %") == OPEN


def test_gap_that_stays_is_not_said_to_shrink() -> None:
    assert verdict(made_up(SLOPE), "the gap to the random attack") != HOLDS


def test_every_claim_has_a_verdict_and_numbers() -> None:
    found = judged_from(made_up(0.03))
    assert {one.verdict for one in found} <= set(VERDICTS)
    assert len({one.claim.name for one in found}) == len(found) == 49
    for one in found:
        assert one.figures, one.claim
        assert "nan" not in one.found, one.claim


def test_page_is_made_of_a_run() -> None:
    figures = made_up(0.03)
    names = (
        "type_token_ratio",
        "clusters",
        "mean_cluster",
        "disassociated",
        "in_term_chunks",
        "without_anchor",
    )
    shares = dict.fromkeys(names, 0.5) | {"disassociated": 0.8, "unknown": {"WE": 0.1, "NGD": 0.0}}
    facts = [{"sweep": one.sweep, "x": one.x, **shares} for one in PLAN]
    printed = {"measure": "Li", "printed": 0.72, "pearson": 0.7199, "exceptions": 7}
    rare = [{"measure": "ngd", "bias": bias} for bias in (-0.1, 0.2)]
    tables = kept(Gathered(list(figures.runs), facts, {"table_4_1": [printed], "frequency": rare}))
    text = EXPERIMENT.page(tables).text("thesis")
    assert "nan" not in text
    accuracy = figures.at("k", 2, "aba/aba NGD", "accuracy").estimate.mean
    as_printed = f"{0.2 + 0.8 * accuracy:.2f} (guessing"  # a fifth of the items stands in anchors
    assert f"would give about {as_printed}" in " ".join(text.split())


@pytest.mark.parametrize(
    ("edge", "said"),
    [(0.0, "Not for certain."), (0.35, "Yes, but little."), (0.5, "Yes.")],
)
def test_whether_meaning_helps_is_read_off(edge: float, said: str) -> None:
    from experiments.thesis import attacks
    from experiments.thesis.page import _answer

    assert (
        f"**Does meaning help? {said}**" in _answer(attacks(made_up(0.0, edge=edge)))[0]
    )  # 0.2 and so much more


def test_every_setting_is_possible() -> None:
    for setting in PLAN:
        assert setting.max_cluster_size is None or setting.max_cluster_size >= 2 * setting.k - 1
    assert len({(one.sweep, one.x) for one in PLAN}) == len(PLAN)
