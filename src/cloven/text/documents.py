"""A document, a corpus of them, and how to read one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from cloven.errors import InputError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Format = Literal["files", "lines", "csv", "jsonl", "medquad", "reuters"]
FORMATS: tuple[str, ...] = get_args(Format)
MAX_BYTES = 4 << 30


@dataclass(frozen=True)
class Document:
    """One text; the title is not part of ``text``."""

    name: str
    text: str
    title: str | None = None


@dataclass(frozen=True)
class Dropped:
    """A document that a reader left out, and why."""

    reason: str


@dataclass(frozen=True)
class DocumentOptions:
    """How to read documents.

    Attributes:
        format: one of ``FORMATS``; None takes it from the name: a folder, an archive or a text file is ``files``.
        text_column: column (CSV) or field (JSON Lines) that holds the text.
        title_column: column or field that holds the title, if there is one.
        name_column: column or field that names the document; else it is named by its line.
        header: whether a CSV file starts with the names of its columns; if not, they are called 1, 2, 3, ...
        delimiter: what separates cells of a CSV file; None: a tab for ``.tsv``, else a comma.
        title_line: whether the first line of a text file is its title.
        pattern: which files of a folder or archive to read, such as ``*.txt``.
        encoding: how text is encoded; None: UTF-8, Latin-1 for Reuters.
        limit: stop after so many documents.
        max_bytes: how much the source may hold once unpacked.
    """

    format: Format | None = None
    text_column: str = "text"
    title_column: str | None = None
    name_column: str | None = None
    header: bool = True
    delimiter: str | None = None
    title_line: bool = False
    pattern: str = "*"
    encoding: str | None = None
    limit: int | None = None
    max_bytes: int = MAX_BYTES

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            message = f"format must be one of {', '.join(FORMATS)} (got {self.format!r})"
            raise ParameterError(message)
        if self.max_bytes < 1 or (self.limit is not None and self.limit < 1):
            message = "limit and max_bytes must be at least 1"
            raise ParameterError(message)
        if self.delimiter is not None and len(self.delimiter) != 1:
            message = f"delimiter must be one character (got {self.delimiter!r})"
            raise ParameterError(message)
        if self.encoding is not None:
            _check_encoding(self.encoding)


def _check_encoding(encoding: str) -> None:
    try:
        "".encode(encoding)
    except LookupError as error:
        message = (
            f"unknown encoding {encoding!r}; take utf-8, latin-1, cp1252 or another one that Python knows"
        )
        raise ParameterError(message) from error


@dataclass(frozen=True)
class Corpus:
    """Documents in the order of their source.

    Attributes:
        documents: the documents.
        source: the path as it was given.
        format: the format it was read as.
        dropped: how many documents were left out, for each reason.
    """

    documents: tuple[Document, ...]
    source: str = ""
    format: str = ""
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)


def decoded(content: bytes, encoding: str, source: str) -> str:
    """Text of bytes; what cannot be decoded, or holds a NUL, is an error that names the line."""
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        encoding = "utf-8-sig"  # a byte order mark is no text
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = (
            f"not {error.encoding}; name its encoding, such as latin-1, or leave the file out by pattern"
        )
        raise InputError(message, source=source, line=line) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        message = "holds a NUL character, so it is no text; leave the file out by pattern"
        raise InputError(message, source=source, line=line)
    return text
