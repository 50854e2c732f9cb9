"""Where a command reads a release and writes its results, checked before any work is done."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cloven.audit.memory import estimate, estimate_release, estimate_table, refuse_if_too_large
from cloven.cli.console import say, warn
from cloven.cli.options import asks
from cloven.errors import OutputError, ParameterError, ReleaseError
from cloven.escapes import visible
from cloven.intake.machine import available, keep_freed_memory, parse_size
from cloven.values import Value

if TYPE_CHECKING:
    from pathlib import Path

    from cloven.data.schema import Schema
    from cloven.reading import ReadOptions
    from cloven.reading.reader import ExpectedSize


def release_at(path: Path) -> Path:
    """The path of a release, if there can be one; of the folder of an audit that inside it."""
    try:
        path.stat()
    except OSError as error:
        message = f"{path}: cannot be read ({error.strerror}); name the folder or JSON file of a release"
        raise ReleaseError(message) from error
    inner = path / "published"
    if path.is_dir() and not (path / "manifest.json").exists() and (inner / "manifest.json").exists():
        return inner
    return path


def warn_if_broken(release: Any, path: Path) -> None:
    """Say of a release that was read that it does not verify, before anything is answered from it."""
    from cloven.storage.inspection import checks_of_read

    failed = [check.name for check in checks_of_read(release_at(path), release) if not check.passed]
    if failed:
        names = ", ".join(failed)
        warn(f"this release fails verification: {names}; run cloven verify {shlex.quote(str(path))}")


def refuse_places(*targets: Path) -> None:
    """Raise unless every target can be made: new, all different, in a folder that is there."""
    from cloven.storage.atomic import refuse_existing

    refuse_existing(*targets)
    for number, target in enumerate(targets):
        if target.absolute() in [other.absolute() for other in targets[:number]]:
            message = f"{target}: two outputs cannot have one name; name another place for one of them"
            raise ParameterError(message)
        folder = target.parent
        if not folder.exists():
            message = (
                f"{folder}: no such folder to write {target.name} to; make it first or name another place"
            )
            raise OutputError(message)
        if not folder.is_dir():
            message = f"{folder}: is a file, so {target.name} cannot be written there; name another place"
            raise OutputError(message)
        if not os.access(folder, os.W_OK | os.X_OK):
            message = f"{folder}: no permission to write {target.name} there; name another place"
            raise OutputError(message)


# ``--memory``: what would not fit is refused before the work starts.


@dataclass(frozen=True)
class Bounds:
    """How many candidates the attacks of a command weigh at most, and with ``--quick`` if it has that.

    ``publishing`` says that nothing is attacked or measured, which needs less. ``spark`` is the command that does the
    same on Spark, if one does.
    """

    candidates: int = 0
    quick: int | None = None
    publishing: bool = False
    spark: str = ""


def _parse(given: Any) -> float:
    try:
        return parse_size(str(given))
    except ParameterError as error:
        raise ParameterError(str(error).removeprefix("memory ")) from None


MUCH, PLENTY = 500_000_000, 4
"""With so many times the memory that is needed, some of it goes into speed; with less data arrays are small."""
MEMORY = Value(float, "SIZE", _parse)
MEMORY_HELP = "Refuse what needs more; 8G, or any; default: what is free."
MemoryOption = Annotated[float | None, asks(MEMORY, "--memory", help=MEMORY_HELP)]


def refuse_large_file(path: Path, options: ReadOptions, allowed: float | None, bounds: Bounds) -> None:
    """Refuse a file that is expected to need too much memory; a small one is sooner read than estimated."""
    from cloven.reading.files import BEGINNING
    from cloven.reading.reader import expected_size

    if allowed != inf and path.is_file() and path.stat().st_size >= BEGINNING:
        size = expected_size(path, options)
        if size is not None:
            refuse_large(size, allowed, bounds)


def refuse_large_table(path: Path, schema: Schema, allowed: float | None) -> None:
    """The same for a table."""
    from cloven.reading.cells import expected_cells
    from cloven.reading.files import BEGINNING

    if allowed != inf and path.is_file() and path.stat().st_size >= BEGINNING:
        cells = expected_cells(path, schema)
        if cells is not None:
            refuse_if_too_large(estimate_table(cells), allowed)


def refuse_large(size: ExpectedSize, allowed: float | None, bounds: Bounds) -> None:
    """Refuse data of this size if the work on them needs more memory than is allowed, or free if None."""
    wanted = needed_for_release(size) if bounds.publishing else needed(size, bounds.candidates)
    less = None if bounds.quick is None else needed(size, bounds.quick)
    instead = None if less is None else ("--quick", less)
    refuse_if_too_large(wanted, allowed, instead=instead, spark=bounds.spark)
    room = available() if allowed is None or allowed == inf else allowed
    if room is not None and MUCH <= wanted <= room / PLENTY:
        keep_freed_memory()


def needed_for_release(size: ExpectedSize) -> int:
    """Bytes of memory that disassociating data of this size takes."""
    return estimate_release(size.occurrences, size.records, content=size.content)


def needed(size: ExpectedSize, candidates: int = 0) -> int:
    """The same with measures, and with attacks that weigh so many candidates."""
    return estimate(size.occurrences, size.records, content=size.content, candidates=candidates)


def say_places(public: Path, private: Path) -> None:
    """The last lines: what to publish, and what to keep."""
    say(f"published    {visible(str(public))}\nyours alone  {visible(str(private))}")
