"""``--memory``: what would not fit is refused before the work starts."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cloven.cli.values import Value
from cloven.errors import ParameterError
from cloven.memory import estimate, estimate_table, parse_size, refuse_if_too_large

if TYPE_CHECKING:
    from pathlib import Path

    from cloven.io.readers import ReadOptions
    from cloven.io.readers.sizing import ExpectedSize
    from cloven.model.schema import Schema


@dataclass(frozen=True)
class Bounds:
    """How many candidates the attacks of a command weigh at most, and with ``--quick`` if it has that."""

    candidates: int = 0
    quick: int | None = None


def _parse(given: Any) -> float:
    try:
        return parse_size(str(given))
    except ParameterError as error:
        raise typer.BadParameter(str(error).removeprefix("memory ")) from None


MEMORY = Value(float, "SIZE", _parse)
MEMORY_HELP = "Refuse what needs more; 8G, or any; default: what is free."
MemoryOption = Annotated[float | None, MEMORY.option("--memory", help=MEMORY_HELP)]


def refuse_large_file(path: Path, options: ReadOptions, allowed: float | None, bounds: Bounds) -> None:
    """Refuse a file that is expected to need too much memory; a small one is sooner read than estimated."""
    from cloven.io.readers.sizing import BEGINNING, expected_size

    if allowed != inf and path.is_file() and path.stat().st_size >= BEGINNING:
        size = expected_size(path, options)
        if size is not None:
            refuse_large(size, allowed, bounds)


def refuse_large_table(path: Path, schema: Schema, allowed: float | None) -> None:
    """The same for a table."""
    from cloven.io.readers.sizing import BEGINNING
    from cloven.io.table_sizing import expected_cells

    if allowed != inf and path.is_file() and path.stat().st_size >= BEGINNING:
        cells = expected_cells(path, schema)
        if cells is not None:
            refuse_if_too_large(estimate_table(cells), allowed)


def refuse_large(size: ExpectedSize, allowed: float | None, bounds: Bounds) -> None:
    """Refuse data of this size if the work on them needs more memory than is allowed, or free if None."""
    needed = _needed(size, bounds.candidates)
    less = None if bounds.quick is None else _needed(size, bounds.quick)
    refuse_if_too_large(needed, allowed, instead=None if less is None else ("--quick", less))


def _needed(size: ExpectedSize, candidates: int) -> int:
    return estimate(size.occurrences, size.records, content=size.content, candidates=candidates)
