"""Polite requests to a web service: a pause between them, patience when it is busy, a limit to their number.

Busy means status 429 or 5xx, no connection, or no answer in time. The wait then doubles from try to try, and is never
shorter than what the server asks for (``Retry-After``, seconds or date: RFC 9110, 10.2.3).
"""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from cloven.errors import InputError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
