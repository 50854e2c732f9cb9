"""The reader who learns from the release itself (deFinetti attack; Kifer, SIGMOD 2009).

Buckets hide which row has which value, but not that values go with quasi-identifiers across buckets. A model P(s) prod
P(q | s) is fitted to the parts of every column by expectation and maximisation: a part has each value of its bucket
with a chance that goes by the copies there and by the model: over all ways to deal them to the rows where the bucket is
small, else scaled until the expected copies are right (iterative proportional fitting, which is less sure). A person
then has a value of one of the buckets that fit, by what the parts that fit them have; somebody who is not in the table
has what the model alone says. Inside coarse cells, too, values go with what they go with elsewhere.

To begin with, either parts have the values of their bucket in their shares, or P(q | s) is the answer by least squares
to "rows of a bucket with q = sum over s of copies of s times P(q | s)". Where buckets are dealt by lot the second is
right on average and much sharper; where they hold alike people it is not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from cloven.compiled import Flags, Floats, Ints, Longs, compiled
from cloven.data.arrays import positions
from cloven.errors import ParameterError
from cloven.kinds.tables.attack.matching import ColumnParts, rows_expected
from cloven.kinds.tables.attack.values import combined, to_find_out
from cloven.kinds.tables.buckets import Buckets, published_shares, spread

if TYPE_CHECKING:
    from cloven.kinds.tables.guesses import Known, ValueGuesses
    from cloven.kinds.tables.release import TableRelease


Start = Literal["shares", "regression"]
ROUNDS = {"shares": 10, "regression": 3}
_PERSONS = 2_000  # worked on at once
_LEAST = 1e-300  # keeps logarithms finite
_RIDGE = 1e-6  # values that always come together cannot be told apart


@dataclass(frozen=True)
class Learned:
    """Find out a value by what the release teaches.

    Attributes:
        attribute: what is to be found out; the only sensitive attribute if left out.
        start: what is believed to begin with, ``shares`` or ``regression``.
        rounds: of expectation and maximisation; 10, or 3 after a regression, if left out.
        fittings: how often expected copies are made to fit, in each round.
        smoothing: what is added to every count of a value of a quasi-identifier with a sensitive value.
        most_ways: ways in which the values of a bucket may be used up so far, at most, for all deals to be summed.
    """

    attribute: str | None = None
    start: Start = "shares"
    rounds: int | None = None
    fittings: int = 5
    smoothing: float = 1.0
    most_ways: int = 512

    def __post_init__(self) -> None:
        if self.start not in get_args(Start):
            message = f"start must be one of {', '.join(get_args(Start))} (got {self.start!r})"
            raise ParameterError(message)
        for name in ("rounds", "fittings"):
            if getattr(self, name) is not None and getattr(self, name) < 1:
                message = f"{name} must be a whole number from 1 (got {getattr(self, name)})"
                raise ParameterError(message)
        if not self.smoothing > 0:
            message = (
                f"smoothing must be above 0, or what was never seen is impossible (got {self.smoothing})"
            )
            raise ParameterError(message)

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {
            "name": "learned",
            "attribute": self.attribute,
            "start": self.start,
            "rounds": self.rounds,
            "fittings": self.fittings,
            "smoothing": self.smoothing,
            "most_ways": self.most_ways,
        }

    def guess(self, release: TableRelease, known: Known, away: Flags | None = None) -> ValueGuesses:
        """Guess the value of every person; those ``away`` are known not to be in the table, and have no bucket."""
        view = Buckets.of(known.reads(release)).with_rows()
        attribute = to_find_out([view], self.attribute, known)
        place = view.position(attribute)
        columns = [ColumnParts.of(view, known, number, place) for number in range(len(view.columns))]
        shown = Shown.of(view, place)
        taught = [self._taught(view, shown, column, place, number) for number, column in enumerate(columns)]
        prior = published_shares(view, place)
        chances, matched = _alone(taught, view, known, prior), np.zeros(len(known), np.int64)
        here = np.ones(len(known), bool) if away is None else ~away
        inside, possible, fitting = _in_buckets(view, known.take(here), columns, shown, taught)
        chances[here] = np.where(fitting[:, None] > 0, inside, chances[here])
        matched[here] = fitting
        values = view.domains[place].values
        found = combined(attribute, values, chances[None], prior, matched[:, None], self.parameters)
        # A model makes nothing certain: what is left is what is left without one.
        left = np.zeros_like(found.candidate)
        left[here] = possible
        return replace(found, candidate=left, confidence=chances)

    def _taught(self, view: Buckets, shown: Shown, column: ColumnParts, place: int, number: int) -> Taught:
        """What the parts of one column teach; where the value stands in it, nothing has to be guessed."""
        parts = Parts.of(view, shown, column, place if view.column_of(place) == number else None)
        chance = parts.start
        if self.start == "regression" and not parts.told and column.attributes:
            theta = [self._regressed(view, shown, q) for q in column.attributes]
            chance = self._expected(view, parts, column, theta)
        else:
            sizes = [len(view.domains[q].values) for q in column.attributes]
            theta = [np.full((size, shown.width), 1.0 / size) for size in sizes]
        for _ in range(self.rounds or ROUNDS[self.start] if column.attributes else 0):
            theta = [self._counted(view, parts, chance, column, at, theta[at]) for at in range(len(theta))]
            if not parts.told:
                chance = self._expected(view, parts, column, theta)
        return Taught(column, parts, chance, tuple(theta), coarse(view, column))

    def _regressed(self, view: Buckets, shown: Shown, place: int) -> Floats:
        """P(q | s) by least squares over buckets; what comes out below 0 is 0."""
        from scipy.sparse import csr_array

        copies = csr_array((shown.copies, shown.values, shown.offsets), shape=(len(view), shown.width))
        normal = (copies.T @ copies).toarray() + np.eye(shown.width) * _RIDGE
        shares = np.linalg.solve(normal, (copies.T @ view.cell_counts(place)).toarray()).T
        totals = np.asarray(copies.sum(axis=0)).reshape(-1)
        found = holding(view, place).T @ (np.maximum(shares, 0.0) * totals) + self.smoothing
        out: Floats = found / found.sum(axis=0)
        return out

    def _counted(
        self, view: Buckets, parts: Parts, chance: Floats, column: ColumnParts, at: int, theta: Floats
    ) -> Floats:
        """Maximisation: how likely each value of a quasi-identifier is with each sensitive value."""
        holds = holding(view, column.attributes[at])
        cells, width = holds.shape[0], theta.shape[1]
        cell = column.parts[parts.part, at][parts.slot].astype(np.int64)
        counts = np.bincount(cell * width + parts.value, parts.rows[parts.slot] * chance, cells * width)
        share = counts.reshape(cells, width) / np.maximum(holds @ theta, _LEAST)
        found = theta * (holds.T @ share) + self.smoothing
        out: Floats = found / found.sum(axis=0)
        return out

    def _expected(self, view: Buckets, parts: Parts, column: ColumnParts, theta: list[Floats]) -> Floats:
        """Expectation: how likely each part has each value of its bucket, the copies of values being right."""
        fit = np.zeros(len(parts.slot))
        for at, place in enumerate(column.attributes):
            logs = np.log(np.maximum(holding(view, place) @ theta[at], _LEAST))
            fit += logs[column.parts[parts.part, at][parts.slot], parts.value]
        fit -= np.maximum.reduceat(fit, parts.starts)[parts.slot]
        likely = np.exp(fit)
        chance = parts.copies * likely
        for _ in range(self.fittings):
            chance /= np.add.reduceat(chance, parts.starts)[parts.slot]
            copies = np.bincount(parts.pool, parts.rows[parts.slot] * chance, parts.pools)
            chance *= parts.copies / np.maximum(copies[parts.pool], _LEAST)
        out: Floats = chance / np.add.reduceat(chance, parts.starts)[parts.slot]
        dealt(
            parts.of_bucket,
            parts.rows.astype(np.int64),
            parts.starts,
            likely,
            parts.offered,
            parts.whole,
            self.most_ways,
            out,
        )
        return out


def _alone(taught: list[Taught], view: Buckets, known: Known, prior: Floats) -> Floats:
    """What the model says of each person who has no bucket."""
    found = np.tile(np.log(np.maximum(prior, _LEAST)), (len(known), 1))
    for column in taught:
        for place, theta in zip(column.column.attributes, column.theta, strict=True):
            at = known.at(view.domains[place])
            found += np.where(at[:, None] >= 0, np.log(np.maximum(theta[np.maximum(at, 0)], _LEAST)), 0.0)
    found -= found.max(axis=1, keepdims=True)
    likely = np.exp(found) * (prior > 0)
    out: Floats = likely / likely.sum(axis=1, keepdims=True)
    return out


def _in_buckets(
    view: Buckets, known: Known, columns: list[ColumnParts], shown: Shown, taught: list[Taught]
) -> tuple[Floats, Flags, Longs]:
    """What the model and the buckets that fit say of each person, what is possible at all, and how many fit."""
    shape = (len(known), shown.width)
    chances, possible, matched = np.zeros(shape), np.zeros(shape, bool), np.zeros(len(known), np.int64)
    for start in range(0, len(known), _PERSONS):
        block = slice(start, start + _PERSONS)
        some = known.take(np.arange(len(known))[block])
        fits = [column.parts_of(some) for column in columns]
        weights = rows_expected(columns, [fit[1] for fit in fits], view.sizes)
        matched[block] = np.diff(weights.indptr)
        chances[block], possible[block] = _combined(
            view, some, shown, taught, [fit[0] for fit in fits], weights
        )
    return chances, possible, matched


def _combined(
    view: Buckets, some: Known, shown: Shown, taught: list[Taught], fits: list[Any], weights: Any
) -> tuple[Floats, Flags]:
    """Persons x values: over the buckets that fit, by what the fitting parts of all columns have; and what is possible.

    Possible is what fitting rows show, however unlikely the model makes it.
    """
    pairs_of = np.diff(shown.offsets)
    total = int(pairs_of[weights.indices].sum())
    where = np.repeat(np.arange(len(weights.indices)), pairs_of[weights.indices])
    pool = positions(shown.offsets[weights.indices], pairs_of[weights.indices])
    belief, possible = np.ones(total), np.ones(total, bool)
    for column, fit in zip(taught, fits, strict=True):
        at = np.column_stack(
            [some.at(view.domains[place]) for place in column.column.attributes]
        ) if column.column.attributes else np.zeros((len(some), 0), np.int64)  # fmt: skip
        ratios = _ratios(view, column) if column.coarse else None
        found = believed(
            weights.indptr.astype(np.int64), weights.indices.astype(np.int64), fit.indptr.astype(np.int64),
            fit.indices.astype(np.int64), column.parts.of_bucket,
            column.parts.part, column.parts.starts, column.lift, shown.offsets, shown.values, total,
            at, *(_NO_RATIOS if ratios is None else ratios), column.column.parts.astype(np.int64), shown.width,
        )  # fmt: skip
        belief *= found
        if column.parts.told:
            possible = found > 0
    sums = (
        np.add.reduceat(belief, np.concatenate(([0], np.cumsum(pairs_of[weights.indices])))[:-1])
        if total
        else belief
    )
    person = np.repeat(np.arange(len(some)), np.diff(weights.indptr))
    share = weights.data / np.bincount(person, weights.data, len(some))[person]
    scaled = belief * (share / np.maximum(sums, _LEAST))[where]
    cell = person[where] * shown.width + shown.values[pool]
    shape = (len(some), shown.width)
    each = np.bincount(cell, scaled, len(some) * shown.width).reshape(shape).astype(float)
    return each, np.bincount(cell[possible], minlength=len(some) * shown.width).reshape(shape) > 0


_NO_RATIOS = (np.zeros(0), np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64))


def _ratios(view: Buckets, column: Taught) -> tuple[Floats, Longs, Floats, Longs]:
    """For the kernel: values, and cells, x sensitive values of all attributes behind each other."""
    thetas = [theta.reshape(-1) for theta in column.theta]
    cells = [
        (holding(view, place) @ theta).reshape(-1)
        for place, theta in zip(column.column.attributes, column.theta, strict=True)
    ]
    starts = [np.concatenate(([0], np.cumsum([len(each) for each in some])))[:-1] for some in (thetas, cells)]
    return (
        np.concatenate(thetas),
        starts[0].astype(np.int64),
        np.concatenate(cells),
        starts[1].astype(np.int64),
    )


# What a table may teach: values of buckets, parts that may have them, and what goes with what once it is learned.


MOST_PAIRS = 50_000_000
"""Parts and values that may belong together, at most: about two gigabytes."""


@dataclass(frozen=True, eq=False)
class Shown:
    """Values that each bucket shows, and how many copies of each.

    Attributes:
        width: how many values there are.
        offsets: where the values of each bucket start.
        values: the values, ascending in each bucket.
        copies: how many rows have each.
    """

    width: int
    offsets: Longs
    values: Longs
    copies: Floats

    @classmethod
    def of(cls, view: Buckets, place: int) -> Shown:
        """Count the values of buckets; those of a coarse cell are taken as equally likely."""
        found = (view.cell_counts(place) @ spread(view.domains[place])).tocsr()
        found.sum_duplicates()
        return cls(
            len(view.domains[place].values),
            found.indptr.astype(np.int64),
            found.indices.astype(np.int64),
            found.data,
        )


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of one column in every bucket (*slots*), and the values that each may have (*pairs*).

    Attributes:
        bucket: bucket of each slot, ascending.
        part: its part.
        rows: how many rows show it.
        starts: where the pairs of each slot start: one for every value of its bucket.
        slot: slot of each pair.
        value: value of each pair.
        pool: number of the value in its bucket, over all buckets.
        pools: how many these are.
        copies: rows of the bucket that have the value.
        start: chance of each pair to begin with.
        of_bucket: where the slots of each bucket start.
        offered: where the values of each bucket start.
        whole: copies of all values of buckets, -1 where they are no whole number.
        told: whether parts show their value, so that nothing is to be guessed.
    """

    bucket: Longs
    part: Longs
    rows: Floats
    starts: Longs
    slot: Longs
    value: Longs
    pool: Longs
    pools: int
    copies: Floats
    start: Floats
    of_bucket: Longs
    offered: Longs
    whole: Longs
    told: bool

    @classmethod
    def of(cls, view: Buckets, shown: Shown, column: ColumnParts, own: int | None) -> Parts:
        """The slots of a column; ``own`` is the attribute that is to be found out, if it stands in this column."""
        key = view.bucket_of_row * len(column.parts) + column.part_of_row
        slots, slot_of_row = np.unique(key, return_inverse=True)
        slot_of_row = slot_of_row.reshape(-1)
        bucket, part = slots // len(column.parts), slots % len(column.parts)
        rows = np.bincount(slot_of_row, minlength=len(slots)).astype(float)
        lengths = np.diff(shown.offsets)[bucket]
        if int(lengths.sum()) > MOST_PAIRS:
            message = (
                f"{int(lengths.sum()):,} parts and values may belong together, too many to learn from at once; attack a"
                " sample of the rows"
            )
            raise ParameterError(message)
        starts = np.concatenate(([0], np.cumsum(lengths)))[:-1].astype(np.int64)
        pool = positions(shown.offsets[bucket], lengths)
        slot = np.repeat(np.arange(len(slots)), lengths)
        copies = shown.copies[pool]
        start = copies / view.sizes[bucket][slot]
        if own is not None:
            start = _told(view, own, slot_of_row, slot, shown.values[pool], rows)
        whole = np.where(shown.copies == np.rint(shown.copies), shown.copies, -1).astype(np.int64)
        of_bucket = np.searchsorted(bucket, np.arange(len(view) + 1)).astype(np.int64)
        value = shown.values[pool]
        return cls(
            bucket, part, rows, starts, slot, value, pool, len(shown.values), copies, start, of_bucket, shown.offsets,
            whole, own is not None,
        )  # fmt: skip


