"""The semantic attack: put disassociated records back together by what words mean (thesis, chapter 4).

Each sub-record and item whose place is hidden goes to the slots whose anchor it is most related to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import Floats, Longs, compiled
from cloven.data.arrays import distinct, offsets_of, positions, repeats
from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack.prior import fill
from cloven.kinds.disassociated.attack.questions import given_or_all
from cloven.kinds.disassociated.attack.selection import SELECTIONS, finished, one_by_one, select
from cloven.kinds.disassociated.release import Disassociated, Kind
from cloven.relatedness.combination import Shuffled
from cloven.statistics.sums import total

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cloven.compiled import Flags, Ints
    from cloven.kinds.disassociated.guesses import Guesses, Questions
    from cloven.protocols import Related, Relatedness

    Scores = Floats
    Rows = tuple[Longs, Longs]


@dataclass(frozen=True)
class Semantic:
    """The semantic attack.

    Attributes:
        relatedness: what the attacker knows about words.
        record_method: score for sub-records of record and shared chunks: ``aba``, ``rga`` or ``mra``.
        term_method: score for items of term chunks.
        selection: ``best`` (as printed), ``one-per-row`` or ``optimal``; see ``selection``.
        grow_anchors: let each placed chunk join the anchors before the next one is scored.
        sharpness: how fast confidence follows the score; see ``selection``.
    """

    relatedness: Relatedness
    record_method: str = "aba"
    term_method: str = "aba"
    selection: str = "best"
    grow_anchors: bool = False
    sharpness: float = 0.4

    def __post_init__(self) -> None:
        for field, value, known in (
            ("record_method", self.record_method, tuple(METHODS)),
            ("term_method", self.term_method, tuple(METHODS)),
            ("selection", self.selection, SELECTIONS),
        ):
            if value not in known:
                message = f"{field} must be one of {', '.join(known)} (got {value!r})"
                raise ParameterError(message)
        if not 0 <= self.sharpness <= 20:
            message = f"sharpness must lie between 0 and 20 (got {self.sharpness})"
            raise ParameterError(message)

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {
            "name": "semantic",
            "relatedness": repr(self.relatedness),
            "record_method": self.record_method,
            "term_method": self.term_method,
            "selection": self.selection,
            "grow_anchors": self.grow_anchors,
            "sharpness": self.sharpness,
        }

    def control(self, seed: int) -> Semantic:
        """The same attack with its words shuffled."""
        return replace(self, relatedness=Shuffled(self.relatedness, seed))

    def guess(
        self,
        release: Disassociated,
        rng: np.random.Generator | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Callable[[str, float], None] | None = None,
        *,
        asked: Questions | None = None,
    ) -> Guesses:
        """Score every candidate, choose, and say how sure each guess is."""
        asked = given_or_all(release, asked)
        if self.grow_anchors and asked.is_sample:
            message = (
                "grow_anchors places all targets one after the other; it cannot be tried on a sample of them"
            )
            raise ParameterError(message)
        one_by_one(asked, self.selection)
        related = self.relatedness.relate(release.vocabulary)
        items = asked.items(release)
        term = asked.target_kind == Kind.TERM
        methods = np.where(term, METHODS[self.term_method], METHODS[self.record_method])
        anchors = Anchors.of(asked, release)
        score, chosen = np.full(len(asked.slots), np.nan), np.zeros(len(asked.slots), bool)
        blocks, left = self._blocks(related, items[1], anchors, len(release.vocabulary)), 0
        for targets in stages(asked, release) if self.grow_anchors else [np.arange(len(asked))]:
            for cluster in fill_scores(asked, items, anchors, methods, blocks, targets, score):
                if progress is not None:
                    progress("attack", (cluster + 1) / release.clusters)
            left += select(asked, release, targets, fill(asked.offsets, score), self.selection, chosen)
            if self.grow_anchors:
                anchors = grown(anchors, asked, items, targets, chosen, len(release.vocabulary))
        notes = {"coverage": related.coverage.to_dict(), "copies_without_a_slot": left}
        return finished(asked, release, score, chosen, self.sharpness, self.parameters, notes)

    def _blocks(self, related: Related, items: Longs, anchors: Anchors, width: int) -> Blocks:
        """Everything that will be asked of the relatedness; anchors that grow may get any item."""
        rows = distinct(items)
        columns = distinct(np.concatenate((anchors.terms, rows)) if self.grow_anchors else anchors.terms)
        return Blocks.of(related, rows, columns, width)


# Grown anchors: what was placed joins the anchors before the next chunk is scored (thesis, Algorithm 5, line 6).


def stages(asked: Questions, release: Disassociated) -> Iterator[Longs]:
    """Targets in the order of the algorithm: record chunks 1, 2, ... of all clusters, shared chunks, term chunks."""
    chunk, kind = release.row_chunk[asked.target_row], asked.target_kind
    for number in range(1, int(chunk[kind == Kind.RECORD].max(initial=0)) + 1):
        yield np.flatnonzero((kind == Kind.RECORD) & (chunk == number))
    for last in (Kind.SHARED, Kind.TERM):
        yield np.flatnonzero(kind == last)


def grown(
    anchors: Anchors, asked: Questions, items: tuple[Longs, Longs], targets: Longs, chosen: Flags, width: int
) -> Anchors:
    """The anchors with the chosen targets added; ``width`` is the size of the vocabulary."""
    pairs = positions(asked.offsets[targets], np.diff(asked.offsets)[targets])
    target = np.repeat(targets, np.diff(asked.offsets)[targets])[chosen[pairs]]
    slot = asked.slots[pairs[chosen[pairs]]].astype(np.int64)
    lengths = items[0][target + 1] - items[0][target]
    added = items[1][positions(items[0][target], lengths)]
    slots = len(anchors.offsets) - 1
    shown = np.repeat(np.arange(slots), np.diff(anchors.offsets)) * width + anchors.terms
    keys = distinct(np.concatenate((shown, np.repeat(slot, lengths) * width + added)))
    offsets = np.searchsorted(keys, np.arange(slots + 1) * width).astype(np.int64)
    return Anchors(offsets, keys % width, np.arange(slots))


# Compiled scores of the semantic attack (thesis chapter 4, equations 4.3 to 4.6; ``ABA``, ``RGA``, ``MRA``).
#
# For an anchoring term a and a target, sc(a) is the mean relatedness between a and the items of the target. The score
# of a slot is made from sc over the terms of its anchor: the mean of all (ABA), of those at or above the median (RGA),
# or the largest (MRA). Pairs without a score are left out of every mean.


ABA, RGA, MRA = 0, 1, 2


@compiled
def _mean_to_target(table: Floats, items: Ints, column: int) -> float:
    """sc(a): mean relatedness of one anchoring term to the items of a target; NaN if none has a score."""
    total, many = 0.0, 0
    for item in items:
        value = table[item, column]
        if not np.isnan(value):
            total += value
            many += 1
    return total / many if many else np.nan


@compiled
def _upper_half(values: Floats) -> float:
    """Mean of the values that reach the median."""
    ordered = np.sort(values)
    many = len(ordered)
    median = (ordered[(many - 1) // 2] + ordered[many // 2]) / 2
    total, kept = 0.0, 0
    for value in ordered:
        if value >= median:
            total += value
            kept += 1
    return total / kept


@compiled
def summarise(values: Floats, method: int) -> float:
    """One score from the scores of the terms of an anchor."""
    if len(values) == 0:
        return np.nan
    if method == MRA:
        return float(values.max())
    if method == RGA:
        return float(_upper_half(values))
    return total(values) / len(values)


@compiled
def fit(
    table: Floats,
    columns: Ints,
    targets: Ints,
    pairs: Ints,
    items: tuple[Ints, Ints],
    methods: Ints,
    anchors: tuple[Ints, Ints],
    shows: Ints,
    score: Floats,
) -> None:
    """Score some targets for the slots of one cluster, into ``score``; NaN where there is no score.

    Args:
        table: relatedness of items (rows) to anchoring terms (columns).
        columns: columns of the terms that the anchors of this cluster have.
        targets: the targets.
        pairs: where the slots of the cluster start among the candidates of each of them.
        items: rows in ``table`` of the items of all targets.
        methods: method of every target.
        anchors: terms of each different anchor, as positions in ``columns``.
        shows: which of the anchors each slot shows.
        score: what is filled in, by candidate.
    """
    to_target, kept = np.empty(len(columns)), np.empty(len(columns))
    fits = np.empty(len(anchors[0]) - 1)
    for i in range(len(targets)):
        target = targets[i]
        mine = items[1][items[0][target] : items[0][target + 1]]
        for term in range(len(columns)):
            to_target[term] = _mean_to_target(table, mine, columns[term])
        for anchor in range(len(fits)):
            many = 0
            for at in range(anchors[0][anchor], anchors[0][anchor + 1]):
                value = to_target[anchors[1][at]]
                if not np.isnan(value):
                    kept[many] = value
                    many += 1
            fits[anchor] = summarise(kept[:many], methods[target])
        for slot in range(len(shows)):
            score[pairs[i] + slot] = fits[shows[slot]]


@compiled
def visits(
    targets: Ints, offsets: Ints, slots: Ints, slot_cluster: Ints, slot_offsets: Ints
) -> tuple[Ints, Ints, Ints]:
    """Cluster, target, and first candidate, for every target and every cluster whose slots may hold it."""
    found = 0
    for write in range(2):
        if write:
            cluster, target, pair = (
                np.empty(found, np.int64),
                np.empty(found, np.int64),
                np.empty(found, np.int64),
            )
            found = 0
        for t in targets:
            at = offsets[t]
            while at < offsets[t + 1]:
                c = slot_cluster[slots[at]]
                if write:
                    cluster[found], target[found], pair[found] = c, t, at
                found += 1
                # All slots of a cluster are candidates, or none is.
                at += slot_offsets[c + 1] - slot_offsets[c]
    return cluster, target, pair


# Scoring step of the semantic attack: how well each target fits each slot (thesis, section 4.2.1, Algorithm 4).


METHODS = {"aba": ABA, "rga": RGA, "mra": MRA}
"""Ways to make one score from the terms of an anchor."""
MOST_CELLS = 40_000_000
"""Largest table of relatedness that is kept: 320 MB."""


@dataclass(frozen=True)
class Anchors:
    """What every slot shows.

    Attributes:
        offsets: where the terms of each slot start in ``terms``.
        terms: item codes.
        alike: a slot of the same cluster that shows the same terms, for each slot; mostly the first one.
    """

    offsets: Longs
    terms: Longs
    alike: Longs

    @classmethod
    def of(cls, asked: Questions, release: Disassociated) -> Anchors:
        """The rows of the anchoring chunks, as published."""
        shown = asked.slot_anchor >= 0
        row = np.where(shown, asked.slot_anchor, 0)
        lengths = np.where(shown, np.diff(release.row_offsets)[row] if release.rows else 0, 0)
        terms = release.row_items[positions(release.row_offsets[row], lengths)].astype(np.int64)
        offsets = offsets_of(lengths)
        return cls(offsets, terms, _first_alike(asked, offsets, terms))


def _first_alike(asked: Questions, offsets: Longs, terms: Longs) -> Longs:
    """First slot of each run of slots that show the same; rows of a chunk are sorted, so equal ones stand together."""
    slots, differs = len(offsets) - 1, ~repeats(offsets, terms)
    differs[asked.slot_offsets[:-1][asked.slot_offsets[:-1] < slots]] = True
    return np.maximum.accumulate(np.where(differs, np.arange(slots), 0))


@dataclass(frozen=True)
class Blocks:
    """Relatedness of the items of targets (rows) to anchoring terms (columns), looked up once if memory allows.

    Anchors are made of the frequent items, so the table of all that can be asked is mostly small.
    """

    related: Related
    table: Floats | None
    row_of: Longs
    column_of: Longs

    @classmethod
    def of(cls, related: Related, rows: Longs, columns: Longs, width: int) -> Blocks:
        """Prepare for these items and terms of a vocabulary of ``width`` items."""
        row_of, column_of = np.zeros(width, np.int64), np.zeros(width, np.int64)
        row_of[rows], column_of[columns] = np.arange(len(rows)), np.arange(len(columns))
        table = None
        if len(rows) * len(columns) <= MOST_CELLS:
            parts = np.array_split(rows, max(1, len(rows) // 500))
            table = np.concatenate([related.block(part, columns) for part in parts])
        return cls(related, table, row_of, column_of)

    def block(self, items: Longs, terms: Longs) -> tuple[Floats, Longs, Longs]:
        """A table, the row of each item, and the column of each of these (distinct) terms."""
        if self.table is not None:
            return self.table, self.row_of[items], self.column_of[terms]
        rows, row = np.unique(items, return_inverse=True)
        return np.ascontiguousarray(self.related.block(rows, terms)), row, np.arange(len(terms))


def fill_scores(
    asked: Questions,
    items: Rows,
    anchors: Anchors,
    methods: Longs,
    blocks: Blocks,
    targets: Longs,
    score: Floats,
) -> Iterator[int]:
    """Score the candidates of some targets, into ``score``, one cluster after the other; yields the cluster.

    Slots without an anchor, and anchors without a score, are NaN.
    """
    slot_cluster = np.repeat(np.arange(len(asked.slot_offsets) - 1), np.diff(asked.slot_offsets))
    cluster, target, pair = visits(targets, asked.offsets, asked.slots, slot_cluster, asked.slot_offsets)
    order = np.argsort(cluster, kind="stable")
    target, pair = target[order], pair[order]
    starts = np.searchsorted(cluster[order], np.arange(len(asked.slot_offsets)))
    for here in np.flatnonzero(np.diff(starts)).tolist():
        visited = slice(starts[here], starts[here + 1])
        first, last = asked.slot_offsets[here : here + 2].tolist()
        shown, shows = np.unique(anchors.alike[first:last], return_inverse=True)
        offsets, terms = _rows(anchors.offsets, anchors.terms, shown)
        mine = _rows(items[0], items[1], target[visited])
        distinct_terms, local = np.unique(terms, return_inverse=True)
        table, row, columns = blocks.block(mine[1], distinct_terms)
        fit(
            table, columns, np.arange(len(mine[0]) - 1), pair[visited], (mine[0], row), methods[target[visited]],
            (offsets, local), shows, score,
        )  # fmt: skip
        yield here


def _rows(offsets: Longs, values: Longs, rows: Longs) -> Rows:
    """Some rows of a table of compressed rows."""
    lengths = offsets[rows + 1] - offsets[rows]
    starts = offsets_of(lengths)
    return starts, values[positions(offsets[rows], lengths)]
