"""The truth behind a set-generalised release, for its owner's eyes: joined to what was read without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.studio.inspection.truth import Holders

if TYPE_CHECKING:
    from cloven.kinds.generalised.key import GeneralisedKey
    from cloven.studio.inspection.generalised import OpenedRows, RowsView
    from cloven.studio.inspection.knowing import Knowing


def true_items(opened: OpenedRows, key: GeneralisedKey, view: RowsView) -> tuple[tuple[int, ...], ...]:
    """For each item of each block of a group: how many of its records really hold it."""
    first, last = opened.group(view.number)
    items = key.items[key.offsets[first] : key.offsets[last]]
    counts = np.bincount(items, minlength=len(opened.vocabulary))
    return tuple(tuple(int(counts[opened.code_of[item]]) for item in block.items) for block in view.blocks)


def holders_of_rows(
    opened: OpenedRows, key: GeneralisedKey, found: Knowing, number: int | None = None, most: int = 10
) -> Holders:
    """Hold what is told of somebody against the published records that hold the known items."""
    row = np.repeat(np.arange(opened.release.records), np.diff(key.offsets))

    def holding(item: str) -> set[int]:
        return set(row[key.items == opened.code_of[item]].tolist())

    who = set.intersection(*(holding(item) for item in found.known))
    here = None
    if number is not None:
        first, last = opened.group(number)
        here = sum(first <= each < last for each in who)
    claims = tuple(len(who & holding(claim.item)) for claim in found.claims)
    return Holders(tuple(key.records[sorted(who)[:most]].tolist()), len(who), here, claims)
