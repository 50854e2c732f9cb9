"""Refuse what is bad (strict), or leave it out and count it (lenient)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.io.readers.ordering import order_records
from cloven.io.readers.raw import BLANK
from cloven.model.transactions import Transactions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.io.readers.raw import RawRecords

MAX_EXAMPLES = 5


@dataclass(frozen=True)
class Settled:
    """What is left of raw records: ``kept`` are the numbers of the records that stay; codes as they were."""

    raw: RawRecords
    kept: NDArray[np.int64]
    lengths: NDArray[np.int64]
    codes: NDArray[np.int64]
    blank_items: int = 0
    skipped: int = 0
    examples: tuple[tuple[int, str], ...] = ()


def settle(raw: RawRecords, source: str, *, lenient: bool, max_record_length: int) -> Settled:
    """Raise at the first bad record, or leave out bad records and blank items."""
    bad_records = dict(raw.record_faults)
    for record in np.flatnonzero(raw.lengths > max_record_length).tolist():
        found = f"{raw.lengths[record]:,} items in one record"
        reason = f"{found}, more than max_record_length={max_record_length:,}; is the delimiter right?"
        bad_records.setdefault(record, reason)
    bad_items = _bad_items(raw)
    if not bad_records and not len(bad_items):
        return Settled(raw, np.arange(len(raw.lengths)), raw.lengths, raw.codes)
    if not lenient:
        _raise_first(raw, bad_records, bad_items, source)
    return _leave_out(raw, bad_records, bad_items)


def to_transactions(settled: Settled) -> Transactions:
    """Sort the names by code point and build the data."""
    raw = settled.raw
    order = sorted(range(len(raw.names)), key=raw.names.__getitem__)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    lengths, codes = order_records(settled.lengths, rank[settled.codes])
    return Transactions.from_arrays(
        lengths,
        codes,
        tuple(raw.names[code] for code in order),
        persons=None if raw.persons is None else raw.persons[settled.kept],
        source_rows=settled.kept,
    )


def _bad_items(raw: RawRecords) -> NDArray[np.int64]:
    if not raw.item_faults:
        return np.empty(0, np.int64)
    bad = np.zeros(len(raw.names), bool)
    bad[list(raw.item_faults)] = True
    return np.flatnonzero(bad[raw.codes])


def _raise_first(
    raw: RawRecords, bad_records: dict[int, str], bad_items: NDArray[np.int64], source: str
) -> None:
    first = min(bad_records, default=len(raw.lengths))
    if len(bad_items):
        item = int(bad_items[0])
        record = int(np.searchsorted(np.cumsum(raw.lengths), item, side="right"))
        if record < first:
            raise raw.place(record, item).error(raw.item_faults[int(raw.codes[item])], source)
    raise raw.place(first, -1).error(bad_records[first], source)


def _leave_out(raw: RawRecords, bad_records: dict[int, str], bad_items: NDArray[np.int64]) -> Settled:
    rows = np.repeat(np.arange(len(raw.lengths)), raw.lengths)
    for item in bad_items.tolist():
        reason = raw.item_faults[int(raw.codes[item])]
        if reason != BLANK:
            bad_records.setdefault(int(rows[item]), reason)
    good = np.ones(len(raw.lengths), bool)
    good[list(bad_records)] = False
    blank = bad_items[good[rows[bad_items]]]
    keep = good[rows]
    keep[blank] = False
    lengths = np.bincount(rows[keep], minlength=len(raw.lengths)).astype(np.int64)
    return Settled(
        raw,
        np.flatnonzero(good),
        lengths[good],
        raw.codes[keep],
        len(blank),
        len(bad_records),
        tuple(
            (raw.place(record, -1).number, bad_records[record])
            for record in sorted(bad_records)[:MAX_EXAMPLES]
        ),
    )
