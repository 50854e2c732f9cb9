"""From a frame to two folders of parts, the same in content as comes of the same records in memory.

1. The frame is read once; its items are counted: the dictionary, which is all that the driver holds (``records``).
2. Records become sorted lists of codes, and are ranked by content (design, *canonical order*).
3. Prefixes that too many records share are cut by counting (``methods.blocks``): to which block a record belongs.
4. Every block is worked on by one task with the kernels of ``methods`` (``clusters``).
5. Leftovers are counted; what k or more hold goes to the root, the rest is withheld (``methods/root``).
6. Clusters are numbered by content, and written in parts with the key beside them (``publishing``).

Everything is built in a folder beside the target that only its owner can read, and moved into place at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.intake.urls import file_url
from cloven.kinds.disassociated.methods.blocks import (
    Walk,
    by_frequency,
    joined,
    numbered,
    packed,
    prefixes_of,
)
from cloven.kinds.disassociated.methods.labelling import terms_of, tie_order_of_names
from cloven.kinds.disassociated.spark import records as incoming
from cloven.kinds.disassociated.spark.clusters import CLUSTERS, Work, lists_of
from cloven.kinds.disassociated.spark.counting import prefixes_in, rows_in
from cloven.kinds.disassociated.spark.parts import in_batches
from cloven.kinds.disassociated.spark.publishing import Identity, Published, Sizes
from cloven.storage.atomic import PRIVATE_FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Longs
    from cloven.kinds.disassociated.methods.disassociation import Disassociation
    from cloven.kinds.disassociated.methods.labelling import Terms
    from cloven.kinds.disassociated.spark.records import Source

    Report = Callable[[str, float], None]


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
        """Publish the records of a source: ``frame`` with ``items``, and how it was read."""
        for folder in (public, private, self.work):
            folder.mkdir(mode=PRIVATE_FOLDER if folder != public else 0o777)
        (self.work / "scratch").mkdir()
        self.report("read", 0.0)
        incoming.keep(source, self.kept(incoming.SOURCE))
        self.report("count items", 0.0)
        kept = self.work / incoming.SOURCE
        told = incoming.count(self.session, kept, source.source, source.max_record_length)
        self.method.check_sensitive(told.names)
        names = self.session.sparkContext.broadcast(told.names)
        try:
            incoming.code(self.session, told, names, self.work / "coded")
            every = self.read("coded")
            self.report("recognise", 0.0)
            known = Identity(
                incoming.fingerprint(self.session, self.work / "coded", names, told), incoming.sketch(every)
            )
            self.publish(every, told, names, known, public, private)
        finally:
            names.unpersist()

    def publish(
        self, every: Any, told: Source, names: Any, known: Identity, public: Path, private: Path
    ) -> None:
        """Cluster the records without their rare items, and publish the clusters.

        Records that are left out may take an item below the least support; then all is done again without it.
        """
        least = self.method.min_item_support
        rare, turn = told.held < least, 0
        while True:
            gone, records, many = self._records(every, told, rare, turn)
            clusters = self._clusters(records, many, told.names, np.where(rare, 0, told.held), turn)
            published = Published(self, told, names, clusters, gone, known)
            if least <= 1 or self.method.small_clusters != "suppress":
                break
            held = published.held()
            more = (held > 0) & (held < least) & ~rare
            if not more.any():
                break
            rare, turn = rare | more, turn + 1
        published.write(public, private)

    def kept(self, name: str) -> str:
        """Where a step keeps what it made."""
        return file_url(self.work / name)

    def read(self, name: str) -> Any:
        """What a step has kept."""
        return self.session.read.parquet(self.kept(name))

    def _records(self, every: Any, told: Source, rare: Flags, turn: int) -> tuple[Any, Any, int]:
        """What goes as rare (None if nothing does); records with their rank by content; how many these are."""
        from pyspark.sql import functions as f

        self.report("sort records", 0.0)
        gone, many = None, told.records
        if rare.any():
            incoming.without(every, np.flatnonzero(rare)).write.parquet(self.kept(f"without-{turn}"))
            every = gone = self.read(f"without-{turn}")
            many = every.where(f.length("content") > 0).count()
        self._check(many)
        (
            every.select("record", "content")
            .where(f.length("content") > 0)
            .orderBy("content", "record")
            .withColumn("rank", f.monotonically_increasing_id())
            .write.parquet(self.kept(f"records-{turn}"))
        )
        return gone, self.read(f"records-{turn}"), many

    def _check(self, many: int) -> None:
        k, least = self.method.k, self.method.min_item_support
        if many < k:
            dropped = f" that hold an item of support {least}" if least > 1 else ""
            message = f"k = {k} needs at least {k} records{dropped}, got {many:,}; choose a smaller k"
            raise ParameterError(message)

    def _clusters(self, records: Any, many: int, names: tuple[str, ...], held: Longs, turn: int) -> Any:
        """Every cluster of every block."""
        self.report("split", 0.0)
        place = tie_order_of_names(names, self.method.tie_order)
        terms = terms_of(self.method, names, place)
        block_of_rows = self._blocks(records, many, held, place, terms)

        def placed(table: pa.Table) -> pa.Table:
            import pyarrow as pa

            return table.append_column("block", pa.array(block_of_rows(table), pa.int32()))

        self.report("cluster", 0.0)
        work = Work(self.method, place, terms)
        split = records.select("record", "rank", "content").mapInArrow(
            lambda batches: in_batches(batches, placed),
            "record bigint, rank bigint, content binary, block int",
        )
        made = split.groupBy("block").applyInArrow(
            lambda key, table: work.clusters(key[0].as_py(), _with_codes(table)), CLUSTERS
        )
        made.write.parquet(self.kept(f"clusters-{turn}"))
        return self.read(f"clusters-{turn}")

    def _blocks(
        self, records: Any, many: int, held: Longs, place: NDArray[np.int32], terms: Terms
    ) -> Callable[[pa.Table], Longs]:
        """What tells the block of each record of a batch."""
        if many <= self.method.block_records:
            return lambda table: np.zeros(len(table), np.int64)
        most, k = self.method.block_records, self.method.k
        by_term = np.empty(len(held), np.int64)
        by_term[place] = held
        none = by_frequency(by_term, terms.barred, many)
        prefixes, leaves = prefixes_of(none, many, most, prefixes_in(records, place))
        found = joined(
            packed(leaves, most),
            lambda block: sum(each.records for each in block) < k,
            lambda *two: [*two[0], *two[1]],
        )
        block_of = numbered(found, len(prefixes.child) + 1)

        def block_of_rows(table: pa.Table) -> Longs:
            walk = Walk(*rows_in(table, place), prefixes)
            walk.go(prefixes)
            return block_of[walk.prefix]

        return block_of_rows


def _with_codes(table: pa.Table) -> pa.Table:
    """Records whose codes are a column of lists."""
    codes = lists_of(*incoming.unpacked(table.column("content")))
    return table.select(["record", "rank"]).append_column("codes", codes)
