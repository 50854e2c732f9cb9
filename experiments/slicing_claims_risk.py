"""Claims about the risk under the composition attack: Figures 5 to 7 of BinJubier et al.

The ratio of matched to total records can be read in four ways (strict or soft, over individuals or over matches). A
claim is judged by the soft ratio over individuals, and it is told which of the other readings judge otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.slicing_data import EDUCATION, OCCUPATION
from experiments.slicing_methods import (
    ADAPTIVE,
    COMPOSITION,
    DIFFGEN,
    HYBRID,
    MERGING,
    MONDRIAN,
    MONDRIAN_L,
    NO_SWAP,
    PROBABILISTIC,
    RATES,
    RIVALS,
    SLICING,
    UL_ADAPTIVE,
    UL_MAIN,
    swapped,
)
from experiments.thesis_figures import slope_of
from experiments.thesis_judging import UNDECIDED, Claim, judged, together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.slicing_figures import Figures
    from experiments.thesis_figures import Estimate

READINGS = {
    "drr_soft": "soft",
    "drr_strict": "strict",
    "drr_soft_matches": "soft over matches",
    "drr_strict_matches": "strict over matches",
    "confidence": "confidence",
}
BOTH = (EDUCATION, OCCUPATION)


def risk_claims(figures: Figures) -> list[Claim]:
    """All claims about risk, in the order of the paper."""
    return [
        _private(figures),
        _hybrid(figures),
        _merging(figures),
        _lowest(figures),
        _lowest_as_cut(figures),
        _swaps(figures),
        _rate(figures),
    ]


def below(figures: Figures, one: str, others: Sequence[str], measure: str) -> str:
    """Whether a method has a lower risk than each of some others."""
    gaps = [figures.gap(one, other, measure, BOTH) for other in others]
    known = [gap for gap in gaps if gap.pairs > 1]
    return together(judged(gap, -1) for gap in known) if known else UNDECIDED


def readings(figures: Figures, one: str, others: Sequence[str]) -> str:
    """Which other readings of the ratio judge the same claim otherwise."""
    verdicts = {words: below(figures, one, others, name) for name, words in READINGS.items()}
    first = verdicts.pop("soft")
    differ = [f"{words}: {verdict}" for words, verdict in verdicts.items() if verdict != first]
    return f"Otherwise read: {', '.join(differ)}." if differ else "All other readings say the same."


def fine(found: Estimate) -> str:
    """A small difference.

    >>> from experiments.thesis_figures import Estimate
    >>> fine(Estimate(-0.0012, -0.002, -0.0004, 9))
    '-0.0012 (-0.0020 to -0.0004)'
    """
    return f"{found.mean:+.4f} ({found.low:+.4f} to {found.high:+.4f})"


def _gaps(figures: Figures, one: str, others: Sequence[str]) -> str:
    return ", ".join(f"{other} {figures.gap(one, other, 'drr_soft', BOTH).signed}" for other in others)


def _by_data(figures: Figures, methods: Sequence[str], measure: str = "drr_soft") -> str:
    return "; ".join(
        f"{data} " + ", ".join(f"{name} {figures.mean(name, measure, data=data):.2f}" for name in methods)
        for data in BOTH
    )


def _levels(figures: Figures, methods: Sequence[str], measure: str = "confidence") -> str:
    return ", ".join(
        f"{method} {figures.at(method, measure, data=BOTH).estimate.mean:.2f}" for method in methods
    )


def _claim(figures: Figures, where: str, says: str, one: str, others: Sequence[str], why: str) -> Claim:
    get = f"Soft ratio of {one} minus: {_gaps(figures, one, others)}. {readings(figures, one, others)}"
    return Claim(where, says, get, below(figures, one, others, "drr_soft"), why)


def _private(figures: Figures) -> Claim:
    others = [name for name in (*RIVALS, UL_MAIN) if name != DIFFGEN]
    nowhere = 1 - figures.at(DIFFGEN, "found", data=BOTH).estimate.mean
    single = figures.at(DIFFGEN, "single", data=BOTH).estimate.mean
    right = figures.at(DIFFGEN, "drr_strict_matches", data=BOTH).estimate.mean
    return _claim(
        figures,
        "4.2.2, Figs. 5, 6",
        "e-DP has the lowest risk of all.",
        DIFFGEN,
        others,
        f"Noise empties cells: {100 * nowhere:.0f} % of the shared people fit no row in one release or both, and count"
        f" as safe. Of {100 * single:.0f} % a single value is left, which is theirs in {100 * right:.0f} of 100 cases.",
    )


def _hybrid(figures: Figures) -> Claim:
    return _claim(
        figures,
        "4.2.2",
        "Hybrid has a lower risk than the probabilistic, composition, Mondrian and merging approaches.",
        HYBRID,
        (PROBABILISTIC, COMPOSITION, MONDRIAN, MERGING),
        "Its noise invents values, so that the intersection often loses the true one (left:"
        f" {figures.at(HYBRID, 'left', data=BOTH).estimate.mean:.2f}), and counts with the sensitive value err most."
        f" Soft ratio: {_by_data(figures, (HYBRID, MERGING))}.",
    )


def _merging(figures: Figures) -> Claim:
    return _claim(
        figures,
        "4.2.2",
        "Merging has a lower risk than the probabilistic, composition and Mondrian approaches.",
        MERGING,
        (PROBABILISTIC, COMPOSITION, MONDRIAN),
        "It is slicing with buckets cut by Mondrian where l leaves room, as it does on Education: soft ratio"
        f" {_by_data(figures, (MERGING, SLICING + ADAPTIVE, PROBABILISTIC))}.",
    )


def _lowest(figures: Figures) -> Claim:
    others = [name for name in RIVALS if name != DIFFGEN]
    return _claim(
        figures,
        "4.2.2, 5",
        "UL has a lower risk under the composition attack than the others (e-DP apart): buckets cut proportionally.",
        UL_MAIN,
        others,
        "Compared are promises of different kinds: Mondrian keeps k alone, UL l as well. Mean confidence in the true"
        f" value: {_levels(figures, (UL_MAIN, SLICING, MONDRIAN_L, MONDRIAN))}; guessing has"
        f" {figures.at(UL_MAIN, 'confidence', 'chance', BOTH).estimate.mean:.2f}.",
    )


def _lowest_as_cut(figures: Figures) -> Claim:
    others = [name for name in RIVALS if name != DIFFGEN]
    told = _by_data(figures, (UL_MAIN, UL_ADAPTIVE, MONDRIAN), "confidence")
    return _claim(
        figures,
        "4.2.2, 5",
        "The same, with buckets cut by Mondrian, as the paper does (adaptive).",
        UL_ADAPTIVE,
        others,
        "Where l leaves room, small buckets of alike people are cut, and a second release undoes them; confidence:"
        f" {told}."
        " Merging-like is cut in the same way.",
    )


def _swaps(figures: Figures) -> Claim:
    gaps = {name: figures.gap(UL_MAIN, NO_SWAP, name, BOTH) for name in ("drr_soft", "confidence", "left")}
    return Claim(
        "1, 5",
        "Swapping rare and common cells gives stronger privacy than slicing does.",
        f"UL at 5 % minus the same buckets without swaps: soft ratio {fine(gaps['drr_soft'])}, confidence"
        f" {fine(gaps['confidence'])}, people whose value is still among those left {fine(gaps['left'])}.",
        judged(gaps["drr_soft"], -1),
        "Small beside what the buckets do. Confidence of Mondrian, of these buckets without swaps, and of guessing:"
        f" {figures.at(MONDRIAN, 'confidence', data=BOTH).estimate.mean:.3f},"
        f" {figures.at(NO_SWAP, 'confidence', data=BOTH).estimate.mean:.3f},"
        f" {figures.at(NO_SWAP, 'confidence', 'chance', BOTH).estimate.mean:.3f}.",
    )


def _rate(figures: Figures) -> Claim:
    slopes = {
        name: slope_of([figures.at(swapped(rate), name, data=BOTH) for rate in RATES]).estimate
        for name in ("drr_soft", "confidence")
    }
    ends = [figures.at(swapped(rate), "drr_soft", data=BOTH).estimate.mean for rate in (RATES[0], RATES[-1])]
    return Claim(
        "4.1, Fig. 7",
        "A higher swap rate means a lower risk.",
        f"From each rate to the next: soft ratio {fine(slopes['drr_soft'])}, confidence"
        f" {fine(slopes['confidence'])}.",
        judged(slopes["drr_soft"], -1),
        f"From 1 % to 15 % the soft ratio goes from {ends[0]:.4f} to {ends[1]:.4f}.",
    )
