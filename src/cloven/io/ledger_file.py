"""``releases.jsonl`` of a ledger folder: one line for each release, only ever appended to.

A line is a receipt (``cloven.io.receipt``) and the ``place`` of the private folder it lies in, seen from the ledger.
Two runs may append at once. A run that is killed leaves at most a torn last line: the next one starts a new line, and
readers leave out what is no entry.
"""

from __future__ import annotations

import errno
import json
import os
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.errors import OutputError, ReleaseError
from cloven.io.atomic import PRIVATE_FILE, PRIVATE_FOLDER, refuse_inside_release
from cloven.io.manifest import expect, parse_json
from cloven.io.receipt import MOST_BYTES, RECEIPT, check_receipt, plain_file, read_small

if TYPE_CHECKING:
    from typing import BinaryIO

RELEASES = "releases.jsonl"
VARIABLE = "CLOVEN_LEDGER"
MOST_LINES = 10_000  # the newest are read


def ledger_folder(ledger: str | os.PathLike[str] | None = None) -> Path | None:
    """The folder of the ledger: as told, else from ``CLOVEN_LEDGER``, else there is none.

    >>> ledger_folder("mine").name
    'mine'
    """
    told = os.environ.get(VARIABLE, "").strip() if ledger is None else ledger
    return None if told == "" else Path(told).expanduser()


def check_ledger(ledger: str | os.PathLike[str] | None = None) -> None:
    """Raise ``OutputError`` if the ledger could not be written, before any work is done; nothing is made."""
    folder = ledger_folder(ledger)
    if folder is None:
        return
    refuse_inside_release(folder / RELEASES)
    there = next(place for place in (folder, *folder.absolute().parents) if os.path.lexists(place))
    if not there.is_dir():
        raise _cannot(folder, f"{there} is no folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise _cannot(folder, f"no permission to write in {there}")
    file = folder / RELEASES
    if os.path.lexists(file) and (file.is_symlink() or not file.is_file() or not os.access(file, os.W_OK)):
        raise _cannot(folder, f"{file} is no file that can be written")


def remember(private: str | os.PathLike[str], ledger: str | os.PathLike[str] | None = None) -> None:
    """Append the release of a private folder to the ledger; without a ledger its receipt alone remembers it.

    Raises:
        OutputError: the ledger cannot be written; the release stays.
    """
    folder = ledger_folder(ledger)
    if folder is None:
        return
    receipt = Path(private) / RECEIPT
    told = parse_json(read_small(receipt), str(receipt))
    check_receipt(told, str(receipt))
    line = json.dumps({**told, "place": _seen_from(folder, Path(private))}, sort_keys=True)
    try:
        folder.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
        _append(folder / RELEASES, line.encode() + b"\n")
    except OSError as error:
        reason = error.strerror or str(error)
        raise _cannot(folder, f"{reason}; {private} was written and is not in it") from error


def read_releases(folder: Path) -> tuple[list[tuple[Path, dict[str, Any]]], int, int]:
    """Private folders and receipts of a ledger, how many lines are no entry, and how many are too old to be read."""
    path = folder / RELEASES
    if not os.path.lexists(path):
        return [], 0, 0
    try:
        with plain_file(path) as handle:
            lines, bad, old = _lines(handle)
    except ReleaseError:
        return [], 1, 0
    found = []
    for line in lines:
        try:
            found.append(_entry(line, folder))
        except ReleaseError:
            bad += 1
    return found, bad, old


def _lines(handle: BinaryIO) -> tuple[deque[bytes], int, int]:
    """The newest lines, how many were too long, and how many were left out as too old."""
    kept: deque[bytes] = deque(maxlen=MOST_LINES)
    seen = bad = 0
    while line := handle.readline(2 * MOST_BYTES):
        if len(line) == 2 * MOST_BYTES and not line.endswith(b"\n"):
            bad += 1
            while line and not line.endswith(b"\n"):
                line = handle.readline(2 * MOST_BYTES)
        elif line.strip():
            seen += 1
            kept.append(line)
    return kept, bad, seen - len(kept)


def _entry(line: bytes, folder: Path) -> tuple[Path, dict[str, Any]]:
    source = str(folder / RELEASES)
    value = parse_json(line, source)
    place = value.pop("place", None) if isinstance(value, dict) else None
    named = isinstance(place, str) and 0 < len(place) < 4096 and "\0" not in place
    expect(named, source, "place", "a path", place)
    return folder / str(place), check_receipt(value, source)


def _append(path: Path, line: bytes) -> None:
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with open(path, "rb+", 0, opener=lambda name, _flags: os.open(name, flags, PRIVATE_FILE)) as handle:
        _lock(handle.fileno())  # until it is closed
        size = handle.seek(0, os.SEEK_END)
        if size and (handle.seek(size - 1), handle.read(1)) != (size - 1, b"\n"):
            line = b"\n" + line  # the end of a torn line
        if handle.write(line) != len(line):
            handle.truncate(size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(handle.fileno())


def _lock(descriptor: int) -> None:
    """Wait until no other run appends. Where files cannot be locked, one write in append mode has to do."""
    if os.name == "nt":
        return
    from contextlib import suppress
    from fcntl import LOCK_EX, flock

    with suppress(OSError):  # some network file systems
        flock(descriptor, LOCK_EX)


def _seen_from(folder: Path, private: Path) -> str:
    """The place of a private folder relative to the ledger, if both have more in common than the root."""
    base, place = Path(os.path.realpath(folder)), Path(os.path.realpath(private))
    try:
        together = Path(os.path.commonpath((base, place)))
    except ValueError:  # two drives
        return str(place)
    return str(place) if together.parent == together else os.path.relpath(place, base)


def _cannot(folder: Path, reason: str) -> OutputError:
    return OutputError(f"{folder}: the ledger cannot be written ({reason}); name another folder")
