"""What the cells of a published table show, and what they mean to somebody who knows more values.

An anonymiser knows every value of the original; a reader knows what the cells show: the ends of a range, the values of
a set. ``shown`` leaves out all else, so that publishing cells does not publish the list of numbers that occur.
``understood`` is the way back, for whoever knows further values, such as the owner or an attacker: a range holds every
number between its ends. Both keep the order of the cells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from cloven.data.arrays import counted_up

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.data.table import Table
    from cloven.kinds.tables.release import CellDomain, TableRelease


R = TypeVar("R", bound="TableRelease")


def are_ranges(domain: CellDomain) -> Flags:
    """Whether each cell holds every value between its first and its last."""
    edges = domain.member_offsets
    found: Flags = domain.members[edges[1:] - 1] - domain.members[edges[:-1]] == np.diff(edges) - 1
    return found


def texts_of(domain: CellDomain) -> tuple[list[tuple[str, ...]], list[bool]]:
    """What each cell shows, and whether it is a range: both ends of a range of numbers, else all its values."""
    ranges = are_ranges(domain).tolist() if domain.numbers is not None else [False] * len(domain.labels)
    cells = []
    for range_, (start, end) in zip(ranges, pairwise(domain.member_offsets.tolist()), strict=True):
        held = (
            (domain.members[start], domain.members[end - 1]) if range_ else domain.members[start:end].tolist()
        )
        cells.append(tuple(domain.values[code] for code in held))
    return cells, ranges


def shown(domain: CellDomain) -> CellDomain:
    """The cells with no values but those that they show.

    >>> from cloven.kinds.tables.release import CellDomain
    >>> ages = tuple("20 23 27 30".split())
    >>> one = CellDomain("age", False, ages, np.array([20.0, 23.0, 27.0, 30.0]), ("20..27", "30"),
    ...     np.array([0, 3, 4]), np.array([0, 1, 2, 3], np.int32))
    >>> shown(one).values
    ('20', '27', '30')
    >>> understood(shown(one), ages).members.tolist()
    [0, 1, 2, 3]
    """
    return from_texts(domain, *texts_of(domain), numbers=domain.numbers is not None)


def from_texts(
    about: CellDomain,
    cells: Sequence[tuple[str, ...]],
    ranges: Sequence[bool],
    more: Sequence[str] = (),
    *,
    numbers: bool,
) -> CellDomain:
    """Cells from what they show (see ``texts_of``), for somebody who knows some values more.

    A set of numbers with gaps gets a value of no cell in a gap, its middle, so that it is not taken for a range.
    """
    texts = {text for cell in cells for text in cell}
    if not numbers:
        values = tuple(sorted({*texts, *more}))
        place = {text: code for code, text in enumerate(values)}
        held = [np.array(sorted({place[text] for text in cell}), np.int64) for cell in cells]
        return _domain(about, values, None, held)
    by_number = {float(text): text for text in sorted(texts)}
    by_number |= {number: text for text in more if (number := _number(text)) is not None}
    for cell, range_ in zip(cells, ranges, strict=True):
        for low, high in () if range_ else pairwise(sorted({float(text) for text in cell})):
            if not any(low < number < high for number in by_number):
                by_number[(low + high) / 2] = repr((low + high) / 2)
    found = np.array(sorted(by_number), np.float64)
    values = tuple(by_number[number] for number in found.tolist())
    if all(ranges):
        ends = np.array([(float(cell[0]), float(cell[-1])) for cell in cells], np.float64).reshape(-1, 2)
        ends.sort(axis=1)
        first, last = (
            np.searchsorted(found, ends[:, 0], "left"),
            np.searchsorted(found, ends[:, 1], "right") - 1,
        )
        offsets, members = counted_up(first, last)
        return replace(about, values=values, numbers=found, member_offsets=offsets, members=members)
    held = [_codes(found, cell, range_=range_) for cell, range_ in zip(cells, ranges, strict=True)]
    return _domain(about, values, found, held)


def understood(domain: CellDomain, values: Sequence[str]) -> CellDomain:
    """The cells for somebody who knows these values too; the same object if that changes nothing."""
    in_cells = {domain.values[code] for code in np.flatnonzero(CellRuns.of(domain).covered).tolist()}
    if set(domain.values) in ({*values}, {*values, *in_cells}):
        return domain
    return from_texts(domain, *texts_of(domain), values, numbers=domain.numbers is not None)


def shown_release(release: R) -> R:
    """A release with no cells but those of its rows, and no values but those that they show: what is published."""
    domains, cells = [], release.cells.copy()
    for place, domain in enumerate(release.domains):
        used, cells[:, place] = np.unique(release.cells[:, place], return_inverse=True)
        domains.append(shown(_only(domain, used)))
    return replace(release, domains=tuple(domains), cells=cells)


def understood_release(release: R, values: Mapping[str, Sequence[str]]) -> R:
    """A release for somebody who knows these values of some attributes, by name."""
    domains = tuple(
        understood(domain, values[domain.name]) if domain.name in values else domain
        for domain in release.domains
    )
    same = all(new is old for new, old in zip(domains, release.domains, strict=True))
    return release if same else replace(release, domains=domains)


def understood_by(release: R, table: Table) -> R:
    """A release for somebody who knows the values of a table, such as the owner."""
    return understood_release(release, {attribute.name: attribute.values for attribute in table.attributes})


def _only(domain: CellDomain, cells: NDArray[np.int32]) -> CellDomain:
    """Some of the cells."""
    edges = domain.member_offsets
    if len(cells) == len(domain.labels):
        return domain
    held = [domain.members[edges[cell] : edges[cell + 1]] for cell in cells.tolist()]
    chosen = replace(domain, labels=tuple(domain.labels[cell] for cell in cells.tolist()))
    return _domain(chosen, domain.values, domain.numbers, held)


def _domain(
    about: CellDomain, values: tuple[str, ...], numbers: Floats | None, held: Sequence[NDArray[Any]]
) -> CellDomain:
    offsets = np.concatenate([[0], np.cumsum([len(cell) for cell in held], dtype=np.int64)]).astype(np.int64)
    members = np.concatenate([*(cell.astype(np.int32) for cell in held), np.empty(0, np.int32)])
    return replace(about, values=values, numbers=numbers, member_offsets=offsets, members=members)


def _codes(numbers: Floats, cell: tuple[str, ...], *, range_: bool) -> Longs:
    shows = np.array(sorted({float(text) for text in cell}), np.float64)
    return _between(numbers, shows) if range_ else np.searchsorted(numbers, shows)


def _between(numbers: Floats, shows: Floats) -> Longs:
    return np.arange(
        np.searchsorted(numbers, shows.min(), "left"), np.searchsorted(numbers, shows.max(), "right")
    )


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


# Cells as runs of neighbouring values: a range is a single run, however many values it holds.
#
# What is asked of cells (how much of them is meant, what their rows say about each value) is answered by sums over
# runs, so that it costs no more for ranges of a million numbers than for ranges of two.


@dataclass(frozen=True, eq=False)
class CellRuns:
    """The cells of one attribute.

    Attributes:
        first: first value of each run, cell after cell.
        last: last value of each run.
        offsets: where the runs of each cell start.
        sizes: how many values each cell holds.
        values: how many values there are.
    """

    first: Longs
    last: Longs
    offsets: Longs
    sizes: Longs
    values: int

    @classmethod
    def of(cls, domain: CellDomain) -> CellRuns:
        """The runs of a published domain.

        >>> from cloven.kinds.tables.release import CellDomain
        >>> domain = CellDomain("age", False, tuple("1234"), np.arange(4.0), ("1..3", "{1, 4}"),
        ...     np.array([0, 3, 5]), np.array([0, 1, 2, 0, 3], np.int32))
        >>> runs = CellRuns.of(domain)
        >>> runs.first.tolist(), runs.last.tolist(), runs.offsets.tolist()
        ([0, 0, 3], [2, 0, 3], [0, 1, 3])
        """
        edges, members = domain.member_offsets, domain.members
        sizes, values = np.diff(edges), len(domain.values)
        first, last = (members[ends].astype(np.int64) for ends in (edges[:-1], edges[1:] - 1))
        if (last - first == sizes - 1).all():  # nothing but ranges: no need to look inside
            return cls(first, last, np.arange(len(edges)), sizes, values)
        begins = np.ones(len(members), np.bool_)
        np.not_equal(members[1:], members[:-1] + 1, out=begins[1:])
        begins[edges[:-1]] = True
        starts = np.flatnonzero(begins)
        ends = np.append(starts[1:], len(members)) - 1
        return cls(
            members[starts].astype(np.int64),
            members[ends].astype(np.int64),
            np.searchsorted(starts, edges),
            sizes,
            values,
        )

    @property
    def single(self) -> bool:
        """Whether every cell is one value."""
        return bool((self.sizes == 1).all())

    @property
    def cell_of_run(self) -> Longs:
        """The cell that each run belongs to."""
        return np.repeat(np.arange(len(self.sizes)), np.diff(self.offsets))

    @property
    def covered(self) -> Flags:
        """Whether each value is in some cell."""
        steps = np.bincount(self.first, minlength=self.values + 1)
        steps -= np.bincount(self.last + 1, minlength=self.values + 1)
        return np.cumsum(steps)[:-1] > 0

    def stand_for(self, values: Longs, cells: NDArray[Any]) -> Flags:
        """Whether a cell stands for a value, one by one; values below 0 are in no cell. Both are broadcast.

        >>> from cloven.kinds.tables.release import CellDomain
        >>> domain = CellDomain("age", False, tuple("1234"), np.arange(4.0), ("1..3", "{1, 4}"),
        ...     np.array([0, 3, 5]), np.array([0, 1, 2, 0, 3], np.int32))
        >>> CellRuns.of(domain).stand_for(np.array([1, 1, 3, -2]), np.array([0, 1, 1, 0])).tolist()
        [True, False, True, False]
        """
        values, cells = np.broadcast_arrays(values, np.asarray(cells, np.int64))
        # Runs stand cell after cell, in each cell in ascending order: one search finds the run that may hold a value.
        ends = self.cell_of_run * self.values + self.last
        at = np.searchsorted(ends, cells * self.values + np.maximum(values, 0))
        inside = (values >= 0) & (at < self.offsets[cells + 1])
        found: Flags = inside & (self.first[np.minimum(at, len(self.first) - 1)] <= values)
        return found

    def mean_in_cells(self, per_value: Floats) -> Floats:
        """Mean over the values of each cell of a number that each value has."""
        before = np.concatenate(([0.0], np.cumsum(per_value)))
        totals = np.add.reduceat(before[self.last + 1] - before[self.first], self.offsets[:-1])
        means: Floats = totals / self.sizes
        return means

    def over_values(self, per_cell: NDArray[Any]) -> Floats:
        """What cells have, shared out evenly among their values; any number of columns."""
        each = (per_cell.T / self.sizes).T[self.cell_of_run]
        out = np.zeros((self.values + 1, *per_cell.shape[1:]))
        np.add.at(out, self.first, each)
        if self.single:
            return out[:-1]
        np.subtract.at(out, self.last + 1, each)
        covers = np.zeros(out.shape, np.int64)  # whole numbers tell for certain what no cell reaches
        np.add.at(covers, self.first, each != 0)
        np.subtract.at(covers, self.last + 1, (each != 0).astype(np.int64))
        shared: Floats = np.cumsum(out, axis=0)[:-1]
        return np.where(np.cumsum(covers, axis=0)[:-1] > 0, np.maximum(shared, 0.0), 0.0)
