"""Open changed files for a given time: ``python -m reliability.fuzz --seconds 3600 --seed 1``.

Inputs are a function of seed, reader and number, so that a finding is made again by ``--reader`` and ``--number``. An
input may be read, or refused with one line; anything else is a finding: another exception, a message of several lines
or with control characters, a process that dies, more than half a minute, a quarter of the memory that all may take.
Readers get equal shares of the time.
"""

from __future__ import annotations

import argparse
import mmap
import os
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


@dataclass(frozen=True)
class Campaign:
    """What is tried, and how long.

    Attributes:
        seconds: how long.
        seed: which inputs.
        processes: how many at once.
        only: names of readers hold this.
    """

    seconds: float = 60.0
    seed: int = 1
    processes: int = os.cpu_count() or 1
    only: str = ""

    def run(self) -> dict[str, Tally]:
        """Try every reader in turn until the time is over; what was found, by reader."""
        tallies = {name: Tally() for name in names() if self.only in name}
        if not tallies:
            raise SystemExit(f"no reader has {self.only!r} in its name; there are: {', '.join(names())}")
        lock, ends = threading.Lock(), time.monotonic() + self.seconds
        following = dict.fromkeys(tallies, 0)
        lanes = [
            threading.Thread(target=self._lane, args=(tallies, following, lock, ends))
            for _ in range(self.processes)
        ]
        for lane in lanes:
            lane.start()
        for lane in lanes:
            lane.join()
        return tallies

    def _lane(
        self, tallies: dict[str, Tally], following: dict[str, int], lock: threading.Lock, ends: float
    ) -> None:
        """Keep one process busy with the reader that has had the least time; begin another one when it dies."""
        memory = Path("/dev/shm")
        with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as made:
            place = Path(made)
            note = place / "now"
            note.write_bytes(bytes(NOTE_BYTES))
            pool, over = _pool(place), False
            while not over:  # once at least, however late it is
                with lock:
                    name = min(tallies, key=lambda each: (tallies[each].seconds, following[each]))
                    first = following[name]
                    following[name] += 1_000_000  # far more than a batch has; only what was tried is counted
                    tallies[name].seconds += (
                        SECONDS_BATCH / 1000
                    )  # so that lanes begin with different readers
                try:
                    tally = pool.submit(_batch, name, self.seed, first).result()
                except BrokenProcessPool:
                    tally = Tally(seconds=SECONDS_BATCH)
                    _found(name, int(note.read_bytes().rstrip(b"\0") or b"-1"), tally, "the process died")
                    pool = _pool(place)
                with lock:
                    tallies[name].add(tally)
                over = time.monotonic() >= ends
            pool.shutdown()


def main() -> int:
    """Run the campaign and print one table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=Campaign.seconds)
    parser.add_argument("--seed", type=int, default=Campaign.seed)
    parser.add_argument("--processes", type=int, default=Campaign.processes)
    parser.add_argument("--reader", default="", help="only readers whose names hold this")
    parser.add_argument(
        "--number", type=int, help="make this one input again, in the folder ./found, and open it"
    )
    asked = parser.parse_args()
    if asked.number is not None:
        return _again(asked.reader, asked.seed, asked.number)
    campaign = Campaign(asked.seconds, asked.seed, asked.processes, asked.reader)
    total = campaign.run()
    sys.stdout.write(table(total, campaign))
    return 1 if any(tally.findings or tally.peak > MEMORY for tally in total.values()) else 0


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
        sys.stderr.write(f"found: --reader {name!r} --number {number}: {what}\n")


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


def table(total: dict[str, Tally], campaign: Campaign) -> str:
    """One row a reader, and their sum."""
    rows: list[tuple[str, ...]] = [("reader", "inputs", "read", "refused", "findings", "slowest")]
    whole = Tally()
    for name, tally in total.items():
        whole.add(tally)
        rows.append(_row(name, tally))
    rows.append(_row("all", whole))
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = [
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(cell.rjust(wide) for cell, wide in zip(row[1:], widths[1:], strict=True)),
            ]
        )
        for row in rows
    ]
    end = f"seed {campaign.seed}, {campaign.seconds:.0f} s, peak memory {whole.peak >> 20:,} MiB a process"
    return "\n".join([*lines, end, ""])


def _row(name: str, tally: Tally) -> tuple[str, ...]:
    counts = (tally.inputs, tally.read, tally.refused, tally.findings.total())
    return (name, *(f"{count:,}" for count in counts), f"{tally.slowest:.2f} s")


if __name__ == "__main__":
    sys.exit(main())
