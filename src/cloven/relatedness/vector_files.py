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
from dataclasses import dataclass
from itertools import pairwise
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from cloven.compiled import compiled
from cloven.errors import InputError
from cloven.intake.files import open_plain
from cloven.intake.packing import ARRAY_DAMAGE, array_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from cloven.compiled import Ints, Longs


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


def source_files(path: Path) -> list[Path]:
    """All files that the vectors come from."""
    return [path, _words_beside(path)] if starts_with(path, NUMPY_START) else [path]


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
        with open_plain(path) as stream:
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
        start = stream.read(64)
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
        open_plain(path).close()
        matrix = array_of(path, mapped=True)
    except (OSError, EOFError, *ARRAY_DAMAGE) as error:
        message = f"cannot be read as a NumPy array ({error}); save it anew with numpy.save"
        raise InputError(" ".join(message.split()), source=str(path)) from error
    if matrix.ndim != 2 or 0 in matrix.shape or not np.issubdtype(matrix.dtype, np.floating):
        message = "must be a matrix of floating-point numbers with a row for each word"
        raise InputError(message, source=str(path), value=f"{matrix.dtype} {matrix.shape}")
    return matrix


def _words_beside(path: Path) -> Path:
    choices = [path.with_suffix(ending) for ending in (".words.txt", ".words.txt.gz")]
    found = next((choice for choice in choices if choice.is_file()), None)
    if found is None:
        message = f"its words are missing; put {choices[0].name} (or .gz) with a word in each line beside it"
        raise InputError(message, source=str(path))
    return found


# Words and their vectors, looked up without a dictionary of Python strings.
#
# The words are one run of UTF-8 bytes. Their 64-bit hashes (FNV-1a: Fowler, Noll and Vo) stand sorted beside the rows
# they belong to, so that a lookup is a binary search and a comparison of bytes. All of it can be memory-mapped: a table
# of 400,000 words opens without touching them.


_FNV_START, _FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)


class RowBlock(NamedTuple):
    """Some rows of a vector file: words as one run of bytes, the length of each, and their vectors."""

    words: NDArray[np.uint8]
    lengths: Longs
    values: NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class WordIndex:
    """Distinct words, numbered by row.

    Attributes:
        text: the words as UTF-8, one after the other.
        offsets: where each word starts in ``text``, and where the last one ends.
        hashes: hashes of all words, ascending.
        rows: row of each of these hashes.

    >>> WordIndex.of(["flu", "fever"]).find(["fever", "cough"])
    array([ 1, -1])
    """

    text: NDArray[np.uint8]
    offsets: Longs
    hashes: NDArray[np.uint64]
    rows: Longs

    @classmethod
    def build(cls, text: NDArray[np.uint8], lengths: Longs) -> WordIndex:
        """Hash and sort words given as one run of bytes."""
        offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
        hashes = hash_words(text, offsets)
        rows = np.argsort(hashes, kind="stable")
        return cls(text, offsets, hashes[rows], rows)

    @classmethod
    def of(cls, words: Iterable[str]) -> WordIndex:
        """Hash and sort words."""
        return cls.build(*pack(words))

    def __len__(self) -> int:
        return len(self.rows)

    def word(self, row: int) -> bytes:
        """One word as bytes."""
        return self.text[self.offsets[row] : self.offsets[row + 1]].tobytes()

    def words(self) -> tuple[str, ...]:
        """All words in the order of their rows; bytes that are not UTF-8 come as replacement characters."""
        text, ends = self.text.tobytes(), self.offsets.tolist()
        return tuple(text[start:end].decode("utf-8", "replace") for start, end in pairwise(ends))

    def find(self, words: Sequence[str]) -> Longs:
        """Row of each word, -1 where there is none."""
        text, lengths = pack(words)
        wanted = hash_words(text, np.concatenate(([0], np.cumsum(lengths))))
        places = np.searchsorted(self.hashes, wanted)
        rows = np.full(len(words), -1, np.int64)
        alike = np.searchsorted(self.hashes, wanted, side="right") > places
        for number in np.flatnonzero(alike).tolist():
            rows[number] = self._settle(
                words[number].encode("utf-8", "surrogatepass"), wanted[number], places[number]
            )
        return rows

    def _settle(self, word: bytes, wanted: np.uint64, place: int) -> int:
        """Row of a word among those that share its hash."""
        while place < len(self.hashes) and self.hashes[place] == wanted:
            row = int(self.rows[place])
            if self.word(row) == word:
                return row
            place += 1
        return -1

    def repeated(self) -> tuple[int, int] | None:
        """Rows of a word that stands there twice (the earlier one first), or None."""
        for place in np.flatnonzero(self.hashes[1:] == self.hashes[:-1]).tolist():
            first, second = int(self.rows[place]), int(self.rows[place + 1])
            if self.word(first) == self.word(second):
                return first, second
        return None


