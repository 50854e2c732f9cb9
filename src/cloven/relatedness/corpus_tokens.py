"""Documents as word numbers: any iterables of words, or transactions, whose records are sets."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import InputError, ParameterError
from cloven.model.arrays import distinct
from cloven.model.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class Tokens:
    """All words of all documents, one after the other.

    Attributes:
        codes: number of each word.
        offsets: where each document starts, and where the last one ends.
        words: the words, ascending by code point, so that numbers do not depend on the order of documents.
    """

    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]
    words: tuple[str, ...]

    @classmethod
    def of(cls, documents: Iterable[Iterable[str]], *, ordered: bool) -> Tokens:
        """Number the words; ``ordered`` documents keep order and repetitions, others become sets."""
        if isinstance(documents, Transactions):
            if ordered:
                raise ParameterError(_NO_ORDER)
            return cls(documents.codes, documents.offsets, documents.vocabulary)
        code_of: defaultdict[str, int] = defaultdict(count().__next__)
        runs = [
            np.fromiter(map(code_of.__getitem__, _words_of(document, place, ordered=ordered)), np.int32)
            for place, document in enumerate(documents)
        ]
        lengths = np.fromiter(map(len, runs), np.int64, len(runs))
        codes = np.concatenate(runs) if runs else np.empty(0, np.int32)
        for word in code_of:
            if not isinstance(word, str) or not word.strip():
                message = "a word must be a string that is not blank"
                raise InputError(message, value=repr(word))
        words = sorted(code_of)
        rank = np.empty(len(words), np.int32)
        rank[[code_of[word] for word in words]] = np.arange(len(words))
        return cls(rank[codes], np.concatenate(([0], np.cumsum(lengths))), tuple(words))

    def __len__(self) -> int:
        """Number of documents."""
        return len(self.offsets) - 1

    @property
    def document(self) -> NDArray[np.int64]:
        """Document of each token."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def frequencies(self) -> NDArray[np.int64]:
        """Documents that hold each word."""
        width = max(1, len(self.words))
        held = distinct(self.document * width + self.codes)
        return np.bincount(held % width, minlength=len(self.words)).astype(np.int64)

    def keep(self, chosen: NDArray[np.bool_]) -> Tokens:
        """Only the chosen words; what stood on both sides of a removed one becomes neighbours."""
        stays = chosen[self.codes]
        lengths = np.bincount(self.document[stays], minlength=len(self))
        codes = (np.cumsum(chosen, dtype=np.int32) - 1)[self.codes[stays]].astype(np.int32)
        words = tuple(word for word, kept in zip(self.words, chosen.tolist(), strict=True) if kept)
        return Tokens(codes, np.concatenate(([0], np.cumsum(lengths))), words)


_NO_ORDER = (
    "a window needs the order of words, but these documents are sets; leave window out or give lists of words"
)


def _words_of(document: Iterable[str], place: int, *, ordered: bool) -> Iterable[str]:
    """Words of a document, each once unless their order counts."""
    if isinstance(document, str):
        message = "a document must be a collection of words, not one string; split it first"
        raise InputError(message, source=f"document {place}", value=document)
    if not isinstance(document, set | frozenset):
        return document if ordered else dict.fromkeys(document)
    if ordered:
        raise ParameterError(_NO_ORDER)
    return document
