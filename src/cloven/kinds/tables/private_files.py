"""The owner's private folder of a published table: who is behind each part, what was exchanged, and the receipt.

It lies beside the release, never inside it; folder mode 0700, files 0600. See docs/reference/release-format.md.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cloven.kinds.tables.key import TableKey
from cloven.storage.atomic import PRIVATE_FILE, PRIVATE_FOLDER
from cloven.storage.manifest import expect
from cloven.storage.parquet import number_column, number_lists, read_table, whole_numbers, write_table
from cloven.storage.receipt import write_receipt

if TYPE_CHECKING:
    from cloven.compiled import Flags
    from cloven.data.table import Table
    from cloven.kinds.tables.key import PublishedTable
    from cloven.kinds.tables.release import TableRelease

KEY = {"row": "int64", "column": "int64", "record": "int64"}
CHANGED = {"row": "int64", "attributes": "numbers"}
SUPPRESSED = {"record": "int64"}


def write_key(
    result: PublishedTable, place: Path, *, manifest_sha256: str, original: Table | None = None
) -> None:
    """Write the private folder of a published table whose manifest has this SHA-256."""
    key = result.key
    rows, columns = key.records.shape
    place.mkdir(mode=PRIVATE_FOLDER)
    parts = {
        "row": np.repeat(np.arange(rows), columns),
        "column": np.tile(np.arange(columns), rows),
        "record": key.records.ravel(),
    }
    write_table(place / "key.parquet", KEY, parts, PRIVATE_FILE)
    write_table(place / "suppressed.parquet", SUPPRESSED, {"record": key.suppressed}, PRIVATE_FILE)
    if key.changed is not None:
        offsets = np.concatenate([[0], np.cumsum(key.changed.sum(axis=1))]).astype(np.int64)
        marks = {"row": np.arange(rows), "attributes": number_column(offsets, np.nonzero(key.changed)[1])}
        write_table(place / "changed.parquet", CHANGED, marks, PRIVATE_FILE)
    counts = {
        "suppressed_records": len(key.suppressed),
        "changed_cells": 0 if key.changed is None else int(key.changed.sum()),
        "parts_of_nobody": int((key.records < 0).sum()),
    }
    write_receipt(place, result.release, manifest_sha256=manifest_sha256, original=original, counts=counts)


def read_key(private: str | os.PathLike[str], release: TableRelease) -> TableKey:
    """Read the owner's key to a published table from its private folder.

    Raises:
        ReleaseError: a file is missing, broken, or speaks of rows that the release does not have.
    """
    folder, columns = Path(private), len(release.columns)
    path = folder / "key.parquet"
    table = read_table(path, KEY)
    row, column = whole_numbers(table, "row", path), whole_numbers(table, "column", path)
    wanted = np.arange(len(release) * columns)
    whole = np.array_equal(row * columns + column, wanted) and bool((column < columns).all())
    expect(whole, str(path), "rows", "every part of the release, in their order", f"{len(row)} rows")
    records = whole_numbers(table, "record", path, null=True).reshape(-1, columns)
    suppressed = read_table(folder / "suppressed.parquet", SUPPRESSED)
    return TableKey(
        records=records,
        changed=_read_changed(folder / "changed.parquet", release),
        suppressed=whole_numbers(suppressed, "record", folder / "suppressed.parquet"),
    )


def _read_changed(path: Path, release: TableRelease) -> Flags | None:
    if not os.path.lexists(path):
        return None
    table = read_table(path, CHANGED)
    row = whole_numbers(table, "row", path)
    each_once = np.array_equal(row, np.arange(len(release)))
    expect(each_once, str(path), "row", "every row of the release, in their order", f"{len(row)} rows")
    offsets, places = number_lists(table, "attributes", path, len(release.domains))
    changed = np.zeros(release.cells.shape, np.bool_)
    changed[np.repeat(row, np.diff(offsets)), places] = True
    return changed
