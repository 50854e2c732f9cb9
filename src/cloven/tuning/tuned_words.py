"""What came of a search, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.model.counted import counted

if TYPE_CHECKING:
    from cloven.tuning.trial import Trial
    from cloven.tuning.tuned import Tuned


def sentence(tuned: Tuned) -> str:
    """Whether there is a setting that satisfies the limits; which it is, or what is nearest."""
    limits = f"risk up to {percent(tuned.tune.limits.max_risk)}, {percent(tuned.tune.limits.max_tail)} of the people"
    limits += " told as good as certainly"
    if tuned.tune.limits.min_utility:
        limits += f" and at least {percent(tuned.tune.limits.min_utility)} of {tuned.score_words}"
    if tuned.chosen is not None:
        number = len(tuned.satisfying)
        return (
            f"{number} of {settings(tuned.tried)} {'satisfies' if number == 1 else 'satisfy'} the limits ({limits});"
            f" the most useful is {tuned.chosen.name}: {figures(tuned, tuned.chosen)}."
        )
    out = f"No setting of {tuned.tried} satisfies the limits ({limits})."
    return f"{out} {_nearest(tuned)}"


def comparison(tuned: Tuned) -> str:
    """Whether anything that was tried beats the default."""
    default = figures(tuned, tuned.default)
    if tuned.dominating:
        best = tuned.dominating[0]
        number = len(tuned.dominating)
        return (
            f"{settings(number)} {'beats' if number == 1 else 'beat'} the default ({default}) on risk and utility;"
            f" the most useful is {best.name}: {figures(tuned, best)}."
        )
    return (
        f"None of {settings(tuned.tried)} beats the default ({default}): it lies on the front, and whatever has less"
        " risk keeps less."
    )


def figures(tuned: Tuned, trial: Trial) -> str:
    """Risk and utility of a setting."""
    point = tuned.point(trial)
    broken = 0 if trial.outcome is None else trial.outcome.broken
    breaks = f", {counted(broken, 'promises')} broken" if broken else ""
    return f"risk {percent(point.risk)}{breaks}, {tuned.score_words} {percent(point.utility)}"


def settings(number: int) -> str:
    """A number of settings."""
    return f"{number:,} setting" if number == 1 else f"{number:,} settings"


def percent(share: float) -> str:
    """A share as text."""
    return f"{100 * share:.1f} %"


def _nearest(tuned: Tuned) -> str:
    """The least risk there is with enough utility, and the most utility there is with a risk that is accepted."""
    limits, limit = tuned.tune.limits, tuned.tune.limits.max_risk
    point = tuned.point
    useful = [t for t in tuned.finished if point(t).utility >= limits.min_utility]
    whole = [t for t in tuned.finished if not point(t).broken and point(t).risk <= limit]
    out = []
    if useful:
        best = min(useful, key=lambda t: (point(t).broken, point(t).risk))
        out.append(f"With enough utility, least risk has {best.name}: {figures(tuned, best)}.")
    if whole:
        best = max(whole, key=lambda t: point(t).utility)
        out.append(f"With a risk that is accepted, {best.name} is the most useful: {figures(tuned, best)}.")
    if all(point(t).broken for t in tuned.finished):
        out.append("All of them break promises.")
    return " ".join(out) or "None has enough utility, and none a risk that is accepted."
