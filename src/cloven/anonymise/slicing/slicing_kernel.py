"""Tuple partition of slicing as one compiled loop (Li, Li, Zhang, Molloy, IEEE TKDE 24(3), 2012, section 4.3).

A queue of buckets, at first the whole table. A bucket is split as in Mondrian: along the widest axis, in the middle;
where the two halves would break a promise, along the next widest; a bucket that cannot be split is finished.

The promise is checked before a split is made. ``BY_BUCKET`` looks at the two halves alone (``tally_kernel``),
``BY_MATCHING`` at all buckets, as the paper does (``chances_kernel``). ``SURELY`` makes a plain cut only if the halves
would keep the promise whoever of the bucket had which of its sensitive values. Then what is done with a bucket follows
from its quasi-identifiers, from how often it has each sensitive value, and from lots: from nothing that the release
does not tell. So whoever makes all of it again learns nothing more from it (docs/decisions/0010).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.anonymise.slicing.chances_kernel import Sums, all_diverse, begin, empty_sums, enter, keep
from cloven.anonymise.slicing.lots_kernel import Round
from cloven.anonymise.slicing.splitting_kernel import axes_by_width, divide, divide_strata
from cloven.anonymise.slicing.tally_kernel import Tally, count, empty_tally, halves_diverse, surely_diverse
from cloven.compiled import Flags, Ints, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.anonymise.slicing.coding import Axes, Coded

STRICT, RELAXED, STRATIFIED, DEALT = range(4)
BY_MATCHING, BY_BUCKET, SURELY = range(3)


class Plan(NamedTuple):
    """What is promised, and how buckets are split.

    Attributes:
        k: rows of a bucket, at least.
        l: no sensitive value may have a chance above 1/l.
        check: over what.
        ways: to split, in the order in which they are tried.
    """

    k: int
    l: int
    check: int
    ways: Ints


class Room(NamedTuple):
    """What the loop works on.

    Attributes:
        order: rows, those of a bucket side by side.
        goes_left: for each row of the bucket in hand, whether it goes left.
        tally: the halves of the bucket in hand; empty between buckets.
        sums: chances of all signatures over all buckets.
    """

    order: Ints
    goes_left: Flags
    tally: Tally
    sums: Sums


@compiled
def partition(data: Coded, axes: Axes, plan: Plan, secrets: NDArray[np.uint64]) -> Ints:
    """Bucket of each row; the whole table must keep the promise."""
    rows, signatures = len(data.signature_of_row), len(data.part_of_signature)
    watched = signatures if plan.check == BY_MATCHING else 1
    room = Room(
        np.arange(rows),
        np.zeros(rows, np.bool_),
        empty_tally(data),
        empty_sums(watched, data.value_offsets[-1]),
    )
    bounds = np.zeros((2 * (rows // plan.k) + 2, 4), np.int64)  # rows from, to; matching signatures from, to
    bounds[0, 1], bounds[0, 3] = rows, signatures
    matching = np.arange(signatures).astype(np.int32)
    bucket_of = np.empty(rows, np.int64)
    if plan.check == BY_MATCHING:
        begin(data, room.tally, room.sums, room.order, room.goes_left)
    made, done, used, finished = 1, 0, signatures, 0
    while done < made:
        start, end, first, last = bounds[done]
        mine = room.order[start:end]
        left = _split(data, axes, plan, room, mine, matching[first:last], secrets, done)
        done += 1
        if left == 0:
            bucket_of[mine] = finished
            finished += 1
            continue
        bounds[made, 0], bounds[made, 1] = start, start + left
        bounds[made + 1, 0], bounds[made + 1, 1] = start + left, end
        if plan.check == BY_MATCHING:
            if used + 2 * (last - first) > len(matching):
                matching = np.append(matching[:used], np.empty(used + 2 * (last - first), np.int32))
            for side in range(2):
                bounds[made + side, 2] = used
                used = keep(data, room.tally, side, matching, first, last, used)
                bounds[made + side, 3] = used
        count(data, mine, room.goes_left, room.tally, -1)
        made += 2
    return bucket_of


@compiled
def _split(
    data: Coded,
    axes: Axes,
    plan: Plan,
    room: Room,
    rows: Ints,
    matching: Ints,
    secrets: NDArray[np.uint64],
    bucket: int,
) -> int:
    """Split a bucket if that keeps the promise; gives the rows of the left half, 0 if there is no such split.

    After a split the rows are in order and the halves are tallied.
    """
    if len(rows) < 2 * plan.k:
        return 0
    widest = axes_by_width(axes, rows)
    attempt = bucket * len(plan.ways) * len(axes.rank)  # each draws lots of its own
    for way in plan.ways:
        for number in range(1 if way == DEALT else len(widest)):
            rank = axes.nowhere if way == DEALT else axes.rank[widest[number]]
            left = _divide(rank, axes.stratum, rows, way, Round(secrets, attempt), room.goes_left)
            attempt += 1
            if left < plan.k or len(rows) - left < plan.k:
                continue
            count(data, rows, room.goes_left, room.tally, 1)
            if _safe(data, plan, room, rows, left, matching, way):
                if plan.check == BY_MATCHING:
                    enter(data, matching, left, len(rows) - left, room.tally, room.sums)
                rows[:] = np.append(rows[room.goes_left[rows]], rows[~room.goes_left[rows]])
                return left
            count(data, rows, room.goes_left, room.tally, -1)
    return 0


@compiled
def _divide(rank: Ints, stratum: Ints, rows: Ints, way: int, lots: Round, goes_left: Flags) -> int:
    if way in (STRATIFIED, DEALT):
        return divide_strata(rank, stratum, rows, lots, goes_left)
    return divide(rank, rows, way == STRICT, lots, goes_left)


@compiled
def _safe(data: Coded, plan: Plan, room: Room, rows: Ints, left: int, matching: Ints, way: int) -> bool:
    """Whether the promise is kept if the halves in the tally become buckets."""
    if plan.check == BY_MATCHING:
        return all_diverse(data, matching, left, len(rows) - left, room.tally, room.sums, plan.l)
    if plan.check == SURELY and way != DEALT:
        return surely_diverse(data, rows, room.tally, plan.l)
    return halves_diverse(data, rows, room.tally, plan.l)
