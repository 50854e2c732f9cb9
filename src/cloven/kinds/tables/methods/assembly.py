"""From groups of rows to a published table and its key, in canonical order.

Rows of a generalised table ascend by their cells. Inside a bucket the parts of each column ascend by their cells, and
the buckets ascend by their cells read row by row. Equal parts cannot be told apart by anybody but the owner.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import counted_up
from cloven.data.table import MISSING
from cloven.errors import ParameterError
from cloven.kinds.tables.key import PublishedTable, TableKey
from cloven.kinds.tables.release import CellDomain, GeneralisedTable, Sliced

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.data.schema import Blocks
    from cloven.data.table import Attribute, Table, ValueTree


def generalised(
    table: Table, class_of_row: Longs, *, k: int, parameters: Mapping[str, Any]
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


def published_rows(
    table: Table,
    members: Sequence[Sequence[NDArray[np.int32]]],
    cells: NDArray[np.int32],
    source: Longs,
    *,
    k: int,
    parameters: Mapping[str, Any],
) -> PublishedTable:
    """Publish rows whose cells are decided, each called by what it holds.

    Args:
        table: everybody there is.
        members: values of the cells of each attribute of the table, ascending; two cells may hold the same.
        cells: rows x attributes: which of them each row shows.
        source: source position of the person behind each row; -1 for nobody's.
        k: the promise.
        parameters: method and parameters, as plain JSON values.
    """
    shown = []
    for column, attribute in enumerate(table.attributes):
        held = {codes.tobytes(): codes for codes in members[column]}
        number = {content: place for place, content in enumerate(held)}
        of_cell = np.array([number[codes.tobytes()] for codes in members[column]], np.int64)
        labels = [_content_label(attribute, codes) for codes in held.values()]
        shown.append(_numbered(attribute, list(held.values()), labels, of_cell[cells[:, column]]))
    placed = np.column_stack([found.of_group for found in shown])
    rows = _ascending(placed, source)
    release = GeneralisedTable(k, dict(parameters), tuple(found.domain for found in shown), placed[rows])
    suppressed = np.setdiff1d(table.source_rows, source)
    return PublishedTable(release, TableKey(source[rows][:, None], None, suppressed))


def _content_label(attribute: Attribute, members: NDArray[np.int32]) -> str:
    return set_label(attribute, members) if attribute.numbers is None else _number_label(attribute, members)


def sliced(
    table: Table,
    bucket_of_row: Longs,
    columns: Sequence[Sequence[int]],
    *,
    k: int,
    parameters: Mapping[str, Any],
    codes: NDArray[np.int32] | None = None,
    nodes: NDArray[np.int32] | None = None,
    changed: Flags | None = None,
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


def _published_rows(group_of_row: Longs) -> Longs:
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


def _column(nodes: NDArray[np.int32] | None, rows: Longs, position: int) -> NDArray[np.int32] | None:
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


def _ascending(cells: NDArray[Any], source: Longs) -> Longs:
    """Order of rows by their cells from left to right; equal rows by their source."""
    return np.lexsort((source, *cells.T[::-1]))


def _ordered_buckets(cells: NDArray[np.int32], offsets: Longs) -> tuple[Longs, Longs]:
    """Order of rows that makes buckets ascend by their cells row by row, and where buckets then start."""
    plain = cells.astype(">i4")
    edges = offsets.tolist()
    order = sorted(
        range(len(edges) - 1), key=lambda bucket: plain[edges[bucket] : edges[bucket + 1]].tobytes()
    )
    rows = [np.arange(edges[bucket], edges[bucket + 1]) for bucket in order]
    sizes = np.diff(offsets)[order]
    return np.concatenate(rows), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _marks(changed: Flags, parts: Longs, columns: tuple[tuple[int, ...], ...], published: list[int]) -> Flags:
    """Marks of exchanged values, in the order of the release."""
    marks = np.zeros((len(parts), len(published)), np.bool_)
    for number, column in enumerate(columns):
        for attribute in column:
            marks[:, attribute] = changed[parts[:, number], published[attribute]]
    return marks


# Cells: the smallest published cover of a group of values.
#
# Values with a taxonomy are covered by their lowest common ancestor, other numbers by a range, other values by their
# set. A range ends where its numbers end, or where their blocks do if the owner stated blocks. Cells of one attribute
# are numbered by what they hold, so the numbers say nothing about the rows.


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of one attribute, and which of them each group shows.

    Attributes:
        domain: the distinct cells in canonical order.
        of_group: cell of each group.
    """

    domain: CellDomain
    of_group: NDArray[np.int32]


