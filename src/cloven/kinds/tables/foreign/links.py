"""Which person of the original each row of a published table is about.

Three ways, the surest first: a column that names every person in both files; the order of the rows, if every cell
agrees with it; else a largest possible assignment of rows to people whom their cells allow. The last is one of several
that are possible: who of two people that fit a class stands in it is not known, nor needed to attack it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.tables.foreign.cells import number_in
from cloven.kinds.tables.foreign.diversity import classes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Longs
    from cloven.kinds.tables.foreign.cells import Cell

NOBODY = -1
MOST_PAIRS = 20_000_000
"""Pairs of different published rows and different people that fit them, at most."""
MOST_PATTERNS = 300
"""Ways in which rows lack values, at most, to count rows that may be alike; each is held against all."""
Way = Literal["names", "order", "fit"]


@dataclass(frozen=True, eq=False)
class Shown:
    """The published rows of the columns that are compared.

    Attributes:
        cells: different cells of each column.
        codes: rows x columns: which of them each row shows.
    """

    cells: tuple[tuple[Cell, ...], ...]
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, eq=False)
class Links:
    """Who is behind the rows.

    Attributes:
        way: how that was found.
        person: row of the original behind each published row; ``NOBODY`` where it fits nobody who is left.
        by: the column that names people, if there is one.
    """

    way: Way
    person: Longs
    by: str = ""


def by_names(published: Sequence[str], original: Sequence[str]) -> Longs | None:
    """Rows of the original with the same names, if names are unique in both files and known; else None.

    >>> by_names(["b", "a"], ["a", "b", "c"]).tolist(), by_names(["a", "a"], ["a", "b"])
    ([1, 0], None)
    """
    place = {name: row for row, name in enumerate(original)}
    if len(place) < len(original) or len(set(published)) < len(published):
        return None
    found = [place.get(name, NOBODY) for name in published]
    return None if NOBODY in found else np.array(found, np.int64)


def by_numbers(published: Sequence[str], rows: int) -> tuple[Longs, ...]:
    """Rows of the original that a column may number, from 0 and from 1; nothing unless it has different row numbers.

    >>> [each.tolist() for each in by_numbers(["1.0", "3.0"], 3)], by_numbers(["2", "2"], 3)
    ([[0, 2]], ())
    """
    numbers = [number_in(text) for text in published]
    if len(set(numbers)) < len(numbers) or any(each is None or each % 1 for each in numbers):
        return ()
    found = np.array(numbers, np.float64).astype(np.int64)
    return tuple(found - first for first in (0, 1) if found.min() >= first and found.max() - first < rows)


def fitting(shown: Shown, people: NDArray[np.int32], person: Longs) -> Flags:
    """Whether every cell of each row holds the value of the person it is linked to."""
    good: Flags = person != NOBODY
    for column, cells in enumerate(shown.cells):
        value = people[np.maximum(person, 0), column].astype(np.int64)
        width = 1 + max(int(value.max(initial=0)), *(int(cell.codes[-1]) for cell in cells))
        listed = np.concatenate([number * width + cell.codes for number, cell in enumerate(cells)])
        asked = shown.codes[:, column] * width + value
        at = np.minimum(np.searchsorted(listed, asked), len(listed) - 1)
        good &= listed[at] == asked
    return good


def in_order(shown: Shown, people: NDArray[np.int32]) -> bool:
    """Whether the rows stand in the order of the original: as many, all fitting, and not all alike."""
    if len(shown) != len(people) or len(shown) < 2:
        return False
    telling = [
        place
        for place, cells in enumerate(shown.cells)
        if sum(cell.how not in ("nothing", "unread") for cell in cells) > 1
    ]
    return bool(telling) and bool(fitting(shown, people, np.arange(len(people))).all())


def by_fit(shown: Shown, people: NDArray[np.int32]) -> Longs:
    """As many rows as possible, each linked to a person of its own whom its cells allow.

    Raises:
        ParameterError: there are too many possibilities to look at.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    rows, people_alike = _groups(shown.codes), _groups(people)
    row, person = _pairs(shown, people, rows.first, people_alike.first)
    many, left = len(rows.sizes), len(people_alike.sizes)
    source, sink = many + left, many + left + 1
    begins = np.concatenate([np.full(many, source), row, many + np.arange(left)])
    ends = np.concatenate([np.arange(many), many + person, np.full(left, sink)])
    room = np.concatenate(
        [rows.sizes, np.minimum(rows.sizes[row], people_alike.sizes[person]), people_alike.sizes]
    )
    graph = csr_array((room.astype(np.int32), (begins, ends)), shape=(sink + 1, sink + 1))
    flow = maximum_flow(graph, source, sink).flow.tocoo()
    used = (flow.data > 0) & (flow.row < many) & (flow.col >= many) & (flow.col < source)
    return _dealt(rows, people_alike, flow.row[used], flow.col[used] - many, flow.data[used], len(shown))


@dataclass(frozen=True)
class Fits:
    """How many there are to choose from, at the least.

    Attributes:
        rows: published rows that fit a person.
        people: published people who fit a row.
    """

    rows: int
    people: int

    @property
    def fewest(self) -> int:
        """The smaller of both: whoever knows everybody may begin at either end."""
        return min(self.rows, self.people)


def fewest_fits(shown: Shown, people: NDArray[np.int32]) -> Fits:
    """Rows that fit each person, and people who fit each row, where there are fewest.

    A value that was taken out fits everybody, so rows that look like no other may still hide among many.
    """
    rows, alike = _groups(shown.codes), _groups(people)
    row, person = _pairs(shown, people, rows.first, alike.first)
    for_person = np.bincount(person, weights=rows.sizes[row], minlength=len(alike.sizes))
    for_row = np.bincount(row, weights=alike.sizes[person], minlength=len(rows.sizes))
    return Fits(int(for_person.min()), int(for_row.min()))


