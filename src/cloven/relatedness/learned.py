"""Relatedness learned from the release itself: an attacker without any outside knowledge.

What a release shows together is together in some record. So its sub-records, of record chunks and of shared chunks, are
documents, and an item that one cluster shows beside others can be recognised in another cluster that splits them. A
term chunk is no document: its items come from different records. But records of one cluster are alike, so all that a
cluster shows is a document as well (``clusters``); it knows items that no sub-record shows, and helps the attack.

A set-generalised release shows rows. Each is a document with the items of its blocks; blocks of many items are left
out, as they say little. Items of one block are in the same documents: they cannot be told apart by the release that
merged them, but by another one they can.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.data.arrays import distinct, positions
from cloven.data.transactions import Transactions
from cloven.kinds.disassociated.release import Kind
from cloven.kinds.generalised.release import SetGeneralised
from cloven.relatedness.corpus import Corpus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.kinds.disassociated.release import Disassociated
    from cloven.relatedness.vectors import VectorsRelated

MOST_DIMENSIONS = 100
WIDEST_BLOCK = 20
"""Items of a block above which it is not learned from: each of them is there with little reason."""


@dataclass(frozen=True)
class Learned:
    """Relatedness from one release; items are looked up as published.

    Attributes:
        corpus: vectors trained on what the release shows.
    """

    corpus: Corpus

    @classmethod
    def of_release(
        cls,
        release: Disassociated | SetGeneralised,
        *,
        clusters: bool = True,
        most_pairs: int | None = None,
        dimensions: int | None = None,
        min_count: int = 2,
        smoothing: float = 0.75,
        shift: float = 1.0,
        power: float = 0.5,
    ) -> Learned:
        """Train on a release.

        ``most_pairs`` bounds the pairs of items counted, for very large releases: evenly spread documents are taken.
        ``dimensions`` left out are 100, or as many as there are items shown often enough.
        """
        if isinstance(release, SetGeneralised):
            shown, what = rows_as_documents(release), "rows"
        else:
            shown = documents_of_release(release, clusters=clusters)
            what = "sub-records and clusters" if clusters else "sub-records"
        documents = _thinned(shown, most_pairs)
        often = int((documents.supports >= min_count).sum())
        corpus = Corpus.train(
            documents,
            dimensions=min(MOST_DIMENSIONS, max(1, often)) if dimensions is None else dimensions,
            min_count=min_count,
            smoothing=smoothing,
            shift=shift,
            power=power,
            source=f"the release itself: {what}",
            ladder=False,
        )
        return cls(corpus)

    @property
    def name(self) -> str:
        """One word for tables."""
        return "learned"

    def relate(self, items: Sequence[str]) -> VectorsRelated:
        """Look the items up as they are written: no other form of them is in the release."""
        return self.corpus.relate(items)


def documents_of_release(release: Disassociated, *, clusters: bool = False) -> Transactions:
    """Sub-records of a release as documents; with ``clusters``, also all items of each cluster as one document."""
    lengths = np.diff(release.row_offsets)
    rows = np.repeat(release.row_kind != Kind.TERM, lengths)
    parts = [lengths[release.row_kind != Kind.TERM]], [release.row_items[rows]]
    if clusters:
        whole = _cluster_items(release, lengths)
        for part, more in zip(parts, whole, strict=True):
            part.append(more)
    return Transactions.from_arrays(np.concatenate(parts[0]), np.concatenate(parts[1]), release.vocabulary)


def rows_as_documents(release: SetGeneralised, widest: int = WIDEST_BLOCK) -> Transactions:
    """Rows of a set-generalised release as documents, without blocks of more than ``widest`` items."""
    block = release.row_blocks[release.block_sizes[release.row_blocks] <= widest]
    row = np.repeat(np.arange(release.records), np.diff(release.row_offsets))
    row = row[release.block_sizes[release.row_blocks] <= widest]
    sizes = release.block_sizes[block]
    items = release.block_items[positions(release.block_offsets[block], sizes)]
    row = np.repeat(row, sizes)
    order = np.lexsort((items, row))
    lengths = np.bincount(row, minlength=release.records).astype(np.int64)
    return Transactions.from_arrays(lengths, items[order], release.vocabulary)


def _thinned(documents: Transactions, most_pairs: int | None) -> Transactions:
    """Every n-th document, so that there are not too many pairs of items to count."""
    pairs = int((documents.lengths.astype(np.int64) ** 2).sum())
    if most_pairs is None or pairs <= most_pairs:
        return documents
    return documents.take(np.arange(0, len(documents), -(-pairs // most_pairs)))


def _cluster_items(
    release: Disassociated, lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Distinct items that each cluster shows by itself: how many, and which."""
    width = max(1, len(release.vocabulary))
    cluster = np.repeat(release.row_cluster, lengths)
    own = cluster >= 0
    cells = distinct(cluster[own] * width + release.row_items[own])
    return np.bincount(cells // width, minlength=release.clusters), (cells % width).astype(np.int32)