def smallest_covers(attribute: Attribute, codes: NDArray[np.int32], offsets: Longs) -> Cells:
    """Smallest cover of each group of values; group g holds ``codes[offsets[g]:offsets[g + 1]]`` and is not empty."""
    if attribute.tree is not None:
        return node_cells(attribute, common_ancestors(attribute.tree, codes, offsets))
    if attribute.numbers is not None:
        first, last = _block_ends(attribute.numbers, attribute.blocks)
        low = first[np.minimum.reduceat(codes, offsets[:-1])]
        high = last[np.maximum.reduceat(codes, offsets[:-1])]
        width = len(attribute)
        pairs, of_group = np.unique(low.astype(np.int64) * width + high, return_inverse=True)
        lows, highs = pairs // width, pairs % width
        return Cells(_range_cells(attribute, lows, highs), of_group.astype(np.int32))
    width = len(attribute)
    group = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    pairs = np.unique(group * width + codes)
    held = (pairs % width).astype(np.int32)
    edges = np.searchsorted(pairs, np.arange(len(offsets)) * width).tolist()
    found: dict[bytes, int] = {}
    numbers = [found.setdefault(held[start:end].tobytes(), len(found)) for start, end in pairwise(edges)]
    of_group = np.array(numbers, np.int64)
    members = [np.frombuffer(content, np.int32) for content in found]
    return _numbered(attribute, members, [set_label(attribute, m) for m in members], of_group)


def _block_ends(numbers: Floats, blocks: Blocks | None) -> tuple[Longs, Longs]:
    """First and last value of the block that each value is in."""
    if blocks is None:
        return np.arange(len(numbers)), np.arange(len(numbers))
    block = blocks.of(numbers)
    return np.searchsorted(numbers, blocks.lows[block]), np.searchsorted(numbers, blocks.highs[block])


def node_cells(attribute: Attribute, nodes: NDArray[np.int32]) -> Cells:
    """The cells that nodes of the taxonomy make; a node that covers no more than one below it counts as that one."""
    tree = attribute.tree
    if tree is None:
        return value_cells(attribute, nodes)
    shown, of_group = np.unique(lowest_equal(tree)[nodes], return_inverse=True)
    members = members_of(tree, shown.tolist())
    if attribute.numbers is None:
        labels = [tree.labels[node] for node in shown.tolist()]
    else:  # numbers are called by what they hold: nobody needs the taxonomy to read or to check them
        labels = [_number_label(attribute, held) for held in members]
    return _numbered(attribute, members, labels, of_group)


def value_cells(attribute: Attribute, codes: NDArray[np.int32]) -> Cells:
    """Cells of one value each."""
    shown, of_group = np.unique(codes, return_inverse=True)
    members = [np.array([code], np.int32) for code in shown.tolist()]
    return _numbered(attribute, members, [attribute.values[code] for code in shown.tolist()], of_group)


def _numbered(
    attribute: Attribute, members: list[NDArray[np.int32]], labels: list[str], of_group: Longs
) -> Cells:
    """Cells in canonical order: by their members, value after value."""
    order = sorted(range(len(members)), key=lambda cell: members[cell].astype(">i4").tobytes())
    position = np.empty(len(members), np.int32)
    position[order] = np.arange(len(members), dtype=np.int32)
    lengths = [len(members[cell]) for cell in order]
    domain = CellDomain(
        name=attribute.name,
        sensitive=attribute.role == "sensitive",
        values=attribute.values,
        numbers=attribute.numbers,
        labels=tuple(labels[cell] for cell in order),
        member_offsets=np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64),
        members=np.concatenate([members[cell] for cell in order] or [np.empty(0, np.int32)]),
    )
    return Cells(domain, position[of_group])


