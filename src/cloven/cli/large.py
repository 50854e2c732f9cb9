"""``cloven anonymise disassociation FILE -o OUT --memory SIZE``: data that needs more, worked on within it."""

from __future__ import annotations

from dataclasses import fields
from math import inf
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from cloven.cli.console import progress, say, say_json, tick, warn
from cloven.cli.ledger import told_of_earlier
from cloven.cli.places import needed, needed_for_release, refuse_places, say_places
from cloven.cli.reading import allowed_memory, in_shell
from cloven.cli.spark import without
from cloven.errors import InputError, ParameterError
from cloven.intake.machine import written
from cloven.reading import ReadOptions, UnplacedError
from cloven.registry import part
from cloven.settings import setting

if TYPE_CHECKING:
    from collections.abc import Mapping


def needed_on_disk(file: Path, options: ReadOptions, *, audited: bool = False) -> int | None:
    """Bytes that a file is expected to need in memory, if that is more than ``--memory`` allows; else None.

    Without ``--memory`` nothing is: what is free may be different tomorrow, and a release shall not be. A folder is
    always worked on so.
    """
    from cloven.reading.files import BEGINNING
    from cloven.reading.reader import expected_size

    allowed = allowed_memory(options)
    if allowed is None or allowed == inf:
        return None
    if file.is_dir():
        return 0
    if not file.is_file() or file.stat().st_size < BEGINNING:
        return None
    size = expected_size(file, options)
    if size is None:
        return None
    wanted = max(needed_for_release(size), needed(size) if audited else 0)
    return wanted if wanted > allowed else None


def refuse_in_memory(given: Mapping[str, bool], needed: int) -> None:
    """Refuse options that need all records in memory, if they are given."""
    for name, asked in given.items():
        if asked:
            way = f"leave it out, or allow about {written(needed)}" if needed else "leave it out"
            message = (
                f"{name} needs all records in memory, and --memory does not hold them; {way}{without(name)}"
            )
            raise ParameterError(message)


def publish_within(
    file: Path, out: Path, method: Any, options: ReadOptions, ledger: Path | None, *, json: bool
) -> Any:
    """Read, anonymise, verify and write within the memory that is allowed, tell what came of it, and give it."""
    from cloven.engines.local import Local
    from cloven.storage.manifest import format_named
    from cloven.storage.release import places, read_manifest

    start = perf_counter()
    public, private = places(out)
    refuse_places(public, private)
    engine = Local(allowed_memory(options))
    how = {each.name: getattr(options, each.name) for each in fields(ReadOptions)}
    with progress("read") as report:
        try:
            made = engine.write(engine.anonymise(method, engine.read(file, **how), report), out)
        except UnplacedError as error:
            raise InputError(
                error.worded(in_shell), source=error.source, line=error.line, value=error.value
            ) from error
    words = part(format_named(read_manifest(public)["format"], str(public)).release, "words")
    figures, used = made.figures, made.method
    cautions = [
        *_smaller_blocks(method, used),
        *words.cautions(figures, used),
        *told_of_earlier(made, out, ledger, made.recognised.sha256),
    ]
    if json:
        seconds = round(perf_counter() - start, 3)
        told = {"published": str(public), "private": str(private), **figures, "seconds": seconds}
        say_json({**told, "cautions": cautions})
        return made
    name, _, rest = setting(used).partition(":")
    say(f"{tick()} {words.headline(used, f'{name}  {rest}'.replace(',', ' '), figures)}")
    say(f"{tick()} verified with the original and the key{words.kept(figures)}")
    for caution in cautions:
        warn(str(caution))
    say_places(public, private)
    return made


def _smaller_blocks(asked: Any, used: Any) -> list[str]:
    if asked.block_records == used.block_records:
        return []
    return [
        f"worked on in blocks of {used.block_records:,} records, as larger ones would not fit; with more memory, or"
        f" --block-records {used.block_records}, the release is made of the same blocks everywhere"
    ]
