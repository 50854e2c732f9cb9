"""Which records can be singled out by somebody who knows a few of their items.

A record is singled out by ``j`` items if it holds a combination of at most ``j`` items that no other record
holds (no other person's record, where persons are known). The search is exact while it stays inside a budget
of steps; beyond it, a random sample of records is searched, still against all data, and the share gets an
interval.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import Flags, Longs, compiled
from cloven.data.arrays import offsets_of, positions
from cloven.data.defaults import K, M
from cloven.data.given import expect_sets
from cloven.errors import ParameterError
from cloven.figures import many, percent
from cloven.statistics.intervals import wilson
from cloven.statistics.mining import rank_records

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.data.transactions import Transactions


BUDGET = 1_000_000_000
_FIRST_BATCH = 64
SEVERAL = -2
"""Stands for several holders."""


@dataclass(frozen=True)
class SingledOut:
    """Share of records that can be singled out.

    Attributes:
        known_items: how many items of the record somebody knows.
        share: share of records that such knowledge can single out.
        low: lower end of the interval (95 %); equal to ``share`` if exact.
        high: upper end of the interval.
        exact: whether every record was searched.
        searched: number of records searched.
    """

    known_items: int
    share: float
    low: float
    high: float
    exact: bool
    searched: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


def singled_out(
    data: Transactions, m: int = M, *, rng: np.random.Generator | None = None, budget: int = BUDGET
) -> tuple[SingledOut, ...]:
    """Share of records singled out by 1, 2, ... ``m`` known items.

    ``rng`` draws the sample where one is needed; without it the system's randomness does.

    >>> from cloven.data.transactions import Transactions
    >>> data = Transactions.from_records([["flu", "fever"], ["flu", "cough"], ["fever", "cough"], ["flu"]])
    >>> [found.share for found in singled_out(data, m=2)]
    [0.0, 0.75]
    """
    if m < 1:
        message = f"m must be at least 1 (got {m})"
        raise ParameterError(message)
    search = _Search.over(data, rng or np.random.default_rng())
    results: list[SingledOut] = []
    open_records = np.ones(len(data), bool)
    for size in range(1, m + 1):
        if not results or results[-1].exact:
            after = open_records.copy()
            if search.run(size, after, budget) >= 0:
                open_records = after
                share = 1 - float(open_records.mean()) if len(data) else 0.0
                results.append(SingledOut(size, share, share, share, exact=True, searched=len(data)))
                continue
        exact_size = sum(result.exact for result in results)
        results.append(_not_below(_sampled(search, size, exact_size, open_records, budget), results))
    return tuple(results)


@dataclass(frozen=True)
class _Search:
    """Data ready to be searched: records of a person together, items of a record from rare to frequent."""

    offsets: Longs
    items: NDArray[np.int32]
    person: Longs
    vocabulary: int
    order: Longs  # which record of the data stands at each place
    rng: np.random.Generator

    @classmethod
    def over(cls, data: Transactions, rng: np.random.Generator) -> _Search:
        person = np.arange(len(data)) if data.persons is None else data.persons
        order = np.argsort(person, kind="stable")
        rank = np.empty(len(data.vocabulary), np.int32)
        rank[np.argsort(data.supports, kind="stable")] = np.arange(len(rank), dtype=np.int32)
        lengths = data.lengths[order]
        codes = data.codes if data.persons is None else data.codes[positions(data.offsets[order], lengths)]
        offsets, items, _, _ = rank_records(offsets_of(lengths), codes, rank, len(rank))
        return cls(offsets, items, person[order].astype(np.int64), len(rank), order, rng)

    def run(self, size: int, wanted: Flags, budget: int) -> int:
        """Clear ``wanted`` (by record of the data) where ``size`` items do; give the steps, or -1."""
        placed = wanted[self.order]
        steps = search(size, Records(self.offsets, self.items, self.person, placed), self.vocabulary, budget)
        wanted[self.order] = placed
        return int(steps)


def _sampled(search: _Search, size: int, exact_size: int, open_records: Flags, budget: int) -> SingledOut:
    """Estimate from a growing random sample of the records that are still open after the exact sizes."""
    total, candidates = len(open_records), search.rng.permutation(np.flatnonzero(open_records))
    done = hits = 0
    batch = _FIRST_BATCH
    while done < len(candidates) and budget > 0 and batch:
        chosen = candidates[done : done + batch]
        wanted = np.zeros(total, bool)
        wanted[chosen] = True
        steps = _run_sizes(search, range(exact_size + 1, size + 1), wanted, budget)
        if (
            steps < 0
        ):  # too many at once; what this batch found is dropped, or the cheap ones would be favoured
            batch = batch // 4 if not done else 0
            continue
        budget -= steps
        done += len(chosen)
        hits += len(chosen) - int(wanted.sum())
        batch *= 2
    known, rest = total - len(candidates), len(candidates)
    share = hits / max(1, done)
    low, high = wilson(hits, done) if done < rest else (share, share)
    share, low, high = ((known + rest * value) / total for value in (share, low, high))
    return SingledOut(size, share, low, high, exact=done == rest, searched=known + done)


def _run_sizes(search: _Search, sizes: range, wanted: Flags, budget: int) -> int:
    total = 0
    for size in sizes:
        steps = search.run(size, wanted, budget - total)
        if steps < 0:
            return -1
        total += steps
    return total


def _not_below(found: SingledOut, earlier: list[SingledOut]) -> SingledOut:
    """Knowing more cannot single out fewer; two samples may say so by chance."""
    least = {
        name: max(getattr(each, name) for each in (found, *earlier[-1:])) for name in ("share", "low", "high")
    }
    return replace(found, **least)


# Compiled search for combinations that only one person holds; imported only when used.
#
# Records hold their items in one fixed order. A *projection* is the list of records that hold some combination,
# each with the position after its last item; extending it item by item visits every combination once (depth
# first, as in Eclat: M. J. Zaki, IEEE TKDE 12(3), 2000). Only branches that still contain a record in question
# are entered.


if TYPE_CHECKING:
    Ints = NDArray[np.int32]


class Records(NamedTuple):
    """What is searched; records of one person stand next to each other.

    Attributes:
        offsets: where each record starts in ``items``.
        items: items of each record, from rare to frequent.
        person: whose record it is.
        wanted: whether a record is still in question.
    """

    offsets: Longs
    items: Ints
    person: Longs
    wanted: Flags


@compiled
def search(size: int, records: Records, vocabulary: int, budget: int) -> int:
    """Clear ``wanted`` where a record holds a combination of ``size`` items that no other person holds.

    Gives the steps taken, or -1 if ``budget`` was too small; then what was cleared is right and what was not is open.
    """
    held, positions = np.arange(len(records.person)), records.offsets[:-1].copy()
    lone = bool((records.person[1:] != records.person[:-1]).all())
    count = np.zeros((size, vocabulary), np.int64)
    last = np.full((size, vocabulary), -1, np.int64)
    steps = np.zeros(1, np.int64)
    done = _extend(held, positions, size, records, lone, count, last, steps, budget)
    return steps[0] if done else -1


@compiled
def _extend(
    held: Longs,
    positions: Longs,
    size: int,
    records: Records,
    lone: bool,
    count: Longs,
    last: Longs,
    steps: Longs,
    budget: int,
) -> bool:
    """Search the combinations with ``size`` more items; False when the budget is spent.

    ``lone`` says that no person has two records.
    """
    if size == 1:
        if lone:
            _mark_lone(held, positions, records, count[0], last[0], steps)
        else:
            _mark(held, positions, records, count[0], last[0], steps)
        return bool(steps[0] <= budget)
    found, starts, child_held, child_positions = _children(
        held, positions, size, records, count[size - 1], last[size - 1], steps
    )
    for child in range(len(found)):
        here, there = (
            child_held[starts[child] : starts[child + 1]],
            child_positions[starts[child] : starts[child + 1]],
        )
        if _any_wanted(here, records) and not _extend(
            here, there, size - 1, records, lone, count, last, steps, budget
        ):
            return False
    return bool(steps[0] <= budget)


@compiled
def _any_wanted(held: Longs, records: Records) -> bool:
    for record in held:
        if records.wanted[record]:
            return True
    return False


@compiled
def _mark_lone(
    held: Longs, positions: Longs, records: Records, touched: Longs, last: Longs, steps: Longs
) -> None:
    """The same as ``_mark`` where each record is a person's only one: an item that one alone holds tells which."""
    offsets, items, wanted, many = records.offsets, records.items, records.wanted, 0
    for number in range(len(held)):
        record = held[number]
        steps[0] += offsets[record + 1] - positions[number] + 1
        for at in range(positions[number], offsets[record + 1]):
            if last[items[at]] == -1:
                touched[many] = items[at]
                many += 1
                last[items[at]] = record
            else:
                last[items[at]] = SEVERAL
    for item in touched[:many]:
        if last[item] >= 0:
            wanted[last[item]] = False
        last[item] = -1
    touched[:many] = 0


