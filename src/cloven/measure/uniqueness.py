"""Which records can be singled out by somebody who knows a few of their items.

A record is singled out by ``j`` items if it holds a combination of at most ``j`` items that no other record
holds (no other person's record, where persons are known). The search is exact while it stays inside a budget
of steps; beyond it, a random sample of records is searched, still against all data, and the share gets an
interval.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.measure.intervals import wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.transactions import Transactions

BUDGET = 1_000_000_000
_FIRST_BATCH = 64


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
    data: Transactions, m: int = 2, *, rng: np.random.Generator | None = None, budget: int = BUDGET
) -> tuple[SingledOut, ...]:
    """Share of records singled out by 1, 2, ... ``m`` known items.

    ``rng`` draws the sample where one is needed; without it the system's randomness does.

    >>> from cloven.model.transactions import Transactions
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

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    person: NDArray[np.int64]
    vocabulary: int
    order: NDArray[np.int64]  # which record of the data stands at each place
    rng: np.random.Generator

    @classmethod
    def over(cls, data: Transactions, rng: np.random.Generator) -> _Search:
        person = np.arange(len(data)) if data.persons is None else data.persons
        order = np.argsort(person, kind="stable")
        rank = np.empty(len(data.vocabulary), np.int32)
        rank[np.argsort(data.supports, kind="stable")] = np.arange(len(rank), dtype=np.int32)
        lengths = data.lengths[order]
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        starts = np.repeat(data.offsets[:-1][order] - offsets[:-1], lengths)
        rows = np.repeat(np.arange(len(data)), lengths)
        items = rank[data.codes[starts + np.arange(len(starts))]]
        items = items[np.lexsort((items, rows))]
        return cls(offsets, items, person[order].astype(np.int64), len(rank), order, rng)

    def run(self, size: int, wanted: NDArray[np.bool_], budget: int) -> int:
        """Clear ``wanted`` (by record of the data) where ``size`` items do; give the steps, or -1."""
        from cloven.measure.uniqueness_kernels import search

        placed = wanted[self.order]
        steps = search(size, self.offsets, self.items, self.person, placed, self.vocabulary, budget)
        wanted[self.order] = placed
        return int(steps)


def _sampled(
    search: _Search, size: int, exact_size: int, open_records: NDArray[np.bool_], budget: int
) -> SingledOut:
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


def _run_sizes(search: _Search, sizes: range, wanted: NDArray[np.bool_], budget: int) -> int:
    total = 0
    for size in sizes:
        steps = search.run(size, wanted, budget - total)
        if steps < 0:
            return -1
        total += steps
    return total


def _not_below(found: SingledOut, earlier: list[SingledOut]) -> SingledOut:
    """Knowing more cannot single out fewer; two samples may say so by chance."""
    if not earlier:
        return found
    before = earlier[-1]
    return SingledOut(
        found.known_items,
        max(found.share, before.share),
        max(found.low, before.low),
        max(found.high, before.high),
        found.exact,
        found.searched,
    )