@dataclass(frozen=True, eq=False, repr=False)
class VectorTable:
    """Word vectors, in memory or memory-mapped.

    Attributes:
        source: file they come from, for messages.
        index: the words.
        matrix: one row for each word; any width of floating-point number.
    """

    source: str
    index: WordIndex
    matrix: NDArray[Any]

    def __len__(self) -> int:
        return len(self.matrix)

    def __repr__(self) -> str:
        return f"VectorTable({len(self):,} words, {self.dimensions} dimensions, {self.source!r})"

    @property
    def dimensions(self) -> int:
        """Numbers in each vector."""
        return int(self.matrix.shape[1])

    @property
    def words(self) -> tuple[str, ...]:
        """All words in the order of their rows; made anew at each call."""
        return self.index.words()

    def find(self, words: Sequence[str]) -> Longs:
        """Row of each word exactly as written, -1 where there is none."""
        return self.index.find(words)

    def take(self, rows: Longs) -> NDArray[np.float32]:
        """Vectors of these rows."""
        taken = np.asarray(self.matrix[rows], np.float32)
        broken = ~np.isfinite(taken).all(axis=1)
        if broken.any():
            word = self.index.word(int(rows[np.argmax(broken)])).decode("utf-8", "replace")
            message = "a vector holds a value that is not a finite number; get or make the file anew"
            raise InputError(message, source=self.source, value=word)
        return taken


def pack(words: Iterable[str]) -> tuple[NDArray[np.uint8], Longs]:
    """Words as one run of UTF-8 bytes, and the length of each."""
    encoded = [word.encode("utf-8", "surrogatepass") for word in words]
    lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
    return np.frombuffer(b"".join(encoded), np.uint8), lengths


def hash_words(text: NDArray[np.uint8], offsets: Longs) -> NDArray[np.uint64]:
    """FNV-1a of every word, byte position by byte position over all words that are long enough."""
    starts, lengths = offsets[:-1], np.diff(offsets)
    hashes = np.full(len(starts), _FNV_START)
    alive = np.flatnonzero(lengths)
    for position in range(int(lengths.max(initial=0))):
        alive = alive[lengths[alive] > position]
        hashes[alive] = (hashes[alive] ^ text[starts[alive] + position]) * _FNV_PRIME
    return hashes


def table_of(blocks: Iterable[RowBlock], source: str) -> VectorTable:
    """Put the blocks of a file together in memory."""
    parts = list(blocks)
    text = np.concatenate([part.words for part in parts])
    lengths = np.concatenate([part.lengths for part in parts])
    matrix = np.concatenate([part.values for part in parts])
    return VectorTable(source, WordIndex.build(text, lengths), matrix)


# Rows of word2vec binary files: after the line "count dimensions", each word, a space, and its little-endian floats.
#
# The original program puts a line break after each row, others do not; both are read.


_LONGEST_WORD = 10_000


def binary_rows(parts: Iterable[bytes], count: int, dimensions: int, source: str) -> Iterator[RowBlock]:
    """Parse what follows the header; the content comes in parts of any size."""
    held, done = b"", 0
    for part in parts:
        held += part
        words, starts, held_from = _rows_within(held, count - done, 4 * dimensions)
        if words:
            yield _block(words, b"".join(held[at : at + 4 * dimensions] for at in starts), done, source)
        held, done = held[held_from:], done + len(words)
        if done < count and held.find(b" ", 0, _LONGEST_WORD) < 0 and len(held) >= _LONGEST_WORD:
            message = f"row {done + 1:,} has no word; the file is damaged, get it anew"
            raise InputError(message, source=source)
    if done < count:
        message = f"ends inside row {done + 1:,} of {count:,}; the file was cut short, get it anew"
        raise InputError(message, source=source)
    if held.strip():
        message = f"goes on after its {count:,} rows of {dimensions} numbers; the header is wrong, get the file anew"
        raise InputError(message, source=source)


def _rows_within(held: bytes, wanted: int, width: int) -> tuple[list[bytes], list[int], int]:
    """Words of all complete rows, where their vectors start, and where the next row starts."""
    words: list[bytes] = []
    starts: list[int] = []
    at = 0
    while len(words) < wanted:
        start = at + (held[at : at + 1] == b"\n")
        space = held.find(b" ", start, start + _LONGEST_WORD)
        if space < 0 or space + 1 + width > len(held):
            break
        words.append(held[start:space])
        starts.append(space + 1)
        at = space + 1 + width
    return words, starts, at


