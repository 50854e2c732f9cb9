"""Who knows a few items of a person looks for the record in a release in parts (``kinds/known_items``).

Candidates of a cluster are its own; of what clusters draw from the root there are as many rows as it has. So a part
adds up its candidates by what is drawn from the root, and these sums are held against its rows in the end.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.known_sets import Known
from cloven.figures import many
from cloven.kinds.disassociated.evidence import evidence, total_below_root
from cloven.kinds.disassociated.parts.folder import answer
from cloven.kinds.disassociated.parts.people import long_records, rarity, records_with, supports
from cloven.kinds.known_items import Looked, known_items, known_sets, nothing_known, risk_of_looks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.disclosure.risk import Risk
    from cloven.kinds.disassociated.parts.folder import Arrays, Part, PartsFolder
    from cloven.kinds.disassociated.parts.people import Large
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.known_items import Names
    from cloven.threats import Threat


def tried(large: Large, folder: PartsFolder, tries: int, rng: np.random.Generator) -> tuple[Risk, ...]:
    """What knowing m items of a person leads to, and one more than the promise covers."""
    m, names = folder.manifest["m"], folder.totals.names
    sizes, there = {m: True, m + 1: False}, records_with(large, m + 1).tolist()
    people = {size: long_records(large, size, there[size], tries, rng) for size in sizes}
    asked = {
        size: known_sets(some, rarity(large, some), names, size, tries, rng) for size, some in people.items()
    }
    found = looked_up(folder, [sets for both in asked.values() for sets in both])
    looks = dict(zip(sizes, zip(found[::2], found[1::2], strict=True), strict=True))
    out = []
    for size, promised in sizes.items():
        threat = known_items(size, promised=promised)
        if asked[size][0]:
            out.append(_risk(large, folder, threat, size, promised, asked[size][0], looks[size]))
        else:
            out.append(nothing_known(threat, size, len(people[size]), there[size], counts=promised))
    return tuple(out)


def _risk(
    large: Large, folder: PartsFolder, threat: Threat, size: int, promised: bool, sets: list[Names],
    looks: tuple[Looked, Looked],
) -> Risk:  # fmt: skip
    place = {name: code for code, name in enumerate(large.names)}
    before = supports(large, np.array([[place[name] for name in items] for items in sets], np.int64))
    k, about = folder.manifest["k"], many(size, "item")
    return risk_of_looks(threat, *looks, before, folder.totals.records, k, about, promised=promised)


def looked_up(folder: PartsFolder, lists: list[list[Names]]) -> list[Looked]:
    """What lists of sets of published items leave in the release; a set that is there several times is asked once."""
    code_of = {name: code for code, name in enumerate(folder.totals.names)}
    named = [[tuple(sorted(code_of[item] for item in items)) for items in sets] for sets in lists]
    every = list(dict.fromkeys(chain.from_iterable(named)))
    if not every:
        return [Looked(np.empty(0, np.int64), np.empty(0)) for _ in lists]
    sets = Known.from_sets(every)
    candidates, expected, likeliest = _room(sets)
    for told in folder.ask(looked, {"offsets": sets.offsets, "codes": sets.codes}):
        candidates += told["candidates"]
        expected += told["expected"]
        np.maximum(likeliest, told["likeliest"], out=likeliest)
    copies, width = folder.totals.copies, np.diff(sets.offsets)
    total = [
        total_below_root(candidates[at, : 1 << int(width[at])], copies[sets.of_set(at)])
        for at in range(len(sets))
    ]
    # Fewer than one expected record does not make the person more likely to be there.
    picked = likeliest / np.maximum(1.0, expected)
    number = {codes: at for at, codes in enumerate(every)}
    at = [np.array([number[codes] for codes in some], np.int64) for some in named]
    return [Looked(np.array(total, np.int64)[each], picked[each]) for each in at]


def _room(sets: Known) -> tuple[Longs, Floats, Floats]:
    longest = int(np.diff(sets.offsets).max(initial=0))
    return np.zeros((len(sets), 1 << longest), np.int64), np.zeros(len(sets)), np.zeros(len(sets))


def looked(asked: str) -> str:
    """Have a group of parts look sets up."""
    return answer(asked, _looked, None, "codes")


def _looked(parts: Iterable[Part], question: Arrays) -> dict[str, NDArray[Any]]:
    sets = Known.from_arrays(question["offsets"], question["codes"])
    candidates, expected, likeliest = _room(sets)
    for part in parts:
        totals, having = part.totals, dict[int, "Flags"]()
        root = totals.copies / np.maximum(1.0, totals.records - totals.listed)
        for at in range(len(sets)):
            codes = sets.of_set(at)
            found = evidence(part.release, np.array(codes, np.int64), root)
            there = np.flatnonzero(found.at_most)
            drawn = np.zeros(len(there), np.int64)
            for bit, code in enumerate(codes):
                if code not in having:
                    having[code] = _clusters_with(part.release, code)
                drawn |= (~having[code][there]).astype(np.int64) << bit
            candidates[at] += np.bincount(drawn, found.at_most[there], candidates.shape[1]).astype(np.int64)
            expected[at] += found.expected.sum()
            each = found.expected / np.maximum(1, found.at_most)
            likeliest[at] = max(likeliest[at], each.max(initial=0.0))
    return {"candidates": candidates, "expected": expected, "likeliest": likeliest}


def _clusters_with(release: Disassociated, code: int) -> Flags:
    """Which clusters show an item, or name it."""
    found = np.zeros(release.clusters + 1, bool)  # the last stands for the root
    found[release.row_cluster[release.rows_with(code)]] = True
    return found[:-1]
