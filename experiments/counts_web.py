"""Documents counted by a web search engine: the normalised Google distance as it was meant.

Every item is one question, every pair of items another; items of several words are quoted as phrases. Answers are
kept in an SQLite file together with their date, each as soon as it comes: a run that was interrupted, or that used
up its requests, goes on where it stopped. Counts of search engines are estimates and change from day to day.
"""

from __future__ import annotations

import http.client
import json
import re
import sqlite3
import time
import urllib.error
import urllib.request
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import quote, urlsplit

import numpy as np

from cloven.errors import InputError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray


# Polite requests to a web service: a pause between them, patience when it is busy, a limit to their number.
#
# Busy means status 429 or 5xx, no connection, or no answer in time. The wait then doubles from try to try, and is never
# shorter than what the server asks for (``Retry-After``, seconds or date: RFC 9110, 10.2.3).


ANSWER_BYTES = 10_000_000


class LimitReachedError(InputError):
    """The allowed number of requests is used up."""


@dataclass(frozen=True)
class Manners:
    """How to treat a web service.

    Attributes:
        pause: seconds between the starts of two requests.
        timeout: seconds to wait for an answer.
        tries: how often a question is asked when the service is busy.
        wait: seconds before the second try; doubled for each further one.
        longest_wait: give up when a wait would be longer than this.
        limit: most requests to send, repeated ones included; None for no limit.
        clock: seconds of a clock that never goes back.
        sleep: waits some seconds.
    """

    pause: float = 1.0
    timeout: float = 30.0
    tries: int = 5
    wait: float = 2.0
    longest_wait: float = 300.0
    limit: int | None = None
    clock: Callable[[], float] = field(default=time.monotonic, repr=False, compare=False)
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False, compare=False)

    def __post_init__(self) -> None:
        if min(self.pause, self.wait, self.longest_wait) < 0 or self.timeout <= 0:
            message = "pause, wait and longest_wait must not be negative, and timeout must be positive"
            raise ParameterError(message)
        if self.tries < 1 or (self.limit is not None and self.limit < 0):
            message = f"tries must be at least 1 and limit at least 0, got {self.tries} and {self.limit}"
            raise ParameterError(message)


class Asker:
    """Sends requests with manners, and remembers when the last one was and how many there were."""

    def __init__(self, manners: Manners, headers: Mapping[str, str]) -> None:
        self.manners, self.headers = manners, headers
        self.requests = 0
        self._earliest = float("-inf")
        self._opener = _opener()

    def ask(self, url: str) -> str:
        """Text that a URL answers with; raises when the service refuses or stays busy."""
        manners, host = self.manners, urlsplit(url).hostname or ""
        for attempt in range(1, manners.tries + 1):
            try:
                return self._once(url, host)
            except urllib.error.HTTPError as fault:
                fault.close()
                reason = f"HTTP {fault.code}"
                if fault.code != 429 and fault.code < 500:
                    message = f"the search refuses ({reason}); check address, key and query"
                    raise InputError(message, source=host) from None
                asked = _asked_wait(fault.headers.get("Retry-After", ""))
            except (OSError, http.client.HTTPException) as fault:
                reason, asked = str(getattr(fault, "reason", fault)) or type(fault).__name__, 0.0
            wait = max(asked, manners.wait * 2 ** (attempt - 1))
            if attempt < manners.tries and wait > manners.longest_wait:
                message = (
                    f"the search is busy ({reason}) for {wait:.0f} s; come back then, answers so far are kept"
                )
                raise InputError(message, source=host)
            if attempt < manners.tries:
                manners.sleep(wait)
        message = f"the search gave no answer in {manners.tries} tries ({reason}); answers so far are kept"
        raise InputError(message, source=host)

    def _once(self, url: str, host: str) -> str:
        manners = self.manners
        if manners.limit is not None and self.requests >= manners.limit:
            message = f"the limit of {manners.limit} requests is used up; answers so far are kept, run again to go on"
            raise LimitReachedError(message, source=host)
        early = self._earliest - manners.clock()
        if early > 0:
            manners.sleep(early)
        self._earliest = manners.clock() + manners.pause
        self.requests += 1
        request = urllib.request.Request(url, headers=dict(self.headers))  # noqa: S310 (the opener knows http only)
        with self._opener.open(request, timeout=manners.timeout) as answer:
            content: bytes = answer.read(ANSWER_BYTES)
            return content.decode(answer.headers.get_content_charset() or "utf-8", errors="replace")


