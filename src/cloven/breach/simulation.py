"""An attacker whose knowledge is drawn at random, many times: means with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.breach.breaches import breaches
from cloven.errors import ParameterError
from cloven.measure.sampled import Sampled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cloven.breach.covers import Covers
    from cloven.breach.holders import Holders
    from cloven.breach.knowledge import Attacker
    from cloven.model.transactions import Transactions


@dataclass(frozen=True)
class Simulated:
    """What an attacker learns, over draws of what is known.

    Attributes:
        attacker: its name.
        draws: how often knowledge was drawn.
        known: pairs of items known.
        counts: the fields of ``Breach``, each as mean and interval over the draws.
        left_out: what the attacker knows but cannot use, and how often.
    """

    attacker: str
    draws: int
    known: Sampled
    counts: Mapping[str, Sampled]
    left_out: Mapping[str, int]

    def __getitem__(self, name: str) -> Sampled:
        return self.counts[name]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: means and intervals."""
        return {
            "attacker": self.attacker,
            "draws": self.draws,
            "known": _plain(self.known),
            **{name: _plain(value) for name, value in self.counts.items()},
            "left_out": dict(self.left_out),
        }


def simulate(
    covers: Covers,
    attacker: Attacker,
    original: Transactions | None = None,
    rng: np.random.Generator | None = None,
    draws: int = 100,
    *,
    holders: Holders | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Simulated:
    """Let an attacker draw its knowledge ``draws`` times (once, if nothing is random), and count each time.

    >>> import cloven as cv
    >>> from cloven.breach.attackers import Moderate
    >>> from cloven.breach.covers import covers
    >>> data = cv.Transactions.from_records([["a", "b", "c"], ["a", "b", "c", "e"], ["a", "e"], ["b"]])
    >>> found = covers(cv.Disassociation(k=2, m=2, refine=False).anonymise(data).release)
    >>> simulate(found, Moderate(0.5), data, np.random.default_rng(1), draws=500)["pairs"].mean < 1
    True
    """
    if draws < 1:
        message = f"draws must be at least 1 (got {draws})"
        raise ParameterError(message)
    rng = np.random.default_rng() if rng is None else rng
    many = draws if attacker.random else 1
    found, known, left_out = [], [], {}
    for number in range(many):
        if progress is not None:
            progress(f"{attacker.name} attacker", number / many)
        knowledge = attacker.draw(covers.release, original, rng)
        known.append(len(knowledge))
        left_out = dict(knowledge.left_out)
        found.append(breaches(covers, knowledge, holders).to_dict())
    counts = {
        name: Sampled.of([float(one[name] or 0) for one in found], largest=inf)
        for name, value in found[0].items()
        if value is not None
    }
    return Simulated(attacker.name, many, Sampled.of(known, largest=inf), counts, left_out)


def _plain(value: Sampled) -> dict[str, float | None]:
    return {"mean": value.mean, "low": value.low, "high": value.high}
