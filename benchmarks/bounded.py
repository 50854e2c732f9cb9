"""Time and peak memory of disassociation within a limit, and of the same in memory; each run is a process of its own.

    python benchmarks/bounded.py [RECORDS ...] [--memory 1GB] [--whole]

Data has the POS shape (6.5 items a record), as a Parquet file. ``--whole`` also runs all in memory.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from cloven.datasets import shaped

POS = 515_597
"""Records of the data that the shape was taken from."""
ROWS = 1 << 17
WRITE = "import sys; from bounded import write; write(int(sys.argv[1]), sys.argv[2])"


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


def run(file: Path, out: Path, memory: str) -> tuple[float, float, float]:
    """Seconds, processor seconds and peak gigabytes of a run."""
    command = [sys.executable, "-m", "cloven.cli", "anonymise", "disassociation", str(file), "-o", str(out)]
    start = perf_counter()
    child = subprocess.Popen([*command, "--memory", memory, "--json"], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"the run with --memory {memory} ended with {child.returncode}")
    return perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6


def compare(sizes: list[int], memory: str, *, whole: bool) -> list[dict[str, Any]]:
    """Runs on data of these sizes, each with the limit, and with all the memory there is if ``whole``."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for records in sizes:
            file = Path(folder, f"pos-{records}.parquet")
            # In a process of its own: the peak of a child counts what its parent held when it was started.
            subprocess.run(
                [sys.executable, "-c", WRITE, str(records), str(file)], check=True, cwd=Path(__file__).parent
            )
            for limit in (memory, *(["any"] if whole else [])):
                spent, used, peak = run(file, Path(folder, f"{records}-{limit}"), limit)
                rows.append({
                    "records": records, "memory": limit, "seconds": spent, "cpu_s": used, "peak_gb": peak,
                })  # fmt: skip
                print(
                    f"bounded: {records:>10,} records   --memory {limit:5s} {spent:7.1f} s"
                    f" (processor {used:.1f})   peak {peak:.2f} GB"
                )
    return rows


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("records", nargs="*", type=int, default=[100_000, 1_000_000])
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--whole", action="store_true")
    asked = parser.parse_args()
    compare(asked.records, asked.memory, whole=asked.whole)


if __name__ == "__main__":
    main()
