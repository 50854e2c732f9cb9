"""What is left of the headline beyond the baselines, in sentences made from the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.generalisation_claims import percent
from experiments.thesis_judging import CONFIRMED, judged

if TYPE_CHECKING:
    from experiments.generalisation_figures import Figures
    from experiments.thesis_figures import Estimate

K = 5
SIGNS = ("above", "not told apart from", "below")


def answer(figures: Figures) -> list[str]:
    """A paragraph for each point."""
    return [
        _counted(figures),
        _face_value(figures),
        _beside_one(figures),
        _what_is_left(figures),
        _nearest(figures),
        _records(figures),
        _context(figures),
    ]


def sign(gap: Estimate) -> str:
    """Above, below or not told apart from what it is compared with."""
    if judged(gap, 1) == CONFIRMED:
        return SIGNS[0]
    return SIGNS[2] if judged(gap, -1) == CONFIRMED else SIGNS[1]


def compared(gaps: dict[str, Estimate]) -> str:
    """Data sets by the sign of a difference.

    >>> from experiments.thesis_figures import Estimate
    >>> compared({"a": Estimate(0.1, 0.05, 0.2, 5), "b": Estimate(0.0, -0.1, 0.1, 5)})
    'above it on a (+0.10); not told apart from it on b (+0.00)'
    """
    groups: dict[str, list[str]] = {name: [] for name in SIGNS}
    for data, gap in gaps.items():
        groups[sign(gap)].append(f"{data} ({gap.mean:+.2f})")
    return "; ".join(f"{name} it on {', '.join(listed)}" for name, listed in groups.items() if listed)


def _means(figures: Figures, attack: str, measure: str, side: str = "value") -> str:
    """Smallest and largest mean over the data sets."""
    found = [figures.at("k", K, attack, measure, side, data).estimate for data in figures.data]
    means = [one.mean for one in found if one.pairs]
    return f"{percent(min(means))} to {percent(max(means))}" if means else "-"


def _gaps(
    figures: Figures, measure: str, beside: str, x: float = K, attack: str = "rba"
) -> dict[str, Estimate]:
    gaps = {
        data: (
            figures.at("k", x, attack, measure, data=data) - figures.at("k", x, attack, measure, beside, data)
        ).estimate
        for data in figures.data
    }
    return {data: gap for data, gap in gaps.items() if gap.pairs}


def _counted(figures: Figures) -> str:
    def above(measure: str, beside: str, k: float = K) -> str:
        gaps = _gaps(figures, measure, beside, k).values()
        return f"{sum(sign(gap) == SIGNS[0] for gap in gaps)} of {len(gaps)}"

    others = ", ".join(f"{above('f', 'one', k)} at k={k:g}" for k in figures.places("k") if k != K)
    return (
        f"**The answer.** At k={K} RBA has a higher precision than random elimination with the same budget on"
        f" {above('precision', 'chance')} data sets and a higher link AUC than with shuffled words on"
        f" {above('auc', 'control')}. But its F is above that of eliminating all but one random item, which needs no"
        f" knowledge at all, on {above('f', 'one')} ({others})."
    )


def _face_value(figures: Figures) -> str:
    bases = [figures.described("k", K, data, "base_rate").mean for data in figures.data]
    return (
        f"**At face value.** RBA finds {_means(figures, 'rba', 'recall')} of the added items at a precision of"
        f" {_means(figures, 'rba', 'precision')}, F {_means(figures, 'rba', 'f')}. But {percent(min(bases))} to"
        f" {percent(max(bases))} of what generalised items show is added (the base rate, 1 - density over all cells):"
        " that is the precision of an attacker who knows nothing."
    )


def _beside_one(figures: Figures) -> str:
    first, last = min(figures.places("k")), max(figures.places("k"))
    parts = [f"at k={k:g} {compared(_gaps(figures, 'f', 'one', k))}" for k in dict.fromkeys((first, K, last))]
    return (
        "**Beside all but one random item.** That has an F of"
        f" {_means(figures, 'rba', 'f', 'one')} at k={K}. The F of RBA is: {'. '.join(parts)}."
    )


def _what_is_left(figures: Figures) -> str:
    parts = []
    for data, gap in _gaps(figures, "precision", "chance").items():
        value, chance = (
            figures.at("k", K, "rba", "precision", side, data).estimate.mean for side in ("value", "chance")
        )
        parts.append(f"{data} {gap.mean:+.3f} ±{(gap.high - gap.low) / 2:.3f} (lift {value / chance:.2f})")
    return (
        "**What is left.** Precision of RBA minus that of random elimination with the same budget in each table:"
        f" {'; '.join(parts)}. Its link AUC is {_means(figures, 'rba', 'auc')}; guessing has 50 %, the same attack with"
        f" shuffled words {_means(figures, 'rba', 'auc', 'control')}."
    )


def _nearest(figures: Figures) -> str:
    return (
        "**Keeping the nearest item.** To keep only the one item of each generalised item that RBA trusts most has an F"
        f" of {_means(figures, 'nearest', 'f')}. Beside all but one random item, which eliminates as many, it is"
        f" {compared(_gaps(figures, 'f', 'one', attack='nearest'))}."
    )


def _records(figures: Figures) -> str:
    hidden = again = were = 0.0
    for k in figures.places("k"):
        equal = figures.at("k", k, "rba", "hidden")
        back = figures.at("k", k, "rba", "unique_again")
        hidden += sum(equal.values())
        again += sum(equal[pair] * share for pair, share in back.items())
        were += sum(figures.at("k", k, "rba", "were_unique").values())
    return (
        f"**Records.** Of the unique records with a generalised item RBA rebuilds {_means(figures, 'rba', 'unique')}"
        f" exactly at k={K}; all but one random item {_means(figures, 'rba', 'unique', 'one')}, random elimination"
        f" {_means(figures, 'rba', 'unique', 'chance')}. Protecting single items hardly hides records: over all k and"
        f" samples {hidden:,.0f} of {were:,.0f} unique records were published equal to others, and RBA makes"
        f" {again:,.0f} of these unique again."
    )


def _context(figures: Figures) -> str:
    data = [name for name in figures.data if figures.places("pairs", name)]
    if not data:
        return "**Context.** Releases that protect every pair were not made."
    bare, records = (
        sum(figures.described("pairs", K, name, field).mean for name in data)
        for field in ("rows_without_context", "transactions")
    )
    found = {
        option: [figures.at("pairs", K, f"rba, {option}", measure, data=name).estimate.mean for name in data]
        for option, measure in (("no-answer", "recall"), ("generalised", "auc"))
    }
    recall, auc = (f"{percent(min(one))} to {percent(max(one))}" for one in found.values())
    return (
        "**Context.** The paper protects some single items, so most of each record is published as it is, for the"
        f" attack to lean on. Where every pair of items is protected (k={K}, m=2), {percent(bare / records)} of the"
        f" records show no item for certain, and RBA finds {recall} of the added items. With the other generalised"
        f" items as context its link AUC is {auc}."
    )
