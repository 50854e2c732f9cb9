"""What runs have in common: how they say where they are, and what they remember."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cloven.protocols import Related, Relatedness

SEED = 20120801
"""Seed of the measurements, so that a table can be made again; no release depends on it."""
Plain = dict[str, Any]
"""A figure, a run or a row as JSON has it."""
Found = dict[str, dict[str, "float | None"]]
"""What a run measured: values by measure and side, such as ``value`` and ``chance``."""
Report = Callable[[str, float], None]
"""Told of every step: what is done now, and which share of all is done."""


def part_of(report: Report, name: str, number: int, parts: int) -> Report:
    """Report of one of several equal parts.

    >>> part_of(lambda step, share: print(step, share), "shop", 1, 4)("read", 0.5)
    shop: read 0.375
    """
    return lambda step, share: report(f"{name}: {step}", (number + share) / parts)


@dataclass
class Remembered:
    """A measure of relatedness that looks the same vocabulary up only once; several attacks ask for it in turn."""

    measure: Relatedness
    _items: tuple[str, ...] | None = None
    _related: Related | None = None

    @property
    def name(self) -> str:
        """One word for tables."""
        return self.measure.name

    def relate(self, items: Sequence[str]) -> Related:
        """Look the items up, unless they are those of the last time."""
        if self._related is None or self._items != tuple(items):
            self._items, self._related = tuple(items), self.measure.relate(items)
        return self._related
