"""Whole commands in processes of their own: more and more records, every command on one file, old beside new."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measuring import FILES, write_fimi
from benchmarks.processes import ROOT, median, run
from cloven.datasets import SHAPES, shaped

if TYPE_CHECKING:
    from benchmarks.measuring import Extent, Row
    from benchmarks.processes import Spent

POS = SHAPES["pos"]
ROWS = 1 << 17
ANY = ("--memory", "any")
SHOWN = {
    "describe": ("describe", "FILE", *ANY),
    "anonymise": ("anonymise", "disassociation", "FILE", "-o", "OUT", *ANY),
    "anonymise, refining": ("anonymise", "disassociation", "FILE", "--refine", "-o", "OUT", *ANY),
    "anonymise, COAT": ("anonymise", "coat", "FILE", "-k", "5", "-m", "2", "-o", "OUT", *ANY),
    "verify, with original and key": ("verify", "MADE", "--original", "FILE", "--private", "MADE.private"),
    "breach": ("breach", "MADE"),
    "reconstruct": ("reconstruct", "MADE", "-o", "OUT"),
    "audit": ("audit", "FILE", "--no-advise", "-o", "OUT", *ANY),
}  # fmt: skip
"""Commands by what they are called here; FILE, MADE (a release of FILE) and OUT are put in."""


def growth(extent: Extent) -> list[Row]:
    """`anonymise` on 10^4 to 10^6 records of the POS shape (10^7 with --large), `audit` on 10^6 occurrences (10^7)."""
    sizes = [10**power for power in range(4, 8 if extent.large else 7)]
    audited = [10**power / POS.mean_length for power in range(6, 8 if extent.large else 7)]
    wanted = [*(("anonymise", each) for each in sizes), *(("audit", round(each)) for each in audited)]
    rows = []
    for what, records in [("anonymise", 500), ("audit", 500)] if extent.small else wanted:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "pos.parquet")
            write_parquet(records, file)
            rounds = 3 if records <= 1_000_000 else 1
            rows.append(_measured(extent, what, f"{records:,} records", file, rounds))
    return rows


def commands(extent: Extent) -> list[Row]:
    """Every command on BMS-WebView-2 and on a file of the POS shape."""
    with tempfile.TemporaryDirectory() as folder:
        files = {"POS shape, a fifth": Path(folder, "pos", "pos.dat")}
        if not extent.small:
            files["BMS-WebView-2"] = Path(folder, "bms", "bms.txt.gz")
        for file in files.values():
            file.parent.mkdir()
        write_fimi(extent.some(shaped("pos", scale=0.2)), files["POS shape, a fifth"])
        if not extent.small:
            shutil.copy(extent.file(FILES["BMS-WebView-2"]), files["BMS-WebView-2"])
        for file in files.values():
            run(_filled("anonymise", file, file.with_name("made")))
        return [_measured(extent, what, data, file, 3) for data, file in files.items() for what in SHOWN]


def _measured(extent: Extent, what: str, data: str, file: Path, rounds: int) -> Row:
    """A command, and that of the other checkout in turns with it; a first round compiles and is left out."""
    sides = {"new": ROOT} | ({"old": extent.beside} if extent.beside else {})
    found: dict[str, list[Spent]] = {side: [] for side in sides}
    for number in range(1 if extent.small else 1 + rounds):
        for side, checkout in sides.items():
            with tempfile.TemporaryDirectory(dir=file.parent) as out:
                spent = run(_filled(what, file, Path(out, "out")), checkout)
            found[side] += [spent] if number or extent.small else []
    row = {"what": what, "data": data, **median(found["new"])}
    line = f"{what:30s} {data:20s} {row['seconds']:7.2f} s {row['cpu_s']:7.2f} s of processors {row['peak_gb']:5.2f} GB"
    if "old" in found:
        row |= {f"old_{name}": value for name, value in median(found["old"]).items()}
        clock, work, memory = (row[name] / row[f"old_{name}"] for name in ("seconds", "cpu_s", "peak_gb"))
        line += f"   beside the old one {clock:.2f}x the time, {work:.2f}x the work, {memory:.2f}x the memory"
    print(line, flush=True)
    return row


def _filled(what: str, file: Path, out: Path) -> list[str]:
    made = str(file.with_name("made"))
    words = (word.replace("MADE", made) for word in SHOWN[what])
    return [{"FILE": str(file), "OUT": str(out)}.get(word, word) for word in words]


def write_parquet(records: int, file: Path) -> None:
    """Write data of so many records of the POS shape as a Parquet file with lists of items."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = shaped("pos", scale=records / POS.records)
    names = pa.array(data.vocabulary)
    with pq.ParquetWriter(file, pa.schema([("items", pa.list_(pa.string()))])) as writer:
        for first in range(0, len(data), ROWS):
            bounds = data.offsets[first : first + ROWS + 1]
            items = names.take(pa.array(data.codes[bounds[0] : bounds[-1]]))
            lists = pa.ListArray.from_arrays(pa.array(bounds - bounds[0], pa.int32()), items)
            writer.write_table(pa.table({"items": lists}))
