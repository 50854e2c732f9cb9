"""Release and key against the original where nobody holds any of them: the checks of ``original``, on Spark.

Written apart from what makes a release there: tables are read as Spark reads them, items stay names, records are
counted by files. What must be equal is compared by count, by the exclusive or of 64-bit hashes and by the sum of
32-bit ones, so that only these travel; two sets that differ agree in all three by a chance of about 2^-64.

====================  =================================================================================
check                 fault it catches
====================  =================================================================================
records rebuilt       parts of a record and its suppressed items are not the original record
records in place      a record in no cluster, in two, or in one and left out; a part in another cluster
cluster members       a published size that is not the number of members
rows claimed          a published row that no record, or not exactly one, contributes
root claimed          the same of the rows of the root
term chunks claimed   a term chunk that lists something else than its members contribute
withheld              what k or more have, or the root shows, was withheld as rare
====================  =================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cloven.errors import ReleaseError, shorten
from cloven.intake.urls import file_url
from cloven.verification.verdict import Fault, conclude

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from cloven.verification.verdict import Check


@dataclass(frozen=True)
class Frames:
    """A release, its key and the original as frames.

    Attributes:
        k: what is promised.
        rooted: whether leftovers left their clusters.
        original: ``record`` (number in the source) and ``items``.
        clusters: published clusters.
        chunks: published rows; ``at`` is their place in their file.
        key: what records contribute.
        records: which cluster they are in.
        suppressed: what is not published.
    """

    k: int
    rooted: bool
    original: Any
    clusters: Any
    chunks: Any
    key: Any
    records: Any
    suppressed: Any


def frames_of(
    session: Any, kept: Path, tables: Mapping[str, Sequence[Path]], *, k: int, rooted: bool
) -> Frames:
    """Frames of the files of all tables of a release and its key, and of the original as it was kept."""
    from pyspark.sql import functions as f

    def read(table: str) -> Any:
        if not tables[table]:
            message = f"the private folder has no file of the table {table}; name the one that belongs to the release"
            raise ReleaseError(message)
        return session.read.parquet(*(file_url(file) for file in tables[table]))

    chunks = read("chunks").select("*", f.col("_metadata.row_index").alias("at"))
    own = (read(name) for name in ("key", "records", "suppressed"))
    return Frames(k, rooted, _numbered(session, kept), read("clusters"), chunks, *own)


def _numbered(session: Any, kept: Path) -> Any:
    """The original with the number of each record: files in the order of their names, rows as they stand there."""
    from pyspark.sql import functions as f

    rows = session.read.parquet(file_url(kept)).select(
        "items", f.col("_metadata.file_name").alias("file"), f.col("_metadata.row_index").alias("at")
    )
    starts, total = [], 0
    for row in sorted(rows.groupBy("file").count().collect(), key=lambda row: row["file"]):
        starts.append((row["file"], total))
        total += row["count"]
    known = session.createDataFrame(starts, "file string, start bigint")
    joined = rows.join(f.broadcast(known), "file")
    return joined.select((f.col("start") + f.col("at")).alias("record"), "items")


def check_frames(given: Frames) -> list[Check]:
    """All checks with original and key."""
    checks = [*_by_record(given), _members(given), _rows(given)]
    checks += [_root(given)] if given.rooted else [_terms(given)]
    return [*checks, _withheld(given)]


def _balance(*hashed: Any) -> list[Any]:
    """Columns that are all 0 where rows of ``sign`` 1 and of -1 hash the same."""
    from pyspark.sql import functions as f

    sign = f.col("sign").cast("bigint")
    return [
        f.sum(sign).alias("count"),
        f.bit_xor(f.xxhash64(*hashed)).alias("either"),
        f.sum(sign * f.hash(*hashed).cast("bigint")).alias("sum"),
    ]


def _unbalanced() -> Any:
    from pyspark.sql import functions as f

    return (f.col("count") != 0) | (f.col("either") != 0) | (f.col("sum") != 0)


def _judged(frame: Any, *faults: tuple[Any, str, str]) -> tuple[int, list[Fault]]:
    """How many rows there are; how many of them are wrong in each way, and which is the first of these."""
    from pyspark.sql import functions as f

    columns = [f.count(f.lit(1))]
    for wrong, what, _ in faults:
        columns += [f.count(f.when(wrong, 1)), f.min(f.when(wrong, f.col(what)))]
    total, *found = frame.agg(*columns).collect()[0]
    told = zip(found[::2], found[1::2], faults, strict=True)
    return total, [Fault(many, said.format(shorten(str(first))[1:-1])) for many, first, (_, _, said) in told]


def _by_record(given: Frames) -> list[Check]:
    """Is every record what it was, and in one place? One pass over all occurrences."""
    from pyspark.sql import functions as f

    nothing, none = f.lit(0), f.lit(None).cast("bigint")

    def rows(frame: Any, sign: int, cluster: Any, listed: Any, left_out: Any, items: Any) -> Any:
        return frame.select(
            "record",
            f.lit(sign).alias("sign"),
            cluster.alias("cluster"),
            listed.alias("listed"),
            left_out.alias("left_out"),
            items.alias("item"),
        )

    def item(column: Any) -> Any:
        return f.explode(column)

    left_out = f.when(f.col("reason") == "small cluster", 2).otherwise(
        (f.col("reason") != "rare").cast("int")
    )
    everything = (
        rows(given.original, 1, none, nothing, nothing, item(f.array_distinct("items")))
        .unionByName(rows(given.key, -1, f.col("cluster"), nothing, nothing, item("items")))
        .unionByName(rows(given.suppressed, -1, none, nothing, left_out, item("items")))
        .unionByName(rows(given.records, 0, f.col("cluster"), f.lit(1), nothing, f.lit(None).cast("string")))
    )
    # A record of the list has no item: null hashes to a constant, which one listing adds once.
    placed = f.col("item").isNotNull()
    sign = f.when(placed, f.col("sign")).otherwise(0).cast("bigint")
    per_record = everything.groupBy("record").agg(
        f.sum(sign).alias("count"),
        f.bit_xor(f.when(placed, f.xxhash64("item")).otherwise(f.lit(0).cast("bigint"))).alias("either"),
        f.sum(sign * f.hash("item").cast("bigint")).alias("sum"),
        f.max("sign").alias("there"),
        f.sum("listed").alias("listed"),
        f.max("left_out").alias("left_out"),
        f.min("cluster").alias("first"),
        f.max("cluster").alias("last"),
    )
    misplaced = (
        (f.col("listed") > 1)
        | (f.col("first") != f.col("last"))
        | ((f.col("listed") == 0) & ((f.col("left_out") == 0) | f.col("first").isNotNull()))
        | ((f.col("listed") == 1) & ((f.col("left_out") == 2) | (f.col("there") < 1)))
    )
    total, (lost, stray) = _judged(
        per_record,
        (_unbalanced(), "record", "record {} is not rebuilt: an item is lost, invented or given twice"),
        (misplaced, "record", "record {} is not in exactly one cluster with all its parts, nor left out"),
    )
    return [
        conclude("records rebuilt", "key", total, [lost], f"{total:,} records are rebuilt from their parts"),
        conclude("records in place", "key", total, [stray], f"{total:,} records have one place"),
    ]


def _members(given: Frames) -> Check:
    from pyspark.sql import functions as f

    listed = given.records.select("cluster", f.lit(1).cast("bigint").alias("many"))
    told = given.clusters.select("cluster", (-f.col("size")).alias("many"))
    sums = listed.unionByName(told).groupBy("cluster").agg(f.sum("many").alias("many"))
    many, faults = _judged(
        sums, (f.col("many") != 0, "cluster", "cluster {} has not as many members as it says")
    )
    return conclude("cluster members", "key", many, faults, f"{many:,} clusters have their members")


def _rows(given: Frames) -> Check:
    """Every row of a record chunk is claimed by one record, with exactly its items."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    place = f.row_number().over(Window.partitionBy("cluster", "chunk").orderBy("at")) - 1
    names = ("cluster", "chunk", "row", "hash", "sign")
    hashed = f.xxhash64("items").alias("hash")
    published = (
        given.chunks.where(f.col("kind") == "record")
        .select("cluster", "chunk", "at", hashed)
        .withColumn("row", place.cast("bigint"))
    )
    claimed = given.key.where(f.col("kind") == "record").select("cluster", "chunk", "row", hashed)
    both = (
        published.withColumn("sign", f.lit(1))
        .select(*names)
        .unionByName(claimed.withColumn("sign", f.lit(-1)).select(*names))
    )
    sums = both.groupBy("cluster").agg(*_balance("chunk", "row", "hash"))
    many, faults = _judged(
        sums, (_unbalanced(), "cluster", "rows of cluster {} are not what its records contribute")
    )
    return conclude(
        "rows claimed", "key", many, faults, f"rows of {many:,} clusters, each claimed by one record"
    )


