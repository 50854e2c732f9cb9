"""Whole audits of data of the POS shape in memory, nothing sampled: seconds of every step, each in its own process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import cloven as cv
from benchmarks.growth import LAUNCH, Spent
from cloven.datasets import SHAPES, shaped
from cloven.intake.machine import keep_freed_memory

if TYPE_CHECKING:
    from benchmarks.measuring import Extent, Row

OCCURRENCES = (1_000_000, 10_000_000)
AUDIT = "import sys; from benchmarks.audits import audit; audit(float(sys.argv[1]), sys.argv[2])"


def audits(extent: Extent) -> list[Row]:
    """Audits of about a million and ten million occurrences at the default settings, start to end, once each."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder, "audit.json")
        for occurrences in (3_000,) if extent.small else OCCURRENCES:
            command = [sys.executable, "-c", AUDIT, str(_scale(occurrences)), str(told)]
            found = subprocess.run(
                [sys.executable, "-c", LAUNCH, *command], check=True, stdout=subprocess.PIPE,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )  # fmt: skip
            spent = Spent(*json.loads(found.stdout))
            rows.append(json.loads(told.read_text()) | {"cpu_s": spent.processor, "peak_gb": spent.peak})
            print(f"{rows[-1]['occurrences']:>12,} occurrences {rows[-1]['seconds']:7.1f} s", flush=True)
    return rows


def _scale(occurrences: int) -> float:
    shape = SHAPES["pos"]
    return occurrences / (shape.records * shape.mean_length)


def audit(scale: float, place: str) -> None:
    """Audit data of so many times the size, and write down what each step took; freed memory is used again."""
    keep_freed_memory()
    data = shaped("pos", scale=scale)
    start = perf_counter()
    report = cv.Audit(advise=False).run(data)
    found: dict[str, Any] = {
        "records": len(data),
        "occurrences": len(data.codes),
        "seconds": perf_counter() - start,
        "steps": report.seconds,
    }
    Path(place).write_text(json.dumps(found))
