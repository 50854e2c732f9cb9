"""Figures of utility as measures on one scale; and the one that all families have, so that they can be compared.

They are totals over all records, for everybody to see, unless a family says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.model.measured import Measured

if TYPE_CHECKING:
    from cloven.measure.sampled import Sampled
    from cloven.model.audience import Audience

HEADLINE = "frequent itemsets kept"


def plain(
    name: str,
    value: float | None,
    best: float,
    worst: float,
    sentence: str,
    audience: Audience = "public",
) -> Measured:
    """A figure that does not vary."""
    return Measured(name, value, None, None, best, worst, sentence, audience)


def drawn(name: str, value: Sampled | None, worst: float, sentence: str) -> Measured:
    """A loss that was measured on reconstructions; 0 is best."""
    if value is None:
        return plain(name, None, 0.0, worst, sentence)
    return Measured(name, value.mean, value.low, value.high, 0.0, worst, sentence, "public")


def itemsets(tkd: Sampled, top: int) -> tuple[Measured, Measured]:
    """The headline, and tKd, which is what it lacks to 1: both on reconstructed data."""
    about = f"the {top:,} most frequent itemsets"
    lost = drawn(HEADLINE, tkd, 1.0, f"{about} that are still among the most frequent")
    value, low, high = (None if each is None else 1 - each for each in (lost.value, lost.high, lost.low))
    kept = Measured(lost.name, value, low, high, 1.0, 0.0, lost.sentence, "public")
    return kept, drawn("tKd", tkd, 1.0, f"{about} lost, on reconstructed data")


def pair_error(error: Sampled | None, pairs: float) -> Measured:
    """re: relative error of the supports of pairs, on reconstructed data."""
    return drawn("re", error, 2.0, f"relative error of {pairs:.0f} pair supports, 0 to 2, reconstructed")
