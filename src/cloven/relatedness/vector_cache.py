"""Word vectors as one file that opens at once: nothing is parsed, the matrix and the index of words are memory-mapped.

::

    4,096 bytes   a line of JSON: format, numbers of words, dimensions and letters, checksum of the index, the source
    matrix        words x dimensions, float32
    hashes        words, uint64, ascending        the four arrays of ``WordIndex``
    rows          words, int64
    offsets       words + 1, int64
    text          letters, uint8

All numbers are little-endian, and every array starts at a multiple of 64 bytes.
"""

from __future__ import annotations

import json
import os
import secrets
import zlib
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from cloven.errors import InputError, OutputError
from cloven.relatedness.vector_files import read_vectors, refuse_repeated, row_blocks, starts_with
from cloven.relatedness.vector_table import VectorTable, WordIndex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.relatedness.vector_table import RowBlock

FORMAT = "cloven.vectors/1"
_START = b'{"format": "cloven.vectors/'
_HEADER_BYTES = 4096
_ALIGNED = 64


@dataclass(frozen=True)
class CacheHeader:
    """First line of a cache.

    Attributes:
        format: name and version of the format.
        words: number of words.
        dimensions: numbers in each vector.
        letters: bytes of all words together.
        index_crc32: checksum of everything after the matrix.
        source: file it was made from.
        source_bytes: size of that file then.
        source_modified_ns: when that file had been changed last, in nanoseconds.
    """

    format: str
    words: int
    dimensions: int
    letters: int
    index_crc32: int
    source: str
    source_bytes: int
    source_modified_ns: int

    def places(self) -> dict[str, tuple[int, str, tuple[int, ...]]]:
        """Start, type and shape of each array, and of the end of the file."""
        arrays = {
            "matrix": ("<f4", (self.words, self.dimensions)),
            "hashes": ("<u8", (self.words,)),
            "rows": ("<i8", (self.words,)),
            "offsets": ("<i8", (self.words + 1,)),
            "text": ("u1", (self.letters,)),
        }
        found, at = {}, _HEADER_BYTES
        for name, (kind, shape) in arrays.items():
            found[name] = (at, kind, shape)
            at = _aligned(at + prod(shape) * np.dtype(kind).itemsize)
        return found | {"end": (at, "u1", (0,))}


def open_vectors(path: str | Path) -> VectorTable:
    """Open word vectors: a cache made by ``cache_vectors``, or any file that ``vector_files`` describes."""
    path = Path(path)
    if path.is_dir():
        message = "a folder; name the vector file inside"
        raise InputError(message, source=str(path))
    return _open_cache(path) if starts_with(path, _START) else read_vectors(path)


def cache_vectors(source: str | Path, destination: str | Path) -> VectorTable:
    """Write vectors of any format as a cache, and open it.

    The cache is complete or not there at all. An older cache in its place is replaced; anything else is not.
    """
    source, destination = Path(source), Path(destination)
    if destination.exists() and (destination.is_dir() or not starts_with(destination, _START)):
        message = f"{destination}: exists and is not a cache of vectors; name another place"
        raise OutputError(message)
    partial = destination.with_name(f".{destination.name}.{secrets.token_hex(8)}.partial")
    try:
        with partial.open("xb") as stream:
            _write(stream, source)
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(destination)
    except OSError as error:
        message = (
            f"{destination}: cannot be written ({error.strerror or error}); make room or name another place"
        )
        raise OutputError(message) from error
    finally:
        partial.unlink(missing_ok=True)
    return open_vectors(destination)


