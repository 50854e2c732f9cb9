"""Kinds of values that options take, with one-line messages of our own.

Typer checks numbers and choices too, but its messages differ between versions, and some do not say what was given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 2**31 - 1


@dataclass(frozen=True)
class Value:
    """A kind of value.

    Attributes:
        kind: its Python type.
        metavar: what help shows in its place.
        parse: makes it from text, or raises ``typer.BadParameter``.
    """

    kind: Any
    metavar: str
    parse: Callable[[Any], Any]

    def option(self, *flags: str, **about: Any) -> Any:
        """An option of this kind: ``Annotated[int, whole(1).option("--top", help="...")]``."""
        return typer.Option(*flags, metavar=self.metavar, parser=self.parse, **about)


def whole(least: int = -MOST, most: int = MOST) -> Value:
    """A whole number from ``least`` to ``most``.

    >>> whole(1).parse("12")
    12
    """

    def parse(given: Any) -> int:
        try:
            number = int(str(given))
        except ValueError:
            message = f"must be a whole number, got {str(given)!r}"
            raise typer.BadParameter(message) from None
        if not least <= number <= most:
            message = f"must be from {least:,} to {most:,}, got {number}"
            raise typer.BadParameter(message)
        return number

    return Value(int, "N", parse)


def one_of(*choices: str) -> Value:
    """One of a few words; the help of the option lists them.

    >>> one_of("add", "keep").parse("keep")
    'keep'
    """

    def parse(given: Any) -> str:
        if given not in choices:
            message = f"must be one of {', '.join(choices)}, got {str(given)!r}"
            raise typer.BadParameter(message)
        return str(given)

    return Value(str, "NAME", parse)
