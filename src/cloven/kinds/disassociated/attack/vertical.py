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
from functools import cached_property
from itertools import chain, pairwise
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import Flags, Longs, compiled, compiled_early
from cloven.data.arrays import offsets_of, positions
from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack.questions import given_or_all, targets_of
from cloven.kinds.disassociated.attack.selection import finished, select
from cloven.kinds.disassociated.covers.worlds import Arrangement, first_in_order, how_many
from cloven.kinds.disassociated.release import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Floats, Ints
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
                lots = Lots(np.random.default_rng([seed, chunk.cluster]).bit_generator)
            rows = _codes(release, chunk.rows)
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

    def _try(self, joined: Joined, rows: list[Codes], copies: list[int], lots: Lots) -> Trial:
        """Look for arrangements of one more chunk that pass."""
        possible, slots = how_many(copies, joined.slots), joined.slots
        in_turn = first_in_order(np.array(copies), slots, min(possible, self.tries))
        try:
            cut = joined.cut(rows, copies)
        except TooManyCombinationsError:
            return Trial(_arranged(in_turn[0], copies), np.zeros((len(rows), slots)), 0, 0)
        put, good = in_turn, cut.passing(in_turn, len(in_turn) if possible <= self.tries else 1)
        # The first that passes stays, or the first of all.
        kept = _arranged(in_turn[int(good.argmax())], copies)
        if possible > self.tries:
            # As if each were drawn alone: a permutation of the slots, of which the sub-records take the first.
            put = lots.orders(self.tries, slots, sum(copies))
            good = cut.passing(put, len(put))
        held = _held(put[good], copies, slots)
        return Trial(kept, held, int(good.sum()), len(put))


@dataclass
class Lots:
    """Random orders of the slots of one cluster, the same as ``Generator.permuted`` gives, in a third of the time.

    Attributes:
        source: of 64 random bits at a time; the lower half of them is used first.
        left: numbers of 32 bits that were drawn and not used.
    """

    source: np.random.BitGenerator
    left: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, np.uint32))

    def orders(self, many: int, slots: int, places: int) -> Longs:
        """So many random orders of the slots, a row for each; the first ``places`` of each."""
        needed, used = int(many * lots_of_an_order(slots) + 6 * sqrt(2 * many * slots)) + 1, -1
        while used < 0:
            missing = max(0, needed - len(self.left) + 1) // 2
            drawn = np.asarray(self.source.random_raw(missing), "<u8").view("<u4")
            self.left = np.concatenate((self.left, drawn))
            put, used = shuffled(self.left, many, slots, places)
            needed += needed // 8 + 1
        self.left = self.left[used:]
        return put


@compiled
def lots_of_an_order(slots: int) -> float:
    """How many are expected: a number below a power of two is drawn until it is small enough."""
    found, power = 0.0, 2
    for last in range(1, slots):
        power = 2 * power if last == power else power
        found += power / (last + 1)
    return found


@compiled_early
def shuffled(lots: Ints, many: int, slots: int, places: int) -> tuple[Ints, int]:
    """The first places of random orders, and how many lots they took; -1 if there were too few.

    Each slot from the last on is exchanged with one up to it (R. Durstenfeld, Communications of the ACM 7, 1964, 420).
    """
    put, order, used = np.empty((many, places), np.int64), np.empty(slots, np.int64), 0
    top = 1
    while top < slots - 1:
        top = 2 * top + 1
    for row in range(many):
        for slot in range(slots):
            order[slot] = slot
        last, mask = slots - 1, top
        while last > 0:
            if used == len(lots):
                return put, -1
            drawn = int(np.int64(lots[used])) & mask
            used += 1
            # A lot that is too large changes nothing; to branch on it would take longer.
            other = min(drawn, last)
            order[last], order[other] = order[other], order[last]
            last -= int(drawn <= last)
            mask = mask >> 1 if last <= mask >> 1 else mask
        put[row] = order[:places]
    return put, used


