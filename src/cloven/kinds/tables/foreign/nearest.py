"""Record linkage by the ranges themselves: of all rows that fit a person, the one whose ranges lie nearest.

Who only asks which rows may be a person's takes a range for all that it says. Ranges that were drawn around values say
more: their middles, or one of their ends, are the values. So the attacker takes every range for one of its points, and
the row for the person's whose points are nearest to what is known; distances are in units of how far the points of a
column spread. Whatever else is known must fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from cloven.kinds.tables.foreign.cells import numbers_of, span_of
from cloven.kinds.tables.foreign.diversity import classes_of
from cloven.kinds.tables.foreign.links import NOBODY, Shown, by_fit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.data.table import Attribute
    from cloven.kinds.tables.foreign.cells import Cell

Point = Literal["middle", "low end", "high end"]
POINTS: tuple[Point, ...] = get_args(Point)
MOST_PAIRS = 50_000_000
"""Persons and looks of rows that are held against each other, at most."""
_PERSONS = 256  # worked on at once
_SAME = 1e-9  # distances this close are equal


@dataclass(frozen=True, eq=False)
class NearestRows:
    """Which rows lie nearest to each person.

    Attributes:
        matched: looks of rows that fit.
        ties: rows that lie nearest.
        confidence: one by these; 0 where nothing fits.
        attack: name and parameters of the attack, as plain JSON values.
        nearest: persons x looks: which of them lie nearest.
        look_of_row: look of every row of the release, in its order; below 0 for rows that are nobody's.
    """

    matched: Longs
    ties: Floats
    confidence: Floats
    attack: Mapping[str, Any]
    nearest: Flags
    look_of_row: Longs

    def __len__(self) -> int:
        return len(self.matched)

    def sure_of(self, rows: Longs) -> Floats:
        """Confidence that a row of the release is the person's; rows below 0 are nobody's."""
        look = np.where(rows[:, 0] >= 0, self.look_of_row[np.maximum(rows[:, 0], 0)], -1)
        held = self.nearest[np.arange(len(self)), np.maximum(look, 0)] & (look >= 0)
        return np.where(held, self.confidence, 0.0)


@dataclass(frozen=True, eq=False)
class Looks:
    """The different looks of published rows.

    Attributes:
        columns: quasi-identifiers.
        number: look of each published row.
        sizes: rows of each look.
    """

    columns: tuple[LookColumn, ...]
    number: Longs
    sizes: Longs

    @classmethod
    def of(cls, shown: Shown, attributes: Sequence[Attribute]) -> Looks:
        """The looks of some rows by some attributes."""
        number = classes_of(shown.codes)
        _, first, sizes = np.unique(number, return_index=True, return_counts=True)
        columns = tuple(
            LookColumn(cells, shown.codes[first, place], numbers_of(attribute))
            for place, (cells, attribute) in enumerate(zip(shown.cells, attributes, strict=True))
        )
        return cls(columns, number, sizes.astype(np.int64))

    @property
    def ranged(self) -> bool:
        """Whether some cell is a range of numbers."""
        return any(column.ranged for column in self.columns)

    def nearest(self, people: NDArray[np.int32], point: Point, look_of_row: Longs) -> NearestRows:
        """The rows that lie nearest to some people, whose quasi-identifiers are known."""
        near = np.zeros((len(people), len(self.sizes)), np.bool_)
        matched = np.zeros(len(people), np.int64)
        for start in range(0, len(people), _PERSONS):
            block = slice(start, start + _PERSONS)
            apart = self._apart(people[block], point)
            best = apart.min(axis=1, keepdims=True)
            near[block] = np.isfinite(apart) & (apart <= best + _SAME)
            matched[block] = np.isfinite(apart).sum(axis=1)
        ties: Floats = near.astype(np.float64) @ self.sizes.astype(np.float64)
        confidence = np.divide(1.0, ties, out=np.zeros(len(people)), where=ties > 0)
        attack = {"name": "nearest ranges", "point": point}
        return NearestRows(matched, ties, confidence, attack, near, look_of_row)

    def mutual(self, people: NDArray[np.int32], point: Point) -> Mutual:
        """People and looks that are nearest to each other."""
        look = np.full(len(people), NOBODY, np.int64)
        person, least = np.full(len(self.sizes), NOBODY, np.int64), np.full(len(self.sizes), np.inf)
        away = np.full(len(people), np.inf)
        for start in range(0, len(people), _PERSONS):
            apart = self._apart(people[start : start + _PERSONS], point)
            look[start : start + _PERSONS] = apart.argmin(axis=1)
            away[start : start + _PERSONS] = apart.min(axis=1)
            nearer = apart.min(axis=0) < least
            person[nearer] = start + apart.argmin(axis=0)[nearer]
            least = np.minimum(least, apart.min(axis=0))
        both = np.flatnonzero((person != NOBODY) & (look[person] == np.arange(len(person))))
        return Mutual(both, person[both], float(away[np.isfinite(away)].mean()) if len(both) else np.inf)

    def _apart(self, people: NDArray[np.int32], point: Point) -> Floats:
        """Squared distance of each person from each look; infinite where it does not fit."""
        apart, fits = (
            np.zeros((len(people), len(self.sizes))),
            np.ones((len(people), len(self.sizes)), np.bool_),
        )
        for place, column in enumerate(self.columns):
            fits &= column.fits(people[:, place])
            if column.ranged:
                apart += column.apart(people[:, place], point)
        return np.where(fits, apart, np.inf)


@dataclass(frozen=True, eq=False)
class LookColumn:
    """One quasi-identifier.

    Attributes:
        cells: what its texts were read as.
        shown: which of them each look shows.
        numbers: values of the original as numbers.
    """

    cells: tuple[Cell, ...]
    shown: NDArray[np.int32]
    numbers: Floats

    @property
    def ranged(self) -> bool:
        """Whether some cell is a range of numbers."""
        return any(cell.how == "range" for cell in self.cells)

    def fits(self, values: NDArray[np.int32]) -> Flags:
        """Persons x looks: whether the cell holds the person's value."""
        held = np.zeros((len(values), len(self.cells)), np.bool_)
        for number, cell in enumerate(self.cells):
            first, last = cell.codes[0], cell.codes[-1]
            whole = int(last) - int(first) == len(cell.codes) - 1
            held[:, number] = (values >= first) & (values <= last) if whole else np.isin(values, cell.codes)
        return held[:, self.shown]

    def apart(self, values: NDArray[np.int32], point: Point) -> Floats:
        """Persons x looks: squared distance of the number from the point, in units of how the points spread.

        What was taken out lies as far as anything can: whoever has a choice takes a row that says something.
        """
        points = np.array([self._point(cell, point) for cell in self.cells], np.float64)
        spread = float(np.nanstd(points[self.shown])) or 1.0
        farthest = (np.nanmax(self.numbers) - np.nanmin(self.numbers)) / spread
        away = (self.numbers[values][:, None] - points[None, :]) / spread
        away = np.where(np.isnan(points)[None, :], farthest, away)
        squared: Floats = np.nan_to_num(away, nan=0.0)[:, self.shown] ** 2
        return squared

    def _point(self, cell: Cell, point: Point) -> float:
        if cell.how in ("nothing", "unread"):
            return float("nan")
        span = span_of(cell.text) if cell.how == "range" else None
        held = self.numbers[cell.codes]
        if span is None and np.isnan(held).all():
            return float("nan")
        # Of ranges without an end the outermost value stands for it.
        low = span.low if span is not None and np.isfinite(span.low) else float(np.nanmin(held))
        high = span.high if span is not None and np.isfinite(span.high) else float(np.nanmax(held))
        return {"low end": low, "middle": (low + high) / 2, "high end": high}[point]


