"""Documents from text files: one document for each file, or one for each line."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from cloven.text.documents import Document, DocumentOptions, Dropped, decoded
from cloven.text.packed import Budget, entries

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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
