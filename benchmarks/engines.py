"""The local engine and Spark side by side: ``python -m benchmarks.engines --records 100000 500000``.

Both read the same Parquet file of the shape of POS, anonymise it, verify the release with the original and the key, and
write both; then the two are compared, row by row. Seconds are those of the clock and of all processors, for the whole
process, from its start to its end; memory is the most that all processes of an engine held at once. Spark needs Java;
``--driver`` is the heap of its driver, which on one machine does the work of the executors too.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENGINES = ("local", "spark")
MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class Spent:
    """What a run took."""

    seconds: float
    processor: float
    peak: int
    java: int

    def __str__(self) -> str:
        java = f"  of which Java {self.java / MEBIBYTE:,.0f} MiB" if self.java else ""
        return f"{self.seconds:8.1f} s  {self.processor:8.1f} s of processors  {self.peak / MEBIBYTE:8,.0f} MiB{java}"


def main() -> int:
    """Run both engines on every size and print what they took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, nargs="+", default=[100_000, 500_000])
    parser.add_argument("--driver", default="2g", help="heap of the driver of Spark")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--json", type=Path, help="keep the figures in this file, for docs/results/speed.md")
    parser.add_argument("--only", choices=ENGINES, help="run one engine alone, on FILE, to OUT")
    parser.add_argument("--file")
    parser.add_argument("--out")
    given = parser.parse_args()
    if given.only:
        _run(given.only, given.file, given.out, given.master)
        return 0
    load, rows = round(os.getloadavg()[0], 1), []
    for records in given.records:
        with tempfile.TemporaryDirectory() as place:
            rows += _compared(records, Path(place), given.driver, given.master)
    if given.json:
        from benchmarks.measuring import keep

        keep(given.json, "engines", {"load": load, "rows": rows}, small=False)
    return 0 if all(row["same"] for row in rows) else 1


def _compared(records: int, place: Path, driver: str, master: str) -> list[dict[str, Any]]:
    import cloven as cv

    data = _made(records, place / "pos.parquet")
    print(f"{data}, load {os.getloadavg()[0]:.1f}")
    spent = {engine: _measured(engine, place, driver, master) for engine in ENGINES}
    for engine, found in spent.items():
        print(f"  {engine:<6}{found}")
    releases = [cv.read_release(place / engine) for engine in ENGINES]
    keys = [
        cv.read_key(place / f"{engine}.private", release)
        for engine, release in zip(ENGINES, releases, strict=True)
    ]
    same = releases[0] == releases[1] and keys[0] == keys[1]
    clock, work = (
        getattr(spent["spark"], name) / getattr(spent["local"], name) for name in ("seconds", "processor")
    )
    print(
        f"  Spark takes {clock:.1f} times as long, {work:.1f} times the work; same content: {same}",
        flush=True,
    )
    return [
        {
            "records": records, "engine": engine, "seconds": found.seconds, "cpu_s": found.processor,
            "peak_gb": found.peak / 1e9, "java_gb": found.java / 1e9, "same": same,
        }
        for engine, found in spent.items()
    ]  # fmt: skip


def _made(records: int, place: Path) -> str:
    """Write made-up data of the shape of POS; what it is."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from cloven.datasets import SHAPES, shaped

    data = shaped("pos", scale=records / SHAPES["pos"].records)
    items = pa.DictionaryArray.from_arrays(
        pa.array(data.codes), pa.array(data.vocabulary)
    ).dictionary_decode()
    pq.write_table(
        pa.table({"items": pa.ListArray.from_arrays(pa.array(data.offsets, pa.int32()), items)}), place
    )
    return repr(data)


def _run(engine: str, file: str, out: str, master: str) -> None:
    """One engine from the file to the two folders."""
    import cloven as cv

    method = cv.Disassociation()
    if engine == "local":
        data = cv.read(file, column="items")
        cv.write_release(method.anonymise(data), out, original=data)
        return
    from cloven.engines.spark import session_at

    spark = cv.Spark(session_at(master, quiet=True))
    spark.write(spark.anonymise(method, spark.read(file, column="items")), out)
    spark.session.stop()


def _measured(engine: str, place: Path, driver: str, master: str) -> Spent:
    """Run an engine in a process of its own, and look at all processes below it four times a second."""
    environment = {**os.environ, "PYSPARK_SUBMIT_ARGS": f"--driver-memory {driver} pyspark-shell"}
    words = ["--only", engine, "--file", str(place / "pos.parquet"), "--out", str(place / engine)]
    start = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, __file__, *words, "--master", master],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    processor: dict[int, float] = {}
    peak = java = 0
    while process.poll() is None:
        held = _tree(process.pid)
        processor |= {number: used for number, (used, _, _) in held.items()}
        peak = max(peak, sum(memory for _, memory, _ in held.values()))
        java = max(java, sum(memory for _, memory, name in held.values() if name == "java"))
        time.sleep(0.25)
    if process.returncode:
        message = f"{engine} ended with {process.returncode}"
        raise SystemExit(message)
    return Spent(time.monotonic() - start, sum(processor.values()), peak, java)


def _tree(root: int) -> dict[int, tuple[float, int, str]]:
    """Processor seconds, memory and name of a process and all below it."""
    ticks, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    parents: dict[int, int] = {}
    told: dict[int, tuple[float, int, str]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                before, _, after = (entry / "stat").read_text().rpartition(")")
            except OSError:  # it has ended
                continue
            fields = after.split()
            parents[int(entry.name)] = int(fields[1])
            used = (int(fields[11]) + int(fields[12])) / ticks
            told[int(entry.name)] = (used, int(fields[21]) * page, before.partition("(")[2])
    found = [root]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return {each: told[each] for each in found if each in told}


if __name__ == "__main__":
    sys.exit(main())
