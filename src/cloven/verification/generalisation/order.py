"""Canonical order of a set-generalised release: everything published is a function of content alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.verification.compare import compare_neighbours
from cloven.verification.faults import Fault, conclude, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.set_generalised import SetGeneralised
    from cloven.verification.verdict import Check


def check_block_order(release: SetGeneralised) -> Check:
    """Items ascend inside a block, and blocks ascend by their items."""
    faults = _ascending("block", release.block_offsets, release.block_items)
    return conclude("order of blocks", "release", release.blocks, faults, f"{release.blocks:,} blocks ascend")


def check_row_order(release: SetGeneralised) -> Check:
    """Blocks ascend inside a row, and rows ascend by their blocks; equal rows stand side by side."""
    faults = _ascending("row", release.row_offsets, release.row_blocks)
    return conclude("order of rows", "release", release.records, faults, f"{release.records:,} rows ascend")


def _ascending(thing: str, offsets: NDArray[np.int64], values: NDArray[np.int32]) -> list[Fault]:
    lists = len(offsets) - 1
    owner = np.repeat(np.arange(lists), np.diff(offsets))
    inside = (owner[1:] == owner[:-1]) & (values[1:] <= values[:-1])
    between = compare_neighbours(offsets, values.astype(np.int64), np.arange(max(0, lists - 1))) > 0
    return [
        spot(inside, lambda at: f"{thing} {owner[at]}: {values[at + 1]} stands after {values[at]}"),
        spot(between, lambda at: f"{thing} {at + 1} should come before {thing} {at}"),
    ]
