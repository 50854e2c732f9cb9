"""Lots inside compiled loops: every row has a secret number, and each round makes a fresh lot of it.

The secret numbers come from the operating system (``lots``). A lot is what SplitMix64 (Steele, Lea, Flood, OOPSLA 2014)
draws from the number in that round. No row's lots have to do with its content, nor with its place among the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

TIES, ROUNDING, COIN = range(3)
"""What a lot decides: rows with the middle value; who gets the odd row; how many get one."""
_USES = 3


class Round(NamedTuple):
    """Lots of one round.

    Attributes:
        secrets: one number for each row.
        number: of the round.
    """

    secrets: NDArray[np.uint64]
    number: int


@compiled
def lot(lots: Round, row: int, use: int) -> Any:
    """The lot of a row for one use in this round."""
    steps = np.uint64(lots.number * _USES + use + 1)
    mixed = lots.secrets[row] + steps * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


@compiled
def drawn(lots: Round, row: int, use: int, wanted: int, left: int) -> bool:
    """Whether a row is among the ``wanted`` of ``left`` rows not yet asked: all choices are equally likely.

    Remainders of 64 bits: that small ones are a little likelier is beyond measure.
    """
    return bool(lot(lots, row, use) % np.uint64(left) < np.uint64(wanted))