@compiled
def _mark(held: Longs, positions: Longs, records: Records, count: Longs, last: Longs, steps: Longs) -> None:
    """Clear records that hold an item which only one person of this projection holds."""
    offsets, items, person, wanted = records
    for number in range(len(held)):
        record = held[number]
        for at in range(positions[number], offsets[record + 1]):
            if last[items[at]] != person[record]:
                last[items[at]] = person[record]
                count[items[at]] += 1
    for number in range(len(held)):
        record = held[number]
        if wanted[record]:
            for at in range(positions[number], offsets[record + 1]):
                if count[items[at]] == 1:
                    wanted[record] = False
                    break
    for number in range(len(held)):
        record = held[number]
        steps[0] += offsets[record + 1] - positions[number] + 1
        for at in range(positions[number], offsets[record + 1]):
            last[items[at]] = -1
            count[items[at]] = 0


@compiled
def _children(
    held: Longs, positions: Longs, size: int, records: Records, count: Longs, slot: Longs, steps: Longs
) -> tuple[Ints, Longs, Longs, Longs]:
    """Projections for one more item: items, where each begins, and their records and positions.

    Items that no record in question holds are left out, and so are records with too few items left. ``count``
    and ``slot`` are scratch, zero and -1 before and after.
    """
    offsets, items, _, wanted = records
    room = 0
    for number in range(len(held)):
        room += offsets[held[number] + 1] - positions[number]
    touched = np.empty(min(len(count), room), np.int32)
    number_touched = 0
    for number in range(len(held)):
        record = held[number]
        if wanted[record]:
            for at in range(positions[number], offsets[record + 1] - size + 1):
                if slot[items[at]] < 0:
                    slot[items[at]] = number_touched
                    touched[number_touched] = items[at]
                    number_touched += 1
    for number in range(len(held)):
        end = offsets[held[number] + 1] - size + 1
        steps[0] += max(0, end - positions[number]) + 1
        for at in range(positions[number], end):
            count[items[at]] += 1
    starts = np.zeros(number_touched + 1, np.int64)
    for child in range(number_touched):
        starts[child + 1] = starts[child] + count[touched[child]]
    child_held = np.empty(starts[number_touched], np.int64)
    child_positions = np.empty(starts[number_touched], np.int64)
    write = starts[:-1].copy()
    for number in range(len(held)):
        record = held[number]
        for at in range(positions[number], offsets[record + 1] - size + 1):
            child = slot[items[at]]
            count[items[at]] = 0
            if child >= 0:
                child_held[write[child]] = record
                child_positions[write[child]] = at + 1
                write[child] += 1
    for child in range(number_touched):
        slot[touched[child]] = -1
    return touched[:number_touched], starts, child_held, child_positions


