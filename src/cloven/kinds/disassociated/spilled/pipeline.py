"""From a file to two folders of parts, the same in content as with all records in memory.

1. The file is read piece by piece; items get numbers, records go to a shelf on disk (``gathering``).
2. Records are sorted by content (``ordering``).
3. The top splits of HORPART come from counts (``blocks.splits``); they say to which block a record belongs.
4. Blocks are worked on in memory with the kernels of ``methods`` (``blocks.clusters``), two at once where both fit.
5. Leftovers are counted, clusters are numbered by content, parts and key are written (``publication``).

A block that would not fit is made smaller: ``block_records`` of the release says how large they were.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.disassociated.blocks.clusters import Work, rows_of
from cloven.kinds.disassociated.blocks.description import Recognised
from cloven.kinds.disassociated.blocks.refusal import refuse_whole_data
from cloven.kinds.disassociated.blocks.splits import found_blocks
from cloven.kinds.disassociated.methods.labelling import terms_of, tie_order_of_names
from cloven.kinds.disassociated.part_checks import verify_parts
from cloven.kinds.disassociated.part_originals import Original, verify_original
from cloven.kinds.disassociated.spilled.counting import ShelfCounting
from cloven.kinds.disassociated.spilled.gathering import gather, record_table
from cloven.kinds.disassociated.spilled.ordering import Order
from cloven.kinds.disassociated.spilled.publication import Publication
from cloven.kinds.disassociated.spilled.room import PER_OCCURRENCE, Room, Sizes
from cloven.kinds.disassociated.spilled.standing import StandingOut
from cloven.storage.atomic import PRIVATE_FOLDER
from cloven.storage.release import read_manifest
from cloven.storage.shelf import Shelf
from cloven.verification.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.blocks.splits import Leaf, Tree
    from cloven.kinds.disassociated.methods.disassociation import Disassociation
    from cloven.kinds.disassociated.spilled.gathering import Gathered

    Report = Callable[[str, float], None]

CELL = 8
"""Bytes of a count."""


def refuse(method: Disassociation) -> None:
    """Refuse what would need all records in memory."""
    refuse_whole_data(method, "does not run in bounded memory; leave it out, or allow what all of it needs")


@dataclass(frozen=True)
class Made:
    """What a run made, and what it knows of the data.

    Attributes:
        gathered: the records, still on their shelf.
        method: the method, with the ``block_records`` that there was room for.
        standing_out: hashes of the records that stand out, ascending; None if they were too many to keep.
        recognised: by what the data is known again.
    """

    gathered: Gathered
    method: Disassociation
    standing_out: Any
    recognised: Recognised


@dataclass(frozen=True)
class Pipeline:
    """One run.

    Attributes:
        method: disassociation.
        room: the memory there is.
        sizes: of the parts.
        work: a folder for what is kept between the steps.
        report: is told of each step.
        threads: blocks that are worked on at once, if there is room.
    """

    method: Disassociation
    room: Room
    sizes: Sizes
    work: Path
    report: Report
    threads: int = 2

    def run(self, source: Any, public: Path, private: Path) -> Made:
        """Publish the records of a source (``reading.pieces``)."""
        for folder in (public, private, self.work):
            folder.mkdir(mode=PRIVATE_FOLDER if folder != public else 0o777)
        (self.work / "scratch").mkdir()
        self.report("read", 0.0)
        data = gather(source, self.room, self.work)
        self.method.check_sensitive(data.names)
        if data.records < self.method.k:
            k = self.method.k
            message = f"k = {k} needs at least {k} records, got {data.records:,}; choose a smaller k"
            raise ParameterError(message)
        self.report("fingerprint", 0.0)
        sha256 = data.fingerprint()
        self.report("sort", 0.0)
        ranked, standing = self._ranked(data)
        self.report("split", 0.0)
        method, tree, blocks, weights = self._split(data, ranked)
        placed = self._placed(ranked, data, tree, blocks)
        ranked.remove()
        place = tie_order_of_names(data.names, method.tie_order)
        terms = terms_of(method, data.names, place)
        work = Work(method, place, terms, tuple(block.spent for block in blocks))
        publication = Publication(method, data, place, terms, self.room, self.sizes, self.work, self.report)
        for done, table in enumerate(self._worked(placed, work, weights)):
            publication.add(table)
            self.report("split", (done + 1) / len(blocks))
        placed.remove()
        recognised = Recognised(sha256, standing.sketch())
        publication.write(public, private, recognised)
        return Made(data, method, standing.hashes(), recognised)

    def verify(self, made: Made, public: Path, private: Path) -> Verdict:
        """Verify what was written by its parts, and hold it against the records and the key."""
        manifest = read_manifest(public)
        alone = verify_parts(public, self._spread)
        original = Original(made.gathered.names, made.gathered.batches)
        beside = verify_original((public, private), manifest, original, self.work, self.room.held)
        return Verdict("key", (*alone.checks, *beside.checks))

    def _spread(self, function: Callable[[str], str], given: Sequence[str]) -> list[str]:
        """Call a function with texts, some at once; what it gives, in the same order."""
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(function, given))

    def _shelf(self, name: str) -> Shelf:
        return Shelf(self.work / f"{name}.arrow", self.room.held)

    def _ranked(self, data: Gathered) -> tuple[Shelf, StandingOut]:
        """Records by content; equal ones in the order of the source."""
        unsorted, ranked = self._shelf("unsorted"), self._shelf("ranked")
        for record, offsets, codes in data.batches():
            unsorted.put(0, record_table(record, np.diff(offsets), codes))
        unsorted.close()
        standing = StandingOut(data.names, self.room.held)
        for table in Order(self.work, self.room.work, "codes", len(data.names) - 1).sorted(unsorted, "range"):
            ranked.put(0, table)
            standing.see(*rows_of(table.column("codes")))
        ranked.close()
        return ranked, standing

    def _split(self, data: Gathered, ranked: Shelf) -> tuple[Disassociation, Tree, list[Leaf], Longs]:
        """The blocks, small enough to be worked on, and how many items each of them has."""
        counting = self._counting(data, ranked)
        mean = data.occurrences / data.records
        fitting = int(self.room.occurrences / mean)
        most = max(2 * self.method.k, min(self.method.block_records, fitting))
        while True:
            tree, blocks = found_blocks(counting, data.records, most, self.method.k)
            weights = self._weights(counting, tree, blocks)
            large = [at for at in range(len(blocks)) if weights[at] > self.room.occurrences]
            again = [blocks[at].size for at in large if blocks[at].size <= most]
            if not again or most == 2 * self.method.k:
                break
            most = max(2 * self.method.k, max(again) // 2)
        self.room.refuse(
            int(weights.max()) * PER_OCCURRENCE, "records that cannot be split into smaller blocks"
        )
        method = (
            self.method if most == self.method.block_records else replace(self.method, block_records=most)
        )
        return method, tree, blocks, weights

    def _counting(self, data: Gathered, ranked: Shelf) -> ShelfCounting:
        place = tie_order_of_names(data.names, self.method.tie_order)
        barred = np.flatnonzero(terms_of(self.method, data.names, place).barred)
        return ShelfCounting(ranked, place, frozenset(barred.tolist()), self.room.held // CELL)

    def _weights(self, counting: ShelfCounting, tree: Tree, blocks: list[Leaf]) -> Longs:
        """Items of the records of each block."""
        of_leaf = np.zeros(len(tree.term), np.int64)
        for leaf, offsets, _ in counting.leaves(tree):
            of_leaf += np.bincount(leaf, np.diff(offsets), len(of_leaf)).astype(np.int64)
        return np.array([of_leaf[list(block.nodes)].sum() for block in blocks], np.int64)

    def _placed(self, ranked: Shelf, data: Gathered, tree: Tree, blocks: list[Leaf]) -> Shelf:
        """Records by block, with their rank."""
        import pyarrow as pa

        block_of = np.full(len(tree.term), -1, np.int64)
        for number, block in enumerate(blocks):
            block_of[list(block.nodes)] = number
        placed, rank = self._shelf("blocks"), 0
        leaves = self._counting(data, ranked).leaves(tree)
        for table, (leaf, _, _) in zip(ranked.pieces(0), leaves, strict=True):
            ranks = pa.array(np.arange(rank, rank + len(table)))
            placed.scatter(block_of[leaf], table.append_column("rank", ranks))
            rank += len(table)
        placed.close()
        return placed

    def _worked(self, placed: Shelf, work: Work, weights: Longs) -> Iterator[pa.Table]:
        """The clusters of each block, in the order of the blocks."""

        def clusters(number: int) -> pa.Table:
            return work.clusters(number, placed.take(number))

        waiting: deque[tuple[int, Any]] = deque()
        with ThreadPoolExecutor(self.threads) as pool:
            for number in placed.numbers:
                while waiting and (
                    len(waiting) == self.threads
                    or sum(weights[at] for at, _ in waiting) + weights[number] > self.room.occurrences
                ):
                    yield waiting.popleft()[1].result()
                waiting.append((number, pool.submit(clusters, number)))
            while waiting:
                yield waiting.popleft()[1].result()
