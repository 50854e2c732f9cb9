"""Records that Spark keeps, as a trial wants them (``parts.people``).

The people who are asked about come to the driver, and the sample that it is measured on what is kept: some ten thousand
records, however many there are. All others stay where they are.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.intake.packing import array_of
from cloven.intake.urls import file_url
from cloven.kinds.disassociated.parts.folder import PartsFolder
from cloven.kinds.disassociated.spark import records
from cloven.kinds.disassociated.spark.pipeline import Pipeline
from cloven.kinds.disassociated.spark.publishing import Identity, Sizes
from cloven.storage.atomic import PRIVATE_FOLDER
from cloven.storage.fingerprint import Sketch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.methods.disassociation import Disassociation
    from cloven.kinds.disassociated.parts.people import Work
    from cloven.kinds.disassociated.spark.records import Source


@contextmanager
def opened(engine: Any, method: Disassociation, source: Any, scratch: Path) -> Iterator[Framed]:
    """The records of a source (``engines.frames``), while they are looked at."""
    session, kept = engine.session, scratch / records.SOURCE
    records.keep(source, file_url(kept))
    told = records.count(session, kept, source.source, source.max_record_length)
    names = session.sparkContext.broadcast(told.names)
    try:
        records.code(session, told, names, scratch / "coded")
        yield Framed(engine, method, told, names, scratch)
    finally:
        names.unpersist()


@dataclass(frozen=True, eq=False)
class Framed:
    """Records as codes in a folder that workers see.

    Attributes:
        engine: that of Spark.
        method: disassociation.
        told: what was read, in numbers.
        broadcast: names of items, at all workers.
        scratch: a folder.
    """

    engine: Any
    method: Disassociation
    told: Source
    broadcast: Any
    scratch: Path

    @property
    def names(self) -> tuple[str, ...]:
        """All items."""
        return self.told.names

    @property
    def held(self) -> Longs:
        """How many records hold each."""
        return self.told.held

    @property
    def records(self) -> int:
        """Records with items."""
        return self.told.records

    @property
    def numbers(self) -> int:
        """All records."""
        return self.told.records + self.told.empty

    def known_by(self, receipt: Mapping[str, Any]) -> bool:
        """By those who stand out: a frame that is read again may come in another order, as a fingerprint may not."""
        return bool(receipt["sketch"] == records.sketch(self._coded).to_dict())

    def parts(self, release: Path) -> PartsFolder:
        """Asked by the workers."""
        at_once = self.engine.session.sparkContext.defaultParallelism
        return PartsFolder(release, self.engine.spread, self.scratch, at_once)

    @property
    def _coded(self) -> Any:
        return self.engine.session.read.parquet(file_url(self.scratch / "coded"))

    def some(self, numbers: Longs) -> tuple[Longs, Longs, Longs]:
        """Some records, brought to the driver."""
        from pyspark.sql import functions as f

        wanted = self._coded.where(f.col("record").isin(numbers.tolist()) & (f.length("content") > 0))
        table = wanted.select("record", "content").toArrow().sort_by("record")
        offsets, codes = records.unpacked(table.column("content"))
        return table.column("record").to_numpy(), np.diff(offsets), codes.astype(np.int64)

    def over(self, work: Work, *, sums: bool = False) -> list[NDArray[Any]]:
        """Done by the workers; each adds up what are sums."""
        from pyspark.sql import functions as f

        def worked(batches: Iterator[pa.RecordBatch]) -> Iterator[NDArray[Any]]:
            for batch in batches:
                offsets, codes = records.unpacked(batch.column("content"))
                yield work(batch.column("record").to_numpy(), offsets, codes)

        def done(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            import pyarrow as pa

            found = worked(batches)
            first = next(found, None) if sums else None
            for each in found if first is None else (sum(found, first),):
                with BytesIO() as told:
                    np.save(told, each)
                    yield pa.RecordBatch.from_arrays([pa.array([told.getvalue()])], ["told"])

        held = self._coded.where(f.length("content") > 0).select("record", "content")
        rows = held.mapInArrow(lambda batches: done(batches), "told binary").collect()
        return [array_of(BytesIO(row["told"])) for row in rows]

    def publish_without(self, numbers: Longs, place: Path) -> None:
        """A release without some of them; what only its owner would keep goes at once.

        It is known to nobody, so that fingerprint and sketch are left out.
        """
        from pyspark.sql import functions as f

        _, lengths, codes = self.some(numbers)
        held = self.told.held - np.bincount(codes, minlength=len(self.names))
        rest = replace(
            self.told,
            held=held,
            records=self.told.records - len(lengths),
            empty=self.told.empty + len(lengths),
        )
        work = self.scratch / f"work-{place.name}"
        for folder in (place, work, work / "private", work / "scratch"):
            folder.mkdir(PRIVATE_FOLDER)
        sizes = Sizes(self.engine.part_clusters, self.engine.part_rows)
        run = Pipeline(self.engine.session, self.method, sizes, work, lambda _step, _share: None)
        others = self._coded.where(~f.col("record").isin(numbers.tolist()))
        unknown = Identity("", Sketch(0, np.empty(0, np.uint64)))
        run.publish(others, rest, self.broadcast, unknown, place, work / "private")
        shutil.rmtree(work)
