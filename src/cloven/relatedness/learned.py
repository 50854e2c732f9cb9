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

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from cloven.registry import part
from cloven.relatedness.corpus import Corpus

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.relatedness.vectors import VectorsRelated

MOST_DIMENSIONS = 100


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
        shown, what = part(release, "reconstruction").documents(release, clusters=clusters)
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

    @classmethod
    def load(cls, path: Path) -> Learned:
        """Read what ``save`` wrote.

        Raises:
            InputError: there is none, or it is damaged.
        """
        return cls(replace(Corpus.load(path), ladder=False))

    def save(self, path: Path) -> None:
        """Write all to one file."""
        self.corpus.save(path)

    @property
    def name(self) -> str:
        """One word for tables."""
        return "learned"

    def relate(self, items: Sequence[str]) -> VectorsRelated:
        """Look the items up as they are written: no other form of them is in the release."""
        return self.corpus.relate(items)


def _thinned(documents: Transactions, most_pairs: int | None) -> Transactions:
    """Every n-th document, so that there are not too many pairs of items to count."""
    pairs = int((documents.lengths.astype(np.int64) ** 2).sum())
    if most_pairs is None or pairs <= most_pairs:
        return documents
    return documents.take(np.arange(0, len(documents), -(-pairs // most_pairs)))
