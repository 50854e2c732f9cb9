"""Spark beside this machine's own engine: the command on the same file, content compared. Needs Java and PySpark.

``local`` and ``spark`` take turns; on one machine the heap of the driver does the work of the executors too.
"""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import cloven as cv
from benchmarks import processes
from benchmarks.commands import write_parquet
from benchmarks.measuring import Missing

if TYPE_CHECKING:
    from benchmarks.measuring import Extent, Row

SIZES, LARGE = (100_000, 500_000), 5_000_000
HEAP = "2g"
ENGINES = {"local": (), "spark": ("--engine", "spark", "--master", "local[2]")}


def spark(extent: Extent) -> list[Row]:
    """10^5 and 5 x 10^5 records of the POS shape, with --large 5 x 10^6 too."""
    if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
        message = "Java and PySpark are not there (`make bench-spark` installs PySpark)"
        raise Missing(message)
    sizes = (300,) if extent.small else (*SIZES, LARGE) if extent.large else SIZES
    rows = []
    for records in sizes:
        with tempfile.TemporaryDirectory() as place:
            rows += compared(records, Path(place))
    return rows


def compared(records: int, place: Path) -> list[Row]:
    """A row for each engine on data of so many records."""
    file = place / "pos.parquet"
    write_parquet(records, file)
    heap = {"PYSPARK_SUBMIT_ARGS": f"--driver-memory {HEAP} pyspark-shell"}
    spent = {}
    for engine, words in ENGINES.items():
        asked = ["anonymise", "disassociation", str(file), "--column", "items", "-o", str(place / engine)]
        spent[engine] = processes.run([*asked, *words], environment=heap)
        print(f"{records:>10,} records  {engine:<6}{spent[engine]}", flush=True)
    releases = [cv.read_release(place / engine) for engine in ENGINES]
    keys = [
        cv.read_key(place / f"{engine}.private", release)
        for engine, release in zip(ENGINES, releases, strict=True)
    ]
    same = releases[0] == releases[1] and keys[0] == keys[1]
    local, other = spent.values()
    print(
        f"  Spark takes {other.seconds / local.seconds:.1f} times as long,"
        f" {other.processor / local.processor:.1f} times the work; same content: {same}",
        flush=True,
    )
    return [
        {"records": records, "engine": engine, **processes.median([each]), "java_gb": each.java, "same": same}
        for engine, each in spent.items()
    ]
