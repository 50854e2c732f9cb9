"""How often each term occurs in each document, and how much that says about the document (TF-IDF)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class TermCounts:
    """Documents as compressed rows of terms with counts; a document may be empty.

    Attributes:
        offsets: where each document starts in ``codes``; one longer than the number of documents.
        codes: codes of the terms of each document, ascending inside it.
        counts: how often the term occurs in the document.
        vocabulary: names of the terms, ascending by code point; not all need to occur.
        rows: number of each document in its source.

    >>> terms = TermCounts.from_counters([{"flu": 2, "fever": 1}, {"flu": 1}])
    >>> len(terms), terms.vocabulary, terms.document_frequencies.tolist()
    (2, ('fever', 'flu'), [1, 2])
    """

    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    vocabulary: tuple[str, ...]
    rows: NDArray[np.int64]

    @classmethod
    def from_counters(cls, documents: Sequence[Mapping[str, int]]) -> TermCounts:
        """Count from one mapping of terms to counts for each document."""
        code_of = {name: code for code, name in enumerate(sorted(set(chain.from_iterable(documents))))}
        lengths = np.fromiter(map(len, documents), np.int64, len(documents))
        total = int(lengths.sum())
        codes = np.fromiter((code_of[term] for counts in documents for term in counts), np.int32, total)
        counts = np.fromiter(chain.from_iterable(d.values() for d in documents), np.int64, total)
        rows = np.repeat(np.arange(len(documents)), lengths)
        order = np.lexsort((codes, rows))
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        return cls(offsets, codes[order], counts[order], tuple(code_of), np.arange(len(documents)))

    @classmethod
    def from_transactions(cls, data: Transactions) -> TermCounts:
        """Every item counts once; rows are those of ``data``."""
        return cls(
            data.offsets,
            data.codes,
            np.ones(len(data.codes), np.int64),
            data.vocabulary,
            np.arange(len(data)),
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"TermCounts({len(self):,} documents, {len(self.vocabulary):,} terms, {len(self.codes):,} entries)"

    @property
    def owners(self) -> NDArray[np.int64]:
        """The document of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @property
    def document_frequencies(self) -> NDArray[np.int64]:
        """In how many documents each term of the vocabulary occurs."""
        return np.bincount(self.codes, minlength=len(self.vocabulary)).astype(np.int64)

    def weights(self) -> NDArray[np.float64]:
        """TF-IDF of each entry: count times ``ln((1 + n) / (1 + df)) + 1``, each document scaled to length 1."""
        rarity = np.log((1 + len(self)) / (1 + self.document_frequencies)) + 1
        raw = self.counts * rarity[self.codes]
        norms = np.sqrt(np.bincount(self.owners, raw**2, minlength=len(self)))
        weights: NDArray[np.float64] = raw / norms[self.owners]
        return weights

    def best(self, terms: int) -> NDArray[np.bool_]:
        """Which entries are among the ``terms`` of highest TF-IDF of their document; ties go to the first name."""
        owners = self.owners
        order = np.lexsort((self.codes, -np.round(self.weights(), 12), owners))
        chosen = np.zeros(len(self.codes), bool)
        chosen[order] = np.arange(len(order)) - self.offsets[owners[order]] < terms
        return chosen

    def where(self, keep: NDArray[np.bool_]) -> TermCounts:
        """Only some entries; documents left empty stay."""
        lengths = np.bincount(self.owners[keep], minlength=len(self))
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        return TermCounts(offsets, self.codes[keep], self.counts[keep], self.vocabulary, self.rows)

    def take(self, documents: NDArray[Any]) -> TermCounts:
        """Some documents by number, in the order given."""
        lengths = np.diff(self.offsets)[documents]
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        entries = np.repeat(self.offsets[documents] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return TermCounts(
            offsets, self.codes[entries], self.counts[entries], self.vocabulary, self.rows[documents]
        )

    def renamed(self, names: Mapping[str, str]) -> TermCounts:
        """Terms under other names; where two get the same one, their counts add up."""
        if not names:
            return self
        targets = [names.get(name, name) for name in self.vocabulary]
        code_of = {name: code for code, name in enumerate(sorted(set(targets)))}
        new = np.array([code_of[name] for name in targets], np.int64)
        keys, inverse = np.unique(self.owners * len(code_of) + new[self.codes], return_inverse=True)
        owners, codes = np.divmod(keys, len(code_of))
        counts = np.bincount(inverse, self.counts, minlength=len(keys)).astype(np.int64)
        offsets = np.concatenate(([0], np.cumsum(np.bincount(owners, minlength=len(self))))).astype(np.int64)
        return TermCounts(offsets, codes.astype(np.int32), counts, tuple(code_of), self.rows)

    def matrix(self) -> Any:
        """TF-IDF as a sparse matrix of SciPy, documents by terms."""
        from scipy.sparse import csr_matrix

        return csr_matrix((self.weights(), self.codes, self.offsets), shape=(len(self), len(self.vocabulary)))

    def transactions(self) -> Transactions:
        """Each document as the set of its terms; empty ones are dropped and counted."""
        return Transactions.from_arrays(
            np.diff(self.offsets), self.codes, self.vocabulary, source_rows=self.rows
        )
