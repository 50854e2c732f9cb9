"""Record linkage: somebody knows a few items of one person and looks for the record in a release of any kind.

The attacker of k^m-anonymity (Terrovitis, Mamoulis and Kalnis, PVLDB 2008), tried out: for random persons, random
sets of their items are looked up in the release, and so are their rarest items, which narrow most.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias, overload

import numpy as np

from cloven.cores import as_they_come
from cloven.disclosure.risk import Estimate
from cloven.errors import ParameterError
from cloven.figures import many, percent
from cloven.registry import part
from cloven.threats import Case, Threat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from cloven.compiled import Floats, Longs
    from cloven.data.transactions import Transactions
    from cloven.disclosure.risk import Risk
    from cloven.kinds.disassociated.attack.link import Link
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.attack.link import GeneralisedLink
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.threats import Progress


Names = tuple[str, ...]
Look: TypeAlias = "Callable[[list[int]], tuple[int, float]]"
MEASURE = "mean probability of picking the right record among the candidates that known items leave"


def known_items(size: int, *, promised: bool, judged_beyond: bool = False) -> Threat:
    """Somebody who knows ``size`` items of one person; beyond m, that is more than the promise covers.

    What is beyond the promise is shown and not judged, unless it is to be: by the limit of all attackers, not by 1/k.

    >>> known_items(2, promised=True).name
    '2 items of a person'
    """

    def attempt(threat: Threat, case: Case) -> Risk:
        release = case.result.release
        data = case.data
        tries = case.effort.known_sets
        sets, rarest = known_sets(data, data.holders, release.vocabulary, size, tries, case.rng)
        if not sets:
            long = int(np.count_nonzero(data.lengths >= size))
            return nothing_known(threat, size, min(tries, long), long, counts=counts)
        about = many(size, "item")
        return replace(judged(threat, case, sets, rarest, about, promised=promised), counts=counts)

    counts = promised or judged_beyond
    beyond = "" if promised else ", more than the promise covers"
    return Threat(
        f"{many(size, 'item')} of a person",
        f"the release, and {many(size, 'item')} of one person{beyond}",
        "record",
        MEASURE,
        attempt,
    ).publicly()


def nothing_known(threat: Threat, size: int, drawn: int, of: int, *, counts: bool) -> Risk:
    """Nothing could be looked up; where not all records that are long enough were drawn, that is not passed."""
    if drawn == of:
        return threat.risk(counts=False, not_tried=f"no published record has {many(size, 'item')}")
    why = f"of {drawn:,} records with {size} items or more, drawn from {of:,}, none has {size} that are published"
    return threat.risk(counts=counts, not_tried=why)


def judged(
    threat: Threat, case: Case, sets: list[Names], more: list[Names], about: str, *, promised: bool
) -> Risk:
    """Look known sets of items up.

    Args:
        threat: who knows them.
        case: where they come from, and the release in which they are looked up.
        sets: the attacker's probability of being right is their mean.
        more: sets that are only asked how many candidates they leave.
        about: what is known, in a few words.
        promised: whether the release promises k candidates for them.
    """
    from cloven.statistics.mining import supports

    release: Disassociated | SetGeneralised = case.result.release
    looked, looked_more = _look_up(release, (sets, more), case.progress)
    before = np.asarray(supports(case.data, sets))
    return risk_of_looks(
        threat, looked, looked_more, before, release.records, release.k, about, promised=promised
    )


def risk_of_looks(
    threat: Threat, looked: Looked, looked_more: Looked, before: Longs, records: int, k: int, about: str, *,
    promised: bool,
) -> Risk:  # fmt: skip
    """What looking sets up came to; ``before`` says how many of the original records hold each of the first ones."""
    chance, found = 1 / max(1, records), looked.candidates
    # All candidates alike is how the promise counts; an attacker does what is better.
    ways = ((found > 0) / np.maximum(1, found), looked.picked)
    right = max(map(_mean, ways), key=lambda each: each.value)
    original = _mean(1 / np.maximum(1, before))
    every = np.concatenate((found, looked_more.candidates))
    found_some = every[
        every > 0
    ]  # who finds nobody has learnt of no record: the person is not published, or not so
    few = int(np.count_nonzero(found_some < k))
    least = int(found_some.min(initial=records))
    # Of one person the larger counts: one of the candidates, or what somebody believes who weighs them.
    single = max(1 / max(1, least), looked.picked.max(initial=0.0), looked_more.picked.max(initial=0.0))
    what = f"sets of known items ({about}) with fewer than k candidates"
    # The fewest candidates are somebody's, not a total, so that there is no sentence for the public.
    return threat.risk(
        attacker=right,
        guessing=Estimate(chance),
        gain=right.over(chance),
        beats=(right.value if right.low is None else right.low) > chance,
        counts=promised,
        promised=promised,
        broken=few if promised else 0,
        broken_what=what,
        count=len(found),
        units=len(found),
        single=min(1.0, float(single)),
        sentence=f"Who knows {about} of a person has at least {many(least, 'candidate')} and picks the"
        f" right one with {percent(right.value)}; in the original with {percent(original.value)}.",
        meaning=f"at least {many(least, 'candidate')}; in the original {percent(original.value)}",
        details={"least": least, "fewer_than_k": few, "tried": len(every), "in_the_original": original.value},
    ).saying(broken_what=what)


def known_sets(
    data: Transactions, holders: Longs, vocabulary: Names, size: int, tries: int, rng: np.random.Generator
) -> tuple[list[Names], list[Names]]:
    """Random sets of published items of random records, and the items of the same records that fewest hold."""
    published = set(vocabulary)
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


@dataclass(frozen=True)
class Looked:
    """What looking known sets up gives.

    Attributes:
        candidates: records that may hold each set.
        picked: how often somebody is right who picks a candidate where a record with the set is likeliest.
    """

    candidates: Longs
    picked: Floats


def _look_up(
    release: Disassociated | SetGeneralised, lists: tuple[list[Names], ...], progress: Progress | None
) -> list[Looked]:
    """Candidates that lists of known sets leave in the release; a set that is there several times is looked up once."""
    code_of = {name: code for code, name in enumerate(release.vocabulary)}
    named = [
        [tuple(sorted(code_of[item] for item in items if item in code_of)) for items in sets]
        for sets in lists
    ]
    every = list(dict.fromkeys(chain.from_iterable(named)))
    look: Look = part(release, "attack.link").looker(release)

    def in_turn() -> Iterator[list[int]]:
        for number, codes in enumerate(every):
            yield list(codes)
            if progress is not None:
                progress("look up known items", (number + 1) / len(every))

    found = dict(zip(every, as_they_come(look, in_turn()), strict=True))
    tables = [np.array([found[codes] for codes in sets], np.float64).reshape(-1, 2) for sets in named]
    return [Looked(table[:, 0].astype(np.int64), table[:, 1]) for table in tables]


def _mean(values: Floats) -> Estimate:
    mean = float(values.mean())
    if len(values) < 2:
        return Estimate(mean)
    half = 1.96 * float(values.std(ddof=1)) / len(values) ** 0.5
    return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half))


# Record linkage: somebody knows a few items of one person, and asks a release of any kind which records it may be.


@overload
def candidates(release: Disassociated, items: Iterable[str]) -> Link: ...
@overload
def candidates(release: SetGeneralised, items: Iterable[str]) -> GeneralisedLink: ...


def candidates(release: Disassociated | SetGeneralised, items: Iterable[str]) -> Link | GeneralisedLink:
    """Count the candidate records of somebody who knows these items of one person.

    In a release that keeps its promise there are at least ``k`` candidates for every set of up to ``m``
    items that one original record holds: the promise is a data set in agreement with the release in which
    ``k`` records hold them, and no such data set can have more than ``candidates``. More items may leave
    fewer. A set-generalised release may promise this for the itemsets of a policy alone.

    >>> import cloven as cv
    >>> data = cv.Transactions.from_records([["a", "b"], ["a", "c"], ["a", "d"], ["b", "e"], ["b", "f"]])
    >>> release = cv.Disassociation(k=3, m=2).anonymise(data).release
    >>> found = candidates(release, ["a", "b"])
    >>> found.candidates, found.certain
    (3, 1)
    """
    if isinstance(items, str):
        message = (
            f"known items must be a collection of strings, not one string; got {items!r}, use [{items!r}]"
        )
        raise ParameterError(message)
    known = tuple(sorted(set(items)))
    if not known:
        message = "no item is known; give at least one"
        raise ParameterError(message)
    found: Link | GeneralisedLink = part(release, "attack.link").linked(release, known)
    return found
