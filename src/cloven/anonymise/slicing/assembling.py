"""From groups of rows to a published table and its key, in canonical order.

Rows of a generalised table ascend by their cells. Inside a bucket the parts of each column ascend by their cells, and
the buckets ascend by their cells read row by row. Equal parts cannot be told apart by anybody but the owner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.anonymise.slicing.cells import Cells, node_cells, smallest_covers, value_cells
from cloven.errors import ParameterError
from cloven.model.key_table import PublishedTable, TableKey
from cloven.model.published_table import GeneralisedTable, Sliced
from cloven.model.table import MISSING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.model.table import Attribute, Table


def generalised(
    table: Table, class_of_row: NDArray[np.int64], *, k: int, parameters: Mapping[str, Any]
) -> PublishedTable:
    """Publish classes of rows: each shows the smallest cover of its quasi-identifiers.

    Args:
        table: the rows.
        class_of_row: class of each row, any numbers; -1 for rows that are not published.
        k: the promise.
        parameters: method and parameters, as plain JSON values.
    """
    check_complete(table)
    kept = _published_rows(class_of_row)
    order = kept[np.argsort(class_of_row[kept], kind="stable")]
    classes, starts = np.unique(class_of_row[order], return_index=True)
    offsets = np.append(starts, len(order)).astype(np.int64)
    class_number = np.repeat(np.arange(len(classes)), np.diff(offsets))
    shown: list[Cells] = []
    cells = np.empty((len(order), len(published_positions(table))), np.int32)
    for column, position in enumerate(published_positions(table)):
        attribute, codes = table.attributes[position], table.codes[order, position]
        if attribute.role == "sensitive":
            shown.append(value_cells(attribute, codes))
            cells[:, column] = shown[-1].of_group
        else:
            shown.append(smallest_covers(attribute, codes, offsets))
            cells[:, column] = shown[-1].of_group[class_number]
    rows = _ascending(cells, table.source_rows[order])
    release = GeneralisedTable(k, dict(parameters), tuple(found.domain for found in shown), cells[rows])
    records = table.source_rows[order][rows][:, None]
    return PublishedTable(release, TableKey(records, None, np.sort(table.source_rows[class_of_row < 0])))


def sliced(
    table: Table,
    bucket_of_row: NDArray[np.int64],
    columns: Sequence[Sequence[int]],
    *,
    k: int,
    parameters: Mapping[str, Any],
    codes: NDArray[np.int32] | None = None,
    nodes: NDArray[np.int32] | None = None,
    changed: NDArray[np.bool_] | None = None,
) -> PublishedTable:
    """Publish buckets of rows whose columns are sorted each for itself.

    Args:
        table: the rows.
        bucket_of_row: bucket of each row, any numbers; -1 for rows that are not published.
        columns: attributes (positions in the table) of each column; every published one stands in exactly one.
        k: the promise.
        parameters: method and parameters, as plain JSON values.
        codes: values to publish instead of the table's, where they were exchanged.
        nodes: rows x attributes: node of the taxonomy to publish instead of the value; -1 for the value.
        changed: rows x attributes: whether a value was exchanged.
    """
    check_complete(table)
    kept = _published_rows(bucket_of_row)
    published = published_positions(table)
    canonical = _canonical_columns(table, columns, published)
    values = table.codes if codes is None else codes
    shown = [
        _cells_of(table.attributes[position], values[kept, position], _column(nodes, kept, position))
        for position in published
    ]
    plain = np.column_stack([found.of_group for found in shown])
    bucket = np.unique(bucket_of_row[kept], return_inverse=True)[1]
    cells, parts = np.empty_like(plain), np.empty((len(kept), len(canonical)), np.int64)
    for number, column in enumerate(canonical):
        inside = plain[:, column]
        parts[:, number] = _ascending(np.column_stack([bucket, inside]), table.source_rows[kept])
        cells[:, column] = inside[parts[:, number]]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(bucket))]).astype(np.int64)
    order, offsets = _ordered_buckets(cells, offsets)
    cells, parts = cells[order], kept[parts[order]]
    release = Sliced(k, dict(parameters), tuple(found.domain for found in shown), canonical, offsets, cells)
    marks = None if changed is None else _marks(changed, parts, canonical, published)
    suppressed = np.sort(table.source_rows[bucket_of_row < 0])
    return PublishedTable(release, TableKey(table.source_rows[parts], marks, suppressed))


def published_positions(table: Table) -> list[int]:
    """Attributes that are published: all that are not ignored."""
    return [place for place, attribute in enumerate(table.attributes) if attribute.role != "ignored"]


def check_complete(table: Table) -> None:
    """Every row needs every value: a person with a missing value would stand apart from all others."""
    for position in published_positions(table):
        gone = int((table.codes[:, position] == MISSING).sum())
        if gone:
            message = (
                f"column {table.attributes[position].name!r} has no value in {gone:,} of {len(table):,} rows;"
                ' read it with missing = "drop" or "keep"'
            )
            raise ParameterError(message)


def _published_rows(group_of_row: NDArray[np.int64]) -> NDArray[np.int64]:
    kept = np.flatnonzero(group_of_row >= 0)
    if not len(kept):
        message = (
            f"none of {len(group_of_row):,} rows can be published; choose a smaller k or a weaker demand"
        )
        raise ParameterError(message)
    return kept


def _cells_of(attribute: Attribute, codes: NDArray[np.int32], nodes: NDArray[np.int32] | None) -> Cells:
    if nodes is None or attribute.tree is None:
        return value_cells(attribute, codes)
    return node_cells(attribute, np.where(nodes >= 0, nodes, codes).astype(np.int32))


def _column(
    nodes: NDArray[np.int32] | None, rows: NDArray[np.int64], position: int
) -> NDArray[np.int32] | None:
    return None if nodes is None else nodes[rows, position]


def _canonical_columns(
    table: Table, columns: Sequence[Sequence[int]], published: list[int]
) -> tuple[tuple[int, ...], ...]:
    """Columns as positions in the release, ascending; every published attribute must stand in exactly one."""
    if sorted(position for column in columns for position in column) != published:
        named = [[table.attributes[position].name for position in column] for column in columns]
        message = f"every published attribute stands in exactly one column, got {named}"
        raise ParameterError(message)
    place = {position: number for number, position in enumerate(published)}
    return tuple(
        sorted(tuple(sorted(place[position] for position in column)) for column in columns if column)
    )


def _ascending(cells: NDArray[Any], source: NDArray[np.int64]) -> NDArray[np.int64]:
    """Order of rows by their cells from left to right; equal rows by their source."""
    return np.lexsort((source, *cells.T[::-1]))


def _ordered_buckets(
    cells: NDArray[np.int32], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Order of rows that makes buckets ascend by their cells row by row, and where buckets then start."""
    plain = cells.astype(">i4")
    edges = offsets.tolist()
    order = sorted(
        range(len(edges) - 1), key=lambda bucket: plain[edges[bucket] : edges[bucket + 1]].tobytes()
    )
    rows = [np.arange(edges[bucket], edges[bucket + 1]) for bucket in order]
    sizes = np.diff(offsets)[order]
    return np.concatenate(rows), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _marks(
    changed: NDArray[np.bool_],
    parts: NDArray[np.int64],
    columns: tuple[tuple[int, ...], ...],
    published: list[int],
) -> NDArray[np.bool_]:
    """Marks of exchanged values, in the order of the release."""
    marks = np.zeros((len(parts), len(published)), np.bool_)
    for number, column in enumerate(columns):
        for attribute in column:
            marks[:, attribute] = changed[parts[:, number], published[attribute]]
    return marks
