"""Which published parts fit which persons: parts are looked up by one attribute, and then compared in all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Ints, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Cells(NamedTuple):
    """The cells of several attributes as runs of neighbouring values, so that a wide range costs as little as a value.

    Attributes:
        first: first value of each run, cell after cell and attribute after attribute.
        last: last value of each run.
        edges: where the runs of each cell start; one more for each attribute, where its last one ends.
        starts: where the cells of each attribute start among the edges.
    """

    first: Ints
    last: Ints
    edges: Ints
    starts: Ints


class Parts(NamedTuple):
    """Published parts, and their order by the cells of one attribute.

    Attributes:
        cells: parts x attributes.
        lead: the attribute that parts are looked up by.
        order: parts by their cell of that attribute.
        ends: where the parts with each cell end in that order.
    """

    cells: Ints
    lead: int
    order: Ints
    ends: Ints


@compiled
def _stands_for(cells: Cells, attribute: int, cell: int, value: int) -> bool:  # pragma: no cover - compiled
    """Whether a cell stands for a value; -1 fits every cell, a lower one none."""
    if value < 0:
        return bool(value == -1)
    at = cells.starts[attribute] + cell
    low, high = cells.edges[at], cells.edges[at + 1]
    while low < high:
        middle = (low + high) // 2
        if cells.last[middle] < value:
            low = middle + 1
        else:
            high = middle
    return bool(low < cells.edges[at + 1] and cells.first[low] <= value)


@compiled
def _fits(person: Ints, part: Ints, cells: Cells) -> bool:  # pragma: no cover - compiled
    for attribute in range(len(person)):
        if not _stands_for(cells, attribute, part[attribute], person[attribute]):
            return False
    return True


@compiled
def _found(
    person: Ints, parts: Parts, cells: Cells, out: Ints, place: int
) -> int:  # pragma: no cover - compiled
    """Write the parts that fit from a place on, if there is one (not below 0); gives how many there are."""
    many = 0
    for cell in range(len(parts.ends)):
        if not _stands_for(cells, parts.lead, cell, person[parts.lead]):
            continue
        for at in range(parts.ends[cell - 1] if cell > 0 else 0, parts.ends[cell]):
            part = parts.order[at]
            if _fits(person, parts.cells[part], cells):
                if place >= 0:
                    out[place + many] = part
                many += 1
    return many


@compiled
def fitting(
    persons: Ints, parts: Parts, cells: Cells
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # pragma: no cover - compiled
    """Parts that fit each person: where they start, and which they are."""
    offsets = np.zeros(len(persons) + 1, np.int64)
    nowhere = np.empty(0, np.int64)
    for person in range(len(persons)):
        offsets[person + 1] = offsets[person] + _found(persons[person], parts, cells, nowhere, -1)
    fits = np.empty(offsets[-1], np.int64)
    for person in range(len(persons)):
        if offsets[person] < offsets[person + 1]:
            _found(persons[person], parts, cells, fits, offsets[person])
    return offsets, fits
