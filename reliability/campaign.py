"""What every campaign is asked, and the one form of its table."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True)
class Asked:
    """How much is tried.

    Attributes:
        seconds: how long inputs are made.
        times: how often each fault strikes.
        seed: which inputs and moments.
        only: names hold this.
        number: make this one input of the campaign again.
        processes: how many at once.
    """

    seconds: float = 60.0
    times: int = 10
    seed: int = 1
    only: str = ""
    number: int | None = None
    processes: int = os.cpu_count() or 1


def table(rows: Iterable[Sequence[object]]) -> str:
    """Rows of names and numbers below each other, names to the left."""
    cells = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in cells
    ]
    return "\n".join([*lines, ""])
