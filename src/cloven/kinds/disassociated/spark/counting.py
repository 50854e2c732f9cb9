"""Counting over the records of a frame: what ``splits`` asks, and numbers without gaps in an order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import among, counted
from cloven.kinds.disassociated.blocks.parts import in_batches
from cloven.kinds.disassociated.blocks.splits import Profiles, Top, Tree, descend
from cloven.kinds.disassociated.spark.records import unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from cloven.compiled import Longs

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


@dataclass
class FrameCounting:
    """Counts over a frame with a column ``content``.

    Most rounds ask about few records. Whenever at most half of those that are read are still asked about, these are set
    down by themselves, so that all rounds together read no more than twice what they ask about.

    Attributes:
        frame: the records that are read.
        place: place of each item among equally frequent ones: the number of its term.
        barred: terms that nothing is split by.
        records: how many records are read.
        keep: sets a frame down under a name, and gives what was set down.
    """

    frame: Any
    place: NDArray[np.int32]
    barred: frozenset[int]
    records: int
    keep: Callable[[Any, str], Any]
    _kept: int = 0

    def narrow(self, tree: Tree, leaves: Sequence[int], records: int) -> None:
        """Read the records of these leaves alone, once they are half of what is read or less."""
        if 2 * records > self.records:
            return
        asked, place = np.array(sorted(leaves), np.int64), self.place

        def inside(table: pa.Table) -> pa.Table:
            return table.filter(among(leaves_of(table, tree, place)[0], asked))

        some = self.frame.select("content").mapInArrow(
            lambda batches: in_batches(batches, inside), "content binary"
        )
        self.frame = self.keep(some, f"open-{self._kept}")
        self.records, self._kept = records, self._kept + 1

    def top(self, tree: Tree, spent: Mapping[int, frozenset[int]], many: int) -> dict[int, Top]:
        """The most frequent terms of each leaf named."""
        from pyspark.sql import Window
        from pyspark.sql import functions as f

        width = len(self.place)
        banned = np.array(
            sorted(leaf * width + term for leaf, terms in spent.items() for term in terms | self.barred),
            np.int64,
        )
        asked, place = np.array(sorted(spent), np.int64), self.place

        def turned(table: pa.Table) -> pa.Table:
            return _pairs(table, tree, place, asked, banned)

        pairs = self._counted(turned)
        rank = f.row_number().over(Window.partitionBy("leaf").orderBy(f.desc("many"), "what"))
        found: dict[int, list[tuple[int, int, int]]] = {}
        for row in pairs.withColumn("rank", rank).where(f.col("rank") <= many).collect():
            found.setdefault(row["leaf"], []).append((row["rank"], row["what"], row["many"]))
        return {
            leaf: Top(tuple(term for _, term, _ in sorted(rows)), tuple(held for *_, held in sorted(rows)))
            for leaf, rows in found.items()
        }

    def profiles(self, tree: Tree, terms: Mapping[int, Sequence[int]]) -> dict[int, Profiles]:
        """How many records of each leaf named hold which of its terms."""
        width = len(self.place)
        bits = sorted(
            (leaf * width + term, bit) for leaf, own in terms.items() for bit, term in enumerate(own)
        )
        keys, bit = (np.array(column, np.int64) for column in zip(*bits, strict=True))
        asked, place = np.array(sorted(terms), np.int64), self.place

        def turned(table: pa.Table) -> pa.Table:
            return _masks(table, tree, place, asked, keys, bit)

        found: dict[int, list[tuple[int, int]]] = {}
        for row in self._counted(turned).collect():
            found.setdefault(row["leaf"], []).append((row["what"], row["many"]))
        return {
            leaf: Profiles(*(np.array(column, np.int64) for column in zip(*sorted(rows), strict=True)))
            for leaf, rows in found.items()
        }

    def _counted(self, turned: Any) -> Any:
        """Sum what batches count of leaves."""
        from pyspark.sql import functions as f

        partial = self.frame.select("content").mapInArrow(
            lambda batches: in_batches(batches, turned), "leaf bigint, what bigint, many bigint"
        )
        return partial.groupBy("leaf", "what").agg(f.sum("many").alias("many"))


def leaves_of(table: pa.Table, tree: Tree, place: NDArray[np.int32]) -> tuple[Longs, Longs, NDArray[Any]]:
    """Leaf of each record, and the records as rows of terms."""
    offsets, codes = unpacked(table.column("content"))
    terms = place[codes]
    return descend(offsets, terms, len(place), *tree), offsets, terms


def _pairs(table: pa.Table, tree: Tree, place: NDArray[np.int32], asked: Longs, banned: Longs) -> pa.Table:
    """How many records of a batch hold each term, leaf by leaf."""
    leaf, offsets, terms = leaves_of(table, tree, place)
    owner = np.repeat(leaf, np.diff(offsets))
    keys = (owner * len(place) + terms)[among(owner, asked)]
    keys, many = counted(keys[~among(keys, banned)])
    return _counts(keys // len(place), keys % len(place), many)


def _masks(
    table: pa.Table, tree: Tree, place: NDArray[np.int32], asked: Longs, keys: Longs, bit: Longs
) -> pa.Table:
    """How many records of a batch have each profile, leaf by leaf."""
    leaf, offsets, terms = leaves_of(table, tree, place)
    record = np.repeat(np.arange(len(leaf)), np.diff(offsets))
    wanted = leaf[record] * len(place) + terms
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    known = keys[at] == wanted
    mask = np.zeros(len(leaf), np.int64)
    np.bitwise_or.at(mask, record[known], np.int64(1) << bit[at[known]])
    inside = among(leaf, asked)
    width = np.int64(1) << (int(bit.max()) + 1)
    found, many = counted(leaf[inside] * width + mask[inside])
    return _counts(found // width, found % width, many)


def _counts(leaf: Longs, what: Longs, many: Longs) -> pa.Table:
    import pyarrow as pa

    names = ("leaf", "what", "many")
    return pa.table({
        name: pa.array(column, pa.int64()) for name, column in zip(names, (leaf, what, many), strict=True)
    })  # fmt: skip
