"""Claims of the thesis about k (Figs. 5.1-5.10): maximum 25, type-token ratio 0.30."""

from __future__ import annotations

from experiments.thesis_figures import Figures, mean_of, slope_of, spread_of
from experiments.thesis_judging import (
    ABA,
    SEMANTIC,
    VPA,
    Claim,
    Trend,
    beats,
    difference,
    in_range,
    judged,
    level,
    together,
)
from experiments.thesis_runs import KS

_RECALL = "recall alone is counted, and k-1 copies of each term are put down: more copies, more of them right"


def accuracy_rises(figures: Figures) -> Claim:
    """Fig. 5.1."""
    trend = Trend(figures, "k", "accuracy", attacks=(*SEMANTIC, VPA, "random"))
    says = "accuracy rises with k, even for a random attack"
    return trend.claim("Fig. 5.1, 5.4", says, 1, f"{_RECALL}; {trend.why}")


def accuracy_reaches_ninety(figures: Figures) -> Claim:
    """Fig. 5.1."""
    best = max(SEMANTIC, key=lambda one: figures.at("k", 5, one, "accuracy").estimate.mean)
    verdict = in_range(figures.at("k", 5, best, "accuracy").estimate, 0.9, 1.0)
    matched, chance = (figures.at("k", 5, name, "accuracy_best").estimate for name in (best, "random"))
    why = (
        f"the text counts any row with the same anchor as right: then {matched.mean:.3f}, guessing {chance.mean:.3f};"
        f" precision is {figures.at('k', 5, best, 'precision').estimate.mean:.3f}"
    )
    return Claim(
        "Fig. 5.1", "accuracy reaches over 90 % (k=5)", level(figures, "k", 5, best, "accuracy"), verdict, why
    )


def gap_shrinks(figures: Figures) -> Claim:
    """Fig. 5.1."""
    found = {attack: slope_of(figures.over("k", attack, "accuracy")).estimate for attack in ABA}
    get = "; ".join(
        f"{attack} above guessing changes by {slope.signed} a step" for attack, slope in found.items()
    )
    auc = ", ".join(
        f"{attack} {slope_of(figures.along('k', attack, 'auc')).estimate.signed}" for attack in ABA
    )
    verdict = together(judged(slope, -1) for slope in found.values())
    why = f"accuracy multiplies a small edge by more and more copies; link AUC, free of that, changes by {auc} a step"
    return Claim("Fig. 5.1", "the gap to the random attack becomes smaller with k", get, verdict, why)


def aba_wins(figures: Figures) -> Claim:
    """Fig. 5.1."""
    pairs = [(f"aba/aba {name}", f"aba/{term} {name}") for name in ("WE", "NGD") for term in ("rga", "mra")]
    get, verdict = beats(figures, "k", KS, pairs, "accuracy")
    why = "mean over k = 2 to 5; record chunks are attacked by ABA in all of them, so only term chunks differ"
    return Claim(
        "Fig. 5.1, 5.4",
        "on dense data (0.30) ABA is the most accurate, with NGD and with WE",
        get,
        verdict,
        why,
    )


def aba_wins_movers(figures: Figures) -> Claim:
    """Fig. 5.2 and 5.4."""
    get, verdict = beats(figures, "k", KS, [(attack, "random") for attack in ABA], "movers", sign=-1)
    why = "the best rows attract most items: some rebuilt records are crowded, others bare, and both are far off"
    return Claim("Fig. 5.2", "semantic attacks keep a lower WMD than the random attack", get, verdict, why)


def movers_of_chance_rise(figures: Figures) -> Claim:
    """Fig. 5.2."""
    trend = Trend(figures, "k", "movers", attacks=(VPA, "random"))
    why = "more items leave the anchors and k-1 copies of each are put down, so rebuilt records grow"
    return trend.claim("Fig. 5.2", "WMD rises with k for VPA and random", 1, why)


def movers_of_semantic_fall(figures: Figures) -> Claim:
    """Fig. 5.2."""
    found = {a: (figures.at("k", 5, a, "movers") - figures.at("k", 4, a, "movers")).estimate for a in ABA}
    get = "; ".join(f"{attack}: {step.signed} from k=4 to 5" for attack, step in found.items())
    slopes = ", ".join(f"{a} {slope_of(figures.along('k', a, 'movers')).estimate.signed}" for a in ABA)
    verdict = together(judged(step, -1) for step in found.values())
    return Claim(
        "Fig. 5.2",
        "WMD of semantic attacks falls slightly after k=4",
        get,
        verdict,
        f"over all k: {slopes} a step",
    )


def a_quarter_is_broken(figures: Figures) -> Claim:
    """Fig. 5.3."""
    found = [mean_of([figures.at("k", k, attack, "broken") for attack in SEMANTIC]).estimate for k in KS]
    chance = [figures.at("k", k, "random", "broken").estimate.mean for k in KS]
    get = ", ".join(f"k={k}: {one}" for k, one in zip(KS, found, strict=True))
    verdict = together(in_range(one, 0.2, 0.3) for one in found)
    why = (
        "one right item in about twenty breaks a record; guessing alone breaks "
        + ", ".join(f"{one:.3f}" for one in chance)
        + ", as it spreads its guesses over all rows while those of the attack crowd on the best ones"
    )
    return Claim("Fig. 5.3", "transaction breakage is around 25 % for all k", get, verdict, why)


