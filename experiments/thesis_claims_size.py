"""Claims of the thesis about the maximum cluster size (4.4, 5.4, Figs. 5.21-5.30), and its headline numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.thesis_judging import (
    ABA,
    CONFIRMED,
    REFUTED,
    UNDECIDED,
    VPA,
    Claim,
    Trend,
    beats,
    judged,
    most_at,
    printed_places,
    together,
)

if TYPE_CHECKING:
    from experiments.thesis_figures import Estimate, Figures

_LARGE, _SMALL = (32, 64), (4, 8)


def accuracy_falls(figures: Figures) -> Claim:
    """Fig. 5.21."""
    trend = Trend(figures, "size", "accuracy")
    auc = Trend(figures, "size", "auc")
    gain = ", ".join(f"{attack} {auc.slope(attack).signed}" for attack in ABA)
    why = f"guessing falls as well, by {trend.slope('random').signed}; the ranking gets better: link AUC {gain} a step"
    return trend.claim("Fig. 5.21", "accuracy falls for all attacks as clusters grow", -1, why)


def movers_rise(figures: Figures) -> Claim:
    """Fig. 5.22."""
    trend = Trend(figures, "size", "movers", attacks=(*ABA, VPA))
    return trend.claim("Fig. 5.22", "WMD rises as clusters grow", 1, trend.why)


def itemsets_fall(figures: Figures) -> Claim:
    """Fig. 5.24."""
    trend = Trend(figures, "size", "km_any")
    return trend.claim("Fig. 5.24", "k^m breakage falls slightly as clusters grow", -1, trend.why)


def record_accuracy_falls(figures: Figures) -> Claim:
    """Fig. 5.25."""
    trend = Trend(figures, "size", "accuracy", "record")
    return trend.claim("Fig. 5.25", "record chunks: accuracy falls as clusters grow", -1, trend.why)


def record_breakage_rises(figures: Figures) -> Claim:
    """Fig. 5.26."""
    trend = Trend(figures, "size", "broken", "record")
    says = "record chunks: transaction breakage rises as clusters grow"
    return trend.claim("Fig. 5.26", says, 1, f"more items come into record chunks; {trend.why}")


def record_itemsets_fall(figures: Figures) -> Claim:
    """Fig. 5.27."""
    trend = Trend(figures, "size", "km_any", "record")
    says = "record chunks: k^m breakage falls slightly as clusters grow"
    return trend.claim("Fig. 5.27", says, -1, trend.why)


def term_accuracy_falls(figures: Figures) -> Claim:
    """Fig. 5.28."""
    trend = Trend(figures, "size", "accuracy", "term")
    return trend.claim("Fig. 5.28", "term chunks: accuracy falls as clusters grow", -1, trend.why)


def counts_beat_vectors_on_terms(figures: Figures) -> Claim:
    """Fig. 5.28."""
    pairs = [(f"aba/{term} NGD", f"aba/{term} WE") for term in ("aba", "rga", "mra")]
    get, verdict = beats(figures, "size", _LARGE, pairs, "accuracy", "term")
    small = beats(figures, "size", _SMALL, pairs[:1], "accuracy", "term")[0]
    return Claim(
        "Fig. 5.28",
        "term chunks: NGD is above WE in large clusters (32, 64)",
        get,
        verdict,
        f"in small ones (4, 8): {small}",
    )


def term_breakage_falls(figures: Figures) -> Claim:
    """Fig. 5.29."""
    trend = Trend(figures, "size", "broken", "term")
    says = "term chunks: transaction breakage falls as clusters grow"
    return trend.claim("Fig. 5.29", says, -1, trend.why)


def counts_break_more_itemsets(figures: Figures) -> Claim:
    """Fig. 5.30."""
    pairs = [(f"aba/{term} NGD", f"aba/{term} WE") for term in ("aba", "rga", "mra")]
    get, verdict = beats(figures, "size", _LARGE, pairs, "km_any", "term")
    own = beats(figures, "size", _LARGE, pairs[:1], "km_own", "term")[0]
    says = "term chunks: NGD breaks more itemsets than WE in large clusters (32, 64)"
    return Claim("Fig. 5.30", says, get, verdict, f"in their own record: {own}")


def mra_stands_out(figures: Figures) -> Claim:
    """Fig. 5.30."""
    pairs = [(f"aba/mra {name}", f"aba/{term} {name}") for name in ("WE", "NGD") for term in ("aba", "rga")]
    get, verdict = beats(figures, "size", _LARGE, pairs, "km_any", "term")
    own = beats(figures, "size", _LARGE, [pairs[0], pairs[2]], "km_own", "term")[0]
    says = "term chunks: MRA is outstanding in large clusters (32, 64), with NGD and with WE"
    return Claim("Fig. 5.30", says, get, verdict, f"sets that meet in any record; in their own record: {own}")


def vpa_likes_small_clusters(figures: Figures) -> Claim:
    """Sections 4.4 and 5.4."""
    pairs = [(VPA, attack) for attack in (*ABA, "random")]
    get, verdict = beats(figures, "size", _SMALL, pairs, "accuracy", "record")
    auc = [figures.at("size", x, VPA, "auc", "record").estimate.mean for x in (4, 8, 32, 64)]
    why = (
        "it does know something there (link AUC in clusters of at most 4, 8, 32, 64: "
        + ", ".join(f"{one:.3f}" for one in auc)
        + "), but the first arrangement that passes is a poor use of it"
    )
    return Claim("4.4, 5.4", "record chunks: VPA is best in small clusters (4, 8)", get, verdict, why)


def vpa_is_for_record_chunks(figures: Figures) -> Claim:
    """Section 5.4."""
    record, term = (
        (
            figures.at("size", 4, VPA, "hit", scope) - figures.at("size", 4, VPA, "hit", scope, "chance")
        ).estimate
        for scope in ("record", "term")
    )
    get = f"hit above guessing at 4: record chunks {record.signed}, term chunks {term.signed}"
    return Claim(
        "5.4",
        "VPA is effective on record chunks only",
        get,
        judged(record, 1),
        "terms are put down at random by definition",
    )


def sparse_and_small_is_worst(figures: Figures) -> Claim:
    """Section 5.4."""
    words, verdicts = [], []
    for attack in ABA:
        sparse = _above(figures, "density", 0.7, 0.2, attack)
        small = _above(figures, "size", 4, 64, attack)
        words.append(f"{attack}: TTR 0.7 minus 0.2 {sparse.signed}, size 4 minus 64 {small.signed}")
        verdicts += [judged(sparse, 1), judged(small, 1)]
    why = "guesses are right more often in small clusters, but so are blind ones; what meaning adds is what counts here"
    get = "hit above guessing, " + "; ".join(words)
    says = "the attack is very effective on sparse data and small clusters"
    return Claim("5.4", says, get, together(verdicts), why)


def _above(figures: Figures, sweep: str, one: float, other: float, attack: str) -> Estimate:
    gains = [
        figures.at(sweep, x, attack, "hit") - figures.at(sweep, x, attack, "hit", side="chance")
        for x in (one, other)
    ]
    return (gains[0] - gains[1]).estimate


def _headline(figures: Figures, measure: str, least: float) -> tuple[str, str, str]:
    """What we get for a printed number without a setting: at the main setting, and at the best one.

    What shuffled words reach as well is no work of meaning, which the thesis says it is.
    """
    main, best = most_at(figures, measure, [("k", 2)]), most_at(figures, measure, printed_places(figures))
    values, chances, controls = (
        [figures.at(*place, measure, side=side).estimate.mean for place in (main, best)]
        for side in ("value", "chance", "control")
    )
    get = (
        f"k=2, max 25, TTR 0.30: at best {values[0]:.3f} ({main[2]}), guessing {chances[0]:.3f}; anywhere: at best"
        f" {values[1]:.3f} ({best[2]}, {best[0]} {best[1]:g}), guessing {chances[1]:.3f}"
    )
    left = (
        f"above guessing {values[0] - chances[0]:+.3f} and {values[1] - chances[1]:+.3f}, above shuffled words"
        f" {values[0] - controls[0]:+.3f} and {values[1] - controls[1]:+.3f}"
    )
    if values[1] < least:
        return get, REFUTED, left
    return get, CONFIRMED if controls[1] < least else UNDECIDED, left


def sixty_percent_of_items(figures: Figures) -> Claim:
    """Abstract and chapter 6."""
    get, verdict, why = _headline(figures, "accuracy", 0.55)
    return Claim(
        "abstract, 6.1",
        "about 60 % of the disassociated items are re-associated",
        get,
        verdict,
        f"no setting is named; {why}",
    )


def seventy_percent_of_itemsets(figures: Figures) -> Claim:
    """Abstract and chapter 6."""
    get, verdict, why = _headline(figures, "km_any", 0.65)
    own = (
        figures.at("k", 2, "aba/aba NGD", "km_own").estimate,
        figures.at("k", 2, "random", "km_own").estimate,
    )
    why = f"no setting is named; {why}; in their own record {own[0].mean:.3f} (aba/aba NGD), guessing {own[1].mean:.3f}"
    return Claim("abstract, 6.1", "nearly 70 % of the protected itemsets are broken", get, verdict, why)


CLAIMS = (
    sixty_percent_of_items,
    seventy_percent_of_itemsets,
    accuracy_falls,
    movers_rise,
    itemsets_fall,
    record_accuracy_falls,
    record_breakage_rises,
    record_itemsets_fall,
    term_accuracy_falls,
    counts_beat_vectors_on_terms,
    term_breakage_falls,
    counts_break_more_itemsets,
    mra_stands_out,
    vpa_likes_small_clusters,
    vpa_is_for_record_chunks,
    sparse_and_small_is_worst,
)