def _opener() -> urllib.request.OpenerDirector:
    """Opens http and https, also behind a proxy and after a redirect; no files, no ftp."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPRedirectHandler,
        urllib.request.HTTPErrorProcessor,
        urllib.request.UnknownHandler,
    ):
        opener.add_handler(handler())
    return opener


def _asked_wait(header: str) -> float:
    """Seconds that a ``Retry-After`` header asks for; 0 when it says nothing.

    >>> _asked_wait("7"), _asked_wait("soon"), _asked_wait("Wed, 01 Jan 2020 00:00:00 GMT")
    (7.0, 0.0, 0.0)
    """
    if header.strip().isdecimal():
        return float(header)
    try:
        moment = parsedate_to_datetime(header)
    except ValueError:
        return 0.0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


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


# Questions to search engines, and numbers in their answers.


GROUPED = re.compile(r"\d{1,3}(?:[,.'\u2019\s]\d{3})+|\d+")
"""A whole number, also one whose thousands are set apart: 67,400,000."""


def phrased(item: str) -> str:
    """An item as a question: words of a phrase are quoted.

    >>> phrased("blood  vessel"), phrased("lung")
    ('"blood vessel"', 'lung')
    """
    words = item.replace('"', " ").split()
    return f'"{" ".join(words)}"' if len(words) > 1 else "".join(words)


def whole_number(value: Any) -> int | None:
    """A count that an engine shows, or None.

    >>> whole_number("67,400,000"), whole_number(12.0), whole_number("many"), whole_number(True)
    (67400000, 12, None, None)
    """
    if isinstance(value, str):
        digits = GROUPED.fullmatch(value.strip())
        return int(re.sub(r"\D", "", digits[0])) if digits else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0 or value != value // 1:
        return None
    return int(value)


def pointed(text: str, pointer: str) -> Any:
    """Value at a JSON pointer (RFC 6901), or None.

    >>> pointed('{"found": [{"total/all": 5}]}', "/found/0/total~1all")
    5
    """
    try:
        value = json.loads(text)
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            value = value[int(key)] if isinstance(value, list) else value[key]
    except (ValueError, KeyError, IndexError, TypeError):
        return None
    return value


# Answers of a search engine kept on disk, so that no question is paid for twice and an interrupted run goes on.


TABLE = """
CREATE TABLE IF NOT EXISTS answers (
    engine TEXT NOT NULL, query TEXT NOT NULL, documents INTEGER NOT NULL, date TEXT NOT NULL,
    PRIMARY KEY (engine, query)
)"""


class Answer(NamedTuple):
    """How many documents an engine found, and when (ISO date)."""

    documents: int
    date: str


@dataclass(frozen=True)
class Cache:
    """Answers of one engine in an SQLite file, which several engines may share.

    Every answer is committed at once. What was there when the cache was opened is read once; what other processes
    add later is not seen, only asked again.

    Attributes:
        path: the file; it is made when the first answer comes.
        engine: which engine's answers are meant.
    """

    path: Path
    engine: str

    @cached_property
    def answers(self) -> dict[str, Answer]:
        """All answers by query."""
        if not self.path.exists():
            return {}
        question = "SELECT query, documents, date FROM answers WHERE engine = ?"
        with _named(self.path), closing(sqlite3.connect(self.path, timeout=30)) as file:
            file.execute(TABLE)
            return {
                query: Answer(documents, date)
                for query, documents, date in file.execute(question, (self.engine,))
            }

    def add(self, query: str, answer: Answer) -> None:
        """Keep one answer."""
        self.answers[query] = answer
        with _named(self.path), closing(sqlite3.connect(self.path, timeout=30)) as file, file:
            file.execute(TABLE)
            file.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", (self.engine, query, *answer))


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Turn faults of SQLite into errors that name the file."""
    try:
        yield
    except sqlite3.Error as fault:
        message = f"the cache of answers cannot be used ({fault}); name another file"
        raise InputError(message, source=str(path)) from fault
