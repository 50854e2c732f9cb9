"""Word vectors from files as they are published, told apart by content, plain or packed with gzip.

================  ====================================================================================
GloVe text        a word and its numbers in each line
word2vec text     the same after a first line "count dimensions" (also what fastText calls ``.vec``)
word2vec binary   words and little-endian floats after such a line
NumPy pair        ``X.npy``, a matrix of floats, beside ``X.words.txt`` or ``X.words.txt.gz``, a word in each line
================  ====================================================================================

References: Pennington, Socher and Manning (GloVe, EMNLP 2014); Mikolov, Chen, Corrado and Dean (word2vec, 2013).
"""

from __future__ import annotations

import gzip
import re
import zlib
from codecs import BOM_UTF8
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np

from cloven.errors import InputError
from cloven.relatedness.vector_binary import binary_rows
from cloven.relatedness.vector_table import RowBlock, VectorTable, WordIndex, table_of
from cloven.relatedness.vector_text import TextLayout, count_numbers, text_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

NUMPY_START = b"\x93NUMPY"
_HEAD = 1 << 20  # enough to tell the formats apart, and for the first line
_STEP = 1 << 24
_MOST_DIMENSIONS = 100_000
_HEADER = re.compile(rb"(\d{1,12})[ \t]+(\d{1,12})[ \t\r]*\n")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_REFUSED = {
    b"PK\x03\x04": "a zip archive; unpack it and name the file inside",
    b"\xba\x16O/": "a fastText model; export its vectors as text (.vec) and name that file",
    b"\x28\xb5\x2f\xfd": "packed with zstd; unpack it, or pack it with gzip",
    b"BZh": "packed with bzip2; unpack it, or pack it with gzip",
}


def read_vectors(path: Path) -> VectorTable:
    """Read a published file into memory; a NumPy matrix stays on disk and is memory-mapped."""
    if starts_with(path, NUMPY_START):
        return _numpy_pair(path)
    table = table_of(row_blocks(path), str(path))
    refuse_repeated(table.index, path)
    return table


def row_blocks(path: Path) -> Iterator[RowBlock]:
    """Rows of a file in blocks, read as they are asked for."""
    if starts_with(path, NUMPY_START):
        table = _numpy_pair(path)
        yield RowBlock(table.index.text, np.diff(table.index.offsets), table.matrix)
        return
    with _opened(path) as stream:
        yield from _rows_after(_head(stream), stream, str(path))


def refuse_repeated(index: WordIndex, path: Path) -> None:
    """Raise if a word stands in the file twice."""
    repeated = index.repeated()
    if repeated is None:
        return
    first_line = _first_line(path)
    unit, start = ("row", 1) if first_line is None else ("line", first_line)
    first, second = (row + start for row in repeated)
    message = f"a word has two vectors ({unit} {first:,} and {unit} {second:,}); remove one of the two"
    word = index.word(repeated[1]).decode("utf-8", "replace")
    raise InputError(message, source=str(path), line=None if first_line is None else second, value=word)


def starts_with(path: Path, start: bytes) -> bool:
    """Whether the file, as it lies on disk, starts with these bytes."""
    with _file(path) as stream:
        return stream.read(len(start)) == start


def _first_line(path: Path) -> int | None:
    """Line of the first row, None where the rows are not lines."""
    with _opened(path) as stream:
        head = _head(stream)
    header = _HEADER.match(head)
    if header is None:
        return 1
    return None if _is_binary(head[header.end() :], int(header[2])) else 2


def _rows_after(head: bytes, stream: IO[bytes], source: str) -> Iterator[RowBlock]:
    """Tell the format by the head of a file and read all of it."""
    if not head.strip():
        message = "empty; a vector file holds a word and its numbers in each line"
        raise InputError(message, source=source)
    header = _HEADER.match(head)
    if header is None:
        dimensions = count_numbers(head.partition(b"\n")[0], source)
        return text_rows(_parts(head, stream), TextLayout(source, dimensions))
    count, dimensions, rest = int(header[1]), int(header[2]), head[header.end() :]
    if not 1 <= dimensions <= _MOST_DIMENSIONS or count < 1:
        message = f"the first line must be a count of words and 1 to {_MOST_DIMENSIONS:,} dimensions"
        raise InputError(message, source=source, line=1, value=header[0].decode().strip())
    if _is_binary(rest, dimensions):
        return binary_rows(_parts(rest, stream), count, dimensions, source)
    return text_rows(_parts(rest, stream), TextLayout(source, dimensions, first_line=2, count=count))


