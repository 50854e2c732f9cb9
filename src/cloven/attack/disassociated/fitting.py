"""Scoring step of the semantic attack: how well each target fits each slot (thesis, section 4.2.1, Algorithm 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.disassociated.fitting_kernel import ABA, MRA, RGA, fit, visits
from cloven.model.arrays import positions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Questions
    from cloven.protocols import Related

    Longs = NDArray[np.int64]
    Scores = NDArray[np.float64]
    Rows = tuple[Longs, Longs]

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
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        return cls(offsets, terms, _first_alike(asked, offsets, terms))


def _first_alike(asked: Questions, offsets: Longs, terms: Longs) -> Longs:
    """First slot of each run of slots that show the same; rows of a chunk are sorted, so equal ones stand together."""
    slots = len(offsets) - 1
    lengths = np.diff(offsets)
    differs = np.ones(slots, bool)
    differs[1:] = np.diff(lengths) != 0
    differs[asked.slot_offsets[:-1][asked.slot_offsets[:-1] < slots]] = True
    same = np.flatnonzero(~differs)
    many = lengths[same]
    at = positions(offsets[same], many)
    wrong = terms[at] != terms[at - np.repeat(many, many)]
    differs[np.repeat(same, many)[wrong]] = True
    return np.maximum.accumulate(np.where(differs, np.arange(slots), 0))


@dataclass(frozen=True)
class Blocks:
    """Relatedness of the items of targets (rows) to anchoring terms (columns), looked up once if memory allows.

    Anchors are made of the frequent items, so the table of all that can be asked is mostly small.
    """

    related: Related
    table: NDArray[np.float64] | None
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

    def block(self, items: Longs, terms: Longs) -> tuple[NDArray[np.float64], Longs, Longs]:
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
    score: Scores,
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
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return starts, values[positions(offsets[rows], lengths)]