class Chunk(NamedTuple):
    """A record chunk: its cluster, its different sub-records with their copies, and their targets, -1 if not asked."""

    cluster: int
    rows: Longs
    copies: list[int]
    targets: Longs


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
        yield Chunk(int(release.row_cluster[rows[0]]), rows, many.tolist(), targets)


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
        asked = np.flatnonzero(chunk.targets >= 0)
        first = offsets[chunk.targets[asked]]
        kept = np.array([slot for number in asked.tolist() for slot in self.kept[number]], np.int64)
        chosen[np.repeat(first, np.array(chunk.copies)[asked]) + kept] = True
        if 0 < self.passed < self.tried:
            score[first[:, None] + np.arange(self.held.shape[1])] = self.held[asked] / self.passed


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
        anchor = asked.slot_anchor[first:last]
        rows = _codes(release, anchor[anchor >= 0])
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
            here = 0
            for slot in slots:
                here |= 1 << slot
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


def _one_after_the_other(arrangements: Sequence[Arrangement]) -> Longs:
    """Arrangements as rows of a table: the slots of the first sub-record, of the next, and so on."""
    put = [list(chain.from_iterable(arrangement)) for arrangement in arrangements]
    return np.array(put, np.int64).reshape(len(arrangements), -1)


def _arranged(row: Longs, copies: list[int]) -> Arrangement:
    """The slots of each sub-record, from such a row."""
    return tuple(
        tuple(row[first:last].tolist()) for first, last in pairwise(offsets_of(np.array(copies)).tolist())
    )


def _held(put: Longs, copies: list[int], slots: int) -> Floats:
    """In how many arrangements, given as rows of slots, each slot (column) holds each sub-record (row)."""
    cell = np.repeat(np.arange(len(copies)), copies) * slots + put
    return np.bincount(cell.ravel(), minlength=len(copies) * slots).reshape(len(copies), slots).astype(float)


def _codes(release: Disassociated, rows: Longs) -> list[Codes]:
    """Items of published rows, by number."""
    starts, lengths = release.row_offsets[rows], release.row_offsets[rows + 1] - release.row_offsets[rows]
    items = release.row_items[positions(starts, lengths)].tolist()
    bounds = offsets_of(lengths).tolist()
    return [tuple(items[first:last]) for first, last in pairwise(bounds)]


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


