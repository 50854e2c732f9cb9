"""Rank swapping of the selected cells of one attribute; the loop is ``swap_kernel``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.anonymise.slicing.lots import shuffled
from cloven.anonymise.slicing.nonsense import meeting
from cloven.anonymise.slicing.rank_groups import rank_groups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.anonymise.slicing.lots import Lots
    from cloven.anonymise.slicing.nonsense import Meeting, Rules
    from cloven.anonymise.slicing.swap_kernel import Groups, Pool
    from cloven.model.table import Table
    from cloven.model.value_tree import ValueTree


def meetings(table: Table, coarse: NDArray[np.int32], attributes: list[int]) -> dict[int, Meeting]:
    """What meets each of some attributes in the original."""
    return {attribute: meeting(table, coarse, attribute) for attribute in attributes}


def swap_attribute(
    codes: NDArray[np.int32],
    coarse: NDArray[np.int32],
    class_of: NDArray[np.int64],
    selected: NDArray[np.bool_],
    tree: ValueTree,
    meets: Meeting,
    rules: Rules,
    lots: Lots,
) -> NDArray[np.bool_]:
    """Exchange the values of selected rows; changes ``codes`` and ``coarse``, gives which rows were exchanged.

    Args:
        codes: rows x attributes: the values now.
        coarse: the same with numbers in bins.
        class_of: class of each row; partners come from another one.
        selected: rows to exchange.
        tree: taxonomy of the attribute.
        meets: what meets the attribute in the original.
        rules: the owner's rules.
        lots: where random numbers come from.
    """
    from cloven.anonymise.slicing.swap_kernel import swap

    order = shuffled(np.flatnonzero(selected), lots)
    values = codes[:, meets.attribute].copy()
    groups = _groups(rank_groups(tree))
    pools = [_pool(np.flatnonzero(rows), values, tree.leaves, lots) for rows in (selected, ~selected)]
    return swap(codes, coarse, class_of, groups, order, lots(len(order)), pools[0], pools[1], meets, rules)


def _groups(group_of: NDArray[np.int32]) -> Groups:
    """Values by rank group, ascending."""
    from cloven.anonymise.slicing.swap_kernel import Groups

    order = np.argsort(group_of, kind="stable").astype(np.int64)
    held = group_of[order]
    return Groups(order, np.searchsorted(held, group_of, "left"), np.searchsorted(held, group_of, "right"))


def _pool(rows: NDArray[np.int64], values: NDArray[np.int32], domain: int, lots: Lots) -> Pool:
    """Rows by value, each value's in random order."""
    from cloven.anonymise.slicing.swap_kernel import Pool

    mixed = shuffled(rows, lots)
    ordered = mixed[np.argsort(values[mixed], kind="stable")]
    ends = np.cumsum(np.bincount(values[rows], minlength=domain)).astype(np.int64)
    place = np.full(len(values), -1, np.int64)
    place[ordered] = np.arange(len(ordered))
    return Pool(ordered, np.append(0, ends[:-1]), ends, place)
