"""Claims of the thesis about density (4.4, Figs. 5.11-5.20): k=2, maximum 25; a high type-token ratio is sparse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.thesis_figures import Figures, mean_of, slope_of, spread_of
from experiments.thesis_judging import (
    ABA,
    CONFIRMED,
    REFUTED,
    SEMANTIC,
    UNDECIDED,
    VPA,
    Claim,
    Trend,
    beats,
    in_range,
    judged,
    together,
)
from experiments.thesis_runs import DENSITIES

if TYPE_CHECKING:
    from collections.abc import Sequence

_SPARSE, _DENSE = (0.6, 0.7), (0.2, 0.3)
_NAMES = ("WE", "NGD")


def dense_is_for_aba(figures: Figures) -> Claim:
    """Sections 4.4 and 5.4."""
    pairs = [(f"aba/aba {name}", f"aba/{term} {name}") for name in _NAMES for term in ("rga", "mra")]
    get, verdict = beats(figures, "density", _DENSE, pairs, "accuracy")
    return Claim(
        "4.4, 5.4", "ABA is the better one on dense data (TTR 0.2, 0.3)", get, verdict, "accuracy, k=2"
    )


def sparse_is_for_others(figures: Figures) -> Claim:
    """Section 4.4."""
    pairs = [(f"aba/{term} {name}", f"aba/aba {name}") for name in _NAMES for term in ("rga", "mra")]
    get, verdict = beats(figures, "density", _SPARSE, pairs, "accuracy")
    why = "one best anchor term is a noisier witness than the mean of all, sparse or dense"
    return Claim("4.4", "MRA and RGA are the better ones on sparse data (TTR 0.6, 0.7)", get, verdict, why)


def accuracy_rises(figures: Figures) -> Claim:
    """Fig. 5.11."""
    trend = Trend(figures, "density", "accuracy", attacks=SEMANTIC)
    return trend.claim("Fig. 5.11", "accuracy rises greatly with TTR", 1, trend.why)


def counts_beat_vectors(figures: Figures) -> Claim:
    """Figs. 5.11, 5.15, 5.18 and section 5.4."""
    pairs = [(f"aba/{term} NGD", f"aba/{term} WE") for term in ("aba", "rga", "mra")]
    get, verdict = beats(figures, "density", _SPARSE, pairs, "accuracy")
    dense = beats(figures, "density", _DENSE, pairs[:1], "accuracy")[0]
    why = f"also on dense data ({dense}): so the domain of the counts decides, rather than coverage"
    return Claim("Fig. 5.11, 5.4", "at high TTR, NGD is above WE", get, verdict, why)


def movers_stay(figures: Figures) -> Claim:
    """Fig. 5.12."""
    found = [mean_of([figures.at("density", x, a, "movers") for a in ABA]).estimate for x in DENSITIES]
    means = [one.mean for one in found]
    get = f"{min(means):.2f} to {max(means):.2f} over the densities (mean of ABA with WE and NGD)"
    verdict = together(in_range(one, 2.5, 3.0) for one in found)
    chance = [figures.at("density", x, "random", "movers").estimate.mean for x in DENSITIES]
    why = (
        f"the scale is that of the vector space (theirs is not named; here GloVe, 100 dimensions); guessing gives"
        f" {min(chance):.2f} to {max(chance):.2f}"
    )
    return Claim("Fig. 5.12", "WMD of semantic attacks stays between 2.5 and 3", get, verdict, why)


def _peak(figures: Figures, scope: str, where: str, what: str) -> Claim:
    """Whether breakage at 0.5 is above both ends."""
    words, verdicts = [], []
    for attack in (*ABA, VPA):
        middle = figures.at("density", 0.5, attack, "broken", scope)
        for x in (0.2, 0.7):
            gap = (middle - figures.at("density", x, attack, "broken", scope)).estimate
            words.append(f"{attack} 0.5 minus {x}: {gap.signed}")
            verdicts.append(judged(gap, 1))
    chance = ", ".join(
        f"{figures.at('density', x, 'random', 'broken', scope).estimate.mean:.3f}" for x in DENSITIES
    )
    return Claim(
        where, what, "; ".join(words), together(verdicts), f"guessing breaks {chance} (TTR 0.2 to 0.7)"
    )


def breakage_peaks(figures: Figures) -> Claim:
    """Fig. 5.13."""
    return _peak(figures, "all", "Fig. 5.13", "transaction breakage peaks at TTR 0.5")


def record_breakage_peaks(figures: Figures) -> Claim:
    """Fig. 5.16."""
    return _peak(figures, "record", "Fig. 5.16", "record chunks: transaction breakage peaks at TTR 0.5")


def term_breakage_peaks(figures: Figures) -> Claim:
    """Fig. 5.19."""
    return _peak(figures, "term", "Fig. 5.19", "term chunks: transaction breakage peaks at TTR 0.5")


def methods_part(figures: Figures) -> Claim:
    """Fig. 5.14."""
    steps = [spread_of([figures.at("density", x, a, "km_any") for a in SEMANTIC]) for x in DENSITIES]
    slope = slope_of(steps).estimate
    get = f"spread of the six attacks {steps[0].estimate.mean:.3f} at 0.2, {steps[-1].estimate.mean:.3f} at 0.7; "
    return Claim(
        "Fig. 5.14",
        "methods differ more in k^m breakage as TTR grows",
        f"{get}{slope.signed} a step",
        judged(slope, 1),
        "the thesis calls high ratios dense here, but sparse elsewhere",
    )


def record_accuracy_turns(figures: Figures) -> Claim:
    """Fig. 5.15."""
    words, verdicts = [], []
    for attack in ABA:
        values = figures.along("density", attack, "accuracy", "record")
        up, down = slope_of(values[:4]).estimate, slope_of(values[3:]).estimate
        words.append(f"{attack}: {up.signed} a step up to 0.5, {down.signed} after")
        verdicts += [judged(up, 1), judged(down, -1)]
    guess = slope_of(figures.along("density", "random", "accuracy", "record")).estimate
    says = "record chunks: accuracy of semantic attacks rises up to TTR 0.5, then falls"
    return Claim("Fig. 5.15", says, "; ".join(words), together(verdicts), f"guessing: {guess.signed} a step")


def record_accuracy_of_vpa(figures: Figures) -> Claim:
    """Fig. 5.15."""
    trend = Trend(figures, "density", "accuracy", "record", attacks=(VPA,))
    above = mean_of(figures.over("density", VPA, "accuracy", "record")).estimate
    why = f"guessing: {trend.slope('random').signed} a step; VPA above guessing, mean over densities: {above.signed}"
    return trend.claim("Fig. 5.15", "record chunks: accuracy of VPA keeps rising with TTR", 1, why)


def vpa_breaks_more(figures: Figures) -> Claim:
    """Fig. 5.16."""
    get, verdict = beats(figures, "density", DENSITIES, [(VPA, attack) for attack in ABA], "broken", "record")
    above = mean_of(figures.over("density", VPA, "broken", "record")).estimate
    why = f"VPA minus guessing: {above.signed}; what breaks many transactions is spreading guesses over all rows"
    return Claim(
        "Fig. 5.16",
        "record chunks: VPA breaks more transactions than the semantic attacks",
        get,
        verdict,
        why,
    )


def record_itemsets_stay(figures: Figures) -> Claim:
    """Fig. 5.17."""
    trend = Trend(figures, "density", "km_any", "record")
    flat = [judged(trend.slope(attack), 1) == UNDECIDED for attack in trend.attacks]
    verdict = CONFIRMED if all(flat) else REFUTED
    says = "record chunks: k^m breakage does not change significantly with TTR"
    return Claim("Fig. 5.17", says, trend.get, verdict, trend.why)


def term_accuracy_parts(figures: Figures) -> Claim:
    """Fig. 5.18."""
    words, verdicts = [], []
    for name, sign in (("NGD", 1), ("WE", -1)):
        for term in ("aba", "rga", "mra"):
            slope = slope_of(figures.along("density", f"aba/{term} {name}", "accuracy", "term")).estimate
            words.append(f"aba/{term} {name} {slope.signed}")
            verdicts.append(judged(slope, sign))
    guess = slope_of(figures.along("density", "random", "accuracy", "term")).estimate
    says = "term chunks: accuracy rises with TTR for some methods with NGD and falls for some with WE"
    get = "a step changes it by " + "; ".join(words)
    return Claim(
        "Fig. 5.18",
        says,
        get,
        _some(verdicts),
        f"guessing: {guess.signed}; clusters shrink as data gets sparse",
    )


def _some(verdicts: Sequence[str]) -> str:
    """The thesis says some methods: one of each is enough."""
    halves = verdicts[: len(verdicts) // 2], verdicts[len(verdicts) // 2 :]
    if all(CONFIRMED in half for half in halves):
        return CONFIRMED
    return REFUTED if any(set(half) == {REFUTED} for half in halves) else UNDECIDED


def mra_with_counts_wins(figures: Figures) -> Claim:
    """Fig. 5.20."""
    best = "aba/mra NGD"
    pairs = [(best, other) for other in SEMANTIC if other != best]
    get, verdict = beats(figures, "density", DENSITIES, pairs, "km_any", "term")
    own = beats(figures, "density", DENSITIES, [(best, "aba/aba NGD")], "km_own", "term")[0]
    why = f"MRA piles terms on few rows, so many sets meet in some record; in their own record: {own}"
    return Claim(
        "Fig. 5.20",
        "term chunks: MRA with NGD has the best k^m breakage at most densities",
        get,
        verdict,
        why,
    )


CLAIMS = (
    dense_is_for_aba,
    sparse_is_for_others,
    accuracy_rises,
    counts_beat_vectors,
    movers_stay,
    breakage_peaks,
    methods_part,
    record_accuracy_turns,
    record_accuracy_of_vpa,
    record_breakage_peaks,
    vpa_breaks_more,
    record_itemsets_stay,
    term_accuracy_parts,
    term_breakage_peaks,
    mra_with_counts_wins,
)
