"""Common items of every given and every true record of a group of slots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import compiled

if TYPE_CHECKING:
    from cloven.compiled import Ints


@compiled
def overlaps(
    given_offsets: Ints, given: Ints, true_offsets: Ints, true: Ints, givers: Ints, holders: Ints
) -> Ints:
    """Number of common items of each giver (row) and each holder (column); items ascend inside a slot."""
    table = np.zeros((len(givers), len(holders)), np.int64)
    for i in range(len(givers)):
        for j in range(len(holders)):
            a, b = given_offsets[givers[i]], true_offsets[holders[j]]
            a_end, b_end = given_offsets[givers[i] + 1], true_offsets[holders[j] + 1]
            while a < a_end and b < b_end:
                if given[a] == true[b]:
                    table[i, j] += 1
                    a += 1
                    b += 1
                elif given[a] < true[b]:
                    a += 1
                else:
                    b += 1
    return table
