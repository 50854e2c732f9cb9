"""Read documents from wherever they are."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, cast

from cloven.errors import InputError
from cloven.text.documents import Corpus, Document, DocumentOptions, Dropped, Format
from cloven.text.files import read_files, read_lines
from cloven.text.medquad import read_medquad
from cloven.text.packed import extension
from cloven.text.reuters import read_reuters
from cloven.text.tables import read_csv, read_jsonl

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_READERS = {
    "files": read_files,
    "lines": read_lines,
    "csv": read_csv,
    "jsonl": read_jsonl,
    "medquad": read_medquad,
    "reuters": read_reuters,
}
_BY_EXTENSION: dict[str, Format] = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}


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
    kind = options.format or ("files" if path.is_dir() else _BY_EXTENSION.get(extension(path), "files"))
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
