"""Measure speed; `make bench` measures everything and writes docs/results/speed.md.

The reference is a plain-Python HORPART + VERPART straight from the pseudo-code; it is found by CLOVEN_REFERENCE or
../shared/reference.py, the public data sets by CLOVEN_DATA or ../shared/data. Every part that lacks its input says so.
Times are medians of rounds in which all that is compared takes turns, in one process, kernels warm; whole runs and
growth are processes of their own. ``--small`` runs everything once on little data, to see that it runs.

    python -m benchmarks.run [PART ...] [--json FILE] [--small] [--large]
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.attacks import attacks
from benchmarks.audits import audits
from benchmarks.growth import growth, scale, whole
from benchmarks.measuring import Extent, Missing, keep, machine
from benchmarks.methods import methods
from benchmarks.mondrian import mondrian
from benchmarks.sets import parameters, ratio
from benchmarks.stages import stages
from cloven.intake.machine import keep_freed_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.measuring import Row

ROOT = Path(__file__).resolve().parent.parent
PARTS: dict[str, Callable[[Extent], list[Row]]] = {
    "whole": whole, "growth": growth, "stages": stages, "ratio": ratio, "parameters": parameters, "scale": scale,
    "methods": methods, "attacks": attacks, "audits": audits, "mondrian": mondrian,
}  # fmt: skip


def main(given: Sequence[str] | None = None) -> None:
    """Run the parts asked for, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="default: all")
    parser.add_argument("--json", type=Path, help="keep the figures in this file; other parts in it stay")
    parser.add_argument("--small", action="store_true", help="little data, once: the figures mean nothing")
    parser.add_argument("--large", action="store_true", help="ten million records too")
    asked = parser.parse_args(given)
    shared = ROOT.parent / "shared"
    extent = Extent(
        Path(os.environ.get("CLOVEN_DATA", shared / "data")),
        Path(os.environ.get("CLOVEN_REFERENCE", shared / "reference.py")),
        asked.small, asked.large,
    )  # fmt: skip
    print(", ".join(f"{name} {value}" for name, value in machine().items()))
    if not asked.small:
        _compile_all()
    for name in asked.parts or PARTS:
        found = measured(name, extent)
        if asked.json:  # after every part, so that whoever stops it keeps what there is
            keep(asked.json, name, found, small=asked.small)


def _compile_all() -> None:
    """Freed memory is used again; the first round of everything compiles what it needs."""
    keep_freed_memory()  # as the command does where there is plenty of it


def measured(name: str, extent: Extent) -> dict[str, Any]:
    """The rows of a part, or why there are none; and what else the machine did when it began."""
    print(f"\n{name}: {PARTS[name].__doc__}", flush=True)
    load = round(os.getloadavg()[0], 1)
    try:
        return {"load": load, "rows": PARTS[name](extent)}
    except Missing as error:
        print(f"left out: {error}")
        return {"load": load, "rows": [], "missing": str(error)}


if __name__ == "__main__":
    main()
