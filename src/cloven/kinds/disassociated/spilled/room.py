"""How the memory that a run may use is shared out."""

from __future__ import annotations

from dataclasses import dataclass

from cloven.errors import ParameterError
from cloven.intake.machine import written

BASE = 420 * 10**6
"""Bytes of the interpreter with all libraries loaded and functions compiled."""
LEAST = 500 * 10**6
"""No run is tried with less."""
PER_OCCURRENCE = 120
"""Bytes that the work on a block takes for each item of its records; measured."""
PER_VERIFIED = 300
"""Bytes that verifying takes for each item of a part."""
PER_NAME = 400
"""Bytes for each item of the vocabulary, and what is counted of it."""


@dataclass(frozen=True)
class Room:
    """Bytes that steps may use.

    Attributes:
        memory: all that the process may use; what messages speak of.
        piece: of a file that is read at once.
        held: what a shelf holds before it is written.
        work: for what is worked on: blocks, ranges that are sorted, parts.
    """

    memory: int
    piece: int
    held: int
    work: int

    @classmethod
    def of(cls, memory: float) -> Room:
        """Share out so many bytes."""
        if memory < LEAST:
            message = (
                f"memory must be at least {written(LEAST)}, as Python and its libraries take"
                f" {written(BASE)}; got {written(memory)}"
            )
            raise ParameterError(message)
        free = int(memory) - BASE
        return cls(int(memory), max(1 << 20, min(1 << 24, free // 64)), free // 24, free * 7 // 10)

    @property
    def occurrences(self) -> int:
        """Items of the records that can be worked on at once."""
        return max(1, self.work // PER_OCCURRENCE)

    @property
    def verified(self) -> int:
        """Items of the records of a part, two of which are verified at once."""
        return max(1, self.work // (2 * PER_VERIFIED))

    def refuse(self, needed: int, what: str) -> None:
        """Refuse what takes more bytes than there are to work with; say how much would do."""
        if needed > self.work:
            least = needed * 10 // 7 + BASE
            message = (
                f"{what} would take more than the {written(self.memory)} of memory that are allowed;"
                f" allow at least {written(least)}"
            )
            raise ParameterError(message)


@dataclass(frozen=True)
class Sizes:
    """How large parts are at most: clusters of a part of the release, rows of any other part."""

    clusters: int
    rows: int
