"""Records on a shelf of one machine, as a trial wants them (``parts.people``)."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.disassociated.parts.folder import PartsFolder
from cloven.kinds.disassociated.spilled.gathering import gather
from cloven.kinds.disassociated.spilled.pipeline import Pipeline
from cloven.kinds.disassociated.spilled.room import Room, Sizes
from cloven.storage.atomic import PRIVATE_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.methods.disassociation import Disassociation
    from cloven.kinds.disassociated.parts.people import Work
    from cloven.kinds.disassociated.spilled.gathering import Gathered


@contextmanager
def opened(engine: Any, method: Disassociation, source: Any, scratch: Path) -> Iterator[Shelved]:
    """The records of a source (``reading.pieces``), while they are looked at."""
    room = Room.of(engine.bytes)
    sizes = Sizes(engine.part_clusters, engine.part_rows)
    yield Shelved(gather(source, room, scratch), method, room, sizes, scratch)


@dataclass(frozen=True, eq=False)
class Shelved:
    """Records that were gathered, and how releases are made of them.

    Attributes:
        data: the records.
        method: disassociation.
        room: the memory there is.
        sizes: of the parts.
        scratch: a folder.
    """

    data: Gathered
    method: Disassociation
    room: Room
    sizes: Sizes
    scratch: Path

    @property
    def names(self) -> tuple[str, ...]:
        """All items."""
        return self.data.names

    @cached_property
    def held(self) -> Longs:
        """How many records hold each."""
        held = np.zeros(len(self.names), np.int64)
        for _, _, codes in self.data.batches():
            held += np.bincount(codes, minlength=len(held))
        return held

    @property
    def records(self) -> int:
        """Records with items."""
        return self.data.records

    @property
    def numbers(self) -> int:
        """All records."""
        return self.data.records + self.data.empty

    def known_by(self, receipt: Mapping[str, Any]) -> bool:
        """By their fingerprint."""
        return bool(receipt["input_sha256"] == self.data.fingerprint())

    def parts(self, release: Path) -> PartsFolder:
        """Asked by as many threads as work on blocks; each and who adds them up hold sums of three readers, twice."""
        run = self._run("parts")
        sums = self.room.work // (8 * 6 * (run.threads + 1))
        return PartsFolder(release, run.spread, self.scratch, run.threads, sums)

    def some(self, numbers: Longs) -> tuple[Longs, Longs, Longs]:
        """Some records."""
        found, lengths, codes = self.data.some(numbers)
        return found, lengths, codes.astype(np.int64)

    def over(self, work: Work, *, sums: bool = False) -> Iterator[NDArray[Any]]:  # noqa: ARG002 - nothing is carried
        """One piece after the other."""
        return (work(*piece) for piece in self.data.batches())

    def publish_without(self, numbers: Longs, place: Path) -> None:
        """A release without some of them; what only its owner would keep goes at once."""
        run = self._run(place.name)
        run.work.mkdir(PRIVATE_FOLDER)
        private = run.work / "private"
        run.publish(self.data.without(np.sort(numbers)), place, private)
        shutil.rmtree(run.work)

    def _run(self, name: str) -> Pipeline:
        def quiet(_step: str, _share: float) -> None:
            pass

        return Pipeline(self.method, self.room, self.sizes, self.scratch / f"work-{name}", quiet)
