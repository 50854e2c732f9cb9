"""Scoring step of the semantic attack: how well each target fits each slot (thesis, section 4.2.1, Algorithm 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.disassociated.fitting_kernel import ABA, MRA, RGA, fit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Questions
    from cloven.protocols import Related

    Longs = NDArray[np.int64]
    Rows = tuple[Longs, Longs]

METHODS = {"aba": ABA, "rga": RGA, "mra": MRA}
"""Ways to make one score from the terms of an anchor."""


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
        terms = release.row_items[expand(release.row_offsets[row], lengths)].astype(np.int64)
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        return cls(offsets, terms, _first_alike(asked, offsets, terms))


def expand(first: Longs, lengths: Longs) -> Longs:
    """All numbers of the ranges that start at ``first`` and have these lengths, one range after the other."""
    ends = np.cumsum(lengths)
    numbers: Longs = np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - (ends - lengths), lengths)
    return numbers


def _first_alike(asked: Questions, offsets: Longs, terms: Longs) -> Longs:
    """First slot of each run of slots that show the same; rows of a chunk are sorted, so equal ones stand together."""
    slots = len(offsets) - 1
    lengths = np.diff(offsets)
    differs = np.ones(slots, bool)
    differs[1:] = np.diff(lengths) != 0
    differs[asked.slot_offsets[:-1][asked.slot_offsets[:-1] < slots]] = True
    same = np.flatnonzero(~differs)
    many = lengths[same]
    at = expand(offsets[same], many)
    wrong = terms[at] != terms[at - np.repeat(many, many)]
    differs[np.repeat(same, many)[wrong]] = True
    return np.maximum.accumulate(np.where(differs, np.arange(slots), 0))


@dataclass(frozen=True)
class Visits:
    """Targets by the cluster whose slots may hold them; one visit is one target in one cluster.

    Attributes:
        target: the target of each visit.
        pair: where the slots of the cluster start among the candidates of the target.
        starts: first visit of each cluster, and the number of visits.
    """

    target: Longs
    pair: Longs
    starts: Longs

    @classmethod
    def of(cls, asked: Questions, targets: Longs) -> Visits:
        """The visits of some targets."""
        lengths = np.diff(asked.offsets)[targets]
        pair = expand(asked.offsets[targets], lengths)
        target = np.repeat(targets, lengths)
        cluster = np.searchsorted(asked.slot_offsets, asked.slots[pair], side="right") - 1
        new = np.ones(len(pair), bool)
        new[1:] = (np.diff(cluster) != 0) | (np.diff(target) != 0)
        cluster, target, pair = cluster[new], target[new], pair[new]
        order = np.argsort(cluster, kind="stable")
        starts = np.searchsorted(cluster[order], np.arange(len(asked.slot_offsets)))
        return cls(target[order], pair[order], starts)


def target_items(asked: Questions, release: Disassociated) -> Rows:
    """Items of every target: where they start, and which they are."""
    single = asked.target_item >= 0
    lengths = np.where(single, 1, np.diff(release.row_offsets)[asked.target_row])
    items = release.row_items[expand(release.row_offsets[asked.target_row], lengths)].astype(np.int64)
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    items[offsets[:-1][single]] = asked.target_item[single]
    return offsets, items


def fitted(
    asked: Questions, items: Rows, anchors: Anchors, methods: Longs, related: Related, targets: Longs
) -> Iterator[tuple[Longs, NDArray[np.float64]]]:
    """For one cluster after the other: candidates (positions in ``asked.slots``) and their scores.

    Slots without an anchor, and anchors without a score, are NaN.
    """
    visits = Visits.of(asked, targets)
    for cluster in np.flatnonzero(np.diff(visits.starts)).tolist():
        here = slice(visits.starts[cluster], visits.starts[cluster + 1])
        start, end = asked.slot_offsets[cluster : cluster + 2].tolist()
        scores = _fit_cluster(visits.target[here], items, anchors, (start, end), methods, related)
        pairs = visits.pair[here, None] + np.arange(end - start)
        yield pairs.ravel(), scores.ravel()


def _fit_cluster(
    targets: Longs, items: Rows, anchors: Anchors, slots: tuple[int, int], methods: Longs, related: Related
) -> NDArray[np.float64]:
    """Scores of some targets (rows) for the slots of one cluster (columns)."""
    start, end = slots
    shown, back = np.unique(anchors.alike[start:end], return_inverse=True)
    anchor_offsets, anchor_terms = _rows(anchors.offsets, anchors.terms, shown)
    if not len(anchor_terms):
        return np.full((len(targets), end - start), np.nan)
    target_offsets, wanted = _rows(items[0], items[1], targets)
    rows, local_items = np.unique(wanted, return_inverse=True)
    columns, local_terms = np.unique(anchor_terms, return_inverse=True)
    block = np.ascontiguousarray(related.block(rows, columns), np.float64)
    scores = fit(block, target_offsets, local_items, methods[targets], anchor_offsets, local_terms)
    return scores[:, back]


def _rows(offsets: Longs, values: Longs, rows: Longs) -> Rows:
    """Some rows of a table of compressed rows."""
    lengths = offsets[rows + 1] - offsets[rows]
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return starts, values[expand(offsets[rows], lengths)]
