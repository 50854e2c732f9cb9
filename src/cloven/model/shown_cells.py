"""What the cells of a published table show, and what they mean to somebody who knows more values.

An anonymiser knows every value of the original; a reader knows what the cells show: the ends of a range, the values of
a set. ``shown`` leaves out all else, so that publishing cells does not publish the list of numbers that occur.
``understood`` is the way back, for whoever knows further values, such as the owner or an attacker: a range holds every
number between its ends. Both keep the order of the cells.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from cloven.model.arrays import counted_up
from cloven.model.cell_runs import CellRuns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.model.published_table import CellDomain, GeneralisedTable, Sliced
    from cloven.model.table import Table

R = TypeVar("R", bound="GeneralisedTable | Sliced")


def are_ranges(domain: CellDomain) -> NDArray[np.bool_]:
    """Whether each cell holds every value between its first and its last."""
    edges = domain.member_offsets
    found: NDArray[np.bool_] = (
        domain.members[edges[1:] - 1] - domain.members[edges[:-1]] == np.diff(edges) - 1
    )
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

    >>> from cloven.model.published_table import CellDomain
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
    about: CellDomain,
    values: tuple[str, ...],
    numbers: NDArray[np.float64] | None,
    held: Sequence[NDArray[Any]],
) -> CellDomain:
    offsets = np.concatenate([[0], np.cumsum([len(cell) for cell in held], dtype=np.int64)]).astype(np.int64)
    members = np.concatenate([*(cell.astype(np.int32) for cell in held), np.empty(0, np.int32)])
    return replace(about, values=values, numbers=numbers, member_offsets=offsets, members=members)


def _codes(numbers: NDArray[np.float64], cell: tuple[str, ...], *, range_: bool) -> NDArray[np.int64]:
    shows = np.array(sorted({float(text) for text in cell}), np.float64)
    return _between(numbers, shows) if range_ else np.searchsorted(numbers, shows)


def _between(numbers: NDArray[np.float64], shows: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.arange(
        np.searchsorted(numbers, shows.min(), "left"), np.searchsorted(numbers, shows.max(), "right")
    )


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None