def _told(view: Buckets, own: int, slot_of_row: Longs, slot: Longs, value: Longs, rows: Floats) -> Floats:
    """Share of the rows of each slot that show each value."""
    from scipy.sparse import csr_array

    domain = view.domains[own]
    where = (slot_of_row, view.cells[:, own])
    seen = csr_array((np.ones(len(slot_of_row)), where), shape=(len(rows), len(domain.labels))) @ spread(
        domain
    )
    out: Floats = np.asarray(seen.tocsr()[slot, value]).reshape(-1) / rows[slot]
    return out


@dataclass(frozen=True, eq=False)
class Taught:
    """What one column teaches.

    Attributes:
        column: the column.
        parts: its parts.
        chance: of each pair of a part and a value.
        theta: of every known attribute, values x sensitive values: how likely the first is with the second.
        coarse: whether some cell stands for several values.
    """

    column: ColumnParts
    parts: Parts
    chance: Floats
    theta: tuple[Floats, ...]
    coarse: bool

    @cached_property
    def lift(self) -> Floats:
        """Rows of a part that have a value, or how many more than by the copies in the bucket alone."""
        rows = self.parts.rows[self.parts.slot] * self.chance
        return rows if self.parts.told else rows / self.parts.copies


def holding(view: Buckets, place: int) -> Any:
    """Cells x values (sparse): 1 where a cell stands for a value."""
    from scipy.sparse import csr_array

    domain = view.domains[place]
    shape = (len(domain.labels), len(domain.values))
    return csr_array((np.ones(len(domain.members)), domain.members, domain.member_offsets), shape=shape)


