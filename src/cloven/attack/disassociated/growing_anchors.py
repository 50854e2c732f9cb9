"""Grown anchors: what was placed joins the anchors before the next chunk is scored (thesis, Algorithm 5, line 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.disassociated.fitting import Anchors
from cloven.model.arrays import distinct, positions
from cloven.model.disassociated import Disassociated, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from cloven.model.guesses import Questions

    Longs = NDArray[np.int64]


def stages(asked: Questions, release: Disassociated) -> Iterator[Longs]:
    """Targets in the order of the algorithm: record chunks 1, 2, ... of all clusters, shared chunks, term chunks."""
    chunk, kind = release.row_chunk[asked.target_row], asked.target_kind
    for number in range(1, int(chunk[kind == Kind.RECORD].max(initial=0)) + 1):
        yield np.flatnonzero((kind == Kind.RECORD) & (chunk == number))
    for last in (Kind.SHARED, Kind.TERM):
        yield np.flatnonzero(kind == last)


def grown(
    anchors: Anchors,
    asked: Questions,
    items: tuple[Longs, Longs],
    targets: Longs,
    chosen: NDArray[np.bool_],
    width: int,
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
