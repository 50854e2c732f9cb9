"""Growth: whole runs of the command, in processes of their own; and steps alone.

    python -m benchmarks.growth [RECORDS ...]

Data has the POS shape (6.5 items a record), as a Parquet file.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measuring import medians, write_fimi
from benchmarks.sets import SPLITTING, split
from cloven.datasets import SHAPES, shaped
from cloven.intake.machine import keep_freed_memory
from cloven.kinds.disassociated.methods import Disassociation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from benchmarks.measuring import Extent, Row

POS = SHAPES["pos"].records
"""Records of the data that the shape was taken from."""
ROWS = 1 << 17
WRITE = "import sys; from benchmarks.growth import write; write(int(sys.argv[1]), sys.argv[2])"
LAUNCH = """
import json, os, subprocess, sys, time
start = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(child.pid, 0)
spent = time.perf_counter() - start
print(json.dumps([spent, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6]))
sys.exit(os.waitstatus_to_exitcode(status) != 0)
"""
"""Starts a command from a process that holds next to nothing: the peak of a child counts what its parent held."""
STEPS = "import sys; from benchmarks.growth import steps; steps(float(sys.argv[1]), int(sys.argv[2]), sys.argv[3])"
EIGHTS = (0.125, 1.0, 8.0)
ROUNDS = 3
"""Of every size alike: the first round meets memory that is empty, later ones do not."""


def write(records: int, place: str) -> None:
    """Write data of so many records as Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = shaped("pos", scale=records / POS)
    names = pa.array(data.vocabulary)
    with pq.ParquetWriter(place, pa.schema([("items", pa.list_(pa.string()))])) as writer:
        for first in range(0, len(data), ROWS):
            bounds = data.offsets[first : first + ROWS + 1]
            items = names.take(pa.array(data.codes[bounds[0] : bounds[-1]]))
            lists = pa.ListArray.from_arrays(pa.array(bounds - bounds[0], pa.int32()), items)
            writer.write_table(pa.table({"items": lists}))


@dataclass(frozen=True)
class Spent:
    """What a process took: seconds of the clock and of processors, and gigabytes at most."""

    seconds: float
    processor: float
    peak: float

    @classmethod
    def on(cls, file: Path, out: Path, *more: str) -> Spent:
        """Run the command on a file."""
        command = ["-m", "cloven.cli", "anonymise", "disassociation", str(file), "-o", str(out)]
        found = subprocess.run(
            [sys.executable, "-c", LAUNCH, sys.executable, *command, "--memory", "any", "--json", *more],
            check=False, stdout=subprocess.PIPE,
        )  # fmt: skip
        if found.returncode:
            sys.exit(f"a run ended with {found.returncode}")
        return cls(*json.loads(found.stdout))

    @staticmethod
    def row(runs: list[Spent]) -> Row:
        """Medians of the times, the most memory of all."""
        return {
            "seconds": statistics.median(run.seconds for run in runs),
            "cpu_s": statistics.median(run.processor for run in runs),
            "peak_gb": max(run.peak for run in runs),
        }


def growth(extent: Extent) -> list[Row]:
    """From 10^4 to 10^6 records, to 10^7 in a large run; a few records in a small one."""
    if extent.small:
        return compare([(500, 1), (1_000, 1)])
    sizes = [10**power for power in range(4, 8 if extent.large else 7)]
    return compare((records, 1 if records > 1_000_000 else 3) for records in sizes)


def compare(wanted: Iterable[tuple[int, int]]) -> list[Row]:
    """A row for each number of records and number of runs."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        _warm_up(Path(folder, "warm"))
        for records, runs in wanted:
            file = Path(folder, f"pos-{records}.parquet")
            if not file.exists():
                _write_apart(records, file)
            found = [Spent.on(file, Path(folder, f"{records}-{run}")) for run in range(runs)]
            rows.append({"records": records, **Spent.row(found)})
            print(_told(f"{records:>10,} records", rows[-1]), flush=True)
    return rows


def _write_apart(records: int, file: Path) -> None:
    """Write data in a process of its own, so that its memory is given back."""
    subprocess.run([sys.executable, "-c", WRITE, str(records), str(file)], check=True)


def _warm_up(folder: Path) -> None:
    """Blocks have kernels that are compiled when they are first met."""
    folder.mkdir(parents=True)
    _write_apart(2_000, folder / "pos.parquet")
    Spent.on(folder / "pos.parquet", folder / "whole", "--block-records", "500")


def _told(name: str, row: Row) -> str:
    return f"{name} {row['seconds']:7.1f} s (processor {row['cpu_s']:.1f})   peak {row['peak_gb']:.2f} GB"


def whole(extent: Extent) -> list[Row]:
    """Whole runs of the command on files of lines: start, read, all steps, verify, write; kernels are cached."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "pos.dat")
        write_fimi(extent.some(shaped("pos")), made)
        inputs = {"POS shape": made}
        if not extent.small:
            inputs |= extent.files("BMS-WebView-2")
        for name, file in inputs.items():
            found = [Spent.on(file, Path(folder, f"{name}-{run}")) for run in range(extent.runs)]
            rows.append({"data": name, **Spent.row(found)})
            print(_told(f"{name:14s}", rows[-1]), flush=True)
    return rows


def scale(extent: Extent) -> list[Row]:
    """The steps on an eighth of the POS shape, on all of it and on eight times as much, each in its own process."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder, "steps.json")
        for factor in EIGHTS:
            asked = (factor / 500, 1) if extent.small else (factor, ROUNDS)
            subprocess.run([sys.executable, "-c", STEPS, *map(str, asked), str(told)], check=True)
            rows.append(json.loads(told.read_text()))
            said = "   ".join(f"{name} {spent:.3f}" for name, spent in rows[-1].items() if name != "records")
            print(f"{rows[-1]['records']:>9,} records   {said}", flush=True)
    return rows


def steps(scale: float, rounds: int, place: str) -> None:
    """What each step takes on data of so many times the size; memory is used again, as by commands."""
    keep_freed_memory()
    default, refining = Disassociation(), Disassociation(refine=True)
    for warm_up in (default, refining, Disassociation(block_records=1_000, refine=True)):
        warm_up.anonymise(shaped("pos", scale=0.01))
    data = shaped("pos", scale=scale)
    works: dict[str, Callable[[], object]] = {
        "split_s": partial(split, data, SPLITTING),
        "anonymise_s": partial(default.anonymise, data),
        "refined_s": partial(refining.anonymise, data),
    }
    Path(place).write_text(json.dumps({"records": len(data), **medians(works, rounds)}))


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("records", nargs="*", type=int, default=[100_000, 1_000_000])
    compare((records, 1) for records in parser.parse_args().records)


if __name__ == "__main__":
    main()
