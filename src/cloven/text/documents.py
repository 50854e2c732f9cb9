"""Documents, a corpus of them, and how one is read from wherever it is."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import sys
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args
from xml.parsers import expat

from cloven.errors import InputError, ParameterError
from cloven.intake.packing import MAX_BYTES, Budget, entries, extension, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

Format = Literal["files", "lines", "csv", "jsonl", "medquad", "reuters"]
FORMATS: tuple[str, ...] = get_args(Format)


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


# Documents from text files: one document for each file, or one for each line.


def matching_texts(
    path: Path, options: DocumentOptions, pattern: str, encoding: str
) -> Iterator[tuple[str, str, str]]:
    """Label, place and text of each file that matches; a pattern without a slash is held against the last name."""
    for entry in entries(path, Budget(str(path), options.max_bytes)):
        compared = entry.name if "/" in pattern else entry.name.rsplit("/", 1)[-1]
        if fnmatchcase(compared, pattern):
            place = str(path / entry.name) if path.is_dir() else f"{path}[{entry.name}]"
            if entry.name == path.name:
                place = str(path)
            yield entry.name, place, decoded(entry.content, options.encoding or encoding, place)


def read_files(path: Path, options: DocumentOptions) -> Iterator[Document | Dropped]:
    """One document for each file."""
    for name, _, text in matching_texts(path, options, options.pattern, "utf-8"):
        title: str | None = None
        if options.title_line:
            first, _, text = text.lstrip().partition("\n")
            title = first.strip() or None
        yield Document(name, text, title) if text.strip() or title else Dropped("empty file")


def read_lines(path: Path, options: DocumentOptions) -> Iterator[Document | Dropped]:
    """One document for each line that is not blank."""
    for name, _, text in matching_texts(path, options, options.pattern, "utf-8"):
        for number, line in enumerate(text.splitlines(), 1):
            yield Document(f"{name}:{number}", line) if line.strip() else Dropped("blank line")


# Documents from tables: a column of a CSV file, a field of JSON Lines.


def read_csv(path: Path, options: DocumentOptions) -> Iterator[Document | Dropped]:
    """One document for each row."""
    delimiter = options.delimiter or ("\t" if extension(path) == ".tsv" else ",")
    encoding = options.encoding or "utf-8-sig"
    with unpacked(path, Budget(str(path), options.max_bytes)) as stream, _long_cells():
        rows = csv.reader(io.TextIOWrapper(stream, encoding, newline=""), delimiter=delimiter, strict=True)
        columns: Sequence[str] | None = None
        for row in _checked(rows, str(path)):
            if columns is None:
                columns = row if options.header else [str(number) for number in range(1, len(row) + 1)]
                places = _places(columns, options, str(path))
                if options.header:
                    continue
            yield _from_row(row, columns, places, str(path), rows.line_num)


@contextmanager
def _long_cells() -> Iterator[None]:
    """The csv module refuses cells above 128 kB unless told otherwise, for the whole process: put it back after."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _checked(rows: Iterator[list[str]], source: str) -> Iterator[list[str]]:
    """Rows that are not blank; faults of the file become errors with their line."""
    while True:
        line: int = getattr(rows, "line_num", 0)
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            message = f"not CSV: {error}; check the quotes and the delimiter"
            raise InputError(message, source=source, line=line + 1) from error
        except UnicodeDecodeError as error:
            message = f"not {error.encoding} after this line; name its encoding, such as latin-1"
            raise InputError(message, source=source, line=line) from error
        if row:
            yield row


def _places(columns: Sequence[str], options: DocumentOptions, source: str) -> list[int | None]:
    """Where text, title and name stand in a row."""
    places: list[int | None] = []
    for name in (options.text_column, options.title_column, options.name_column):
        if name is not None and name not in columns:
            listed = ", ".join(repr(column) for column in columns[:20])
            message = f"no column {name!r}; the columns are {listed}"
            raise InputError(message, source=source)
        places.append(None if name is None else columns.index(name))
    return places


