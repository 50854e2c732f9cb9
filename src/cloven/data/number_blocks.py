"""Numbers that ranges never part, and which numbers are possible at all, as an owner states them.

A range that ends at the smallest and largest number of its rows shows these two to the digit. Where an owner states
*blocks*, ranges are runs of whole blocks, and their ends say nothing about anybody.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

MOST_BLOCKS = 1_000_000
_NEAR = 1e-6
"""Share of a step by which a number may miss it: rounding of binary numbers, no more."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """Ascending blocks of numbers that do not touch.

    Attributes:
        lows: first number of each block.
        highs: last number of each block.
    """

    lows: NDArray[np.float64]
    highs: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.lows)

    @property
    def single(self) -> bool:
        """Whether every block is one number."""
        return bool((self.lows == self.highs).all())

    def of(self, numbers: NDArray[np.float64]) -> NDArray[np.int64]:
        """Block of each number."""
        return np.searchsorted(self.lows, numbers, "right").astype(np.int64) - 1


@dataclass(frozen=True)
class Possible:
    """The numbers that are possible: from the first start up to ``high`` in steps.

    Attributes:
        starts: first number of each block.
        high: the largest number, end of the last block.
        step: how far two possible numbers lie apart.

    >>> ages = Possible((0, 20, 65), 120).blocks
    >>> ages.lows.tolist(), ages.highs.tolist()
    ([0.0, 20.0, 65.0], [19.0, 64.0, 120.0])
    """

    starts: tuple[float, ...]
    high: float
    step: float = 1.0

    @classmethod
    def between(cls, low: float, high: float, step: float, round_to: float | None) -> Possible:
        """All numbers of a range; blocks begin at the multiples of a number, or at every step."""
        width = step if round_to is None else round_to
        count = (high - low) / width
        if count > MOST_BLOCKS:
            message = (
                f"range from {low:g} to {high:g} in steps of {width:g} is more than {MOST_BLOCKS:,} numbers; give a"
                " larger step, or round or cuts"
            )
            raise ParameterError(message)
        places = _decimals((low, step, width))
        top = float(np.round(low + step * np.floor((high - low) / step + _NEAR), places))
        if round_to is None:
            starts = low + step * np.arange(1, int(count + _NEAR) + 1)
        else:
            starts = round_to * (np.floor(low / round_to + _NEAR) + np.arange(1, int(count) + 2))
        starts = np.round(starts, places)
        # The end of the range belongs to the last block, unless every number is a block of its own.
        last = top if round_to is None else top - step * _NEAR
        inner = starts[(starts > low) & (starts <= last)]
        return cls((low, *inner.tolist()), top, step)

    @property
    def blocks(self) -> Blocks:
        """The blocks, one after the other."""
        lows = np.array(self.starts, np.float64)
        highs = np.round(lows[1:] - self.step, _decimals((self.starts[0], self.step)))
        return Blocks(lows, np.append(highs, self.high))

    def nearest(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """The possible number nearest to each."""
        low = self.starts[0]
        most = np.floor((self.high - low) / self.step + _NEAR)
        steps = np.clip(np.rint((numbers - low) / self.step), 0, most)
        return np.asarray(np.round(low + steps * self.step, _decimals((low, self.step))) + 0.0)

    def holds(self, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which numbers are possible."""
        near: NDArray[np.bool_] = np.abs(self.nearest(numbers) - numbers) <= _NEAR * self.step
        return near


def rounded_blocks(numbers: NDArray[np.float64], round_to: float, step: float | None) -> Blocks:
    """Blocks that begin at the multiples of a number, where there is somebody.

    Without a step, it is that of the last decimal of any of the numbers.

    >>> rounded_blocks(np.array([17.0, 23.0, 29.0, 41.0]), 10, None).highs.tolist()
    [19.0, 29.0, 49.0]
    """
    fine = 10.0 ** -_decimals(numbers.tolist()) if step is None else step
    lows = np.unique(np.floor(numbers / round_to + _NEAR * fine / round_to)) * round_to
    places = _decimals((round_to, fine))
    return Blocks(np.round(lows, places) + 0.0, np.round(lows + round_to - fine, places) + 0.0)


def number_text(number: float) -> str:
    """A number as short as it can be written.

    >>> number_text(17.0), number_text(0.5)
    ('17', '0.5')
    """
    return str(int(number)) if np.isfinite(number) and number == int(number) else repr(float(number))


def default_step(given: Iterable[float]) -> float | None:
    """The step of numbers that are stated as whole ones; None if some are not."""
    return 1.0 if all(float(number).is_integer() for number in given) else None


def _decimals(numbers: Iterable[float]) -> int:
    """Decimals that numbers are written with, at most."""
    return max((_decimals_of(float(number)) for number in numbers), default=0)


def _decimals_of(number: float) -> int:
    if number.is_integer():
        return 0
    text, _, power = repr(number).partition("e")
    return max(0, len(text.partition(".")[2]) - int(power or 0))
