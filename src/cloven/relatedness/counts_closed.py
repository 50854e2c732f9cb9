"""Documents counted for a closed list of terms: one scan of the documents, no search engine.

Documents are sets of terms, or texts. In texts an item of several words ("blood vessel") is found as a phrase, and
its words still count for themselves: "blood" is found there, too. Capital letters and what stands between words do
not matter. A document counts once for an item, however often it holds it.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from cloven.errors import InputError, OutputError, ParameterError
from cloven.relatedness.postings import Postings, well_formed
from cloven.relatedness.term_scan import Scan, phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

FORMAT = "cloven.closed-index/1"


@dataclass(frozen=True, eq=False, repr=False)
class ClosedIndex:
    """Which documents hold which term of a closed list.

    Attributes:
        terms: the terms in their written form; those of an index of texts are lower-case words with single spaces.
        postings: documents of each term.
        text: whether the documents were texts.

    >>> texts = ["A blood vessel in the lung.", "Blood vessels", "lung"]
    >>> index = ClosedIndex.build(texts, items=["blood vessel", "blood", "lung"])
    >>> counted = index.count(["Blood-vessel", "blood", "lung", "heart"])
    >>> counted.documents, counted.single.tolist()
    (3, [1, 2, 2, 0])
    """

    terms: tuple[str, ...]
    postings: Postings
    text: bool = False

    @classmethod
    def build(
        cls,
        documents: Iterable[Iterable[str] | str],
        items: Iterable[str] | None = None,
        *,
        source: str = "",
        date: str = "",
    ) -> ClosedIndex:
        """Scan documents once, for ``items`` alone or for every term (of texts: every word) that they hold.

        ``source`` and ``date`` say what the documents are and of when; both are kept with the counts.
        """
        scan = Scan(None if items is None else tuple(items))
        for document in documents:
            scan.add(document)
        if not scan.documents:
            message = "no documents: an index cannot be built from nothing; give at least one"
            raise ParameterError(message)
        if not any(scan.holders):
            message = f"none of the terms is in the {scan.documents} documents; use documents that speak of the items"
            raise ParameterError(message)
        lists = [np.frombuffer(holders, dtype=np.intc) for holders in scan.holders]
        postings = Postings.of(lists, scan.documents, source, date)
        return cls(tuple(scan.numbers), postings, bool(scan.text))

    def __repr__(self) -> str:
        return (
            f"ClosedIndex({len(self.terms)} terms, {self.postings.documents} documents, "
            f"source={self.postings.source!r})"
        )

    @cached_property
    def _number(self) -> dict[str, int]:
        return {term: number for number, term in enumerate(self.terms)}

    def count(self, items: Sequence[str]) -> Postings:
        """Look the items up; one that is not in the closed list is in 0 documents."""
        written: Callable[[str], str] = phrase if self.text else str
        numbers = [self._number.get(written(item), -1) for item in items]
        mine, nowhere = self.postings, np.empty(0, dtype=np.int32)
        lists = [mine.holding(number) if number >= 0 else nowhere for number in numbers]
        return Postings.of(lists, mine.documents, mine.source, mine.date)

    def save(self, path: str | Path) -> None:
        """Write the index to one file; an interrupted write leaves the old one."""
        path = Path(path)
        mine = self.postings
        header = {
            "format": FORMAT,
            "source": mine.source,
            "date": mine.date,
            "documents": mine.documents,
            "text": self.text,
            "terms": self.terms,
        }
        unfinished = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with unfinished.open("wb") as file:
                packed = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
                np.savez_compressed(file, header=packed, offsets=mine.offsets, holders=mine.holders)
            unfinished.replace(path)
        except OSError as fault:
            unfinished.unlink(missing_ok=True)
            message = f"cannot write the index {path}: {fault.strerror}"
            raise OutputError(message) from fault

    @classmethod
    def load(cls, path: str | Path) -> ClosedIndex:
        """Read an index that ``save`` wrote."""
        try:
            with Path(path).open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                header: dict[str, Any] = json.loads(file["header"].tobytes())
                arrays = file["offsets"].astype(np.int64), file["holders"].astype(np.int32)
            if header.get("format") != FORMAT:
                raise KeyError(FORMAT)
            postings = Postings(*arrays, header["documents"], header["source"], header["date"])
            terms = tuple(header["terms"])
        except FileNotFoundError:
            message = "there is no such file; build the index and save it first"
            raise InputError(message, source=str(path)) from None
        except (OSError, EOFError, KeyError, ValueError, AttributeError, BadZipFile) as fault:
            message = f"not an index of documents ({FORMAT}); build it anew"
            raise InputError(message, source=str(path)) from fault
        if len(terms) + 1 != len(postings.offsets) or not well_formed(postings):
            message = "the index is damaged: its lists do not fit its terms; build it anew"
            raise InputError(message, source=str(path))
        return cls(terms, postings, bool(header["text"]))