def _from_row(
    row: Sequence[str], columns: Sequence[str], places: Sequence[int | None], source: str, line: int
) -> Document | Dropped:
    if len(row) != len(columns):
        message = (
            f"{len(row)} cells where there are {len(columns)} columns; quote text that holds the delimiter"
        )
        raise InputError(message, source=source, line=line, value=", ".join(row))
    text, title, name = (None if place is None else row[place] for place in places)
    return _document(name, text, title, f"line {line}")


def read_jsonl(path: Path, options: DocumentOptions) -> Iterator[Document | Dropped]:
    """One document for each line that is not blank."""
    source = str(path)
    with unpacked(path, Budget(source, options.max_bytes)) as stream:
        for number, raw in enumerate(stream, 1):
            if raw.strip():
                yield _from_json(raw, options, source, number)


def _from_json(raw: bytes, options: DocumentOptions, source: str, line: int) -> Document | Dropped:
    try:
        value = json.loads(decoded(raw, options.encoding or "utf-8", source))
    except InputError as error:
        raise InputError(str(error).partition(": ")[2], source=source, line=line) from error
    except (ValueError, RecursionError) as error:
        message = f"not JSON: {getattr(error, 'msg', error)}"
        raise InputError(message, source=source, line=line, value=raw.decode(errors="replace")) from error
    if not isinstance(value, dict):
        message = f"expected an object with the field {options.text_column!r}"
        raise InputError(message, source=source, line=line, value=json.dumps(value))
    text = _field(value, options.text_column, source, line)
    title = None if options.title_column is None else _field(value, options.title_column, source, line)
    name = None if options.name_column is None else value.get(options.name_column)
    return _document(None if name is None else str(name), text, title, f"line {line}")


def _field(value: dict[str, object], name: str, source: str, line: int) -> str | None:
    """A text, or None for null."""
    if name not in value:
        listed = ", ".join(repr(key) for key in list(value)[:20])
        message = f"no field {name!r}; the fields are {listed}"
        raise InputError(message, source=source, line=line)
    found = value[name]
    if found is not None and not isinstance(found, str):
        message = f"field {name!r} must hold text"
        raise InputError(message, source=source, line=line, value=json.dumps(found))
    return found


def _document(name: str | None, text: str | None, title: str | None, place: str) -> Document | Dropped:
    title = (title or "").strip() or None
    if not (text or "").strip() and title is None:
        return Dropped("no text")
    return Document(name or place, text or "", title)


# MedQuAD: question and answer pages of the National Institutes of Health, one XML file each.
#
# A page becomes one document: the text of its answers; its focus is the title. Pages without an answer (three parts of
# the collection hold questions only) are dropped and counted.
#
# The files are read with expat, which fetches nothing from outside. A page with a document type declaration is refused,
# and entities cannot be declared in any other place, so none can grow.


_WANTED = ("Focus", "Answer")


def read_medquad(path: Path, options: DocumentOptions) -> Iterator[Document | Dropped]:
    """One document for each page with an answer."""
    pattern = "*.xml" if options.pattern == "*" else options.pattern
    for name, place, page in matching_texts(path, options, pattern, "utf-8"):
        texts = _texts(page, place)
        answers = [answer for answer in (text.strip() for text in texts["Answer"]) if answer]
        title = " ".join(" ".join(texts["Focus"]).split()) or None
        yield Document(name, "\n\n".join(answers), title) if answers else Dropped("page without an answer")


def _texts(page: str, place: str) -> dict[str, list[str]]:
    """What stands in the elements that are wanted, in order."""
    found: dict[str, list[str]] = {name: [] for name in _WANTED}
    inside: list[str] = []

    def start(name: str, _attributes: dict[str, str]) -> None:
        if name in found:
            inside.append(name)
            found[name].append("")

    def end(name: str) -> None:
        if inside and inside[-1] == name:
            inside.pop()

    def data(text: str) -> None:
        if inside:
            found[inside[-1]][-1] += text

    def refuse(*_: object) -> None:
        message = "holds a document type declaration, which pages of this collection do not have; remove it"
        raise InputError(message, source=place)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = data, refuse
    try:
        parser.Parse(page, True)
    except expat.ExpatError as error:
        message = f"not XML: {expat.errors.messages[error.code]}"
        raise InputError(message, source=place, line=error.lineno) from error
    return found