def _block(words: list[bytes], vectors: bytes, done: int, source: str) -> RowBlock:
    values = np.frombuffer(vectors, "<f4").reshape(len(words), -1).astype(np.float32, copy=False)
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    good = np.isfinite(values).all(axis=1) & (lengths > 0)
    if not good.all():
        bad = int(np.argmin(good))
        message = f"row {done + bad + 1:,} is not a word and finite numbers; the file is damaged, get it anew"
        raise InputError(message, source=source, value=words[bad][:200].decode("utf-8", "replace"))
    return RowBlock(np.frombuffer(b"".join(words), np.uint8), lengths, values)


# Rows of GloVe and word2vec text files: a word and its numbers in each line, separated by spaces.
#
# A word may itself hold spaces, as some of the large GloVe files have it: it goes on until the first number.


LONGEST_LINE = 1 << 24
LARGEST = 3.4e38
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_BLANKS = re.compile(rb"[ \t\r]+")


@dataclass(frozen=True)
class TextLayout:
    """What the first line of a text file tells.

    Attributes:
        source: name of the file, for messages.
        dimensions: numbers in each line.
        first_line: number of the first line that holds a word.
        count: number of words that a word2vec file promises.
    """

    source: str
    dimensions: int
    first_line: int = 1
    count: int | None = None


def count_numbers(line: bytes, source: str) -> int:
    """Numbers in the first row of a file that has no header."""
    numbers = _numbers_after_word(line.rstrip(b"\n"))
    if not numbers:
        message = "not a vector file: the first line must be a word and its numbers, separated by spaces"
        raise InputError(message, source=source, line=1, value=_shown(line))
    return len(numbers)


def text_rows(parts: Iterable[bytes], layout: TextLayout) -> Iterator[RowBlock]:
    """Parse a text file that comes in parts of any size."""
    rows = 0
    for text in _whole_lines(parts, layout.source):
        block, rest = _parse(text, layout.dimensions)
        rows += len(block.lengths)
        if len(block.lengths):
            yield block
        if rest:
            raise _explained(rest.split(b"\n", 1)[0], layout, layout.first_line + rows)
    if layout.count is not None and rows != layout.count:
        message = (
            f"the first line promises {layout.count:,} words, the file holds {rows:,};"
            " it was cut short or put together from several: get it anew or mend the first line"
        )
        raise InputError(message, source=layout.source, line=1)


def _whole_lines(parts: Iterable[bytes], source: str) -> Iterator[bytes]:
    """Texts that end in a newline, without blank lines at the end of the file."""
    held = b""
    for part in parts:
        held += part
        # Line breaks at the end are held back until something follows them.
        cut = held.rfind(b"\n", 0, len(held.rstrip())) + 1
        if cut:
            yield held[:cut]
            held = held[cut:]
        if len(held) > LONGEST_LINE:
            message = f"not a vector file: a line of more than {LONGEST_LINE:,} bytes"
            raise InputError(message, source=source)
    if held.strip():
        yield held.rstrip() + b"\n"


