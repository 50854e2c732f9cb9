"""Repair what exact worlds still break: the cover test is sound, but it does not find every broken pair.

A pair of items of two record chunks is broken if no possible world of the cluster, at method level, joins it in k
records (``cloven.breach.worlds``). The item of the later chunk, the rarer one, goes to the term chunk, until nothing is
broken. Clusters with more arrangements than ``MOST`` are not looked at; ``cloven.breach.worlds.too_large`` counts them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.model.disassociated import Cluster

if TYPE_CHECKING:
    from cloven.anonymise.disassociation.lots import Lots
    from cloven.anonymise.disassociation.safe import Chunks

MOST = 2_000
"""Arrangements of a cluster that are enumerated at most."""


def make_exact(chunks: Chunks, size: int, has_term_chunk: bool, lots: Lots) -> None:
    """Move items to the term chunk until no enumerable world is broken and no cover is left."""
    from cloven.breach.inference import broken
    from cloven.breach.worlds import how_many_arrangements, possible_worlds

    while len(chunks.masks) > 1:
        cluster = _cluster(chunks, size, has_term_chunk)
        if how_many_arrangements(cluster) > MOST:
            return
        # Numbers follow the order in which ties are tried; a reader who knows it rules out most.
        worlds = possible_worlds(cluster, chunks.k, chunks.m, ties="text", limit=MOST)
        found = broken(worlds, chunks.k)
        if found:
            later = int(found[0].items[1])
        elif chunks.removed and not len(worlds):
            # Nothing but suppression explains such a cluster: a reader could put back what is missing.
            later = max(chunks.masks[-1], key=lambda item: (-chunks.masks[-1][item].bit_count(), item))
        else:
            return
        chunks.move(later, next(c for c, masks in enumerate(chunks.masks) if later in masks))
        chunks.make_safe(lots)


def _cluster(chunks: Chunks, size: int, has_term_chunk: bool) -> Cluster:
    """The chunks as they would be published."""
    rows = []
    for masks in chunks.masks:
        held = [
            tuple(f"{item:012}" for item, mask in masks.items() if mask >> row & 1) for row in range(size)
        ]
        rows.append(tuple(row for row in held if row))
    term = ("a term chunk",) if has_term_chunk or chunks.moved else ()
    return Cluster(size, None, tuple(rows), term)
