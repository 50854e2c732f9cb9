"""Sets of items that somebody knows of persons, and what a reader of a release concludes from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import compiled
from cloven.data.arrays import offsets_of, positions, row_numbers
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Ints, Longs


LEAST_BEST = 0.05
"""The likeliest claim of all is none below it."""


@dataclass(frozen=True, eq=False)
class Known:
    """Known sets, as compressed rows.

    Attributes:
        offsets: where each set starts in ``codes``.
        codes: item codes of the release (positions in its vocabulary), ascending inside a set, without repeats.
        of: which set of these each set that was asked about is; the sets themselves unless repeats were left out.
    """

    offsets: Longs
    codes: Longs
    of: Longs

    @classmethod
    def from_arrays(cls, offsets: NDArray[Any], codes: NDArray[Any]) -> Known:
        """Build from compressed rows; items of a set may come in any order."""
        starts, items = np.asarray(offsets, np.int64), np.asarray(codes, np.int64)
        order = np.lexsort((items, np.repeat(np.arange(len(starts) - 1), np.diff(starts))))
        return cls(starts, items[order], np.arange(len(starts) - 1))

    @classmethod
    def from_sets(cls, sets: Iterable[Iterable[int]]) -> Known:
        """Build from plain Python.

        >>> Known.from_sets([{4, 2}, {7}]).codes.tolist()
        [2, 4, 7]
        """
        lists = [sorted(set(one)) for one in sets]
        offsets = np.concatenate(([0], np.cumsum([len(one) for one in lists]))).astype(np.int64)
        return cls.from_arrays(offsets, np.array([code for one in lists for code in one], np.int64))

    @classmethod
    def joined(cls, parts: Sequence[Known]) -> Known:
        """Several lists of sets, one after the other."""
        codes = np.concatenate([part.codes for part in parts])
        offsets = _one_after_the_other([part.offsets for part in parts])
        return cls(offsets, codes, np.arange(len(offsets) - 1))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def of_set(self, number: int) -> list[int]:
        """Items of one set, in plain Python."""
        found: list[int] = self.codes[self.offsets[number] : self.offsets[number + 1]].tolist()
        return found

    def take(self, sets: Longs) -> Known:
        """Some of the sets, by their numbers."""
        lengths = np.diff(self.offsets)[sets]
        codes = self.codes[positions(self.offsets[sets], lengths)]
        return Known(offsets_of(lengths), codes, np.arange(len(sets)))

    def check(self, width: int, most: int) -> None:
        """Refuse sets that are no sets of items of the release, or too large."""
        lengths, codes = np.diff(self.offsets), self.codes
        if len(codes) and not 0 <= codes.min() <= codes.max() < width:
            message = f"known items must be among the {width:,} published ones, by code; leave others out"
            raise ParameterError(message)
        if lengths.max(initial=0) > most:
            message = f"at most {most} items can be known of a person, got {lengths.max()}"
            raise ParameterError(message)
        rising = np.diff(codes) > 0
        rising[self.offsets[1:-1][(self.offsets[1:-1] > 0) & (self.offsets[1:-1] < len(codes))] - 1] = True
        if not rising.all():
            message = "a known set has an item twice; build it with Known.from_sets"
            raise ParameterError(message)

    def distinct(self) -> Known:
        """The same sets without repeats, ordered by content."""
        of = row_numbers(_table(self))
        first = np.unique(of, return_index=True)[1]
        return replace(self.take(first), of=of)

    def numbers_in(self, sets: Known) -> Longs:
        """Which of some sets, which are distinct and ordered by content, each of these is; -1 for none.

        >>> Known.from_sets([{7}, {2, 4}, {5}]).numbers_in(Known.from_sets([{2, 4}, {7}])).tolist()
        [1, 0, -1]
        """
        both = row_numbers(_table(Known.joined((sets, self))))
        known, asked = both[: len(sets)], both[len(sets) :]
        at = np.minimum(np.searchsorted(known, asked), max(0, len(sets) - 1))
        return np.where(known[at] == asked, at, -1) if len(sets) else np.full(len(self), -1, np.int64)


def _table(sets: Known) -> Longs:
    """A row for each set, filled up with -1."""
    lengths = np.diff(sets.offsets)
    table = np.full((len(sets), max(1, int(lengths.max(initial=0)))), -1, np.int64)
    row = np.repeat(np.arange(len(sets)), lengths)
    table[row, np.arange(len(sets.codes)) - sets.offsets[row]] = sets.codes
    return table


_BY_CLAIM_OR_SET = ("items", "probability", "best", "best_probability", "expected")


@dataclass(frozen=True, eq=False)
class Claims:
    """What a reader claims of each person; all claims of one set stand together, ascending by item.

    Attributes:
        offsets: where the claims of each known set start.
        items: item claimed.
        probability: how likely the person holds it, rounded to twelve digits.
        best: the most likely item of each set, the first of equals; -1 if none is likely.
        best_probability: its probability, 0 for none.
        expected: how many records are expected to hold the known set; 0 if none can, then nothing is claimed.
    """

    offsets: Longs
    items: Longs
    probability: NDArray[np.float64]
    best: Longs
    best_probability: NDArray[np.float64]
    expected: NDArray[np.float64]

    def of(self, number: int) -> dict[int, float]:
        """Claims of one set, in plain Python."""
        here = slice(self.offsets[number], self.offsets[number + 1])
        return dict(zip(self.items[here].tolist(), self.probability[here].tolist(), strict=True))

    @classmethod
    def none(cls) -> Claims:
        """What is claimed of nobody."""
        whole, real = np.empty(0, np.int64), np.empty(0)
        return cls(np.zeros(1, np.int64), whole, real, whole, real, real)

    @classmethod
    def joined(cls, parts: Sequence[Claims]) -> Claims:
        """Claims of several lists of sets, one after the other."""
        rest = (np.concatenate([getattr(part, name) for part in parts]) for name in _BY_CLAIM_OR_SET)
        return cls(_one_after_the_other([part.offsets for part in parts]), *rest)

    def spread(self, of: Longs) -> Claims:
        """The same for sets that were asked about more than once."""
        lengths = np.diff(self.offsets)[of]
        at = positions(self.offsets[of], lengths)
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        return Claims(
            offsets,
            self.items[at],
            self.probability[at],
            self.best[of],
            self.best_probability[of],
            self.expected[of],
        )


@dataclass(frozen=True, eq=False)
class Told:
    """All that a reader claims of some sets, each of which was asked about once; see ``Claims``.

    Attributes:
        offsets: where the claims of each set start.
        items: item claimed, ascending inside a set.
        probability: how likely the person holds it.
        expected: how many records are expected to hold the set.
    """

    offsets: Longs
    items: Ints
    probability: Floats
    expected: Floats

    @classmethod
    def joined(cls, parts: Sequence[Told]) -> Told:
        """What is claimed of several lists of sets, one after the other."""
        offsets = _one_after_the_other([part.offsets for part in parts])
        rest = ([getattr(part, name) for part in parts] for name in ("items", "probability", "expected"))
        return cls(offsets, *map(np.concatenate, rest))

    def claims(self, sets: Longs, eligible: Flags | None, floor: float, *, best: bool) -> Claims:
        """Claims on ``eligible`` items (all, if there is no flag for each) with ``floor`` or more.

        The ``best`` guess may be less likely, if it is asked for.
        """
        flags = np.ones(int(self.items.max(initial=-1)) + 1, bool) if eligible is None else eligible
        least = 0.0 if best else floor
        found = _claims_of(self.offsets, self.items, self.probability, sets, flags, floor, least)
        return Claims(*found, self.expected[sets])


@compiled
def _claims_of(
    starts: Longs, items: Ints, chances: Floats, sets: Longs, eligible: Flags, floor: float, least: float
) -> tuple[Longs, Longs, Floats, Longs, Floats]:
    """Of some sets: where the eligible claims of ``floor`` or more end, their items and probabilities.

    Then the most likely claim of each set of those with ``least`` or more, the first of equals; -1 and 0 for none.
    """
    ends, best, highest = (
        np.zeros(len(sets) + 1, np.int64),
        np.full(len(sets), -1, np.int64),
        np.zeros(len(sets)),
    )
    for number in range(len(sets)):
        many = 0
        for at in range(starts[sets[number]], starts[sets[number] + 1]):
            if chances[at] >= least and eligible[items[at]]:
                many += chances[at] >= floor
                if best[number] < 0 or chances[at] > highest[number]:
                    best[number], highest[number] = items[at], chances[at]
        ends[number + 1] = ends[number] + many
    found, chance, end = np.empty(ends[-1], np.int64), np.empty(ends[-1]), 0
    for number in range(len(sets)):
        for at in range(starts[sets[number]], starts[sets[number] + 1]):
            if chances[at] >= floor and eligible[items[at]]:
                found[end], chance[end] = items[at], chances[at]
                end += 1
    return ends, found, chance, best, highest


@dataclass(frozen=True, eq=False)
class Certain:
    """What each known set forces: ``items[offsets[i]:offsets[i + 1]]``, ascending."""

    offsets: Longs
    items: Longs

    def of(self, number: int) -> list[int]:
        """Certain items of one set, in plain Python."""
        found: list[int] = self.items[self.offsets[number] : self.offsets[number + 1]].tolist()
        return found

    @classmethod
    def joined(cls, parts: Sequence[Certain]) -> Certain:
        """What several lists of sets force, one after the other."""
        items = np.concatenate([part.items for part in parts])
        return cls(_one_after_the_other([part.offsets for part in parts]), items)

    def spread(self, of: Longs) -> Certain:
        """The same for sets that were asked about more than once."""
        lengths = np.diff(self.offsets)[of]
        at = positions(self.offsets[of], lengths)
        return Certain(np.concatenate(([0], np.cumsum(lengths))).astype(np.int64), self.items[at])


def _one_after_the_other(offsets: Sequence[Longs]) -> Longs:
    """Row starts of several compressed lists as those of one."""
    return offsets_of(np.concatenate([np.diff(each) for each in offsets]))
