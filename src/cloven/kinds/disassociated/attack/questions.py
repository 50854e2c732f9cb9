"""Read off a disassociated release what it leaves open: which slots may hold each target (see ``guesses``)."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError, ReleaseError
from cloven.kinds.disassociated.attack.candidates import Candidates
from cloven.kinds.disassociated.release import Disassociated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from cloven.kinds.disassociated.guesses import Questions


MOST_CANDIDATES = 400_000_000
"""About 7 GB of answers; beyond it an attack works on a sample, or on a part of the release."""


def questions(
    release: Disassociated,
    most: int | None = None,
    rng: np.random.Generator | None = None,
    *,
    most_targets: int | None = None,
) -> Questions:
    """The targets of a release and their candidate slots; all of them, or a random sample.

    A sub-record of a later record chunk, and an item of a term chunk, may belong to every slot of its cluster. A
    shared sub-record may belong to every slot below its joint, but not where the cluster already shows one of its
    items: in its own record chunks, or in a joint further in.

    Args:
        release: what is asked about.
        most: candidates to expect at most. Above it, targets are drawn at random, all equally likely, so that their
            candidates are as many on average; each keeps all its candidates.
        rng: random numbers for the draw.
        most_targets: targets at most, for attacks whose time depends on them.

    >>> import cloven as cv
    >>> data = cv.Transactions.from_records([["a", "b"], ["a", "b", "c"], ["a", "d"], ["b", "d", "e"]])
    >>> release = cv.Disassociation(k=2, m=2, rare_items="cluster").anonymise(data).release
    >>> asked = questions(release)
    >>> len(asked), asked.slots[: asked.offsets[1]].tolist()
    (3, [0, 1, 2, 3])
    >>> questions(release, most=8)
    Questions(2 of 3 targets, 8 of 12 candidates)
    """
    published_only(release)
    every = Candidates.of(release)
    return every.questions(drawn(every, most, rng, most_targets=most_targets))


def drawn(
    every: Candidates,
    most: int | None = None,
    rng: np.random.Generator | None = None,
    *,
    most_targets: int | None = None,
) -> NDArray[np.int64]:
    """Targets to ask about, ascending: all, or a simple random sample; see ``questions``."""
    _check_limits(most, most_targets)
    if most is None and most_targets is None and every.total > MOST_CANDIDATES:
        message = (
            f"the release leaves {every.total:,} candidate links open, more than {MOST_CANDIDATES:,}; ask about a"
            " sample, questions(release, most=...), or attack a release with a smaller maximum cluster size"
        )
        raise ParameterError(message)
    most = most or MOST_CANDIDATES
    many = len(every) if every.total <= most else most * len(every) // every.total
    many = many if most_targets is None else min(many, most_targets)
    if many == len(every):
        return np.arange(len(every))
    if many < 1:
        message = (
            f"{most:,} candidates are not even one target, which has {every.total // len(every):,} on average;"
            " allow more"
        )
        raise ParameterError(message)
    rng = rng or np.random.default_rng()
    return np.sort(rng.choice(len(every), many, replace=False, shuffle=False)).astype(np.int64)


def _check_limits(most: int | None, most_targets: int | None) -> None:
    if most is not None and not 1 <= most <= MOST_CANDIDATES:
        message = f"most must lie between 1 and {MOST_CANDIDATES:,} candidates (got {most:,})"
        raise ParameterError(message)
    if most_targets is not None and most_targets < 1:
        message = f"most_targets must be at least 1 (got {most_targets:,})"
        raise ParameterError(message)


def given_or_all(release: Disassociated, asked: Questions | None) -> Questions:
    """What an attack has to answer: the questions given, if they are about this release, or all."""
    if asked is None:
        return questions(release)
    published_only(release)
    if not np.array_equal(np.diff(asked.slot_offsets), release.cluster_size):
        message = (
            f"the questions are about another release than {release!r}; ask this one: questions(release)"
        )
        raise ReleaseError(message)
    return asked


def published_only(release: object) -> None:
    """Refuse everything that is not a published release, above all a key."""
    if not isinstance(release, Disassociated):
        message = (
            f"an attack works on a published disassociated release alone (got {type(release).__name__});"
            " give it `result.release`, or what `read_release` returns"
        )
        raise ReleaseError(message)


# All ways to put the sub-records of a chunk on the slots of a cluster, one to a slot.


Arrangement = tuple[tuple[int, ...], ...]
"""The slots of each different sub-record."""


def how_many(copies: Sequence[int], slots: int) -> int:
    """Number of arrangements of sub-records with these copies.

    >>> how_many([2], 4), how_many([1, 1], 3)
    (6, 6)
    """
    total, left = 1, slots
    for many in copies:
        total *= comb(left, many)
        left -= many
    return total


def in_order(copies: Sequence[int], slots: int) -> Iterator[Arrangement]:
    """Arrangements in lexicographic order.

    >>> list(in_order([2], 3))
    [((0, 1),), ((0, 2),), ((1, 2),)]
    """
    yield from _rest(copies, tuple(range(slots)))


def _rest(copies: Sequence[int], free: tuple[int, ...]) -> Iterator[Arrangement]:
    if not copies:
        yield ()
        return
    for here in combinations(free, copies[0]):
        taken = set(here)
        for others in _rest(copies[1:], tuple(slot for slot in free if slot not in taken)):
            yield (here, *others)


def drawn_arrangement(copies: Sequence[int], slots: int, rng: np.random.Generator) -> Arrangement:
    """One arrangement, all equally likely."""
    order = rng.permutation(slots).tolist()
    found, at = [], 0
    for many in copies:
        found.append(tuple(sorted(order[at : at + many])))
        at += many
    return tuple(found)
