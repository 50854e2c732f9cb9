"""Where the time of a release goes: read, sort, split, chunk, refine, root, assemble, verify, write; one core and all.

Each stage is timed by a stopwatch around the function that ``anonymise`` calls, in one process, kernels warm, the
median of some runs. *Ratio* is what stands between reading and writing, in times of reading and encoding the file.
Beside it stands the bound: no method can do with less than reading the file and counting each occurrence once.
"""

from __future__ import annotations

import gzip
import os
import statistics
import tempfile
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np

import cloven as cv
import cloven.cores as threads
from benchmarks.measuring import medians, write_fimi
from cloven.datasets import shaped
from cloven.kinds.disassociated.methods import labelling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.measuring import Extent, Row

STAGES = ("read", "sort", "horizontal", "vertical", "refine", "root", "assemble", "verify", "write")
BETWEEN = STAGES[1:-1]
WATCHED = {
    "sort": (labelling, "prepare"),
    "horizontal": (labelling, "_clusters"),
    "vertical": (labelling, "verpart"),
    "refine": (labelling, "refine"),
    "root": (labelling, "rooted"),
}
"""The functions of the stages, where they are looked up."""
SETTINGS = {"default": cv.Disassociation(), "refining": cv.Disassociation(refine=True)}
MEASURED = ("BMS-WebView-2", "T10I4D100K")


@dataclass(frozen=True)
class Stopwatch:
    """Seconds of each stage, and those of them in which threads worked."""

    spent: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    threaded: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    running: list[str] = field(default_factory=list)
    shared: list[float] = field(default_factory=list)

    def timed(self, stage: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same work, which adds what it takes to its stage."""

        def timed(*given: Any, **named: Any) -> Any:
            start = perf_counter()
            self.running.append(stage)
            try:
                return work(*given, **named)
            finally:
                self.running.pop()
                self.spent[stage] += perf_counter() - start

        return timed

    @contextmanager
    def watching(self) -> Iterator[None]:
        """While this is open, stages add what they take."""

        def shared_out(*given: Any) -> list[Any]:
            stage, start = (self.running or ["none"])[-1], perf_counter()
            self.shared.append(start)
            try:
                return share_out(*given)
            finally:
                if self.shared[0] == start:  # what its threads share out in turn is counted with it
                    self.shared.clear()
                    self.threaded[stage] += perf_counter() - start

        share_out = threads.shared_out
        with ExitStack() as open_:
            for stage, (module, name) in WATCHED.items():
                open_.enter_context(patch.object(module, name, self.timed(stage, getattr(module, name))))
            open_.enter_context(patch.object(threads, "shared_out", shared_out))
            yield


def run(file: Path, method: cv.Disassociation, place: Path) -> Stopwatch:
    """One release, from the file to the folder."""
    watch = Stopwatch()
    with watch.watching():
        data = watch.timed("read", cv.read)(file)
        made = watch.timed("assemble", method.anonymise)(data)
        watch.timed("verify", cv.verify)(made.release, original=data, key=made.key)
        watch.timed("write", cv.write_release)(made, place, original=data)
    spent = watch.spent
    spent["assemble"] -= sum(spent[stage] for stage in WATCHED)
    # Writing verifies once more, so that nothing else is ever written; it is told once.
    for each in (spent, watch.threaded):
        if "write" in each:
            each["write"] = max(0.0, each["write"] - each["verify"])
    return watch


def stages(extent: Extent) -> list[Row]:
    """BMS-WebView-2, T10I4D100K and the POS shape, each as the file that it is."""
    with tempfile.TemporaryDirectory() as folder:
        files = {"POS shape": Path(folder, "pos.dat")}
        write_fimi(extent.some(shaped("pos")), files["POS shape"])
        if not extent.small:
            files |= extent.files(*MEASURED)
        return compare(files, 1 if extent.small else 3)


def compare(files: dict[str, Path], runs: int = 3) -> list[Row]:
    """A row for each file, setting and number of cores; numbers of cores take turns."""
    rows = []
    for name, file in files.items():
        bound = _bound(file, runs)
        for setting, method in SETTINGS.items():
            found: dict[int, list[Stopwatch]] = {many: [] for many in dict.fromkeys((1, threads.cores()))}
            for _ in range(runs + 1):
                for many, watches in found.items():
                    watches.append(_on_cores(many, file, method))
            for many, watches in found.items():
                row = {"data": name, "setting": setting, "cores": many, **_row(watches[1:]), **bound}
                rows.append(row)
                told = "  ".join(f"{stage} {row[stage]:.3f}" for stage in STAGES)
                print(
                    f"{name:14s} {setting:9s} {many} core(s)  {told}  {row['ratio']:.1f}x reading", flush=True
                )
    return rows


def _on_cores(many: int, file: Path, method: cv.Disassociation) -> Stopwatch:
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {"CLOVEN_CORES": str(many)}):
        return run(file, method, Path(folder, "out"))


def _row(watches: list[Stopwatch]) -> Row:
    found = {stage: statistics.median(each.spent[stage] for each in watches) for stage in STAGES}
    ratio = sum(found[stage] for stage in BETWEEN) / found["read"]
    threaded = {
        stage: statistics.median(each.threaded[stage] for each in watches)
        for stage in STAGES
        if any(stage in each.threaded for each in watches)
    }
    return {**found, "ratio": ratio, "threaded": threaded}


def _bound(file: Path, runs: int) -> Row:
    """Seconds of unpacking the bytes alone, and of counting each occurrence once."""
    codes = cv.read(file).codes

    def unpack() -> bytes:
        packed = file.read_bytes()
        return gzip.decompress(packed) if file.suffix == ".gz" else packed

    return medians({"bytes": unpack, "count": lambda: np.bincount(codes)}, runs)
