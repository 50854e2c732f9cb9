"""Kinds of values that options take, with one-line messages of our own.

Typer checks numbers and choices too, but its messages differ between versions, and some do not say what was given.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
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


def number(least: float = -inf, most: float = inf, *, above: bool = False) -> Value:
    """A finite number from ``least`` to ``most``; ``above`` leaves ``least`` itself out.

    >>> number(0, 1).parse("0.25")
    0.25
    """

    def parse(given: Any) -> float:
        try:
            value = float(str(given))
        except ValueError:
            value = inf
        if isfinite(value) and least <= value <= most and not (above and value == least):
            return value
        message = f"must be a number{_range(least, most, above=above)}, got {str(given)!r}"
        raise typer.BadParameter(message)

    return Value(float, "X", parse)


def share(most: float = 1.0) -> Value:
    """A share above 0 and up to ``most``, as a number or in per cent.

    >>> share().parse("5%"), share().parse("0.05")
    (0.05, 0.05)
    """
    plain = number(0, most, above=True)

    def parse(given: Any) -> float:
        words = str(given).strip()
        if not words.endswith("%"):
            return float(plain.parse(words))
        try:
            return float(plain.parse(float(words[:-1]) / 100))
        except (ValueError, typer.BadParameter):
            message = f"must be above 0 % and of at most {100 * most:g} %, got {words!r}"
            raise typer.BadParameter(message) from None

    return Value(float, "X", parse)


def text(metavar: str = "TEXT") -> Value:
    """Any text but an empty one."""

    def parse(given: Any) -> str:
        if not str(given).strip():
            message = "must not be empty"
            raise typer.BadParameter(message)
        return str(given).strip()

    return Value(str, metavar, parse)


def listed(kind: Value, metavar: str) -> Value:
    """Several values between commas.

    >>> listed(whole(1), "N,N").parse("1,3")
    (1, 3)
    """

    def parse(given: Any) -> tuple[Any, ...]:
        return tuple(kind.parse(word) for word in str(given).split(","))

    return Value(object, metavar, parse)


def _range(least: float, most: float, *, above: bool) -> str:
    low = "" if least == -inf else f" above {least:g}" if above else f" of at least {least:g}"
    high = "" if most == inf else f" {'and ' if low else ''}of at most {most:g}"
    return low + high
