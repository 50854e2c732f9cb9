"""Find links among the candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from cloven.compiled import Ints


@compiled
def find_candidates(offsets: Ints, slots: Ints, target: Ints, slot: Ints) -> Ints:
    """Place of each link (target and slot) among the candidates, -1 if it is none; slots ascend inside a target."""
    place = np.full(len(target), -1, np.int64)
    for i in range(len(target)):
        low, end = offsets[target[i]], offsets[target[i] + 1]
        high = end
        while low < high:
            middle = (low + high) // 2
            if slots[middle] < slot[i]:
                low = middle + 1
            else:
                high = middle
        if low < end and slots[low] == slot[i]:
            place[i] = low
    return place
