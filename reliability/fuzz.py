"""Open changed files: each may be read, or refused with one line.

Anything else is a finding: another exception, a message of several lines or with control characters, a process that
dies, more than half a minute, a quarter of the memory that all may take. Readers get equal shares of the time.
"""

from __future__ import annotations

import mmap
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
import unicodedata
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from cloven.errors import ClovenError
from reliability.campaign import Asked, table
from reliability.mutation import changed, rehashed
from reliability.readers import Reader, names, readers

if TYPE_CHECKING:
    from types import FrameType

SECONDS_EACH = 30  # kernels may have to be compiled, on a busy machine
SECONDS_BATCH = 0.5
MEMORY = 1 << 30
BIDIRECTIONAL = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029"
NOTE_BYTES = 4096


@dataclass
class Tally:
    """What came of the inputs of one reader."""

    read: int = 0
    refused: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    seconds: float = 0.0
    peak: int = 0

    @property
    def inputs(self) -> int:
        return self.read + self.refused + self.findings.total()

    def add(self, other: Tally) -> None:
        self.read += other.read
        self.refused += other.refused
        self.findings.update(other.findings)
        self.slowest = max(self.slowest, other.slowest)
        self.seconds += other.seconds
        self.peak = max(self.peak, other.peak)


def fuzz(asked: Asked) -> int:
    """Run the campaign and print one table."""
    if asked.number is not None:
        return _again(asked.only, asked.seed, asked.number)
    total = tried(asked)
    sys.stdout.write(table(_rows(total)))
    peak = max(tally.peak for tally in total.values())
    sys.stdout.write(f"seed {asked.seed}, {asked.seconds:.0f} s, peak memory {peak >> 20:,} MiB a process\n")
    return 1 if any(tally.findings or tally.peak > MEMORY for tally in total.values()) else 0


def tried(asked: Asked) -> dict[str, Tally]:
    """Try every reader in turn until the time is over; what was found, by reader."""
    tallies = {name: Tally() for name in names() if asked.only in name}
    if not tallies:
        raise SystemExit(f"no reader has {asked.only!r} in its name; there are: {', '.join(names())}")
    lane = _Lane(tallies, dict.fromkeys(tallies, 0), asked.seed, time.monotonic() + asked.seconds)
    lanes = [threading.Thread(target=lane.run) for _ in range(asked.processes)]
    for each in lanes:
        each.start()
    for each in lanes:
        each.join()
    return tallies


@dataclass(frozen=True)
class _Lane:
    """Keeps one process busy with the reader that has had the least time; begins another one when it dies."""

    tallies: dict[str, Tally]
    following: dict[str, int]
    seed: int
    ends: float
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> None:
        memory = Path("/dev/shm")
        with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as made:
            note = Path(made, "now")
            note.write_bytes(bytes(NOTE_BYTES))
            pool, over = _pool(Path(made)), False
            while not over:  # once at least, however late it is
                name, first = self._next()
                try:
                    tally = pool.submit(_batch, name, self.seed, first).result()
                except BrokenProcessPool:
                    tally = Tally(seconds=SECONDS_BATCH)
                    _found(name, int(note.read_bytes().rstrip(b"\0") or b"-1"), tally, "the process died")
                    pool = _pool(Path(made))
                with self.lock:
                    self.tallies[name].add(tally)
                over = time.monotonic() >= self.ends
            pool.shutdown()

    def _next(self) -> tuple[str, int]:
        with self.lock:
            name = min(self.tallies, key=lambda each: (self.tallies[each].seconds, self.following[each]))
            first = self.following[name]
            self.following[name] += 1_000_000  # far more than a batch has; only what was tried is counted
            self.tallies[name].seconds += SECONDS_BATCH / 1000  # so that lanes begin with different readers
            return name, first


def _pool(place: Path) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, get_context("spawn"), _begin, (place,))


class _Worker:
    """What a process keeps between batches: its readers, where it makes inputs, and where it notes the present one."""

    def __init__(self, place: Path) -> None:
        self.place = Path(tempfile.mkdtemp(dir=place))
        self.readers = {each.name: each for each in readers(Path(tempfile.mkdtemp(dir=place)))}
        with (place / "now").open("r+b") as handle:
            self.note = mmap.mmap(handle.fileno(), NOTE_BYTES)


_WORKERS: list[_Worker] = []  # of a process of its own; nothing of Cloven sees it


