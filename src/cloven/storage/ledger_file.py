"""What is noted of a release: that an audit judged it, and that it was published. Only ever appended to.

A note is a line of ``ledger.jsonl`` in the private folder of the release. If the owner keeps a ledger folder, the same
note is a line of its ``releases.jsonl``, with the receipt (``cloven.storage.receipt``) and the ``place`` of the private
folder, seen from the ledger. Two runs may append at once. A run that is killed leaves at most a torn last line: the
next one starts a new line. Readers leave out and count what is no note; nothing is published while there is any.
"""

from __future__ import annotations

import errno
import json
import os
from collections import deque
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.disclosure.audience import is_differentially_private
from cloven.errors import OutputError, ReleaseError
from cloven.storage.atomic import PRIVATE_FILE, PRIVATE_FOLDER, refuse_inside_release
from cloven.storage.fingerprint import Sketch
from cloven.storage.manifest import MANIFEST, expect, parse_json
from cloven.storage.receipt import (
    MOST_BYTES,
    RECEIPT,
    check_receipt,
    is_moment,
    plain_file,
    read_receipt,
    read_small,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import BinaryIO


RELEASES = "releases.jsonl"
NOTES = "ledger.jsonl"
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


STRICTER = {"max_risk": 1, "max_tail": 1, "min_utility": -1, "standard": -1}
"""Limits of an audit; 1 where a smaller number accepts less, -1 where a larger one does."""
HASHES = ("tried", "beside")
"""Fields of a note that name other releases."""


@dataclass(frozen=True)
class Note:
    """One thing that happened to a release.

    Attributes:
        when: when.
        verdict: of an audit; empty where the release was published.
        limits: what the audit accepted.
        people: how many people it asked about at most.
        tried: fingerprints of other releases that attackers were given.
        alone: the verdict before it was held against releases that were published earlier.
        beside: SHA-256 of the manifests of those that share people with it.
    """

    when: datetime
    verdict: str = ""
    limits: Mapping[str, float] = field(default_factory=dict)
    people: int = 0
    tried: tuple[str, ...] = ()
    alone: str = ""
    beside: tuple[str, ...] = ()

    @classmethod
    def now(cls, verdict: str = "", **known: Any) -> Note:
        """A note of this moment."""
        return cls(datetime.now(UTC).astimezone(), verdict, **known)

    @property
    def day(self) -> str:
        """Its day."""
        return self.when.date().isoformat()

    def binds(self, later: Note) -> bool:
        """Whether an audit said no to what a later one of the same release asks again.

        It does not where less was accepted then, other releases were tried that are not now, or fewer were asked; nor
        where only another release spoke against it.
        """
        before, now = (
            [each.limits.get(name, 0.0) * sign for name, sign in STRICTER.items()] for each in (self, later)
        )
        as_strict = all(one >= other for one, other in zip(before, now, strict=True))
        return (
            self.alone not in ("", "publish")
            and as_strict
            and self.people >= later.people
            and set(self.tried) <= set(later.tried)
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self) | {
            "when": self.when.isoformat(timespec="microseconds"),
            **{name: list(getattr(self, name)) for name in HASHES},
        }

    @classmethod
    def from_dict(cls, plain: object, source: str) -> Note:
        """Back from plain values, or a ``ReleaseError``."""
        names = {each.name for each in fields(cls)}
        whole = isinstance(plain, dict) and set(plain) == names
        expect(whole, source, "a note", f"an object of {sorted(names)}", plain)
        told: dict[str, Any] = plain  # type: ignore[assignment]  # checked
        expect(is_moment(told["when"]), source, "when", "date, time and offset", told["when"])
        for name in ("verdict", "alone"):
            expect(isinstance(told[name], str), source, name, "a text", told[name])
        limits = told["limits"]
        numbers = isinstance(limits, dict) and all(type(each) in (int, float) for each in limits.values())
        expect(numbers, source, "limits", "an object of numbers", limits)
        expect(type(told["people"]) is int, source, "people", "a whole number", told["people"])
        for name in HASHES:
            named = isinstance(told[name], list) and all(isinstance(each, str) for each in told[name])
            expect(named, source, name, "a list of hashes", told[name])
        hashes = {name: tuple(told[name]) for name in HASHES}
        return cls(**told | {"when": datetime.fromisoformat(told["when"])} | hashes)


def note(private: str | os.PathLike[str], what: Note, ledger: str | os.PathLike[str] | None = None) -> None:
    """Note it in the private folder of a release, and in the ledger if there is one.

    Raises:
        ReleaseError: there is no receipt in the private folder.
        OutputError: the note cannot be written.
    """
    folder = ledger_folder(ledger)
    if folder is None:
        read_receipt(private)  # nothing is noted in a folder of somebody else's
    else:  # first: what is noted beside the key counts as noted everywhere
        note_in_ledger(private, what, folder)
    try:
        _append(Path(private) / NOTES, _line(what.to_dict()))
    except OSError as error:
        message = f"{private}: cannot be written to ({error.strerror or error}); allow it, and try again"
        raise OutputError(message) from error


def note_in_ledger(private: str | os.PathLike[str], what: Note, folder: Path) -> None:
    """Note it of the release of this private folder in this ledger alone."""
    receipt = Path(private) / RECEIPT
    told = parse_json(read_small(receipt), str(receipt))
    check_receipt(told, str(receipt))
    line = _line({**told, "place": _seen_from(folder, Path(private)), "note": what.to_dict()})
    try:
        folder.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
        _append(folder / RELEASES, line)
    except OSError as error:
        reason = error.strerror or str(error)
        raise _cannot(folder, f"{reason}; {private} is not noted") from error


def _line(plain: Mapping[str, Any]) -> bytes:
    return json.dumps(plain, sort_keys=True).encode() + b"\n"


def read_notes(private: Path) -> tuple[tuple[Note, ...], int]:
    """What is noted in a private folder, and how many lines are no note."""
    path, found = private / NOTES, []
    if not os.path.lexists(path):
        return (), 0
    try:
        with plain_file(path) as handle:
            lines, bad, _old = _lines(handle)
    except ReleaseError:
        return (), 1
    for line in lines:
        try:
            found.append(Note.from_dict(parse_json(line, str(path)), str(path)))
        except ReleaseError:
            bad += 1
    return tuple(found), bad


def read_releases(folder: Path) -> tuple[list[tuple[Path, dict[str, Any], Note]], int, int]:
    """Private folders, receipts and notes of a ledger, how many lines are none, and how many are too old to be read."""
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


def _entry(line: bytes, folder: Path) -> tuple[Path, dict[str, Any], Note]:
    source = str(folder / RELEASES)
    value = parse_json(line, source)
    place, told = (value.pop(name, None) if isinstance(value, dict) else None for name in ("place", "note"))
    named = isinstance(place, str) and 0 < len(place) < 4096 and "\0" not in place
    expect(named, source, "place", "a path", place)
    return folder / str(place), check_receipt(value, source), Note.from_dict(told, source)


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
    from fcntl import LOCK_EX, flock

    with suppress(OSError):  # some network file systems
        flock(descriptor, LOCK_EX)


@contextmanager
def one_at_a_time(*folders: Path) -> Iterator[None]:
    """Wait until no other run is in here with one of these folders; those that cannot be locked are left out."""
    known = ((each.stat(), each) for each in folders if each.is_dir())
    once = {(told.st_dev, told.st_ino): each for told, each in known}
    with ExitStack() as held:
        for _, folder in sorted(once.items()):  # all runs in one order, so that none waits for ever
            with suppress(OSError):
                descriptor = os.open(folder, os.O_RDONLY)
                held.callback(os.close, descriptor)
                _lock(descriptor)
        yield


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


# One release that the owner made before, as its receipt and its notes remember it.


PRIVATE = ".private"
PROMISES = ("k", "m", "l", "t", "epsilon")  # parameters that say what is promised, in the order of speech


@dataclass(frozen=True)
class Entry:
    """An earlier release.

    Attributes:
        private: the private folder.
        place: the release, or the private folder if the release is not beside it any more.
        manifest_sha256: hash of the release.
        input_sha256: fingerprint of the data; None if it was written without the original.
        method: name of the anonymiser.
        parameters: all of its parameters.
        records: how many were published.
        items: how many were published.
        released: when.
        version: of Cloven.
        sketch: by which records in common are counted.
        notes: what happened to it, the oldest first.
        unreadable: lines of its notes that could not be read.
    """

    private: Path
    place: Path
    manifest_sha256: str
    input_sha256: str | None
    method: str
    parameters: Mapping[str, Any]
    records: int
    items: int
    released: datetime
    version: str
    sketch: Sketch | None = None
    notes: tuple[Note, ...] = ()
    unreadable: int = 0

    @classmethod
    def of_receipt(cls, private: Path, receipt: Mapping[str, Any], notes: tuple[Note, ...] = ()) -> Entry:
        """The entry of a checked receipt that lies, or lay, in this private folder."""
        place = _release_beside(private)
        hashes = {name: receipt[name] for name in ("manifest_sha256", "input_sha256")}
        told = {**receipt["release"], "released": datetime.fromisoformat(receipt["release"]["released"])}
        known = None if receipt["sketch"] is None else Sketch.from_dict(receipt["sketch"])
        return cls(private, place, **hashes, **told, sketch=known, notes=notes)

    @classmethod
    def at(cls, private: Path) -> Entry:
        """The entry of a private folder, or a ``ReleaseError``."""
        notes, unreadable = read_notes(private)
        return replace(cls.of_receipt(private, read_receipt(private), notes), unreadable=unreadable)

    @property
    def identity(self) -> tuple[str, datetime]:
        """Equal for two notes of one release."""
        return self.manifest_sha256, self.released

    @property
    def published(self) -> Note | None:
        """That the owner published it; None if nobody says so."""
        return next((each for each in self.notes if not each.verdict), None)

    @property
    def audits(self) -> tuple[Note, ...]:
        """What audits said of it."""
        return tuple(each for each in self.notes if each.verdict)

    def noted(self, *notes: Note) -> Entry:
        """The same with these notes, too."""
        return replace(self, notes=joined_notes((*self.notes, *notes)))

    @property
    def promise(self) -> str:
        """What was promised, in short: ``k=3 m=2``."""
        told = {name: self.parameters.get(name) for name in PROMISES} | {"eps": self.epsilon}
        return " ".join(f"{name}={value}" for name, value in told.items() if value is not None)

    @property
    def epsilon(self) -> float | None:
        """What it costs if it is differentially private, else None."""
        return epsilon_of(self.parameters)

    @property
    def day(self) -> str:
        """The day on which it was made."""
        return self.released.date().isoformat()

    @property
    def has_release(self) -> bool:
        """Whether the release is still where it was written."""
        return self.place != self.private

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; of the sketch only how many records it speaks of."""
        return {
            "place": str(self.place),
            "private": str(self.private),
            "released": self.released.isoformat(),
            "method": self.method,
            "parameters": dict(self.parameters),
            "records": self.records,
            "items": self.items,
            "version": self.version,
            "input_sha256": self.input_sha256,
            "manifest_sha256": self.manifest_sha256,
            "epsilon": self.epsilon,
            "standing_out": None if self.sketch is None else self.sketch.records,
            "published": None if self.published is None else self.published.when.isoformat(),
            "audits": [each.to_dict() for each in self.audits],
        }


def joined_notes(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Each note once, the oldest first."""
    once = {json.dumps(each.to_dict(), sort_keys=True): each for each in notes}
    return tuple(sorted(once.values(), key=lambda each: each.when))


def epsilon_of(parameters: Mapping[str, Any]) -> float | None:
    """The epsilon that parameters of a release promise; None if that is not differential privacy.

    >>> epsilon_of({"promise": {"kind": "differential privacy", "epsilon": 0.3}}), epsilon_of({"eps": 0.3})
    (0.3, None)
    """
    if not is_differentially_private(parameters):
        return None
    told = parameters["promise"].get("epsilon")
    plain = isinstance(told, int | float) and not isinstance(told, bool) and 0 < told < float("inf")
    return float(told) if plain else None


def shown(path: Path) -> str:
    """A path as a person in the current folder would write it: whichever way is shorter.

    >>> from pathlib import Path
    >>> shown(Path("spring").absolute())
    'spring'
    """
    absolute = os.path.normpath(path.absolute())
    try:
        return min(os.path.relpath(absolute), absolute, key=len)
    except ValueError:  # another drive
        return absolute


def _release_beside(private: Path) -> Path:
    stem = private.with_name(private.name.removesuffix(PRIVATE) or private.name)
    in_json = stem.with_name(f"{stem.name}.json")
    found = {stem / "published": stem / "published" / MANIFEST, stem: stem / MANIFEST, in_json: in_json}
    return next((place for place, file in found.items() if _is_file(file)), private)


def _is_file(path: Path) -> bool:
    """Whether there is such a file; what is too long to be a name is none."""
    try:
        return path.is_file()
    except OSError:
        return False
