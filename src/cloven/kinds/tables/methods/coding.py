"""A table as the numbers that its partition into buckets is made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.data.table import Attribute, Table
    from cloven.kinds.tables.methods.columns import Column, Together


class Coded(NamedTuple):
    """What the kernel of slicing works on.

    A *part* is what a row shows in one column without its sensitive values. A *signature* is a distinct row of parts:
    all that tells one person from another.

    Attributes:
        signature_of_row: signature of each row.
        part_of_signature: signatures x columns: its parts, numbered through all columns.
        beside: for each part of a sensitive column a number from 0; -1 for other parts.
        sensitive: rows x sensitive attributes: values, numbered through all of them.
        sensitive_column: column of each sensitive attribute.
        value_offsets: where the values of each sensitive attribute start.
    """

    signature_of_row: NDArray[np.int32]
    part_of_signature: NDArray[np.int32]
    beside: NDArray[np.int32]
    sensitive: NDArray[np.int32]
    sensitive_column: NDArray[np.int32]
    value_offsets: NDArray[np.int32]


class Axes(NamedTuple):
    """Quasi-identifiers as axes that buckets are split along.

    Attributes:
        rank: attributes x rows: place of each value among those that occur.
        coordinate: where each place lies between 0 and 1, attribute after attribute.
        offsets: where the places of each attribute start.
        stratum: for each row a number for its sensitive values and what stands beside them.
        nowhere: an axis on which all rows are at the same place.
    """

    rank: NDArray[np.int32]
    coordinate: NDArray[np.float64]
    offsets: NDArray[np.int64]
    stratum: NDArray[np.int64]
    nowhere: NDArray[np.int32]


def numbered(columns: Sequence[NDArray[np.int32]], rows: int) -> NDArray[np.int64]:
    """One number for each distinct row of some columns of codes, ascending with the rows."""
    found = np.zeros(rows, np.int64)
    for column in columns:
        found = np.unique(found * (int(column.max()) + 1) + column, return_inverse=True)[1]
    return found


def coded(table: Table, columns: Sequence[Column], together: Together) -> Coded:
    """Parts, signatures and sensitive values of a table that is cut into columns."""
    secret = set(table.positions("sensitive"))
    parts, beside = [], []
    for column in columns:
        known = [table.codes[:, place] for place in column if place not in secret]
        parts.append(numbered(known, len(table)).astype(np.int32))
        size = int(parts[-1].max()) + 1
        beside.append(np.arange(size) if secret & set(column) else np.full(size, -1))
    starts = np.cumsum([0] + [len(found) for found in beside[:-1]])
    counts = np.cumsum([0] + [int(found.max()) + 1 for found in beside[:-1]])
    signature = numbered(parts, len(table))
    first = np.unique(signature, return_index=True)[1]
    values, of_column = _sensitive(table, columns, together)
    sizes = [int(found.max()) + 1 for found in values]
    offsets = np.cumsum([0, *sizes]).astype(np.int32)
    return Coded(
        signature.astype(np.int32),
        (np.column_stack(parts)[first] + starts).astype(np.int32),
        np.concatenate([np.where(b >= 0, b + c, -1) for b, c in zip(beside, counts, strict=True)]).astype(
            np.int32
        ),
        (np.column_stack(values) + offsets[:-1]).astype(np.int32),
        np.array(of_column, np.int32),
        offsets,
    )


def _sensitive(
    table: Table, columns: Sequence[Column], together: Together
) -> tuple[list[NDArray[np.int64]], list[int]]:
    """Values and column of each sensitive attribute; all of them as one if they are taken jointly."""
    secret = table.positions("sensitive")
    column_of = {place: number for number, column in enumerate(columns) for place in column}
    groups = [secret] if together == "jointly" else [(place,) for place in secret]
    values = [numbered([table.codes[:, place] for place in group], len(table)) for group in groups]
    return values, [column_of[group[0]] for group in groups]


def axes(table: Table, strata: Column) -> Axes:
    """Quasi-identifiers as axes: numbers by size, values of a taxonomy as a walk through it meets them.

    Args:
        table: the rows.
        strata: attributes whose equal values make a stratum.
    """
    ranks, coordinates = [], []
    for place in table.positions("quasi-identifier"):
        attribute, codes = table.attributes[place], table.codes[:, place]
        walk = walk_order(attribute)
        there, rank = np.unique(walk[codes], return_inverse=True)
        ranks.append(rank.astype(np.int32))
        coordinates.append(_spread(attribute, np.argsort(walk)[there], len(there)))
    offsets = np.cumsum([0] + [len(found) for found in coordinates]).astype(np.int64)
    stratum = numbered([table.codes[:, place] for place in strata], len(table))
    return Axes(
        np.array(ranks, np.int32),
        np.concatenate(coordinates),
        offsets,
        stratum,
        np.zeros(len(table), np.int32),
    )


def walk_order(attribute: Attribute) -> NDArray[np.int64]:
    """Place of each value when related ones stand side by side."""
    tree = attribute.tree
    if attribute.numbers is not None or tree is None:
        return np.arange(len(attribute))
    paths = [tree.path(leaf)[::-1] for leaf in range(tree.leaves)]
    order = sorted(range(tree.leaves), key=paths.__getitem__)
    return np.argsort(order)


def _spread(attribute: Attribute, values: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """Where values lie between the first and the last of them."""
    raw = np.arange(count, dtype=np.float64) if attribute.numbers is None else attribute.numbers[values]
    width = raw[-1] - raw[0]
    return np.asarray((raw - raw[0]) / width if width else np.zeros(count))


# Numbers in bins, for whatever counts values: a number is too fine to be counted as it stands.
#
# Equal width is what slicing takes (Li, Li, Zhang, Molloy, IEEE TKDE 24(3), 2012, section 4.1); equal frequency suits
# skewed numbers.


BinsBy = Literal["width", "frequency"]


def value_bins(
    attribute: Attribute, codes: NDArray[np.int32], bins: int, by: BinsBy = "width"
) -> NDArray[np.int64]:
    """Bin of each value of an attribute; numbers with more than ``bins`` values share bins, others keep their own.

    Args:
        attribute: whose domain it is.
        codes: the rows; bins span the values that they hold.
        bins: number of bins.
        by: bins of equal ``width``, or of about equal ``frequency``.
    """
    counts = np.bincount(codes, minlength=len(attribute))
    if attribute.numbers is None or np.count_nonzero(counts) <= bins:
        return np.arange(len(attribute), dtype=np.int64)
    if by == "width":
        there = attribute.numbers[counts > 0]
        edges = np.linspace(there[0], there[-1], bins + 1)[1:-1]
        return np.searchsorted(edges, attribute.numbers, side="right").astype(np.int64)
    # A value goes where its middle row goes, so equal numbers are never parted.
    middle = np.cumsum(counts) - counts / 2
    place: NDArray[np.int64] = np.minimum((middle * bins / counts.sum()).astype(np.int64), bins - 1)
    return place


def binned(table: Table, bins: int, by: BinsBy = "width") -> NDArray[np.int32]:
    """Codes of a table with numbers in bins: rows x attributes, numbered without gaps by what occurs."""
    out = np.empty(table.codes.shape, np.int32)
    for position, attribute in enumerate(table.attributes):
        codes = table.codes[:, position]
        if attribute.role != "ignored":
            coarse = value_bins(attribute, codes, bins, by)[codes]
            out[:, position] = np.unique(coarse, return_inverse=True)[1]
    return out