def _root(given: Frames) -> Check:
    """Every row of the root is claimed by one record; those of a chunk are equal, so any of them will do."""
    from pyspark.sql import functions as f

    rows = given.chunks.where(f.col("kind") == "shared").select("chunk", f.col("items")[0].alias("item"))
    claimed = given.key.where(f.col("kind") == "shared")
    claims = claimed.select("chunk", f.when(f.size("items") == 1, f.col("items")[0]).alias("item"))
    sums = (
        rows.withColumn("many", f.lit(1))
        .unionByName(claims.withColumn("many", f.lit(-1)))
        .groupBy("chunk", "item")
        .agg(f.sum("many").alias("many"))
    )
    twice = claimed.groupBy("chunk", "row").count()
    ends = claimed.groupBy("chunk").agg(
        f.min("row").alias("low"), f.max("row").alias("high"), f.count("row").alias("many")
    )
    outside = (f.col("low") != 0) | (f.col("high") != f.col("many") - 1)
    said = "chunk {} of the root is not what records contribute"
    many, faults = _judged(sums, ((f.col("many") != 0) | f.col("item").isNull(), "chunk", said))
    faults += _judged(twice, (f.col("count") > 1, "chunk", "a row of chunk {} of the root is claimed twice"))[
        1
    ]
    faults += _judged(ends, (outside, "chunk", "a row of chunk {} of the root is claimed that is not there"))[
        1
    ]
    return conclude(
        "root claimed", "key", many, faults, f"rows of {many:,} chunks, each claimed by one record"
    )


