"""From a frame to two folders of parts, the same in content as the local engine makes of the same records.

1. Items are counted: the dictionary, which is all of the vocabulary that the driver holds.
2. Records become sorted lists of codes, and are ranked by content (design, *canonical order*).
3. The top splits of HORPART come from counts (``splits``); they say to which block a record belongs.
4. Every block is worked on by one task with the kernels of ``methods`` (``clusters``).
5. Leftovers are counted; what k or more hold goes to the root, the rest is withheld (``methods/root``).
6. Clusters are numbered by content, and written in parts with the key beside them (``parts``).

Everything is built in a folder beside the target that only its owner can read, and moved into place at the end.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import offsets_of
from cloven.errors import InputError, ParameterError
from cloven.kinds.disassociated.blocks.clusters import CLUSTERS, Work, lists_of
from cloven.kinds.disassociated.blocks.parts import (
    KEY,
    LEFT,
    OUTER,
    WRITTEN,
    Root,
    Writer,
    in_batches,
    key_rows,
    left_rows,
    publish_clusters,
    write_rows,
    written,
)
from cloven.kinds.disassociated.blocks.refusal import refuse_whole_data
from cloven.kinds.disassociated.blocks.splits import found_blocks
from cloven.kinds.disassociated.files import FORMATS, JOINTS
from cloven.kinds.disassociated.methods.labelling import terms_of, tie_order_of_names
from cloven.kinds.disassociated.methods.root import growth_order
from cloven.kinds.disassociated.private_files import KEY as KEY_COLUMNS
from cloven.kinds.disassociated.private_files import RECORDS, SUPPRESSED
from cloven.kinds.disassociated.release import Kind
from cloven.kinds.disassociated.spark.counting import FrameCounting, leaves_of, numbered, without_gaps
from cloven.storage.atomic import PRIVATE_FILE, PRIVATE_FOLDER, write_bytes
from cloven.storage.manifest import MANIFEST, manifest_bytes, manifest_of
from cloven.storage.parquet import write_table
from cloven.storage.readme import README, readmes
from cloven.storage.receipt import RECEIPT, build_receipt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.methods.disassociation import Disassociation
    from cloven.kinds.disassociated.methods.labelling import Terms

    Report = Callable[[str, float], None]


@dataclass(frozen=True)
class Sizes:
    """How large parts are: clusters of a part of the release, rows of any other part."""

    clusters: int
    rows: int


def refuse(method: Disassociation) -> None:
    """Refuse what would need all records in one place, or would give something else than the local engine."""
    refuse_whole_data(method, "does not run on Spark; leave it out, or use the local engine")


@dataclass(frozen=True)
class Pipeline:
    """One run.

    Attributes:
        session: of Spark.
        method: disassociation.
        sizes: of the parts.
        work: a folder for what is kept between the steps.
        report: is told of each step.
    """

    session: Any
    method: Disassociation
    sizes: Sizes
    work: Path
    report: Report

    def run(self, source: Any, public: Path, private: Path) -> None:
        """Publish the records of a source: ``frame`` with ``record`` and ``items``, and how it was read."""
        for folder in (public, private, self.work):
            folder.mkdir(mode=PRIVATE_FOLDER if folder != public else 0o777)
        (self.work / "scratch").mkdir()
        self.report("count items", 0.0)
        names = vocabulary_of(source.frame, source.source, source.max_record_length)
        self.method.check_sensitive(names)
        records, counts = self._records(source, names)
        if counts["read_records"] < self.method.k:
            found = counts["read_records"]
            message = f"k = {self.method.k} needs at least {self.method.k} records, got {found:,}; choose a smaller k"
            raise ParameterError(message)
        place = tie_order_of_names(names, self.method.tie_order)
        terms = terms_of(self.method, names, place)
        clusters = self._clusters(records, counts["read_records"], place, terms)
        Published(self, names, place, terms, clusters, counts).write(public, private)

    def kept(self, name: str) -> str:
        """Where a step keeps what it made."""
        return (self.work / name).absolute().as_uri()

    def _records(self, source: Any, names: tuple[str, ...]) -> tuple[Any, dict[str, int]]:
        """Records as codes with their rank by content, and how many were read."""
        from pyspark.sql import functions as f

        self.report("sort records", 0.0)
        called = source.source
        coded = source.frame.mapInArrow(
            lambda batches: _coded(batches, names, called), "record bigint, codes array<int>"
        )
        coded.orderBy("codes", "record").withColumn("rank", f.monotonically_increasing_id()).write.parquet(
            self.kept("records")
        )
        every = self.session.read.parquet(self.kept("records"))
        if source.in_places:
            every = without_gaps(self.session, every, "record")
        else:
            order = numbered(self.session, every.select("record"), ("record",), self.kept("order"))
            every = every.join(order, "record").drop("record").withColumnRenamed("number", "record")
        filled = every.where(f.size("codes") > 0)
        many, some = every.count(), filled.count()
        return filled, {"read_records": some, "empty_records": many - some}

    def _clusters(self, records: Any, many: int, place: Any, terms: Terms) -> Any:
        """Every cluster of every block."""
        self.report("split", 0.0)
        barred = frozenset(np.flatnonzero(terms.barred).tolist())
        counting = FrameCounting(records, place, barred)
        tree, blocks = found_blocks(counting, many, self.method.block_records, self.method.k)
        block_of = np.full(len(tree.term), -1, np.int32)
        for number, block in enumerate(blocks):
            block_of[list(block.nodes)] = number

        def placed(table: pa.Table) -> pa.Table:
            import pyarrow as pa

            leaf, _, _ = leaves_of(table, tree, place)
            return table.append_column("block", pa.array(block_of[leaf]))

        work = Work(self.method, place, terms, tuple(block.spent for block in blocks))
        split = records.select("record", "rank", "codes").mapInArrow(
            lambda batches: in_batches(batches, placed),
            "record bigint, rank bigint, codes array<int>, block int",
        )
        made = split.groupBy("block").applyInArrow(
            lambda key, table: work.clusters(key[0].as_py(), table), CLUSTERS
        )
        made.write.parquet(self.kept("clusters"))
        return self.session.read.parquet(self.kept("clusters"))


@dataclass(frozen=True)
class Published:
    """Clusters on their way to disk."""

    run: Pipeline
    names: tuple[str, ...]
    place: Any
    terms: Terms
    clusters: Any
    counts: dict[str, int]

    @property
    def rooted(self) -> bool:
        """Whether leftovers leave their clusters."""
        return self.run.method.rare_items != "cluster"

    def write(self, public: Path, private: Path) -> None:
        """Write both folders."""
        from pyspark.sql import functions as f

        self.run.report("root", 0.0)
        inside = self.clusters.where(f.col("cluster") >= 0)
        root, taken = self._root(inside)
        self.run.report("number clusters", 0.0)
        ordered = numbered(
            self.run.session, inside, ("content", "block", "cluster"), self.run.kept("numbered")
        ).drop("content")
        self.run.report("write", 0.0)
        files, totals = self._publish(ordered, root, public)
        self._write_key(ordered, root, private)
        suppressed = self._write_suppressed(taken, private)
        self._describe(ordered, root, files, totals, suppressed, public, private)

    def _left(self, clusters: Any) -> Any:
        """Every occurrence that is left over."""
        return clusters.select("cluster", "size", "record", "rank", "left_member", "left_item").mapInArrow(
            lambda batches: in_batches(batches, left_rows), LEFT
        )

    def _root(self, inside: Any) -> tuple[Root, Longs]:
        """The root, from counts of what is left over; and the items that it takes."""
        if not self.rooted:
            return Root(np.empty(0, np.int64), np.zeros(1, np.int64)), np.empty(0, np.int64)
        held = np.zeros(len(self.names), np.int64)
        for row in self._left(inside).groupBy("item").count().collect():
            held[self.place[row["item"]]] = row["count"]
        code_of = np.argsort(self.place)
        ranked = growth_order(np.flatnonzero(held >= self.run.method.k), self.terms.group, held)
        return Root(code_of[ranked].astype(np.int64), offsets_of(held[ranked])), np.sort(code_of[ranked])

    def _publish(self, ordered: Any, root: Root, public: Path) -> tuple[dict[str, str], dict[str, int]]:
        """Write the release; SHA-256 of its files, and the counts of its manifest."""
        from pyspark.sql import functions as f

        writer = Writer(str(public.absolute()), str((self.run.work / "scratch").absolute()), self.names)
        sizes, rooted, session = self.run.sizes, self.rooted, self.run.session
        done = (
            ordered.withColumn("part", f.floor(f.col("number") / sizes.clusters))
            .groupBy("part")
            .applyInArrow(
                lambda key, table: publish_clusters(writer, key[0].as_py(), table, rooted=rooted), WRITTEN
            )
            .collect()
        )
        files = {row["name"]: row["sha256"] for row in done}
        first, rows = len(files) // 2, int(root.start[-1])
        many = -(-rows // sizes.rows)
        if many:
            parts = session.range(many, numPartitions=many).mapInArrow(
                lambda batches: in_batches(
                    batches,
                    lambda table: written(
                        [
                            root.publish(writer, first, part, sizes.rows)
                            for part in table.column("id").to_pylist()
                        ]
                    ),
                ),
                WRITTEN,
            )
            files |= {row["name"]: row["sha256"] for row in parts.collect()}
        joints = {"joint": np.zeros(int(rooted), np.int64), "parent": np.full(int(rooted), -1)}
        files["joints.parquet"] = write_table(public / "joints.parquet", JOINTS, joints)
        return files, self._totals(ordered, root)

    def _totals(self, ordered: Any, root: Root) -> dict[str, int]:
        """The numbers that a manifest publishes."""
        from pyspark.sql import functions as f

        maximum = self.run.method.max_cluster_size
        over = f.col("size") > maximum if maximum is not None else f.lit(False)
        listed = f.lit(0) if self.rooted else f.signum(f.size("left_item"))
        sums = {
            "records": f.col("size"),
            "clusters": f.lit(1),
            "record_rows": f.size("chunk"),
            "record_chunks": f.coalesce(f.array_max("chunk") + 1, f.lit(0)),
            "term_chunks": listed,
            "oversize_clusters": over.cast("int"),
        }
        row = ordered.agg(*(f.sum(column).alias(name) for name, column in sums.items())).collect()[0]
        totals = {name: int(row[name] or 0) for name in sums}
        rows = totals.pop("record_rows") + totals["term_chunks"] + int(root.start[-1])
        return {**totals, "joints": int(self.rooted), "rows": rows, "shared_chunks": len(root.item)}

    def _published_items(self, ordered: Any, root: Root) -> list[str]:
        """Names of all that is published."""
        from pyspark.sql import functions as f

        shown = ordered.select(f.explode("item").alias("item"))
        if not self.rooted:
            shown = shown.union(ordered.select(f.explode("left_item").alias("item")))
        codes = {row["item"] for row in shown.distinct().collect()} | set(root.item.tolist())
        return [self.names[code] for code in sorted(codes)]

    def _write_parts(self, frame: Any, by: tuple[str, ...], name: str, columns: Any, private: Path) -> int:
        """Write a table of the private folder in parts; how many rows it has."""
        from pyspark.sql import functions as f

        writer = Writer(
            str(private.absolute()), str((self.run.work / "scratch").absolute()), self.names, private=True
        )
        rows = self.run.sizes.rows
        kept = numbered(self.run.session, frame, by, self.run.kept(f"table-{name}"))
        made = (
            kept.withColumn("part", f.floor(f.col("number") / rows))
            .groupBy("part")
            .applyInArrow(
                lambda key, table: write_rows(writer, name, key[0].as_py(), columns, table), WRITTEN
            )
            .collect()
        )
        if not made:
            import pyarrow as pa

            schema = {"int64": np.empty(0, np.int64), "int32": np.empty(0, np.int32)}
            empty = {
                column: schema.get(
                    kind, pa.array([], pa.string() if kind == "string" else pa.list_(pa.string()))
                )
                for column, kind in columns.items()
            }
            write_table(private / f"{name}-0.parquet", columns, empty, PRIVATE_FILE)
        return int(kept.count())

    def _write_key(self, ordered: Any, root: Root, private: Path) -> None:
        """Which record every part comes from, and which cluster every record is in."""
        from pyspark.sql import functions as f

        rooted = self.rooted
        key = ordered.mapInArrow(
            lambda batches: in_batches(batches, lambda table: key_rows(table, rooted=rooted)), KEY
        )
        if len(root.item):
            key = key.unionByName(self._root_key(ordered, root))
        self._write_parts(key, ("record", "turn"), "key", KEY_COLUMNS, private)
        members = ordered.select(f.explode("record").alias("record"), f.col("number").alias("cluster"))
        people = members.withColumn("person", f.lit(-1).cast("bigint"))
        self._write_parts(people, ("record",), "records", RECORDS, private)

    def _root_key(self, ordered: Any, root: Root) -> Any:
        """Which record every row of the root comes from: the rows of an item go to its holders in their order."""
        from pyspark.sql import functions as f

        chunks = [(int(item), chunk, int(root.start[chunk])) for chunk, item in enumerate(root.item.tolist())]
        known = self.run.session.createDataFrame(chunks, "item int, chunk int, start bigint")
        left = self._left(ordered.withColumn("cluster", f.lit(0))).join(f.broadcast(known), "item")
        placed = numbered(self.run.session, left, ("chunk", "rank"), self.run.kept("root"))
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

    def _write_suppressed(self, taken: Longs, private: Path) -> dict[str, int]:
        """What is not published: records that are left out, and what is withheld as rare."""
        from pyspark.sql import functions as f

        gone = self._left(self.clusters)
        known = self.run.session.createDataFrame([(int(item),) for item in taken], "taken int")
        out = gone.where(f.col("cluster") < 0)
        if self.rooted:
            rare = gone.where(f.col("cluster") >= 0)
            rare = rare.join(f.broadcast(known), f.col("item") == f.col("taken"), "left_anti")
            out = out.unionByName(rare)
        reason = f.when(f.col("cluster") < 0, "small cluster").otherwise("rare").alias("reason")
        lists = out.groupBy("record", reason).agg(f.sort_array(f.collect_list("item")).alias("items"))
        parts = self._write_parts(lists, ("record", "reason"), "suppressed", SUPPRESSED, private)
        items = lists.agg(f.sum(f.size("items"))).collect()[0][0]
        whole = lists.where(f.col("reason") == "small cluster").count()
        return {"suppressed_parts": parts, "suppressed_items": int(items or 0), "suppressed_records": whole}

    def _describe(
        self,
        ordered: Any,
        root: Root,
        files: dict[str, str],
        totals: dict[str, int],
        suppressed: dict[str, int],
        public: Path,
        private: Path,
    ) -> None:
        """Manifest, README and receipt."""
        method, shown = self.run.method, self._published_items(ordered, root)
        known = set(shown)
        groups = [[name for name in group if name in known] for group in method.parameters["utility_groups"]]
        parameters = {**method.parameters, "persons": False, "utility_groups": groups}
        promise = {"k": method.k, "m": method.m}
        manifest = manifest_of(FORMATS[0], promise, parameters, {**totals, "items": len(shown)}, files)
        content = manifest_bytes(manifest)
        write_bytes(public / MANIFEST, content)
        for text in readmes(manifest)[:1]:
            write_bytes(public / README, text)
        receipt = build_receipt(
            manifest,
            manifest_sha256=hashlib.sha256(content).hexdigest(),
            original=None,
            counts={"published_records": totals["records"], **suppressed, **self.counts},
        )
        write_bytes(private / RECEIPT, manifest_bytes(receipt), PRIVATE_FILE)


def vocabulary_of(frame: Any, source: str, most: int) -> tuple[str, ...]:
    """All items, ascending by code point; what is no item, and records that cannot be right, are refused."""
    from pyspark.sql import functions as f

    found = frame.select(f.explode("items").alias("item")).distinct().toArrow().column("item")
    wrong = frame.agg(f.sum(f.col("items").isNull().cast("long")), f.max(f.size("items"))).collect()[0]
    names = [name for name in found.to_pylist() if name is not None]
    reason = None
    if wrong[0]:
        reason = f"{wrong[0]:,} rows are null where a list of items should be; give them an empty list"
    elif len(names) < len(found):
        reason = "null item; remove it"
    elif not all(name.strip() for name in names):
        reason = "blank item; remove it"
    elif (wrong[1] or 0) > most:
        reason = (
            f"{wrong[1]:,} items in one record, more than max_record_length={most:,}; is the column right?"
        )
    elif not names:
        reason = "no records with items"
    if reason is not None:
        raise InputError(reason, source=source)
    return tuple(sorted(names))


def _coded(
    batches: Iterator[pa.RecordBatch], names: tuple[str, ...], source: str
) -> Iterator[pa.RecordBatch]:
    """Lists of items as sorted lists of codes without repeats."""
    import pyarrow as pa
    import pyarrow.compute as pc

    code_of, width = {name: code for code, name in enumerate(names)}, len(names)
    for batch in batches:
        column = batch.column("items")
        lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False).astype(np.int64)
        found = column.flatten().dictionary_encode()
        known = np.array([code_of.get(name, -1) for name in found.dictionary.to_pylist()], np.int64)
        if (known < 0).any():
            message = "gave other items when it was read again; cache it, or write it to a file first"
            raise InputError(message, source=source)
        rows = np.repeat(np.arange(len(lengths)), lengths)
        pairs = np.unique(rows * width + known[found.indices.to_numpy(zero_copy_only=False)])
        kept = np.bincount(pairs // width, minlength=len(lengths))
        codes = lists_of(offsets_of(kept), (pairs % width).astype(np.int32))
        yield pa.RecordBatch.from_arrays([batch.column("record"), codes], ["record", "codes"])
