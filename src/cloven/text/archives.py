"""Files inside folders, tar and zip archives, plain or compressed, read as streams and never written to disk.

Names of members are labels only: no path is made of them. All bytes that come out of one source, over all its members,
count against one limit, so that a small file cannot unpack to an endless one.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from cloven.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import WriteableBuffer

PACKED = (".gz", ".zst", ".zip")
_TAR = (".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst")
_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile, tarfile.ReadError)


@dataclass
class Budget:
    """How many bytes may still come out of a source."""

    source: str
    limit: int
    spent: int = 0

    def spend(self, count: int) -> None:
        """Count bytes; raise once they are more than the limit."""
        self.spent += count
        if self.spent > self.limit:
            message = f"holds more than {self.limit:,} bytes once unpacked; raise max_bytes if that is right"
            raise InputError(message, source=self.source)


@dataclass(frozen=True)
class Entry:
    """One file of a folder or an archive: its label and its bytes."""

    name: str
    content: bytes


class _Counted(io.RawIOBase):
    """A stream whose bytes count against a budget, and whose damage is an :class:`InputError`."""

    def __init__(self, stream: IO[bytes], budget: Budget, damage: tuple[type[Exception], ...]) -> None:
        super().__init__()
        self._stream, self._budget, self._damage = stream, budget, damage

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        try:
            part = self._stream.read(len(view))
        except self._damage as error:
            raise damaged(self._budget.source, error) from error
        self._budget.spend(len(part))
        view[: len(part)] = part
        return len(part)


def damaged(source: str, error: Exception) -> InputError:
    """The error for a packed file that cannot be unpacked."""
    message = f"cannot be unpacked, it is damaged or not what its name says: {error}"
    return InputError(message, source=source)


def extension(path: Path) -> str:
    """Extension in lower case without the packing: ``.csv`` for ``notes.csv.gz``."""
    return Path(path.stem if path.suffix.lower() in PACKED else path.name).suffix.lower()


def is_archive(path: Path) -> bool:
    """Whether the name says that many files are inside."""
    name = path.name.lower()
    return name.endswith(_TAR) or (name.endswith(".zip") and not extension(path))


@contextmanager
def opened(path: Path, budget: Budget) -> Iterator[io.BufferedReader]:
    """The bytes of one file, unpacked along the way; a zip file must hold one member."""
    try:
        with path.open("rb") as raw, _unpacking(raw, path.name.lower(), budget) as stream:
            yield stream
    except OSError as error:
        if isinstance(error, _DAMAGE):
            raise damaged(budget.source, error) from error
        message = f"cannot be read: {error.strerror or error}"
        raise InputError(message, source=budget.source) from error


@contextmanager
def _unpacking(raw: IO[bytes], name: str, budget: Budget) -> Iterator[io.BufferedReader]:
    if name.endswith((".gz", ".tgz")):
        with gzip.GzipFile(fileobj=raw) as unzipped:
            yield _buffered(unzipped, budget, _DAMAGE)  # type: ignore[arg-type]
    elif name.endswith((".zst", ".tzst")):
        import zstandard

        with zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True) as unpacked:
            yield _buffered(unpacked, budget, (zstandard.ZstdError,))
    elif name.endswith(".zip"):
        with _zip(raw, budget) as archive:
            members = _members(archive)
            if len(members) != 1:
                message = f"a zip file of one table must hold one file, this one holds {len(members)}"
                raise InputError(message, source=budget.source)
            with archive.open(members[0]) as member:
                yield _buffered(member, budget, _DAMAGE)
    else:
        yield _buffered(raw, budget, ())


def _buffered(stream: IO[bytes], budget: Budget, damage: tuple[type[Exception], ...]) -> io.BufferedReader:
    return io.BufferedReader(_Counted(stream, budget, damage), 1 << 16)


@contextmanager
def _zip(raw: IO[bytes], budget: Budget) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(raw) as archive:
            yield archive
    except (
        zipfile.BadZipFile,
        RuntimeError,
        NotImplementedError,
    ) as error:  # the last two: locked, odd packing
        raise damaged(budget.source, error) from error


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    return [info for info in archive.infolist() if not info.is_dir() and not _hidden(info.filename)]


def entries(path: Path, budget: Budget) -> Iterator[Entry]:
    """Every file of a folder (by name), of an archive (as stored), or the file itself; hidden ones are left out."""
    if path.is_dir():
        yield from _folder_entries(path, budget)
    elif path.name.lower().endswith(_TAR):
        yield from _tar_entries(path, budget)
    elif is_archive(path):
        with path.open("rb") as raw, _zip(raw, budget) as archive:
            for info in _members(archive):
                with archive.open(info) as member:
                    yield Entry(info.filename, _buffered(member, budget, _DAMAGE).read())
    else:
        with opened(path, budget) as stream:
            yield Entry(path.name, stream.read())


def _folder_entries(path: Path, budget: Budget) -> Iterator[Entry]:
    for file in sorted(path.rglob("*")):
        name = file.relative_to(path).as_posix()
        if file.is_file() and not _hidden(name):
            with opened(file, Budget(str(file), budget.limit)) as stream:
                content = stream.read()
            budget.spend(len(content))
            yield Entry(name, content)


def _tar_entries(path: Path, budget: Budget) -> Iterator[Entry]:
    """Members as they stream by; links and devices are passed over."""
    with opened(path, budget) as stream:
        try:
            with tarfile.open(fileobj=stream, mode="r|") as archive:
                for member in archive:
                    found = archive.extractfile(member) if member.isfile() else None
                    if found is not None and not _hidden(member.name):
                        yield Entry(member.name, found.read())
        except (tarfile.TarError, EOFError) as error:
            raise damaged(budget.source, error) from error


def _hidden(name: str) -> bool:
    parts = [part for part in name.split("/") if part not in (".", "..")]
    return any(part.startswith((".", "__MACOSX")) for part in parts)
