"""The files of a published table, ``cloven.table/1`` and ``cloven.sliced/1`` (docs/reference/release-format.md).

Cells are written with what they show and nothing else: both ends of a range of numbers, the values of a set. Each
column of a sliced table is a file of its own, sorted inside each bucket, so that no row stands beside another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.io.manifest import expect, parameters_of
from cloven.io.table_cells import ATTRIBUTES, CELLS, attribute_columns, cell_columns, read_domains
from cloven.io.tables import (
    expect_counting,
    number_column,
    number_lists,
    read_table,
    whole_numbers,
)
from cloven.model.published_table import GeneralisedTable, Sliced
from cloven.model.shown_cells import shown_release

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from cloven.io.tables import Written

ROWS = {"row": "int64", "cells": "numbers"}
PARTS = {"bucket": "int64", "cells": "numbers"}


def tables_of(release: GeneralisedTable | Sliced) -> tuple[Written, ...]:
    """Names, columns and values of the Parquet files."""
    release = shown_release(release)
    columns = release.columns if isinstance(release, Sliced) else (tuple(range(len(release.domains))),)
    about: tuple[Written, ...] = (
        ("attributes.parquet", ATTRIBUTES, attribute_columns(release.domains, columns)),
        ("cells.parquet", CELLS, cell_columns(release.domains)),
    )
    if not isinstance(release, Sliced):
        rows = {"row": np.arange(len(release)), "cells": _in_rows(release.cells)}
        return (*about, ("rows.parquet", ROWS, rows))
    bucket = np.repeat(np.arange(release.buckets), np.diff(release.bucket_offsets))
    parts = [
        (f"column-{number}.parquet", PARTS, {"bucket": bucket, "cells": _in_rows(release.cells[:, column])})
        for number, column in enumerate(columns)
    ]
    return (*about, *parts)


def read_generalised_table(path: Path, manifest: Mapping[str, Any]) -> GeneralisedTable:
    """Read the folder of a generalised table whose manifest this is."""
    domains, columns = read_domains(path)
    expect(len(columns) == 1, str(path / "attributes.parquet"), "column", "0 for all", len(columns))
    table = read_table(path / "rows.parquet", ROWS)
    expect_counting(table, "row", path / "rows.parquet")
    labels = [len(domain.labels) for domain in domains]
    cells = _cells(table, path / "rows.parquet", labels)
    return GeneralisedTable(manifest["k"], parameters_of(manifest), domains, cells)


def read_sliced(path: Path, manifest: Mapping[str, Any]) -> Sliced:
    """Read the folder of a sliced table whose manifest this is."""
    domains, columns = read_domains(path)
    files = sorted(name for name in manifest["files"] if name.startswith("column-"))
    expect(len(files) == len(columns), str(path), "files", f"one for each of {len(columns)} columns", files)
    cells, buckets = np.empty((0, len(domains)), np.int32), np.empty(0, np.int64)
    for number, column in enumerate(columns):
        file = path / f"column-{number}.parquet"
        table = read_table(file, PARTS)
        bucket = whole_numbers(table, "bucket", file)
        if number == 0:
            _expect_buckets(bucket, file)
            cells, buckets = np.empty((len(bucket), len(domains)), np.int32), bucket
        same = np.array_equal(bucket, buckets)
        expect(same, str(file), "bucket", "as in column-0.parquet", f"{len(bucket):,} other rows")
        cells[:, column] = _cells(table, file, [len(domains[place].labels) for place in column])
    offsets = np.concatenate([[0], np.cumsum(np.bincount(buckets))]).astype(np.int64)
    return Sliced(manifest["k"], parameters_of(manifest), domains, columns, offsets, cells)


def _in_rows(cells: NDArray[np.int32]) -> Any:
    offsets = np.arange(len(cells) + 1, dtype=np.int64) * cells.shape[1]
    return number_column(offsets, np.ascontiguousarray(cells).ravel())


def _cells(table: Any, path: Path, labels: list[int]) -> NDArray[np.int32]:
    """Rows of as many cells as there are attributes, each one that its attribute has."""
    offsets, numbers = number_lists(table, "cells", path, max(labels))
    even = np.array_equal(offsets, np.arange(len(offsets)) * len(labels))
    expect(even, str(path), "cells", f"{len(labels)} in each row", "another number")
    cells = numbers.reshape(-1, len(labels))
    strange = (cells >= np.array(labels)).any(axis=0)
    expect(
        not strange.any(),
        str(path),
        "cells",
        "those of their attribute",
        np.flatnonzero(strange)[:1].tolist(),
    )
    return np.ascontiguousarray(cells)


def _expect_buckets(bucket: NDArray[np.int64], file: Path) -> None:
    """Buckets are numbered 0, 1, 2, ... and stand in this order."""
    steps = np.diff(bucket, prepend=bucket[:1])
    sound = len(bucket) > 0 and int(bucket[0]) == 0 and bool(((steps == 0) | (steps == 1)).all())
    expect(sound, str(file), "bucket", "0, 1, 2, ... in this order", "another order")
