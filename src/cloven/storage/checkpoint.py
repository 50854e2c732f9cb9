"""Finished steps of an audit on disk, so that an interrupted one goes on where it stopped.

The folder ``OUT.private.unfinished`` (mode 0700: it knows the truth) holds a journal, whose first line says which audit
of which data it is and every other one what a step gave, and a folder for the release and key of each method, whose
digests are in the journal. A step may rest on those before it, most of all on the release: where something is damaged,
that step and all after it are set aside with a word and done again. While an audit runs it holds a lock, so that no
other one takes its steps for left behind.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from cloven._version import __version__
from cloven.errors import ClovenError, OutputError
from cloven.intake.files import content
from cloven.storage.atomic import PRIVATE_FOLDER
from cloven.storage.journal import DAMAGED, LOCK, Journal, alone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from cloven.protocols import Family

T = TypeVar("T")
HASHED = 1 << 24
"""Bytes of a file that is known by its content; a longer one by size and date."""
JOURNAL = "journal.log"
_OURS = re.compile(rf"step-[0-9a-f]{{16}}|{LOCK}|{JOURNAL}|{JOURNAL}{DAMAGED}|{JOURNAL}\.[0-9a-f]{{16}}")


@dataclass(frozen=True)
class Checkpoint:
    """Finished steps of one audit; a ``Memory`` (see ``audit.run``).

    Attributes:
        folder: where they lie.
        known: what each finished step gave, digests for one that gave a release.
        doubts: what was damaged, in words.
    """

    folder: Path
    known: dict[str, Any] = field(default_factory=dict, repr=False)
    doubts: tuple[str, ...] = ()

    @classmethod
    def open(cls, folder: Path, fingerprint: str, settings: str) -> Checkpoint:
        """Go on with an unfinished audit of the same data; with other settings it begins anew.

        Raises:
            OutputError: the folder belongs to another data set, is in use, or cannot be written.
        """
        wanted = {"version": __version__, "data": fingerprint, "settings": settings}
        try:
            begun = _is_ours(folder)
            if not begun:
                folder.mkdir(PRIVATE_FOLDER)
            with alone(folder, "audit"):
                recalled = _Recalled(folder)
                journal = Journal(folder / JOURNAL, chained=True)
                if journal.path.exists():
                    journal.recall(recalled.take)
                _refuse_other_data(folder, recalled.audit, fingerprint)
                if recalled.audit != wanted:
                    _begin(journal, wanted)
                    if recalled.steps:
                        said = f"{folder}: its steps are of another version, or of other settings; begun anew"
                        journal.doubts = (*journal.doubts, said)
                    recalled.steps.clear()
        except OSError as error:
            raise _unwritten(folder, error) from error
        return cls(folder, recalled.steps, journal.doubts)

    @staticmethod
    def belongs(folder: Path, fingerprint: str) -> bool:
        """Whether the folder is free, or holds an unfinished audit of this data that is not running."""
        try:
            if not _is_ours(folder):
                return True
            with alone(folder, "audit"):
                first = Journal(folder / JOURNAL).first()
                return first is None or first["audit"]["data"] == fingerprint
        except (OutputError, OSError):
            return False

    @property
    def steps(self) -> list[str]:
        """Names of the steps that are finished."""
        return list(self.known)

    def recall(self, step: str, read: Callable[[Any], T]) -> T | None:
        """What a step gave in an earlier run, or None."""
        if step not in self.known:
            return None
        with suppress(ClovenError):
            return read(self.known[step])
        return None

    def keep(self, step: str, plain: Any) -> None:
        """Remember what a step gave."""
        self._note({"step": step, "value": plain})
        self.known[step] = plain

    def recall_result(self, step: str, family: Family) -> Any:
        """Release and key of an earlier run, or None; then nothing is known that rests on them either."""
        place = _place(self.folder, step)
        if step in self.known:
            with suppress(ClovenError):
                return family.read(place / "published", place / "private")
        self.known.clear()
        return None

    def keep_result(self, step: str, family: Family, result: Any) -> None:
        """Remember release and key."""
        place = _place(self.folder, step)
        try:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(PRIVATE_FOLDER)
            family.write(result, place / "published", place / "private", None)
            files = _digests(place)
        except OSError as error:
            raise _unwritten(place, error) from error
        self._note({"step": step, "files": files})
        self.known[step] = files

    def remove(self) -> None:
        """The audit is finished; what is not part of it stays."""
        with suppress(OSError):
            for each in self.folder.iterdir():
                if _OURS.fullmatch(each.name):
                    shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()
            self.folder.rmdir()

    @contextmanager
    def kept(self) -> Iterator[Checkpoint]:
        """Keep finished steps if the block is interrupted; when it ends well, or none was finished, nothing stays."""
        with alone(self.folder, "audit"):
            try:
                yield self
            except BaseException:
                if not self.known:
                    self.remove()
                raise
            self.remove()

    def _note(self, entry: Mapping[str, Any]) -> None:
        try:
            Journal(self.folder / JOURNAL).add(entry)
        except OSError as error:
            raise _unwritten(self.folder, error) from error


@dataclass
class _Recalled:
    """What the journal tells: which audit it is of, and what its steps gave."""

    folder: Path
    audit: Mapping[str, Any] | None = None
    steps: dict[str, Any] = field(default_factory=dict)

    def take(self, entry: Mapping[str, Any]) -> None:
        """One more line; raises ``ValueError`` for one that does not fit what lies there."""
        if self.audit is None:
            self.audit = dict(entry["audit"])
        elif "files" not in entry:
            self.steps[entry["step"]] = entry["value"]
        elif entry["files"] == _digests(_place(self.folder, entry["step"])):
            self.steps[entry["step"]] = entry["files"]
        else:
            raise ValueError(entry["step"])


def _place(folder: Path, step: str) -> Path:
    return folder / f"step-{hashlib.sha256(step.encode()).hexdigest()[:16]}"


def _digests(place: Path) -> dict[str, str]:
    return {
        str(file.relative_to(place)): hashlib.sha256(content(file, within=place)).hexdigest()
        for file in sorted(place.rglob("*"))
        if not file.is_dir()
    }


def stamp(path: Path) -> str:
    """What tells a file, or all files of a folder, from others in the same place: names, sizes and dates.

    >>> from pathlib import Path
    >>> stamp(Path("surely-not-here"))
    '[]'
    """
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return repr([(str(file), *_told(file)) for file in files if file.is_file()])


def _told(file: Path) -> tuple[int, int, str]:
    about = file.stat()
    small = about.st_size <= HASHED  # a copy can keep the date
    return about.st_size, about.st_mtime_ns, hashlib.sha256(content(file)).hexdigest() if small else ""


def _is_ours(folder: Path) -> bool:
    """Whether an unfinished audit lies there; False if nothing does.

    Raises:
        OutputError: something else does; it is never touched.
    """
    if not os.path.lexists(folder):
        return False
    strange = folder.is_symlink() or not folder.is_dir() or not Journal(folder / JOURNAL).ours
    if strange or not all(_OURS.fullmatch(each.name) for each in folder.iterdir()):
        message = f"{folder}: exists already and is no unfinished audit; name another place with -o, or move it away"
        raise OutputError(message)
    return True


def _refuse_other_data(folder: Path, audit: Mapping[str, Any] | None, fingerprint: str) -> None:
    if audit is not None and audit.get("data") != fingerprint:
        message = (
            f"{folder}: belongs to an unfinished audit of another data set (fingerprint {str(audit.get('data'))[:12]},"
            f" this one has {fingerprint[:12]}); name another place with -o, or remove that folder"
        )
        raise OutputError(message)


def _begin(journal: Journal, audit: Mapping[str, Any]) -> None:
    """Forget all steps and say whose the folder is."""
    folder = journal.path.parent
    journal.path.unlink(missing_ok=True)
    for step in folder.glob("step-*"):
        shutil.rmtree(step)
    try:
        journal.add({"audit": audit})
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _unwritten(place: Path, error: OSError) -> OutputError:
    return OutputError(
        f"{place}: cannot be written ({error.strerror or error}); make room there, or name another place with -o"
    )