def coarse(view: Buckets, column: ColumnParts) -> bool:
    """Whether some cell of a column stands for several values."""
    return any(
        len(view.domains[place].members) > len(view.domains[place].labels) for place in column.attributes
    )


# Sums over all ways to deal the values of a bucket to its rows, and over all parts that fit a person.


@compiled
def believed(
    match_starts: Ints,
    matches: Ints,
    fit_starts: Ints,
    fits: Ints,
    slot_starts: Ints,
    slot_part: Ints,
    pair_starts: Ints,
    lift: Floats,
    value_starts: Ints,
    values: Ints,
    total: int,
    known: Ints,
    theta: Floats,
    theta_starts: Ints,
    cells: Floats,
    cell_starts: Ints,
    parts: Ints,
    width: int,
) -> Floats:  # pragma: no cover - compiled
    """One number for each value of each bucket that fits each person: the sum over fitting parts of their ``lift``.

    Person p fits the buckets ``matches[match_starts[p]:...]`` and the parts ``fits[fit_starts[p]:...]`` of this column.
    The slots of bucket b are ``slot_starts[b]:...``, with their part and where their pairs start, one for each value of
    the bucket. Where cells are coarse, a part weighs by how likely the known values are inside its cells: ``theta``
    over ``cells`` (tables of ``width`` sensitive values, one after the other for each attribute).
    """
    out, at = np.zeros(total), 0
    fitting = np.full(len(parts), -1, np.int64)
    attributes = len(theta_starts)
    for person in range(len(match_starts) - 1):
        for place in range(fit_starts[person], fit_starts[person + 1]):
            fitting[fits[place]] = person
        for match in range(match_starts[person], match_starts[person + 1]):
            bucket = matches[match]
            count = value_starts[bucket + 1] - value_starts[bucket]
            for slot in range(slot_starts[bucket], slot_starts[bucket + 1]):
                part = slot_part[slot]
                if fitting[part] != person:
                    continue
                for number in range(count):
                    weight = lift[pair_starts[slot] + number]
                    if attributes and weight > 0:
                        value = values[value_starts[bucket] + number]
                        for attribute in range(attributes):
                            here = known[person, attribute]
                            if here >= 0:
                                cell = parts[part, attribute]
                                weight *= (
                                    theta[theta_starts[attribute] + here * width + value]
                                    / cells[cell_starts[attribute] + cell * width + value]
                                )
                    out[at + number] += weight
            at += count
    return out


