"""Best match: slots of one cluster with identical anchors are interchangeable, so an attack may be right "up to them".

The thesis (5.3.1) counts any of several identical anchoring sub-records as correct. Here the rebuilt records of such
a group are exchanged so that the number of correct re-attachments is as large as possible (an assignment problem;
among equals the higher accuracy wins). Slots without anchor are a group, too. Groups of more than ``MOST_SLOTS`` are
exchanged in parts of that size: the assignment of all would take hours, and this is at most a little less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.equal_rows import first_of_equal
from cloven.scoring.definitions import SCOPES
from cloven.scoring.matching_kernel import overlaps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Questions
    from cloven.scoring.rebuilt import Cells


MOST_SLOTS = 4000
"""Slots exchanged at once: a table of 130 MB, and a second or two."""


def best_places(questions: Questions, release: Disassociated, given: Cells, true: Cells) -> NDArray[np.int64]:
    """Where the rebuilt record of each slot should be read: another slot of its group, or the same."""
    edges = np.arange(true.slots + 1) * max(1, true.width)
    cells = [each.numbers(SCOPES["all"]) for each in (given, true)]
    bounds = [np.searchsorted(each, edges) for each in cells]
    items = [each % max(1, true.width) for each in cells]
    sizes = [np.diff(each) for each in bounds]
    place = np.arange(true.slots)
    for first, last in _groups(questions, release):
        givers = first + np.flatnonzero(sizes[0][first:last])
        holders = first + np.flatnonzero(sizes[1][first:last])
        if not len(givers) or not len(holders):
            continue
        table = overlaps(bounds[0], items[0], bounds[1], items[1], givers, holders)
        _exchange(place[first:last], givers - first, holders - first, table, sizes[1][holders], first)
    return place


def _exchange(
    place: NDArray[np.int64],
    givers: NDArray[np.int64],
    holders: NDArray[np.int64],
    table: NDArray[np.int64],
    lengths: NDArray[np.int64],
    first: int,
) -> None:
    """Put the givers where most is correct; whoever is left over stays, or takes what is left."""
    from scipy.optimize import linear_sum_assignment

    # Accuracies add up to at most one for each holder, so that together they never outweigh one item.
    weight = table + (table / lengths) / (len(holders) + 1)
    rows, columns = linear_sum_assignment(weight, maximize=True)
    # Pairs without a common item are free to stay where they are.
    useful = table[rows, columns] > 0
    moved, taken = givers[rows[useful]], holders[columns[useful]]
    rest, left = np.ones(len(place), bool), np.ones(len(place), bool)
    rest[moved], left[taken] = False, False
    place[moved] = first + taken
    staying = rest & left
    place[rest & ~staying] = first + np.flatnonzero(left & ~staying)


def _groups(questions: Questions, release: Disassociated) -> Iterator[tuple[int, int]]:
    """First slot and end of each group of at least two slots; equal anchors stand side by side."""
    slots = len(questions.slot_anchor)
    anchor = np.append(first_of_equal(release), -1)[questions.slot_anchor]
    new = np.ones(slots, bool)
    new[1:] = anchor[1:] != anchor[:-1]
    # Two neighbouring clusters may both end and begin with slots that show nothing.
    new[questions.slot_offsets[:-1][np.diff(questions.slot_offsets) > 0]] = True
    starts = np.flatnonzero(new)
    ends = np.append(starts[1:], slots)
    wide = ends - starts > 1
    for first, end in zip(starts[wide].tolist(), ends[wide].tolist(), strict=True):
        for start in range(first, end, MOST_SLOTS):
            yield start, min(start + MOST_SLOTS, end)
