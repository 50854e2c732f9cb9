"""Which sensitive values harm if they are told, and which numbers are as good as one.

To learn that somebody is healthy is no loss, and a wage to within a pound is the wage. The owner says so in the schema
(``harmless``, ``within``); diversity, attacks and the verdict count by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


NEARLY = 0.05
"""Numbers that lie so near to each other, as a share of the larger one, where the owner does not say what is near."""


@dataclass(frozen=True)
class Harm:
    """What of a sensitive attribute harms.

    Attributes:
        harmless: values that everybody may know of somebody.
        within: numbers that lie so near to each other are one value.
        relative: whether ``within`` is a share of the larger one.
    """

    harmless: frozenset[str] = frozenset()
    within: float = 0.0
    relative: bool = False

    @classmethod
    def of(cls, harmless: Iterable[str] | None = None, within: float | str | None = None) -> Harm:
        """From a schema: ``within`` is a number, or a text such as ``"5 %"``.

        >>> Harm.of(["no"], "5 %")
        Harm(harmless=frozenset({'no'}), within=0.05, relative=True)
        """
        amount, relative = _amount(within)
        return cls(frozenset(harmless or ()), amount, relative)

    @property
    def parameters(self) -> dict[str, Any]:
        """What of it is published with a promise, as plain JSON values; nothing where every value is one of its own."""
        near = f"{100 * self.within:g} %" if self.relative else self.within
        return {
            **({"harmless": sorted(self.harmless)} if self.harmless else {}),
            **({"within": near} if self.within else {}),
        }

    def harmful(self, values: Sequence[str]) -> NDArray[np.bool_]:
        """Whether each value harms."""
        return np.array([value not in self.harmless for value in values], np.bool_)

    def upto(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each number the largest one that is as good as the same.

        >>> Harm(within=500).upto(np.array([0.0, 1000.0])).tolist()
        [500.0, 1500.0]
        >>> Harm(within=0.05, relative=True).upto(np.array([-100.0, 95.0])).tolist()
        [-95.0, 100.0]
        """
        if not self.relative:
            return numbers + self.within
        kept = 1.0 - self.within
        return np.where(numbers >= 0, numbers / kept, numbers * kept)

    def reach(self, values: Sequence[str]) -> NDArray[np.int64]:
        """For each of ascending values the place behind the last one that is as good as the same.

        >>> Harm(within=12).reach(("100", "105", "112", "113")).tolist()
        [3, 4, 4, 4]
        """
        if not self.within:
            return np.arange(1, len(values) + 1)
        numbers = np.array([float(value) for value in values])
        return np.searchsorted(numbers, self.upto(numbers) + slack(numbers), side="right")


def slack(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """What sums of numbers with many digits may miss."""
    return 1e-9 * np.maximum(1.0, np.abs(numbers))


def _amount(within: float | str | None) -> tuple[float, bool]:
    """How near, and whether that is a share."""
    if within is None:
        return 0.0, False
    text = str(within).strip()
    relative = text.endswith("%")
    try:
        amount = float(text.removesuffix("%")) / (100 if relative else 1)
    except ValueError:
        amount = -1.0
    if isinstance(within, bool) or not 0 < amount < (1.0 if relative else 2.0**53):
        message = f'within must be a number above 0, or a share below 100 % such as "5 %" (got {within!r})'
        raise ParameterError(message)
    return amount, relative
