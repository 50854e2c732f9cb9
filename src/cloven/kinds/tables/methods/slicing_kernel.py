"""Tuple partition of slicing as one compiled loop (Li, Li, Zhang, Molloy, IEEE TKDE 24(3), 2012, section 4.3).

A queue of buckets, at first the whole table. A bucket is split as in Mondrian: along the widest axis, in the middle;
where the two halves would break a promise, along the next widest; a bucket that cannot be split is finished.

The promise is checked before a split is made. ``BY_BUCKET`` looks at the two halves alone,
``BY_MATCHING`` at all buckets, as the paper does. ``SURELY`` makes a plain cut only if the halves
would keep the promise whoever of the bucket had which of its sensitive values. Then what is done with a bucket follows
from its quasi-identifiers, from how often it has each sensitive value, and from lots: from nothing that the release
does not tell. So whoever makes all of it again learns nothing more from it (docs/decisions/0010).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import Flags, Floats, Ints, Longs, compiled
from cloven.kinds.tables.methods.assembly import walk
from cloven.kinds.tables.methods.columns import numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.data.table import Attribute, Table
    from cloven.kinds.tables.methods.columns import Column, Together


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
    """Bucket of each row; the whole table must keep the promise.

    Rows that stand equal are dealt in the order in which the compiled sort leaves them.
    """
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


# How one bucket is split in two, as in Mondrian (LeFevre, DeWitt, Ramakrishnan, ICDE 2006, section 4), or better.
#
# Strict: equal values stay together, so the cut goes to the border nearest to the middle. Relaxed: both halves have the
# same size; which rows with the middle value go where is drawn by lot. Neither looks at sensitive values.
#
# Stratified, which is ours: the rows of each sensitive value are cut in the middle for themselves, so both halves have
# the sensitive values of the whole in the same proportions, up to one row each. Where a quasi-identifier goes with the
# sensitive value, a plain cut soon breaks l-diversity, and this one does not. The ranges of the halves overlap: no cell
# gets wider, as slicing publishes values, but less is kept of what goes with the axis than by a plain cut. Along an
# axis on which all rows are equal, it deals the rows of each sensitive value by lot.


@compiled
def axes_by_width(axes: Axes, rows: Ints) -> Ints:
    """Axes along which rows differ, the widest first; of equally wide ones the first."""
    widths = np.zeros(len(axes.rank))
    for axis in range(len(axes.rank)):
        rank, start = axes.rank[axis], axes.offsets[axis]
        low, high = rank[rows[0]], rank[rows[0]]
        for row in rows:
            low, high = min(low, rank[row]), max(high, rank[row])
        widths[axis] = axes.coordinate[start + high] - axes.coordinate[start + low]
    order = np.argsort(-widths, kind="mergesort")
    return order[: np.count_nonzero(widths > 0)]


@compiled
def divide(rank: Ints, rows: Ints, strict: bool, lots: Round, goes_left: Flags) -> int:
    """Send the lower half left; gives how many rows go."""
    half = len(rows) // 2
    middle = np.partition(rank[rows], half)[half]
    if strict:
        below, equal = _around(rank, rows, middle)
        half = below if half - below <= below + equal - half else below + equal
    _send(rank, rows, middle, half, lots, goes_left)
    return half


@compiled
def divide_strata(rank: Ints, stratum: Ints, rows: Ints, lots: Round, goes_left: Flags) -> int:
    """Send the lower half of each stratum left; gives how many rows go.

    Half of the strata with an odd number of rows send the greater part left; which ones is drawn by lot.
    """
    width = np.int64(rank.max()) + 1 if len(rank) else np.int64(1)
    order = rows[np.argsort(stratum[rows] * width + rank[rows])]
    odd = _odd_strata(stratum, order)
    greater = (odd + int(lot(lots, rows[0], COIN) & np.uint64(1))) // 2
    left, start = 0, 0
    while start < len(order):
        end = _end(stratum, order, start)
        inside = order[start:end]
        half = len(inside) // 2
        if len(inside) % 2:
            more = drawn(lots, inside[0], ROUNDING, greater, odd)
            half, greater, odd = half + more, greater - more, odd - 1
        _send(rank, inside, rank[inside[min(half, len(inside) - 1)]], half, lots, goes_left)
        left += half
        start = end
    return left


@compiled
def _around(rank: Ints, rows: Ints, middle: int) -> tuple[int, int]:
    """How many rows lie below a value, and how many have it."""
    below, equal = 0, 0
    for row in rows:
        below += rank[row] < middle
        equal += rank[row] == middle
    return below, equal


@compiled
def _send(rank: Ints, rows: Ints, middle: int, wanted: int, lots: Round, goes_left: Flags) -> None:
    """Send all rows below the middle value left, and of those that have it so many that ``wanted`` go in all."""
    below, equal = _around(rank, rows, middle)
    wanted -= below
    for row in rows:
        goes_left[row] = rank[row] < middle
        if rank[row] == middle:
            goes_left[row] = drawn(lots, row, TIES, wanted, equal)
            wanted -= goes_left[row]
            equal -= 1


@compiled
def _end(stratum: Ints, order: Ints, start: int) -> int:
    """Where the stratum that starts somewhere ends; rows of a stratum stand together."""
    end = start + 1
    while end < len(order) and stratum[order[end]] == stratum[order[start]]:
        end += 1
    return end


@compiled
def _odd_strata(stratum: Ints, order: Ints) -> int:
    odd, start = 0, 0
    while start < len(order):
        end = _end(stratum, order, start)
        odd += (end - start) % 2
        start = end
    return odd


# The l-diversity of slicing, kept up to date while buckets are split (Li et al., IEEE TKDE 24(3), 2012, section 3).
#
# With ``f(t, B)`` the product over the columns of the share of bucket B that shows t's part,
#
# p(t, s) = sum over B of f(t, B) p(s | t, B) / sum over B of f(t, B)  <=  1 / l    for every signature t,
#
# over all buckets. A split of B changes the terms of B only, and only for signatures that match B. So each bucket keeps
# the list of its matching signatures, and each signature keeps both sums. Terms of very different size come and go
# in these sums: they are kept with their rounding errors (Neumaier 1974), so that what is taken out leaves no trace.


_SLACK = 1e-12
"""Relative rounding error that p(t, s) = 1/l is granted."""


class Sums(NamedTuple):
    """For each signature the sum of f, and of f p(s) for each value; each with its rounding errors."""

    weight: np.ndarray
    weight_lost: np.ndarray
    value: np.ndarray
    value_lost: np.ndarray


@compiled
def empty_sums(signatures: int, values: int) -> Sums:
    """Sums of no bucket."""
    return Sums(
        np.zeros(signatures), np.zeros(signatures),
        np.zeros((signatures, values)), np.zeros((signatures, values)),
    )  # fmt: skip


@compiled
def begin(data: Coded, tally: Tally, sums: Sums, order: Ints, goes_left: Flags) -> None:
    """Enter the whole table as the one bucket: as a right half that nothing stands beside."""
    count(data, order, goes_left, tally, 1)
    rows = len(order)
    columns = data.part_of_signature.shape[1]
    for t in range(len(data.part_of_signature)):
        whole = 1.0
        for c in range(columns):
            whole *= _factor(tally.parts[1, data.part_of_signature[t, c]], rows, len(data.signature_of_row))
        sums.weight[t] = whole
        for j in range(len(data.sensitive_column)):
            part = data.part_of_signature[t, data.sensitive_column[j]]
            for s in range(data.value_offsets[j], data.value_offsets[j + 1]):
                sums.value[t, s] = whole / tally.parts[1, part] * tally.values[1, data.beside[part], s]
    count(data, order, goes_left, tally, -1)


@compiled
def _factor(count: int, size: int, rows: int) -> float:
    """Share of a bucket, times a constant that keeps products of many shares within the range of floats."""
    return float(count * np.sqrt(rows) / size)


@compiled
def _shares(data: Coded, t: int, left: int, right: int, tally: Tally) -> tuple[float, float, float]:
    """F of a signature for a bucket and its two halves."""
    rows = len(data.signature_of_row)
    whole, in_left, in_right = 1.0, 1.0, 1.0
    for c in range(data.part_of_signature.shape[1]):
        part = data.part_of_signature[t, c]
        here, there = tally.parts[0, part], tally.parts[1, part]
        whole *= _factor(here + there, left + right, rows)
        in_left *= _factor(here, left, rows)
        in_right *= _factor(there, right, rows)
    return whole, in_left, in_right


@compiled
def _plus(total: float, lost: float, term: float) -> tuple[float, float]:
    """A sum and what rounding took from it so far, after one more term."""
    new = total + term
    back = new - total
    return new, lost + ((total - (new - back)) + (term - back))


@compiled
def _replaced(
    total: float, lost: float, whole: float, in_left: float, in_right: float
) -> tuple[float, float]:
    """A sum in which the term of a bucket gives way to the terms of its halves."""
    total, lost = _plus(total, lost, -whole)
    total, lost = _plus(total, lost, in_left)
    return _plus(total, lost, in_right)


@compiled
def _rates(
    tally: Tally, part: int, whole: float, in_left: float, in_right: float
) -> tuple[float, float, float]:
    """What each row with a part adds to f p(s) of a bucket and its two halves."""
    here, there = tally.parts[0, part], tally.parts[1, part]
    return whole / (here + there), in_left / here if here else 0.0, in_right / there if there else 0.0


@compiled
def _value_sum(
    sums: Sums, t: int, s: int, held: int, also: int, rates: tuple[float, float, float]
) -> tuple[float, float]:
    """The sum of f p(s) of a signature once the halves, with so many rows of the value, stand for their bucket."""
    total, lost = sums.value[t, s], sums.value_lost[t, s]
    if held + also == 0:
        return total, lost
    return _replaced(total, lost, rates[0] * (held + also), rates[1] * held, rates[2] * also)


@compiled
def all_diverse(data: Coded, matching: Ints, left: int, right: int, tally: Tally, sums: Sums, l: int) -> bool:
    """Whether p(t, s) <= 1/l would hold for every signature that matches the bucket."""
    for t in matching:
        whole, in_left, in_right = _shares(data, t, left, right, tally)
        total, lost = _replaced(sums.weight[t], sums.weight_lost[t], whole, in_left, in_right)
        limit = (total + lost) / l * (1 + _SLACK)
        for j in range(len(data.sensitive_column)):
            part = data.part_of_signature[t, data.sensitive_column[j]]
            rates, values = _rates(tally, part, whole, in_left, in_right), tally.values[:, data.beside[part]]
            for s in range(data.value_offsets[j], data.value_offsets[j + 1]):
                total, lost = _value_sum(sums, t, s, values[0, s], values[1, s], rates)
                if total + lost > limit:
                    return False
    return True


@compiled
def enter(data: Coded, matching: Ints, left: int, right: int, tally: Tally, sums: Sums) -> None:
    """Put the halves in the place of their bucket in the sums of all signatures that match it."""
    for t in matching:
        whole, in_left, in_right = _shares(data, t, left, right, tally)
        sums.weight[t], sums.weight_lost[t] = _replaced(
            sums.weight[t], sums.weight_lost[t], whole, in_left, in_right
        )
        for j in range(len(data.sensitive_column)):
            part = data.part_of_signature[t, data.sensitive_column[j]]
            rates, values = _rates(tally, part, whole, in_left, in_right), tally.values[:, data.beside[part]]
            for s in range(data.value_offsets[j], data.value_offsets[j + 1]):
                sums.value[t, s], sums.value_lost[t, s] = _value_sum(
                    sums, t, s, values[0, s], values[1, s], rates
                )


@compiled
def keep(data: Coded, tally: Tally, side: int, matching: Ints, first: int, last: int, used: int) -> int:
    """Append the signatures among ``matching[first:last]`` that match one half; gives the new length."""
    for number in range(first, last):
        t = matching[number]
        fits = True
        for c in range(data.part_of_signature.shape[1]):
            if tally.parts[side, data.part_of_signature[t, c]] == 0:
                fits = False
                break
        if fits:
            matching[used] = t
            used += 1
    return used


# The two halves of a bucket counted, and whether each is l-diverse for itself.


class Tally(NamedTuple):
    """Rows of the two halves of a bucket by part, and by part and sensitive value."""

    parts: Ints
    values: Ints


@compiled
def empty_tally(data: Coded) -> Tally:
    """Nothing counted yet."""
    return Tally(
        np.zeros((2, len(data.beside)), np.int64),
        np.zeros((2, data.beside.max() + 1, data.value_offsets[-1]), np.int32),
    )


@compiled
def count(data: Coded, rows: Ints, goes_left: Flags, tally: Tally, step: int) -> None:
    """Enter the rows of both halves into the tally, or take them out."""
    for row in rows:
        side = 0 if goes_left[row] else 1
        signature = data.signature_of_row[row]
        for c in range(data.part_of_signature.shape[1]):
            tally.parts[side, data.part_of_signature[signature, c]] += step
        for j in range(len(data.sensitive_column)):
            part = data.part_of_signature[signature, data.sensitive_column[j]]
            tally.values[side, data.beside[part], data.sensitive[row, j]] += step


@compiled
def halves_diverse(data: Coded, rows: Ints, tally: Tally, l: int) -> bool:
    """Whether in each half, among the rows with the same part, no sensitive value has more than 1/l of them."""
    for row in rows:
        for j in range(len(data.sensitive_column)):
            part = data.part_of_signature[data.signature_of_row[row], data.sensitive_column[j]]
            for side in range(2):
                held = tally.values[side, data.beside[part], data.sensitive[row, j]]
                if held * l > tally.parts[side, part]:
                    return False
    return True


@compiled
def surely_diverse(data: Coded, rows: Ints, tally: Tally, l: int) -> bool:
    """Whether both halves would be l-diverse whoever of the bucket had which of its sensitive values.

    Even if one half got all rows with a value, these must not be more than 1/l of it. The answer follows from the
    sensitive values of the whole bucket; which row has which does not matter.
    """
    for row in rows:
        for j in range(len(data.sensitive_column)):
            part = data.part_of_signature[data.signature_of_row[row], data.sensitive_column[j]]
            beside, value = data.beside[part], data.sensitive[row, j]
            held = tally.values[0, beside, value] + tally.values[1, beside, value]
            for side in range(2):
                if 0 < tally.parts[side, part] < held * l:
                    return False
    return True


# A table as the numbers that its partition into buckets is made from.


class Coded(NamedTuple):
    """What the kernel of slicing works on.

    A *part* is what a row shows in one column without its sensitive values. A *signature* is a distinct row of parts:
    all that tells one person from another.

    Attributes:
        signature_of_row: signature of each row.
        part_of_signature: signatures x columns: its parts, numbered through all columns.
        beside: for each part of a sensitive column a number from 0; -1 for other parts.
        sensitive: rows x sensitive attributes: values, numbered through all of them.
        sensitive_column: column of each sensitive attribute.
        value_offsets: where the values of each sensitive attribute start.
    """

    signature_of_row: NDArray[np.int32]
    part_of_signature: NDArray[np.int32]
    beside: NDArray[np.int32]
    sensitive: NDArray[np.int32]
    sensitive_column: NDArray[np.int32]
    value_offsets: NDArray[np.int32]


class Axes(NamedTuple):
    """Quasi-identifiers as axes that buckets are split along.

    Attributes:
        rank: attributes x rows: place of each value among those that occur.
        coordinate: where each place lies between 0 and 1, attribute after attribute.
        offsets: where the places of each attribute start.
        stratum: for each row a number for its sensitive values and what stands beside them.
        nowhere: an axis on which all rows are at the same place.
    """

    rank: NDArray[np.int32]
    coordinate: Floats
    offsets: Longs
    stratum: Longs
    nowhere: NDArray[np.int32]


def coded(table: Table, columns: Sequence[Column], together: Together) -> Coded:
    """Parts, signatures and sensitive values of a table that is cut into columns."""
    secret = set(table.positions("sensitive"))
    parts, beside = [], []
    for column in columns:
        known = [table.codes[:, place] for place in column if place not in secret]
        parts.append(numbered(known, len(table)).astype(np.int32))
        size = int(parts[-1].max()) + 1
        beside.append(np.arange(size) if secret & set(column) else np.full(size, -1))
    starts = np.cumsum([0] + [len(found) for found in beside[:-1]])
    counts = np.cumsum([0] + [int(found.max()) + 1 for found in beside[:-1]])
    signature = numbered(parts, len(table))
    first = np.unique(signature, return_index=True)[1]
    values, of_column = _sensitive(table, columns, together)
    sizes = [int(found.max()) + 1 for found in values]
    offsets = np.cumsum([0, *sizes]).astype(np.int32)
    return Coded(
        signature.astype(np.int32),
        (np.column_stack(parts)[first] + starts).astype(np.int32),
        np.concatenate([np.where(b >= 0, b + c, -1) for b, c in zip(beside, counts, strict=True)]).astype(
            np.int32
        ),
        (np.column_stack(values) + offsets[:-1]).astype(np.int32),
        np.array(of_column, np.int32),
        offsets,
    )


def _sensitive(table: Table, columns: Sequence[Column], together: Together) -> tuple[list[Longs], list[int]]:
    """Values and column of each sensitive attribute; all of them as one if they are taken jointly."""
    secret = table.positions("sensitive")
    column_of = {place: number for number, column in enumerate(columns) for place in column}
    groups = [secret] if together == "jointly" else [(place,) for place in secret]
    values = [numbered([table.codes[:, place] for place in group], len(table)) for group in groups]
    return values, [column_of[group[0]] for group in groups]


def axes(table: Table, strata: Column) -> Axes:
    """Quasi-identifiers as axes: numbers by size, values of a taxonomy as a walk through it meets them.

    Args:
        table: the rows.
        strata: attributes whose equal values make a stratum.
    """
    ranks, coordinates = [], []
    for place in table.positions("quasi-identifier"):
        attribute, codes = table.attributes[place], table.codes[:, place]
        place_of = walk_order(attribute)
        there, rank = np.unique(place_of[codes], return_inverse=True)
        ranks.append(rank.astype(np.int32))
        coordinates.append(_spread(attribute, np.argsort(place_of)[there], len(there)))
    offsets = np.cumsum([0] + [len(found) for found in coordinates]).astype(np.int64)
    stratum = numbered([table.codes[:, place] for place in strata], len(table))
    return Axes(
        np.array(ranks, np.int32),
        np.concatenate(coordinates),
        offsets,
        stratum,
        np.zeros(len(table), np.int32),
    )


def walk_order(attribute: Attribute) -> Longs:
    """Place of each value when related ones stand side by side."""
    tree = attribute.tree
    if attribute.numbers is not None or tree is None:
        return np.arange(len(attribute))
    return walk(tree)[0].astype(np.int64)


def _spread(attribute: Attribute, values: Longs, count: int) -> Floats:
    """Where values lie between the first and the last of them."""
    raw = np.arange(count, dtype=np.float64) if attribute.numbers is None else attribute.numbers[values]
    width = raw[-1] - raw[0]
    return np.asarray((raw - raw[0]) / width if width else np.zeros(count))


# Lots inside compiled loops: every row has a secret number, and each round makes a fresh lot of it.
#
# The secret numbers come from the operating system (``lots``). A lot is what SplitMix64 (Steele, Lea, Flood, OOPSLA
# 2014) draws from the number in that round. No row's lots have to do with its content, nor with its place among the
# others.


TIES, ROUNDING, COIN = range(3)
"""What a lot decides: rows with the middle value; who gets the odd row; how many get one."""
_USES = 3


class Round(NamedTuple):
    """Lots of one round.

    Attributes:
        secrets: one number for each row.
        number: of the round.
    """

    secrets: NDArray[np.uint64]
    number: int


@compiled
def lot(lots: Round, row: int, use: int) -> Any:
    """The lot of a row for one use in this round."""
    steps = np.uint64(lots.number * _USES + use + 1)
    mixed = lots.secrets[row] + steps * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


@compiled
def drawn(lots: Round, row: int, use: int, wanted: int, left: int) -> bool:
    """Whether a row is among the ``wanted`` of ``left`` rows not yet asked: all choices are equally likely.

    Remainders of 64 bits: that small ones are a little likelier is beyond measure.
    """
    return bool(lot(lots, row, use) % np.uint64(left) < np.uint64(wanted))
