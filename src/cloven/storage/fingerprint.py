"""A fingerprint of the data that was read, for the owner's receipt; it never enters a published file.

Another one tells releases apart that attackers are given.
"""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.data.transactions import Transactions


def fingerprint(data: Transactions | Table) -> str:
    """SHA-256 (hexadecimal) of all that was read, the same on every machine: offsets, codes, vocabulary and persons.

    Every part is preceded by its length, so that no two data sets run together to the same bytes.

    >>> from cloven.data.transactions import Transactions
    >>> one, two = (Transactions.from_records(records) for records in ([["a", "b"]], [["a"], ["b"]]))
    >>> fingerprint(one) == fingerprint(one), fingerprint(one) == fingerprint(two)
    (True, False)
    """
    digest = hashlib.sha256()

    def add(part: bytes | memoryview) -> None:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)

    if isinstance(data, Table):
        _add_table(data, add)
        return digest.hexdigest()
    for numbers in (data.offsets, data.codes, data.persons):
        digest.update(b"\0" if numbers is None else b"\1")
        if numbers is not None:
            add(np.ascontiguousarray(numbers, "<i8").tobytes())
    digest.update(len(data.vocabulary).to_bytes(8, "big"))
    for name in data.vocabulary:
        add(name.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def release_fingerprint(release: Any) -> str:
    """SHA-256 (hexadecimal) of a release of any kind, by the values of its fields.

    >>> from cloven.kinds.tables.release import CellDomain
    >>> sex = CellDomain("sex", False, ("f", "m"), None, ("f", "m"), np.arange(3), np.arange(2, dtype=np.int32))
    >>> one, two = sex, CellDomain(**{**vars(sex), "members": np.array([1, 0], np.int32)})
    >>> release_fingerprint(one) == release_fingerprint(one), release_fingerprint(one) == release_fingerprint(two)
    (True, False)
    """
    digest = hashlib.sha256()
    open_parts = [release]
    while open_parts:
        part = open_parts.pop()
        if is_dataclass(part):
            told = repr([field.name for field in fields(part)]).encode()
            open_parts += [getattr(part, field.name) for field in fields(part)]
        elif isinstance(part, tuple | list):
            told = f"{len(part)} parts".encode()
            open_parts += part
        elif isinstance(part, np.ndarray):
            told = repr((part.dtype.kind, part.shape)).encode() + np.ascontiguousarray(part).tobytes()
        else:
            told = repr(part).encode("utf-8", "surrogatepass")
        digest.update(len(told).to_bytes(8, "big"))
        digest.update(told)
    return digest.hexdigest()


def _add_table(table: Table, add: Callable[[bytes], None]) -> None:
    """Roles, domains and rows; how values are generalised is a choice, and no data."""
    add(b"table")
    for attribute in table.attributes:
        add(len(attribute).to_bytes(8, "big"))
        for text in (attribute.name, attribute.role, *attribute.values):
            add(text.encode("utf-8", "surrogatepass"))
    add(np.ascontiguousarray(table.codes, "<i4").tobytes())
    add(np.ascontiguousarray(table.source_rows, "<i8").tobytes())