def _terms(given: Frames) -> Check:
    from pyspark.sql import functions as f

    def terms(frame: Any, listed: int) -> Any:
        rows = frame.where(f.col("kind") == "term")
        sides = f.lit(listed).alias("listed"), f.lit(1 - listed).alias("given")
        return rows.select("cluster", "row", "chunk", f.explode("items").alias("item"), *sides)

    both = terms(given.chunks.withColumn("row", f.lit(0)), 1).unionByName(terms(given.key, 0))
    only = ((f.col("row") != 0) | (f.col("chunk") != 0)).cast("int")  # a term chunk is one row, and one chunk
    pairs = both.groupBy("cluster", "item").agg(
        f.max("listed").alias("listed"), f.max("given").alias("given"), f.max(only).alias("elsewhere")
    )
    said = "the term chunk of cluster {} is not what records give"
    many, faults = _judged(
        pairs, ((f.col("listed") != f.col("given")) | (f.col("elsewhere") > 0), "cluster", said)
    )
    return conclude(
        "term chunks claimed", "key", many, faults, f"{many:,} listed items are what records give"
    )


def _withheld(given: Frames) -> Check:
    """What is withheld as rare is rare: fewer than k have it, and the root does not show it."""
    from pyspark.sql import functions as f

    rare = given.suppressed.where(f.col("reason") == "rare").select(f.explode("items").alias("item"))
    shown = given.chunks.where(f.col("kind") == "shared").select(f.col("items")[0].alias("item")).distinct()
    per_item = (
        rare.select("item", f.lit(1).alias("many"), f.lit(0).alias("shown"))
        .unionByName(shown.select("item", f.lit(0).alias("many"), f.lit(1).alias("shown")))
        .groupBy("item")
        .agg(f.sum("many").alias("many"), f.max("shown").alias("shown"))
    )
    most = given.k if given.rooted else 1
    both = (f.col("many") > 0) & (f.col("shown") == 1)
    many, faults = _judged(
        per_item,
        (f.col("many") >= most, "item", "item {} was withheld from too many records"),
        (both, "item", "item {} was withheld and is at the root"),
    )
    return conclude("withheld", "key", many, faults, "only what is rare was withheld")
