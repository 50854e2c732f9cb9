"""Which published parts fit which persons: parts are looked up by one attribute, and then compared in all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import Flags, Ints, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def _fits(
    person: Ints, part: Ints, holds: Flags, starts: Ints, widths: Ints
) -> bool:  # pragma: no cover - compiled
    for attribute in range(len(person)):
        value = person[attribute]
        if value == -1:
            continue
        if value < -1 or not holds[starts[attribute] + value * widths[attribute] + part[attribute]]:
            return False
    return True


@compiled
def _found(
    person: Ints,
    parts: Ints,
    holds: Flags,
    starts: Ints,
    widths: Ints,
    lead: int,
    order: Ints,
    ends: Ints,
    out: Ints,
    place: int,
) -> int:  # pragma: no cover - compiled
    """Write the parts that fit from a place on, if there is one (not below 0); gives how many there are."""
    many = 0
    for cell in range(len(ends)):
        value = person[lead]
        if value != -1 and (value < -1 or not holds[starts[lead] + value * widths[lead] + cell]):
            continue
        for at in range(ends[cell - 1] if cell > 0 else 0, ends[cell]):
            part = order[at]
            if _fits(person, parts[part], holds, starts, widths):
                if place >= 0:
                    out[place + many] = part
                many += 1
    return many


@compiled
def fitting(
    persons: Ints,
    parts: Ints,
    holds: Flags,
    starts: Ints,
    widths: Ints,
    lead: int,
    order: Ints,
    ends: Ints,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # pragma: no cover - compiled
    """Parts that fit each person: where they start, and which they are.

    ``holds[starts[a] + value * widths[a] + cell]`` says whether a cell of attribute a stands for a value. The value -1
    fits every cell, a lower one none. ``order`` has the parts by their cell of the attribute ``lead``; those with cell
    c end at ``ends[c]``.
    """
    offsets = np.zeros(len(persons) + 1, np.int64)
    nowhere = np.empty(0, np.int64)
    for person in range(len(persons)):
        offsets[person + 1] = offsets[person] + _found(
            persons[person], parts, holds, starts, widths, lead, order, ends, nowhere, -1
        )
    fits = np.empty(offsets[-1], np.int64)
    for person in range(len(persons)):
        if offsets[person] < offsets[person + 1]:
            _found(persons[person], parts, holds, starts, widths, lead, order, ends, fits, offsets[person])
    return offsets, fits
