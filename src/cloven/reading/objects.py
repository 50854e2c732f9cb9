"""Records from plain Python values: lists of text or of integers, as JSON and object columns give them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import InputError, ParameterError
from cloven.reading.options import UnplacedError
from cloven.reading.raw import Place, RawRecords, name_faults

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import NDArray

    from cloven.reading.options import ReadOptions


_SURROGATE = "holds half of a surrogate pair, which no UTF-8 text can"


@dataclass(frozen=True)
class Bad:
    """Stands where a record should be, and says what is wrong."""

    reason: str


def records_from_objects(
    values: Sequence[object], place: Callable[[int], Place], persons: Sequence[object] | None = None
) -> RawRecords:
    """Records from a list of items for each; ``None`` and anything that is no list are faults."""
    lists = [_as_list(value) for value in values]
    faults = {n: items.reason for n, items in enumerate(lists) if isinstance(items, Bad)}
    good: list[list[object]] = [[] if isinstance(items, Bad) else items for items in lists]
    flat = list(chain.from_iterable(good))
    codes, names, item_faults = encode_objects(flat)

    def place_item(record: int, item: int) -> Place:
        found = place(record)
        # A text shows the line it stands in; anything else shows the item itself.
        return found if item < 0 or found.unit == "line" else found._replace(value=_text(flat[item]))

    person_codes = None if persons is None else encode_labels(persons, "person", faults)
    lengths = np.fromiter((len(items) for items in good), np.int64, len(good))
    return RawRecords(lengths, codes, names, place_item, item_faults, faults, person_codes)


def encode_objects(items: list[object]) -> tuple[NDArray[np.int64], list[str], dict[int, str]]:
    """Number distinct items; integers become their decimal text, anything else but strings is a fault.

    >>> encode_objects(["flu", "cold", "flu"])[0].tolist()
    [0, 1, 0]
    """
    kinds = set(map(type, items))
    keys: list[Hashable] = list(items) if kinds in ({str}, {int}) else [_key(item) for item in items]
    code_of = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    codes = np.fromiter(map(code_of.__getitem__, keys), np.int64, len(keys))
    expected: str | None = None
    names: list[str] = []
    faults: dict[int, str] = {}
    for code, key in enumerate(code_of):
        kind, name = key if isinstance(key, tuple) else (type(key).__name__, str(key))
        names.append(name)
        expected = expected or (kind if kind in {"str", "int"} else None)
        if kind != expected:
            faults[code] = _type_fault(kind, expected)
        elif kind == "str" and not _encodable(name):
            faults[code] = _SURROGATE
    return codes, names, faults | {c: r for c, r in name_faults(names).items() if c not in faults}


def encode_labels(values: Sequence[object], what: str, faults: dict[int, str]) -> NDArray[np.int64]:
    """Number distinct ids or persons; null, blank and unhashable ones become -1 and a fault."""
    code_of: dict[Hashable, int] = {}
    codes = np.empty(len(values), np.int64)
    for number, value in enumerate(values):
        null = is_null(value) or (isinstance(value, str) and not value.strip())
        if null or isinstance(value, Mapping | list | set):
            codes[number] = -1
            faults.setdefault(
                number, f"{what} is null or blank" if null else f"{what} must be one plain value"
            )
        else:
            codes[number] = code_of.setdefault((type(value).__name__, value), len(code_of))
    return codes


def is_null(value: object) -> bool:
    """Whether a value stands for nothing: None, or one of the ways in which pandas writes it (NaN, NA, NaT).

    >>> is_null(float("nan")), is_null("")
    (True, False)
    """
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    return value is None or type(value).__name__ in {"NAType", "NaTType"}


def _as_list(value: object) -> list[object] | Bad:
    if isinstance(value, list):
        return value
    if isinstance(value, Bad):
        return value
    if isinstance(value, np.ndarray):
        return value.tolist() if value.ndim == 1 else Bad("expected a flat list of items")
    if isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping):
        return list(value)
    if is_null(value):
        return Bad("null where a list of items should be")
    return Bad(f"expected a list of items, found {type(value).__name__}; wrap one item in a list")


def _key(item: object) -> tuple[str, str]:
    item = item.item() if isinstance(item, np.generic) else item
    return "null" if is_null(item) else type(item).__name__, _text(item)


def _text(item: object) -> str:
    item = item.item() if isinstance(item, np.generic) else item
    return item if isinstance(item, str) else repr(item)


def _type_fault(kind: str, expected: str | None) -> str:
    if kind == "null":
        return "null item"
    if kind == "float":
        return "a float is no item (1 and 1.0 would differ); convert to integer or text"
    if kind in {"str", "int"}:
        return f"mixed types: {kind} after {expected}; convert all items to text"
    return f"an item must be text or an integer, found {kind}"


def _encodable(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


# JSON Lines (a record per line) and JSON (an array); a record is a list, or an object with a list in it.


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
