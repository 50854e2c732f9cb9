"""VPA, the vertical partitioning attack: keep an arrangement that the method would have cut the same way.

Thesis, section 4.3.4, Algorithm 9. Chunks are joined from left to right; arrangements are tried in lexicographic order
and the first that VERPART cuts into the published chunks stays. Scores go past the thesis: the share of the possible
arrangements that pass in which a slot holds the sub-record, over all of them or over ``tries`` random ones. Where all
pass, the method tells nothing and the answer is "no information". Items of term chunks and shared chunks are put
anywhere: the check says nothing about them.

A chunk can only be judged as a whole, and after the chunks before it. So of a sample of the targets, those of record
chunks cost as much as all chunks up to theirs; clusters of which none is asked about are not looked at. Lots are drawn
for each cluster apart, so that the answers about it do not depend on which others are asked about.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack.questions import given_or_all, targets_of
from cloven.kinds.disassociated.attack.selection import finished, select
from cloven.kinds.disassociated.covers.worlds import Arrangement, drawn_arrangement, how_many, in_order
from cloven.kinds.disassociated.release import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from cloven.compiled import Flags, Floats, Longs
    from cloven.kinds.disassociated.guesses import Guesses, Questions
    from cloven.kinds.disassociated.release import Disassociated

    Masks = Mapping[int, int]


Codes = tuple[int, ...]


@dataclass(frozen=True)
class VerticalPartitioning:
    """The vertical partitioning attack.

    Attributes:
        tries: arrangements of one chunk that are checked at most.
        sharpness: how fast confidence follows the score.
    """

    tries: int = 200
    sharpness: float = 0.4

    def __post_init__(self) -> None:
        if self.tries < 1:
            message = f"tries must be at least 1 (got {self.tries})"
            raise ParameterError(message)

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {"name": "vpa", "tries": self.tries, "sharpness": self.sharpness}

    def guess(
        self,
        release: Disassociated,
        rng: np.random.Generator | None = None,
        progress: Callable[[str, float], None] | None = None,
        *,
        asked: Questions | None = None,
    ) -> Guesses:
        """Try arrangements, cluster by cluster."""
        rng = rng or np.random.default_rng()
        asked = given_or_all(release, asked)
        seed = int(rng.integers(2**63))
        score, chosen = np.full(len(asked.slots), np.nan), np.zeros(len(asked.slots), bool)
        counts = dict.fromkeys(("chunks", "all pass", "none passes", "too large"), 0)
        reading = _reading(release)
        joined: Joined | None = None
        for chunk in chunks_to_judge(asked, release):
            if joined is None or joined.cluster != chunk.cluster:
                joined = Joined.anchors(asked, release, chunk.cluster, reading)
                lots = np.random.default_rng([seed, chunk.cluster])
            rows = [_codes(release, row) for row in chunk.rows]
            trial = self._try(joined, rows, chunk.copies, lots)
            joined.add(rows, trial.kept)
            trial.answer(chunk, asked.offsets, score, chosen)
            counts["chunks"] += 1
            if trial.remark:
                counts[trial.remark] += 1
            if progress is not None:
                progress("attack", (chunk.cluster + 1) / release.clusters)
        others = np.flatnonzero(asked.target_kind != Kind.RECORD)
        select(asked, release, others, rng.random(len(asked.slots)), "best", chosen)
        return finished(asked, release, score, chosen, self.sharpness, self.parameters, counts)

    def _try(self, joined: Joined, rows: list[Codes], copies: list[int], lots: np.random.Generator) -> Trial:
        """Look for arrangements of one more chunk that pass."""
        possible, slots = how_many(copies, joined.slots), joined.slots
        in_turn = islice(in_order(copies, slots), self.tries)
        try:
            cut = joined.cut(rows, copies)
        except TooManyCombinationsError:
            return Trial(next(in_turn), np.zeros((len(rows), slots)), 0, 0)
        if possible <= self.tries:
            good = [arrangement for arrangement in in_turn if cut.passes(arrangement)]
            kept, tried = next(iter(good), None), possible
        else:
            kept, tried = next(filter(cut.passes, in_turn), None), self.tries
            random = (drawn_arrangement(copies, slots, lots) for _ in range(self.tries))
            good = [arrangement for arrangement in random if cut.passes(arrangement)]
        held = _held(good, copies, slots)
        return Trial(kept or next(in_order(copies, slots)), held, len(good), tried)


class Chunk(NamedTuple):
    """A record chunk: its cluster, its different sub-records with their copies, and their targets, -1 if not asked."""

    cluster: int
    rows: list[int]
    copies: list[int]
    targets: list[int]


def chunks_to_judge(asked: Questions, release: Disassociated) -> Iterator[Chunk]:
    """Record chunks after the first, in the order of clusters, up to the last one of each that is asked about."""
    record = np.flatnonzero(asked.target_kind == Kind.RECORD)
    last = np.zeros(release.clusters, np.int64)
    np.maximum.at(last, asked.target_cluster[record], release.row_chunk[asked.target_row[record]])
    target_of = np.full(release.rows, -1, np.int64)
    target_of[asked.target_row[record]] = record
    row, _, copies = targets_of(release)
    near = release.row_kind[row] == Kind.RECORD
    row, copies = row[near], copies[near]
    near = release.row_chunk[row] <= last[release.row_cluster[row]]
    row, copies = row[near], copies[near]
    new = np.diff(release.row_cluster[row]) | np.diff(release.row_chunk[row])
    edges = np.flatnonzero(new) + 1
    parts = (np.split(each, edges) for each in (row, copies, target_of[row]))
    for rows, many, targets in zip(*parts, strict=True) if len(row) else ():
        yield Chunk(int(release.row_cluster[rows[0]]), rows.tolist(), many.tolist(), targets.tolist())


@dataclass(frozen=True)
class Trial:
    """What came of trying to put one chunk on the slots.

    Attributes:
        kept: the arrangement to go on with; the first one if none passed.
        held: in how many of those that passed each slot (column) holds each sub-record (row).
        passed: how many passed.
        tried: of so many; 0 if the chunk is too large to check.
    """

    kept: Arrangement
    held: Floats
    passed: int
    tried: int

    @property
    def remark(self) -> str:
        """Why the method told nothing, or nothing if it did."""
        if not self.tried:
            return "too large"
        return "none passes" if not self.passed else "all pass" if self.passed == self.tried else ""

    def answer(self, chunk: Chunk, offsets: Longs, score: Floats, chosen: Flags) -> None:
        """Write down the answers about those sub-records of the chunk that are asked about."""
        for target, slots, held in zip(chunk.targets, self.kept, self.held, strict=True):
            if target < 0:
                continue
            first, last = offsets[target : target + 2].tolist()
            chosen[first + np.array(slots, np.int64)] = True
            if 0 < self.passed < self.tried:
                score[first:last] = held / self.passed


@dataclass
class Joined:
    """The chunks of one cluster that have been put together so far: for each, the slots that hold its items."""

    cluster: int
    slots: int
    reading: Reading
    chunks: list[Settled] = field(default_factory=list)

    @classmethod
    def anchors(cls, asked: Questions, release: Disassociated, cluster: int, reading: Reading) -> Joined:
        """Begin with the anchoring chunk."""
        first, last = asked.slot_offsets[cluster : cluster + 2].tolist()
        start = cls(cluster, last - first, reading)
        rows = [_codes(release, row) for row in asked.slot_anchor[first:last].tolist() if row >= 0]
        start.add(rows, tuple((slot,) for slot in range(len(rows))))
        return start

    def cut(self, rows: list[Codes], copies: list[int]) -> Cut:
        """What the method holds against arrangements of the next chunk.

        Earlier chunks are settled; one that found no arrangement must not spoil the later ones.
        """
        return Cut.of(self.chunks, rows, copies, self.slots, self.reading)

    def add(self, rows: list[Codes], arrangement: Arrangement) -> None:
        """Settle on an arrangement of the next chunk."""
        masks: dict[int, int] = {}
        for row, slots in zip(rows, arrangement, strict=True):
            here = sum(1 << slot for slot in slots)
            for item in row:
                masks[item] = masks.get(item, 0) | here
        self.chunks.append(Settled.of(masks, self.reading.m))


def _reading(release: Disassociated) -> Reading:
    """How the release was cut; refuses what cannot be replayed from the release alone."""
    told = release.parameters
    for hidden, what in (
        (told.get("utility_groups"), "with utility groups"),
        (told.get("persons"), "counting persons, who are not published"),
        (told.get("tie_order", "text") != "text", "with an order of ties that is not published"),
    ):
        if hidden:
            message = f"the release was cut {what}: vpa cannot replay that; choose another method"
            raise ParameterError(message)
    return Reading(release.k, release.m, strict=told.get("reading") == "strict")


def _held(good: list[Arrangement], copies: list[int], slots: int) -> Floats:
    """In how many arrangements each slot (column) holds each sub-record (row)."""
    put = np.array([[slot for here in arrangement for slot in here] for arrangement in good], np.int64)
    cell = np.repeat(np.arange(len(copies)), copies) * slots + put.reshape(len(good), sum(copies))
    return np.bincount(cell.ravel(), minlength=len(copies) * slots).reshape(len(copies), slots).astype(float)


def _codes(release: Disassociated, row: int) -> Codes:
    """Items of one published row, by number."""
    return tuple(release.row_items[release.row_offsets[row] : release.row_offsets[row + 1]].tolist())


# VERPART in the attacker's hands: would the published method have cut these records the same way?
#
# Terms are bit masks over the slots of one cluster (Terrovitis et al., PVLDB 2012, Fig. 5). Written apart from the
# anonymiser: an attacker has the paper, not our kernels.
#
# VERPART tries terms by support, descending, ties by their number, and starts the next chunk when no more term fits.
# Sub-records stay whole wherever they are put, so neither the supports of terms and combinations of one chunk, nor the
# order of terms, depend on the arrangement. What it decides is whether a term of the new chunk would have joined an
# earlier one. So all that an arrangement is held against is laid out once.


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

    def joins(self, mask: int, combinations: Iterable[int]) -> bool:
        """Whether a term may join: each combination with it is held by k slots or, unless strict, by nobody."""
        for held in combinations:
            many = (mask & held).bit_count()
            if many < self.k and (many or self.strict):
                return False
        return True


@dataclass(frozen=True)
class Settled:
    """A chunk that is arranged, for all terms that could have joined it: the combinations each of them would have met.

    VERPART takes the terms of a chunk by support, ties by their number, so that what one term would have met is the
    beginning of what the next one would have. Combinations are kept once, in that order.

    Attributes:
        order: minus the support and number of each term, ascending.
        combinations: different combinations of up to m - 1 terms that somebody holds, in the order they were made in.
        ends: how many of them there are before the first term, and after each.
    """

    order: list[tuple[int, int]]
    combinations: list[int]
    ends: list[int]

    @classmethod
    def of(cls, masks: Masks, m: int) -> Settled:
        """Arrange a chunk: for each of its terms the slots that hold it.

        >>> Settled.of({0: 0b1111, 1: 0b0011}, 2).met(2, 2)
        (15, 3)
        """
        order = sorted((-mask.bit_count(), term) for term, mask in masks.items())
        found: dict[int, None] = {}
        ends = [0]
        grown = Grown(m)
        for _, term in order:
            if grown.add(masks[term]):
                found.update(dict.fromkeys(grown.latest))
                ends.append(len(found))
        return cls(order, list(found), ends)

    def met(self, term: int, support: int) -> tuple[int, ...]:
        """Combinations that VERPART has made when it comes to a term that is not in the chunk."""
        before = bisect_left(self.order, (-support, term))
        if before >= len(self.ends):
            raise TooManyCombinationsError
        return tuple(self.combinations[: self.ends[before]])


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
        settled: Sequence[Settled],
        rows: Sequence[Sequence[int]],
        copies: Sequence[int],
        slots: int,
        reading: Reading,
    ) -> Cut:
        """Lay out the decisions about the terms of ``rows``, given the chunks that are settled.

        >>> cut = Cut.of([Settled.of({0: 0b1111, 1: 0b0011}, 2)], [[2]], [2], 4, Reading(2, 2))
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
            met = tuple(chunk.met(term, support[term]) for chunk in settled)
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
    everyone, grown = (1 << slots) - 1, Grown(reading.m)
    for number, term in enumerate(order):
        if number and not grown.add(masks[order[number - 1]]):
            raise TooManyCombinationsError
        if not reading.joins(masks[term], (everyone,)) or not reading.joins(masks[term], grown.all()):
            return False
    return True


class Grown:
    """Combinations of up to m - 1 terms that somebody holds, of more and more terms."""

    def __init__(self, m: int) -> None:
        self.levels: list[list[int]] = [[] for _ in range(m - 1)]
        self.latest: list[int] = []
        self.many = 0

    def add(self, mask: int) -> bool:
        """Add a term; whether there are still no more combinations than can be checked."""
        if self.many <= MOST_COMBINATIONS:
            more = [[mask], *([held & mask for held in level if held & mask] for level in self.levels[:-1])]
            more = more[: len(self.levels)]
            for level, new in zip(self.levels, more, strict=True):
                level += new
            self.latest = [held for new in more for held in new]
            self.many += len(self.latest)
        return self.many <= MOST_COMBINATIONS

    def all(self) -> Iterator[int]:
        """All of them."""
        return chain.from_iterable(self.levels)
