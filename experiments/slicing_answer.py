"""What the experiments on slicing say in short, in sentences made from the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.slicing_claims import percent, points
from experiments.slicing_data import ADULT, EDUCATION, OCCUPATION
from experiments.slicing_methods import (
    ANATOMY,
    DIFFGEN,
    EVERY,
    MONDRIAN,
    MONDRIAN_L,
    NO_SWAP,
    ORIGINAL,
    RATES,
    SLICING,
    UL_ADAPTIVE,
    UL_MAIN,
    L,
    swapped,
)
from experiments.thesis_judging import CONFIRMED, judged

if TYPE_CHECKING:
    from experiments.slicing_figures import Figures
    from experiments.thesis_figures import Estimate


def answer(figures: Figures) -> list[str]:
    """A paragraph for each point."""
    return [
        _swapping(figures),
        _cut(figures),
        _risk(figures),
        _second(figures),
        _utility(figures),
        _queries(figures),
        _invalid(figures),
        _six(figures),
        _elsewhere(figures),
    ]


def told(gap: Estimate) -> str:
    """A difference in words.

    >>> from experiments.thesis_figures import Estimate
    >>> told(Estimate(-0.2, -0.3, -0.1, 9)), told(Estimate(0.0, -0.1, 0.1, 9))
    ('lower (-0.200)', 'no different (+0.000)')
    """
    if judged(gap, 1) == CONFIRMED:
        return f"higher ({gap.mean:+.3f})"
    return f"lower ({gap.mean:+.3f})" if judged(gap, -1) == CONFIRMED else f"no different ({gap.mean:+.3f})"


def _both(figures: Figures, method: str, measure: str, side: str = "value") -> float:
    return figures.at(method, measure, side, ADULT).estimate.mean


def _swapping(figures: Figures) -> str:
    risk, error = (figures.gap(UL_MAIN, NO_SWAP, name, ADULT) for name in ("confidence", "query with"))
    top = swapped(RATES[-1])
    most = [figures.gap(top, NO_SWAP, name, ADULT) for name in ("confidence", "query with", "query without")]
    return (
        f"**The answer.** UL (the upper/lower-level method) protects well under the composition attack if its"
        f" buckets are cut proportionally; but the buckets do it, not the swapping. Without a swap the attacker's"
        f" mean confidence in the true value is"
        f" {_both(figures, NO_SWAP, 'confidence'):.3f}, where guessing has"
        f" {_both(figures, NO_SWAP, 'confidence', 'chance'):.3f}. Swapping 5 % makes it {told(risk)} and the error of"
        f" counts {told(error)}; 15 % makes it {told(most[0])}, and the error {told(most[1])} with the sensitive value"
        f" and {told(most[2])} without."
    )


def _cut(figures: Figures) -> str:
    parts = [
        f"{data} {figures.mean(UL_MAIN, 'confidence', data=data):.2f} and"
        f" {figures.mean(UL_ADAPTIVE, 'confidence', data=data):.2f} (guessing"
        f" {figures.mean(UL_MAIN, 'confidence', 'chance', data):.2f})"
        for data in figures.data
    ]
    return (
        "**How buckets are cut** decides. Confidence with buckets that are cut proportionally, and by Mondrian as in"
        f" the paper (the default, *adaptive*): {', '.join(parts)}."
    )


def _risk(figures: Figures) -> str:
    listed = (UL_MAIN, SLICING, DIFFGEN, UL_ADAPTIVE, MONDRIAN_L, ANATOMY, MONDRIAN, ORIGINAL)
    shown = ", ".join(f"{name} {_both(figures, name, 'confidence'):.2f}" for name in listed)
    return (
        f"**Risk.** Mean confidence of the attacker on Adult: {shown}. People of whom exactly the true value is left:"
        f" UL {percent(_both(figures, UL_MAIN, 'drr_strict'))} (cut adaptively"
        f" {percent(_both(figures, UL_ADAPTIVE, 'drr_strict'))}),"
        f" Mondrian {percent(_both(figures, MONDRIAN, 'drr_strict'))},"
        f" DiffGen {percent(_both(figures, DIFFGEN, 'drr_strict'))}, the tables as they are"
        f" {percent(_both(figures, ORIGINAL, 'drr_strict'))}."
    )


def _second(figures: Figures) -> str:
    listed = (MONDRIAN, ANATOMY, MONDRIAN_L, SLICING, UL_MAIN)
    shown = "; ".join(
        f"{name} "
        + " / ".join(
            f"{_both(figures, name, 'confidence', side):.2f}" for side in ("alone", "value", "others")
        )
        for name in listed
    )
    (about,) = [one for one in figures.about if one.name == EDUCATION]
    over, alone = (
        (
            figures.at(UL_MAIN, "confidence", "value", ADULT) - figures.at(UL_MAIN, "confidence", side, ADULT)
        ).estimate
        for side in ("others", "alone")
    )
    return (
        f"**What the second release adds.** Confidence with one release / with both / about people who are in neither:"
        f" {shown}. The promise of one release (at most 1/l) is none for two: anatomy with l = {about.l} leaves"
        f" {figures.mean(ANATOMY, 'confidence', data=EDUCATION):.2f} on Education. Of UL a second"
        f" release makes it {told(alone)}; beside people in neither table it is {told(over)}."
    )


def _utility(figures: Figures) -> str:
    return (
        f"**Utility as printed** is {percent(_both(figures, UL_MAIN, 'utility'))} for UL,"
        f" {percent(_both(figures, SLICING, 'utility'))} for slicing and for anatomy, and"
        f" {percent(_both(figures, MONDRIAN, 'utility'))} for Mondrian. It counts coarse cells alone: at 5 %"
        f" {percent(_both(figures, UL_MAIN, 'exchanged'), 0)} of the rows hold somebody else's value, for which it asks"
        f" nothing. With every attribute protected it is still {percent(_both(figures, UL_MAIN + EVERY, 'utility'))},"
        f" while counts without the sensitive value are off by"
        f" {percent(_both(figures, UL_MAIN + EVERY, 'query without'), 0)} on average."
    )


def _queries(figures: Figures) -> str:
    listed = (MONDRIAN, ANATOMY, UL_MAIN, SLICING, MONDRIAN_L, DIFFGEN)
    shown = "; ".join(
        f"{name} {_both(figures, name, 'query with'):.2f} / {_both(figures, name, 'query without'):.2f}"
        for name in listed
    )
    best = [
        " < ".join(sorted(listed, key=lambda name: _both(figures, name, kind))[:4])
        for kind in ("query with", "query without")
    ]
    return (
        f"**Counts** have a relative error (with / without a predicate on the sensitive value) of: {shown}. In order,"
        f" with the sensitive value {best[0]}, without {best[1]}. The first four are close together where the sensitive"
        " value is asked about, and their order changes from one data set to the other; without it coarse cells cost"
        " most."
    )


def _invalid(figures: Figures) -> str:
    gap = figures.gap(UL_MAIN, NO_SWAP, "invalid", ADULT)
    return (
        f"**Invalid rows.** Read as rows, UL holds {percent(_both(figures, UL_MAIN, 'invalid'))} with values that never"
        f" meet, slicing {percent(_both(figures, SLICING, 'invalid'))}, Mondrian"
        f" {percent(_both(figures, MONDRIAN, 'invalid'))}. Swapping changes that by {points(gap)}: it does not solve"
        " the problem that it is proposed for."
    )


def _six(figures: Figures) -> str:
    about = {one.name: one for one in figures.about}
    value, rows = about[EDUCATION].most_common
    return (
        f"**l = {L}** is not possible on Education: {value} has {percent(rows / about[EDUCATION].all_rows, 0)} of the"
        f" rows. We publish it with l = {about[EDUCATION].l}, Occupation with l = {about[OCCUPATION].l} as printed,"
        f" Mushroom with l = {figures.about[-1].l}, always the largest up to {L} that all samples allow."
    )


def _elsewhere(figures: Figures) -> str:
    name = figures.data[-1]
    risk, error = (figures.gap(UL_MAIN, NO_SWAP, measure, name) for measure in ("confidence", "query with"))
    over = figures.mean(UL_MAIN, "confidence", data=name), figures.mean(UL_MAIN, "confidence", "chance", name)
    mondrian = figures.mean(MONDRIAN, "confidence", data=name)
    return (
        f"**On {name}**, where attributes hang together more, UL leaves the attacker a confidence of {over[0]:.2f}"
        f" (guessing {over[1]:.2f}; Mondrian {mondrian:.2f}). Swapping makes it {told(risk)} and the error of counts"
        f" {told(error)}. There cutting rows apart costs more: the error of UL is"
        f" {figures.mean(UL_MAIN, 'query with', data=name):.2f}"
        f" (Mondrian {figures.mean(MONDRIAN, 'query with', data=name):.2f}), and"
        f" {percent(figures.mean(UL_MAIN, 'invalid', data=name), 0)} of the rows as read hold values that never meet"
        f" (Mondrian {percent(figures.mean(MONDRIAN, 'invalid', data=name), 0)})."
    )