@dataclass(frozen=True, eq=False)
class Mutual:
    """Looks and people that are nearest to each other, and how far people are from the nearest look on average."""

    look: Longs
    person: Longs
    away: float


def by_nearest(shown: Shown, people: NDArray[np.int32], attributes: Sequence[Attribute]) -> Longs:
    """As ``by_fit``, but rows and people whose ranges and values are nearest to each other go together first.

    Where ranges overlap, many people fit a row, and any of them would be taken for the one behind it: nobody who reads
    the ranges better would then be seen to be right.
    """
    plain, looks = by_fit(shown, people), Looks.of(shown, attributes)
    if not looks.ranged or len(people) * len(looks.sizes) > MOST_PAIRS:
        return plain
    near = min((looks.mutual(people, point) for point in POINTS), key=lambda each: each.away)
    row_of_look = np.unique(looks.number, return_index=True)[1]
    found = np.full(len(shown), NOBODY, np.int64)
    found[row_of_look[near.look]] = near.person
    rows, left = np.flatnonzero(found == NOBODY), np.setdiff1d(np.arange(len(people)), near.person)
    if len(rows) and len(left):
        others = by_fit(Shown(shown.cells, shown.codes[rows]), people[left])
        found[rows] = np.where(others == NOBODY, NOBODY, left[np.maximum(others, 0)])
    return found if (found != NOBODY).sum() >= (plain != NOBODY).sum() else plain