def _begin(place: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _guard()
    _WORKERS.append(_Worker(place))


def _guard() -> None:
    warnings.simplefilter("error")
    signal.signal(signal.SIGALRM, _too_long)


class TooLong(BaseException):
    """An input took longer than it may."""


def _too_long(_number: int, _frame: FrameType | None) -> None:
    raise TooLong


def _batch(name: str, seed: int, first: int) -> Tally:
    """Inputs of one reader for half a second."""
    worker, tally, began = _WORKERS[0], Tally(), time.monotonic()
    while tally.seconds < SECONDS_BATCH:
        number = first + tally.inputs
        worker.note[:] = str(number).encode().ljust(NOTE_BYTES, b"\0")
        attempt(worker.readers[name], seed, number, tally, worker.place)
        tally.seconds = time.monotonic() - began
    tally.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return tally


def attempt(reader: Reader, seed: int, number: int, tally: Tally, place: Path) -> None:
    """Make one input and open it."""
    with tempfile.TemporaryDirectory(dir=place) as made:
        folder = Path(made)
        lay_out(reader, folder, Random(f"{seed}/{reader.name}/{number}"))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.monotonic()
        signal.alarm(SECONDS_EACH)
        fault = ""
        try:
            reader.read(folder)
        except ClovenError as error:
            fault = fault_of(str(error))
            tally.refused += not fault
        except TooLong:
            fault = "too long"
        except BaseException as error:  # noqa: BLE001  that is what is looked for
            where = traceback.extract_tb(error.__traceback__)[-1]
            fault = (
                f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}: {str(error)[:80]!r}"
            )
        else:
            tally.read += 1
        finally:
            signal.alarm(0)
        if fault:
            _found(reader.name, number, tally, fault)
        tally.slowest = max(tally.slowest, time.monotonic() - began)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        if grown > MEMORY // 4:
            _found(reader.name, number, tally, "takes a quarter of a gigabyte more")


def lay_out(reader: Reader, folder: Path, rng: Random) -> None:
    """Write the seed with one or a few files changed, missing or swapped."""
    files = dict(reader.files)
    free = sorted(set(files) - reader.kept)
    for name in rng.sample(free, min(len(free), rng.choice((1, 1, 1, 2)))):
        if len(free) > 1 and rng.random() < 0.05:
            files[name] = files.get(rng.choice(free), b"")
        elif len(free) > 1 and rng.random() < 0.03:
            del files[name]
        else:
            files[name] = changed(name, files[name], rng)
    if rng.random() < 0.7:
        files = rehashed(files)
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(exist_ok=True, parents=True)
        target.write_bytes(content)


def fault_of(message: str) -> str:
    """What is wrong with a message; nothing, if it is one line that a terminal shows as it stands."""
    if not message or "\n" in message:
        return "a message that is not one line"
    odd = [
        letter
        for letter in message
        if unicodedata.category(letter) in ("Cc", "Cs") or letter in BIDIRECTIONAL
    ]
    return f"a message with {odd[0]!r}" if odd else ""


def _found(name: str, number: int, tally: Tally, what: str) -> None:
    tally.findings[what] += 1
    if tally.findings[what] == 1:
        sys.stderr.write(f"found: --only {name!r} --number {number}: {what}\n")


def _again(wanted: str, seed: int, number: int) -> int:
    _guard()
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory() as place:
        reader = next(each for each in readers(Path(scratch)) if each.name == wanted)
        lay_out(reader, Path(place), Random(f"{seed}/{reader.name}/{number}"))
        shutil.copytree(place, "found", dirs_exist_ok=True)
        try:
            result: Any = reader.read(Path(place))
        except ClovenError as error:
            sys.stdout.write(f"refused: {error!s}\n")
            return 0
        sys.stdout.write(f"read: {result!r:.200}\n")
    return 0


def _rows(total: dict[str, Tally]) -> list[tuple[object, ...]]:
    """One row a reader, and their sum."""
    whole = Tally()
    rows: list[tuple[object, ...]] = [("reader", "inputs", "read", "refused", "findings", "slowest")]
    for tally in total.values():
        whole.add(tally)
    for name, tally in (total | {"all": whole}).items():
        counts = (tally.inputs, tally.read, tally.refused, tally.findings.total())
        rows.append((name, *counts, f"{tally.slowest:.2f} s"))
    return rows
