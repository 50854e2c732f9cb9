"""Where the time of a release goes: read, sort, split, chunk, refine, root, assemble, verify, write; one core and all.

Each stage is timed by a stopwatch around the function that ``anonymise`` calls, in one process, kernels warm, the
median of some runs. *Ratio* is what stands between reading and writing, in times of reading and encoding the file.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import cloven as cv
from cloven.cores import cores
from cloven.kinds.disassociated.methods import labelling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cloven.data.transactions import Transactions

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


@contextmanager
def stopwatch(spent: dict[str, float]) -> Iterator[None]:
    """While this is open, stages add what they take."""
    with ExitStack() as open_:
        for stage, (module, name) in WATCHED.items():
            open_.enter_context(patch.object(module, name, _timed(getattr(module, name), stage, spent)))
        yield


def _timed(work: Callable[..., Any], stage: str, spent: dict[str, float]) -> Callable[..., Any]:
    def timed(*given: Any, **named: Any) -> Any:
        start = perf_counter()
        try:
            return work(*given, **named)
        finally:
            spent[stage] += perf_counter() - start

    return timed


def run(file: Path, method: cv.Disassociation, place: Path) -> dict[str, float]:
    """Seconds of each stage of one release."""
    spent: dict[str, float] = defaultdict(float)
    data = _timed(cv.read, "read", spent)(file)
    with stopwatch(spent):
        start = perf_counter()
        made = method.anonymise(data)
        whole = perf_counter() - start
    spent["assemble"] = whole - sum(spent[stage] for stage in WATCHED)
    _timed(lambda: cv.verify(made.release, original=data, key=made.key), "verify", spent)()
    _timed(lambda: cv.write_release(made, place, original=data), "write", spent)()
    # Writing verifies once more, so that nothing else is ever written; it is told once.
    spent["write"] = max(0.0, spent["write"] - spent["verify"])
    return {stage: spent[stage] for stage in STAGES}


def compare(files: dict[str, Path], runs: int = 3) -> list[dict[str, Any]]:
    """A row for each file and number of cores, with the ratio of the whole to reading."""
    rows = []
    for name, file in files.items():
        for many in dict.fromkeys((1, cores())):
            with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {"CLOVEN_CORES": str(many)}):
                run(file, cv.Disassociation(), Path(folder, "warm"))
                found = [run(file, cv.Disassociation(), Path(folder, str(number))) for number in range(runs)]
            stages = {stage: statistics.median(each[stage] for each in found) for stage in STAGES}
            ratio = sum(stages[stage] for stage in BETWEEN) / stages["read"]
            rows.append({"data": name, "cores": many, **stages, "ratio": ratio})
            told = "  ".join(f"{stage} {value:.3f}" for stage, value in stages.items())
            print(f"stages: {name:14s} {many} core(s)  {told}  {ratio:.1f}x reading", flush=True)
    return rows


def write_fimi(data: Transactions, path: Path) -> None:
    """Data as lines of numbers, as the files of others are."""
    codes, offsets = data.codes.tolist(), data.offsets.tolist()
    with path.open("w") as out:
        for start, end in pairwise(offsets):
            out.write(" ".join(map(str, codes[start:end])) + "\n")
