"""Bytes out of gzip, zstd, zip and tar, counted against one budget before they are held.

A few kilobytes can unpack to more memory than there is. All that comes out of one source, over all its members, counts
against one `Budget`, which is never more than the memory there is. Nothing is unpacked to disk, and no name inside an
archive becomes a path.
"""

from __future__ import annotations

import gzip
import io
import os
import struct
import tarfile
import warnings
import zipfile
import zlib
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tokenize import TokenError
from typing import IO, TYPE_CHECKING, Any, BinaryIO

from cloven.errors import InputError
from cloven.intake.files import MOST_TIMES, NEVER_LESS, content, open_plain, room
from cloven.intake.stores import as_text, is_store, refuse_address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from _typeshed import WriteableBuffer
    from numpy.typing import NDArray

PACKED = (".gz", ".zst", ".zip")
TAR = (".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst")
_WINDOW = 1 << 27  # bytes that a zstd stream may ask to look back; the command line tool has the same limit
_STEP = 1 << 20
_ZSTD_STEP = 1024  # packed bytes; of a bomb they give 32 MiB
# Ways to pack a member of a zip that need little memory to unpack; LZMA can ask for gigabytes.
_ZIP_WAYS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
_DAMAGE = (
    EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile, tarfile.TarError, ValueError, OverflowError,
    RuntimeError, NotImplementedError,  # of zip archives that are locked, or packed in an odd way
    IndexError, struct.error,  # of zip archives whose directory is damaged
)  # fmt: skip
ARRAY_DAMAGE = (ValueError, OverflowError, SyntaxError, TokenError, RecursionError, MemoryError)
"""What NumPy raises for a file that is no array; its header is read as Python."""


MAX_BYTES = 8 << 30
"""What a packed file may hold where nobody names another limit."""


def allowance(limit: int, stored: int, memory: int | None = None) -> tuple[int, str]:
    """Bytes that may come out of so many packed ones, and what to do if that is not enough."""
    memory = room() if memory is None else memory
    found = [(limit, "raise max_bytes if that is right"), (memory, "there is no memory for more")]
    if limit == MAX_BYTES:
        times = f"that is more than {MOST_TIMES} times its size, as in a bomb; name max_bytes if it is right"
        found.append((max(NEVER_LESS, MOST_TIMES * stored), times))
    return min(found)


@dataclass
class Budget:
    """How many bytes may still come out of a source.

    Attributes:
        source: what it is called.
        limit: bytes at most; ``MAX_BYTES`` where nobody named a limit.
        spent: bytes that came out so far.
        used: tells how many packed bytes they came out of; nothing does where files are not packed.
        held: whether all of it is held at once; if not, memory is no limit.
    """

    source: str
    limit: int
    spent: int = 0
    used: Callable[[], int] = field(default=lambda: 0)
    held: bool = True

    def __post_init__(self) -> None:
        """Memory that is not there cannot be allowed."""
        self._room = room() if self.held else 1 << 62

    def spend(self, count: int) -> None:
        """Count bytes; raise once they are more than is allowed."""
        self.spent += count
        if self.spent <= NEVER_LESS and self.spent <= self.limit:
            return
        most, way = allowance(self.limit, self.used(), self._room)
        if self.spent > most:
            message = f"holds more than {most:,} bytes once unpacked; {way}"
            raise InputError(message, source=self.source)


@dataclass(frozen=True)
class Entry:
    """One file of a folder or an archive: its label and its bytes."""

    name: str
    content: bytes


def extension(path: Path) -> str:
    """Extension in lower case without the packing: ``.csv`` for ``notes.csv.gz``."""
    return Path(path.stem if path.suffix.lower() in PACKED else path.name).suffix.lower()


def whole(path: Path, max_bytes: int) -> tuple[bytes, str]:
    """Content of one file, unpacked, and its extension without the packing (``.csv`` for ``shop.csv.gz``).

    What a packed file holds counts against ``max_bytes``; a plain one must fit into memory.
    """
    source = str(path)
    refuse_address(path)
    if is_store(path):
        with _named(source):
            return as_text(path, Budget(source, max_bytes)), ".csv"
    if path.suffix.lower() not in PACKED:
        with _named(source):
            return content(path), extension(path)
    with unpacked(path, Budget(source, max_bytes)) as stream:
        return stream.read(), _inner_extension(path)


def beginning(path: Path, size: int) -> tuple[bytes, str, float]:
    """The first ``size`` bytes, unpacked; the extension without the packing; and about how many bytes there are.

    How much a packed file holds is told by how far its first bytes went, and by zip archives themselves.
    """
    source, packing = str(path), path.suffix.lower()
    with ExitStack() as held, _named(source):
        raw = held.enter_context(open_plain(path))
        stream = held.enter_context(_unpacking(raw, path.name.lower(), Budget(source, 2 * size + _STEP)))
        head, used, packed = stream.read(size), raw.tell(), os.fstat(raw.fileno()).st_size
        if packing == ".zip":
            with zipfile.ZipFile(raw) as archive:
                return head, _inner_extension(path), _only_member(archive, source).file_size
    whole_size = len(head) if len(head) < size else packed * len(head) / max(1, used)
    return head, extension(path), whole_size