def fewest_alike(shown: Shown) -> int:
    """Rows that look like a row, at the least, where a value that was taken out looks like any; others by their text.

    >>> from cloven.kinds.tables.foreign.cells import Cell
    >>> sexes = [Cell(text, "value", np.array([code])) for code, text in enumerate("fm")]
    >>> cells = (*sexes, Cell("*", "nothing", np.arange(2)))
    >>> fewest_alike(Shown((cells,), np.array([[0], [0], [1], [1], [1], [2]], np.int32)))
    3
    """
    gone = [np.array([cell.how == "nothing" for cell in cells], np.bool_) for cells in shown.cells]
    taken_out = np.column_stack([each[column] for each, column in zip(gone, shown.codes.T, strict=True)])
    pattern = classes_of(taken_out.astype(np.int32))
    groups = [np.flatnonzero(pattern == number) for number in range(int(pattern.max()) + 1)]
    if len(groups) > MOST_PATTERNS:
        return int(np.bincount(classes_of(shown.codes)).min())
    alike = np.zeros(len(shown), np.int64)
    for mine in groups:
        for others in groups:
            told = ~(taken_out[mine[0]] | taken_out[others[0]])
            number = classes_of(shown.codes[np.concatenate((mine, others))][:, told])
            times = np.bincount(number[len(mine) :], minlength=int(number.max()) + 1)
            alike[mine] += times[number[: len(mine)]]
    return int(alike.min())


def _pairs(shown: Shown, people: NDArray[np.int32], rows: Longs, distinct: Longs) -> tuple[Longs, Longs]:
    """Different rows and different people that fit each other: by the cell that fewest fit, then by the others."""
    columns = [
        _Column.of(cells, people[distinct, place].astype(np.int64)) for place, cells in enumerate(shown.cells)
    ]
    found: list[Longs] = []
    total = 0
    for row in shown.codes[rows].tolist():
        first = min(range(len(row)), key=lambda place: columns[place].fit[row[place]])
        fits = columns[first].people(row[first])
        for place, cell in enumerate(row):
            if place != first and columns[place].fit[cell] < len(distinct):
                fits = fits[columns[place].holds(cell, fits)]
        found.append(fits)
        total += len(fits)
        if total > MOST_PAIRS:
            message = (
                f"who is behind the rows cannot be found: more than {MOST_PAIRS:,} pairs of rows and people fit; keep a"
                " column that names people in both files for the audit, or audit fewer rows"
            )
            raise ParameterError(message)
    sizes = [len(each) for each in found]
    return np.repeat(np.arange(len(rows)), sizes), np.concatenate([np.empty(0, np.int64), *found])


@dataclass(frozen=True, eq=False)
class _Column:
    """One column, to look people up by cell.

    Attributes:
        codes: values of each cell, ascending.
        value: value of each person.
        order: people by value.
        starts: where the people of each value start there.
        fit: how many people fit each cell.
    """

    codes: list[NDArray[np.int32]]
    value: Longs
    order: Longs
    starts: Longs
    fit: list[int]

    @classmethod
    def of(cls, cells: Sequence[Cell], value: Longs) -> _Column:
        width = 1 + max(int(value.max(initial=0)), *(int(cell.codes[-1]) for cell in cells))
        times = np.bincount(value, minlength=width)
        starts = np.concatenate(([0], np.cumsum(times))).astype(np.int64)
        codes = [cell.codes for cell in cells]
        fit = [int(times[each].sum()) for each in codes]
        return cls(codes, value, np.argsort(value, kind="stable"), starts, fit)

    def people(self, cell: int) -> Longs:
        """Everybody who fits a cell."""
        codes = self.codes[cell]
        if int(codes[-1]) - int(codes[0]) == len(codes) - 1:
            return self.order[self.starts[codes[0]] : self.starts[codes[-1] + 1]]
        return np.concatenate(
            [self.order[self.starts[code] : self.starts[code + 1]] for code in codes.tolist()]
        )

    def holds(self, cell: int, people: Longs) -> Flags:
        """Who of some people fits a cell."""
        codes, value = self.codes[cell], self.value[people]
        if int(codes[-1]) - int(codes[0]) == len(codes) - 1:
            between: Flags = (value >= codes[0]) & (value <= codes[-1])
            return between
        return np.isin(value, codes)


@dataclass(frozen=True, eq=False)
class _Groups:
    """Equal rows: the first of each group, how many there are, and all of them group by group."""

    first: Longs
    sizes: Longs
    rows: Longs
    starts: Longs


def _groups(codes: NDArray[np.int32]) -> _Groups:
    number = classes_of(codes)
    _, first, sizes = np.unique(number, return_index=True, return_counts=True)
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)
    return _Groups(first, sizes.astype(np.int64), np.argsort(number, kind="stable"), starts)


def _dealt(rows: _Groups, people: _Groups, group: Longs, fits: Longs, many: Longs, published: int) -> Longs:
    """Single rows and people from how many of each group go together."""
    person = np.full(published, NOBODY, np.int64)
    next_row, next_person = rows.starts.copy(), people.starts.copy()
    for one, other, count in zip(group.tolist(), fits.tolist(), many.tolist(), strict=True):
        at, to = next_row[one], next_person[other]
        person[rows.rows[at : at + count]] = people.rows[to : to + count]
        next_row[one] += count
        next_person[other] += count
    return person
