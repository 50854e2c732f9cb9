"""Record linkage on a disassociated release: somebody knows a few items of one person and looks for the record.

The attacker of k^m-anonymity (Terrovitis, Mamoulis and Kalnis, PVLDB 2008), tried out: for random persons, random
sets of their items are looked up in the release, and so are their rarest items, which narrow most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.families.words import many, share
from cloven.model.risk import Estimate, Risk
from cloven.threats import Effort, Progress, Threat

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.key import Anonymised
    from cloven.model.transactions import Transactions

Names = tuple[str, ...]
MEASURE = "mean probability of picking the right record among the candidates that known items leave"


class _Looked(NamedTuple):
    """Candidates that known sets leave in the release, and holders they have in the data."""

    candidates: NDArray[np.int64]
    holders: NDArray[np.int64]


def known_items(size: int, *, promised: bool) -> Threat:
    """Somebody who knows ``size`` items of one person; beyond m, that is more than the promise covers.

    >>> known_items(2, promised=True).name
    '2 items of a person'
    """

    def attempt(
        threat: Threat,
        data: Transactions,
        result: Anonymised,
        effort: Effort,
        rng: np.random.Generator,
        progress: Progress | None,
    ) -> Risk:
        return _attempt(threat, data, result.release, size, effort, rng, progress, promised=promised)

    beyond = "" if promised else ", one more than the promise covers"
    return Threat(
        f"{size} items of a person",
        f"the release, and {size} items of one person{beyond}",
        "record",
        MEASURE,
        attempt,
    )


def _attempt(
    threat: Threat,
    data: Transactions,
    release: Disassociated,
    size: int,
    effort: Effort,
    rng: np.random.Generator,
    progress: Progress | None,
    *,
    promised: bool,
) -> Risk:
    sets, rarest = _known(data, release, size, effort.known_sets, rng)
    if not sets:
        return threat.risk(counts=promised, not_tried=f"no published record has {size} items")
    chance = 1 / max(1, release.records)
    looked = _look_up(data, release, sets, progress)
    narrowest = _look_up(data, release, rarest, None)
    right = _mean(1 / np.maximum(1, looked.candidates))
    before = _mean(1 / np.maximum(1, looked.holders))
    every = np.concatenate((looked.candidates, narrowest.candidates))
    few = int(np.count_nonzero(every < release.k))
    least = int(every.min())
    return threat.risk(
        attacker=right,
        guessing=Estimate(chance),
        beats=right.value > chance,
        counts=promised,
        broken=few if promised else 0,
        broken_what=f"sets of {size} known items with fewer than k candidates",
        count=len(sets),
        units=len(sets),
        sentence=f"Who knows {many(size, 'item')} of a person has at least {many(least, 'candidate')} and picks the"
        f" right one with {share(Estimate(right.value))}; in the original with {share(Estimate(before.value))}.",
        meaning=f"at least {many(least, 'candidate')}; in the original {share(Estimate(before.value))}",
        details={"least": least, "fewer_than_k": few, "tried": len(every), "in_the_original": before.value},
    )


def _known(
    data: Transactions, release: Disassociated, size: int, tries: int, rng: np.random.Generator
) -> tuple[list[Names], list[Names]]:
    """Random sets of items of random records, and the rarest items of the same records."""
    published, holders = set(release.vocabulary), data.holders
    shown = np.array([name in published for name in data.vocabulary], bool)
    long = np.flatnonzero(data.lengths >= size)
    chosen = long[rng.permutation(len(long))[:tries]]
    sets, rarest = [], []
    for record in chosen.tolist():
        codes = data.codes[data.offsets[record] : data.offsets[record + 1]]
        codes = codes[shown[codes]]
        if len(codes) < size:
            continue
        few = codes[np.argsort(holders[codes], kind="stable")[:size]]
        sets.append(tuple(data.vocabulary[code] for code in rng.permutation(codes)[:size].tolist()))
        rarest.append(tuple(data.vocabulary[code] for code in few.tolist()))
    return sets, rarest


def _look_up(
    data: Transactions, release: Disassociated, sets: list[Names], progress: Progress | None
) -> _Looked:
    from cloven.measure.mining import supports
    from cloven.reconstruction.evidence import evidence

    code_of = {name: code for code, name in enumerate(release.vocabulary)}
    found = []
    for number, items in enumerate(sets):
        codes = np.array(sorted(code_of[item] for item in items), np.int64)
        found.append(evidence(release, codes).total_at_most)
        if progress is not None:
            progress("look up known items", (number + 1) / len(sets))
    return _Looked(np.array(found, np.int64), np.asarray(supports(data, sets)))


def _mean(values: NDArray[np.float64]) -> Estimate:
    mean = float(values.mean())
    if len(values) < 2:
        return Estimate(mean)
    half = 1.96 * float(values.std(ddof=1)) / len(values) ** 0.5
    return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half))
