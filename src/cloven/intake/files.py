"""Plain files of a known size: whatever Cloven opens by name, it opens here.

Somebody's file can be a pipe that nobody writes to, a device without end, or a link to something private. Each is
refused before a byte is read, as an ``OSError`` whose ``strerror`` says why.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from cloven.errors import InputError
from cloven.intake.machine import available

if TYPE_CHECKING:
    import io

NOT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)
_KINDS = {
    stat.S_ISDIR: (errno.EISDIR, "is a folder; name one file"),
    stat.S_ISFIFO: (errno.EINVAL, "is a pipe; write its content to a file first"),
    stat.S_ISSOCK: (errno.EINVAL, "is a socket, not a file"),
    stat.S_ISCHR: (errno.EINVAL, "is a device, not a file"),
    stat.S_ISBLK: (errno.EINVAL, "is a device, not a file"),
}
MOST_TIMES, NEVER_LESS = 500, 64 << 20
"""Unless somebody says otherwise, a file holds at most so many times what is stored; small ones hold what they like."""
SMALL = 1 << 28
"""Bytes of a file that somebody wrote by hand: no policy, schema or list of items is larger."""
# Sizes of these are told wrong, and what they hold is about this machine.
_SYSTEM = (Path("/proc"), Path("/sys"))


def open_plain(path: str | os.PathLike[str], *, within: Path | None = None) -> io.BufferedReader:
    """Open a plain file for reading; never waits for a pipe and never reads a device.

    Args:
        path: the file.
        within: the folder that it belongs to; a link that leads out of it is refused.

    Raises:
        OSError: it cannot be opened or is no plain file; ``strerror`` says why.
    """
    place = Path(path)
    if within is not None and not _resolved(place).is_relative_to(_resolved(within)):
        raise OSError(errno.ELOOP, "is a link that leads out of its folder", str(path))
    _refuse_odd(place.stat(), place)  # before opening: to open a device can be an act of its own
    descriptor = os.open(place, os.O_RDONLY | NOT_WAITING | getattr(os, "O_BINARY", 0))
    try:
        _refuse_odd(os.fstat(descriptor), place)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except RuntimeError as error:  # Python 3.11 and 3.12 say so of links in a circle
        raise OSError(errno.ELOOP, "is a link that leads to itself", str(path)) from error


def _refuse_odd(found: os.stat_result, path: Path) -> None:
    for is_kind, (number, reason) in _KINDS.items():
        if is_kind(found.st_mode):
            raise OSError(number, reason, str(path))
    stored = getattr(found, "st_blocks", found.st_size // 512) * 512  # Windows does not tell
    if found.st_size > max(NEVER_LESS, MOST_TIMES * stored):
        raise OSError(
            errno.EFBIG, "is mostly holes: it says it is long, and stores next to nothing", str(path)
        )
    if any(top.is_dir() and top.stat().st_dev == found.st_dev for top in _SYSTEM):
        raise OSError(errno.EINVAL, "tells of this machine and is not a file of data", str(path))


def content(path: str | os.PathLike[str], limit: int | None = None, *, within: Path | None = None) -> bytes:
    """All bytes of a plain file, if it has at most ``limit`` (by default half of the memory there is).

    Raises:
        OSError: it cannot be read, is no plain file, or is too large.
    """
    most = room() if limit is None else limit
    with open_plain(path, within=within) as handle:
        size = os.fstat(handle.fileno()).st_size
        read = b"" if size > most else handle.read(size + 1)  # a byte more: it may grow meanwhile
    if max(size, len(read)) > most:
        raise OSError(errno.EFBIG, f"holds more than {most:,} bytes", str(path))
    return read


def text(path: str | os.PathLike[str], limit: int | None = None, *, within: Path | None = None) -> str:
    """The same as text in UTF-8, without a byte order mark.

    Raises:
        UnicodeDecodeError: it is in another encoding.
    """
    return content(path, limit, within=within).decode("utf-8-sig")


def room() -> int:
    """Bytes that one file may take in memory: half of what there is, where that is told."""
    there = available()
    return 1 << 62 if there is None else there // 2


def small_text(path: str | os.PathLike[str]) -> str:
    """A file that somebody wrote by hand, in UTF-8.

    Raises:
        InputError: it cannot be read, is no plain file, is very large, or is in another encoding.
    """
    try:
        return text(path, SMALL)
    except FileNotFoundError as error:
        message = "no such file; check the path"
        raise InputError(message, source=str(path)) from error
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise InputError(message, source=str(path)) from error
    except UnicodeDecodeError as error:
        before, rest = error.object[: error.start], error.object[error.start :]
        found = rest.split(b"\n", 1)[0].decode(errors="backslashreplace")
        message = "not UTF-8; save the file as UTF-8"
        raise InputError(message, source=str(path), line=before.count(b"\n") + 1, value=found) from error
