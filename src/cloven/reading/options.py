"""The formats by name, what a reader is told, and what it tells afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cloven.errors import InputError, ParameterError
from cloven.intake.packing import MAX_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True)
class Format:
    """A form in which a file holds records.

    Attributes:
        parser: module of this package and function ``(text, source, options)`` that gives ``RawRecords`` or
            ``LongRows``; it is loaded when it is needed.
        endings: endings of the names of such files.
        delimited: whether the parser is told a delimiter too, which is guessed if nobody names it.
        delimiter: what always parts the items, if something does.
        columns: whether columns can be named.
        text: whether a byte order mark is taken off, and bytes that are no text are refused.
        held: bytes held while reading, for each byte of the unpacked file: the text, and the items cut from it.
    """

    parser: str
    endings: tuple[str, ...] = ()
    delimited: bool = False
    delimiter: str | None = None
    columns: bool = True
    text: bool = True
    held: float = 2.0


FORMATS = {
    "lines": Format(
        "delimited.read_lines", (".csv", ".tsv", ".txt", ".basket"), delimited=True, columns=False
    ),
    "fimi": Format("delimited.read_fimi", (".dat",), delimiter=" ", columns=False),
    "spmf": Format("delimited.read_spmf", delimiter=" ", columns=False),
    "long": Format("delimited.read_long", delimited=True),
    "table": Format("delimited.read_table", delimited=True),
    "wide": Format("delimited.read_wide", delimited=True),
    "json": Format("objects.read_json", (".json",), held=3.0),
    "jsonl": Format("objects.read_jsonl", (".jsonl", ".ndjson"), held=3.0),
    "parquet": Format("arrow.read_parquet", (".parquet",), text=False),
}
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " ", "pipe": "|", "\\t": "\t"}
MAX_RECORD_LENGTH = 100_000


@dataclass(frozen=True)
class ReadOptions:
    r"""How to read a file.

    Attributes:
        format: a name of ``FORMATS``; None takes it from the file's extension and the columns named here.
        delimiter: what separates items (or cells): an ASCII character or a name like ``"tab"``; None: guess.
        column: column that holds a list of items (Parquet, JSON objects, CSV with a header).
        id_column: column that says which record a row belongs to (long tables).
        item_column: column that holds one item per row (long tables).
        person: column that says whose record it is, where one person may have several.
        item_delimiter: what separates items inside a cell of ``column`` in a CSV file; None guesses.
        lenient: skip what is bad, count and report it, instead of raising at the first.
        max_record_length: a longer record is an error; it is most likely a wrong delimiter.
        max_bytes: how much a compressed file may unpack to.

    >>> ReadOptions(delimiter="tab").delimiter
    '\t'
    """

    format: str | None = None
    delimiter: str | None = None
    column: str | None = None
    id_column: str | None = None
    item_column: str | None = None
    person: str | None = None
    item_delimiter: str | None = None
    lenient: bool = False
    max_record_length: int = MAX_RECORD_LENGTH
    max_bytes: int = MAX_BYTES

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            message = f"format must be one of {', '.join(FORMATS)} (got {self.format!r})"
            raise ParameterError(message)
        for name in ("delimiter", "item_delimiter"):
            object.__setattr__(self, name, _delimiter(name, getattr(self, name)))
        check_columns(self.column, self.id_column, self.item_column)
        if self.max_record_length < 1 or self.max_bytes < 1:
            message = "max_record_length and max_bytes must be at least 1"
            raise ParameterError(message)


@dataclass(frozen=True)
class ReadReport:
    """What happened while reading; private to the owner, like the data.

    Attributes:
        source: the file as it was named.
        format: the format it was read as.
        delimiter: the delimiter used, None where there is none.
        records: records read.
        empty_records: blank lines or empty lists, dropped.
        repeated_items: items that stood more than once in their record, collapsed.
        blank_items: blank items left out (lenient reading only).
        skipped: bad lines (or rows) left out (lenient reading only).
        examples: the first few skipped places and why: ``(line, reason)``; rows and records count from 0.
    """

    source: str
    format: str
    delimiter: str | None
    records: int
    empty_records: int = 0
    repeated_items: int = 0
    blank_items: int = 0
    skipped: int = 0
    examples: tuple[tuple[int, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**vars(self), "examples": [list(example) for example in self.examples]}


def check_columns(column: str | None, id_column: str | None, item_column: str | None) -> None:
    """Columns come as one list column, or as an id column together with an item column."""
    if (id_column is None) != (item_column is None):
        message = "a long table needs both id_column and item_column; name the other one too"
        raise ParameterError(message)
    if column is not None and id_column is not None:
        message = (
            "name either column (a list of items per row) or id_column and item_column (one item per row)"
        )
        raise ParameterError(message)


def _delimiter(name: str, given: str | None) -> str | None:
    if given is None:
        return None
    character = DELIMITERS.get(given, given)
    if len(character) != 1 or not character.isascii() or character in '"\n\r\0':
        message = (
            f"{name} must be one ASCII character or one of comma, semicolon, tab, space, pipe (got {given!r})"
        )
        raise ParameterError(message)
    return character


# A file that cannot be placed: the error names the formats that are most likely, and what to pass for each.


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
