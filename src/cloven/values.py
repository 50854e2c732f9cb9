"""Kinds of values that people write, with one-line messages; and how a parameter says which kind it takes.

A parameter that a command may ask for is one line of a dataclass, which says all there is to say of it:
``k: int = option(5, whole(2), "Rows of a bucket, at least.")``. Commands make their options of that.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 2**31 - 1


@dataclass(frozen=True)
class Value:
    """A kind of value.

    Attributes:
        kind: its Python type.
        metavar: what help shows in its place.
        parse: makes it from text, or raises ``ParameterError`` with a message that begins after the name of the option.
        content: of a file, what it holds; whoever asks for it knows how to read that.
        choices: the words that it is one of, where there are only a few.
    """

    kind: Any
    metavar: str | None = None
    parse: Callable[[Any], Any] | None = None
    content: str | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Option:
    """How a parameter is asked for.

    Attributes:
        default: what it is if nobody says; None where a file may be named.
        value: the kind of value.
        help: one sentence.
        flag: how it is written, where its name does not say it.
        last: told after the others.
    """

    default: Any
    value: Value
    help: str
    flag: str = ""
    last: bool = False


def option(default: Any, value: Value, help: str, flag: str = "", *, last: bool = False) -> Any:
    """A field of a dataclass that commands ask for."""
    asked = Option(None if value.content else default, value, help, flag, last)
    return field(default=default, metadata={"option": asked})


def choice(default: Any, words: Any, help: str, flag: str = "", *, last: bool = False) -> Any:
    """A field that takes one of the words of a ``Literal``; the help lists them."""
    known = get_args(words)
    return option(default, one_of(*known), f"{help}: {', '.join(known)}.", flag, last=last)


def options_of(kind: Any) -> dict[str, Option]:
    """The options of a dataclass by the names of its fields.

    >>> @dataclass
    ... class Sliced:
    ...     k: int = option(5, whole(2), "Rows of a bucket.")
    ...     noted: bool = False
    >>> options_of(Sliced)["k"].default, list(options_of(Sliced))
    (5, ['k'])
    """
    return {each.name: each.metadata["option"] for each in fields(kind) if "option" in each.metadata}


TEXT, FILE, FLAG = Value(str, "TEXT"), Value(Path, "FILE"), Value(bool)


def file_of(content: str) -> Value:
    """A file that holds something."""
    return replace(FILE, content=content)


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
            raise ParameterError(message) from None
        if not least <= number <= most:
            message = f"must be from {least:,} to {most:,}, got {number}"
            raise ParameterError(message)
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
            raise ParameterError(message)
        return str(given)

    return Value(str, "NAME", parse, choices=choices)


def real(least: float = -inf, most: float = inf, *, above: bool = False) -> Value:
    """A finite number from ``least`` to ``most``; ``above`` leaves ``least`` itself out.

    >>> real(0, 1).parse("0.25")
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
        raise ParameterError(message)

    return Value(float, "X", parse)


def share(most: float = 1.0) -> Value:
    """A share above 0 and up to ``most``, as a number or in per cent.

    >>> share().parse("5%"), share().parse("0.05")
    (0.05, 0.05)
    """
    plain = real(0, most, above=True).parse or float

    def parse(given: Any) -> float:
        words = str(given).strip()
        if not words.endswith("%"):
            return float(plain(words))
        try:
            return float(plain(float(words[:-1]) / 100))
        except (ValueError, ParameterError):
            message = f"must be above 0 % and of at most {100 * most:g} %, got {words!r}"
            raise ParameterError(message) from None

    return Value(float, "X", parse)


def text(metavar: str = "TEXT") -> Value:
    """Any text but an empty one."""

    def parse(given: Any) -> str:
        if not str(given).strip():
            message = "must not be empty"
            raise ParameterError(message)
        return str(given).strip()

    return Value(str, metavar, parse)


def listed(kind: Value, metavar: str) -> Value:
    """Several values between commas.

    >>> listed(whole(1), "N,N").parse("1,3")
    (1, 3)
    """
    one = kind.parse or kind.kind

    def parse(given: Any) -> tuple[Any, ...]:
        return tuple(one(word) for word in str(given).split(","))

    return Value(object, metavar, parse)


def _range(least: float, most: float, *, above: bool) -> str:
    low = "" if least == -inf else f" above {least:g}" if above else f" of at least {least:g}"
    high = "" if most == inf else f" {'and ' if low else ''}of at most {most:g}"
    return low + high
