"""VPA in plain Python: sets of slots are the bits of whole numbers, random orders are those of NumPy."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import chain, islice

import numpy as np

from cloven.kinds.disassociated.covers.worlds import how_many, in_order
from cloven.kinds.disassociated.release import Kind


class TooManyError(Exception):
    """The chunk has more combinations than may be looked at."""


@dataclass(frozen=True)
class Reading:
    k: int
    m: int
    strict: bool = False
    most: int = 20_000

    @classmethod
    def of(cls, release, most=20_000):
        return cls(release.k, release.m, release.parameters.get("reading") == "strict", most)

    def joins(self, mask, combinations):
        """Each combination with the term is held by k slots or, unless strict, by nobody."""
        counts = ((mask & held).bit_count() for held in combinations)
        return all(many >= self.k or not (many or self.strict) for many in counts)


class Grown:
    """Combinations of up to m - 1 terms that somebody holds, of more and more terms."""

    def __init__(self, reading):
        self.levels, self.most = [[] for _ in range(reading.m - 1)], reading.most

    def add(self, mask):
        """Add a term; whether there are still no more combinations than may be looked at."""
        if len(self.all()) <= self.most:
            more = [[mask], *([held & mask for held in level if held & mask] for level in self.levels)]
            for level, new in zip(self.levels, more, strict=False):
                level += new
        return len(self.all()) <= self.most

    def all(self):
        return [*chain.from_iterable(self.levels)]


def in_turn(masks):
    """Terms as VERPART takes them."""
    return sorted((-mask.bit_count(), term) for term, mask in masks.items())


@dataclass(frozen=True)
class Settled:
    """A chunk that is arranged: its terms in turn, and the combinations made before the first, and after each."""

    order: list
    made: list

    @classmethod
    def of(cls, masks, reading):
        order, made, grown = in_turn(masks), [[]], Grown(reading)
        for _, term in order:
            if grown.add(masks[term]):
                made.append(grown.all())
        return cls(order, made)

    def met(self, term, support):
        """Combinations that VERPART has made when it comes to a term that is not in the chunk."""
        before = bisect_left(self.order, (-support, term))
        if before >= len(self.made):
            raise TooManyError
        return self.made[before]


def masks_of(rows, arrangement):
    """Slots of each term."""
    masks = {}
    for row, slots in zip(rows, arrangement, strict=True):
        for item in row:
            masks[item] = masks.get(item, 0) | sum(1 << slot for slot in slots)
    return masks


def packed(copies):
    """Some arrangement."""
    ends = np.cumsum(copies).tolist()
    return tuple(tuple(range(end - many, end)) for end, many in zip(ends, copies, strict=True))


def fits_together(rows, copies, reading):
    """Whether VERPART lets the terms of a chunk into one."""
    masks, grown = masks_of(rows, packed(copies)), Grown(reading)
    for number, (support, term) in enumerate(order := in_turn(masks)):
        if number and not grown.add(masks[order[number - 1][1]]):
            raise TooManyError
        if -support < reading.k or not reading.joins(masks[term], grown.all()):
            return False
    return True


def check_of(settled, rows, copies, reading):
    """What says whether VERPART would have cut an arrangement of one more chunk the same way."""
    fits = fits_together(rows, copies, reading)
    supports = {term: mask.bit_count() for term, mask in masks_of(rows, packed(copies)).items()}
    rivals = {term: many for term, many in supports.items() if many >= reading.k}
    met = {term: [chunk.met(term, many) for chunk in settled] for term, many in rivals.items()}

    def passes(arrangement):
        masks = masks_of(rows, arrangement)
        return fits and not any(
            reading.joins(masks[term], combinations) for term in rivals for combinations in met[term]
        )

    return passes


@dataclass
class Joined:
    """The chunks of one cluster that have been put together so far."""

    slots: int
    reading: Reading
    settled: list = field(default_factory=list)

    @classmethod
    def anchors(cls, asked, release, cluster, reading):
        first, last = asked.slot_offsets[cluster : cluster + 2].tolist()
        start = cls(last - first, reading)
        rows = [items_of(release, row) for row in asked.slot_anchor[first:last] if row >= 0]
        start.add(rows, packed([1] * len(rows)))
        return start

    def add(self, rows, arrangement):
        self.settled.append(Settled.of(masks_of(rows, arrangement), self.reading))


def items_of(release, row):
    return tuple(release.row_items[release.row_offsets[row] : release.row_offsets[row + 1]].tolist())


def chunks_of(asked, release):
    """Targets of each record chunk after the first, by cluster and number; all must be asked about."""
    found = {}
    for target in np.flatnonzero(asked.target_kind == Kind.RECORD).tolist():
        row = asked.target_row[target]
        found.setdefault((int(release.row_cluster[row]), int(release.row_chunk[row])), []).append(target)
    return sorted(found.items())


def guessed(release, asked, seed, tries, most=20_000):
    """Scores and chosen slots of the sub-records of record chunks, and what is noted."""
    score, chosen = np.full(len(asked.slots), np.nan), np.zeros(len(asked.slots), bool)
    notes, before = dict.fromkeys(("chunks", "all pass", "none passes", "too large"), 0), None
    for (cluster, _), targets in chunks_of(asked, release):
        if cluster != before:
            joined, before = Joined.anchors(asked, release, cluster, Reading.of(release, most)), cluster
            rng = np.random.default_rng([seed, cluster])
        rows = [items_of(release, asked.target_row[target]) for target in targets]
        copies = asked.target_copies[targets].tolist()
        kept, tried, passing = tried_out(joined, rows, copies, tries, rng)
        joined.add(rows, kept)
        notes["chunks"] += 1
        if not 0 < len(passing) < tried:
            notes["too large" if not tried else "all pass" if passing else "none passes"] += 1
        for number, target in enumerate(targets):
            here = asked.offsets[target] + np.arange(joined.slots)
            chosen[here[list(kept[number])]] = True
            if 0 < len(passing) < tried:
                held = np.bincount([*chain(*(each[number] for each in passing))], minlength=joined.slots)
                score[here] = held / len(passing)
    return score, chosen, notes


def tried_out(joined, rows, copies, tries, rng):
    """The arrangement to go on with, how many were tried for the scores, and which of these pass."""
    slots, possible = joined.slots, how_many(copies, joined.slots)
    first = [*islice(in_order(copies, slots), tries)]
    try:
        passes = check_of(joined.settled, rows, copies, joined.reading)
    except TooManyError:
        return first[0], 0, []
    kept = next(filter(passes, first), first[0])
    if possible > tries:
        orders = rng.permuted(np.tile(np.arange(slots), (tries, 1)), axis=1).tolist()
        first = [tuple(tuple(order[slot] for slot in part) for part in packed(copies)) for order in orders]
    return kept, len(first), [*filter(passes, first)]
