"""Records out of the pieces of a file: items get numbers as they come, records go to a shelf.

Of a long table, rows of one record may stand anywhere. They go to compartments by a hash of what the table calls the
record, are put together there, and are numbered by their first row.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from cloven.data.arrays import among, offsets_of, positions, run_starts
from cloven.data.recognition import spelt_head, spelt_names
from cloven.errors import InputError
from cloven.kinds.disassociated.blocks.clusters import lists_of, rows_of
from cloven.kinds.disassociated.spilled.room import PER_NAME
from cloven.storage.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.spilled.room import Room

COMPARTMENTS = 512


@dataclass(frozen=True)
class Gathered:
    """All records of a source, on a shelf.

    Attributes:
        found: the names of items as they came.
        shelf: ``record`` (its number in the source) and ``codes`` (numbers of ``found``, each once), by record.
        records: how many there are, without empty ones.
        empty: how many are empty.
        occurrences: items of all records.
        left_out: numbers of records that are passed over as if they were empty, ascending.
    """

    found: tuple[str, ...]
    shelf: Shelf
    records: int
    empty: int
    occurrences: int
    left_out: Longs = field(default_factory=lambda: np.empty(0, np.int64))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All items, ascending by code point."""
        return tuple(sorted(self.found))

    @cached_property
    def _rank(self) -> NDArray[np.int32]:
        order = sorted(range(len(self.found)), key=self.found.__getitem__)
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return rank

    def batches(self) -> Iterator[tuple[Longs, Longs, NDArray[np.int32]]]:
        """Numbers of records, and the records as rows of codes in ``names``, ascending; in the order of the source."""
        from cloven.reading.raw import order_records

        for table in self._tables():
            offsets, codes = rows_of(table.column("codes"))
            _, codes = order_records(np.diff(offsets), self._rank[codes])
            yield table.column("record").to_numpy(), offsets, codes

    def _tables(self) -> Iterator[pa.Table]:
        for table in self.shelf.pieces(0):
            if len(self.left_out):
                table = table.filter(~among(table.column("record").to_numpy(), self.left_out))
            yield table

    def some(self, numbers: Longs) -> tuple[Longs, Longs, NDArray[np.int32]]:
        """Those of some records (ascending) that are not empty: numbers, lengths, codes in ``names``."""
        found = []
        for record, offsets, codes in self.batches():
            at = np.flatnonzero(among(record, numbers))
            lengths = np.diff(offsets)[at]
            found.append((record[at], lengths, codes[positions(offsets[at], lengths)]))
        record, lengths, codes = (np.concatenate(column) for column in zip(*found, strict=True))
        return record, lengths, codes

    def without(self, numbers: Longs) -> Gathered:
        """The same records, but for some (ascending) that are passed over."""
        record, lengths, _ = self.some(numbers)
        return replace(
            self,
            records=self.records - len(record),
            empty=self.empty + len(record),
            occurrences=self.occurrences - int(lengths.sum()),
            left_out=numbers,
        )

    def fingerprint(self) -> str:
        """SHA-256 of all that was read: that of the same data in memory."""
        digest = hashlib.sha256(spelt_head(8 * (self.records + 1)))
        digest.update(np.zeros(1, "<i8").tobytes())
        before = 0
        for table in self._tables():
            offsets, _ = rows_of(table.column("codes"))
            digest.update((offsets[1:] + before).astype("<i8").tobytes())
            before += int(offsets[-1])
        digest.update(spelt_head(8 * self.occurrences))
        for _, _, codes in self.batches():
            digest.update(codes.astype("<i8").tobytes())
        digest.update(b"\0")  # no persons are told
        for part in spelt_names(self.names):
            digest.update(part)
        return digest.hexdigest()


@dataclass
class _Dictionary:
    """Numbers of items, in the order in which they come."""

    room: Room
    code_of: dict[str, int] = field(default_factory=dict)

    def codes(self, names: Sequence[str]) -> NDArray[np.int32]:
        code_of = self.code_of
        found = np.fromiter((code_of.setdefault(name, len(code_of)) for name in names), np.int32, len(names))
        self.room.refuse(PER_NAME * len(code_of), f"a dictionary of {len(code_of):,} items")
        return found

    def numbered(self, piece: Any) -> NDArray[np.int32]:
        """Numbers of the items of a piece; it may know names that it does not use, such as the marks of SPMF."""
        used = np.zeros(len(piece.names), bool)
        used[piece.codes] = True
        number: NDArray[np.int32] = np.full(len(piece.names), -1, np.int32)
        number[used] = self.codes([piece.names[code] for code in np.flatnonzero(used).tolist()])
        found: NDArray[np.int32] = number[piece.codes]
        return found


