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

from cloven.data.recognition import Chance
from cloven.errors import ParameterError
from cloven.intake.machine import release_unused
from cloven.kinds.disassociated.blocks.clusters import Work, rows_of
from cloven.kinds.disassociated.blocks.description import Recognised
from cloven.kinds.disassociated.blocks.refusal import refuse_whole_data
from cloven.kinds.disassociated.blocks.splits import blocks_of
from cloven.kinds.disassociated.methods.labelling import terms_of, tie_order_of_names
from cloven.kinds.disassociated.parts.checks import verify_parts
from cloven.kinds.disassociated.parts.originals import Original, verify_original
from cloven.kinds.disassociated.spilled.division import Divided, Division
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
    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.methods.disassociation import Disassociation
    from cloven.kinds.disassociated.spilled.gathering import Gathered

    Report = Callable[[str, float], None]


def refuse(method: Disassociation) -> None:
    """Refuse what would need all records in memory."""
    refuse_whole_data(method, "does not run in bounded memory; leave it out, or allow what all of it needs")


@dataclass(frozen=True)
class Made:
    """What a run made, and what it knows of the data.

    Attributes:
        gathered: the records, still on their shelf.
        method: the method, with the ``block_records`` that there was room for.
        figures: what commands print of it.
        hashes: of the records that stand out, ascending; None if they were too many to keep.
        recognised: by what the data is known again.
        vocabulary: all items of the data.
    """

    gathered: Gathered
    method: Disassociation
    figures: dict[str, int | float]
    hashes: NDArray[np.uint64] | None
    recognised: Recognised
    vocabulary: tuple[str, ...]

    def standing_out(self) -> NDArray[np.uint64]:
        """Hashes of the records that stand out, for a ledger; none if they were too many to keep."""
        return np.empty(0, np.uint64) if self.hashes is None else self.hashes

    def alike_by_chance(self, others: int) -> Chance:  # noqa: ARG002
        """As of records in memory: it is small whatever they are."""
        return Chance(0.0, 0.0)


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
        self.work.mkdir(PRIVATE_FOLDER)
        self._step("read")
        return self.publish(gather(source, self.room, self.work), public, private)

    def publish(self, data: Gathered, public: Path, private: Path) -> Made:
        """Publish records that were read before."""
        public.mkdir()
        private.mkdir(PRIVATE_FOLDER)
        (self.work / "scratch").mkdir()
        self.method.check_sensitive(data.names)
        if data.records < self.method.k:
            k = self.method.k
            message = f"k = {k} needs at least {k} records, got {data.records:,}; choose a smaller k"
            raise ParameterError(message)
        self._step("fingerprint")
        sha256 = data.fingerprint()
        self._step("sort")
        ranked, standing, supports = self._ranked(data)
        self._step("split")
        method, divided = self._split(data, ranked)
        place = tie_order_of_names(data.names, method.tie_order)
        terms = terms_of(method, data.names, place)
        work = Work(method, place, terms, tuple(block.spent for block in divided.blocks))
        publication = Publication(method, data, place, terms, self.room, self.sizes, self.work, self._step)
        for done, table in enumerate(self._worked(divided, work)):
            publication.add(table)
            self.report("clusters", (done + 1) / len(divided.blocks))
        divided.shelf.remove()
        recognised = Recognised(sha256, standing.sketch())
        figures = publication.write(public, private, recognised, supports)
        return Made(data, method, figures, standing.hashes(), recognised, data.names)

    def _step(self, name: str) -> None:
        """The next step; memory that the last one left is given back."""
        release_unused()
        self.report(name, 0.0)

    def verify(self, made: Made, public: Path, private: Path) -> Verdict:
        """Verify what was written by its parts, and hold it against the records and the key."""
        manifest = read_manifest(public)
        self._step("verify")
        alone = verify_parts(public, self.spread)
        original = Original(made.gathered.names, made.gathered.batches)
        beside = verify_original((public, private), manifest, original, self.work, self.room.held)
        return Verdict("key", (*alone.checks, *beside.checks))

    def spread(self, function: Callable[[str], str], given: Sequence[str]) -> list[str]:
        """Call a function with texts, some at once; what it gives, in the same order."""
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(function, given))

    def _shelf(self, name: str) -> Shelf:
        return Shelf(self.work / f"{name}.arrow", self.room.held)

    def _ranked(self, data: Gathered) -> tuple[Shelf, StandingOut, Longs]:
        """Records by content, equal ones in the order of the source; who stands out; the support of each item."""
        unsorted, ranked = self._shelf("unsorted"), self._shelf("ranked")
        supports = np.zeros(len(data.names), np.int64)
        for record, offsets, codes in data.batches():
            supports += np.bincount(codes, minlength=len(supports))
            unsorted.put(0, record_table(record, np.diff(offsets), codes))
        unsorted.close()
        standing = StandingOut(data.names, self.room.held)
        for table in Order(self.work, self.room.work, "codes", len(data.names) - 1).sorted(unsorted, "range"):
            ranked.put(0, table)
            standing.see(*rows_of(table.column("codes")))
        ranked.close()
        return ranked, standing, supports

    def _split(self, data: Gathered, ranked: Shelf) -> tuple[Disassociation, Divided]:
        """The records by block, each small enough to be worked on."""
        place = tie_order_of_names(data.names, self.method.tie_order)
        barred = np.flatnonzero(terms_of(self.method, data.names, place).barred)
        division = Division(place, barred, self.room, self.work)
        mean = data.occurrences / data.records
        least = 2 * self.method.k
        fitting = int(self.room.occurrences / mean)
        most = self.method.block_records
        if most > fitting and data.records > fitting:
            most = max(least, fitting)
        parts = division.coarse(ranked, data.records, data.occurrences, most)
        while True:
            parts = division.finer(parts, most)
            blocks = blocks_of(parts.nodes, self.method.k)
            weights = np.array([sum(parts.weights[at] for at in block.nodes) for block in blocks], np.int64)
            large = [blocks[at].size for at in np.flatnonzero(weights > self.room.occurrences)]
            again = [size for size in large if size <= most]
            if not again or most == least:
                break
            most = max(least, max(again) // 2)
        needed = int(weights.max()) * PER_OCCURRENCE
        self.room.refuse(needed, "records that cannot be split into smaller blocks")
        same = most == self.method.block_records
        method = self.method if same else replace(self.method, block_records=most)
        return method, Divided(parts.shelf, blocks, weights)

    def _worked(self, divided: Divided, work: Work) -> Iterator[pa.Table]:
        """The clusters of each block, in the order of the blocks."""
        weights, waiting = divided.weights, deque[tuple[int, Any]]()
        with ThreadPoolExecutor(self.threads) as pool:
            for number in range(len(divided.blocks)):
                while waiting and (
                    len(waiting) == self.threads
                    or sum(weights[at] for at, _ in waiting) + weights[number] > self.room.occurrences
                ):
                    yield waiting.popleft()[1].result()
                waiting.append((number, pool.submit(_clusters, divided, work, number)))
            while waiting:
                yield waiting.popleft()[1].result()


def _clusters(divided: Divided, work: Work, number: int) -> pa.Table:
    import pyarrow as pa

    leaves = (divided.shelf.take(leaf) for leaf in divided.blocks[number].nodes)
    return work.clusters(number, pa.concat_tables(leaves))
