"""What methods for tables draw by lot: orders, choices by weight, and noise.

Noise is the discrete Laplace distribution, drawn exactly (Canonne, Kamath, Steinke, NeurIPS 2020, algorithms 1 and 2):
whole numbers, no rounding of logarithms that could tell the true count.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from cloven.compiled import Flags, Floats, Longs

_FINE = 1 << 53
_FINEST = 10**9
"""Largest denominator of a budget; what is drawn then fits 64 bits."""
LEAST_EPS = 0.001
"""Below this, noise makes up more rows than most tables have."""


@dataclass(frozen=True)
class Drawing:
    """Draws lots; from the operating system unless there is a seed."""

    lots: Lots

    @classmethod
    def of(cls, seed: int | None) -> Drawing:
        """Lots of the operating system, or of a seed for experiments."""
        return cls(lots_of(seed))

    def below(self, limit: int, count: int) -> Longs:
        """So many numbers from 0 to below a limit (at most 2^63), all exactly equally likely."""
        found = self.lots(count)
        spare = (1 << 64) % limit
        while spare:
            # The last few numbers would make small results likelier; they are drawn again.
            again = np.flatnonzero(found >= np.uint64((1 << 64) - spare))
            if not len(again):
                break
            found = found.copy()
            found[again] = self.lots(len(again))
        return (found % np.uint64(limit)).astype(np.int64)

    def one(self, limit: int) -> int:
        """One number from 0 to below a limit."""
        return int(self.below(limit, 1)[0])

    def order(self, count: int) -> Longs:
        """A random order of so many things."""
        return np.argsort(self.lots(count), kind="stable")

    def weighted(self, log_weights: Floats) -> int:
        """One of several things, likelier the more it weighs; weights are given as logarithms.

        Probabilities are right to the precision of double numbers.
        """
        edges = np.cumsum(np.exp(log_weights - log_weights.max()))
        at = (self.one(_FINE) + 0.5) / _FINE * float(edges[-1])
        return min(int(np.searchsorted(edges, at, side="right")), len(edges) - 1)

    def noise(self, count: int, scale: Fraction) -> Longs:
        """So many whole numbers z, each with probability proportional to exp(-|z| / scale)."""
        top, bottom = scale.numerator, scale.denominator
        out = np.zeros(count, np.int64)
        waiting = np.arange(count)
        while len(waiting):
            start = self.below(top, len(waiting))
            good = self._survives(start, top)
            size = (start + top * self._rounds(len(waiting))) // bottom
            negative = self.below(2, len(waiting)) == 1
            good &= ~(negative & (size == 0))
            out[waiting[good]] = np.where(negative, -size, size)[good]
            waiting = waiting[~good]
        return out

    def _rounds(self, count: int) -> Longs:
        """How often each survives with probability 1/e before it does not."""
        rounds, active = np.zeros(count, np.int64), np.arange(count)
        while len(active):
            active = active[self._survives(np.ones(len(active), np.int64), 1)]
            rounds[active] += 1
        return rounds

    def _survives(self, top: Longs, bottom: int) -> Flags:
        """True with probability exp(-top / bottom), for fractions of at most 1."""
        out, active, tries = np.zeros(len(top), np.bool_), np.arange(len(top)), 1
        while len(active):
            goes_on = self.below(bottom * tries, len(active)) < top[active]
            out[active[~goes_on]] = tries % 2 == 1
            active, tries = active[goes_on], tries + 1
        return out


def noise_scale(sensitivity: int, epsilon: float | Fraction) -> Fraction:
    """Scale of the noise that a budget allows, as a fraction; never less noise than that.

    A number means what is written: 0.3 is three tenths. A budget that is no simple fraction is rounded down.

    >>> noise_scale(1, 0.3)
    Fraction(10, 3)
    """
    exact = epsilon if isinstance(epsilon, Fraction) else Fraction(repr(float(epsilon)))
    if exact.denominator > _FINEST:
        exact = Fraction(exact.numerator * _FINEST // exact.denominator, _FINEST)
    if not exact:
        message = f"a budget of {float(epsilon):g} is too small to draw noise for; choose a larger eps"
        raise ParameterError(message)
    return sensitivity / exact


# Lots as arrays: from the operating system, or, for experiments, from a seed.


Lots: TypeAlias = Callable[[int], NDArray[np.uint64]]
"""Gives as many random numbers of 64 bits as are asked for."""


def lots_of(seed: int | None) -> Lots:
    """Lots that nobody can draw again, or those of a seed if there is one."""
    if seed is None:
        return lambda count: np.frombuffer(secrets.token_bytes(8 * count), np.uint64)
    rng = np.random.default_rng(seed)
    return lambda count: rng.integers(2**64, size=count, dtype=np.uint64)


def shuffled(values: Longs, lots: Lots) -> Longs:
    """Values in random order."""
    return values[np.argsort(lots(len(values)), kind="stable")]
