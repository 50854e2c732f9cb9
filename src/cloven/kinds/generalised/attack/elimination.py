"""The attacks on set-generalised releases: take added items out by what the rest of the record means.

Exploiting contextual information in attacking set-generalised transactions (Shao and Ong, ACM TOIT 2017): the distances
of section 4, then one of the eliminations of section 5 and of its predecessor, on every table of the release.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from cloven.compiled import Floats, Longs, compiled
from cloven.data.arrays import distinct, positions
from cloven.errors import ParameterError
from cloven.kinds.generalised.attack.methods import (
    BY_DISTANCE,
    ROWS_AT_ONCE,
    eliminated,
    finite,
    largest_first,
)
from cloven.kinds.generalised.guesses import (
    Contexts,
    Eliminations,
    RowAnswer,
    contexts,
    guess_marks,
    published_only,
    tables,
)
from cloven.relatedness.combination import Shuffled
from cloven.statistics.sums import exponentials, shifted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints
    from cloven.kinds.generalised.guesses import Tables
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.protocols import Related, Relatedness


@dataclass(frozen=True)
class Elimination:
    """An attack that uses how related items are.

    Attributes:
        relatedness: what the attacker knows about words; may be left out where distances are handed in.
        method: ``mda``, ``tba``, ``wba``, ``gba`` or ``rba``.
        context: ``mean`` of the distances from all contextual items, or distance from their ``conjunction``.
        most_context: contextual items of a row to use at most, those in fewest rows; None for all.
        without_context: rows that show no item for certain get ``no-answer``, or distances from their other
            ``generalised`` items.
        threshold: the mean that a method takes as its threshold, times this.
        marked: whether the release tells which items are generalised; if not, it is guessed first (see ``questions``).
        rows_at_once: tables with more rows are attacked in parts of so many, by methods that go in rounds.
        sharpness: how fast confidence follows distance; see ``confidence``.
    """

    relatedness: Relatedness | None = None
    method: str = "rba"
    context: str = "mean"
    most_context: int | None = None
    without_context: str = "no-answer"
    threshold: float = 1.0
    marked: bool = True
    rows_at_once: int = ROWS_AT_ONCE
    sharpness: float = 1.0

    def __post_init__(self) -> None:
        for field, value, known in (
            ("method", self.method, tuple(BY_DISTANCE)),
            ("context", self.context, CONTEXTS),
            ("without_context", self.without_context, WITHOUT_CONTEXT),
        ):
            if value not in known:
                message = f"{field} must be one of {', '.join(known)} (got {value!r})"
                raise ParameterError(message)
        if self.most_context is not None and self.most_context < 1:
            message = f"most_context must be at least 1 (got {self.most_context}); leave it out for all"
            raise ParameterError(message)
        if self.rows_at_once < 2:
            message = f"rows_at_once must be at least 2 (got {self.rows_at_once})"
            raise ParameterError(message)
        for field, number in (("threshold", self.threshold), ("sharpness", self.sharpness)):
            if not 0 <= number <= 20:
                message = f"{field} must lie between 0 and 20 (got {number})"
                raise ParameterError(message)

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {
            "name": "elimination",
            "method": self.method,
            "relatedness": None if self.relatedness is None else repr(self.relatedness),
            "context": self.context,
            "most_context": self.most_context,
            "without_context": self.without_context,
            "threshold": self.threshold,
            "marked": self.marked,
            "rows_at_once": self.rows_at_once,
            "sharpness": self.sharpness,
        }

    def control(self, seed: int) -> Elimination | None:
        """The same attack with its words shuffled; None if it knows nothing of words."""
        known = self.relatedness
        return None if known is None else replace(self, relatedness=Shuffled(known, seed))

    def guess(
        self,
        release: SetGeneralised,
        rng: np.random.Generator | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Callable[[str, float], None] | None = None,
        *,
        distances: Sequence[Floats] | None = None,
    ) -> Eliminations:
        """Attack every table of a release.

        Args:
            release: what is attacked.
            rng: not needed.
            progress: called with "attack" and the share of the cells done.
            distances: distance tables to use instead of the relatedness, one for each of ``tables(release)``.
        """
        published_only(release)
        seen = release if self.marked else guess_marks(release)
        asked = tables(seen)
        given, notes = self._distances(seen, asked, distances)
        eliminations = Eliminations(
            asked,
            np.zeros(asked.cells, bool),
            np.empty(asked.cells, np.float32),
            np.full(asked.cells, -1, np.int32),
            np.empty(len(asked.rows), np.int8),
            self.parameters,
            notes,
        )
        for table, found in enumerate(given):
            self._attack(eliminations, table, found, release.records)
            if progress is not None:
                progress("attack", float(asked.cell_offsets[table + 1]) / asked.cells)
        return eliminations

    def _attack(self, into: Eliminations, table: int, found: Distances, records: int) -> None:
        """Write the answers about one table."""
        asked, (rows, columns) = into.tables, into.tables.shape(table)
        here = slice(asked.cell_offsets[table], asked.cell_offsets[table + 1])
        distance = finite(found.table)
        order = eliminated(distance, self.method, self.threshold, self.rows_at_once)
        into.order[here], into.eliminated[here] = order.ravel(), order.ravel() >= 0
        sure = confidence(
            distance,
            order,
            expected_originals(columns, rows, records),
            self.sharpness,
            comparable=BY_DISTANCE[self.method].comparable,
        )
        into.confidence[here] = sure.ravel()
        into.answer[asked.row_offsets[table] : asked.row_offsets[table + 1]] = found.answer

    def _distances(
        self, release: SetGeneralised, asked: Tables, given: Sequence[Floats] | None
    ) -> tuple[Iterator[Distances], dict[str, Any]]:
        """Distance tables one after the other, and what there is to say about them."""
        if given is not None:
            return iter(_checked(given, asked)), {}
        if self.relatedness is None:
            message = f"method {self.method!r} needs to know how related words are; give a relatedness"
            raise ParameterError(message)
        related = self.relatedness.relate(release.vocabulary)
        made = DistanceTables(release, asked, related, self.context, self.most_context, self.without_context)
        return (made.of(table) for table in range(len(asked))), {"coverage": related.coverage.to_dict()}


def _checked(given: Sequence[Floats], asked: Tables) -> list[Distances]:
    """Distances that were handed in, if they fit."""
    shapes = [asked.shape(table) for table in range(len(asked))]
    found = [np.shape(each) for each in given]
    if found != shapes:
        at = next((i for i, (a, b) in enumerate(zip(found, shapes, strict=False)) if a != b), None)
        what = (
            f"{len(shapes)} tables (got {len(found)})"
            if at is None
            else f"table {at} with {shapes[at][0]} rows and {shapes[at][1]} columns (got {found[at]})"
        )
        message = f"the release needs distances for {what}"
        raise ParameterError(message)
    tables_given = [np.asarray(each, np.float64) for each in given]
    return [
        Distances(
            each,
            np.where(np.isnan(each).all(axis=1), RowAnswer.NO_SCORE, RowAnswer.INFORMED).astype(np.int8),
        )
        for each in tables_given
    ]


# RA, the random attack: the baseline of every other one (section 6.2 of the paper on attacks).
#
# The paper says of it that its precision is the share of added items but its recall very low, which a fair coin for
# each cell would not give: so it eliminates one random cell of each table unless told otherwise.


@dataclass(frozen=True)
class RandomElimination:
    """Eliminates cells at random, but never the last one of a row or column.

    Attributes:
        share: probability with which each cell is eliminated; left out, one cell of each table is.
    """

    share: float | None = None

    def __post_init__(self) -> None:
        if self.share is not None and not 0 <= self.share <= 1:
            message = (
                f"share must lie between 0 and 1 (got {self.share}); leave it out for one cell of each table"
            )
            raise ParameterError(message)

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {"name": "random-elimination", "share": self.share}

    def guess(
        self,
        release: SetGeneralised,
        rng: np.random.Generator | None = None,
        progress: Callable[[str, float], None] | None = None,
    ) -> Eliminations:
        """Draw lots; the confidence is the base rate everywhere."""
        asked, rng = tables(release), rng or np.random.default_rng()
        sure, order = np.empty(asked.cells, np.float32), np.empty(asked.cells, np.int32)
        for table in range(len(asked)):
            here = slice(asked.cell_offsets[table], asked.cell_offsets[table + 1])
            rows, columns = shape = asked.shape(table)
            lots = rng.random(shape)
            above, most = (-np.inf, 1) if self.share is None else (1 - self.share, lots.size)
            drawn = largest_first(lots, above, most)
            order[here] = drawn.ravel()
            nothing, expected = np.full(shape, np.nan), expected_originals(columns, rows, release.records)
            sure[here] = confidence(nothing, np.full_like(drawn, -1), expected, 0.0, comparable=False).ravel()
            if progress is not None:
                progress("attack", (table + 1) / len(asked))
        answer = np.full(len(asked.rows), RowAnswer.INFORMED, np.int8)
        return Eliminations(asked, order >= 0, sure, order, answer, self.parameters, {})


# Attacks on set-generalised releases by name: for the command line, for experiments, and for tools on top.


ELIMINATIONS = ("random", *BY_DISTANCE)


def elimination_named(
    method: str = "rba", relatedness: Relatedness | None = None, *, share: float | None = None, **options: Any
) -> Elimination | RandomElimination:
    """The attack of this name; ``share`` is for the random one, ``options`` are fields of ``Elimination``.

    >>> elimination_named("random").parameters["name"]
    'random-elimination'

    Raises:
        ParameterError: there is no such method, or it needs a relatedness.
    """
    if method not in ELIMINATIONS:
        message = f"no method {method!r}; choose one of {', '.join(ELIMINATIONS)}"
        raise ParameterError(message)
    if method == "random":
        return RandomElimination(share)
    if relatedness is None:
        message = f"method {method!r} needs to know how related words are; give a relatedness"
        raise ParameterError(message)
    return Elimination(relatedness, method, **options)


# How sure an attack is of each cell: a probability that the item was added.
#
# *Base rate.* A release does not say how many of its s items a generalised item stands for in a row. If the items were
# in records independently of each other, each with the same probability p, a generalised item would be in a share 1 -
# (1 - p)^s of all records. The release tells that share, so p, so how many of the items a row has on average: s p / (1
# - (1 - p)^s). For items in few records that is little more than one, which fits how such items are made. It is at
# least 1 (a row stands for something), at least s / rows (every item is in some row), and at most s.
#
# *Evidence.* The log odds of a cell rise by ``sharpness`` for each standard deviation by which its distance exceeds
# what is usual, and once more for its elimination. Usual is the mean of the table; for attacks that compare only inside
# rows and columns, what row and column together lead to expect (mean of the row plus mean of the column minus mean of
# the table). The odds of a row are then shifted together so that its probabilities add up to s minus the base rate.
# Cells that nothing is known of keep the base rate. A sharpness of 1 suits a measure that knows the field: on recipes
# and on patients the Brier score is best between 1 and 1.5.


def expected_originals(items: int, rows: int, records: int) -> float:
    """How many of the items of a generalised item a row has on average, as far as the release tells.

    >>> round(expected_originals(4, 8, 1000), 3), expected_originals(4, 2, 1000)
    (1.003, 2.0)
    """
    # Half a record less than all: from a generalised item in all records nothing can be told.
    share = min(rows, records - 0.5) / records
    each = 1.0 - (1.0 - share) ** (1.0 / items)
    return float(np.clip(items * each / share, max(1.0, items / rows), items))


def confidence(
    distance: Floats, order: NDArray[np.int32], expected: float, sharpness: float, *, comparable: bool
) -> NDArray[np.float32]:
    """Probability that each cell of a table was added; ``expected`` items of a row were not."""
    evidence = _evidence(distance, comparable=comparable) + (order >= 0)
    return rows_as_probabilities(sharpness * evidence, distance.shape[1] - expected)


def _evidence(distance: Floats, *, comparable: bool) -> Floats:
    """By how many standard deviations each distance exceeds what is usual; 0 where it is not known."""
    known = np.isfinite(distance)
    if not known.any():
        return np.zeros(distance.shape)
    filled = np.where(known, distance, 0.0)
    usual: Floats | float = filled.sum() / known.sum()
    if comparable:
        rows, columns = (
            filled.sum(axis, keepdims=True) / np.maximum(known.sum(axis, keepdims=True), 1) for axis in (1, 0)
        )
        usual = rows + columns - usual
    beyond = np.where(known, distance - usual, 0.0)
    spread = float(np.sqrt((beyond[known] ** 2).mean()))
    return beyond / spread if spread > 1e-12 else np.zeros(distance.shape)


# From log odds to probabilities, row by row.


@compiled
def rows_as_probabilities(log_odds: Floats, expected: float) -> NDArray[np.float32]:
    """Shift the log odds of each row together so that its probabilities add up to ``expected``."""
    rows, columns = log_odds.shape
    found = np.empty((rows, columns), np.float32)
    for i in range(rows):
        low, high = log_odds[i].min(), log_odds[i].max()
        if expected <= 0.0 or high - low < 1e-12:
            found[i, :] = np.float32(max(0.0, expected) / columns)
        else:
            shifted(exponentials(log_odds[i] - high), expected, found[i])
    return found


# Distance tables: how far is each item of a generalised item from what the record shows (section 4)?
#
# The context of a record counts as its single items, whose distances are averaged (equation 2, which the paper
# prefers), or as one conjunction, the documents that hold all of them. Normalised Google distance is used as it is,
# where the relatedness knows it. Other measures say how near two items are: their distance is 1 - relatedness; where
# the averages of a table exceed 1, their largest takes the place of 1. No attack depends on the unit of distance.


CONTEXTS = ("mean", "conjunction")
WITHOUT_CONTEXT = ("no-answer", "generalised")
CELLS_AT_ONCE = 20_000_000
"""Distances between items that are held at a time: 160 MB."""


@runtime_checkable
class Distant(Protocol):
    """A relatedness that knows distances."""

    def distances(self, left: Longs, right: Longs) -> Floats:
        """Distance of every left item to every right one; NaN means no score."""
        ...


@runtime_checkable
class Conjunctive(Protocol):
    """A relatedness that knows distances from several items taken together."""

    def conjunctions(self, offsets: Longs, items: Longs, right: Longs) -> Floats:
        """Distance of every conjunction of items to every right item: infinite if never together, NaN for no score."""
        ...


class Distances(NamedTuple):
    """The distances of one table, and a ``RowAnswer`` for each of its rows."""

    table: Floats
    answer: NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class DistanceTables:
    """Distances for the tables of a release, one table at a time.

    Attributes:
        release: what is attacked.
        tables: its tables.
        related: how related its items are.
        context: ``mean`` or ``conjunction`` of the contextual items.
        most: contextual items of a row at most, those in fewest rows; None for all.
        without_context: what rows without a contextual item get: ``no-answer``, or distances from the other
            ``generalised`` items of the row, each of which counts the mean over its items.
    """

    release: SetGeneralised
    tables: Tables
    related: Related
    context: str = "mean"
    most: int | None = None
    without_context: str = "no-answer"

    def __post_init__(self) -> None:
        if self.context == "conjunction" and not isinstance(self.related, Conjunctive):
            message = (
                "this relatedness does not know how often several items are together in documents;"
                " take NGD from an index of documents, or context 'mean'"
            )
            raise ParameterError(message)

    @cached_property
    def _contexts(self) -> Contexts:
        return contexts(self.release, self.most)

    def of(self, table: int) -> Distances:
        """Distances of one table."""
        here = slice(self.tables.row_offsets[table], self.tables.row_offsets[table + 1])
        rows = self.tables.rows[here]
        columns = self.columns(table)
        shown = self._contexts.of(rows)
        bare = np.diff(shown.offsets) == 0
        distances = self._measured(shown, columns)
        if self.without_context == "generalised" and bare.any():
            distances[bare], left = self._beside(rows[bare], int(self.tables.block[table]), columns)
            bare[bare] = left
        if not self._are_distances:
            distances = np.nanmax(distances, initial=1.0) - distances
        unknown = np.isnan(distances).all(axis=1)
        answer = np.where(
            bare, RowAnswer.NO_CONTEXT, np.where(unknown, RowAnswer.NO_SCORE, RowAnswer.INFORMED)
        )
        return Distances(distances, answer.astype(np.int8))

    def columns(self, table: int) -> Longs:
        """Items of one table."""
        here = slice(self.tables.column_offsets[table], self.tables.column_offsets[table + 1])
        return self.tables.columns[here].astype(np.int64)

    def _measured(self, shown: Contexts, columns: Longs) -> Floats:
        """Distances, or relatedness where nothing else is known."""
        if self.context == "conjunction" and isinstance(self.related, Conjunctive):
            found = self.related.conjunctions(shown.offsets, shown.items, columns)
            found[np.diff(shown.offsets) == 0] = np.nan
            return found
        return self._averaged(shown, columns)

    def _averaged(self, shown: Contexts, columns: Longs) -> Floats:
        """Equation 2, a slice of the columns at a time."""
        items = distinct(shown.items)
        local = np.searchsorted(items, shown.items)
        out = np.empty((len(shown.offsets) - 1, len(columns)))
        step = max(1, CELLS_AT_ONCE // max(1, len(items)))
        for start in range(0, len(columns), step):
            part = slice(start, start + step)
            out[:, part] = averaged(shown.offsets, local, self._pairs(items, columns[part]))
        return out

    @property
    def _are_distances(self) -> bool:
        return self.context == "conjunction" or isinstance(self.related, Distant)

    def _pairs(self, items: Longs, columns: Longs) -> Floats:
        if isinstance(self.related, Distant):
            return self.related.distances(items, columns)
        return self.related.block(items, columns)

    def _beside(self, rows: Longs, block: int, columns: Longs) -> tuple[Floats, Flags]:
        """Distances of rows without context from their other generalised items, and which rows have none."""
        release = self.release
        lengths = release.row_offsets[rows + 1] - release.row_offsets[rows]
        blocks = release.row_blocks[positions(release.row_offsets[rows], lengths)].astype(np.int64)
        row = np.repeat(np.arange(len(rows)), lengths)[blocks != block]
        blocks = blocks[blocks != block]
        used = distinct(blocks)
        sizes = release.block_sizes[used]
        items = release.block_items[positions(release.block_offsets[used], sizes)].astype(np.int64)
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        means = self._averaged(Contexts(offsets, items), columns)
        many = np.bincount(row, minlength=len(rows))
        starts = np.concatenate(([0], np.cumsum(many))).astype(np.int64)
        return averaged(starts, np.searchsorted(used, blocks), means), many == 0


# Means over contextual items, and over generalised items that stand in for them.


@compiled
def averaged(offsets: Ints, members: Ints, table: Floats) -> Floats:
    """Mean of some lines of a table for each set of members, column by column; NaN is left out of the mean.

    Set ``i`` has the lines ``members[offsets[i]:offsets[i + 1]]``; NaN where none of them has a value.
    """
    sets, columns = len(offsets) - 1, table.shape[1]
    mean = np.empty((sets, columns))
    total, many = np.empty(columns), np.empty(columns)
    for i in range(sets):
        total[:], many[:] = 0.0, 0.0
        for at in range(offsets[i], offsets[i + 1]):
            line = members[at]
            for j in range(columns):
                if not np.isnan(table[line, j]):
                    total[j] += table[line, j]
                    many[j] += 1
        for j in range(columns):
            mean[i, j] = total[j] / many[j] if many[j] > 0 else np.nan
    return mean
