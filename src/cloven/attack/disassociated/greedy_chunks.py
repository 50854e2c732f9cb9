"""VERPART in the attacker's hands: would the published method have cut these records the same way?

Terms are bit masks over the slots of one cluster (Terrovitis et al., PVLDB 2012, Fig. 5). Written apart from the
anonymiser: an attacker has the paper, not our kernels.

VERPART tries terms by support, descending, ties by their number, and starts the next chunk when no more term fits.
Sub-records stay whole wherever they are put, so neither the supports of terms and combinations of one chunk, nor the
order of terms, depend on the arrangement. What it decides is whether a term of the new chunk would have joined an
earlier one. So all that an arrangement is held against is laid out once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cloven.attack.disassociated.arrangements import Arrangement

    Masks = Mapping[int, int]

MOST_COMBINATIONS = 20_000
"""Combinations of terms that a chunk may have before the check gives up."""


class TooManyCombinationsError(Exception):
    """The chunk has more combinations of up to m - 1 terms than can be checked in reasonable time."""


@dataclass(frozen=True)
class Reading:
    """k, m, and the reading of the method: ``strict`` lets combinations that nobody holds fail, too."""

    k: int
    m: int
    strict: bool = False

    def joins(self, mask: int, combinations: Sequence[int]) -> bool:
        """Whether a term may join: each combination with it is held by k slots or, unless strict, by nobody."""
        for held in combinations:
            many = (mask & held).bit_count()
            if many < self.k and (many or self.strict):
                return False
        return True


@dataclass(frozen=True)
class Cut:
    """What VERPART holds against arrangements of one more chunk.

    Attributes:
        reading: how combinations are counted.
        possible: whether any arrangement can pass.
        rivals: for each term that might have joined earlier chunks: the sub-records that hold it, and the combinations
            that it would have met in each of these chunks.
    """

    reading: Reading
    possible: bool
    rivals: tuple[tuple[tuple[int, ...], tuple[tuple[int, ...], ...]], ...]

    @classmethod
    def of(
        cls,
        settled: Sequence[Masks],
        rows: Sequence[Sequence[int]],
        copies: Sequence[int],
        slots: int,
        reading: Reading,
    ) -> Cut:
        """Lay out the decisions about the terms of ``rows``, given the chunks that are settled.

        >>> cut = Cut.of([{0: 0b1111, 1: 0b0011}], [[2]], [2], 4, Reading(2, 2))
        >>> cut.passes(((1, 2),)), cut.passes(((0, 1),))
        (True, False)
        """
        holders: dict[int, list[int]] = {}
        for number, row in enumerate(rows):
            for term in row:
                holders.setdefault(term, []).append(number)
        support = {term: sum(copies[number] for number in here) for term, here in holders.items()}
        possible, rivals = _fits_together(holders, copies, slots, reading), []
        for term, here in holders.items():
            # A term that fewer than k records hold joins no chunk at all.
            if support[term] < reading.k:
                continue
            met = tuple(_met(chunk, term, support[term], reading.m) for chunk in settled)
            possible = possible and all(met)
            rivals.append((tuple(here), met))
        return cls(reading, possible, tuple(rivals))

    def passes(self, arrangement: Arrangement) -> bool:
        """Whether VERPART would have made the same chunks of these records."""
        if not self.possible:
            return False
        put = [sum(1 << slot for slot in slots) for slots in arrangement]
        for holders, chunks in self.rivals:
            mask = 0
            for number in holders:
                mask |= put[number]
            for combinations in chunks:
                if self.reading.joins(mask, combinations):
                    return False
        return True


def _fits_together(
    holders: Mapping[int, Sequence[int]], copies: Sequence[int], slots: int, reading: Reading
) -> bool:
    """Whether VERPART lets the terms of the new chunk into one chunk; any arrangement will do to see it."""
    put, first = [], 0
    for many in copies:
        put.append(((1 << many) - 1) << first)
        first += many
    masks = {term: sum(put[number] for number in here) for term, here in holders.items()}
    order = sorted(masks, key=lambda term: (-masks[term].bit_count(), term))
    grown = _growing([masks[term] for term in order], reading.m)
    everyone = (1 << slots) - 1
    return all(
        reading.joins(masks[term], [everyone, *seen]) for term, seen in zip(order, grown, strict=False)
    )


def _met(chunk: Masks, term: int, support: int, m: int) -> tuple[int, ...]:
    """Combinations of up to m - 1 terms of a settled chunk that VERPART has made when it comes to another term."""
    before = [other for other in chunk if (-chunk[other].bit_count(), other) < (-support, term)]
    *_, seen = _growing([chunk[other] for other in before], m)
    return tuple(dict.fromkeys(seen))


def _growing(masks: Sequence[int], m: int) -> Iterator[list[int]]:
    """Combinations of up to m - 1 terms that somebody holds: before the first term, and after each."""
    levels: list[list[int]] = [[] for _ in range(m - 1)]
    yield []
    for mask in masks:
        for size in range(m - 2, 0, -1):
            levels[size].extend(held & mask for held in levels[size - 1] if held & mask)
        if m > 1:
            levels[0].append(mask)
        if sum(map(len, levels)) > MOST_COMBINATIONS:
            raise TooManyCombinationsError
        yield [held for level in levels for held in level]
