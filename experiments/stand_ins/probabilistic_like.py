"""An approximation of the probabilistic approach (Sattar, Li, Liu, Heatherly, Malin, Knowledge-Based Systems 67, 2014).

Known is (BinJubier et al. 2022, section 2): the approach, (d, alpha)-linkable, sees to it that d sensitive values are
associated with each class with a probability of alpha, going by how quasi-identifiers and sensitive values hang
together. Here a value of a class counts as *linkable* if somebody else's class with the same cells and n rows would
hold it too with a probability of at least alpha, so that intersecting the two leaves it: 1 - (1 - p)^n, with p the
chance of the value given the cells by naive Bayes over the whole table. Mondrian makes classes with d values; those
with fewer than d linkable ones are merged with the class that widens their cells least.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cloven.data.given import expect_table
from cloven.errors import ParameterError
from cloven.kinds.tables.methods.assembly import check_complete, generalised
from cloven.kinds.tables.methods.constraints import DistinctL, described
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.methods.parameters import (
    check_k,
    check_share,
    check_whole,
    one_sensitive,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.compiled import Floats, Longs
    from cloven.data.table import Table
    from cloven.kinds.tables.key import PublishedTable


@dataclass(frozen=True)
class ProbabilisticLike:
    """Classes whose sensitive values others would have too.

    Attributes:
        k: rows of a class, at least.
        d: linkable values of a class, at least.
        alpha: probability with which somebody else's class would hold a linkable value, at least.
    """

    k: int = 6
    d: int = 3
    alpha: float = 0.5
    family: ClassVar[str] = "tables"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", check_k(self.k))
        object.__setattr__(self, "d", check_whole("d", self.d, 2, "one value would be certain"))
        check_share("alpha", self.alpha, 1, "it is a probability")

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as plain JSON values."""
        return {
            "method": "probabilistic-like",
            "approximates": "Sattar et al. 2014",
            "seeded": False,
            "d": self.d,
            "alpha": self.alpha,
            "constraints": [DistinctL(self.d).parameters],
        }

    def anonymise(self, table: Table, progress: Callable[[str, float], None] | None = None) -> PublishedTable:
        """Anonymise; ``progress(step, share done)`` is called along the way."""
        expect_table(table, type(self).__name__)
        report = progress or (lambda _step, _share: None)
        check_complete(table)
        place = one_sensitive(table, "probabilistic-like")
        report("cut", 0.0)
        classes = Mondrian(k=self.k, l=self.d).classes(table)
        report("merge", 0.0)
        merged = self._merged(table, classes, place)
        report("assemble", 0.0)
        promised = described(DistinctL(self.d), table)
        result = generalised(table, merged, k=self.k, parameters=self.parameters | {"constraints": promised})
        report("assemble", 1.0)
        return result

    def _merged(self, table: Table, classes: Longs, place: int) -> Longs:
        """Classes after merging, until each has d linkable values."""
        looks = list(table.positions("quasi-identifier"))
        chances = _Chances.of(table, looks, place)
        rows = {number: np.flatnonzero(classes == number) for number in range(int(classes.max()) + 1)}
        low, high = _boxes(table.codes[:, looks], rows)
        widths = np.array([max(1, len(table.attributes[look]) - 1) for look in looks])
        weak = [number for number in rows if self._linkable(table, rows[number], chances) < self.d]
        while weak:
            number = weak.pop(0)
            if number not in rows or self._linkable(table, rows[number], chances) >= self.d:
                continue  # it was merged away, or others were merged into it
            if len(rows) == 1:
                message = (
                    f"(d, alpha) = ({self.d}, {self.alpha}) cannot be met, not even by all rows together; choose a"
                    " smaller d or alpha"
                )
                raise ParameterError(message)
            others = np.array([other for other in rows if other != number])
            wider = np.maximum(high[others], high[number]) - np.minimum(low[others], low[number])
            other = int(others[(wider / widths).sum(axis=1).argmin()])
            rows[other] = np.sort(np.concatenate([rows[other], rows.pop(number)]))
            low[other], high[other] = (
                np.minimum(low[other], low[number]),
                np.maximum(high[other], high[number]),
            )
            if other not in weak:
                weak.append(other)
        out = np.empty(len(table), np.int64)
        for number, (_, members) in enumerate(sorted(rows.items())):
            out[members] = number
        return out

    def _linkable(self, table: Table, rows: Longs, chances: _Chances) -> int:
        """Values of a class that somebody else's would hold with probability alpha."""
        there = np.unique(table.codes[rows, chances.place])
        chance = chances.given(table.codes[rows][:, chances.looks])[there]
        return int((1.0 - (1.0 - chance) ** len(rows) >= self.alpha).sum())


@dataclass(frozen=True, eq=False)
class _Chances:
    """Chance of each sensitive value given the cells of a class, by naive Bayes."""

    looks: list[int]
    place: int
    shares: Floats
    given_value: tuple[Floats, ...]

    @classmethod
    def of(cls, table: Table, looks: list[int], place: int) -> _Chances:
        secret, width = table.codes[:, place], len(table.attributes[place])
        counts = np.bincount(secret, minlength=width).astype(float)
        tables = []
        for look in looks:
            size = len(table.attributes[look])
            joint = np.bincount(table.codes[:, look] * width + secret, minlength=size * width).reshape(
                size, width
            )
            tables.append(joint / np.maximum(1.0, counts))
        return cls(looks, place, counts / counts.sum(), tuple(tables))

    def given(self, codes: NDArray[np.int32]) -> Floats:
        """Distribution of the sensitive attribute for rows that show one of these values in each attribute."""
        weight = self.shares.copy()
        for column, table in enumerate(self.given_value):
            weight = weight * table[np.unique(codes[:, column])].sum(axis=0)
        total = float(weight.sum())
        return weight / total if total > 0 else self.shares


def _boxes(codes: NDArray[np.int32], rows: dict[int, Longs]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Smallest and largest code of each class in each attribute."""
    low = np.stack([codes[members].min(axis=0) for members in rows.values()])
    high = np.stack([codes[members].max(axis=0) for members in rows.values()])
    return low, high
