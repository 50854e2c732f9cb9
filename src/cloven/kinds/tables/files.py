"""The files of a published table, ``cloven.table/1`` and ``cloven.sliced/1`` (docs/reference/release-format.md).

Cells are written with what they show and nothing else: both ends of a range of numbers, the values of a set. Each
column of a sliced table is a file of its own, sorted inside each bucket, so that no row stands beside another.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from itertools import chain, pairwise
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.table import Table
from cloven.escapes import csv_cell
from cloven.kinds.tables.buckets import Buckets
from cloven.kinds.tables.cells import from_texts, shown_release, texts_of
from cloven.kinds.tables.guide import sliced_guide, whole_guide
from cloven.kinds.tables.release import CellDomain, GeneralisedTable, Sliced
from cloven.storage.atomic import staged, write_bytes
from cloven.storage.manifest import ReleaseFormat, expect, parameters_of
from cloven.storage.parquet import (
    expect_counting,
    number_column,
    number_lists,
    read_table,
    text_column,
    whole_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.kinds.tables.key import PublishedTable
    from cloven.kinds.tables.release import TableRelease
    from cloven.storage.parquet import Written


ROWS = {"row": "int64", "cells": "numbers"}
PARTS = {"bucket": "int64", "cells": "numbers"}


def tables_of(release: TableRelease) -> tuple[Written, ...]:
    """Names, columns and values of the Parquet files."""
    release = shown_release(release)
    about: tuple[Written, ...] = (
        ("attributes.parquet", ATTRIBUTES, attribute_columns(release.domains, release.columns)),
        ("cells.parquet", CELLS, cell_columns(release.domains)),
    )
    if not isinstance(release, Sliced):
        rows = {"row": np.arange(len(release)), "cells": _in_rows(release.cells)}
        return (*about, ("rows.parquet", ROWS, rows))
    bucket = np.repeat(np.arange(release.buckets), np.diff(release.bucket_offsets))
    parts = [
        (f"column-{number}.parquet", PARTS, {"bucket": bucket, "cells": _in_rows(release.cells[:, column])})
        for number, column in enumerate(release.columns)
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


def _expect_buckets(bucket: Longs, file: Path) -> None:
    """Buckets are numbered 0, 1, 2, ... and stand in this order."""
    steps = np.diff(bucket, prepend=bucket[:1])
    sound = len(bucket) > 0 and int(bucket[0]) == 0 and bool(((steps == 0) | (steps == 1)).all())
    expect(sound, str(file), "bucket", "0, 1, 2, ... in this order", "another order")


# The cells of a published table as Parquet tables: ``attributes.parquet`` and ``cells.parquet``.


ATTRIBUTES = {"attribute": "int64", "name": "string", "role": "string", "kind": "string", "column": "int64"}
CELLS = {"attribute": "int64", "cell": "int64", "label": "string", "holds": "string", "values": "list"}
ROLES = ("quasi-identifier", "sensitive")
KINDS = ("category", "number")
HOLDS = ("set", "range")
"""A cell holds a set of values, or all numbers between the two that are its ends."""


def attribute_columns(domains: Sequence[CellDomain], columns: Sequence[tuple[int, ...]]) -> dict[str, Any]:
    """Values of ``attributes.parquet``."""
    import pyarrow as pa

    column_of = {place: number for number, column in enumerate(columns) for place in column}
    return {
        "attribute": np.arange(len(domains)),
        "name": pa.array([domain.name for domain in domains], pa.string()),
        "role": pa.array([ROLES[domain.sensitive] for domain in domains], pa.string()),
        "kind": pa.array([KINDS[domain.numbers is not None] for domain in domains], pa.string()),
        "column": np.array([column_of[place] for place in range(len(domains))], np.int64),
    }


def cell_columns(domains: Sequence[CellDomain]) -> dict[str, Any]:
    """Values of ``cells.parquet``; of a range only its ends."""
    import pyarrow as pa

    told = [texts_of(domain) for domain in domains]
    sizes = [len(domain.labels) for domain in domains]
    values = [_ends_once(cell) if range_ else cell for cells, ranges in told
              for cell, range_ in zip(cells, ranges, strict=True)]  # fmt: skip
    return {
        "attribute": np.repeat(np.arange(len(domains)), sizes),
        "cell": np.concatenate([np.arange(size) for size in sizes]),
        "label": pa.array([label for domain in domains for label in domain.labels], pa.string()),
        "holds": pa.array([HOLDS[len(cell) == 2 and range_] for cell, range_ in zip(
            values, chain.from_iterable(ranges for _, ranges in told), strict=True)], pa.string()),
        "values": pa.array(map(list, values), pa.list_(pa.string())),
    }  # fmt: skip


def read_domains(path: Path) -> tuple[tuple[CellDomain, ...], tuple[tuple[int, ...], ...]]:
    """Cells of each attribute, and the attributes of each column."""
    file = path / "attributes.parquet"
    table = read_table(file, ATTRIBUTES)
    expect_counting(table, "attribute", file)
    names = text_column(table, "name", file)
    expect(len(names) > 0, str(file), "it", "a list of attributes", "nothing")
    sensitive = _choices(table, "role", file, ROLES)
    numbers = _choices(table, "kind", file, KINDS)
    column = whole_numbers(table, "column", file, below=len(names))
    each = np.array_equal(np.unique(column), np.arange(column.max() + 1))
    expect(each, str(file), "column", "0, 1, 2, ... without a gap", column.tolist())
    cells = _read_cells(path / "cells.parquet", numbers)
    domains = tuple(
        _domain(name, bool(sensitive[place]), bool(numbers[place]), cells[place])
        for place, name in enumerate(names)
    )
    columns = tuple(tuple(np.flatnonzero(column == each).tolist()) for each in range(int(column.max()) + 1))
    return domains, columns


Cell = tuple[str, bool, tuple[str, ...]]
"""Label, whether it is a range, and what it shows."""


def _read_cells(file: Path, numbers: list[int]) -> list[list[Cell]]:
    table = read_table(file, CELLS)
    attribute = whole_numbers(table, "attribute", file, below=len(numbers))
    cell = whole_numbers(table, "cell", file)
    labels, ranges = text_column(table, "label", file), _choices(table, "holds", file, HOLDS)
    values = table.column("values").to_pylist()
    found: list[list[Cell]] = [[] for _ in numbers]
    for row, (place, number) in enumerate(zip(attribute.tolist(), cell.tolist(), strict=True)):
        expect(number == len(found[place]), str(file), f"cell of row {row}", str(len(found[place])), number)
        shows = values[row]
        sound = _is_sound(shows, number=bool(numbers[place]), range_=bool(ranges[row]))
        expect(sound, str(file), f"values of row {row}", "ascending texts or numbers, two of a range", shows)
        found[place].append((labels[row], bool(ranges[row]), tuple(shows)))
    # A table without rows shows no cell of any attribute; else it shows one of each.
    whole = all(found) or not any(found)
    expect(whole, str(file), "attribute", "all that there are", attribute.tolist()[:1])
    return found


def _is_sound(shows: Any, *, number: bool, range_: bool) -> bool:
    """Texts without null, ascending, so that their order says nothing; numbers as numbers, and a range by its ends."""
    if (
        not shows
        or not all(isinstance(each, str) for each in shows)
        or (number and not all(map(_is_number, shows)))
    ):
        return False
    values = [float(each) for each in shows] if number else list(shows)
    ascending = all(before < after for before, after in pairwise(values))
    return ascending and (not range_ or (number and len(shows) == 2))


def _domain(name: str, sensitive: bool, numbers: bool, cells: list[Cell]) -> CellDomain:
    empty = np.zeros(0, np.int64)
    labels = tuple(label for label, _, _ in cells)
    about = CellDomain(name, sensitive, (), None, labels, empty, empty.astype(np.int32))
    alone = [range_ or (numbers and len(shows) == 1) for _, range_, shows in cells]
    return from_texts(about, [shows for _, _, shows in cells], alone, numbers=numbers)


def _choices(table: Any, column: str, file: Path, possible: tuple[str, ...]) -> list[int]:
    found = text_column(table, column, file)
    strange = [each for each in found if each not in possible]
    expect(not strange, str(file), column, f"one of {', '.join(possible)}", strange[:1])
    return [possible.index(each) for each in found]


def _ends_once(cell: tuple[str, ...]) -> tuple[str, ...]:
    return cell[:1] if cell[0] == cell[-1] else cell


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


# Published tables for eyes, spreadsheets and dataframes; not meant to be read back as releases.
#
# A generalised table is shown row by row. A sliced one is shown part by part: a line holds one part of one column, and
# the cells of all other columns are empty. Lines with whole rows would look like persons, whom nobody can tell from it.


def to_frame(table: TableRelease | Table) -> pa.Table:
    """What a table shows, as text, in a PyArrow table: ``.to_pandas()``, or ``polars.from_arrow`` of it, make others.

    Of a sliced table each row is one part of a ``bucket`` (from 0) and a ``column`` (named by its attributes, age+sex);
    the attributes of other columns are null. Parts of a bucket stand in an order that says nothing about persons.

    >>> import cloven as cv
    >>> people = {"age": [20, 21, 30, 33], "sex": ["f", "m", "f", "m"], "ill": ["flu", "gout", "flu", "gout"]}
    >>> import pyarrow as pa
    >>> table = cv.read_table(pa.table(people), cv.Schema.of(["age", "sex"], ["ill"]))
    >>> to_frame(cv.Mondrian(k=2).anonymise(table).release)["age"].to_pylist()
    ['20..21', '20..21', '30..33', '30..33']
    >>> cut = cv.Slicing(k=2, l=2, columns=(("age", "sex"), ("ill",))).anonymise(table).release
    >>> to_frame(cut).slice(0, 1).to_pylist()[0]["column"], to_frame(cut).num_rows
    ('age+sex', 8)
    """
    import pyarrow as pa

    names, columns = _columns(table)
    arrays = [
        pa.array(column, pa.int64() if isinstance(column, np.ndarray) else pa.string()) for column in columns
    ]
    return pa.table(arrays, names=list(names))


def write_table_csv(table: TableRelease | Table, path: Path) -> None:
    """Write what ``to_frame`` gives; all of it or no file."""
    with staged(Path(path)) as (place,):
        write_bytes(place, table_csv_bytes(table))


def table_csv_bytes(table: TableRelease | Table) -> bytes:
    """Content of the file that ``write_table_csv`` writes."""
    names, columns = _columns(table)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([csv_cell(name) for name in names])
    writer.writerows(
        zip(*(column.tolist() if isinstance(column, np.ndarray) else _safe(column) for column in columns),
            strict=True)
    )  # fmt: skip
    return text.getvalue().encode("utf-8", "backslashreplace")


def _safe(cells: Sequence[str | None]) -> Iterator[str]:
    """Text that a spreadsheet shows as it is, and never runs."""
    seen = {text: csv_cell(text or "") for text in set(cells)}
    return (seen[text] for text in cells)


def _columns(table: TableRelease | Table) -> tuple[Sequence[str], Sequence[Any]]:
    """Names and content of what is shown."""
    if isinstance(table, Table):
        shown = [
            _texts((*attribute.values, None), codes)  # the code of a missing value is -1
            for attribute, codes in zip(table.attributes, table.codes.T, strict=True)
        ]
        return [attribute.name for attribute in table.attributes], shown
    names = [domain.name for domain in table.domains]
    shown = [_texts(domain.labels, cells) for domain, cells in zip(table.domains, table.cells.T, strict=True)]
    return _parts(table, names, shown) if isinstance(table, Sliced) else (names, shown)


def _parts(
    release: Sliced, names: list[str], shown: list[list[str | None]]
) -> tuple[Sequence[str], Sequence[Any]]:
    """All parts, bucket after bucket and in it column after column."""
    rows, width = len(release), len(release.columns)
    sizes = np.diff(release.bucket_offsets)
    bucket = np.tile(np.repeat(np.arange(release.buckets), sizes), width)
    order = np.argsort(bucket, kind="stable")
    called = ["+".join(names[place] for place in column) for column in release.columns]
    lines = [name for name in called for _ in range(rows)]
    content: list[Any] = [bucket[order], [lines[line] for line in order.tolist()]]
    for place, cells in enumerate(shown):
        spread = list(
            chain.from_iterable(cells if place in column else [None] * rows for column in release.columns)
        )
        content.append([spread[line] for line in order.tolist()])
    return [_free("bucket", names), _free("column", names), *names], content


def _free(name: str, taken: Sequence[str]) -> str:
    """A name that no attribute has."""
    return name if name not in taken else _free(f"{name}_", taken)


def _texts(labels: Sequence[str | None], codes: NDArray[np.int32]) -> list[str | None]:
    return [labels[code] for code in codes.tolist()]


def _count(release: TableRelease) -> dict[str, int]:
    sizes = Buckets.of(release).sizes
    found = {
        "records": len(release),
        "attributes": len(release.domains),
        "cells": sum(len(domain.labels) for domain in release.domains),
        "groups": len(sizes),
        "smallest_group": int(sizes.min(initial=len(release))),
        "largest_group": int(sizes.max(initial=0)),
    }
    return found | ({"columns": len(release.columns)} if isinstance(release, Sliced) else {})


def _written(result: PublishedTable) -> Iterable[str]:
    domains = result.release.domains
    return chain.from_iterable((domain.name, *domain.labels, *domain.values) for domain in domains)


def shown(result: PublishedTable) -> PublishedTable:
    """The result as it is published: without values that no cell shows."""
    return replace(result, release=shown_release(result.release))


_COUNTS = frozenset(("records", "attributes", "cells", "groups", "smallest_group", "largest_group"))
FORMATS = (
    ReleaseFormat(
        GeneralisedTable,
        "cloven.table",
        "generalised table",
        ("attributes.parquet", "cells.parquet", "rows.parquet"),
        lambda _release: None,
        _COUNTS,
        _count,
        tables_of,
        read_generalised_table,
        _written,
        may_list=True,
        of_sets=False,
        guide=whole_guide,
    ),
    ReleaseFormat(
        Sliced,
        "cloven.sliced",
        "sliced table",
        ("attributes.parquet", "cells.parquet"),
        lambda _release: None,
        _COUNTS | {"columns"},
        _count,
        tables_of,
        read_sliced,
        _written,
        may_list=True,
        parts="column-",
        of_sets=False,
        guide=sliced_guide,
    ),
)
