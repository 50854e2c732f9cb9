"""Bytes of a file, plain or packed (gzip, zstd, zip with one member), never more than a limit."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from pathlib import Path
from typing import IO, TYPE_CHECKING

from cloven.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKED = (".gz", ".zst", ".zip")
# Small enough that one step of a zstd bomb stays below a few hundred megabytes.
_ZSTD_STEP = 4096
_STEP = 1 << 22


def open_bytes(path: Path, max_bytes: int) -> tuple[bytes, str]:
    """Content of a file, unpacked, and its extension without the packing (``.csv`` for ``shop.csv.gz``)."""
    packing = path.suffix.lower() if path.suffix.lower() in PACKED else ""
    extension = Path(path.stem).suffix.lower() if packing else path.suffix.lower()
    try:
        if packing == ".gz":
            return _collect(_gzip_parts(path), path, max_bytes), extension
        if packing == ".zst":
            return _collect(_zstd_parts(path), path, max_bytes), extension
        if packing == ".zip":
            return _unzip(path, max_bytes)
        return path.read_bytes(), extension
    except OSError as error:
        if isinstance(error, gzip.BadGzipFile):
            raise _damaged(path, error) from error
        raise _unreadable(path, error) from error
    except (EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise _damaged(path, error) from error


def open_beginning(path: Path, size: int) -> tuple[bytes, str, float]:
    """The first ``size`` bytes, unpacked; the extension without the packing; and about how many bytes there are.

    How much a packed file holds is told by how far its first bytes went, and by zip archives themselves.
    """
    packing = path.suffix.lower() if path.suffix.lower() in PACKED else ""
    extension = Path(path.stem).suffix.lower() if packing else path.suffix.lower()
    try:
        if packing == ".zip":
            return _beginning_of_zip(path, size)
        with path.open("rb") as file:
            head = _unpacked(file, packing, size)
            used, total = file.tell(), path.stat().st_size
    except OSError as error:
        raise _unreadable(path, error) from error
    except (
        EOFError,
        ValueError,
        RuntimeError,
        zlib.error,
        zipfile.BadZipFile,
    ) as error:  # also an encrypted zip
        raise _damaged(path, error) from error
    return head, extension, len(head) if len(head) < size else total * len(head) / max(1, used)


def _unpacked(file: IO[bytes], packing: str, size: int) -> bytes:
    if packing == ".gz":
        return gzip.GzipFile(fileobj=file).read(size)
    if packing != ".zst":
        return file.read(size)
    import zstandard

    try:
        with zstandard.ZstdDecompressor().stream_reader(
            file, read_across_frames=True, closefd=False
        ) as stream:
            return stream.read(size)
    except zstandard.ZstdError as error:
        raise EOFError(str(error)) from error


def _beginning_of_zip(path: Path, size: int) -> tuple[bytes, str, float]:
    with zipfile.ZipFile(path) as archive:
        member = max(archive.infolist(), key=lambda each: each.file_size)
        with archive.open(member) as stream:
            return stream.read(size), Path(member.filename).suffix.lower(), member.file_size


def _collect(parts: Iterator[bytes], path: Path, max_bytes: int) -> bytes:
    kept: list[bytes] = []
    size = 0
    for part in parts:
        size += len(part)
        if size > max_bytes:
            message = f"unpacks to more than {max_bytes:,} bytes; raise max_bytes if that is right"
            raise InputError(message, source=str(path))
        kept.append(part)
    return b"".join(kept)


def _stream_parts(stream: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    while part := stream.read(_STEP):
        yield part


def _gzip_parts(path: Path) -> Iterator[bytes]:
    with gzip.open(path) as stream:
        yield from _stream_parts(stream)


def _zstd_parts(path: Path) -> Iterator[bytes]:
    import zstandard

    packed = memoryview(path.read_bytes())
    frame = zstandard.ZstdDecompressor().decompressobj()
    at, fed = 0, False
    while at < len(packed):
        step = packed[at : at + _ZSTD_STEP]
        at += len(step)
        try:
            yield frame.decompress(step)
        except zstandard.ZstdError as error:
            raise _damaged(path, error) from error
        fed = True
        if frame.eof:  # frames may follow each other in one file
            at -= len(frame.unused_data)
            frame, fed = zstandard.ZstdDecompressor().decompressobj(), False
    if fed or not packed:
        message = "compressed file ended before its end"
        raise EOFError(message)


def _unzip(path: Path, max_bytes: int) -> tuple[bytes, str]:
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        if len(members) != 1:
            message = "a zip archive must hold exactly one file; unpack it and name the file"
            raise InputError(message, source=str(path), value=f"{len(members)} files")
        if members[0].flag_bits & 1:
            message = "the zip archive is encrypted; unpack it first"
            raise InputError(message, source=str(path))
        try:
            with archive.open(members[0]) as stream:
                content = _collect(_stream_parts(stream), path, max_bytes)
        except NotImplementedError as error:
            raise _damaged(path, error) from error
    return content, Path(members[0].filename).suffix.lower()


def _damaged(path: Path, error: Exception) -> InputError:
    reason = " ".join(str(error).split()) or type(error).__name__
    return InputError(f"cannot be unpacked, it may be cut short: {reason}", source=str(path))


def _unreadable(path: Path, error: OSError) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError("no such file; check the path", source=str(path))
    if isinstance(error, IsADirectoryError):
        return InputError("is a folder; name one file", source=str(path))
    return InputError(f"cannot be read: {error.strerror or error}", source=str(path))
