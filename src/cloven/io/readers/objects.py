"""Records from plain Python values: lists of text or of integers, as JSON and object columns give them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from cloven.io.readers.raw import Place, RawRecords, name_faults

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import NDArray

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
