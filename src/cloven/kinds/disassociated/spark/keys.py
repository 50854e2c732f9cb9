"""The private tables in parts: each holds what belongs to as many records of the source as the others.

So where a part begins is known before anything is counted, and nothing has to be sorted but inside of a part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import run_starts
from cloven.kinds.disassociated.files import part_name
from cloven.kinds.disassociated.private_files import KEY as KEY_COLUMNS
from cloven.kinds.disassociated.private_files import RECORDS, SUPPRESSED
from cloven.kinds.disassociated.release import Kind
from cloven.kinds.disassociated.spark.clusters import lists_of, rows_of
from cloven.kinds.disassociated.spark.counting import numbered
from cloven.kinds.disassociated.spark.parts import KEY, OUTER, WRITTEN, Writer, in_batches, key_rows, write_rows
from cloven.kinds.disassociated.spark.records import unpacked
from cloven.storage.atomic import PRIVATE_FILE
from cloven.storage.parquet import write_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import pyarrow as pa

    from cloven.kinds.disassociated.spark.parts import Root
    from cloven.kinds.disassociated.spark.pipeline import Pipeline
    from cloven.kinds.disassociated.spark.records import Source

ROWS_OF_RECORD = 4
"""About how many rows of the key a record has."""
REASONS = ("rare", "rare item", "small cluster")
GONE = "record bigint, reason int, item int"
"""An occurrence that is not published, and why (place in ``REASONS``)."""


@dataclass(frozen=True)
class PrivateTables:
    """What only the owner gets.

    Attributes:
        run: the run that makes it.
        names: all items, broadcast.
        source: what was read.
        root: the root in numbers.
        rooted: whether leftovers leave their clusters.
    """

    run: Pipeline
    names: Any
    source: Source
    root: Root
    rooted: bool

    def write(self, ordered: Any, gone: Any, private: Path) -> dict[str, int]:
        """Write all tables but the receipt; how much was suppressed."""
        from pyspark.sql import functions as f

        rooted = self.rooted
        key = ordered.mapInArrow(
            lambda batches: in_batches(batches, lambda table: key_rows(table, rooted=rooted)), KEY
        )
        if len(self.root.item):
            key = key.unionByName(self._root_key())
        self._write_parts(key, "key", KEY_COLUMNS, _key_part, private)
        members = ordered.select(f.explode("record").alias("record"), f.col("number").alias("cluster"))
        people = members.withColumn("person", f.lit(-1).cast("bigint"))
        self._write_parts(people, "records", RECORDS, _records_part, private)
        parts, items = self._write_parts(
            self._suppressed(gone), "suppressed", SUPPRESSED, _suppressed_part, private
        )
        return {"suppressed_parts": parts, "suppressed_items": items}

    def _root_key(self) -> Any:
        """Which record every row of the root comes from: the rows of an item go to its holders in their order."""
        from pyspark.sql import functions as f

        session, root = self.run.session, self.root
        chunks = [(int(item), chunk, int(root.start[chunk])) for chunk, item in enumerate(root.item.tolist())]
        known = session.createDataFrame(chunks, "item int, chunk int, start bigint")
        left = self.run.read("left").where(f.col("cluster") >= 0).drop("cluster")
        placed = numbered(
            session, left.join(f.broadcast(known), "item"), ("chunk", "rank"), self.run.kept("root")
        )
        return placed.select(
            "record",
            (f.col("chunk").cast("bigint") + OUTER).alias("turn"),
            f.lit(-1).cast("bigint").alias("cluster"),
            f.lit(0).cast("bigint").alias("joint"),
            "chunk",
            f.lit(int(Kind.SHARED)).alias("kind"),
            (f.col("number") - f.col("start")).alias("row"),
            f.array("item").alias("items"),
        )

    def _suppressed(self, gone: Any) -> Any:
        """Every occurrence that is not published: of records that are left out, withheld as rare, rare in all data."""
        from pyspark.sql import functions as f

        left, reason = self.run.read("left"), (lambda name: f.lit(REASONS.index(name)).alias("reason"))
        out = left.where(f.col("cluster") < 0).select("record", reason("small cluster"), "item")
        if self.rooted:
            known = self.run.session.createDataFrame([(int(item),) for item in self.root.item], "taken int")
            rare = left.where(f.col("cluster") >= 0)
            rare = rare.join(f.broadcast(known), f.col("item") == f.col("taken"), "left_anti")
            out = out.unionByName(rare.select("record", reason("rare"), "item"))
        if gone is not None:
            some = gone.select("record", "gone").where(f.length("gone") > 0)
            number = REASONS.index("rare item")
            out = out.unionByName(
                some.mapInArrow(
                    lambda batches: in_batches(batches, lambda table: _gone(table, number)), GONE
                )
            )
        return out

    def _write_parts(
        self,
        frame: Any,
        name: str,
        columns: Mapping[str, str],
        turned: Callable[[pa.Table], pa.Table],
        private: Path,
    ) -> tuple[int, int]:
        """Write a table in parts; how many rows and items it has."""
        from pyspark.sql import functions as f

        size = max(1, self.run.sizes.rows // ROWS_OF_RECORD)
        folder, scratch, names = str(private.absolute()), str((self.run.work / "scratch").absolute()), self.names
        made = (
            frame.withColumn("part", f.floor(f.col("record") / size))
            .groupBy("part")
            .applyInArrow(
                lambda key, table: _counted(
                    Writer(folder, scratch, names.value, private=True),
                    name,
                    key[0].as_py(),
                    columns,
                    turned(table),
                ),
                f"{WRITTEN}, rows bigint, items bigint",
            )
            .collect()
        )
        there = {row["name"] for row in made}
        many = max(1, -(-(self.source.records + self.source.empty) // size))
        for missing in (part_name(name, part) for part in range(many)):
            if missing not in there:  # a part without rows counts too
                write_table(private / missing, columns, _no_rows(columns), PRIVATE_FILE)
        return sum(row["rows"] for row in made), sum(row["items"] for row in made)


def _no_rows(columns: Mapping[str, str]) -> dict[str, Any]:
    import pyarrow as pa

    kinds = {"string": pa.string(), "list": pa.list_(pa.string())}
    return {
        column: pa.array([], kinds[kind]) if kind in kinds else np.empty(0, kind)
        for column, kind in columns.items()
    }


def _counted(writer: Writer, name: str, part: int, columns: Mapping[str, str], table: pa.Table) -> pa.Table:
    import pyarrow as pa

    numbered = table.append_column("number", pa.array(np.arange(len(table))))
    made = write_rows(writer, name, part, columns, numbered)
    items = len(rows_of(table.column("items"))[1]) if "items" in columns else 0
    return made.append_column("rows", pa.array([len(table)])).append_column("items", pa.array([items]))


def _key_part(table: pa.Table) -> pa.Table:
    return table.sort_by([("record", "ascending"), ("turn", "ascending")])


def _records_part(table: pa.Table) -> pa.Table:
    return table.sort_by("record")


def _suppressed_part(table: pa.Table) -> pa.Table:
    """Occurrences as a row for each record and reason."""
    import pyarrow as pa

    table = table.sort_by([(name, "ascending") for name in ("record", "reason", "item")])
    record, reason = table.column("record").to_numpy(), table.column("reason").to_numpy()
    starts = run_starts(record, reason)
    items = lists_of(np.append(starts, len(record)), table.column("item").to_numpy())
    reasons = pa.array(REASONS).take(pa.array(reason[starts]))
    return pa.table({"record": record[starts], "items": items, "reason": reasons})


def _gone(table: pa.Table, number: int) -> pa.Table:
    """Occurrences that went as rare in all data."""
    import pyarrow as pa

    offsets, codes = unpacked(table.column("gone"))
    record = np.repeat(table.column("record").to_numpy(), np.diff(offsets))
    reason = pa.array(np.full(len(record), number), pa.int32())
    return pa.table({"record": record, "reason": reason, "item": codes})
