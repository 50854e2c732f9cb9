"""What a sliced table tells about everybody: p(t, s) of Li, Li, Zhang and Molloy (IEEE TKDE 24(3), 2012, section 3).

A bucket B matches a person t if it shows t's part in every column, sensitive values apart. With ``f(t, B)`` the product
over the columns of the share of B's rows that show t's part,

    p(t, B) = f(t, B) / sum over B' of f(t, B')
    p(t, s) = sum over B of p(t, B) * (share of s among the parts of B's sensitive column that are t's otherwise).

A table is l-diverse if no p(t, s) exceeds 1/l. Slicing keeps track of this while buckets are split; here it is computed
once, from the formula, for buckets that are already there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.kinds.tables.methods.slicing_kernel import coded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.data.table import Table
    from cloven.kinds.tables.methods.columns import Column, Together


def sensitive_chances(
    table: Table,
    bucket_of_row: NDArray[np.int64],
    columns: Sequence[Column],
    together: Together = "separately",
) -> NDArray[np.float64]:
    """p(t, s) for the person of every row: rows x values of all sensitive attributes that occur, in their order.

    Args:
        table: the rows, as they are published.
        bucket_of_row: bucket of each row, numbered from 0 without gaps.
        columns: attributes (positions in the table) of each column.
        together: whether the values of several sensitive attributes count as one.
    """
    data = coded(table, columns, together)
    signatures = len(data.part_of_signature)
    weight = np.zeros(signatures)
    found = np.zeros((signatures, int(data.value_offsets[-1])))
    order = np.argsort(bucket_of_row, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(bucket_of_row))[:-1]):
        shown = data.part_of_signature[data.signature_of_row[rows]]
        parts = np.bincount(shown.ravel(), minlength=len(data.beside))
        share = (parts[data.part_of_signature] / len(rows)).prod(axis=1)
        there = np.flatnonzero(share)
        weight[there] += share[there]
        for number, column in enumerate(data.sensitive_column.tolist()):
            held = np.zeros((len(data.beside), found.shape[1]))
            np.add.at(held, (shown[:, column], data.sensitive[rows, number]), 1)
            mine = data.part_of_signature[there, column]
            found[there] += share[there, None] * held[mine] / parts[mine, None]
    chances: NDArray[np.float64] = (found / weight[:, None])[data.signature_of_row]
    return chances
