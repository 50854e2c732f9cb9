"""VERPART in the attacker's hands: would the published method have cut these records the same way?

Terms are bit masks over the slots of one cluster (Terrovitis et al., PVLDB 2012, Fig. 5). Written apart from the
anonymiser: an attacker has the paper, not our kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST_COMBINATIONS = 20_000
"""Combinations of terms that a chunk may have before the check gives up."""


class TooManyCombinationsError(Exception):
    """The chunk has more combinations of up to m - 1 terms than can be checked in reasonable time."""


def cuts_alike(
    masks: Mapping[int, int],
    chunks: Sequence[frozenset[int]],
    slots: int,
    k: int,
    m: int,
    given: int = 0,
    *,
    strict: bool = False,
) -> bool:
    """Whether VERPART, run on records in which term t is held by the slots ``masks[t]``, makes exactly these chunks.

    Terms are tried by support, descending, ties by their number. The first ``given`` chunks are not questioned: it is
    enough that no term of the later ones would have joined them. ``strict`` is the reading of the method in which
    combinations that nobody holds fail, too.

    >>> masks = {0: 0b1111, 1: 0b0011, 2: 0b0110}
    >>> cuts_alike(masks, [frozenset({0, 1}), frozenset({2})], 4, 2, 2)
    True
    >>> cuts_alike(masks | {2: 0b0011}, [frozenset({0, 1}), frozenset({2})], 4, 2, 2)
    False
    """
    questioned = frozenset().union(*chunks[given:])
    waiting = sorted(masks, key=lambda term: (-masks[term].bit_count(), term))
    for chunk in chunks:
        seen: list[list[int]] = [[(1 << slots) - 1], *([] for _ in range(m - 1))]
        for term in waiting:
            if term in questioned and _joins(masks[term], seen, k, strict=strict) != (term in chunk):
                return False
            if term in chunk:
                _add(masks[term], seen)
        waiting = [term for term in waiting if term not in chunk]
    return not waiting


def _joins(mask: int, seen: list[list[int]], k: int, *, strict: bool) -> bool:
    """Whether every combination with this term is held by at least k slots or, unless strict, by nobody."""
    return all(
        (mask & held).bit_count() >= k or not (strict or mask & held) for level in seen for held in level
    )


def _add(mask: int, seen: list[list[int]]) -> None:
    """Extend the combinations of up to m - 1 terms, listed by their number of terms, by one term."""
    for size in range(len(seen) - 1, 0, -1):
        seen[size].extend(held & mask for held in seen[size - 1] if held & mask)
    if sum(map(len, seen)) > MOST_COMBINATIONS:
        raise TooManyCombinationsError