# Reuters-21578: newswire stories of 1987, a thousand to an SGML file.
#
# A story becomes one document: its BODY, with its TITLE as title; dateline, topics and control characters stay outside.
# A story without a BODY is dropped and counted.
#
# SGML is no XML, but this collection uses it in one fixed way, so the parts are cut out by their tags. Only numbered
# and the standard named characters are resolved; nothing can be declared.


_OPEN, _CLOSE = "<REUTERS", "</REUTERS>"
_NUMBER = re.compile(r'NEWID="([^"]*)"')
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def read_reuters(path: Path, options: DocumentOptions) -> Iterator[Document | Dropped]:
    """One document for each story with a body."""
    pattern = "*.sgm" if options.pattern == "*" else options.pattern
    for name, place, text in matching_texts(path, options, pattern, "latin-1"):
        for story in _stories(text, place):
            body, title = _part(story, "BODY"), _part(story, "TITLE")
            number = _NUMBER.search(story)
            label = f"{name}:{number.group(1)}" if number else name
            yield Document(label, body, title) if body else Dropped("story without a body")


def _stories(text: str, place: str) -> Iterator[str]:
    at = text.find(_OPEN)
    while at >= 0:
        end, following = text.find(_CLOSE, at), text.find(_OPEN, at + 1)
        if end < 0 or 0 <= following < end:
            message = f"a story is not closed by {_CLOSE}"
            raise InputError(message, source=place, line=text.count("\n", 0, at) + 1)
        yield text[at:end]
        at = following


def _part(story: str, tag: str) -> str | None:
    """What stands between a pair of tags, None if it is blank or absent."""
    _, opened, rest = story.partition(f"<{tag}>")
    inner, closed, _ = rest.partition(f"</{tag}>")
    if not (opened and closed):
        return None
    return _CONTROL.sub("", html.unescape(inner)).rstrip() or None


_READERS = {
    "files": read_files,
    "lines": read_lines,
    "csv": read_csv,
    "jsonl": read_jsonl,
    "medquad": read_medquad,
    "reuters": read_reuters,
}
_BY_NAME: dict[str, Format] = {"medquad": "medquad", "reuters": "reuters"}
_BY_EXTENSION: dict[str, Format] = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def _format_of(path: Path) -> Format:
    """The format of a well-known collection by its name, else by the ending."""
    known = next((kind for name, kind in _BY_NAME.items() if name in path.name.lower()), None)
    return known or ("files" if path.is_dir() else _BY_EXTENSION.get(extension(path), "files"))


def read_documents(path: str | Path, options: DocumentOptions | None = None) -> Corpus:
    """Read documents: a folder or archive (tar, zip) of text files, a CSV column, JSON Lines, MedQuAD, Reuters.

    Files may be packed with gzip, zstd or zip. Nothing is unpacked to disk.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = Path(folder, "a.txt").write_text("The patient has a fever.")
    ...     corpus = read_documents(folder)
    >>> corpus.documents
    (Document(name='a.txt', text='The patient has a fever.', title=None),)
    """
    path, options = Path(path), options or DocumentOptions()
    if not path.exists():
        message = "there is no such file or folder"
        raise InputError(message, source=str(path))
    kind = options.format or _format_of(path)
    read = cast("Callable[..., Generator[Document | Dropped]]", _READERS[kind])
    documents: list[Document] = []
    dropped: Counter[str] = Counter()
    with closing(read(path, options)) as found:
        for one in found:
            if isinstance(one, Dropped):
                dropped[one.reason] += 1
            else:
                documents.append(one)
            if len(documents) == options.limit:
                break
    if not documents:
        why = ", ".join(f"{count:,} x {reason}" for reason, count in dropped.items()) or "nothing matches"
        message = f"no document found as format {kind!r} ({why}); check path, format and pattern"
        raise InputError(message, source=str(path))
    return Corpus(tuple(documents), str(path), kind, dict(dropped))
