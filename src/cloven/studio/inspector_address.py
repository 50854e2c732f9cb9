"""Addresses of the inspector: what a page was asked for, and links to other pages that keep what was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from cloven.errors import ParameterError, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_DIGITS = 9
KEPT = ("truth", "attack", "know")
"""What stays chosen on the way from one page to another."""


@dataclass(frozen=True)
class Address:
    """One address.

    Attributes:
        base: where the inspector of the run stands, as a path.
        path: which of its pages; empty for the list.
        query: what was chosen, in the order in which it was given.
    """

    base: str
    path: str = ""
    query: tuple[tuple[str, str], ...] = ()

    def get(self, name: str, default: str = "") -> str:
        """The last value of a name.

        >>> Address("", query=(("by", "told"), ("by", "size"))).get("by")
        'size'
        """
        return next((value for key, value in reversed(self.query) if key == name), default)

    def all(self, name: str) -> list[str]:
        """All values of a name that are not blank, each once."""
        return list(dict.fromkeys(value for key, value in self.query if key == name and value.strip()))

    def number(self, name: str, default: int) -> int:
        """A whole number, not below 0.

        Raises:
            ParameterError: it is none.
        """
        text = self.get(name)
        return whole(text, name) if text else default

    @property
    def truth(self) -> bool:
        """Whether the owner wants to see what is true."""
        return self.get("truth") == "1"

    def to(self, path: str | int | None = None, /, **changes: str | int | None) -> str:
        """A link to this page, or to another one, with something else chosen; None takes a choice away.

        >>> here = Address("/runs/1/clusters", "7", (("truth", "1"), ("part", "4")))
        >>> here.to(part=5), here.to(part=None), here.to(8)
        ('/runs/1/clusters/7?truth=1&part=5', '/runs/1/clusters/7?truth=1', '/runs/1/clusters/8?truth=1')
        """
        kept = self.query if path is None else [pair for pair in self.query if pair[0] in KEPT]
        query = [(name, value) for name, value in kept if name not in changes]
        query += [(name, str(value)) for name, value in changes.items() if value is not None]
        return self._written(self.path if path is None else str(path), query)

    def knowing(
        self, items: Iterable[str], path: str | int | None = None, **changes: str | int | None
    ) -> str:
        """A link with other items known.

        >>> Address("/c", "7", (("know", "a"),)).knowing(["b", "=c"])
        '/c/7?know=b&know=%3Dc'
        """
        kept = tuple(pair for pair in self.query if pair[0] != "know")
        query = kept + tuple(("know", item) for item in items)
        return Address(self.base, self.path, query).to(path, **changes)

    def hidden(self, *names: str) -> list[tuple[str, str]]:
        """What a form has to carry along: all that was chosen but what is asked for by these names."""
        return [pair for pair in self.query if pair[0] not in names]

    def _written(self, path: str, query: list[tuple[str, str]]) -> str:
        # A lone surrogate, as broken files may hold, is no text that could be written.
        asked = urlencode(query, errors="replace")
        return f"{self.base}/{quote(path)}{'?' if asked else ''}{asked}"


def whole(text: str, name: str) -> int:
    """A whole number that somebody typed.

    Raises:
        ParameterError: it is none, or absurd.

    >>> whole("12", "page")
    12
    """
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
        message = f"{name} must be a whole number (got {shorten(text)}); follow a link of the page before"
        raise ParameterError(message)
    return int(text)
