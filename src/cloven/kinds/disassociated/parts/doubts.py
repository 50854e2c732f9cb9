"""What speaks against publishing data of any size, whatever attackers reach (``kinds/doubts``)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import among, lots, offsets_of, positions
from cloven.kinds.disassociated.words import WITHHOLD
from cloven.kinds.doubts import (
    Identifiers,
    doubts_of,
    holding_single,
    of_persons,
    surprising_looks,
    written_like,
)
from cloven.kinds.person_items import NEARLY_ALL, families, holding_one, is_plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.disclosure.audience import Said
    from cloven.kinds.disassociated.methods.disassociation import Disassociation
    from cloven.kinds.disassociated.parts.people import Large

MOST_LOOKS = 1 << 20
"""Records that are compared with each other; of more, some are drawn, in two ways."""
BY_CONTENT, BY_LOT = 0, 1


def doubts(large: Large, method: Disassociation) -> tuple[Said, ...]:
    """All doubts about publishing this."""
    unnamed = "" if method.rare_items == "withhold" else WITHHOLD
    named = _identifiers(large, method.k) if unnamed else None
    found = doubts_of(large.records, method.k, method.m, named, unnamed, _repeated(large))
    return (*found, *of_persons(_person_items(large)))


def _person_items(large: Large) -> tuple[str, ...]:
    """Items that name persons; of data of any size only where there are very many, of few records each."""
    for family in families(large.names, large.held):
        if is_plain(family, large.held):
            once = sum(int(told[0]) for told in large.over(partial(_once, family), sums=True))
            if once >= NEARLY_ALL * large.records:
                return tuple(large.names[code] for code in family.tolist())
    return ()


def _once(family: Longs, _records: Longs, offsets: Longs, codes: NDArray[Any]) -> Longs:
    return np.array([holding_one(family, offsets, codes)], np.int64)


def _repeated(large: Large) -> float:
    """Share of the records that equal another one; of very many, an estimate.

    What comes a few times is drawn by its content, so that all of it is drawn or nothing. What comes very often would
    hardly ever be drawn so: that is drawn by lot, and seen twice for sure.
    """
    step = -(-large.records // MOST_LOOKS)
    pieces = large.over(partial(_looks, large.held, large.records, step))
    look, times, way = np.concatenate([np.empty((0, 3), np.int64), *pieces]).T
    often, many = _several(look[way == BY_LOT], times[way == BY_LOT])
    few = (way == BY_CONTENT) & ~among(look, often)
    return min(1.0, step * (many + _several(look[few], times[few])[1]) / large.records)


def _several(look: Longs, times: Longs) -> tuple[Longs, int]:
    """What comes more than once, and how often that comes in all."""
    found, at = np.unique(look, return_inverse=True)
    total = np.bincount(at, times, len(found)).astype(np.int64)
    return found[total > 1], int(total[total > 1].sum())


def _looks(
    held: Longs, records: int, step: int, numbers: Longs, offsets: Longs, codes: NDArray[Any]
) -> NDArray[np.int64]:
    """What is drawn from a piece: what records look like, how often each look comes, and how it was drawn."""
    looks = surprising_looks(held, records, offsets, codes)
    drawn = [(looks[looks % step == 0], BY_CONTENT)]
    if step > 1:
        at = np.flatnonzero(lots(numbers, 1) < 1 / step)
        lengths = np.diff(offsets)[at]
        some = offsets_of(lengths), codes[positions(offsets[at], lengths)]
        drawn.append((surprising_looks(held, records, *some), BY_LOT))
    out = []
    for found, way in drawn:
        look, times = np.unique(found, return_counts=True)
        out.append(np.column_stack((look, times, np.full(len(look), way))))
    return np.concatenate(out).astype(np.int64)


def _identifiers(large: Large, k: int) -> Identifiers:
    alone = sum(int(told[0]) for told in large.over(partial(_alone, large.held), sums=True))
    return Identifiers(alone / large.records, written_like(large.names, large.held, k))


def _alone(held: Longs, _records: Longs, offsets: Longs, codes: NDArray[Any]) -> Longs:
    return np.array([holding_single(held, offsets, codes).sum()], np.int64)