def _inner_extension(path: Path) -> str:
    """Extension without the packing; a zip file names what is in it."""
    if path.suffix.lower() != ".zip":
        return extension(path)
    with open_plain(path) as raw, zipfile.ZipFile(raw) as archive:
        return Path(_only_member(archive, str(path)).filename).suffix.lower()


def is_archive(path: Path) -> bool:
    """Whether the name says that many files are inside."""
    name = path.name.lower()
    return name.endswith(TAR) or (name.endswith(".zip") and not extension(path))


@contextmanager
def unpacked(path: Path, budget: Budget, *, within: Path | None = None) -> Iterator[io.BufferedReader]:
    """The bytes of one file, unpacked along the way; a zip file must hold one member.

    Raises:
        InputError: it cannot be read or unpacked, or holds more than its budget.
    """
    with ExitStack() as held:
        with _named(budget.source):
            raw = held.enter_context(open_plain(path, within=within))
            stream = held.enter_context(_unpacking(raw, path.name.lower(), budget))
        yield stream


@contextmanager
def _named(source: str) -> Iterator[None]:
    """Errors of files and packings as one about this source."""
    import zstandard

    try:
        yield
    except (*_DAMAGE, zstandard.ZstdError) as error:
        raise damaged(source, error) from error
    except OSError as error:
        raise unreadable(source, error) from error


