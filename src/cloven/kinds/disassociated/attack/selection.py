"""Selection step of the semantic attack: which slots get each target (thesis, section 4.2.2, Algorithms 5 and 6).

``best`` is the printed rule: a sub-record with c copies goes to the c best slots, an item of a term chunk to the k - 1
best ones, ties to the first. ``one-per-row`` lets no slot have two sub-records of one chunk, best fits first.
``optimal`` solves each chunk as a whole: the assignment of largest total score that gives no slot two sub-records;
items of a term chunk are spread evenly, one copy of each in every round. Both look at whole chunks, so that only
``best`` can choose for a sample of the targets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import Flags, Floats, Longs, compiled
from cloven.cores import at_once
from cloven.data.arrays import offsets_of, run_starts
from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack.prior import answers, expected_copies, fill
from cloven.kinds.disassociated.guesses import Answer, Guesses
from cloven.kinds.disassociated.release import Disassociated, Kind
from cloven.statistics.ranks import nth_largest
from cloven.statistics.sums import deviation, exponentials, shifted, total

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from cloven.compiled import Ints
    from cloven.kinds.disassociated.guesses import Questions


SELECTIONS = ("best", "one-per-row", "optimal")
MOST_CELLS = 20_000_000
"""Largest table that is solved as one assignment; a larger chunk is chosen greedily, a term chunk in parts."""


def one_by_one(asked: Questions, selection: str) -> None:
    """Refuse a selection that would need the targets which a sample leaves out."""
    if asked.is_sample and selection != "best":
        message = (
            f"selection {selection!r} looks at all sub-records of a chunk; for a sample of them choose 'best'"
        )
        raise ParameterError(message)


def copies_to_place(asked: Questions, k: int) -> Longs:
    """How many slots each target is given: its copies, or k - 1 for an item of a term chunk."""
    return np.where(asked.target_kind == Kind.TERM, k - 1, asked.target_copies)


def groups(asked: Questions, release: Disassociated, targets: Longs) -> tuple[Longs, Longs]:
    """First and last + 1 target of each chunk among these (ascending) targets."""
    row = asked.target_row[targets]
    starts = run_starts(
        release.row_cluster[row], release.row_joint[row], release.row_chunk[row], release.row_kind[row]
    )
    ends = np.append(starts, len(row))[1:].astype(np.int64)
    return targets[starts], targets[ends - 1] + 1


def select(
    asked: Questions, release: Disassociated, targets: Longs, score: Floats, selection: str, chosen: Flags
) -> int:
    """Mark the chosen candidates of some targets; how many copies found no slot."""
    wanted = copies_to_place(asked, release.k)
    term = asked.target_kind[targets] == Kind.TERM
    if selection == "best":
        choose_best(targets, asked.offsets, score, wanted, chosen)
        return 0
    if selection == "one-per-row":
        choose_best(targets[term], asked.offsets, score, wanted, chosen)
        return _one_per_row(asked, *groups(asked, release, targets[~term]), score, wanted, chosen)
    left, (firsts, lasts) = 0, groups(asked, release, targets)
    for number, (first, last) in enumerate(zip(firsts.tolist(), lasts.tolist(), strict=True)):
        cells = int(wanted[first:last].sum()) * _width(asked, first, last)
        if asked.target_kind[first] == Kind.TERM:
            _spread(asked, first, last, score, wanted, chosen)
        elif cells <= MOST_CELLS:
            left += _assign(asked, first, last, score, wanted, chosen)
        else:
            here = slice(number, number + 1)
            left += _one_per_row(asked, firsts[here], lasts[here], score, wanted, chosen)
    return left


def _one_per_row(
    asked: Questions, firsts: Longs, lasts: Longs, score: Floats, wanted: Longs, chosen: Flags
) -> int:
    """No slot gets two sub-records of one of these chunks; how many copies found no slot."""

    def some(first: int, last: int) -> int:
        return choose_one_per_slot(
            firsts[first:last], lasts[first:last], asked.offsets, asked.slots, score, wanted, chosen
        )

    work = offsets_of(asked.offsets[lasts] - asked.offsets[firsts])
    return sum(at_once(some, work))


def _width(asked: Questions, first: int, last: int) -> int:
    """Number of slots from the lowest to the highest candidate of these targets."""
    slots = asked.slots[asked.offsets[first] : asked.offsets[last]]
    return int(slots.max() - slots.min()) + 1 if len(slots) else 0


def _table(asked: Questions, first: int, last: int, score: Floats) -> tuple[Floats, NDArray[np.int32]]:
    """Scores of these targets (rows) for their slots (columns), -inf where a slot is no candidate."""
    here = slice(asked.offsets[first], asked.offsets[last])
    lengths = np.diff(asked.offsets[first : last + 1])
    slots, column = np.unique(asked.slots[here], return_inverse=True)
    table: Floats = np.full((last - first, len(slots)), -np.inf)
    table[np.repeat(np.arange(last - first), lengths), column] = score[here]
    return table, slots


def _assign(asked: Questions, first: int, last: int, score: Floats, wanted: Longs, chosen: Flags) -> int:
    """One assignment for a chunk of sub-records; how many copies found no slot."""
    from scipy.optimize import linear_sum_assignment

    table, slots = _table(asked, first, last, score)
    owner = np.repeat(np.arange(last - first), wanted[first:last])
    value = table[owner]
    allowed = np.isfinite(value)
    # A forbidden place costs more than anything that allowed places could win.
    spread = float(np.ptp(table[np.isfinite(table)])) if allowed.any() else 0.0
    forbidden = (np.min(value[allowed], initial=0.0)) - (1 + spread) * (len(owner) + 1)
    row, column = linear_sum_assignment(np.where(allowed, value, forbidden), maximize=True)
    good = allowed[row, column]
    _mark(asked, first + owner[row[good]], slots[column[good]], chosen)
    return int(len(owner) - good.sum())


def _spread(asked: Questions, first: int, last: int, score: Floats, wanted: Longs, chosen: Flags) -> None:
    """Items of one term chunk: in each round one copy of every item, the slots filled evenly.

    A chunk whose table would be too large is spread half by half.
    """
    from scipy.optimize import linear_sum_assignment

    items, width = last - first, int(asked.offsets[first + 1] - asked.offsets[first])
    deep = -(-items // width)
    if items * width * deep > MOST_CELLS and items > 1:
        middle = (first + last) // 2
        _spread(asked, first, middle, score, wanted, chosen)
        _spread(asked, middle, last, score, wanted, chosen)
        return
    table, slots = _table(asked, first, last, score)
    for _ in range(int(min(wanted[first:last].max(initial=0), width))):
        open_places = np.repeat(np.where(np.isfinite(table), table, -1e12), deep, axis=1)
        row, column = linear_sum_assignment(open_places, maximize=True)
        column //= deep
        good = np.isfinite(table[row, column])
        _mark(asked, first + row[good], slots[column[good]], chosen)
        table[row, column] = -np.inf


def _mark(asked: Questions, target: Longs, slot: NDArray[np.int32], chosen: Flags) -> None:
    """Mark candidates given by target and slot."""
    for t, s in zip(target.tolist(), slot.tolist(), strict=True):
        first, last = asked.offsets[t : t + 2].tolist()
        chosen[first + int(np.searchsorted(asked.slots[first:last], s))] = True


# Compiled selection: the best slots of each target, one target after the other, or one sub-record to a slot.


@compiled
def choose_best(targets: Ints, offsets: Ints, score: Floats, wanted: Ints, chosen: Flags) -> None:
    """Mark the ``wanted`` best candidates of each target; the first of equal ones."""
    for target in targets:
        first, last = offsets[target], offsets[target + 1]
        many = min(wanted[target], last - first)
        if many == 0:
            continue
        here = score[first:last]
        least = nth_largest(here, many)
        level = many
        for value in here:
            level -= value > least
        for i in range(len(here)):
            if here[i] > least:
                chosen[first + i] = True
            elif here[i] == least and level > 0:
                chosen[first + i] = True
                level -= 1


@compiled
def choose_one_per_slot(
    firsts: Ints, lasts: Ints, offsets: Ints, slots: Ints, score: Floats, wanted: Ints, chosen: Flags
) -> int:
    """Give each slot at most one target of a chunk, the best fits first; how many copies found no slot.

    The targets of each chunk go from one of ``firsts`` to below one of ``lasts``.
    """
    without = 0
    for chunk in range(len(firsts)):
        first_target, last_target = firsts[chunk], lasts[chunk]
        first, last = offsets[first_target], offsets[last_target]
        if first == last:
            continue
        owner = np.empty(last - first, np.int64)
        for target in range(first_target, last_target):
            owner[offsets[target] - first : offsets[target + 1] - first] = target
        lowest = slots[first:last].min()
        taken = np.zeros(slots[first:last].max() - lowest + 1, np.bool_)
        left = wanted[first_target:last_target].copy()
        for at in np.argsort(-score[first:last], kind="mergesort"):
            target, slot = owner[at] - first_target, slots[first + at] - lowest
            if left[target] > 0 and not taken[slot]:
                chosen[first + at] = True
                taken[slot] = True
                left[target] -= 1
        without += left.sum()
    return int(without)


# From scores to probabilities: how sure the attack is of each candidate.
#
# The log odds of a candidate rise by ``sharpness`` for each standard deviation by which its score exceeds the mean of
# the target's candidates, and the probabilities of a target add up to the number of slots that hold it. So an attack
# that cannot tell the slots apart answers with the prior, copies / candidates. If true and false scores were two normal
# distributions d standard deviations apart, sharpness d would be calibrated; 0.4 belongs to a link AUC of 0.61.


@compiled
def confidences(offsets: Ints, score: Floats, expected: Floats, sharpness: float) -> NDArray[np.float32]:
    """A probability for every candidate of every target."""
    found = np.zeros(len(score), np.float32)
    for target in range(len(offsets) - 1):
        first, last = offsets[target], offsets[target + 1]
        many = last - first
        if many == 0:
            continue
        if expected[target] >= many:
            found[first:last] = np.float32(1)
            continue
        here = score[first:last]
        spread = deviation(here)
        if sharpness == 0.0 or spread <= 1e-12:
            found[first:last] = np.float32(expected[target] / many)
            continue
        mean = total(here) / many
        shifted(exponentials(sharpness * (here - mean) / spread), expected[target], found[first:last])
    return found


# The last step of every attack: scores for all, probabilities, and no choice where nothing could be told.


def finished(
    asked: Questions,
    release: Disassociated,
    score: Floats,
    chosen: Flags,
    sharpness: float,
    parameters: Mapping[str, Any],
    notes: Mapping[str, Any],
    filled: Floats | None = None,
) -> Guesses:
    """Complete the guesses; ``score`` is NaN for candidates that have none, and ``filled`` has something for them.

    A target of a cluster that shows no anchor stays where it is: there is nothing to attach it to, and what was
    chosen for it is taken back.
    """
    answer = answers(asked, score)
    score = fill(asked, score) if filled is None else filled
    confidence = confidences(asked.offsets, score, expected_copies(asked, release), sharpness)
    chosen[np.repeat(answer == Answer.NO_ANCHOR, np.diff(asked.offsets))] = False
    return Guesses(asked, score, confidence, chosen, answer, dict(parameters), dict(notes))
