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
from cloven.kinds.disassociated.spark.parts import (
    OUTER,
    WRITTEN,
    Writer,
    in_batches,
    key_rows,
    write_rows,
)
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
PACKETS = "part bigint, packet binary"
"""Rows of a part, as Arrow writes them."""
AT_ONCE = 2048
"""Clusters whose rows of the key are made at once."""
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

        rooted, size = self.rooted, self._size
        own = ordered.mapInArrow(
            lambda batches: in_batches(batches, lambda table: _key_packets(table, size, rooted=rooted)),
            PACKETS,
        )
        key = own.unionByName(self._root_key()) if len(self.root.item) else own
        self._write_parts(key, "key", KEY_COLUMNS, _key_part, private)
        members = ordered.select(f.explode("record").alias("record"), f.col("number").alias("cluster"))
        people = members.withColumn("person", f.lit(-1).cast("bigint"))
        self._write_parts(self._packed(people), "records", RECORDS, _records_part, private)
        parts, items = self._write_parts(
            self._packed(self._suppressed(gone)), "suppressed", SUPPRESSED, _suppressed_part, private
        )
        return {"suppressed_parts": parts, "suppressed_items": items}

    @property
    def _size(self) -> int:
        """Records of the source that a part speaks of."""
        return max(1, self.run.sizes.rows // ROWS_OF_RECORD)

    def _packed(self, frame: Any) -> Any:
        """Rows in packets, one for each part that a batch has rows of."""
        size = self._size
        return frame.mapInArrow(
            lambda batches: in_batches(batches, lambda table: packets(table, size)), PACKETS
        )

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
        size = self._size
        return placed.select(
            "record", "chunk", "item", (f.col("number") - f.col("start")).alias("row")
        ).mapInArrow(
            lambda batches: in_batches(batches, lambda table: packets(_root_rows(table), size)), PACKETS
        )

    def _suppressed(self, gone: Any) -> Any:
        """Every occurrence that is not published: of records that are left out, withheld as rare, rare in all data."""
        from pyspark.sql import functions as f

        def reason(name: str) -> Any:
            return f.lit(REASONS.index(name)).alias("reason")

        left = self.run.read("left")
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
                some.mapInArrow(lambda batches: in_batches(batches, lambda table: _gone(table, number)), GONE)
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
        folder, scratch, names = (
            str(private.absolute()),
            str((self.run.work / "scratch").absolute()),
            self.names,
        )
        made = (
            frame.groupBy("part")
            .applyInArrow(
                lambda key, table: _counted(
                    Writer(folder, scratch, names.value, private=True),
                    name,
                    key[0].as_py(),
                    columns,
                    turned(unpacketed(table)),
                ),
                f"{WRITTEN}, rows bigint, items bigint",
            )
            .collect()
        )
        there = {row["name"] for row in made}
        many = max(1, -(-(self.source.records + self.source.empty) // self._size))
        for missing in (part_name(name, part) for part in range(many)):
            if missing not in there:  # a part without rows counts too
                write_table(private / missing, columns, _no_rows(columns), PRIVATE_FILE)
        return sum(row["rows"] for row in made), sum(row["items"] for row in made)


# Rows travel through Spark in packets: it moves bytes many times faster than rows of lists.


def packets(table: pa.Table, size: int) -> pa.Table:
    """Rows of each part as one packet; ``record`` says which part a row belongs to."""
    import pyarrow as pa

    part = table.column("record").to_numpy() // size
    order = np.argsort(part, kind="stable")
    table, part = table.take(pa.array(order)).combine_chunks(), part[order]
    starts = run_starts(part)
    ends = np.append(starts[1:], len(part))
    content = [_spelt(table.slice(start, end - start)) for start, end in zip(starts, ends, strict=True)]
    return pa.table({"part": pa.array(part[starts], pa.int64()), "packet": pa.array(content, pa.binary())})


def _spelt(table: pa.Table) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def unpacketed(table: pa.Table) -> pa.Table:
    """The rows of packets."""
    import pyarrow as pa

    return pa.concat_tables([
        pa.ipc.open_stream(packet.as_buffer()).read_all() for packet in table.column("packet")
    ])  # fmt: skip


def _key_packets(table: pa.Table, size: int, *, rooted: bool) -> pa.Table:
    """Rows of the key of some clusters; of many clusters at a time it would be much at once."""
    import pyarrow as pa

    pieces = [table.slice(start, AT_ONCE) for start in range(0, len(table), AT_ONCE)]
    return pa.concat_tables([packets(key_rows(piece, rooted=rooted), size) for piece in pieces])


def _root_rows(table: pa.Table) -> pa.Table:
    """Rows of the key to the root, as ``key_rows`` gives those to clusters."""
    import pyarrow as pa

    many, chunk = len(table), table.column("chunk").to_numpy()
    return pa.table({
        "record": pa.array(table.column("record").to_numpy()),
        "turn": pa.array(chunk.astype(np.int64) + OUTER),
        "cluster": pa.array(np.full(many, -1)),
        "joint": pa.array(np.zeros(many, np.int64)),
        "chunk": pa.array(chunk),
        "kind": pa.array(np.full(many, int(Kind.SHARED), np.int32)),
        "row": pa.array(table.column("row").to_numpy()),
        "items": lists_of(np.arange(many + 1), table.column("item").to_numpy()),
    })  # fmt: skip


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