BITS = 62
"""Slots in one number of an array."""
ALL_BITS = (1 << BITS) - 1


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
        return tuple(self.combinations[: self.how_many_met([(-support, term)])[0]])

    def how_many_met(self, terms: Iterable[tuple[int, int]]) -> list[int]:
        """How many of the combinations each term (minus its support, and its number) would have met: the first ones."""
        try:
            return [self.ends[bisect_left(self.order, term)] for term in terms]
        except IndexError:  # they were not all made
            raise TooManyCombinationsError from None

    @cached_property
    def words(self) -> Longs:
        """The combinations as rows of numbers, the lowest slots first; as many as the highest slot takes."""
        many = -(-max(map(int.bit_length, self.combinations), default=0) // BITS)
        pieces = [[held >> BITS * word & ALL_BITS for word in range(many)] for held in self.combinations]
        return np.array(pieces, np.int64).reshape(len(pieces), many)


@dataclass(frozen=True)
class Cut:
    """What VERPART holds against arrangements of one more chunk.

    Attributes:
        reading: how combinations are counted.
        possible: whether any arrangement can pass.
        slots: how many slots the cluster has.
        copies: how many of them hold each sub-record.
        settled: earlier chunks.
        rivals: for each term that might have joined earlier chunks, the sub-records that hold it.
        met: for each of these chunks, how many of its combinations each of these terms would have met.
    """

    reading: Reading
    possible: bool
    slots: int
    copies: tuple[int, ...]
    settled: tuple[Settled, ...]
    rivals: list[tuple[int, ...]]
    met: list[list[int]]

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
            rivals.append((term, tuple(here)))
        met = [chunk.how_many_met([(-support[term], term) for term, _ in rivals]) for chunk in settled]
        possible = possible and all(map(all, met))
        return cls(reading, possible, slots, tuple(copies), tuple(settled), [here for _, here in rivals], met)

    def passes(self, arrangement: Arrangement) -> bool:
        """Whether VERPART would have made the same chunks of these records."""
        return bool(self.passing(_one_after_the_other([arrangement]), 1)[0])

    def passing(self, put: Longs, most: int) -> Flags:
        """The same for many arrangements: a row for each, with the slots of all sub-records, one after the other.

        None is looked at after ``most`` have passed.
        """
        if not self.possible:
            return np.zeros(len(put), bool)
        if not self.rivals:
            return np.ones(len(put), bool)
        return _passing(put, *self._layout, self.reading.k, self.reading.strict, most)

    @cached_property
    def _layout(self) -> tuple[Longs, tuple[Longs, Longs], tuple[Longs, Longs], Longs]:
        """The same in arrays; see ``_passing``."""
        holders = np.array(list(chain.from_iterable(self.rivals)))
        return (
            offsets_of(np.array(self.copies)),
            (offsets_of(np.array(list(map(len, self.rivals)))), holders),
            self._combinations,
            np.array(self.met, np.int64).reshape(len(self.settled), len(self.rivals)),
        )

    @property
    def _combinations(self) -> tuple[Longs, Longs]:
        """Where the combinations of each earlier chunk start, and the slots of each as bits of several numbers."""
        starts = offsets_of(np.array([len(chunk.combinations) for chunk in self.settled], np.int64))
        words = np.zeros((int(starts[-1]), -(-self.slots // BITS)), np.int64)
        for first, last, chunk in zip(starts[:-1].tolist(), starts[1:].tolist(), self.settled, strict=True):
            words[first:last, : chunk.words.shape[1]] = chunk.words
        return starts, words


@compiled
def _passing(
    put: Ints,
    offsets: Ints,
    holders: tuple[Ints, Ints],
    combinations: tuple[Ints, Ints],
    met: Ints,
    k: int,
    strict: bool,
    most: int,
) -> Flags:
    """Which arrangements let no term join an earlier chunk.

    Args:
        put: the slots of the sub-records, a row for each arrangement.
        offsets: where each sub-record starts in a row.
        holders: the sub-records that hold each term: where they start, and which they are.
        combinations: where those of each earlier chunk start, and the slots of each (bits).
        met: for each chunk (row) how many of its combinations each term (column) would have met.
        k: the least number of records that hold a combination.
        strict: whether a combination that nobody holds counts against the term.
        most: after so many no more are looked at.
    """
    found, passed = np.zeros(len(put), np.bool_), 0
    mask = np.zeros(combinations[1].shape[1], np.int64)
    for i in range(len(put)):
        if passed == most:
            break
        found[i] = True
        for term in range(met.shape[1]):
            mask[:] = 0
            for at in range(holders[0][term], holders[0][term + 1]):
                for place in range(offsets[holders[1][at]], offsets[holders[1][at] + 1]):
                    slot = put[i, place]
                    mask[slot // BITS] |= np.int64(1) << np.int64(slot % BITS)
            for chunk in range(len(met)):
                first = combinations[0][chunk]
                if _joins(mask, combinations[1], first, first + met[chunk, term], k, strict):
                    found[i] = False
                    break
            if not found[i]:
                break
        passed += found[i]
    return found


@compiled
def _joins(mask: Ints, combinations: Ints, first: int, last: int, k: int, strict: bool) -> bool:
    """``Reading.joins`` for slots in several words: each combination is held by k, or unless strict by nobody."""
    for combination in range(first, last):
        many = 0
        for word in range(len(mask)):
            left = mask[word] & combinations[combination, word]
            while left != 0 and many < k:
                left &= left - 1
                many += 1
        if many < k and (many > 0 or strict):
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
