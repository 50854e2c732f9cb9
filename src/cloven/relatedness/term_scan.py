"""Finds terms in documents: members of sets, words and phrases of texts."""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING

from cloven.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """Words of a text in lower case: runs of letters and digits."""
    return WORD.findall(text.lower())


def phrase(item: str) -> str:
    """An item as it is looked for in texts.

    >>> phrase("Low-fat  Yoghurt")
    'low fat yoghurt'
    """
    return " ".join(words(item))


class Scan:
    """Posting lists under construction, for a closed list of items or (None) for every term that comes.

    Attributes:
        text: whether the documents are texts; None before the first one.
        documents: how many were added.
        numbers: terms by their number.
        holders: documents of each term.
    """

    def __init__(self, items: tuple[str, ...] | None) -> None:
        self._items = items
        self.text: bool | None = None  # the first document says which kind they are
        self.documents = 0
        self.numbers: dict[str, int] = {}
        self.holders: list[array[int]] = []
        self._phrases: dict[str, list[tuple[list[str], int]]] = {}

    def add(self, document: Iterable[str] | str) -> None:
        """Note the terms of one more document."""
        if self.text is None:
            self._begin(text=isinstance(document, str))
        if self.text != isinstance(document, str):
            message = (
                f"document {self.documents + 1} is another kind than the first; give texts only or sets only"
            )
            raise InputError(message)
        for number in self._in_text(document) if isinstance(document, str) else self._in_set(document):
            self.holders[number].append(self.documents)
        self.documents += 1

    def _begin(self, *, text: bool) -> None:
        self.text = text
        for item in self._items or ():
            written = phrase(item) if text else item
            if not written or written in self.numbers:
                continue
            number = self._new(written)
            first, *rest = written.split(" ") if text else [written]
            if rest:
                self._phrases.setdefault(first, []).append((rest, number))

    def _new(self, written: str) -> int:
        self.holders.append(array("i"))
        return self.numbers.setdefault(written, len(self.numbers))

    def _in_set(self, terms: Iterable[str]) -> set[int]:
        if self._items is not None:
            return {self.numbers[term] for term in terms if term in self.numbers}
        return {self.numbers[term] if term in self.numbers else self._new(term) for term in terms}

    def _in_text(self, text: str) -> set[int]:
        found = words(text)
        numbers = self._in_set(set(found))
        if self._phrases:
            for position, word in enumerate(found, start=1):
                for rest, number in self._phrases.get(word, ()):
                    if found[position : position + len(rest)] == rest:
                        numbers.add(number)
        return numbers
