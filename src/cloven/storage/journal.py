"""Journals: finished work on disk, line by line, so that work that was stopped goes on.

Every line carries its own checksum. A line that a killed run did not finish is dropped; one that a disk has spoilt is
set aside in a file beside the journal, and what it told is done again.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from cloven.errors import OutputError, ParameterError
from cloven.figures import many
from cloven.intake.files import content
from cloven.intake.trees import tree_of
from cloven.storage.atomic import PRIVATE_FILE, write_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

DAMAGED = ".damaged"
LOCK = "lock"


@dataclass
class Journal:
    """Lines of a file, each a checksum and one JSON object.

    Attributes:
        path: the file.
        chained: whether a line rests on those before it: then what follows a damaged one is set aside too.
        doubts: what was set aside, in words.
    """

    path: Path
    chained: bool = False
    doubts: tuple[str, ...] = ()

    def add(self, entry: Mapping[str, Any]) -> None:
        """Write one more line, and have it on the disk before going on."""
        with _added_to(self.path) as handle:
            handle.write(_line(entry))
            handle.flush()
            os.fsync(handle.fileno())

    @property
    def ours(self) -> bool:
        """Whether the file is a journal, perhaps a damaged one, or there is none: nothing else may be written over."""
        if not os.path.lexists(self.path):
            return True
        try:
            begins = content(self.path)[:64]  # where the first checksum stands, most of it at least
        except OSError:
            return False
        return sum(byte in b"0123456789abcdef" for byte in begins) >= 0.7 * len(begins)

    def first(self) -> Any:
        """The first entry; None if there is none, or it is damaged."""
        try:
            return _entry(content(self.path).partition(b"\n")[0])
        except (OSError, ValueError):
            return None

    def recall(self, take: Callable[[Mapping[str, Any]], None]) -> None:
        """Give every entry to ``take``, in order; lines that cannot be taken are set aside."""
        try:
            *lines, unfinished = content(self.path).split(b"\n")  # the last act of a run that was killed
        except FileNotFoundError:
            self.doubts = (*self.doubts, f"{self.path}: is gone; what it told is done again")
            return
        good: list[bytes] = []
        bad: list[bytes] = []
        for line in lines:
            try:
                if self.chained and bad:
                    raise ValueError
                take(_entry(line))
                good.append(line)
            except (ValueError, KeyError, TypeError, AttributeError, StopIteration, ParameterError):
                bad.append(line)
        if bad:
            with _added_to(Path(f"{self.path}{DAMAGED}")) as handle:
                handle.write(_joined(bad))
            said = f"{self.path}: {many(len(bad), 'line')} damaged, set aside in {self.path.name}{DAMAGED}"
            self.doubts = (*self.doubts, f"{said}; what they told is done again")
        if bad or unfinished:
            replace(self.path, _joined(good))


def replace(path: Path, content: bytes) -> None:
    """Other content for a private file, whole or not at all."""
    beside = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        write_bytes(beside, content, PRIVATE_FILE)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def alone(folder: Path, what: str) -> Iterator[None]:
    """Work in a folder that no other run works in; Windows cannot lock so, and some networks, and go without.

    Raises:
        OutputError: another run holds it; ``what`` says what it is.
    """
    if os.name == "nt":
        yield
        return
    from fcntl import LOCK_EX, LOCK_NB, flock

    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, PRIVATE_FILE)
    try:
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
        except BlockingIOError as error:
            message = f"{folder}: another run works on this {what}; wait for it, or name another place"
            raise OutputError(message) from error
        except OSError:
            pass  # a file system without locks
        yield
    finally:
        os.close(descriptor)


def _added_to(path: Path) -> IO[bytes]:
    return open(path, "ab", opener=lambda name, flags: os.open(name, flags, PRIVATE_FILE))


def _line(entry: Mapping[str, Any]) -> bytes:
    body = json.dumps(entry, ensure_ascii=True, sort_keys=True).encode()
    return hashlib.sha256(body).hexdigest().encode() + b" " + body + b"\n"


def _entry(line: bytes) -> Any:
    digest, _, body = line.partition(b" ")
    if hashlib.sha256(body).hexdigest().encode() != digest:
        message = "damaged"
        raise ValueError(message)
    return tree_of(body)


def _joined(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)
