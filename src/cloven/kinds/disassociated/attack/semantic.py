"""The semantic attack: put disassociated records back together by what words mean (thesis, chapter 4).

Each sub-record and item whose place is hidden goes to the slots whose anchor it is most related to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import Floats, Ints, Longs, compiled
from cloven.cores import at_once
from cloven.data.arrays import distinct, offsets_of, positions, repeats, stable_order
from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack.prior import fill
from cloven.kinds.disassociated.attack.questions import given_or_all
from cloven.kinds.disassociated.attack.selection import SELECTIONS, finished, one_by_one, select
from cloven.kinds.disassociated.release import Disassociated, Kind
from cloven.relatedness.combination import Shuffled
from cloven.statistics.sums import total

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cloven.compiled import Flags
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
            filled = fill(asked, score)
            left += select(asked, release, targets, filled, self.selection, chosen)
            if self.grow_anchors:
                anchors = grown(anchors, asked, items, targets, chosen, len(release.vocabulary))
        notes = {"coverage": related.coverage.to_dict(), "copies_without_a_slot": left}
        return finished(asked, release, score, chosen, self.sharpness, self.parameters, notes, filled)

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


class Shown(NamedTuple):
    """What the slots of all clusters show; see ``Anchors``."""

    slot_offsets: Ints
    offsets: Ints
    terms: Ints
    alike: Ints


@compiled
def _columns_of(shown: Shown, cluster: int, place: Ints, columns: Ints) -> int:
    """Different terms of the anchors of a cluster into ``columns``, and where each stands into ``place``; how many."""
    many = 0
    for slot in range(shown.slot_offsets[cluster], shown.slot_offsets[cluster + 1]):
        if shown.alike[slot] != slot:
            continue
        for at in range(shown.offsets[slot], shown.offsets[slot + 1]):
            term = shown.terms[at]
            if place[term] < 0:
                place[term] = many
                columns[many] = term
                many += 1
    return many


@compiled
def fit(
    table: Floats,
    row_of: Ints,
    column_of: Ints,
    first: int,
    last: int,
    starts: Ints,
    targets: Ints,
    pairs: Ints,
    items: tuple[Ints, Ints],
    methods: Ints,
    shown: Shown,
    score: Floats,
) -> None:
    """Score targets for the slots of clusters from ``first`` to below ``last``, into ``score``; NaN for no score.

    Args:
        table: relatedness of items (rows) to anchoring terms (columns).
        row_of: row of each item.
        column_of: column of each term.
        first: the first cluster.
        last: the one behind the last.
        starts: where the visits of each cluster start.
        targets: the target of each visit.
        pairs: where the slots of the cluster start among the candidates of that target.
        items: items of all targets.
        methods: method of every target.
        shown: what the slots show.
        score: what is filled in, by candidate.
    """
    place, columns = np.full(len(column_of), -1, np.int64), np.empty(len(column_of), np.int64)
    to_target, kept = np.empty(len(column_of)), np.empty(len(column_of))
    for cluster in range(first, last):
        if starts[cluster] == starts[cluster + 1]:
            continue
        begin, end = shown.slot_offsets[cluster], shown.slot_offsets[cluster + 1]
        many = _columns_of(shown, cluster, place, columns)
        for visit in range(starts[cluster], starts[cluster + 1]):
            target, pair = targets[visit], pairs[visit]
            rows = row_of[items[1][items[0][target] : items[0][target + 1]]]
            for term in range(many):
                to_target[term] = _mean_to_target(table, rows, column_of[columns[term]])
            for slot in range(begin, end):
                if shown.alike[slot] != slot:
                    score[pair + slot - begin] = score[pair + shown.alike[slot] - begin]
                    continue
                known = 0
                for at in range(shown.offsets[slot], shown.offsets[slot + 1]):
                    value = to_target[place[shown.terms[at]]]
                    if not np.isnan(value):
                        kept[known] = value
                        known += 1
                score[pair + slot - begin] = summarise(kept[:known], methods[target])
        for term in range(many):
            place[columns[term]] = -1


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
MOST_AT_ONCE = 1_000_000
"""Candidates that are scored before progress is told."""


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

    def of_clusters(
        self, first: int, last: int, starts: Longs, target: Longs, items: Rows, shown: Shown
    ) -> tuple[Floats, Longs, Longs]:
        """A table for these clusters, the row of each item of a target, and the column of each term of an anchor."""
        if self.table is not None:
            return self.table, self.row_of, self.column_of
        slots = np.arange(shown.slot_offsets[first], shown.slot_offsets[last])
        rows = distinct(_rows(*items, target[starts[first] : starts[last]])[1])
        columns = distinct(_rows(shown.offsets, shown.terms, slots)[1])
        row_of, column_of = np.zeros_like(self.row_of), np.zeros_like(self.column_of)
        row_of[rows], column_of[columns] = np.arange(len(rows)), np.arange(len(columns))
        return np.ascontiguousarray(self.related.block(rows, columns)), row_of, column_of


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
    order = stable_order(cluster)
    target, pair = target[order], pair[order]
    starts = np.searchsorted(cluster[order], np.arange(len(asked.slot_offsets)))
    shown = Shown(asked.slot_offsets, anchors.offsets, anchors.terms, anchors.alike)
    work = offsets_of(np.diff(starts) * np.diff(asked.slot_offsets))
    for first, last in _parts(work, 1 if blocks.table is None else MOST_AT_ONCE):
        known = blocks.of_clusters(first, last, starts, target, items, shown)
        some = partial(_fit_some, first, known, (starts, target, pair), items, methods, shown, score)
        at_once(some, work[first : last + 1])
        yield last - 1


def _fit_some(
    first: int,
    known: tuple[Floats, Longs, Longs],
    visited: tuple[Longs, Longs, Longs],
    items: Rows,
    methods: Longs,
    shown: Shown,
    score: Floats,
    begin: int,
    end: int,
) -> None:
    """Score what visits clusters from ``begin`` to below ``end``, counted from the ``first`` one of a part."""
    fit(*known, first + begin, first + end, *visited, items, methods, shown, score)


def _parts(work: Longs, most: int) -> Iterator[tuple[int, int]]:
    """Runs of clusters with about so much work each, and of at least one cluster; none without any."""
    first = 0
    while work[first] < work[-1]:
        last = max(first + 1, int(np.searchsorted(work, work[first] + most, "right")) - 1)
        yield first, last
        first = last


def _rows(offsets: Longs, values: Longs, rows: Longs) -> Rows:
    """Some rows of a table of compressed rows."""
    lengths = offsets[rows + 1] - offsets[rows]
    starts = offsets_of(lengths)
    return starts, values[positions(offsets[rows], lengths)]