def gather(source: Any, room: Room, folder: Path) -> Gathered:
    """Read a source (``reading.pieces``) to its end."""
    dictionary = _Dictionary(room)
    pieces = source.read(room.piece)
    first = next(pieces, None)
    shelf = Shelf(folder / "records.arrow", room.held)
    if first is not None and first.ids is not None:
        read, kept, items = _of_rows(source, _chained(first, pieces), dictionary, room, folder, shelf)
    else:
        read, kept, items = _of_records(_chained(first, pieces), dictionary, shelf)
    if not kept:
        message = f"holds no items, only {read:,} empty records"
        raise InputError(message, source=source.source)
    shelf.close()
    return Gathered(tuple(dictionary.code_of), shelf, kept, read - kept, items)


def _chained(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    if first is not None:
        yield first
        yield from rest


def _of_records(pieces: Iterable[Any], dictionary: _Dictionary, shelf: Shelf) -> tuple[int, int, int]:
    """Records that stand in one place; how many were read and kept, and their items."""
    from cloven.reading.raw import order_records

    read = kept = items = 0
    for piece in pieces:
        lengths, codes = order_records(piece.lengths, dictionary.numbered(piece))
        some = np.flatnonzero(lengths)
        shelf.put(0, record_table(read + some, lengths[some], codes))
        read, kept, items = read + len(lengths), kept + len(some), items + len(codes)
    return read, kept, items


def record_table(record: Longs, lengths: Longs, codes: NDArray[np.int32]) -> pa.Table:
    """Records as rows of a shelf."""
    import pyarrow as pa

    return pa.table({"record": pa.array(record), "codes": lists_of(offsets_of(lengths), codes)})


# Long tables.


def _of_rows(
    source: Any, pieces: Iterable[Any], dictionary: _Dictionary, room: Room, folder: Path, shelf: Shelf
) -> tuple[int, int, int]:
    """Records whose items stand in rows of their own; none of them is empty."""
    by_label, rows = Shelf(folder / "rows.arrow", room.held), 0
    for piece in pieces:
        labels = list(piece.labels)
        hashed = np.fromiter((crc32(label) % COMPARTMENTS for label in labels), np.int64, len(labels))
        by_label.scatter(hashed[piece.ids], _rows(piece, labels, dictionary, rows))
        rows += len(piece.ids)
    by_row = Shelf(folder / "grouped.arrow", room.held)
    by_label.close()
    span = rows // COMPARTMENTS + 1
    for number in by_label.numbers:
        room.refuse(4 * by_label.bytes[number], f"{by_label.rows[number]:,} rows of a long table")
        grouped = _grouped(by_label.take(number), source)
        by_row.scatter(grouped.column("record").to_numpy() // span, grouped)
    by_label.remove()
    by_row.close()
    kept = items = 0
    for number in by_row.numbers:
        table = by_row.take(number).sort_by("record")
        offsets, codes = rows_of(table.column("codes"))
        shelf.put(0, record_table(np.arange(kept, kept + len(table)), np.diff(offsets), codes))
        kept, items = kept + len(table), items + len(codes)
    by_row.remove()
    return kept, kept, items


def _rows(piece: Any, labels: list[bytes], dictionary: _Dictionary, before: int) -> pa.Table:
    import pyarrow as pa

    return pa.table({
        "row": pa.array(np.arange(before, before + len(piece.ids))),
        "label": pa.array(labels, pa.binary()).take(pa.array(piece.ids)),
        "item": pa.array(dictionary.numbered(piece)),
    })  # fmt: skip


def _grouped(table: pa.Table, source: Any) -> pa.Table:
    """A row for each record: its first row, and its items, each once."""
    labels = table.column("label").combine_chunks().dictionary_encode()
    labels = labels.combine_chunks() if hasattr(labels, "combine_chunks") else labels
    owner = labels.indices.to_numpy().astype(np.int64)
    row, item = table.column("row").to_numpy(), table.column("item").to_numpy()
    first = np.full(len(labels.dictionary), np.iinfo(np.int64).max)
    np.minimum.at(first, owner, row)
    order = np.lexsort((item, owner))
    owner, item = owner[order], item[order]
    once = run_starts(owner, item)
    lengths = np.bincount(owner[once], minlength=len(first))
    most = source.options.max_record_length
    if lengths.max(initial=0) > most:
        message = f"{lengths.max():,} items in one record, more than max_record_length={most:,}; is the column right?"
        raise InputError(message, source=source.source)
    return record_table(first, lengths, item[once])
