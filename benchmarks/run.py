"""Measure speed: ``python -m benchmarks.run [PART ...] [--json FILE] [--small] [--large] [--beside CHECKOUT]``.

The reference is a plain-Python HORPART + VERPART straight from the pseudo-code; it is found by CLOVEN_REFERENCE or
../shared/reference.py, the public data sets by CLOVEN_DATA or ../shared/data. A part that lacks its input says so.
Times are medians of rounds in which all that is compared takes turns, kernels compiled: in this process, or (growth,
commands, spark) in processes of their own. With ``--beside`` commands of another checkout take turns with these.
Load and pace of the machine are told with every part, as seconds of two days can be compared by the pace alone.
``--small`` runs everything once on little data, to see that it runs.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.attacks import attacks
from benchmarks.commands import commands, growth
from benchmarks.inspector import inspector
from benchmarks.measuring import Extent, Missing, keep, machine, pace
from benchmarks.methods import methods
from benchmarks.packages import packages
from benchmarks.plain import parameters, plain
from benchmarks.processes import ROOT
from benchmarks.spark import spark
from cloven.intake.machine import keep_freed_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.measuring import Row

PARTS: dict[str, Callable[[Extent], list[Row]]] = {
    "growth": growth, "commands": commands, "plain": plain, "parameters": parameters, "packages": packages,
    "methods": methods, "attacks": attacks, "inspector": inspector, "spark": spark,
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
    parser.add_argument("--beside", type=Path, help="another checkout, whose commands are run in turns")
    asked = parser.parse_args(given)
    shared = ROOT.parent / "shared"
    extent = Extent(
        Path(os.environ.get("CLOVEN_DATA", shared / "data")),
        Path(os.environ.get("CLOVEN_REFERENCE", shared / "reference.py")),
        asked.small, asked.large, asked.beside,
    )  # fmt: skip
    print(", ".join(f"{name} {value}" for name, value in machine().items()))
    keep_freed_memory()  # as commands do where there is plenty of it
    for name in asked.parts or PARTS:
        found = measured(name, extent)
        if asked.json:  # after every part, so that whoever stops it keeps what there is
            keep(asked.json, name, found, small=asked.small)


def measured(name: str, extent: Extent) -> dict[str, Any]:
    """The rows of a part, or why there are none; and how busy and how fast the machine was when it began."""
    found: dict[str, Any] = {"load": round(os.getloadavg()[0], 1), "pace": round(pace(), 4)}
    print(f"\n{name}: {PARTS[name].__doc__}\nload {found['load']}, pace {found['pace']} s", flush=True)
    try:
        return {**found, "rows": PARTS[name](extent)}
    except Missing as error:
        print(f"left out: {error}")
        return {**found, "rows": [], "missing": str(error)}


if __name__ == "__main__":
    main()