def _parse(text: bytes, dimensions: int) -> tuple[RowBlock, bytes]:
    """Rows of some whole lines up to the first bad one, and the text from there on."""
    # A row has at least a letter, and a blank and a digit for each number: more rows than that cannot be right.
    capacity = min(text.count(b"\n"), len(text) // (2 * dimensions + 1) + 1)
    values = np.empty((capacity, dimensions), np.float32)
    words, lengths = np.empty(len(text), np.uint8), np.empty(capacity, np.int64)
    rows, at, used = parse_rows(np.frombuffer(text, np.uint8), values, words, lengths)
    return RowBlock(words[:used].copy(), lengths[:rows], values[:rows]), text[at:]


def _numbers_after_word(line: bytes) -> list[bytes]:
    """Fields of a line from the first number on; the first field is always word."""
    fields = _BLANKS.split(line.rstrip())[1:]
    while fields and not _NUMBER.fullmatch(fields[0]):
        fields.pop(0)
    return fields


def _explained(line: bytes, layout: TextLayout, number: int) -> InputError:
    """What is wrong with a line that the parser refused."""
    fields = _BLANKS.split(line.rstrip())
    found = len(fields) - 1 if len(fields) - 1 <= layout.dimensions else len(_numbers_after_word(line))
    value = _shown(line)
    if not fields[0]:
        message = "a line must start with a word; remove the line or put its word in front"
    elif found != layout.dimensions:
        message = (
            f"{found} numbers where {layout.dimensions} were expected;"
            " all lines must have equally many: mend or remove this one, or get the file anew"
        )
    else:
        bad = next((field for field in fields[-found:] if not _stored(field)), fields[-1])
        message = "not a number that can be stored; mend or remove this line, or get the file anew"
        value = _shown(bad)
    return InputError(message, source=layout.source, line=number, value=value)


def _stored(field: bytes) -> bool:
    return _NUMBER.fullmatch(field) is not None and abs(float(field)) <= LARGEST


def _shown(line: bytes) -> str:
    return line[:200].decode("utf-8", "replace")


# Decimal rows of vector files, parsed in compiled code: a word, then its numbers, one row in each line.


_TAB, _NEWLINE, _RETURN, _SPACE = np.uint8(9), np.uint8(10), np.uint8(13), np.uint8(32)
_PLUS, _MINUS, _POINT, _ZERO, _NINE = np.uint8(43), np.uint8(45), np.uint8(46), np.uint8(48), np.uint8(57)
_CAPITAL_E, _SMALL_E = np.uint8(69), np.uint8(101)
_MANTISSA_LIMIT = np.int64(10**17)  # another digit still fits in 63 bits
_EXPONENT_LIMIT = 10_000
_TENS = 10.0 ** np.arange(23)  # powers of ten that a double holds exactly


@compiled
def _ends_field(byte: Any) -> bool:
    return bool(byte == _SPACE or byte == _NEWLINE or byte == _TAB or byte == _RETURN)


@compiled
def _field_end(text: Ints, at: int) -> int:
    while not _ends_field(text[at]):
        at += 1
    return at


@compiled
def _field_start(text: Ints, at: int) -> int:
    while text[at] == _SPACE or text[at] == _TAB or text[at] == _RETURN:
        at += 1
    return at


@compiled
def _scaled(mantissa: Any, exponent: int) -> float:
    value = float(mantissa)
    if exponent < -22 or exponent > 22:
        return float(value * 10.0**exponent) if mantissa else 0.0
    return float(value / _TENS[-exponent] if exponent < 0 else value * _TENS[exponent])


@compiled
def _exponent(text: Ints, at: int) -> tuple[int, int]:
    """Whole number after an E, and where it ends; -1 if there is none."""
    negative = text[at] == _MINUS
    if negative or text[at] == _PLUS:
        at += 1
    start, value = at, 0
    while _ZERO <= text[at] <= _NINE:
        value = min(value * 10 + int(text[at] - _ZERO), _EXPONENT_LIMIT)
        at += 1
    return (-value if negative else value), (at if at > start else -1)


@compiled
def parse_number(text: Ints, at: int) -> tuple[float, int]:
    """Number that starts here and where it ends; -1 if the field is not a finite number."""
    negative = text[at] == _MINUS
    if negative or text[at] == _PLUS:
        at += 1
    mantissa, exponent, digits, past_point = np.int64(0), 0, 0, False
    while True:
        byte = text[at]
        if _ZERO <= byte <= _NINE:
            digits += 1
            if mantissa < _MANTISSA_LIMIT:
                mantissa = mantissa * 10 + np.int64(byte - _ZERO)
                exponent -= past_point
            else:
                exponent += not past_point
        elif byte == _POINT and not past_point:
            past_point = True
        else:
            break
        at += 1
    if digits and (text[at] == _SMALL_E or text[at] == _CAPITAL_E):
        more, at = _exponent(text, at + 1)
        exponent += more
    value = _scaled(mantissa, exponent)
    if digits == 0 or at < 0 or not _ends_field(text[at]) or value > 3.4e38:
        return 0.0, -1
    return (-value if negative else value), at


@compiled
def _parse_line(text: Ints, at: int, vector: Any) -> tuple[int, int]:
    """Where the word of a line ends and where the line ends; -1 if it is not a word and ``len(vector)`` numbers.

    A word may hold spaces: it goes on until the first number.
    """
    word_end = after = _field_end(text, at)
    column = 0
    while True:
        after = _field_start(text, after)
        if text[after] == _NEWLINE:
            break
        value, stop = parse_number(text, after)
        if stop >= 0 and column < len(vector):
            vector[column] = value
            column += 1
            after = stop
        elif stop < 0 and column == 0:
            word_end = after = _field_end(text, after)
        else:
            return word_end, -1
    return word_end, (after if column == len(vector) and word_end > at else -1)


@compiled
def parse_rows(text: Ints, values: Any, words: Ints, lengths: Ints) -> tuple[int, int, int]:
    """Fill values, words and lengths from lines that each end in a newline, up to the first bad line.

    Returns the number of rows, where the next line starts (the length of the text if all went well), and the number
    of bytes in ``words``.
    """
    at, used, row = 0, 0, 0
    while row < len(lengths) and at < len(text):
        word_end, line_end = _parse_line(text, at, values[row])
        if line_end < 0:
            break
        for place in range(at, word_end):
            words[used] = text[place]
            used += 1
        lengths[row] = word_end - at
        at = line_end + 1
        row += 1
    return row, at, used
