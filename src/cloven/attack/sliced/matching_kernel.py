"""Which published parts fit which persons: every pair of them is compared, attribute after attribute."""

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
def fitting(
    persons: Ints, parts: Ints, holds: Flags, starts: Ints, widths: Ints
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # pragma: no cover - compiled
    """Parts that fit each person: where they start, and which they are.

    ``holds[starts[a] + value * widths[a] + cell]`` says whether a cell of attribute a stands for a value. The value -1
    fits every cell, a lower one none.
    """
    offsets = np.zeros(len(persons) + 1, np.int64)
    for person in range(len(persons)):
        found = 0
        for part in range(len(parts)):
            if _fits(persons[person], parts[part], holds, starts, widths):
                found += 1
        offsets[person + 1] = offsets[person] + found
    fits = np.empty(offsets[-1], np.int64)
    for person in range(len(persons)):
        place = offsets[person]
        if place == offsets[person + 1]:
            continue
        for part in range(len(parts)):
            if _fits(persons[person], parts[part], holds, starts, widths):
                fits[place] = part
                place += 1
    return offsets, fits
