"""What speaks against publishing data of any size, whatever attackers reach (``kinds/doubts``)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.disassociated.words import WITHHOLD
from cloven.kinds.doubts import (
    Identifiers,
    doubts_of,
    holding_single,
    repeated_share,
    surprising_looks,
    written_like,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.disclosure.audience import Said
    from cloven.kinds.disassociated.methods.disassociation import Disassociation
    from cloven.kinds.disassociated.parts.people import Large

MOST_LOOKS = 1 << 22
"""Records that are compared with each other; of more, those whose content has a number that lots would draw."""


def doubts(large: Large, method: Disassociation) -> tuple[Said, ...]:
    """All doubts about publishing this."""
    unnamed = "" if method.rare_items == "withhold" else WITHHOLD
    named = _identifiers(large, method.k) if unnamed else None
    return doubts_of(large.records, method.k, method.m, named, unnamed, _repeated(large))


def _repeated(large: Large) -> float:
    # Equal records have equal numbers, so that all of them are drawn or none.
    step = -(-large.records // MOST_LOOKS)
    found = list(large.over(partial(_looks, large.held, large.records, step)))
    return step * repeated_share(np.concatenate([np.empty(0, np.int64), *found]), large.records)


def _looks(held: Longs, records: int, step: int, offsets: Longs, codes: NDArray[Any]) -> Longs:
    looks = surprising_looks(held, records, offsets, codes)
    drawn: Longs = looks[looks % step == 0]
    return drawn


def _identifiers(large: Large, k: int) -> Identifiers:
    alone = sum(int(told[0]) for told in large.over(partial(_alone, large.held)))
    return Identifiers(alone / large.records, written_like(large.names, large.held, k))


def _alone(held: Longs, offsets: Longs, codes: NDArray[Any]) -> Longs:
    return np.array([holding_single(held, offsets, codes).sum()], np.int64)
