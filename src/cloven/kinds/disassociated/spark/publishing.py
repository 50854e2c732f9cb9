"""Clusters on their way to disk: numbered by content, written in parts, with the key beside them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import offsets_of
from cloven.errors import ParameterError
from cloven.kinds.disassociated.files import FORMATS, JOINTS
from cloven.kinds.disassociated.methods.labelling import terms_of, tie_order_of_names
from cloven.kinds.disassociated.methods.root import growth_order
from cloven.kinds.disassociated.spark.clusters import rows_of
from cloven.kinds.disassociated.spark.counting import numbered
from cloven.kinds.disassociated.spark.keys import PrivateTables
from cloven.kinds.disassociated.spark.parts import (
    LEFT,
    WRITTEN,
    Root,
    Writer,
    in_batches,
    left_rows,
    publish_clusters,
    written,
)
from cloven.storage.atomic import PRIVATE_FILE, write_bytes
from cloven.storage.manifest import MANIFEST, manifest_bytes, manifest_of
from cloven.storage.parquet import write_table
from cloven.storage.readme import README, readmes
from cloven.storage.receipt import RECEIPT, build_receipt

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.spark.pipeline import Pipeline
    from cloven.kinds.disassociated.spark.records import Source
    from cloven.storage.fingerprint import Sketch

MOST_BYTES = 1 << 25
"""About how much a part may hold once unpacked: half of what readers take whatever it is packed to."""
ROW_BYTES = 64
"""About how much a published row holds beside its items."""
TOTALS = ("records", "clusters", "rows", "record_chunks", "term_chunks", "oversize_clusters")
"""What a part of clusters adds to the numbers of the manifest."""


@dataclass(frozen=True)
class Sizes:
    """How large parts are: clusters of a part of the release, rows of any other part."""

    clusters: int
    rows: int


@dataclass(frozen=True)
class Identity:
    """By what the owner knows the data again."""

    fingerprint: str
    sketch: Sketch


@dataclass(frozen=True)
class Published:
    """One release.

    Attributes:
        run: the run that makes it.
        source: what was read.
        names: all items, broadcast.
        clusters: every cluster of every block.
        gone: records with what they had of rare items (``gone``), or None.
        known: by what the data is known again.
    """

    run: Pipeline
    source: Source
    names: Any
    clusters: Any
    gone: Any
    known: Identity

    @property
    def rooted(self) -> bool:
        """Whether leftovers leave their clusters."""
        return self.run.method.rare_items != "cluster"

    @property
    def inside(self) -> Any:
        """The clusters that are published."""
        from pyspark.sql import functions as f

        return self.clusters.where(f.col("cluster") >= 0)

    def held(self) -> Longs:
        """How many published records hold each item."""
        from pyspark.sql import functions as f

        held = np.zeros(len(self.source.names), np.int64)
        for column in ("item", "left_item"):
            items = self.inside.select(f.explode(column).alias("item"))
            for row in items.groupBy("item").count().collect():
                held[row["item"]] += row["count"]
        return held

    def write(self, public: Path, private: Path) -> None:
        """Write both folders."""
        run = self.run
        run.report("root", 0.0)
        columns = ("cluster", "size", "record", "rank", "left_member", "left_item")
        left = self.clusters.select(*columns).mapInArrow(lambda batches: in_batches(batches, left_rows), LEFT)
        left.write.parquet(run.kept("left"))
        root = self._root()
        run.report("number clusters", 0.0)
        order = ("content", "block", "cluster")
        ordered = numbered(run.session, self.inside, order, run.kept("numbered")).drop("content")
        run.report("write", 0.0)
        files, totals, shown = self._publish(ordered, root, public)
        run.report("write key", 0.0)
        tables = PrivateTables(run, self.names, self.source, root, rooted=self.rooted)
        suppressed = tables.write(ordered, self.gone, private)
        self._describe(files, totals, suppressed, shown, public, private)

    def _root(self) -> Root:
        """The root, from counts of what is left over."""
        from pyspark.sql import functions as f

        if not self.rooted:
            return Root(np.empty(0, np.int64), np.zeros(1, np.int64))
        method, names = self.run.method, self.source.names
        place = tie_order_of_names(names, method.tie_order)
        held = np.zeros(len(names), np.int64)
        left = self.run.read("left").where(f.col("cluster") >= 0)
        for row in left.groupBy("item").count().collect():
            held[place[row["item"]]] = row["count"]
        group = terms_of(method, names, place).group
        ranked = growth_order(np.flatnonzero(held >= method.k), group, held)
        return Root(np.argsort(place)[ranked].astype(np.int64), offsets_of(held[ranked]))

    def _fitting(self, ordered: Any, root: Root) -> Sizes:
        """Sizes of parts that readers will not take for bombs, from what is published on average."""
        from pyspark.sql import functions as f

        held = self.source.held
        name = sum(
            len(name.encode()) * many for name, many in zip(self.source.names, held.tolist(), strict=True)
        )
        item = 8 + name / int(held.sum())
        listed = f.lit(0) if self.rooted else f.size("left_item")
        many, rows, items = ordered.agg(
            f.count(f.lit(1)), f.sum(f.size("chunk")), f.sum(f.size("item") + listed)
        ).collect()[0]
        if not many:
            k = self.run.method.k
            message = f"every cluster is below k = {k}: suppressing them leaves nothing to publish; use 'add'"
            raise ParameterError(message)
        cluster = (rows * ROW_BYTES + items * item) / many + ROW_BYTES
        longest = max((len(self.source.names[code].encode()) for code in root.item), default=0)
        return Sizes(
            max(1, min(self.run.sizes.clusters, int(MOST_BYTES / cluster))),
            max(1, min(self.run.sizes.rows, MOST_BYTES // (ROW_BYTES + longest))),
        )

    def _publish(
        self, ordered: Any, root: Root, public: Path
    ) -> tuple[dict[str, str], dict[str, int], list[str]]:
        """Write the release; SHA-256 of its files, the counts of its manifest, and the names of its items."""
        from pyspark.sql import functions as f

        folder, scratch, names = (
            str(public.absolute()),
            str((self.run.work / "scratch").absolute()),
            self.names,
        )
        sizes, rooted, session = self._fitting(ordered, root), self.rooted, self.run.session
        maximum = self.run.method.max_cluster_size
        done = (
            ordered.withColumn("part", f.floor(f.col("number") / sizes.clusters))
            .groupBy("part")
            .applyInArrow(
                lambda key, table: _published(
                    Writer(folder, scratch, names.value), key[0].as_py(), table, maximum, rooted=rooted
                ),
                f"{WRITTEN}, totals array<bigint>, items array<int>",
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
                            root.publish(Writer(folder, scratch, names.value), first, part, sizes.rows)
                            for part in table.column("id").to_pylist()
                        ]
                    ),
                ),
                WRITTEN,
            )
            files |= {row["name"]: row["sha256"] for row in parts.collect()}
        joints = {"joint": np.zeros(int(rooted), np.int64), "parent": np.full(int(rooted), -1)}
        files["joints.parquet"] = write_table(public / "joints.parquet", JOINTS, joints)
        totals = dict(zip(TOTALS, map(sum, zip(*(row["totals"] for row in done), strict=True)), strict=True))
        totals["rows"] += rows
        totals |= {"joints": int(rooted), "shared_chunks": len(root.item)}
        shown = {code for row in done for code in row["items"]} | set(root.item.tolist())
        return files, totals, [self.source.names[code] for code in sorted(shown)]

    def _describe(
        self,
        files: dict[str, str],
        totals: dict[str, int],
        suppressed: dict[str, int],
        shown: list[str],
        public: Path,
        private: Path,
    ) -> None:
        """Manifest, README and receipt."""
        method, known = self.run.method, set(shown)
        groups = [[name for name in group if name in known] for group in method.parameters["utility_groups"]]
        parameters = {**method.parameters, "persons": False, "utility_groups": groups}
        promise = {"k": method.k, "m": method.m}
        manifest = manifest_of(FORMATS[0], promise, parameters, {**totals, "items": len(shown)}, files)
        content = manifest_bytes(manifest)
        write_bytes(public / MANIFEST, content)
        for text in readmes(manifest)[:1]:
            write_bytes(public / README, text)
        gone = {"suppressed_records": self.source.records - totals["records"]}
        counts = {"published_records": totals["records"], **suppressed, **gone, **self.source.counts}
        digest = hashlib.sha256(content).hexdigest()
        receipt = build_receipt(manifest, manifest_sha256=digest, original=None, counts=counts)
        receipt |= {"input_sha256": self.known.fingerprint, "sketch": self.known.sketch.to_dict()}
        write_bytes(private / RECEIPT, manifest_bytes(receipt), PRIVATE_FILE)


def _published(writer: Writer, part: int, table: pa.Table, maximum: int | None, *, rooted: bool) -> pa.Table:
    """Write a part of clusters; its files, and in the first row what it adds up to and the items it shows."""
    import pyarrow as pa

    files = publish_clusters(writer, part, table, rooted=rooted)
    size = table.column("size").to_numpy()
    starts, chunk = rows_of(table.column("chunk"))
    last = starts[1:][np.diff(starts) > 0] - 1  # rows of a cluster are in the order of its chunks
    left_starts, left = rows_of(table.column("left_item"))
    lists = 0 if rooted else int(np.count_nonzero(np.diff(left_starts)))
    over = 0 if maximum is None else int(np.count_nonzero(size > maximum))
    totals = [int(size.sum()), len(size), len(chunk) + lists, int((chunk[last] + 1).sum()), lists, over]
    _, items = rows_of(table.column("item"))
    shown = np.unique(items if rooted else np.concatenate((items, left)))
    return files.append_column(
        "totals", pa.array([totals, [0] * len(totals)], pa.list_(pa.int64()))
    ).append_column("items", pa.array([shown.tolist(), []], pa.list_(pa.int32())))