def unreadable(source: str, error: OSError) -> InputError:
    """The error for a file that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return InputError("no such file; check the path", source=source)
    reason = error.strerror or str(error)
    return InputError(reason if reason.startswith("is ") else f"cannot be read: {reason}", source=source)


def damaged(source: str, error: Exception) -> InputError:
    """The error for a packed file that cannot be unpacked."""
    reason = " ".join(str(error).split()) or type(error).__name__
    return InputError(
        f"cannot be unpacked, it may be cut short or not what its name says: {reason}", source=source
    )


@contextmanager
def _unpacking(raw: BinaryIO, name: str, budget: Budget) -> Iterator[io.BufferedReader]:
    if name.endswith((*PACKED, *TAR)) and not os.fstat(raw.fileno()).st_size:
        message = "it is empty"
        raise EOFError(message)
    before = budget.used()
    budget.used = lambda: before + raw.tell()
    if name.endswith((".gz", ".tgz")):
        with gzip.GzipFile(fileobj=raw) as unzipped:
            yield _counted(unzipped, budget)  # type: ignore[arg-type]  # it reads as a stream does
    elif name.endswith((".zst", ".tzst")):
        yield _counted(_Frames(raw), budget)
    elif name.endswith(".zip"):
        with zipfile.ZipFile(raw) as archive, archive.open(_only_member(archive, budget.source)) as member:
            yield _counted(member, budget)
    else:
        yield _counted(raw, budget)


class _Counted(io.RawIOBase):
    """A stream whose bytes count against a budget."""

    def __init__(self, stream: IO[bytes] | io.RawIOBase, budget: Budget) -> None:
        super().__init__()
        self._stream, self._budget = stream, budget

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        with _named(self._budget.source):
            part = self._stream.read(min(len(view), _STEP)) or b""
        self._budget.spend(len(part))
        view[: len(part)] = part
        return len(part)


def _counted(stream: IO[bytes] | io.RawIOBase, budget: Budget) -> io.BufferedReader:
    return io.BufferedReader(_Counted(stream, budget), 1 << 16)


class _Frames(io.RawIOBase):
    """Frames of zstd that follow each other, as one stream; one that is cut short is damage, not an end."""

    def __init__(self, raw: BinaryIO) -> None:
        super().__init__()
        import zstandard

        self._raw, self._held, self._packed = raw, memoryview(b""), b""
        self._new = zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj
        self._frame, self._begun = self._new(), False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        while not self._held and self._more():
            pass
        part, self._held = self._held[: len(view)], self._held[len(view) :]
        view[: len(part)] = part
        return len(part)

    def _more(self) -> bool:
        """Unpack the next piece, which is small: even a bomb gives not more than a few megabytes at once."""
        if self._frame.eof:
            self._packed = self._frame.unused_data + self._packed
            self._frame, self._begun = self._new(), False
        self._packed = self._packed or self._raw.read(_ZSTD_STEP)
        if not self._packed:
            if self._begun:
                message = "it ended before its end"
                raise EOFError(message)
            return False
        self._held, self._packed, self._begun = memoryview(self._frame.decompress(self._packed)), b"", True
        return True


def entries(path: Path, budget: Budget) -> Iterator[Entry]:
    """Every file of a folder (by name), of an archive (as stored), or the file itself; hidden ones are left out.

    Names of members are labels only: no path is made of them, and nothing is unpacked to disk.
    """
    if path.is_dir():
        yield from _of_folder(path, budget)
    elif path.name.lower().endswith(TAR):
        with unpacked(path, budget) as stream:
            yield from _of_tar(stream, budget)
    elif is_archive(path):
        yield from _of_zip(path, budget)
    else:
        with unpacked(path, budget) as stream:
            yield Entry(path.name, stream.read())


def _of_folder(folder: Path, budget: Budget) -> Iterator[Entry]:
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.is_file() and not _hidden(name):
            own = Budget(str(file), budget.limit, budget.spent, budget.used)
            with unpacked(file, own, within=folder) as stream:
                yield Entry(name, stream.read())
                used = own.used()
            budget.spent, budget.used = own.spent, partial(int, used)


def _of_tar(stream: IO[bytes], budget: Budget) -> Iterator[Entry]:
    """Members as they stream by; links and devices are passed over, holes are refused: they are bytes not stored."""
    with _named(budget.source):
        archive = tarfile.open(fileobj=stream, mode="r|")  # noqa: SIM115  closed with the stream below it
    while True:
        with _named(budget.source):
            member = archive.next()
        if member is None:
            return
        if not member.isfile() or _hidden(member.name):
            continue
        if member.issparse():
            message = "has a file with holes inside; pack it again without --sparse"
            raise InputError(message, source=budget.source, value=member.name)
        with _named(budget.source):
            found = archive.extractfile(member)
            inside = b"" if found is None else found.read()
        yield Entry(member.name, inside)


def _of_zip(path: Path, budget: Budget) -> Iterator[Entry]:
    with ExitStack() as held:
        with _named(budget.source):
            raw = held.enter_context(open_plain(path))
            budget.used = raw.tell
            archive = held.enter_context(zipfile.ZipFile(raw))
            members = _members(archive)
        for member in members:
            _refuse_member(member, budget.source)
            with _named(budget.source), archive.open(member) as stream:
                inside = _counted(stream, budget).read()
            yield Entry(member.filename, inside)


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    return [info for info in archive.infolist() if not info.is_dir() and not _hidden(info.filename)]


def _only_member(archive: zipfile.ZipFile, source: str) -> zipfile.ZipInfo:
    members = _members(archive)
    if len(members) != 1:
        message = "a zip archive must hold exactly one file; unpack it and name the file"
        raise InputError(message, source=source, value=f"{len(members)} files")
    _refuse_member(members[0], source)
    return members[0]


def _refuse_member(member: zipfile.ZipInfo, source: str) -> None:
    if member.flag_bits & 1:
        message = "the zip archive is encrypted; unpack it first"
        raise InputError(message, source=source)
    if member.compress_type not in _ZIP_WAYS:
        message = "the zip archive is packed in a way that is not read; unpack it first"
        raise InputError(message, source=source)


def _hidden(name: str) -> bool:
    parts = [part for part in name.split("/") if part not in (".", "..")]
    return any(part.startswith((".", "__MACOSX")) for part in parts)


def perhaps_gzipped(path: str | os.PathLike[str], budget: Budget) -> bytes:
    """Content of a file that may be packed with gzip, whatever its name.

    Raises:
        InputError: it cannot be read or unpacked, or holds more than its budget.
    """
    with _named(budget.source), open_plain(path) as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        if not packed:
            budget.used = lambda: budget.spent  # nothing is packed: every byte is stored
            return _counted(raw, budget).read()
        budget.used = raw.tell
        with gzip.GzipFile(fileobj=raw) as unzipped:
            return _counted(unzipped, budget).read()  # type: ignore[arg-type]  # it reads as a stream does


def is_tar(path: str | os.PathLike[str]) -> bool:
    """Whether a plain file is a tar archive."""
    with open_plain(path) as handle:
        return tarfile.is_tarfile(handle)


def arrays_in(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Arrays of a NumPy archive (``.npz``), all of them; nothing is ever unpickled.

    Raises:
        OSError: it cannot be read, or is no plain file.
        ValueError: it is no such archive, or holds more than memory has room for.
    """
    found = {}
    try:
        with open_plain(path) as raw, zipfile.ZipFile(raw) as archive:
            budget = Budget(str(path), MAX_BYTES, used=raw.tell)
            for member in _members(archive):
                _refuse_member(member, budget.source)
                with archive.open(member) as stream:
                    inside = _counted(stream, budget).read()
                found[member.filename.removesuffix(".npy")] = array_of(io.BytesIO(inside))
    except (*_DAMAGE, *ARRAY_DAMAGE, InputError) as error:
        message = f"no archive of arrays: {error}"
        raise ValueError(message) from error
    return found


def array_of(source: str | os.PathLike[str] | io.BytesIO, *, mapped: bool = False) -> NDArray[Any]:
    """An array that ``numpy.save`` wrote; nothing is ever unpickled, and types of old names are no news."""
    import numpy as np

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        found: NDArray[Any] = np.load(source, mmap_mode="r" if mapped else None, allow_pickle=False)
    return found
