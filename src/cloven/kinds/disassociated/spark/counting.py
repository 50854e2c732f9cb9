"""Counting over the records of a frame: what ``methods.blocks`` asks, and numbers without gaps in an order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.kinds.disassociated.methods.blocks import Walk
from cloven.kinds.disassociated.spark.parts import in_batches
from cloven.kinds.disassociated.spark.records import unpacked

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.methods.blocks import Count, Prefixes

_BITS = 33
"""Spark numbers the rows of each partition from 2^33 times the number of the partition."""


def numbered(session: Any, frame: Any, by: Sequence[str], place: str) -> Any:
    """The frame in an order, kept in a folder, with the column ``number``: 0, 1, 2, ... without gaps.

    What is kept is what was sorted: whatever comes of it later sees the same numbers, also where a worker was lost.
    """
    from pyspark.sql import functions as f

    frame.orderBy(*by).withColumn("at", f.monotonically_increasing_id()).write.parquet(place)
    kept, partition = session.read.parquet(place), f.shiftright("at", _BITS)
    starts, total = [], 0
    for number, many in sorted((row[0], row[1]) for row in kept.groupBy(partition).count().collect()):
        starts.append((number, total))
        total += many
    known = session.createDataFrame(starts or [(0, 0)], "partition bigint, partition_start bigint")
    inside = f.col("at").bitwiseAND((1 << _BITS) - 1)
    return (
        kept.withColumn("partition", partition)
        .join(f.broadcast(known), "partition")
        .withColumn("number", f.col("partition_start") + inside)
        .drop("partition", "partition_start", "at")
    )


def prefixes_in(frame: Any, place: NDArray[np.int32]) -> Count:
    """Counting over the records of a frame, with a column ``content``, how they go on after their prefixes.

    ``place`` gives the place of each item among equally frequent ones: the number of its term.
    """
    from pyspark.sql import functions as f

    def count(prefixes: Prefixes, asked: Longs) -> tuple[Longs, Longs]:
        def turned(table: pa.Table) -> pa.Table:
            import pyarrow as pa

            found = Walk(*rows_in(table, place), prefixes).next_steps(prefixes, asked)
            return pa.table(
                {name: pa.array(column) for name, column in zip(("step", "many"), found, strict=True)}
            )

        steps = frame.select("content").mapInArrow(
            lambda batches: in_batches(batches, turned), "step bigint, many bigint"
        )
        taken = steps.groupBy("step").agg(f.sum("many").alias("many")).toArrow().sort_by("step")
        return taken.column("step").to_numpy(), taken.column("many").to_numpy()

    return count


def rows_in(table: pa.Table, place: NDArray[np.int32]) -> tuple[Longs, NDArray[np.int32]]:
    """The records of a batch as rows of terms."""
    offsets, codes = unpacked(table.column("content"))
    return offsets, place[codes]