# What a data set is like, and how much its rare combinations tell.


@dataclass(frozen=True)
class Description:
    """Figures of a data set; private to the owner, since rare items and shares are facts about persons.

    Attributes:
        records: number of records.
        items: number of different items.
        occurrences: number of items over all records.
        mean_length: mean number of items of a record.
        median_length: median of the same.
        max_length: maximum of the same.
        density: share of all (record, item) pairs that occur.
        type_token_ratio: different items per occurrence.
        k: an item held by fewer than ``k`` records (persons, if known) counts as rare.
        rare_items: number of rare items.
        rare_item_names: their names, those held by fewest first.
        persons: number of persons, None if every record is taken as one person's.
        empty_records: empty records that were dropped.
        singled_out: share of records that 1, 2, ... m known items can single out.
    """

    records: int
    items: int
    occurrences: int
    mean_length: float
    median_length: float
    max_length: int
    density: float
    type_token_ratio: float
    k: int
    rare_items: int
    rare_item_names: tuple[str, ...]
    persons: int | None
    empty_records: int
    singled_out: tuple[SingledOut, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**asdict(self), "rare_item_names": list(self.rare_item_names)} | {
            "singled_out": [found.to_dict() for found in self.singled_out]
        }

    def words(self) -> list[str]:
        """How large the data are, and who could be singled out."""
        single = self.singled_out[-1]
        return [
            f"{many(self.records, 'record')}, {many(self.items, 'item')}, {self.mean_length:.1f} per record",
            f"{percent(single.share, 0)} can be singled out by {many(single.known_items, 'known item')}",
        ]


def describe(
    data: Transactions, *, m: int = M, k: int = K, rng: np.random.Generator | None = None
) -> Description:
    """Describe a data set; ``rng`` is used only where ``singled_out`` needs a sample.

    >>> from cloven.data.transactions import Transactions
    >>> found = describe(Transactions.from_records([["flu", "fever"], ["flu"], ["flu", "fever"]]), k=3)
    >>> found.records, found.items, found.rare_item_names, found.singled_out[1].share
    (3, 2, ('fever',), 0.0)
    """
    expect_sets(data, "describe")
    if k < 1:
        message = f"k must be at least 1 (got {k})"
        raise ParameterError(message)
    lengths, occurrences = data.lengths, len(data.codes)
    supports = data.holders
    rarest = np.argsort(supports, kind="stable")  # codes ascend by name, so ties are in order of names
    rare = rarest[: int(np.count_nonzero(supports < k))]
    return Description(
        records=len(data),
        items=len(data.vocabulary),
        occurrences=occurrences,
        mean_length=float(lengths.mean()) if len(data) else 0.0,
        median_length=float(np.median(lengths)) if len(data) else 0.0,
        max_length=int(lengths.max(initial=0)),
        density=occurrences / max(1, len(data) * len(data.vocabulary)),
        type_token_ratio=len(data.vocabulary) / max(1, occurrences),
        k=k,
        rare_items=len(rare),
        rare_item_names=tuple(data.vocabulary[code] for code in rare.tolist()),
        persons=None if data.persons is None else len(np.unique(data.persons)),
        empty_records=data.empty_records,
        singled_out=singled_out(data, m, rng=rng),
    )
