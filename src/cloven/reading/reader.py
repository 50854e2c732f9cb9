"""Choose the reader of a file by its extension or the format named, and run it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from cloven.errors import InputError, ParameterError
from cloven.reading.files import open_bytes
from cloven.reading.options import MAX_BYTES, MAX_RECORD_LENGTH, TEXT_TABLES, ReadOptions, ReadReport
from cloven.reading.unplaced import UnplacedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.data.transactions import Transactions
    from cloven.reading.columns import LongRows
    from cloven.reading.options import Format
    from cloven.reading.raw import RawRecords

_BY_EXTENSION = {
    ".csv": "lines",
    ".tsv": "lines",
    ".txt": "lines",
    ".basket": "lines",
    ".dat": "fimi",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
}


def read(
    path: str | os.PathLike[str],
    *,
    format: Format | None = None,
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
    r"""Read set-valued data from a file; ``ReadOptions`` explains the arguments.

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
    options = options or ReadOptions()
    source = os.fspath(path)
    content, extension = open_bytes(Path(source), options.max_bytes)
    try:
        return read_content(content, extension, source, options)
    except UnplacedError as error:
        from cloven.reading.guess import likely

        raise error.with_likely(likely(content)) from error.__cause__


def read_content(
    content: bytes, extension: str, source: str, options: ReadOptions
) -> tuple[Transactions, ReadReport]:
    """Read what a file holds; ``extension`` is that of its name, without the packing."""
    chosen = format_of(extension, source, options)
    if chosen == "parquet":
        from cloven.reading.arrow import read_parquet

        _refuse_delimiter(options, chosen)
        return _finish(read_parquet(content, source, options), source, chosen, None, options)
    return _read_text(content, extension, chosen, source, options)


def format_of(extension: str, source: str, options: ReadOptions) -> str:
    """The format named, or that of an extension."""
    if options.format is not None:
        return options.format
    chosen = _BY_EXTENSION.get(extension)
    if chosen is None:
        message = "cannot tell the format from the ending"
        raise UnplacedError(message, source=source, value=extension)
    if chosen == "lines" and options.id_column is not None:
        return "long"
    return "table" if chosen == "lines" and options.column is not None else chosen


def _refuse_delimiter(options: ReadOptions, chosen: str) -> None:
    if options.delimiter is not None:
        message = f"format {chosen!r} has no delimiter; leave it out, or pass format='lines'"
        raise ParameterError(message)


def _read_text(
    content: bytes, extension: str, chosen: str, source: str, options: ReadOptions
) -> tuple[Transactions, ReadReport]:
    from cloven.reading import columns as tables
    from cloven.reading import delimiters as guessing
    from cloven.reading import lines
    from cloven.reading import objects as json_records
    from cloven.reading.tokens import clean_text

    text = clean_text(content, source)
    if options.format is None and options.delimiter is None and extension in {".txt", ".dat"}:
        chosen = "spmf" if guessing.looks_like_spmf(text) else chosen
    if options.format is None and options.delimiter is None and chosen in {"lines", "fimi"}:
        guessing.refuse_other_formats(text, source)
    delimiter = (options.delimiter or _guess(text, extension, chosen)) if chosen in TEXT_TABLES else None
    if delimiter is None:
        _refuse_delimiter(options, chosen)
    if chosen in {"lines", "fimi", "spmf"}:
        lines.refuse_columns(options, chosen)
    raw: RawRecords | LongRows
    if delimiter is not None:
        tabular: dict[str, Callable[..., RawRecords | LongRows]] = {
            "lines": lines.read_lines,
            "long": tables.read_long,
            "table": tables.read_table,
        }
        raw = tabular[chosen](text, delimiter, source, options)
    else:
        plain = {
            "fimi": lines.read_fimi,
            "spmf": lines.read_spmf,
            "json": json_records.read_json,
            "jsonl": json_records.read_jsonl,
        }
        raw = plain[chosen](text, source, options)
        delimiter = " " if chosen in {"fimi", "spmf"} else None
    return _finish(raw, source, chosen, delimiter, options)


def _guess(text: bytes, extension: str, chosen: str) -> str:
    from cloven.reading.delimiters import guess_delimiter

    if extension == ".tsv":
        return "\t"
    # In a table the header alone decides: cells may hold anything.
    sample = text.lstrip().split(b"\n", 1)[0] if chosen != "lines" else text
    return guess_delimiter(sample, spaces=extension not in {".csv", ".basket"})


def _finish(
    raw: RawRecords | LongRows, source: str, chosen: str, delimiter: str | None, options: ReadOptions
) -> tuple[Transactions, ReadReport]:
    from cloven.reading.columns import LongRows, settle_long
    from cloven.reading.raw import settle, to_transactions

    limit = options.max_record_length
    if isinstance(raw, LongRows):
        settled = settle_long(raw, source, lenient=options.lenient, max_record_length=limit)
    else:
        settled = settle(raw, source, lenient=options.lenient, max_record_length=limit)
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
