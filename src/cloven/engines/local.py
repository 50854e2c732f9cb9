"""The engine that needs nothing else: all in the memory of one machine, or within as much of it as it is given."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.engines.engine import Planned, expect_sizes
from cloven.errors import ParameterError
from cloven.intake.machine import parse_size
from cloven.registry import rooms

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.verification.verdict import Verdict

    Report = Callable[[str, float], None]

PART_CLUSTERS = 16_384
PART_ROWS = 1 << 18
"""Rows of equal items pack well: of more, a reader would suspect a file made to unpack without end."""


@dataclass(frozen=True)
class Local:
    """The words of ``cloven`` itself: ``read``, ``anonymise`` of a method, ``write_release``, ``verify_folder``.

    With ``memory`` data of any size is worked on within so many bytes: a file is read piece by piece, what does not fit
    waits on disk beside the target, and the release is written in parts. Its content is that of the release made in
    memory with the same ``block_records``. As nothing is computed before it is written, ``anonymise`` gives a plan.

    Attributes:
        memory: bytes, or a size such as ``"4GB"``; None for all there is.
        part_clusters: clusters of each part of a release that is written in parts.
        part_rows: rows of each other part.

    >>> import cloven as cv
    >>> engine, data = Local(), cv.sample("clinic")
    >>> engine.anonymise(cv.Disassociation(), data) == cv.Disassociation().anonymise(data)
    True
    """

    memory: str | float | None = None
    part_clusters: int = PART_CLUSTERS
    part_rows: int = PART_ROWS

    def __post_init__(self) -> None:
        expect_sizes(part_clusters=self.part_clusters, part_rows=self.part_rows)
        if self.memory is not None:
            _ = self.bytes

    @cached_property
    def bytes(self) -> float:
        """The memory that may be used; without end if nobody said."""
        if self.memory is None:
            return float("inf")
        if isinstance(self.memory, bool) or not isinstance(self.memory, str | int | float):
            message = f"memory must be a size such as '4GB' or a number of bytes, got {self.memory!r}"
            raise ParameterError(message)
        return parse_size(str(int(self.memory) if isinstance(self.memory, float) else self.memory))

    @property
    def room(self) -> str:
        """Where kinds keep what they do within bounded memory; empty where all fits."""
        return "spilled" if self.bounded else ""

    @property
    def bounded(self) -> bool:
        """Whether memory is limited."""
        return not isinf(self.bytes)

    def read(self, source: Any, **how: Any) -> Any:
        """Sets of items from a file or a frame; with ``memory`` a file that is read when it is needed."""
        from cloven.reading import read
        from cloven.reading.arrow import from_frame
        from cloven.reading.pieces import Pieces

        named = isinstance(source, str | os.PathLike)
        if not self.bounded:
            return read(source, **how) if named else from_frame(source, **how)
        if not named:
            got = type(source).__name__
            message = f"with memory a file is read, not what is in memory already; name one, got {got}"
            raise ParameterError(message)
        return Pieces.of(source, **how)

    def anonymise(self, method: Any, data: Any, progress: Report | None = None) -> Any:
        """Release and key; with ``memory`` a plan that ``write`` carries out."""
        if not self.bounded:
            return method.anonymise(data, progress)
        room = _room(method)
        room.refuse(method)
        room.Room.of(self.bytes)
        known = self.read(data) if isinstance(data, str | os.PathLike) else data
        if not hasattr(known, "placed"):
            message = f"with memory data comes from read() or a path, got {type(data).__name__}"
            raise ParameterError(message)
        return Planned(method, known, progress or (lambda _step, _share: None))

    def write(self, result: Any, out: str | os.PathLike[str]) -> Any:
        """Check a release, then write it and its key; of a plan, what is known of the data afterwards."""
        from cloven.storage.release import write_release

        if not isinstance(result, Planned):
            return write_release(result, out)
        from cloven.storage.atomic import staged
        from cloven.storage.release import places

        room = _room(result.method)
        public, private = places(Path(out))
        with staged(private, public) as (private_place, public_place):
            work = private_place.parent / "work"
            sizes = room.Sizes(self.part_clusters, self.part_rows)
            run = room.Pipeline(result.method, room.Room.of(self.bytes), sizes, work, result.report)
            made = run.run(result.data, public_place, private_place)
            run.verify(made, public_place, private_place).raise_if_broken()
            shutil.rmtree(work)
        return replace(made, gathered=None)

    def verify(
        self,
        path: str | os.PathLike[str],
        *,
        original: Any = None,
        private: str | os.PathLike[str] | None = None,
    ) -> Verdict:
        """Verify a release folder or JSON file, with the original and the private folder if they are at hand.

        With ``memory`` a release in parts is held against the file that ``original`` names (or what ``read`` gave).
        """
        from cloven.storage.inspection import part_checks_of, verify_folder

        checks = part_checks_of(Path(path)) if self.bounded and original is not None else None
        if checks is None or private is None:
            return verify_folder(path, original=original, private=private)
        from cloven.storage.atomic import staging_folder

        room = checks.__name__.rpartition(".parts.")[0]
        verification = import_module(f"{room}.spilled.verification")
        source = self.read(original) if isinstance(original, str | os.PathLike) else original
        memory = import_module(f"{room}.spilled.room").Room.of(self.bytes)
        with staging_folder(Path(private).absolute().parent) as folder:
            found: Verdict = verification.verify_within((Path(path), Path(private)), source, memory, folder)
        return found


def _room(method: Any) -> Any:
    """What a kind of release does in bounded memory."""
    room = rooms().get(getattr(method, "family", ""), "")
    name = f"{room}.spilled"
    if not room or find_spec(name) is None:
        message = f"{type(method).__name__} needs all records in memory, only Disassociation does not; leave memory out"
        raise ParameterError(message)
    return import_module(f"{name}.pipeline")
