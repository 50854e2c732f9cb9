"""``cloven anonymise disassociation FILE -o OUT --engine spark``: the same release from many machines, in parts."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from cloven.cli.console import progress, say, say_json, tick, warn
from cloven.cli.places import refuse_places, say_places
from cloven.errors import ParameterError
from cloven.reading import ReadOptions
from cloven.registry import part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.storage.ledger import Earlier


def without(name: str) -> str:
    """What is to be known of a release that is made without an option."""
    if name != "--measure-counts":
        return ""
    return " (intervals of counts are wider without it; `cloven audit` says how often they hold)"


def refuse_on_spark(options: Mapping[str, bool]) -> None:
    """Refuse options that only work in memory, if they are given."""
    for name, given in options.items():
        if given:
            way = f"leave it out, or work in memory{without(name)}"
            message = f"{name} does not work with --engine spark; {way}"
            raise ParameterError(message)


def publish_on_spark(
    file: Path, out: Path, method: Any, options: ReadOptions, master: str, ledger: Path | None, *, json: bool
) -> None:
    """Read, anonymise, verify and write on Spark, and tell what came of it."""
    from cloven.engines.spark import Spark, end, session_at
    from cloven.storage.atomic import staging_folder
    from cloven.storage.ledger import warnings
    from cloven.storage.manifest import format_named
    from cloven.storage.release import places, read_manifest

    start = perf_counter()
    public, private = places(out)
    refuse_places(public, private)
    with progress("start Spark") as report, staging_folder(public.absolute().parent) as scratch:
        engine = Spark(session_at(master, quiet=True, scratch=scratch))
        try:
            how = {each.name: getattr(options, each.name) for each in fields(ReadOptions)}
            engine.write(engine.anonymise(method, engine.read(file, **how), report), out)
        finally:
            end(engine.session)
    manifest = read_manifest(public)
    counts = manifest["counts"]
    earlier, unknown = compared_by_receipts(out, ledger)
    cautions = [*warnings(earlier), *unknown]
    if json:
        seconds = round(perf_counter() - start, 3)
        say_json({
            "published": str(public), "private": str(private), **counts, "seconds": seconds, "cautions": cautions
        })  # fmt: skip
        return
    words = part(format_named(manifest["format"], str(public)).release, "words")
    say(f"{tick()} {words.headline(method, method.parameters['method'], counts)}")
    say(f"{tick()} verified with the original and the key")
    for caution in cautions:
        warn(caution)
    say_places(public, private)


def compared_by_receipts(out: Path, ledger: Path | None) -> tuple[tuple[Earlier, ...], list[str]]:
    """Published releases, as far as receipts tell what they have in common with this one, and what these do not tell.

    To count the records themselves, all of the data would have to be looked at once more.
    """
    from cloven.storage.ledger import Ledger, by_receipts, own_entry

    known, own = Ledger.read(out.parent, ledger), own_entry(out)
    if own is None:
        return (), []
    others = [entry for entry in known.entries if entry.published and entry.identity != own.identity]
    compared = tuple(by_receipts(own, entry) for entry in others)
    out_of_sight = sum(not (each.same_data or each.same_release or each.overlap) for each in compared)
    told = known.doubts
    if out_of_sight:
        some = "1 published release is" if out_of_sight == 1 else f"{out_of_sight:,} published releases are"
        told.append(f"{some} of other data; whether people are in both is not known")
    return compared, told