def _write(stream: BinaryIO, source: Path) -> None:
    """Stream the matrix first, so that no more than one block of it is ever in memory; then index and header."""
    if starts_with(source, _START):
        message = "is a cache already; use it as it is"
        raise InputError(message, source=str(source))
    stream.write(bytes(_HEADER_BYTES))
    index, dimensions = _write_matrix(stream, row_blocks(source))
    refuse_repeated(index, source)
    _pad(stream)
    checksum = 0
    for array in (index.hashes, index.rows, index.offsets, index.text):
        content = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        content += bytes(_aligned(len(content)) - len(content))
        checksum = zlib.crc32(content, checksum)
        stream.write(content)
    state = source.stat()
    header = CacheHeader(
        format=FORMAT,
        words=len(index),
        dimensions=dimensions,
        letters=len(index.text),
        index_crc32=checksum,
        source=str(source.resolve()),
        source_bytes=state.st_size,
        source_modified_ns=state.st_mtime_ns,
    )
    line = json.dumps(asdict(header), ensure_ascii=True).encode()
    if len(line) >= _HEADER_BYTES:
        message = "the path is too long to be kept in a cache; copy the file to a shorter one"
        raise InputError(message, source=str(source))
    stream.seek(0)
    stream.write(line.ljust(_HEADER_BYTES - 1) + b"\n")


def _write_matrix(stream: BinaryIO, blocks: Iterable[RowBlock]) -> tuple[WordIndex, int]:
    words, lengths, dimensions = [], [], 0
    for block in blocks:
        words.append(block.words)
        lengths.append(block.lengths)
        dimensions = block.values.shape[1]
        starts = range(0, len(block.values), 65_536)
        stream.writelines(np.asarray(block.values[at : at + 65_536], "<f4").tobytes() for at in starts)
    return WordIndex.build(np.concatenate(words), np.concatenate(lengths)), dimensions


def _open_cache(path: Path) -> VectorTable:
    header = _read_header(path)
    _refuse_stale(header, path)
    places = header.places()
    if path.stat().st_size != places["end"][0]:
        message = f"{path.stat().st_size:,} bytes where its header promises {places['end'][0]:,}"
        raise _broken(path, message)
    arrays = {name: _mapped(path, *place) for name, place in places.items() if name != "end"}
    tail = np.memmap(path, np.uint8, "r", places["hashes"][0])
    if zlib.crc32(tail.data) != header.index_crc32:
        message = "the index of words does not match its checksum"
        raise _broken(path, message)
    index = WordIndex(arrays["text"], arrays["offsets"], arrays["hashes"], arrays["rows"])
    return VectorTable(str(path), index, arrays["matrix"])


def _read_header(path: Path) -> CacheHeader:
    with path.open("rb") as stream:
        line = stream.read(_HEADER_BYTES)
    try:
        header = CacheHeader(**json.loads(line))
        if not all(isinstance(n, int) and n > 0 for n in (header.words, header.dimensions, header.letters)):
            message = "its header holds numbers that cannot be"
            raise _broken(path, message)
    except (ValueError, TypeError) as error:
        message = "its header cannot be read"
        raise _broken(path, message) from error
    if header.format != FORMAT:
        message = f"a cache of another version ({header.format}); make it anew from {header.source}"
        raise InputError(message, source=str(path))
    return header


def _refuse_stale(header: CacheHeader, path: Path) -> None:
    """A cache whose source has changed must not be used; one whose source is gone may."""
    try:
        state = Path(header.source).stat()
    except OSError:
        return
    if (state.st_size, state.st_mtime_ns) != (header.source_bytes, header.source_modified_ns):
        message = f"stale: {header.source} has changed since the cache was made; make it anew from there"
        raise InputError(message, source=str(path))


def _broken(path: Path, what: str) -> InputError:
    return InputError(f"a damaged cache of vectors: {what}; make it anew", source=str(path))


def _mapped(path: Path, start: int, kind: str, shape: tuple[int, ...]) -> NDArray[Any]:
    return np.memmap(path, np.dtype(kind), "r", start, shape)


def _aligned(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


def _pad(stream: BinaryIO) -> None:
    stream.write(bytes(_aligned(stream.tell()) - stream.tell()))