@compiled
def dealt(
    slot_starts: Ints,
    slot_rows: Ints,
    pair_starts: Ints,
    likely: Floats,
    value_starts: Ints,
    copies: Ints,
    most: int,
    out: Floats,
) -> None:  # pragma: no cover - compiled
    """Chance of every value for every slot of small buckets, over all ways to deal the copies to the rows.

    A way weighs the product of ``likely`` over rows. Rows are dealt one after the other; a state says how many copies
    of each value are gone, and so how many rows have one; sums over the rows before and after meet in it. Buckets with
    more than ``most`` states, or with copies that are no whole numbers (given as -1), are left as they are in ``out``.
    """
    before, after = np.empty(max(1, most)), np.empty(max(1, most))
    for bucket in range(len(slot_starts) - 1):
        first, count = value_starts[bucket], value_starts[bucket + 1] - value_starts[bucket]
        states, whole = 1, True
        for number in range(count):
            whole = whole and copies[first + number] >= 0
            states = states * (copies[first + number] + 1) if states <= most else states
        if not whole or states > most:
            continue
        step = np.ones(count, np.int64)
        for number in range(1, count):
            step[number] = step[number - 1] * (copies[first + number - 1] + 1)
        rows = slot_rows[slot_starts[bucket] : slot_starts[bucket + 1]].sum()
        pair_of, begins = np.empty(rows, np.int64), np.zeros(rows, np.bool_)
        row = 0
        for slot in range(slot_starts[bucket], slot_starts[bucket + 1]):
            begins[row] = True
            for _ in range(slot_rows[slot]):
                pair_of[row] = pair_starts[slot]
                row += 1
        gone, row = np.zeros(count, np.int64), 0
        before[:states], before[0] = 0.0, 1.0
        for state in range(states - 1):
            if before[state] > 0:
                for number in range(count):
                    if gone[number] < copies[first + number]:
                        before[state + step[number]] += before[state] * likely[pair_of[row] + number]
            row += _counted_up(gone, copies, first)
        total = before[states - 1]
        if not total > 0:
            continue
        for slot in range(slot_starts[bucket], slot_starts[bucket + 1]):
            out[pair_starts[slot] : pair_starts[slot] + count] = 0.0
        after[states - 1] = 1.0
        for state in range(states - 2, -1, -1):
            row += _counted_down(gone, copies, first)
            after[state] = 0.0
            for number in range(count):
                if gone[number] < copies[first + number]:
                    more = likely[pair_of[row] + number] * after[state + step[number]]
                    after[state] += more
                    if begins[row]:
                        out[pair_of[row] + number] += before[state] * more / total


@compiled
def _counted_up(gone: Ints, copies: Ints, first: int) -> int:  # pragma: no cover - compiled
    """The next state; gives how many rows more have a value then."""
    number, more = 0, 1
    while gone[number] == copies[first + number]:
        more -= gone[number]
        gone[number] = 0
        number += 1
    gone[number] += 1
    return more


@compiled
def _counted_down(gone: Ints, copies: Ints, first: int) -> int:  # pragma: no cover - compiled
    """The state before; gives how many rows more have a value then."""
    number, more = 0, -1
    while gone[number] == 0:
        gone[number] = copies[first + number]
        more += gone[number]
        number += 1
    gone[number] -= 1
    return more
