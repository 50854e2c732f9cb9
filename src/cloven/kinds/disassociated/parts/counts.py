"""Likely counts of a release in parts: what ``counts`` expects of the whole, summed up over parts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.disassociated.counts import Expected, Shown, all_records, summed_up, sums
from cloven.kinds.disassociated.likely import Tails, spread
from cloven.kinds.disassociated.parts.folder import answer
from cloven.kinds.disassociated.parts.known_items import looked_up

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.compiled import Floats, Longs
    from cloven.kinds.disassociated.parts.folder import Arrays, Part, PartsFolder, Totals


def likely(folder: PartsFolder, sets: Longs) -> tuple[Longs, Longs, Longs]:
    """Of sets of items of the same size, by code, one in each row: the likely count, and the ends of its interval."""
    parameters = folder.manifest["parameters"]
    room = all_records(parameters, folder.totals.records)
    return spread(told(folder, sets), Tails.of(parameters, sets.shape[1]), room=room)


def told(folder: PartsFolder, sets: Longs) -> Expected:
    """What ``counts.told`` says of the whole.

    Where clusters list items, what is certain may be one record more in some of them than is said here.
    """
    totals, way = folder.totals, folder.manifest["parameters"]["rare_items"]
    found = summed_up(_sums(folder, sets), sets, totals.held, _supply(totals), float(totals.records))
    most = _looked_up(folder, sets) if way == "cluster" else found.most
    if way == "withhold":
        most = most + (folder.manifest["k"] - 1) * (totals.copies[sets] == 0).sum(axis=1)
    return found._replace(most=np.minimum(most, totals.records))


def _looked_up(folder: PartsFolder, sets: Longs) -> Floats:
    """Records that can hold each set, where clusters say which items they list."""
    names = folder.totals.names
    found = looked_up(folder, [[tuple(names[code] for code in row) for row in sets.tolist()]])[0]
    return found.candidates.astype(np.float64)


def _sums(folder: PartsFolder, sets: Longs) -> tuple[Floats, ...]:
    """What ``sums`` adds up of the whole."""
    found, drawn = np.zeros((5, len(sets))), np.zeros(sets.shape)
    for answered in folder.ask(summed, {"sets": sets}):
        found += answered["found"]
        drawn += answered["drawn"]
    return (*found, drawn)


def summed(asked: str) -> str:
    """Have a group of parts answer."""
    return answer(asked, _summed)


def _summed(parts: Iterable[Part], question: Arrays) -> dict[str, NDArray[Any]]:
    sets = question["sets"]
    found, drawn = np.zeros((5, len(sets))), np.zeros(sets.shape)
    for part in parts:
        *here, needed = sums(_in_the_whole(Shown.of(part.release), part.totals), sets)
        found += np.array(here)
        drawn += needed
    return {"found": found, "drawn": drawn}


def _in_the_whole(shown: Shown, totals: Totals) -> Shown:
    """What a part shows, with the shares that items have elsewhere."""
    loose = totals.copies + totals.named
    return replace(shown, rate=loose / np.maximum(totals.records - totals.shown, 1), supply=_supply(totals))


def _supply(totals: Totals) -> Floats:
    """Records that can hold each item in clusters that do not show it."""
    return np.where(totals.named > 0, float(totals.records), totals.copies + totals.named)
