"""Long tables: one item per row; rows with the same id make a record, wherever they stand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from cloven.io.readers.raw import RawRecords
from cloven.io.readers.settle import Settled, settle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.io.readers.raw import Place


@dataclass(frozen=True)
class LongRows:
    """Rows of a long table.

    Attributes:
        rows: each row as a record of one item (of none where the row is bad); ``persons`` by row.
        ids: number of each row's record, in order of first appearance.
    """

    rows: RawRecords
    ids: NDArray[np.int64]


def settle_long(table: LongRows, source: str, *, lenient: bool, max_record_length: int) -> Settled:
    """Group rows into records, refusing or leaving out what is bad."""
    rows = replace(table.rows, record_faults=person_faults(table) | dict(table.rows.record_faults))
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


def person_faults(table: LongRows) -> dict[int, str]:
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