def range_label(attribute: Attribute, members: NDArray[np.int32]) -> str:
    """A range as published: ``20..29``, or the one value it holds."""
    low, high = attribute.values[members[0]], attribute.values[members[-1]]
    return low if len(members) == 1 else f"{low}..{high}"


def _range_cells(attribute: Attribute, lows: Longs, highs: Longs) -> CellDomain:
    """Ranges by their first and last value, ascending, which is their canonical order."""
    values = attribute.values
    offsets, members = counted_up(lows, highs)
    return CellDomain(
        name=attribute.name,
        sensitive=attribute.role == "sensitive",
        values=values,
        numbers=attribute.numbers,
        labels=tuple(
            values[low] if low == high else f"{values[low]}..{values[high]}"
            for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
        ),
        member_offsets=offsets,
        members=members,
    )


def _number_label(attribute: Attribute, members: NDArray[np.int32]) -> str:
    gaps = members[-1] - members[0] != len(members) - 1
    return set_label(attribute, members) if gaps else range_label(attribute, members)


def set_label(attribute: Attribute, members: NDArray[np.int32]) -> str:
    """A set of values as published: ``{Flu, Gout}``, or the one value it holds."""
    names = [attribute.values[code] for code in members.tolist()]
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"


def members_of(tree: ValueTree, nodes: Iterable[int]) -> list[NDArray[np.int32]]:
    """The values below each of some nodes, ascending."""
    wanted: dict[int, list[int]] = {node: [] for node in nodes}
    for leaf in range(tree.leaves):
        for node in tree.path(leaf):
            if node in wanted:
                wanted[node].append(leaf)
    return [np.array(leaves, np.int32) for leaves in wanted.values()]


def lowest_equal(tree: ValueTree) -> NDArray[np.int32]:
    """For each node the lowest one that covers the same values."""
    lowest = np.arange(len(tree.labels), dtype=np.int32)
    for leaf in range(tree.leaves):
        path = tree.path(leaf)
        for below, above in pairwise(path):
            if tree.sizes[below] == tree.sizes[above]:
                lowest[above] = lowest[below]
    return lowest


def common_ancestors(tree: ValueTree, codes: NDArray[np.int32], offsets: Longs) -> NDArray[np.int32]:
    """Lowest common ancestor of each group of values.

    With the leaves in the order of a walk through the tree, the ancestor of a group is that of its first and last.
    """
    order, nodes = walk(tree)
    placed = order[codes]
    first, last = (nodes[end.reduceat(placed, offsets[:-1])] for end in (np.minimum, np.maximum))
    # A leaf stands only on its own path, so equal prefixes end at the latest there.
    shared = np.minimum.accumulate(first == last, axis=1) & (first >= 0)
    deepest: NDArray[np.int32] = first[np.arange(len(first)), shared.sum(axis=1) - 1]
    return deepest


def walk(tree: ValueTree, *, by_value: bool = False) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Place of each value in a walk through a tree; by place the nodes from the root down to it, -1 beyond.

    Branches stand in the order of their nodes, or by their first value: groups of numbers then ascend.
    """
    paths = [tree.path(leaf)[::-1] for leaf in range(tree.leaves)]
    keys: list[tuple[object, ...]] = list(paths)
    if by_value:
        first: dict[int, int] = {}
        for leaf, path in enumerate(paths):
            for node in path:
                first.setdefault(node, leaf)
        keys = [tuple((first[node], node) for node in path) for path in paths]
    met = sorted(range(tree.leaves), key=keys.__getitem__)
    nodes = np.full((tree.leaves, max(map(len, paths))), -1, np.int32)
    order = np.empty(tree.leaves, np.int32)
    for place, leaf in enumerate(met):
        nodes[place, : len(paths[leaf])] = paths[leaf]
        order[leaf] = place
    return order, nodes
