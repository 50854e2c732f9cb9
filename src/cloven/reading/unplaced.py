"""The error of a file that cannot be placed: it names the formats that are most likely, and what to pass for each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cloven.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MOST_SUGGESTIONS = 3
_WORDS = {"\t": "tab", " ": "space"}


@dataclass(frozen=True)
class Suggestion:
    """One way to read a file.

    Attributes:
        options: what to pass to ``read``, by name.
        reason: what in the file speaks for it, in a few words.
        score: how likely it is, from 0 to 1; says only which is likelier.
    """

    options: Mapping[str, str]
    reason: str
    score: float

    @property
    def printable(self) -> bool:
        """Whether it can stand in a message of one line; names of columns may hold anything."""
        return all(value.isprintable() and len(value) <= 60 for value in self.options.values())


@dataclass(frozen=True)
class Likely:
    """The ways to read a file, most likely first, or a note that says why there is none."""

    suggestions: tuple[Suggestion, ...] = ()
    note: str | None = None


@dataclass(frozen=True)
class _Problem:
    """What an error was made of, so that it can be worded again."""

    message: str
    meant: Suggestion | None
    found: Likely = field(default_factory=Likely)


class UnplacedError(InputError):
    """A file whose format cannot be told, or is not the one it was read as."""

    def __init__(
        self,
        message: str,
        *,
        source: str | None = None,
        line: int | None = None,
        value: str | None = None,
        meant: Suggestion | None = None,
        found: Likely | None = None,
    ) -> None:
        """``meant``: how to insist on the reading that was refused; it is named last."""
        self.problem = _Problem(message, meant, found or Likely())
        super().__init__(self.worded(in_python), source=source, line=line, value=value)

    @property
    def suggestions(self) -> tuple[Suggestion, ...]:
        """At most three ways to read the file, most likely first."""
        found, meant = self.problem.found.suggestions, self.problem.meant
        if meant is None:
            return found[:MOST_SUGGESTIONS]
        others = [each for each in found if each.options != meant.options]
        return (*others[: MOST_SUGGESTIONS - 1], meant)

    def with_likely(self, found: Likely) -> UnplacedError:
        """The same error, now that the file was looked at."""
        problem = self.problem
        return UnplacedError(
            problem.message,
            source=self.source,
            line=self.line,
            value=self.value,
            meant=problem.meant,
            found=found,
        )

    def worded(self, write: Callable[[Suggestion], str]) -> str:
        """The message without its place, suggestions as ``write`` puts them."""
        message, note = self.problem.message, self.problem.found.note
        told = "; or ".join(f"{write(each)} ({each.reason})" for each in self.suggestions)
        likely = f"most likely: {told}" if told else None
        return "; ".join(part for part in (message, note, likely) if part is not None)


def in_python(suggestion: Suggestion) -> str:
    """A suggestion as keywords of ``read``.

    >>> in_python(Suggestion({"format": "lines", "delimiter": ";"}, "", 1.0))
    "format='lines', delimiter=';'"
    """
    return ", ".join(f"{name}={value!r}" for name, value in suggestion.options.items())


def delimiter_word(character: str) -> str:
    r"""How a delimiter is best written: white space by name.

    >>> delimiter_word("\t"), delimiter_word(";")
    ('tab', ';')
    """
    return _WORDS.get(character, character)
