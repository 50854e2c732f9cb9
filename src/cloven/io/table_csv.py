"""Published tables for eyes, spreadsheets and dataframes; not meant to be read back as releases.

A generalised table is shown row by row. A sliced one is shown part by part: a line holds one part of one column, and
the cells of all other columns are empty. Lines with whole rows would look like persons, whom nobody can tell from it.
"""

from __future__ import annotations

import csv
import io
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.io.atomic import staged, write_bytes
from cloven.io.release_csv import escape_formula
from cloven.model.published_table import Sliced
from cloven.model.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from cloven.model.published_table import GeneralisedTable

_NUMBER = frozenset("0123456789.-+eE")  # also both ends of a range: no spreadsheet runs anything for these


def to_frame(table: GeneralisedTable | Sliced | Table) -> pa.Table:
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


def write_table_csv(table: GeneralisedTable | Sliced | Table, path: Path) -> None:
    """Write what ``to_frame`` gives; all of it or no file."""
    with staged(Path(path)) as (place,):
        write_bytes(place, table_csv_bytes(table))


def table_csv_bytes(table: GeneralisedTable | Sliced | Table) -> bytes:
    """Content of the file that ``write_table_csv`` writes."""
    names, columns = _columns(table)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([escape_formula(name) for name in names])
    writer.writerows(
        zip(*(column.tolist() if isinstance(column, np.ndarray) else _safe(column) for column in columns),
            strict=True)
    )  # fmt: skip
    return text.getvalue().encode("utf-8", "backslashreplace")


def _safe(cells: Sequence[str | None]) -> Iterator[str]:
    """Text that a spreadsheet shows as it is; negative numbers stay numbers."""
    seen = {cell: cell if set(cell or "") <= _NUMBER else escape_formula(str(cell)) for cell in set(cells)}
    return (seen[cell] or "" for cell in cells)


def _columns(table: GeneralisedTable | Sliced | Table) -> tuple[Sequence[str], Sequence[Any]]:
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
