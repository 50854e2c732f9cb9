"""What a reader is told, and what it tells afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from cloven.errors import ParameterError

Format = Literal["lines", "fimi", "spmf", "long", "table", "json", "jsonl", "parquet"]
FORMATS: tuple[str, ...] = get_args(Format)
TEXT_TABLES = ("lines", "long", "table")
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " ", "pipe": "|", "\\t": "\t"}
MAX_RECORD_LENGTH = 100_000
MAX_BYTES = 8 << 30


@dataclass(frozen=True)
class ReadOptions:
    r"""How to read a file.

    Attributes:
        format: one of ``FORMATS``; None takes it from the file's extension and the columns named here.
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

    format: Format | None = None
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
