"""A file read piece by piece: the records that reading it whole gives, without holding it whole.

Text is cut behind records, Parquet is read by rows. The format and what separates items are told by the beginning of
the file, which is looked at as the whole of it is elsewhere. Formats that need to be seen whole are refused in words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import InputError, ParameterError
from cloven.intake.files import open_plain
from cloven.intake.packing import PACKED, Budget, beginning, extension, unpacked, unreadable
from cloven.intake.pages import PagesError, parquet_file, row_batches
from cloven.reading.files import BEGINNING
from cloven.reading.options import FORMATS, ReadOptions, UnplacedError
from cloven.reading.raw import LongRows, RawRecords, settle

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from cloven.reading.raw import Place

IN_PIECES = ("lines", "fimi", "spmf", "long", "parquet")
UNQUOTED = ("fimi", "spmf")
LONGEST = 4
"""Times the size of a piece that one record may have."""


@dataclass(frozen=True)
class Piece:
    """Some records of a file, or some rows of a long table.

    Attributes:
        lengths: number of items of each.
        codes: items, by their place in ``names``.
        names: names of items, all different.
        ids: of a long table the record of each row, by its place in ``labels``.
        labels: what the table calls these records.
    """

    lengths: NDArray[np.int64]
    codes: NDArray[np.int64]
    names: Sequence[str]
    ids: NDArray[np.int64] | None = None
    labels: Sequence[bytes] = ()


@dataclass(frozen=True)
class Pieces:
    """A file, or a folder of Parquet files, that is read piece by piece.

    Attributes:
        path: the file.
        options: how it is read.
    """

    path: Path
    options: ReadOptions

    @classmethod
    def of(cls, path: str | os.PathLike[str], **how: Any) -> Pieces:
        """Look at what is asked, and at the beginning of the file."""
        options = ReadOptions(**how)
        for name in ("person", "item_delimiter", "lenient"):
            if getattr(options, name):
                message = f"{name} does not work piece by piece; leave it out, or read the file whole"
                raise ParameterError(message)
        found = cls(Path(path), options)
        _ = found.placed
        return found

    @property
    def source(self) -> str:
        """What to call it in messages."""
        return str(self.path)

    @cached_property
    def placed(self) -> ReadOptions:
        """The options, with the format and the delimiter that the beginning of the file tells."""
        chosen = "parquet" if self.path.is_dir() and self.options.format is None else self._by_ending()
        if chosen not in IN_PIECES:
            message = (
                f"format {chosen!r} is read whole, not piece by piece; write the data as Parquet, or as one of"
                f" {', '.join(IN_PIECES[:-1])}"
            )
            raise InputError(message, source=self.source)
        if chosen == "parquet":
            return replace(self.options, format=chosen)
        from cloven.reading.reader import placed
        from cloven.reading.tokens import clean_text

        head, ending, _ = beginning(self.path, BEGINNING)
        text = clean_text(head[: head.rfind(b"\n") + 1] or head, self.source)
        try:
            form, told = placed(text, ending, self.source, self.options)
        except UnplacedError as error:
            from cloven.reading.guess import likely

            raise error.with_likely(likely(head)) from error.__cause__
        if form not in IN_PIECES:
            return replace(self, options=replace(self.options, format=form)).placed
        return replace(self.options, format=form, delimiter=told.get("delimiter", self.options.delimiter))

    def _by_ending(self) -> str:
        from cloven.reading.reader import format_of

        return format_of(extension(self.path), self.source, self.options)

    def read(self, size: int) -> Iterator[Piece]:
        """All records, in pieces of about so many bytes."""
        yield from self._rows(size) if self.placed.format == "parquet" else self._texts(size)

    # Text.

    def _texts(self, size: int) -> Iterator[Piece]:
        first, header, lines, kept = True, b"", 0, b""
        for block, last in self._blocks(size):
            kept = self._sound(kept, block, lines, last=last, first=first)
            text, kept = (kept, b"") if last else self._cut(kept, size)
            if text.strip() and self.placed.format == "long" and not header:
                header, text, lines = _headed(text, str(self.placed.delimiter), lines)
            if text.strip() or (header and last and first):
                yield self._parsed(header + text, lines - header.count(b"\n"), first=first)
                first = False
            elif text and self.placed.format != "long":
                yield _blank(text)
            lines += text.count(b"\n")
        if first and not lines:
            message = "the file is empty; it holds no records"
            raise InputError(message, source=self.source)

    def _sound(self, kept: bytes, block: bytes, lines: int, *, last: bool, first: bool) -> bytes:
        """What was kept and what follows, cleaned as text; the first lines are, once they have an end."""
        from cloven.reading.tokens import clean_text, refuse_zeros

        if lines or not first:
            refuse_zeros(block, self.source, lines + kept.count(b"\n"))
            return kept + block
        whole = kept + block
        return clean_text(whole, self.source) if last or b"\n" in whole else whole

    def _blocks(self, size: int) -> Iterator[tuple[bytes, bool]]:
        """Bytes of the file, and whether they are its last."""
        packed = self.path.suffix.lower() in PACKED
        budget = Budget(self.source, self.options.max_bytes if packed else 1 << 62, held=False)
        with unpacked(self.path, budget) as stream:
            block = stream.read(size)
            while block:
                following = stream.read(size)
                yield block, not following
                block = following

    def _cut(self, text: bytes, size: int) -> tuple[bytes, bytes]:
        """Whole records, and what is left for the next piece."""
        end = text.rfind(b"\n") + 1
        if end and self.placed.format not in UNQUOTED and b'"' in text:
            end = _closed(text[:end], self.placed.delimiter or ",")
        most = max(LONGEST * size, BEGINNING)
        if not end and len(text) > most:
            message = (
                f"a record has more than {most:,} bytes; is a quote left open, or is all of it one line?"
            )
            raise InputError(message, source=self.source)
        return text[:end], text[end:]

    def _parsed(self, text: bytes, lines: int, *, first: bool) -> Piece:
        options = self.options if first else self.placed
        form = str(self.placed.format)
        told = {"delimiter": self.placed.delimiter} if FORMATS[form].delimited else {}
        module, parser = FORMATS[form].parser.split(".")
        raw = getattr(import_module(f"cloven.reading.{module}"), parser)(text, self.source, options, **told)
        return self._piece(raw, lines)

    # Parquet.

    @property
    def files(self) -> list[Path]:
        """The Parquet files, by name."""
        if not self.path.is_dir():
            return [self.path]
        found = sorted(
            place for place in self.path.rglob("*.parquet") if not place.name.startswith((".", "_"))
        )
        if not found:
            message = "a folder without Parquet files; name a folder of them, or a file"
            raise InputError(message, source=self.source)
        return found

    def _rows(self, size: int) -> Iterator[Piece]:
        import pyarrow as pa

        from cloven.reading.arrow import columns_needed, list_records, long_rows

        rows, options = 0, self.options
        for file in self.files:
            try:
                with open_plain(file, within=self.path if self.path.is_dir() else None) as handle:
                    column, needed = columns_needed(parquet_file(handle).schema_arrow, str(file), options)
                    for batch in row_batches(handle, needed, size):
                        table = pa.Table.from_batches([batch])
                        if column is not None:
                            raw: Any = list_records(table, column, None, str(file))
                        else:
                            raw = long_rows(
                                table, str(options.id_column), str(options.item_column), None, str(file)
                            )
                        yield self._piece(raw, rows)
                        rows += len(table)
            except OSError as error:
                raise unreadable(str(file), error) from error
            except (pa.ArrowException, PagesError) as error:
                message = f"cannot be read as Parquet: {' '.join(str(error).split())}"
                raise InputError(message, source=str(file)) from error

    def _piece(self, raw: RawRecords | LongRows, before: int) -> Piece:
        """What is right, counted from the beginning of the file in messages."""
        rows = raw.rows if isinstance(raw, LongRows) else raw

        def place(record: int, item: int) -> Place:
            found = rows.place(record, item)
            return found._replace(number=found.number + before)

        settled = settle(
            replace(rows, place=place),
            self.source,
            lenient=False,
            max_record_length=self.options.max_record_length,
        )
        if not isinstance(raw, LongRows):
            return Piece(settled.lengths, settled.codes, rows.names)
        return Piece(settled.lengths, settled.codes, rows.names, raw.ids, raw.labels)


def _closed(text: bytes, delimiter: str) -> int:
    """Where the last record ends whose quotes are closed; a later piece may close the others."""
    from cloven.reading.tokens import NOT_CLOSED, tokenise

    tokens = tokenise(text, delimiter, merge=delimiter == " ")
    wrong = np.flatnonzero(tokens.faults)
    if not len(wrong) or tokens.faults[wrong[0]] != NOT_CLOSED:
        return len(text)  # nothing is wrong, or the parser says what
    return int(tokens.begins[wrong[0]])


def _headed(text: bytes, delimiter: str, lines: int) -> tuple[bytes, bytes, int]:
    """The header of a table, the rows below it, and how many lines came before them."""
    from cloven.reading.tokens import tokenise

    tokens = tokenise(text, delimiter, merge=delimiter == " ")
    at = int(np.flatnonzero((tokens.lengths > 0) | (tokens.faults != 0))[0])
    start = int(tokens.begins[at])
    end = int(tokens.begins[at + 1]) if at + 1 < len(tokens.begins) else len(text)
    return text[start:end], text[end:], lines + text.count(b"\n", 0, end)


def _blank(text: bytes) -> Piece:
    """Lines without items."""
    many = text.count(b"\n") + (not text.endswith(b"\n"))
    return Piece(np.zeros(many, np.int64), np.empty(0, np.int64), ())