def _is_binary(rest: bytes, dimensions: int) -> bool:
    """Whether what follows a header is binary: control characters, or bytes that are not UTF-8 at all."""
    first_row = rest.partition(b"\n")[0]
    try:
        if len(first_row.split()) > dimensions and count_numbers(first_row, "") == dimensions:
            return False
        first_row.decode("utf-8")
    except (InputError, UnicodeDecodeError):
        return True
    return _CONTROL.search(rest) is not None


def _head(stream: IO[bytes]) -> bytes:
    """The start of a file, without a byte order mark, which is no part of the first word."""
    return stream.read(_HEAD).removeprefix(BOM_UTF8)


def _parts(head: bytes, stream: IO[bytes]) -> Iterator[bytes]:
    yield head
    while part := stream.read(_STEP):
        yield part


@contextmanager
def _file(path: Path) -> Iterator[IO[bytes]]:
    """The file as it lies on disk; what the system has against it becomes one line."""
    try:
        with path.open("rb") as stream:
            yield stream
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        message = f"the gzip packing is damaged ({error}); get the file anew"
        raise InputError(message, source=str(path)) from error
    except OSError as error:
        message = f"cannot be read ({error.strerror or error}); check the path"
        raise InputError(message, source=str(path)) from error


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """The file, unpacked if it is packed with gzip."""
    with _file(path) as stream:
        start = stream.read(4)
        stream.seek(0)
        for refused, what in _REFUSED.items():
            if start.startswith(refused):
                message = f"is {what}"
                raise InputError(message, source=str(path))
        if start.startswith(b"\x1f\x8b"):
            with gzip.open(stream) as unpacked:
                yield cast("IO[bytes]", unpacked)
        else:
            yield stream


def _numpy_pair(path: Path) -> VectorTable:
    matrix = _numpy_matrix(path)
    words = _words_beside(path)
    with _opened(words) as stream:
        text = stream.read().replace(b"\r\n", b"\n")
    letters = np.frombuffer(text if text.endswith(b"\n") or not text else text + b"\n", np.uint8)
    ends = np.flatnonzero(letters == ord("\n"))
    lengths = np.diff(ends, prepend=-1) - 1
    if len(lengths) != len(matrix):
        message = (
            f"{len(lengths):,} words for the {len(matrix):,} rows of {path.name}; there must be one for each"
        )
        raise InputError(message, source=str(words))
    if (lengths == 0).any():
        message = "a blank line where the word of a row should be; mend the file or get it anew"
        raise InputError(message, source=str(words), line=int(np.argmax(lengths == 0)) + 1)
    index = WordIndex.build(letters[letters != ord("\n")], lengths)
    refuse_repeated(index, words)
    return VectorTable(str(path), index, matrix)


def _numpy_matrix(path: Path) -> NDArray[Any]:
    try:
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        message = f"cannot be read as a NumPy array ({error}); save it anew with numpy.save"
        raise InputError(" ".join(message.split()), source=str(path)) from error
    if matrix.ndim != 2 or 0 in matrix.shape or not np.issubdtype(matrix.dtype, np.floating):
        message = "must be a matrix of floating-point numbers with a row for each word"
        raise InputError(message, source=str(path), value=f"{matrix.dtype} {matrix.shape}")
    return cast("NDArray[Any]", matrix)


def _words_beside(path: Path) -> Path:
    choices = [path.with_suffix(ending) for ending in (".words.txt", ".words.txt.gz")]
    found = next((choice for choice in choices if choice.is_file()), None)
    if found is None:
        message = f"its words are missing; put {choices[0].name} (or .gz) with a word in each line beside it"
        raise InputError(message, source=str(path))
    return found
