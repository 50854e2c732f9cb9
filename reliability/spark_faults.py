"""Kill what makes a release on Spark: ``python -m reliability.spark_faults --times 10 --seed 1``.

The command is that of ``reliability.faults`` with ``--engine spark``. At random moments its driver dies, or all of its
processes, or the Java machine alone, or one Python worker. What is left must be nothing, or a whole release that
verifies; the same command, given again, must end with the same bytes and leave nothing lying about. Needs PySpark and
Java.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from reliability import faults
from reliability.faults import Command, Row, Strike, Trial

COMMAND = Command(
    "anonymise on Spark",
    (
        "anonymise", "disassociation", "IN/baskets.csv", "-k", "3", "-o", "OUT", "--block-records", "25",
        "--format", "lines", "--delimiter", ",", "--engine", "spark", "--master", "local[2]",
    ),
    ("", ".private"),
)  # fmt: skip
PATIENCE = 60  # seconds that processes may take to end after the one that started them


def main() -> int:
    """Run all classes of fault and print one table."""
    arguments = _arguments()
    # Little data: to compile what runs once takes longer than to run it.
    os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
    os.environ.setdefault(
        "PYSPARK_SUBMIT_ARGS",
        "--conf spark.sql.codegen.wholeStage=false --conf spark.sql.shuffle.partitions=2 pyspark-shell",
    )
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        faults._data(home / "in")
        wanted, seconds = faults._reference(COMMAND, home)
        sys.stderr.write(f"{seconds:.1f} s undisturbed\n")
        for fault in STRIKES:
            if arguments.fault and arguments.fault != fault:
                continue
            row = faults._repeat(
                COMMAND, fault, home, wanted, seconds,
                times=arguments.times, seed=arguments.seed, processes=1, strikes=STRIKES,
            )  # fmt: skip
            rows.append(row)
            sys.stderr.write(f"{row.fault}: struck {row.struck} of {row.times}, {len(row.bad)} bad\n")
    faults._print(rows)
    return 1 if any(row.bad for row in rows) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=10, help="kills of each class")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fault", choices=sorted(STRIKES))
    return parser.parse_args()


Victims = Callable[[Trial, int], list[int]]


def _below(root: int) -> dict[int, str]:
    """Processes that a process started, and those that they did, by number; with their command lines."""
    parents, lines = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
                lines[int(entry.name)] = (
                    (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                )
            except OSError:  # it has ended
                continue
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found = [root]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return {each: lines.get(each, "") for each in found[1:]}


def _driver(_trial: Trial, root: int) -> list[int]:
    return [root]


def _all(_trial: Trial, root: int) -> list[int]:
    return [root, *_below(root)]


def _java(_trial: Trial, root: int) -> list[int]:
    return [each for each, line in _below(root).items() if "java" in line.split(" ")[0]]


def _worker(trial: Trial, root: int) -> list[int]:
    workers = [each for each, line in _below(root).items() if "pyspark.daemon" in line]
    return [trial.rng.choice(workers)] if workers else []


def _strike(victims: Victims) -> Strike:
    def strike(trial: Trial) -> bool:
        process = subprocess.Popen(
            faults._words(trial.command, trial.home, trial.folder),
            cwd=trial.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        time.sleep(trial.rng.uniform(0, 1.05 * trial.seconds))
        chosen = victims(trial, process.pid) if process.poll() is None else []
        rest = _below(process.pid)
        for victim in chosen:
            _kill(victim)
        told = process.communicate(timeout=faults.LONGEST)[1]
        faults._sound(
            process.returncode in (0, 4, -signal.SIGKILL), f"ended with {process.returncode}: {told[-300:]}"
        )
        faults._sound("Traceback" not in told, f"told a traceback: {told[-300:]}")
        _sound_ended(rest)
        return bool(chosen)

    return strike


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:  # it ended by itself
        return


def _sound_ended(processes: dict[int, str]) -> None:
    """Whoever was started by the command ends with it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        alive = [each for each, line in processes.items() if line and _line(each) == line]
        if not alive:
            return
        time.sleep(0.2)
    for each in alive:
        _kill(each)
    faults._sound(
        not alive, f"{len(alive)} processes were still there after {PATIENCE} s: {processes[alive[0]][:100]}"
    )


def _line(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


STRIKES: dict[str, Strike] = {
    "kill -9 of the driver": _strike(_driver),
    "kill -9 of all": _strike(_all),
    "kill -9 of Java": _strike(_java),
    "kill -9 of a worker": _strike(_worker),
}

if __name__ == "__main__":
    raise SystemExit(main())
