"""Documents counted by a web search engine: the normalised Google distance as it was meant.

Every item is one question, every pair of items another; items of several words are quoted as phrases. Answers are
kept in an SQLite file together with their date, each as soon as it comes: a run that was interrupted, or that used
up its requests, goes on where it stopped. Counts of search engines are estimates and change from day to day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote, urlsplit

import numpy as np

from cloven.errors import InputError, ParameterError
from cloven.relatedness.web_answers import phrased, pointed, whole_number
from cloven.relatedness.web_cache import Answer, Cache
from cloven.relatedness.web_requests import Asker, LimitReachedError, Manners

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class WebSearch:
    r"""A search engine that says how many documents match.

    Attributes:
        url: address with ``{query}`` where the question goes; http or https.
        documents: number of all documents that the engine searches (N).
        cache: SQLite file for the answers.
        pointer: where the number stands in a JSON answer, such as ``/searchInformation/totalResults`` (RFC 6901).
        pattern: regular expression whose first group is the number, for other answers. One of the two is needed.
        nothing: regular expression that answers without any match contain; they count 0.
        pair: how two items make one question.
        beyond: when the limit of requests is reached, ``stop`` with an error, or say ``unknown`` of all that was not
            asked; with limit 0 that is the cache alone.
        manners: pause, patience and limit.
        headers: headers of each request, such as a key; never shown.

    >>> WebSearch("https://example.org/find?q={query}", 10**10, "answers.sqlite", pattern=r"([\d,]+) results")
    WebSearch('https://example.org/find', documents=10000000000)
    """

    url: str
    documents: int
    cache: str | Path
    pointer: str | None = None
    pattern: str | None = None
    nothing: str | None = None
    pair: str = "{left} {right}"
    beyond: Literal["stop", "unknown"] = "stop"
    manners: Manners = field(default_factory=Manners)
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname or "{query}" not in self.url:
            message = "url must be an http or https address with {query} in it"
            raise ParameterError(message)
        if (self.pointer is None) == (self.pattern is None):
            message = (
                "give either pointer (JSON) or pattern (regular expression) to find the number in an answer"
            )
            raise ParameterError(message)
        if self.documents < 1 or self.beyond not in ("stop", "unknown"):
            message = f"documents must be positive, beyond 'stop' or 'unknown', got {self.documents}, {self.beyond!r}"
            raise ParameterError(message)
        if "{left}" not in self.pair or "{right}" not in self.pair:
            message = f"pair must contain {{left}} and {{right}}, got {self.pair!r}"
            raise ParameterError(message)
        for expression, groups in ((self.pattern, 1), (self.nothing, 0)):
            _check_expression(expression, groups)

    @property
    def address(self) -> str:
        """The address without its query, which may hold a key."""
        parts = urlsplit(self.url)
        port = "" if parts.port is None else f":{parts.port}"
        return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"

    def __repr__(self) -> str:
        return f"WebSearch({self.address!r}, documents={self.documents})"

    @cached_property
    def _asker(self) -> Asker:
        """One for all vocabularies, so that the pause and the limit hold for all of them together."""
        return Asker(self.manners, self.headers)

    def count(self, items: Sequence[str]) -> WebCounts:
        """Ask for every item; pairs are asked when they are needed."""
        cache = Cache(Path(self.cache), f"{self.address} {self.pointer or self.pattern}")
        answers = [self.answer(phrased(item), cache) for item in items]
        single = np.array([0 if answer is None else answer.documents for answer in answers], dtype=np.int64)
        date = min((answer.date for answer in answers if answer is not None), default="")
        return WebCounts(self, cache, tuple(items), single, date)

    def answer(self, query: str, cache: Cache) -> Answer | None:
        """Documents that match: from the cache, else from the engine; None when the limit of requests is reached."""
        if query in cache.answers or not query:
            return cache.answers.get(query)
        try:
            text = self._asker.ask(self.url.replace("{query}", quote(query, safe="")))
        except LimitReachedError:
            if self.beyond == "unknown":
                return None
            raise
        found = Answer(self._number(text), datetime.now(UTC).date().isoformat())
        cache.add(query, found)
        return found

    def _number(self, text: str) -> int:
        if self.nothing is not None and re.search(self.nothing, text):
            return 0
        if self.pointer is not None:
            found = pointed(text, self.pointer)
        else:
            match = re.search(self.pattern or "", text)
            found = match[1] if match else None
        number = whole_number(found)
        if number is None:
            place = f"at {self.pointer}" if self.pointer is not None else f"by the pattern {self.pattern!r}"
            message = f"no number of documents {place} in the answer; correct it"
            raise InputError(message, source=self.address, value=text)
        return number


@dataclass(frozen=True, eq=False, repr=False)
class WebCounts:
    """Counts of one vocabulary (see ``cloven.protocols.Counted``); pairs are asked when they are needed.

    Attributes:
        search: the engine.
        cache: its answers.
        items: the vocabulary.
        single: documents that hold each item; 0 where none does, or where it was not asked.
        date: day of the oldest answer for an item.
    """

    search: WebSearch
    cache: Cache
    items: tuple[str, ...]
    single: NDArray[np.int64]
    date: str

    @property
    def source(self) -> str:
        """The engine."""
        return f"web search {self.search.address}"

    @property
    def documents(self) -> int:
        """Number of all documents, as it was told."""
        return self.search.documents

    def together(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
        """Documents that hold both, for every left and every right item; -1 where the engine was not asked.

        A pair is asked once, whatever its order, and not at all when one of its items is in no document.
        """
        return np.array(
            [[self._pair(x, y) for y in right.tolist()] for x in left.tolist()], dtype=np.int64
        ).reshape(len(left), len(right))

    def _pair(self, first: int, second: int) -> int:
        if first == second or not self.single[first] or not self.single[second]:
            return int(min(self.single[first], self.single[second]))
        names = sorted((self.items[first], self.items[second]))
        terms = {"left": phrased(names[0]), "right": phrased(names[1])}
        query = re.sub(r"\{(left|right)\}", lambda place: terms[place[1]], self.search.pair)
        answer = self.search.answer(query, self.cache)
        return -1 if answer is None else answer.documents


def _check_expression(expression: str | None, groups: int) -> None:
    try:
        if expression is None or re.compile(expression).groups >= groups:
            return
        fault = "it needs a group (...) around the number"
    except re.error as error:
        fault = str(error)
    message = f"{expression!r} is not a usable regular expression: {fault}"
    raise ParameterError(message)
