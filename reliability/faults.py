"""Take everything away from running commands.

Each class of fault strikes each command at random moments; then the same command is given again and must end as if
nothing had happened: the same bytes published, the same figures, nothing left behind. What a struck command leaves must
be nothing, or a whole release. Everything happens in folders of its own and ends by itself.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from reliability.campaign import Asked, table
from reliability.strikes import FAULTS, ON_SPARK
from reliability.trial import Command, Sound, Trial, figures, go_on, look

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reliability.strikes import Strike

MOST_TRIES = 3

COMMANDS = (
    Command(
        "anonymise",
        ("anonymise", "disassociation", "IN/baskets.csv", "-k", "3", "-o", "OUT"),
        ("", ".private"),
    ),
    Command(
        "audit",
        ("audit", "IN/baskets.csv", "-k", "3", "-o", "OUT", "--quick", "--no-advise"),
        ("", ".private"),
    ),
    Command(
        "tune",
        ("tune", "IN/baskets.csv", "-k", "3", "-o", "OUT", "--trials", "2"),
        ("", ".private", ".study"),
    ),
)


SPARK = Command(
    "anonymise on Spark",
    (
        "anonymise", "disassociation", "IN/baskets.csv", "-k", "3", "-o", "OUT", "--block-records", "25",
        "--format", "lines", "--delimiter", ",", "--engine", "spark", "--master", "local[2]",
    ),
    ("", ".private"),
)  # fmt: skip


@dataclass
class Row:
    """What came of one class of fault with one command."""

    command: str
    fault: str
    times: int = 0
    struck: int = 0
    bad: list[str] = field(default_factory=list)


def faults(asked: Asked) -> int:
    """Strike all commands in all ways, and print one table."""
    return _campaign(asked, COMMANDS, FAULTS)


def spark(asked: Asked) -> int:
    """Strike a release that is made on Spark; with little data, compiling once takes longer than running."""
    os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
    os.environ.setdefault(
        "PYSPARK_SUBMIT_ARGS",
        "--conf spark.sql.codegen.wholeStage=false --conf spark.sql.shuffle.partitions=2 pyspark-shell",
    )
    return _campaign(Asked(**(vars(asked) | {"processes": 1})), (SPARK,), ON_SPARK)


def _campaign(asked: Asked, commands: tuple[Command, ...], strikes: Mapping[str, Strike]) -> int:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        data(home / "in")
        for command in commands:
            wanted = [name for name in strikes if asked.only in f"{command.name}, {name}"]
            if not wanted:
                continue
            trial = reference(command, home)
            sys.stderr.write(f"{command.name}: {trial.seconds:.1f} s undisturbed\n")
            rows += [repeated(trial, fault, strikes[fault], asked) for fault in wanted]
    told = [(f"{row.command}, {row.fault}", row.times, row.struck, len(row.bad)) for row in rows]
    sys.stdout.write(table([("command and fault", "times", "struck", "bad"), *told]))
    bad = sum(len(row.bad) for row in rows)
    sys.stdout.write(f"{sum(row.times for row in rows):,} faults, {bad:,} bad endings\n")
    return 1 if bad else 0


def data(folder: Path) -> None:
    """A small file of sets for all commands."""
    folder.mkdir()
    rng = Random(7)
    items = [f"item{number}" for number in range(12)]
    lines = [",".join(sorted(rng.sample(items, rng.choice((1, 2, 3, 4))))) for _ in range(60)]
    (folder / "baskets.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def reference(command: Command, home: Path) -> Trial:
    """The command undisturbed: its figures, and how long it takes."""
    trial = Trial(command, home, home / f"reference-{command.name}", 0.0, Random(0), {})
    trial.folder.mkdir()
    trial.run()  # what has to be compiled is compiled now
    for entry in trial.folder.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    began = time.monotonic()
    ended = trial.run()
    if ended.returncode not in (0, 1):
        raise SystemExit(f"{command.name} does not run: {ended.stderr}")
    return Trial(command, home, trial.folder, time.monotonic() - began, Random(0), figures(trial.folder))


def repeated(trial: Trial, fault: str, strike: Strike, asked: Asked) -> Row:
    """Strike so many times, and look at what is left and at what comes of it."""
    row = Row(trial.command.name, fault)
    with ThreadPoolExecutor(asked.processes) as pool:
        # Some strike after the end.
        while row.struck < asked.times and row.times < MOST_TRIES * asked.times:
            numbers = range(row.times, row.times + asked.times - row.struck)
            for struck, bad in pool.map(partial(_once, trial, fault, strike, asked.seed), numbers):
                row.times += 1
                row.struck += struck
                if bad:
                    row.bad.append(bad)
                    sys.stderr.write(f"found: {row.command}, {fault} {bad}\n")
    return row


def _once(trial: Trial, fault: str, strike: Strike, seed: int, number: int) -> tuple[bool, str]:
    rng = Random(f"{seed}/{trial.command.name}/{fault}/{number}")
    with tempfile.TemporaryDirectory(dir=trial.home) as place:
        mine = Trial(trial.command, trial.home, Path(place), trial.seconds, rng, trial.wanted)
        try:
            struck = strike(mine)
            look(mine.folder, mine.wanted)
            go_on(mine)
        except Sound as found:
            return True, f"#{number}: {found}"
    return struck, ""
