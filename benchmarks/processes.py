"""What a command takes in a process of its own, with all processes that it starts: time, processors and memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.measuring import Row

ROOT = Path(__file__).resolve().parent.parent
WATCHED = 0.05
"""Seconds between two looks at the processes."""
FINE = (0, 1)
"""An audit ends with 1 where it advises against publishing."""


@dataclass(frozen=True)
class Spent:
    """What a run took: seconds of the clock and of processors, gigabytes at most, and those of them that Java held."""

    seconds: float
    processor: float
    peak: float
    java: float = 0.0

    def __str__(self) -> str:
        java = f"  of which Java {self.java:.2f} GB" if self.java else ""
        return f"{self.seconds:7.2f} s  {self.processor:7.2f} s of processors  {self.peak:5.2f} GB{java}"


def run(words: Sequence[str], checkout: Path = ROOT, environment: Mapping[str, str] | None = None) -> Spent:
    """Run a command of Cloven as the source of a checkout has it."""
    path = os.pathsep.join([str(checkout / "src"), os.environ.get("PYTHONPATH", "")])
    start = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "cloven.cli", *words],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, **(environment or {}), "PYTHONPATH": path},
    )  # fmt: skip
    processor: dict[int, float] = {}
    peak = java = 0
    while True:
        ended, status, used = os.wait4(process.pid, os.WNOHANG)
        if ended:
            break
        seen = processes_below(process.pid)
        processor |= {number: each.processor for number, each in seen.items()}
        # One process alone is told of its own peak, however short it was.
        peak = max(peak, sum(each.now for each in seen.values()), *(each.most for each in seen.values()), 0)
        java = max(java, sum(each.now for each in seen.values() if each.name == "java"))
        time.sleep(WATCHED)
    seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    with process:
        told = process.stderr.read() if process.stderr else ""
    if process.returncode not in FINE:
        sys.exit(f"cloven {' '.join(words)} ended with {process.returncode}: {told[-500:]}")
    return Spent(seconds, max(used.ru_utime + used.ru_stime, sum(processor.values())), peak / 1e9, java / 1e9)


def median(runs: Sequence[Spent]) -> Row:
    """Medians of the times, the most memory of all."""
    return {
        "seconds": statistics.median(each.seconds for each in runs),
        "cpu_s": statistics.median(each.processor for each in runs),
        "peak_gb": max(each.peak for each in runs),
    }


@dataclass(frozen=True)
class Seen:
    """A process: its name and command line, processor seconds, bytes now and at most."""

    name: str
    line: str
    processor: float
    now: int
    most: int


def processes_below(root: int) -> dict[int, Seen]:
    """A process and all that it started, directly or not."""
    ticks, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    parents: dict[int, int] = {}
    seen: dict[int, Seen] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            before, _, after = (entry / "stat").read_text().rpartition(")")
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            most = [line for line in (entry / "status").read_text().splitlines() if line.startswith("VmHWM")]
        except OSError:  # it has ended
            continue
        fields = after.split()
        parents[int(entry.name)] = int(fields[1])
        seen[int(entry.name)] = Seen(
            before.partition("(")[2],
            words,
            (int(fields[11]) + int(fields[12])) / ticks,
            int(fields[21]) * page,
            1024 * int(most[0].split()[1]) if most else 0,
        )
    found = [root]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return {each: seen[each] for each in found if each in seen}
