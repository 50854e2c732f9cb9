"""Finished steps of an audit on disk, so that an interrupted one goes on where it stopped.

The folder ``OUT.private.unfinished`` (mode 0700: it knows the truth) is bound to the data by fingerprint. It holds
``state.json``, one JSON file for each step, and release and key of each method. A step is written beside its place
and renamed, so that one is there whole or not at all. While an audit runs it holds a lock on ``state.json``, so that
no other one takes its steps for left behind.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from cloven._version import __version__
from cloven.errors import ClovenError, OutputError
from cloven.storage.atomic import PRIVATE_FOLDER, write_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from cloven.protocols import Family

T = TypeVar("T")
STATE = "state.json"


@dataclass(frozen=True)
class Checkpoint:
    """Finished steps of one audit; a ``Memory`` (see ``audit.run``).

    Attributes:
        folder: where they lie.
    """

    folder: Path

    @classmethod
    def open(cls, folder: Path, fingerprint: str, settings: str) -> Checkpoint:
        """Go on with an unfinished audit of the same data; with other settings it begins anew.

        Raises:
            OutputError: the folder belongs to another data set, is in use, or cannot be written.
        """
        wanted = {"version": __version__, "input_sha256": fingerprint, "settings": settings}
        known = _state(folder)
        if known is not None and known.get("input_sha256") != fingerprint:
            message = (
                f"{folder}: belongs to an unfinished audit of another data set (fingerprint"
                f" {str(known.get('input_sha256'))[:12]}, this one has {fingerprint[:12]}); name another place with -o,"
                " or remove that folder"
            )
            raise OutputError(message)
        with _locked(folder):
            pass
        try:
            if known != wanted:
                if os.path.lexists(folder):
                    _remove(folder, known)
                _begin(folder, wanted)
        except OSError as error:
            message = f"{folder}: cannot be written ({error.strerror or error}); name another place with -o"
            raise OutputError(message) from error
        return cls(folder)

    @staticmethod
    def belongs(folder: Path, fingerprint: str) -> bool:
        """Whether the folder is free, or holds an unfinished audit of this data that is not running."""
        if not os.path.lexists(folder):
            return True
        known = _read(folder / STATE)
        if known is None or known.get("input_sha256") != fingerprint:
            return False
        try:
            with _locked(folder):
                return True
        except OutputError:
            return False

    @property
    def steps(self) -> list[str]:
        """Names of the steps that are finished."""
        found = [_read(path) for path in sorted(self.folder.glob("step-*.json"))]
        return [each["step"] for each in found if each]

    def recall(self, step: str, read: Callable[[Any], T]) -> T | None:
        """What a step gave in an earlier run, or None; a file that cannot be read is as good as none."""
        kept = _read(self._place(step, ".json"))
        if not kept or kept.get("step") != step:
            return None
        with suppress(ClovenError):
            return read(kept["value"])
        return None

    def keep(self, step: str, plain: Any) -> None:
        """Remember what a step gave."""
        content = json.dumps({"step": step, "value": plain}, ensure_ascii=False).encode()
        _put(self._place(step, ".json"), content)

    def recall_result(self, step: str, family: Family) -> Any:
        """Release and key of an earlier run, or None."""
        place = self._place(step, "")
        if not place.is_dir():
            return None
        with suppress(ClovenError):
            return family.read(place / "published", place / "private")
        return None

    def keep_result(self, step: str, family: Family, result: Any) -> None:
        """Remember release and key."""
        place = self._place(step, "")
        beside = place.with_suffix(".new")
        for old in (place, beside):
            shutil.rmtree(old, ignore_errors=True)
        try:
            beside.mkdir(PRIVATE_FOLDER)
            family.write(result, beside / "published", beside / "private", None)
            beside.rename(place)
        except OSError as error:
            message = f"{place}: cannot be written ({error.strerror or error}); make room there"
            raise OutputError(message) from error

    def remove(self) -> None:
        """The audit is finished."""
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def kept(self) -> Iterator[Checkpoint]:
        """Keep finished steps if the block is interrupted; when it ends well, or none was finished, nothing stays."""
        with _locked(self.folder):
            try:
                yield self
            except BaseException:
                if not any(self.folder.glob("step-*")):
                    self.remove()
                raise
            self.remove()

    def _place(self, step: str, ending: str) -> Path:
        return self.folder / f"step-{hashlib.sha256(step.encode()).hexdigest()[:16]}{ending}"


def stamp(path: Path) -> str:
    """What tells a file, or all files of a folder, from others in the same place: names, sizes and dates.

    >>> from pathlib import Path
    >>> stamp(Path("surely-not-here"))
    '[]'
    """
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    told = [(str(file), file.stat()) for file in files if file.is_file()]
    return repr([(name, about.st_size, about.st_mtime_ns) for name, about in told])


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Nobody else works in the folder; taken for granted where files cannot be locked (Windows, some networks)."""
    if os.name == "nt" or not (folder / STATE).is_file():
        yield
        return
    from fcntl import LOCK_EX, LOCK_NB, flock

    with (folder / STATE).open("rb") as handle:
        try:
            flock(handle, LOCK_EX | LOCK_NB)
        except BlockingIOError as error:
            message = f"{folder}: another audit is running there; wait for it, or name another place with -o"
            raise OutputError(message) from error
        except OSError:
            pass
        yield


def _begin(folder: Path, state: dict[str, str]) -> None:
    """Make the folder and say whose it is, or leave nothing."""
    try:
        folder.mkdir(PRIVATE_FOLDER)
        _put(folder / STATE, json.dumps(state).encode())
    except FileExistsError:
        raise  # somebody else's
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _state(folder: Path) -> dict[str, Any] | None:
    """The state of an unfinished audit; None if there is none."""
    if not os.path.lexists(folder):
        return None
    known = _read(folder / STATE)
    if known is None:
        message = f"{folder}: exists already and is no unfinished audit; name another place with -o, or move it away"
        raise OutputError(message)
    return known


def _remove(folder: Path, known: dict[str, Any] | None) -> None:
    """Remove an unfinished audit; a link to somewhere else is never followed."""
    if folder.is_symlink() or known is None:
        message = f"{folder}: is no unfinished audit; name another place with -o, or move it away"
        raise OutputError(message)
    shutil.rmtree(folder)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _put(path: Path, content: bytes) -> None:
    beside = path.with_suffix(".new")
    try:
        beside.unlink(missing_ok=True)
        write_bytes(beside, content, 0o600)
        beside.replace(path)
    except OSError as error:
        message = f"{path}: cannot be written ({error.strerror or error}); make room there"
        raise OutputError(message) from error
