"""Relatedness made up for a law: every item is known, and a function says how related all of them are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cloven.protocols import Coverage


@dataclass(frozen=True)
class MadeUp:
    """``scores`` gives the table of some items; NaN stands for a pair that it does not know."""

    scores: Callable[[tuple[str, ...]], np.ndarray]
    name: str = "made up"

    def relate(self, items):
        return _Related(tuple(items), self.scores(tuple(items)))


@dataclass(frozen=True)
class _Related:
    items: tuple[str, ...]
    table: np.ndarray

    @property
    def coverage(self):
        return Coverage({"exact": len(self.items)})

    def block(self, left, right):
        return self.table[np.ix_(left, right)]
