"""How many records hold all of some items, as far as a set-generalised release tells.

A block of one item says that a record holds it, a larger one that it holds at least one of its items. So records with
all the blocks are the most that can hold the items; they do for certain where each item is a block alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.data.arrays import counted
from cloven.kinds.counts import POSSIBLE, Count, asked_items, codes_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cloven.kinds.generalised.release import SetGeneralised


def asked(words: list[str]) -> list[str]:
    """What words of a command line ask for: items."""
    return words


def count(release: SetGeneralised, items: Iterable[str]) -> Count:
    """How many records hold all of these items; likely is that each item of a block has its even share."""
    names = asked_items(items)
    codes = codes_of(release.vocabulary, names)
    blocks, wanted = counted(release.block_of_item[codes])
    held = np.isin(release.row_blocks, blocks)
    full = np.bincount(release.row_of_entry[held], minlength=release.records) == len(blocks)
    at_most = int(np.count_nonzero(full))
    alone = bool((release.block_sizes[blocks] == 1).all())
    share = float(np.prod((1 / release.block_sizes[blocks]) ** wanted))
    certain = at_most if alone else 0
    return Count(tuple(names), certain, round(at_most * share), certain, at_most, at_most, POSSIBLE)
