"""Were the buckets of a sliced table cut as ``partition = "replay-proof"`` promises: without a look at who has what?

The promise (docs/decisions/0010): what is done with a bucket follows from its quasi-identifiers, from how often it has
each sensitive value, and from lots. So whoever knows the table can say of every bucket, from the whole table on, how
it has to be cut, and this is done here by a code of its own:

- along the widest axis, at the border nearest to the middle, if both halves were l-diverse whoever had which value;
  else along the next widest;
- else along the widest axis into two halves of the same size, on the same condition; lots decide about equal rows;
- else, with one sensitive column, the rows of each sensitive value are dealt to both halves by lot, whatever their
  quasi-identifiers; if even that would break the promise, the bucket stays.

Where the cut is forced, no published bucket may lie on both sides of it, and none may stay whole. Where lots decide,
nobody can say which bucket a row must be in. Then lots are drawn here a number of times for the people who are there,
and the published buckets must be as many, and their rows as much alike, as lots make them: rows that were cut by what
they are like instead of dealt are far more alike. Who is there follows from the cuts as long as no lot decided, and
from the key. It takes the people themselves: their sensitive values go with what they are like, and rows whose values
are exchanged inside their buckets can be cut far more often.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.kinds.tables.verify.chances import secrets
from cloven.kinds.tables.verify.promise import number_rows
from cloven.verification.verdict import NOT_CHECKED, Check, Fault, conclude

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.data.table import Attribute, Table
    from cloven.kinds.tables.release import CellDomain, Sliced
    from cloven.kinds.tables.verify.promise import Promise


NAME = "cut as promised"
MOST_DRAWS, FEWEST_DRAWS, ROWS_DRAWN = 20, 3, 20_000
"""How often lots are drawn: so often that about so many rows are cut in all."""
ROUGHLY = {True: 1e-3, False: 5e-3}
"""Share of a figure that is never taken for a difference, after many draws and after few of many rows."""
FAR = 8.0
"""Standard deviations away from what lots make; replay-proof buckets seldom get there, others are much farther."""
MOST_AGAIN, ROWS_AGAIN = 1_000, 30_000
"""How often lots are drawn once more before a release is refused, so that about so many rows are cut at most."""


def check_replay(
    release: Sliced, promise: Promise, original: Table | None, persons: Longs | None = None
) -> list[Check]:
    """The promise of replay-proof buckets; nothing where it is not made.

    ``persons`` are the rows of the original in the order of the buckets that they are in, as a sound key says.
    """
    given = release.parameters
    if given.get("partition") != "replay-proof":
        return []
    faults = [
        Fault(
            int(given.get("check") != "bucket"), "replay-proof buckets are each l-diverse by check = 'bucket'"
        ),
        Fault(
            int(given.get("companions", 0) != 0 and given.get("columns") != "chosen"),
            "companions were chosen by sensitive values, which replay-proof buckets do not allow",
        ),
    ]
    if any(fault.count for fault in faults):
        return [conclude(NAME, "release", release.buckets, faults, "")]
    why = _undecidable(release, promise, original)
    if why or original is None or promise.l is None:
        detail = (
            f"{NOT_CHECKED}: that buckets were cut without a look at who has which sensitive value; {why}"
        )
        return [Check(NAME, "release", passed=True, examined=0, detail=detail, decided=False)]
    names = [attribute.name for attribute in original.attributes]
    people = original.codes[:, [names.index(domain.name) for domain in release.domains]]
    found = _Replay(
        release,
        SafeCuts.of(release, release.cells, ranks_of(release, original, people=False), promise),
        # In the original every quasi-identifier stands beside the value of its person.
        SafeCuts.of(release, people, ranks_of(release, original, people=True), promise),
        persons,
    )
    found.follow()
    told = f"{found.forced:,} cuts are as they must be, {found.drawn:,} rows are in buckets as lots make them"
    if found.unknown and not found.faults:
        detail = (
            f"{told}; {NOT_CHECKED}: {found.unknown:,} rows, as lots decided who is among them; give the key"
        )
        return [Check(NAME, "original", passed=True, examined=release.buckets, detail=detail, decided=False)]
    return [conclude(NAME, "original", release.buckets, found.faults, told)]


def _undecidable(release: Sliced, promise: Promise, original: Table | None) -> str:
    """Why the cuts cannot be followed; nothing if they can."""
    if original is None:
        return "give the original"
    if promise.exchanged:
        return "values were exchanged after the cuts"
    if len(release) != len(original) or promise.invented:
        return "not all rows are published"
    if any(beside for _, beside in secrets(release, jointly=promise.jointly)):
        return "sensitive attributes stand in a column with others"
    if any(int(np.diff(domain.member_offsets).max(initial=1)) > 1 for domain in release.domains):
        return "cells are not single values"
    return ""


class _Part(NamedTuple):
    """A part of the table.

    Attributes:
        rows: published rows.
        people: rows of the original, of the same people in another order; None where lots decided who they are.
    """

    rows: Longs
    people: Longs | None


@dataclass
class _Replay:
    """Follow the cuts from the whole table down to the published buckets, or to where lots decide."""

    release: Sliced
    cuts: SafeCuts
    original: SafeCuts
    persons: Longs | None = None
    faults: list[Fault] = field(default_factory=list)
    forced: int = 0
    drawn: int = 0
    unknown: int = 0

    def __post_init__(self) -> None:
        sizes = np.diff(self.release.bucket_offsets)
        self.bucket = np.repeat(np.arange(len(sizes)), sizes)

    def follow(self) -> None:
        """Until every bucket is reached, or a fault is found."""
        everybody = np.arange(len(self.release))
        waiting = [_Part(everybody, everybody)]
        while waiting and not self.faults:
            waiting += self._step(waiting.pop())

    def _step(self, part: _Part) -> list[_Part]:
        """Cut these rows as they must be; gives the parts that are still to be followed."""
        rows = part.rows
        whole = len(np.unique(self.bucket[rows])) == 1
        plain = self.cuts.plain(rows)
        if plain is not None:
            return self._parted(part, *plain)
        if whole:
            sure = self.cuts.deal_is_sure(rows)
            return self._fault(rows, "were left in one bucket, though they can be dealt") if sure else []
        if not self.cuts.may_deal(rows):
            return self._fault(rows, "were cut, though no cut is safe whoever has which value")
        return self._by_lots(part)

    def _parted(self, part: _Part, left: Flags, right: Flags) -> list[_Part]:
        """A forced cut; rows on neither side were drawn by lot, and go with their bucket if it tells the side."""
        rows = part.rows
        mine = self.bucket[rows]
        sides = [np.isin(mine, mine[side]) for side in (left, right)]
        if (sides[0] & sides[1]).any():
            return self._fault(rows, "must be cut, and a bucket has rows of both sides")
        if not (
            sides[0] | sides[1]
        ).all():  # buckets of equal rows alone: the side that they are on is not told
            return self._by_lots(part)
        if not (left | right).all() and int(sides[0].sum()) != len(rows) // 2:
            return self._fault(rows, "must be cut in the middle, and were not")
        self.forced += 1
        return [
            _Part(rows[side], people) for side, people in zip(sides, self._people(part, sides), strict=True)
        ]

    def _people(self, part: _Part, sides: list[Flags]) -> tuple[Longs | None, Longs | None]:
        """Who is on both sides of a cut of published rows."""
        if self.persons is not None:
            left, right = (self.persons[part.rows[side]] for side in sides)
            return left, right
        cut = None if part.people is None else self.original.plain(part.people)
        if (
            part.people is None
            or cut is None
            or [int(side.sum()) for side in cut] != [int(side.sum()) for side in sides]
        ):
            return None, None
        return part.people[cut[0]], part.people[cut[1]]

    def _by_lots(self, part: _Part) -> list[_Part]:
        """Draw lots several times: are there as many buckets, and are their rows as much alike?"""
        rows, people = part
        if people is None:
            self.unknown += len(rows)
            return []
        rng = np.random.default_rng(len(rows))
        draws = min(MOST_DRAWS, max(FEWEST_DRAWS, ROWS_DRAWN // len(rows)))
        made = np.array([self._drawn(people, rng) for _ in range(draws)])
        mean, deviation = made.mean(axis=0), made.std(axis=0, ddof=1)
        found = _figures(self.cuts, rows, self.bucket[rows])
        least = ROUGHLY[draws >= MOST_DRAWS // 2] * mean
        room = FAR * np.maximum(deviation, np.maximum(least, (0.5, 0.0)))
        for figure in np.flatnonzero(np.abs(found - mean) > room).tolist():
            below = bool(found[figure] < mean[figure])
            if not self._reached(people, rng, figure, float(found[figure]), below=below):
                told = (
                    f"have {found[0]:,.0f} buckets, and lots make about {mean[0]:,.0f}",
                    f"are {'more' if below else 'less'} alike inside their buckets than lots make them",
                )
                return self._fault(rows, told[figure])
        self.drawn += len(rows)
        return []

    def _reached(
        self, people: Longs, rng: np.random.Generator, figure: int, found: float, *, below: bool
    ) -> bool:
        """Whether lots get there after all if they are drawn often enough.

        Few rows are far from normal: two buckets that happen to part an axis may be many deviations away. An honest
        release fails at most once in as many draws.
        """
        for _ in range(min(MOST_AGAIN, max(FEWEST_DRAWS, ROWS_AGAIN // len(people)))):
            drawn = self._drawn(people, rng)[figure]
            if drawn <= found if below else drawn >= found:
                return True
        return False

    def _drawn(self, people: Longs, rng: np.random.Generator) -> Floats:
        """The figures of one draw."""
        return _figures(self.original, people, self.original.buckets(people, rng))

    def _fault(self, rows: Longs, what: str) -> list[_Part]:
        first = int(self.bucket[rows].min())
        self.faults.append(Fault(1, f"the {len(rows):,} rows around bucket {first} {what}"))
        return []


def _figures(cuts: SafeCuts, rows: Longs, bucket: Longs) -> Floats:
    """How many buckets some rows are in, and how far they lie apart there."""
    return np.array([len(np.unique(bucket)), cuts.ranks.spread(rows, bucket)])


# How replay-proof buckets are cut (docs/decisions/0010), in plain steps that share nothing with the method.
#
# A plain cut is safe if both halves are l-diverse whoever of the rows had which of their sensitive values. Where there
# is none, the rows of each sensitive value are dealt to both halves by lot, if there is one sensitive column.


Sides = tuple["Flags", "Flags"]


@dataclass(frozen=True, eq=False)
class SafeCuts:
    """What is done with some rows of a table.

    Attributes:
        ranks: where the rows lie.
        values: for each secret, the sensitive value of each row.
        stratum: all sensitive values of each row, as one number.
        deals: whether rows may be dealt.
        k: least rows of a bucket.
        l: no value has more than 1/l of a bucket.
    """

    ranks: Ranks
    values: tuple[Longs, ...]
    stratum: Longs
    deals: bool
    k: int
    l: float

    @classmethod
    def of(cls, release: Sliced, cells: NDArray[np.int32], ranks: Ranks, promise: Promise) -> SafeCuts:
        """For rows x attributes of the release, be they its own or those of the original."""
        hidden = [places for places, _ in secrets(release, jointly=promise.jointly)]
        together = sorted({place for places in hidden for place in places})
        columns = [column for column in release.columns if set(column) & set(together)]
        return cls(
            ranks,
            tuple(number_rows(cells[:, places]) for places in hidden),
            number_rows(cells[:, together]),
            len(columns) == 1,
            int(release.k),
            promise.l or 1.0,
        )

    def plain(self, rows: Longs) -> Sides | None:
        """Which rows a safe plain cut sends left and right; lots decide about the others. None if there is none."""
        if len(rows) < 2 * self.k:
            return None
        axes, most = self.ranks.widest(rows), self._most(rows)
        for axis in axes:
            rank = self.ranks.rank[axis, rows]
            left = rank < _border(rank)
            if self._safe(most, int(left.sum()), len(rows)):
                return left, ~left
        half = len(rows) // 2
        if axes and self._safe(most, half, len(rows)):
            rank = self.ranks.rank[axes[0], rows]
            middle = np.partition(rank, half)[half]
            return rank < middle, rank > middle
        return None

    def may_deal(self, rows: Longs) -> bool:
        """Whether rows can be dealt at all."""
        return self.deals and len(rows) >= 2 * self.k

    def deal_is_sure(self, rows: Longs) -> bool:
        """Whether the halves keep the promise however the lots fall."""
        if not self.may_deal(rows):
            return False
        counts = np.bincount(self.stratum[rows])
        smaller = int((counts // 2).sum()) + int((counts % 2).sum()) // 2
        return smaller >= self.k and self._most_of_half(rows) * self.l <= smaller

    def buckets(self, rows: Longs, rng: np.random.Generator) -> Longs:
        """Buckets that may become of some rows: a number for each."""
        bucket, made = np.zeros(len(rows), np.int64), 0
        waiting = [np.arange(len(rows))]
        while waiting:
            part = waiting.pop()
            left = self._cut(rows[part], rng)
            if left is None:
                bucket[part], made = made, made + 1
            else:
                waiting += [part[left], part[~left]]
        return bucket

    def _cut(self, rows: Longs, rng: np.random.Generator) -> Flags | None:
        plain = self.plain(rows)
        if plain is not None:
            left, right = plain[0].copy(), plain[1]
            equal = np.flatnonzero(~(left | right))
            left[rng.permutation(equal)[: max(0, len(rows) // 2 - int(left.sum()))]] = True
            return left
        if not self.may_deal(rows):
            return None
        left = _dealt(self.stratum[rows], rng)
        return left if self._diverse(rows[left]) and self._diverse(rows[~left]) else None

    def _most(self, rows: Longs) -> int:
        return max(int(np.bincount(values[rows]).max()) for values in self.values)

    def _most_of_half(self, rows: Longs) -> int:
        """How many rows with one sensitive value one half can get, at most."""
        found = 0
        for values in self.values:
            for value in np.unique(values[rows]).tolist():
                counts = np.bincount(self.stratum[rows[values[rows] == value]])
                found = max(found, int(((counts + 1) // 2).sum()))
        return found

    def _safe(self, most: int, left: int, rows: int) -> bool:
        smaller = min(left, rows - left)
        return smaller >= self.k and most * self.l <= smaller

    def _diverse(self, rows: Longs) -> bool:
        return len(rows) >= self.k and self._most(rows) * self.l <= len(rows)


def _border(rank: Longs) -> int:
    """The first rank of the right half if equal ones stay together: the border nearest to the middle."""
    half = len(rank) // 2
    middle = int(np.partition(rank, half)[half])
    below, through = int((rank < middle).sum()), int((rank <= middle).sum())
    return middle if half - below <= through - half else middle + 1


def _dealt(stratum: Longs, rng: np.random.Generator) -> Flags:
    """Half of each stratum; of those with an odd number of rows every other one, by lot, sends one more."""
    order = np.lexsort((rng.random(len(stratum)), stratum))
    _, first, many = np.unique(stratum[order], return_index=True, return_counts=True)
    odd = rng.permutation(np.flatnonzero(many % 2))
    half = many // 2
    half[odd[: (len(odd) + int(rng.integers(2))) // 2]] += 1
    place = np.arange(len(order)) - np.repeat(first, many)
    left = np.zeros(len(stratum), np.bool_)
    left[order] = place < np.repeat(half, many)
    return left


# Quasi-identifiers as axes: numbers by size, categories by their tree or name; how wide rows lie on each.


@dataclass(frozen=True, eq=False)
class Ranks:
    """Where published rows lie.

    Attributes:
        rank: axes x rows: place of the row's value among all values that occur, ascending.
        coordinate: for each axis, where the value of each rank lies between 0 and 1.
    """

    rank: Longs
    coordinate: tuple[Floats, ...]

    def widest(self, rows: Longs) -> list[int]:
        """Axes on which some rows differ, the widest first; of equally wide ones the first."""
        widths = []
        for axis, coordinate in enumerate(self.coordinate):
            mine = self.rank[axis, rows]
            widths.append(float(coordinate[mine.max()] - coordinate[mine.min()]))
        order = sorted(range(len(widths)), key=lambda axis: (-widths[axis], axis))
        return [axis for axis in order if widths[axis] > 0]

    def spread(self, rows: Longs, bucket: Longs) -> float:
        """Sum of squares of some rows around the means of their buckets, over all axes."""
        _, number, many = np.unique(bucket, return_inverse=True, return_counts=True)
        total = 0.0
        for axis, coordinate in enumerate(self.coordinate):
            place = coordinate[self.rank[axis, rows]]
            sums = np.bincount(number, place)
            total += float((place * place).sum() - (sums * sums / many).sum())
        return total


def ranks_of(release: Sliced, original: Table, *, people: bool) -> Ranks:
    """Axes in the order of the original's quasi-identifiers, with its rows (``people``) or those of the release.

    Cells of the release must be single values.
    """
    places = {domain.name: place for place, domain in enumerate(release.domains)}
    ranks, coordinates = [], []
    for number, attribute in enumerate(original.attributes):
        if attribute.role != "quasi-identifier" or attribute.name not in places:
            continue
        codes = original.codes[:, number]
        if not people:
            place = places[attribute.name]
            codes = _codes(release.domains[place], attribute)[release.cells[:, place]]
        there, rank = np.unique(np.array(_walk(attribute), np.int64)[codes], return_inverse=True)
        ranks.append(rank.astype(np.int64))
        coordinates.append(_spread_out(attribute, there))
    return Ranks(np.array(ranks, np.int64).reshape(len(ranks), len(original)), tuple(coordinates))


def _codes(domain: CellDomain, attribute: Attribute) -> NDArray[np.int32]:
    """The value of each cell, by its code in the original."""
    code_of = {value: code for code, value in enumerate(attribute.values)}
    return np.array([code_of[domain.values[member]] for member in domain.members.tolist()], np.int32)


def _walk(attribute: Attribute) -> list[int]:
    """Where each value stands when related ones stand side by side."""
    walk = list(range(len(attribute.values)))
    tree = attribute.tree
    if tree is not None and attribute.numbers is None:
        met = sorted(walk, key=lambda leaf: tuple(reversed(tree.path(leaf))))
        for number, leaf in enumerate(met):
            walk[leaf] = number
    return walk


def _spread_out(attribute: Attribute, there: Longs) -> Floats:
    """Numbers by size, categories evenly, from 0 to 1."""
    raw = np.arange(len(there), dtype=float) if attribute.numbers is None else attribute.numbers[there]
    width = float(raw[-1] - raw[0])
    return (raw - raw[0]) / width if width else np.zeros(len(there))
