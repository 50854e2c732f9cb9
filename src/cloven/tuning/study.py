"""A search on disk: a private folder with a journal of what was tried and a note of what is searched, in which data.

It knows what attacks reach on the owner's data, so it is the owner's alone (mode 0700) and is refused inside a
release. The note binds it: other data, another space or another seed are another search. Every line of the journal
carries its own checksum: a line that a killed run did not finish, or that a disk has spoilt, is set aside, and the
search goes on with the others.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.errors import OutputError, ParameterError, ReleaseError
from cloven.figures import many
from cloven.storage.atomic import PRIVATE_FILE, PRIVATE_FOLDER, refuse_inside_release, write_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

FORMAT = "cloven.study/2"
NOTE, JOURNAL, LOCK = "study.json", "journal.log", "lock"
DAMAGED = ".damaged"
MOST_BYTES = 1_000_000


@dataclass
class Journal:
    """Lines of a file, each a checksum and one JSON object.

    Attributes:
        path: the file.
        doubts: what was set aside, in words.
    """

    path: Path
    doubts: tuple[str, ...] = ()

    def add(self, entry: Mapping[str, Any]) -> None:
        """Write one more line, and have it on the disk before going on."""
        with self.path.open("ab") as handle:
            handle.write(_line(entry))
            handle.flush()
            os.fsync(handle.fileno())

    def recall(self, take: Callable[[Mapping[str, Any]], None]) -> None:
        """Give every entry to ``take``, in order; lines that cannot be taken are set aside in a file of their own."""
        *lines, unfinished = self.path.read_bytes().split(b"\n")  # the last act of a run that was killed
        good, bad = [], []
        for line in lines:
            try:
                take(_entry(line))
                good.append(line)
            except (ValueError, KeyError, TypeError, AttributeError, StopIteration, ParameterError):
                bad.append(line)
        if bad:
            _append(Path(f"{self.path}{DAMAGED}"), _joined(bad))
            said = f"{self.path}: {many(len(bad), 'line')} damaged, set aside in {self.path.name}{DAMAGED}"
            self.doubts = (*self.doubts, f"{said}; what they told is tried again")
        if bad or unfinished:
            _replace(self.path, _joined(good))


def _line(entry: Mapping[str, Any]) -> bytes:
    body = json.dumps(entry, ensure_ascii=True, sort_keys=True).encode()
    return hashlib.sha256(body).hexdigest().encode() + b" " + body + b"\n"


def _entry(line: bytes) -> Any:
    digest, _, body = line.partition(b" ")
    if hashlib.sha256(body).hexdigest().encode() != digest:
        message = "damaged"
        raise ValueError(message)
    return json.loads(body)


def _joined(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _append(path: Path, content: bytes) -> None:
    with open(path, "ab", opener=lambda name, flags: os.open(name, flags, PRIVATE_FILE)) as handle:
        handle.write(content)


def _replace(path: Path, content: bytes) -> None:
    """Other content for a file, whole or not at all."""
    beside = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        write_bytes(beside, content, PRIVATE_FILE)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def study_folder(
    path: str | os.PathLike[str], asked: Mapping[str, Any], seed: int | None
) -> Iterator[tuple[Journal, int]]:
    """Open a study, or make it; gives its journal and the seed that it was begun with.

    Args:
        path: the folder.
        asked: what is searched and in which data, as plain JSON values.
        seed: the seed that was asked for; None takes the one of the study, or a new one.

    Raises:
        ReleaseError: it is a study of something else, or another run works on it.
        OutputError: it cannot be written.
    """
    folder = Path(path)
    refuse_inside_release(folder / NOTE)
    with ExitStack() as held:
        try:
            folder.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
            held.enter_context(_alone(folder))
            doubts = _set_aside_note(folder)
            known = (folder / NOTE).exists()
            used = _checked(folder, asked, seed) if known else _begin(folder, asked, seed)
        except OSError as error:
            message = f"{folder}: the study cannot be written ({error.strerror or error}); name another place"
            raise OutputError(message) from error
        try:
            yield Journal(folder / JOURNAL, doubts), used
        except ParameterError:
            if not known:  # a search that cannot be begun leaves nothing in the way of the next
                _remove(folder)
            raise


def new_seed() -> int:
    """A seed from the operating system."""
    return secrets.randbelow(2**31)


def _begin(folder: Path, asked: Mapping[str, Any], seed: int | None) -> int:
    others = [
        each.name for each in folder.iterdir() if each.name not in (LOCK, JOURNAL) and not _ours(each.name)
    ]
    if others:
        message = f"{folder}: is no study, but holds {others[0]!r}; name a new folder"
        raise ReleaseError(message)
    folder.chmod(PRIVATE_FOLDER)
    used = new_seed() if seed is None else seed
    note = {"format": FORMAT, "seed": used, **asked}
    _replace(folder / JOURNAL, b"")
    # The note comes last: without one, a folder that a killed run left is begun anew.
    _replace(folder / NOTE, (json.dumps(note, indent=1, ensure_ascii=False) + "\n").encode())
    return used


def _ours(name: str) -> bool:
    """Whether a file is the rest of a study: something set aside, or unfinished."""
    return name.startswith((f"{NOTE}.", f"{JOURNAL}."))


def _remove(folder: Path) -> None:
    """Take a study away again; what is not part of it stays."""
    with suppress(OSError):
        for name in (JOURNAL, NOTE, LOCK):
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()


def _set_aside_note(folder: Path) -> tuple[str, ...]:
    """A study whose note is damaged cannot say what was searched: it is kept beside, and begun anew."""
    note, journal = folder / NOTE, folder / JOURNAL
    if not (note.exists() and journal.exists()):
        return ()
    try:
        _note(note)
    except ReleaseError:
        for each in (note, journal):
            each.replace(f"{each}{DAMAGED}")
        aside = f"{NOTE}{DAMAGED} and {JOURNAL}{DAMAGED}"
        return (f"{folder}: damaged, or of another version; set aside as {aside}, and begun anew",)
    return ()


def _checked(folder: Path, asked: Mapping[str, Any], seed: int | None) -> int:
    known = _note(folder / NOTE)
    if known.get("data") != asked["data"]:
        prints = f"fingerprint {str(known.get('data'))[:8]}..., this file has {asked['data'][:8]}..."
        message = f"{folder}: is the study of another data set ({prints}); name another one, or remove it"
        raise ReleaseError(message)
    wanted = asked if seed is None else {**asked, "seed": seed}
    for name, value in wanted.items():
        if known.get(name) != value:
            message = (
                f"{folder}: is the study of another search: {name} was {_shown(known.get(name))} and is now"
                f" {_shown(value)}; name another one, or remove it"
            )
            raise ReleaseError(message)
    return int(known["seed"])


def _note(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError
        note = json.loads(path.read_bytes())
        if note["format"] != FORMAT or not isinstance(note["seed"], int):
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        message = f"{path}: is no note of a study ({FORMAT}); name another folder"
        raise ReleaseError(message) from error
    return dict(note)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Refuse a study that another run works on. Windows cannot lock so, and goes without."""
    if os.name == "nt":
        yield
        return
    from fcntl import LOCK_EX, LOCK_NB, flock

    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    try:
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
        except BlockingIOError as error:
            message = f"{folder}: another run works on this study; wait for it, or name another one"
            raise ReleaseError(message) from error
        yield
    finally:
        os.close(descriptor)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
