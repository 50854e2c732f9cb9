"""Records as a reader found them, before anything bad is refused or left out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import compiled
from cloven.data.transactions import Transactions
from cloven.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray


BLANK = "blank item; remove it or read leniently"
_SHOWN_COLUMNS = 20


class Place(NamedTuple):
    """Where something stands: a line of a text (from 1), or a row or record (from 0); and what is there."""

    unit: str
    number: int
    value: str

    def error(self, reason: str, source: str) -> InputError:
        """The one-line error for something bad at this place."""
        if self.unit == "line":
            return InputError(reason, source=source, line=self.number, value=self.value)
        return InputError(f"{self.unit} {self.number}: {reason}", source=source, value=self.value)


@dataclass(frozen=True)
class RawRecords:
    """Records with everything that is wrong about them.

    Attributes:
        lengths: number of items of each record.
        codes: item codes, record after record.
        names: name of each code, all different, in any order.
        place: gives the place of a record and, unless it is -1, of one item (counted over all records).
        item_faults: what is wrong with an item, by code. ``BLANK`` items may be left out alone.
        record_faults: what is wrong with a record, by number.
        persons: person of each record, or None.
    """

    lengths: NDArray[np.int64]
    codes: NDArray[np.int64]
    names: Sequence[str]
    place: Callable[[int, int], Place]
    item_faults: Mapping[int, str] = field(default_factory=dict)
    record_faults: Mapping[int, str] = field(default_factory=dict)
    persons: NDArray[np.int64] | None = None


def name_faults(names: Sequence[str | None]) -> dict[int, str]:
    """What is wrong with names: blank, or (where None stands for it) null."""
    faults = {code: BLANK for code, name in enumerate(names) if name is not None and not name.strip()}
    return faults | {code: "null item" for code, name in enumerate(names) if name is None}


def decode_names(raw: Sequence[bytes]) -> tuple[list[str], dict[int, str]]:
    r"""Names from UTF-8 bytes, and what is wrong with them.

    >>> decode_names([b"flu", b"", b"caf\xe9"])[1]
    {1: 'blank item; remove it or read leniently', 2: 'not UTF-8; save the file as UTF-8'}
    """
    names: list[str] = []
    broken: dict[int, str] = {}
    for code, name in enumerate(raw):
        try:
            names.append(name.decode())
        except UnicodeDecodeError:
            names.append(name.decode(errors="backslashreplace"))
            broken[code] = "not UTF-8; save the file as UTF-8"
    return names, name_faults(names) | broken


def missing_column(name: str, columns: Iterable[str], source: str) -> InputError:
    """The error for a column that is not there; lists those that are."""
    there = list(columns)
    more = f" and {len(there) - _SHOWN_COLUMNS} more" if len(there) > _SHOWN_COLUMNS else ""
    listed = ", ".join(repr(column) for column in there[:_SHOWN_COLUMNS])
    return InputError(f"no column {name!r}; the columns are {listed}{more}", source=source)


# Refuse what is bad (strict), or leave it out and count it (lenient).


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


def settle(raw: RawRecords | LongRows, source: str, *, lenient: bool, max_record_length: int) -> Settled:
    """Raise at the first bad record, or leave out bad records and blank items."""
    if isinstance(raw, LongRows):
        return _settle_long(raw, source, lenient=lenient, max_record_length=max_record_length)
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


# Long tables: one item per row; rows with the same id make a record, wherever they stand.


@dataclass(frozen=True)
class LongRows:
    """Rows of a long table.

    Attributes:
        rows: each row as a record of one item (of none where the row is bad); ``persons`` by row.
        ids: number of each row's record, in order of first appearance.
        labels: what the table calls each of them, as bytes; where nobody needs it, nothing.
    """

    rows: RawRecords
    ids: NDArray[np.int64]
    labels: Sequence[bytes] = ()


def _settle_long(table: LongRows, source: str, *, lenient: bool, max_record_length: int) -> Settled:
    """Group rows into records, refusing or leaving out what is bad."""
    rows = replace(table.rows, record_faults=_person_faults(table) | dict(table.rows.record_faults))
    first = settle(rows, source, lenient=lenient, max_record_length=max_record_length)
    raw = _group(first, table.ids)
    second = settle(raw, source, lenient=lenient, max_record_length=max_record_length)
    return replace(
        second,
        blank_items=first.blank_items,
        skipped=first.skipped + second.skipped,
        examples=(first.examples + second.examples)[: max(len(first.examples), len(second.examples))],
    )


def _group(settled: Settled, ids: NDArray[np.int64]) -> RawRecords:
    kept = ids[settled.kept]
    found, starts, numbers = np.unique(kept, return_index=True, return_inverse=True)
    owners = np.repeat(numbers, settled.lengths)
    order = np.argsort(owners, kind="stable")
    rows, persons = settled.kept[starts], settled.raw.persons

    def place(record: int, _item: int) -> Place:
        return settled.raw.place(int(rows[record]), -1)

    return RawRecords(
        np.bincount(owners, minlength=len(found)).astype(np.int64),
        settled.codes[order],
        settled.raw.names,
        place,
        persons=None if persons is None else persons[rows],
    )


def _person_faults(table: LongRows) -> dict[int, str]:
    """Rows that give a record another person than its first row does."""
    persons = table.rows.persons
    if persons is None:
        return {}
    good = np.flatnonzero((persons >= 0) & (table.ids >= 0))
    _, starts, numbers = np.unique(table.ids[good], return_index=True, return_inverse=True)
    other = good[persons[good] != persons[good][starts][numbers]]
    return dict.fromkeys(
        other.tolist(), "the id belongs to another person in an earlier row; use one person per id"
    )


# Put the items of each record in order and collapse repeats, in one pass.
#
# ``Transactions.from_arrays`` could do it too, by sorting all (record, item) pairs; records are short, so
# sorting each by itself is several times faster.


_SHORT = 32


@compiled
def order_records(
    lengths: NDArray[np.int64], codes: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Lengths and codes with each record strictly ascending.

    >>> lengths, codes = order_records(np.array([3, 1]), np.array([2, 0, 2, 1], np.int32))
    >>> lengths.tolist(), codes.tolist()
    ([2, 1], [0, 2, 1])
    """
    kept = np.empty_like(lengths)
    ordered = np.empty_like(codes)
    start = write = 0
    for record in range(len(lengths)):
        end = start + lengths[record]
        first = write
        if lengths[record] <= _SHORT:
            write = _insert_sorted(codes, start, end, ordered, write)
        else:
            items = np.unique(codes[start:end])
            ordered[write : write + len(items)] = items
            write += len(items)
        kept[record] = write - first
        start = end
    return kept, ordered[:write]


@compiled
def _insert_sorted(
    codes: NDArray[np.int32], start: int, end: int, ordered: NDArray[np.int32], first: int
) -> int:
    """Insert codes one by one into ``ordered`` from ``first`` on; give the end."""
    write = first
    for position in range(start, end):
        code = codes[position]
        slot = write
        while slot > first and ordered[slot - 1] > code:
            slot -= 1
        if slot > first and ordered[slot - 1] == code:
            continue
        for moved in range(write, slot, -1):
            ordered[moved] = ordered[moved - 1]
        ordered[slot] = code
        write += 1
    return write
