"""Documents from tables: a column of a CSV file, a field of JSON Lines."""

from __future__ import annotations

import csv
import io
import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cloven.errors import InputError
from cloven.text.documents import Document, DocumentOptions, Dropped, decoded
from cloven.text.packed import Budget, extension, opened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


def read_csv(path: Path, options: DocumentOptions) -> Iterator[Document | Dropped]:
    """One document for each row."""
    delimiter = options.delimiter or ("\t" if extension(path) == ".tsv" else ",")
    encoding = options.encoding or "utf-8-sig"
    with opened(path, Budget(str(path), options.max_bytes)) as stream, _long_cells():
        rows = csv.reader(io.TextIOWrapper(stream, encoding, newline=""), delimiter=delimiter, strict=True)
        columns: Sequence[str] | None = None
        for row in _checked(rows, str(path)):
            if columns is None:
                columns = row if options.header else [str(number) for number in range(1, len(row) + 1)]
                places = _places(columns, options, str(path))
                if options.header:
                    continue
            yield _from_row(row, columns, places, str(path), rows.line_num)


@contextmanager
def _long_cells() -> Iterator[None]:
    """The csv module refuses cells above 128 kB unless told otherwise, for the whole process: put it back after."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _checked(rows: Iterator[list[str]], source: str) -> Iterator[list[str]]:
    """Rows that are not blank; faults of the file become errors with their line."""
    while True:
        line: int = getattr(rows, "line_num", 0)
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            message = f"not CSV: {error}; check the quotes and the delimiter"
            raise InputError(message, source=source, line=line + 1) from error
        except UnicodeDecodeError as error:
            message = f"not {error.encoding} after this line; name its encoding, such as latin-1"
            raise InputError(message, source=source, line=line) from error
        if row:
            yield row


def _places(columns: Sequence[str], options: DocumentOptions, source: str) -> list[int | None]:
    """Where text, title and name stand in a row."""
    places: list[int | None] = []
    for name in (options.text_column, options.title_column, options.name_column):
        if name is not None and name not in columns:
            listed = ", ".join(repr(column) for column in columns[:20])
            message = f"no column {name!r}; the columns are {listed}"
            raise InputError(message, source=source)
        places.append(None if name is None else columns.index(name))
    return places


def _from_row(
    row: Sequence[str], columns: Sequence[str], places: Sequence[int | None], source: str, line: int
) -> Document | Dropped:
    if len(row) != len(columns):
        message = (
            f"{len(row)} cells where there are {len(columns)} columns; quote text that holds the delimiter"
        )
        raise InputError(message, source=source, line=line, value=", ".join(row))
    text, title, name = (None if place is None else row[place] for place in places)
    return _document(name, text, title, f"line {line}")


def read_jsonl(path: Path, options: DocumentOptions) -> Iterator[Document | Dropped]:
    """One document for each line that is not blank."""
    source = str(path)
    with opened(path, Budget(source, options.max_bytes)) as stream:
        for number, raw in enumerate(stream, 1):
            if raw.strip():
                yield _from_json(raw, options, source, number)


def _from_json(raw: bytes, options: DocumentOptions, source: str, line: int) -> Document | Dropped:
    try:
        value = json.loads(decoded(raw, options.encoding or "utf-8", source))
    except InputError as error:
        raise InputError(str(error).partition(": ")[2], source=source, line=line) from error
    except (ValueError, RecursionError) as error:
        message = f"not JSON: {getattr(error, 'msg', error)}"
        raise InputError(message, source=source, line=line, value=raw.decode(errors="replace")) from error
    if not isinstance(value, dict):
        message = f"expected an object with the field {options.text_column!r}"
        raise InputError(message, source=source, line=line, value=json.dumps(value))
    text = _field(value, options.text_column, source, line)
    title = None if options.title_column is None else _field(value, options.title_column, source, line)
    name = None if options.name_column is None else value.get(options.name_column)
    return _document(None if name is None else str(name), text, title, f"line {line}")


def _field(value: dict[str, object], name: str, source: str, line: int) -> str | None:
    """A text, or None for null."""
    if name not in value:
        listed = ", ".join(repr(key) for key in list(value)[:20])
        message = f"no field {name!r}; the fields are {listed}"
        raise InputError(message, source=source, line=line)
    found = value[name]
    if found is not None and not isinstance(found, str):
        message = f"field {name!r} must hold text"
        raise InputError(message, source=source, line=line, value=json.dumps(found))
    return found


def _document(name: str | None, text: str | None, title: str | None, place: str) -> Document | Dropped:
    title = (title or "").strip() or None
    if not (text or "").strip() and title is None:
        return Dropped("no text")
    return Document(name or place, text or "", title)