def itemsets_rise(figures: Figures) -> Claim:
    """Fig. 5.4."""
    trend = Trend(figures, "k", "km_any")
    return trend.claim("Fig. 5.4", "k^m breakage rises with k", 1, f"{_RECALL}; {trend.why}")


def record_accuracy_rises(figures: Figures) -> Claim:
    """Fig. 5.5."""
    trend = Trend(figures, "k", "accuracy", "record")
    return trend.claim("Fig. 5.5", "record chunks: accuracy rises with k", 1, trend.why)


def record_breakage_falls(figures: Figures) -> Claim:
    """Fig. 5.6."""
    trend = Trend(figures, "k", "broken", "record")
    return trend.claim("Fig. 5.6", "record chunks: transaction breakage falls with k", -1, trend.why)


def record_itemsets_nearly_all(figures: Figures) -> Claim:
    """Fig. 5.7."""
    found = {a: figures.at("k", 5, a, "km_any", "record").estimate for a in (*ABA, "random")}
    get = "; ".join(f"{attack} {value}" for attack, value in found.items()) + " at k=5"
    own = ", ".join(
        f"{a} {figures.at('k', 5, a, 'km_own', 'record').estimate.mean:.3f}" for a in (*ABA, "random")
    )
    verdict = together(in_range(value, 0.9, 1.0) for value in found.values())
    says = "record chunks: even at high k almost all protected itemsets are found, also by guessing"
    return Claim(
        "Fig. 5.7", says, get, verdict, f"an itemset in any rebuilt record counts; in its own record: {own}"
    )


def term_accuracy_rises(figures: Figures) -> Claim:
    """Fig. 5.8."""
    trend = Trend(figures, "k", "accuracy", "term")
    return trend.claim("Fig. 5.8", "term chunks: accuracy rises with k", 1, f"{_RECALL}; {trend.why}")


def term_methods_meet(figures: Figures) -> Claim:
    """Fig. 5.8."""
    steps = [spread_of([figures.at("k", k, a, "accuracy", "term") for a in SEMANTIC]) for k in KS]
    slope = slope_of(steps).estimate
    ends = (
        f"spread of the six attacks {steps[0].estimate.mean:.3f} at k=2, {steps[-1].estimate.mean:.3f} at k=5"
    )
    get = f"{ends}; {slope.signed} a step"
    return Claim(
        "Fig. 5.8",
        "term chunks: methods differ less as k grows",
        get,
        judged(slope, -1),
        "the attacks hardly differ at any k",
    )


def aba_wins_on_terms(figures: Figures) -> Claim:
    """Fig. 5.8."""
    pairs = [(f"aba/aba {name}", f"aba/{term} {name}") for name in ("WE", "NGD") for term in ("rga", "mra")]
    get, verdict = beats(figures, "k", KS, pairs, "accuracy", "term")
    return Claim(
        "Fig. 5.8",
        "term chunks: ABA is best for all k, with NGD and with WE",
        get,
        verdict,
        "mean over k = 2 to 5",
    )


def term_breakage_rises(figures: Figures) -> Claim:
    """Fig. 5.9."""
    trend = Trend(figures, "k", "broken", "term")
    return trend.claim("Fig. 5.9", "term chunks: transaction breakage rises with k", 1, trend.why)


def term_itemsets_rise(figures: Figures) -> Claim:
    """Fig. 5.10."""
    trend = Trend(figures, "k", "km_any", "term")
    return trend.claim("Fig. 5.10", "term chunks: k^m breakage rises with k", 1, trend.why)


def meaning_helps_at_high_k(figures: Figures) -> Claim:
    """Section 5.4."""
    found = {
        (a, sweep, x): (
            figures.at(sweep, x, a, "auc") - figures.at(sweep, x, a, "auc", side="control")
        ).estimate
        for a in ABA
        for sweep, x in (("k", 5), ("density", 0.7))
    }
    get = "link AUC above control: " + "; ".join(
        f"{a}, {'k=5' if sweep == 'k' else 'TTR 0.7'} {gap.signed}" for (a, sweep, _), gap in found.items()
    )
    verdict = together(judged(gap, 1) for gap in found.values())
    top = difference(figures, "k", (5,), "aba/aba NGD", "random", "hit")
    return Claim(
        "5.4",
        "even with sparse data or high k, meaning helps",
        get,
        verdict,
        f"hit above guessing at k=5, NGD: {top.signed}",
    )


CLAIMS = (
    accuracy_rises,
    accuracy_reaches_ninety,
    gap_shrinks,
    aba_wins,
    aba_wins_movers,
    movers_of_chance_rise,
    movers_of_semantic_fall,
    a_quarter_is_broken,
    itemsets_rise,
    record_accuracy_rises,
    record_breakage_falls,
    record_itemsets_nearly_all,
    term_accuracy_rises,
    term_methods_meet,
    aba_wins_on_terms,
    term_breakage_rises,
    term_itemsets_rise,
    meaning_helps_at_high_k,
)
