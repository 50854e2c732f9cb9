"""Disassociation on many machines, on paper: ``python -m benchmarks.cluster [--records 1000000]``.

1. Constants are slopes over several sizes of data, each measured on one core (``cluster_measure``).
2. The same is measured on ``--records``, a thousandth of what is asked about, and held against what slopes foretell.
3. These records are cut into the blocks that the engine makes of them, and each is timed. A scheduler deals blocks a
   thousand times as large out to the machines, some of which are slow, and what the model foretells stands beside it
   (``cluster_model``).

``--spark`` is what only Spark can tell: seconds of a core for each occurrence of a whole run (the slope of ``make
bench-spark``) and of a counting pass, and seconds of such a pass over next to nothing.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import cluster_model as model
from benchmarks.cluster_measure import Measured, constants, measure, slope, worker_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

SCALE = 1000
SLOPES = (100_000, 200_000, 400_000)
GROWTH = (27, 9, 3)
"""Parts of the thousandth on which it is seen how the number of rounds grows."""
DRAWS = 20
COARSE = 10
SPARK = (10.1e-6, 0.201e-6, 0.52)
WAYS: tuple[tuple[float, str, model.Copies | None], ...] = (
    (0.0, "", None),
    (0.05, "", None),
    (0.05, ", copies", model.Copies()),
    (0.05, ", early copies", model.Copies(0.75, 1.5)),
)
GIGA = 1e9


def measured_constants(folder: Path, spark: model.SparkTold, sizes: Sequence[int]) -> model.Constants:
    """Slopes over data of these sizes, cut finely; blocks of the largest of them also cut coarsely, and not at all."""
    measure(2000, 500, folder / "compiled")  # what is compiled now is not timed
    runs = [measure(size, max(10, size // SCALE), folder / str(size)) for size in sizes]
    for parts in (100, 10, 1):
        size = sizes[-1] // parts
        runs[-1].blocks.extend(measure(sizes[-1], size, folder / f"blocks-{size}", "blocks").blocks)
    worker_bytes(2000)
    grown = [worker_bytes(size) for size in (2 * sizes[0], 2 * sizes[-1])]
    return constants(runs, spark, slope(*zip(*grown, strict=True)))


def workload(run: Measured, times: int) -> model.Workload:
    """The data of a run, so many times as large and cut into blocks of so many times the size."""
    sizes = tuple((records * times, occurrences * times) for records, occurrences, _ in run.blocks)
    parts = -(-run.clusters * times // run.part_clusters)
    return model.Workload(
        run.occurrences * times, run.items, sizes, run.rounds, run.passed, run.leaves, run.splits, parts
    )


def show_constants(known: model.Constants) -> None:
    """Print what was measured."""
    law = known.block
    each, level = 1e9 * law.each, 1e9 * law.level
    print(
        f"  block           {1e3 * law.fixed:.2f} ms, {each:.0f} ns an occurrence, {level:.1f} ns a halving"
    )
    for name in (each.name for each in fields(known) if each.name != "block"):
        value = getattr(known, name)
        told = f"{value:,.2f} bytes" if name.endswith("bytes") else f"{1e9 * value:,.1f} ns"
        print(f"  {name:<15} {f'{value:.2f} s' if name == 'job' else told}")


def measure_splits(records: int, folder: Path) -> Measured:
    """Find the blocks of other data in the same proportion, no more."""
    return measure(records, max(10, records // SCALE), folder, "splits")


def show_rounds(records: int, run: Measured) -> None:
    """Print what it takes to find the blocks: open records, and those that passes read."""
    tree = f"{run.splits:8,} nodes, {run.depth:5,} deep"
    read = f"{run.opened:5.1f} times all records open, {run.passed:5.1f} times read"
    print(f"  {records:9,} records {run.rounds:5} rounds {tree}, {read}")


def show_thousandth(known: model.Constants, run: Measured) -> None:
    """Seconds and bytes that the slopes foretell for a run that they were not taken from, and what it took."""
    law = known.block
    rows = {
        name: (getattr(known, name) * run.occurrences, run.seconds[name], "s")
        for name in ("count", "code", "fingerprint", "split", "root", "write", "key", "verify")
    }
    took = sum(seconds for *_, seconds in run.blocks) + run.seconds["place"]
    rows["blocks"] = (sum(law.seconds(*size) for *size, _ in run.blocks), took, "s")
    rows |= {
        f"{name} bytes": (getattr(known, f"{name}_bytes") * run.occurrences / 1e6, many / 1e6, "MB")
        for name, many in run.bytes.items()
    }
    for name, (told, found, unit) in rows.items():
        print(f"  {name:<16} {told:9.2f} {found:9.2f} {unit:<2}  {told / found - 1:+.0%}")


def show_stages(
    known: model.Constants, load: model.Workload, cluster: model.Cluster, partitions: int
) -> None:
    """Print what the model says of every stage."""
    total = moved = 0.0
    for stage in model.stages(known, load, partitions):
        seconds = stage.seconds(cluster)
        total, moved = total + seconds.most, moved + stage.moved * stage.passes
        print(
            f"  {stage.name:<18} {stage.passes * stage.work:9,.0f} core-s {stage.passes * stage.moved / GIGA:9,.1f} GB"
            f" {seconds.least:8,.0f} to {seconds.most:6,.0f} s"
        )
    print(
        f"  at most {total:,.0f} s, {moved / GIGA:,.0f} GB shuffled, {moved / cluster.machines / GIGA:,.1f} a machine"
    )
    print(f"  {len(load.sizes):,} blocks; the largest by records and by occurrences:")
    for by in (0, 1):
        records, occurrences = max(load.sizes, key=lambda size: size[by])
        need = known.worker_bytes * occurrences / GIGA
        print(
            f"    {records / 1e6:.2f} million records, {occurrences / 1e6:.1f} million occurrences, {need:.1f} GB"
        )
    held = model.driver_bytes(known, load)
    print(
        "  driver: "
        + ", ".join(f"{name} {size / 1e6:,.1f} MB" for name, size in held.items())
        + f"; {load.parts:,} parts"
    )


def show_blocks(known: model.Constants, run: Measured, load: model.Workload, machines: model.Cluster) -> None:
    """The stage of the blocks by the model, and by a scheduler over measured blocks that were made larger."""
    law, told = known.block, load.times(known.block)
    real = [
        took * large / max(1e-9, law.seconds(records, occurrences))
        for (records, occurrences, took), large in zip(run.blocks, told, strict=True)
    ]
    print(
        f"  work {sum(told):,.0f} core-s by the law, {sum(real):,.0f} by the blocks; largest {max(real):,.1f} s"
    )
    for partitions in (200, 400, 1600, 6400):
        stage, dealt = model.block_stage(told, partitions, 0.0), model.dealt(real, partitions)
        for slow, way, copies in WAYS:
            drawn = [replace(machines, slow=slow, draw=draw) for draw in range(DRAWS if slow else 1)]
            seconds = stage.seconds(drawn[0])
            found = sorted(model.makespan(dealt, cluster, copies) for cluster in drawn)
            said = f"{seconds.least:7.1f} to {seconds.most:7.1f} s   {found[len(found) // 2]:7.1f} s {found[-1]:7.1f} s"
            print(f"  {partitions:5} partitions, {slow:3.0%} slow{way:<15} {said}")


def main() -> None:
    """Measure, foretell, simulate."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=1_000_000, help="records of the thousandth")
    parser.add_argument("--machines", type=int, default=100)
    parser.add_argument("--cores", type=int, default=4)
    parser.add_argument("--network", type=float, default=1.25e9, help="bytes a second of each machine")
    parser.add_argument("--partitions", type=int, default=1600)
    parser.add_argument("--spark", type=float, nargs=3, default=SPARK, metavar="SECONDS")
    parser.add_argument(
        "--slopes", type=int, nargs="+", default=list(SLOPES), help="sizes that slopes are taken over"
    )
    asked = parser.parse_args()
    os.environ["CLOVEN_CORES"] = "1"  # seconds are those of one core
    cluster = model.Cluster(asked.machines, asked.cores, asked.network)
    with tempfile.TemporaryDirectory() as place:
        known = measured_constants(Path(place), model.SparkTold(*asked.spark), asked.slopes)
        print("constants, of one occurrence unless it is said")
        show_constants(known)
        run = measure(asked.records, asked.records // SCALE, Path(place) / "thousandth")
        print(f"rounds, splits and records looked at, in {SCALE} blocks and more")
        for part in GROWTH:
            show_rounds(
                asked.records // part, measure_splits(asked.records // part, Path(place) / f"rounds-{part}")
            )
        show_rounds(asked.records, run)
        coarse = measure(asked.records, asked.records // SCALE * COARSE, Path(place) / "coarse", "splits")
        print(f"the last in blocks {COARSE} times as large")
        show_rounds(asked.records, coarse)
    print(f"{asked.records:,} records in {len(run.blocks):,} blocks, {run.rounds} rounds: foretold, found")
    show_thousandth(known, run)
    load = workload(run, SCALE)
    print(f"{asked.records * SCALE:,} records on {cluster.machines} machines of {cluster.cores} cores")
    show_stages(known, load, cluster, asked.partitions)
    print(f"blocks: model; scheduler, median and worst of {DRAWS} draws of the slow machines")
    show_blocks(known, run, load, cluster)


if __name__ == "__main__":
    main()
