"""JSON Lines (a record per line) and JSON (an array); a record is a list, or an object with a list in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cloven.errors import InputError, ParameterError
from cloven.io.readers.objects import Bad, records_from_objects
from cloven.io.readers.raw import Place
from cloven.io.readers.unplaced import UnplacedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.io.readers.options import ReadOptions
    from cloven.io.readers.raw import RawRecords


_NOT_JSON = "not JSON"


def read_jsonl(text: bytes, source: str, options: ReadOptions) -> RawRecords:
    """Records of JSON Lines; a blank line is an empty record."""
    lines = text.split(b"\n")
    if not lines[-1].strip():
        lines.pop()
    values = [_parse(line) for line in lines]
    _refuse_other_text(values, lines, source)

    def place(record: int) -> Place:
        return Place("line", record + 1, lines[record].decode(errors="backslashreplace").rstrip("\r"))

    return _records(values, place, source, options)


def read_json(text: bytes, source: str, options: ReadOptions) -> RawRecords:
    """Records of one JSON array."""
    try:
        values = json.loads(text.decode())
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        message = "not UTF-8; save the file as UTF-8"
        raise InputError(message, source=source, line=line, value=_line(text, line)) from error
    except json.JSONDecodeError as error:
        # More after a first value, or no bracket at all: it is broken less likely than of another format.
        other = error.msg == "Extra data" or text.lstrip()[:1] not in {b"[", b"{"}
        kind = UnplacedError if other else InputError
        message = f"not JSON: {error.msg}"
        raise kind(message, source=source, line=error.lineno, value=_line(text, error.lineno)) from error
    except (ValueError, RecursionError) as error:
        message = f"not JSON that can be read: {error}"
        raise InputError(message, source=source) from error
    if not isinstance(values, list):
        message = "expected an array of records"
        raise UnplacedError(message, source=source, value=type(values).__name__)
    return _records(
        values, lambda record: Place("record", record, json.dumps(values[record])), source, options
    )


def _records(
    values: list[object], place: Callable[[int], Place], source: str, options: ReadOptions
) -> RawRecords:
    if options.id_column is not None:
        message = "JSON is read by column (a list of items); for id_column and item_column use CSV or Parquet"
        raise ParameterError(message)
    lists = [_pick(value, options.column) for value in values]
    persons = None if options.person is None else [_pick_person(value, options.person) for value in values]
    if values and all(isinstance(items, Bad) for items in lists):
        _explain_columns(values, options, source)
    return records_from_objects(lists, place, persons)


def _parse(line: bytes) -> object:
    if not line.strip():
        return []
    try:
        return json.loads(line.decode())
    except UnicodeDecodeError:
        return Bad("not UTF-8; save the file as UTF-8")
    except RecursionError:
        return Bad("not JSON that can be read: nested too deeply")
    except ValueError as error:
        return Bad(f"{_NOT_JSON}: {getattr(error, 'msg', error)}")


def _refuse_other_text(values: list[object], lines: list[bytes], source: str) -> None:
    """Raise if neither the first line nor most others are JSON: then it is no broken line, but another format."""
    wrong = [isinstance(value, Bad) and value.reason.startswith(_NOT_JSON) for value in values]
    if wrong and wrong[0] and sum(wrong) > 0.5 * len(wrong):
        shown = lines[0].decode(errors="backslashreplace").rstrip("\r")
        message = "the lines are not JSON"
        raise UnplacedError(message, source=source, line=1, value=shown)


def _pick(value: object, column: str | None) -> object:
    if isinstance(value, Bad) or (column is None and not isinstance(value, dict)):
        return value
    if column is None:
        return Bad("a record is an object; name the column that holds its items")
    if not isinstance(value, dict):
        return value if value == [] else Bad(f"expected an object with column {column!r}")
    return value.get(column, Bad(f"no column {column!r}"))


def _pick_person(value: object, column: str) -> object:
    return value.get(column) if isinstance(value, dict) else 0 if value == [] else None


def _explain_columns(values: list[object], options: ReadOptions, source: str) -> None:
    """Nothing could be picked: if that is because the column is wrong, say which columns there are."""
    first = next((value for value in values if isinstance(value, dict)), None)
    if first is not None:
        columns = ", ".join(repr(name) for name in list(first)[:20])
        wrong = (
            "name the column that holds the items"
            if options.column is None
            else f"no column {options.column!r}"
        )
        message = f"{wrong}; the columns are {columns}"
        raise UnplacedError(message, source=source)


def _line(text: bytes, number: int) -> str:
    return text.split(b"\n")[number - 1].decode(errors="backslashreplace").rstrip("\r")
