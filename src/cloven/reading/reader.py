"""Choose the reader of a file by its extension or the format named, and run it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.data.given import expect_path
from cloven.errors import ClovenError, InputError, ParameterError
from cloven.intake.files import open_plain
from cloven.intake.machine import release_unused
from cloven.intake.packing import MAX_BYTES, beginning, whole
from cloven.intake.pages import PagesError, chunks_of, parquet_file
from cloven.reading.files import BEGINNING, Head
from cloven.reading.options import (
    FORMATS,
    MAX_RECORD_LENGTH,
    ReadOptions,
    ReadReport,
    UnplacedError,
)

if TYPE_CHECKING:
    from cloven.data.transactions import Transactions
    from cloven.reading.raw import LongRows, RawRecords


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    delimiter: str | None = None,
    column: str | None = None,
    id_column: str | None = None,
    item_column: str | None = None,
    person: str | None = None,
    item_delimiter: str | None = None,
    lenient: bool = False,
    max_record_length: int = MAX_RECORD_LENGTH,
    max_bytes: int = MAX_BYTES,
) -> Transactions:
    r"""Read set-valued data from a file: sets of items, one of each person.

    Args:
        path: a file, packed (gzip, zstd, zip) or not; ``-`` for standard input; ``book.xlsx#Sheet``, ``base.db#table``.
        format: lines, fimi, spmf, long, table, wide, json, jsonl or parquet; None: by the ending, looked at.
        delimiter: what separates items (or cells): a character, or a word like ``"tab"``; None: guessed.
        column: column that holds a list of items.
        id_column: column that says which record a row belongs to, where a row is one item.
        item_column: column that holds the item of a row.
        person: column that says whose record it is, where one person may have several.
        item_delimiter: what separates items inside a cell of ``column``; None: guessed.
        lenient: leave out what is bad instead of raising at the first; ``read_reported`` tells what.
        max_record_length: a longer record is an error; it is most likely a wrong delimiter.
        max_bytes: how much a packed file may unpack to.

    Raises:
        InputError: the file is not what it should be; the message names file, line and value, and what to do.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "clinic.csv")
    ...     _ = path.write_text("flu,fever\nflu\n")
    ...     read(path)
    Transactions(2 records, 2 items, 3 occurrences)
    """
    options = ReadOptions(
        format=format,
        delimiter=delimiter,
        column=column,
        id_column=id_column,
        item_column=item_column,
        person=person,
        item_delimiter=item_delimiter,
        lenient=lenient,
        max_record_length=max_record_length,
        max_bytes=max_bytes,
    )
    return read_reported(path, options)[0]


def read_reported(
    path: str | os.PathLike[str], options: ReadOptions | None = None
) -> tuple[Transactions, ReadReport]:
    r"""Read like ``read``, and report what was dropped, collapsed or skipped.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "clinic.csv")
    ...     _ = path.write_text("flu;fever;flu\n\nflu\n")
    ...     report = read_reported(path)[1]
    >>> report.delimiter, report.records, report.empty_records, report.repeated_items
    (';', 2, 1, 1)
    """
    expect_path(path, "read")
    options = options or ReadOptions()
    source = os.fspath(path)
    content, extension = whole(Path(source), options.max_bytes)
    try:
        found = read_content(content, extension, source, options)
    except UnplacedError as error:
        from cloven.reading.guess import likely

        raise error.with_likely(likely(content)) from error.__cause__
    release_unused()
    return found


def read_content(
    content: bytes, extension: str, source: str, options: ReadOptions
) -> tuple[Transactions, ReadReport]:
    """Read what a file holds; ``extension`` is that of its name, without the packing."""
    text = content
    if FORMATS[format_of(extension, source, options)].text:
        from cloven.reading.tokens import clean_text

        text = clean_text(content, source)
    chosen, told = placed(text, extension, source, options)
    form = FORMATS[chosen]
    module, parser = form.parser.split(".")
    raw = getattr(import_module(f"cloven.reading.{module}"), parser)(text, source, options, **told)
    return _finish(raw, source, chosen, told.get("delimiter", form.delimiter), options)


def placed(text: bytes, extension: str, source: str, options: ReadOptions) -> tuple[str, dict[str, Any]]:
    """The format of a text, and what else its parser is told: the delimiter, if it has one."""
    chosen = format_of(extension, source, options)
    if FORMATS[chosen].text and options.format is None and options.delimiter is None:
        chosen = _looked_at(text, extension, chosen, source)
    form = FORMATS[chosen]
    told: dict[str, Any] = {}
    if form.delimited:
        told["delimiter"] = options.delimiter or _guess(text, extension, chosen)
    elif options.delimiter is not None:
        message = f"format {chosen!r} has no delimiter; leave it out, or pass format='lines'"
        raise ParameterError(message)
    if not form.columns:
        _refuse_columns(options, chosen)
    return chosen, told


def format_of(extension: str, source: str, options: ReadOptions) -> str:
    """The format named, or that of an extension."""
    if options.format is not None:
        return options.format
    chosen = next((name for name, form in FORMATS.items() if extension in form.endings), None)
    if chosen is None:
        message = "cannot tell the format from the ending"
        raise UnplacedError(message, source=source, value=extension)
    if chosen == "lines" and options.id_column is not None:
        return "long"
    return "table" if chosen == "lines" and options.column is not None else chosen


def _looked_at(text: bytes, extension: str, chosen: str, source: str) -> str:
    """The format of a text of which nobody says anything: it may be another one than its ending tells."""
    from cloven.reading.guess import looks_like_spmf, refuse_other_formats

    if extension in {".txt", ".dat"} and looks_like_spmf(text):
        return "spmf"
    if chosen in {"lines", "fimi"}:
        refuse_other_formats(text, source)
    return chosen


def _refuse_columns(options: ReadOptions, format: str) -> None:
    """A file without columns cannot give one."""
    named = (options.column, options.id_column, options.person)
    if any(name is not None for name in named):
        message = (
            f"format {format!r} has no columns, so none can be named; use a CSV file with a header"
            " (id_column and item_column, or column), JSON Lines or Parquet"
        )
        raise ParameterError(message)


def _guess(text: bytes, extension: str, chosen: str) -> str:
    from cloven.reading.guess import guess_delimiter

    if extension == ".tsv":
        return "\t"
    # In a table the header alone decides: cells may hold anything.
    sample = text.lstrip().split(b"\n", 1)[0] if chosen != "lines" else text
    return guess_delimiter(sample, spaces=extension not in {".csv", ".basket"})


def _finish(
    raw: RawRecords | LongRows, source: str, chosen: str, delimiter: str | None, options: ReadOptions
) -> tuple[Transactions, ReadReport]:
    from cloven.reading.raw import settle, to_transactions

    settled = settle(raw, source, lenient=options.lenient, max_record_length=options.max_record_length)
    data = to_transactions(settled)
    report = ReadReport(
        source,
        chosen,
        delimiter,
        len(data),
        data.empty_records,
        len(settled.codes) - len(data.codes),
        settled.blank_items,
        settled.skipped,
        settled.examples,
    )
    if not len(data):
        raise _nothing(report)
    return data, report


def _nothing(report: ReadReport) -> InputError:
    if report.skipped:
        line, reason = report.examples[0]
        return InputError(
            f"no record is left, {report.skipped:,} were skipped; the first: {reason}",
            source=report.source,
            line=line,
        )
    if report.empty_records:
        return InputError(
            f"holds no items, only {report.empty_records:,} empty records", source=report.source
        )
    return InputError("the file is empty; it holds no records", source=report.source)


# How much a file holds, told from its beginning: the first megabyte is read, and the rest taken to be like it.


@dataclass(frozen=True)
class ExpectedSize:
    """What a file is expected to hold.

    Attributes:
        occurrences: items of all records together.
        records: number of records.
        content: bytes that a reader holds at its peak, beside the occurrences.
    """

    occurrences: int
    records: int
    content: float = 0.0


def expected_size(path: str | os.PathLike[str], options: ReadOptions) -> ExpectedSize | None:
    """What a file is expected to hold when it is read with these options; None if its beginning cannot be read so.

    Then reading it will say why. Of a long table whose rows are not sorted, more records are expected than there are.
    """
    source = Path(path)
    try:
        head, extension, total = beginning(source, BEGINNING)
        chosen = format_of(extension, str(source), options)
        if chosen == "parquet":
            return _of_parquet(source, options)
        whole = len(head) >= total
        head = head if whole else _whole_records(head, chosen)
        data, report = read_content(head, extension, str(source), replace(options, lenient=True))
    except ClovenError:
        return None
    scale = 1.0 if whole else total / max(1, len(head))
    return ExpectedSize(
        round(scale * (len(data.codes) + report.repeated_items)),
        round(scale * len(data)),
        FORMATS[chosen].held * total,
    )


def _whole_records(head: bytes, chosen: str) -> bytes:
    """The beginning up to the end of a record."""
    from cloven.reading.guess import first_elements

    if chosen == "json":
        return json.dumps(first_elements(Head(head, whole=False).text.strip())).encode()
    return head[: head.rfind(b"\n") + 1] or head


def _of_parquet(path: Path, options: ReadOptions) -> ExpectedSize | None:
    """The footer of a Parquet file counts the values of each column."""
    try:
        with open_plain(path) as handle:
            metadata, groups = parquet_file(handle).metadata, chunks_of(handle)
    except (OSError, PagesError):
        return None
    named = {options.column, options.id_column, options.item_column, options.person} - {None}
    values, held = 0, 0.0
    for number in range(metadata.num_columns):
        chunks = [group[number] for group in groups if number < len(group)]
        if chunks and (
            not named
            or any(f"{metadata.schema.column(number).path}.".startswith(f"{name}.") for name in named)
        ):
            values = max(values, sum(chunk.values for chunk in chunks))
            held += FORMATS["parquet"].held * sum(chunk.unpacked for chunk in chunks)
    return ExpectedSize(values, metadata.num_rows, held + path.stat().st_size)
