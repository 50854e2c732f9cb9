"""Figures of the thesis's experiments: pairing, intervals, verdicts and claims on made-up runs."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

from experiments.harness.figures import Estimate, Series, estimate, slope_of, spread_of
from experiments.harness.former import Claim, judged, together
from experiments.thesis.claims import SEMANTIC, Figures, claims
from experiments.thesis.page import answer, page
from experiments.thesis.runs import HELPED, MEASURES, SCOPES, Run, Scale, settings

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


def claim(figures: Figures, says: str) -> Claim:
    """The one claim that says so."""
    (one,) = [each for each in claims(figures) if each.says.startswith(says)]
    return one


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
    assert claim(made_up(rise, noise=0.01), "accuracy rises with k, even").verdict == verdict


@pytest.mark.parametrize(
    ("edge", "verdict"),
    [(0.1, "refuted"), (0.5, "confirmed")],  # 0.3 and 0.7 at best; shuffled words have 0.21
)
def test_number_without_a_setting(edge: float, verdict: str) -> None:
    assert claim(made_up(0.0, edge=edge), "nearly 70 %").verdict == verdict


def test_number_that_shuffled_words_reach_as_well_is_not_confirmed() -> None:
    found = claim(made_up(0.12), "nearly 70 %")  # at k = 5 0.85, and 0.81 with shuffled words
    assert found.verdict == "chance"
    assert "above shuffled words +0.04" in found.why


def test_gap_that_stays_is_not_said_to_shrink() -> None:
    assert claim(made_up(0.05), "the gap to the random attack").verdict != "confirmed"


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
    shares = dict.fromkeys(names, 0.5) | {"disassociated": 0.8}
    facts = [{"sweep": one.sweep, "x": one.x, **shares, **unknown} for one in PLAN]
    lost = [{"data": "BMS-WebView-1", "strategy": "add", "k": k, "only": 0.1, "any": 0.2} for k in (2, 3)]
    text = page(figures, claims(figures), {"facts": facts, "frequency": [], "table_4_1": "", "tlost": lost})
    assert "nan" not in text
    assert "{" not in text
    assert all(
        f"](thesis/{name}.svg)" in text for name in ("k", "density", "size", "movers", "methods", "helped")
    )
    accuracy = max(figures.mean("k", 2, attack, "accuracy") for attack in SEMANTIC)
    printed = f"{0.2 + 0.8 * accuracy:.2f} (guessing"  # a fifth of the items stands in anchors
    assert f"would give about {printed}" in " ".join(text.split())
    assert "counted by the text of equation 5.4" in " ".join(text.split())
    prose = [line for line in text.splitlines() if not line.startswith(("|", "!", "["))]
    assert max(map(len, prose)) <= 120


@pytest.mark.parametrize(
    ("edge", "told"),
    [(0.0, "Not that these figures could tell."), (0.35, "Yes, but little."), (0.5, "Yes.")],
)
def test_whether_meaning_helps_is_read_off(edge: float, told: str) -> None:
    figures = made_up(0.0, edge=edge)  # 0.2 and so much more
    assert f"**Does meaning help? {told}**" in answer(figures, claims(figures))[0]


def changed(figures: Figures, sweep: str, x: float, label: str, by: float, side: str = "value") -> Figures:
    """The same figures, but all of one attack at one place."""
    runs = [
        replace(run, found={**run.found, side: {name: value + by for name, value in run.found[side].items()}})
        if (run.sweep, run.x, run.tried.label) == (sweep, x, label)
        else run
        for run in figures.runs
    ]
    return Figures(runs)


def test_what_large_clusters_do_is_read_off() -> None:
    figures = made_up(0.0)
    largest = figures.places["size"][-1]
    assert "clusters give meaning more to say, and any one guess has more chance" in " ".join(
        answer(changed(figures, "size", largest, "aba/aba NGD", 0.1), [])
    )
    assert "clusters do not give meaning more to say, and any one guess has less chance" in " ".join(
        answer(changed(figures, "size", largest, "aba/aba NGD", -0.1), [])
    )


def test_whether_the_domain_helps_is_read_off() -> None:
    figures = made_up(0.0)
    for name in ("NGD", "NPMI", "SVD"):
        figures = changed(figures, "helped", 0, f"aba/aba {name}", -0.1)
    assert "A corpus of the right domain does not: link AUC" in answer(figures, [])[3]
    for name in ("NGD", "NPMI", "SVD"):
        figures = changed(figures, "helped", 0, f"aba/aba {name}", 0.2)
    assert "A corpus of the right domain does: link AUC" in answer(figures, [])[3]


def test_breakage_is_warned_of_where_guessing_breaks_more() -> None:
    figures = made_up(0.0)
    assert "**Transaction breakage.**" in answer(figures, [])[4]
    assert "Beware" in answer(changed(figures, "k", 2, "aba/aba NGD", -0.1), [])[4]


def test_every_setting_is_possible() -> None:
    for setting in PLAN:
        assert setting.max_cluster_size is None or setting.max_cluster_size >= 2 * setting.k - 1
    assert len({(one.sweep, one.x) for one in PLAN}) == len(PLAN)
