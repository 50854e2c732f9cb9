"""Likely counts of a release in parts: what ``counts`` expects of the whole, summed up over parts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.disassociated.counts import Expected, Shown, expected
from cloven.kinds.disassociated.likely import Tails, spread
from cloven.kinds.disassociated.parts.folder import answer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.compiled import Floats, Longs
    from cloven.kinds.disassociated.parts.folder import Arrays, Part, PartsFolder, Totals


def likely(folder: PartsFolder, sets: Longs) -> tuple[Longs, Longs, Longs]:
    """Of sets of items of the same size, by code, one in each row: the likely count, and the ends of its interval."""
    exact, apart, left = _sums(folder, sets)
    totals = folder.totals
    records = max(1.0, float(totals.records))
    visible = records * np.prod(totals.held[sets] / records, axis=1)
    none = np.zeros(len(sets))
    found = Expected(exact, apart, left, visible, none, none)
    return spread(found, Tails.of(folder.manifest["parameters"], sets.shape[1]))


def _sums(folder: PartsFolder, sets: Longs) -> Floats:
    found = np.zeros((3, len(sets)))
    for told in folder.ask(summed, {"sets": sets}):
        found += told["found"]
    return found


def summed(asked: str) -> str:
    """Have a group of parts answer."""
    return answer(asked, _summed)


def _summed(parts: Iterable[Part], question: Arrays) -> dict[str, NDArray[Any]]:
    sets = question["sets"]
    total = np.zeros((3, len(sets)))
    for part in parts:
        here = expected(_in_the_whole(Shown.of(part.release), part.totals), sets)
        total += np.array([here.exact, here.apart, here.left])
    return {"found": total}


def _in_the_whole(shown: Shown, totals: Totals) -> Shown:
    """What a part shows, with the shares that items have elsewhere."""
    loose = totals.copies + totals.named
    return replace(
        shown,
        rate=loose / np.maximum(totals.records - totals.shown, 1),
        supply=np.where(totals.named > 0, float(totals.records), loose),
    )
