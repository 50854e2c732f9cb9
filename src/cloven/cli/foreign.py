"""``cloven audit --release RELEASE --original FILE``: what others made, or what was made before."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cloven.audit.foreign import audit_with, plan_of
from cloven.audit.memory import estimate_table, refuse_if_too_large
from cloven.cli.answer import print_answer
from cloven.cli.audit_words import answer_of, opening, tell
from cloven.cli.console import progress, say, say_json
from cloven.cli.places import release_at
from cloven.errors import ParameterError
from cloven.reading.schema_file import read_schema
from cloven.registry import parts
from cloven.storage.release import places, read_release

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.audit.loop import Audit
    from cloven.cli.audit import Wanted
    from cloven.cli.typed import Typed
    from cloven.data.table import Table
    from cloven.threats import Knowledge

ForeignRelease = Annotated[
    Path | None,
    typer.Option("--release", metavar="RELEASE", help="Audit this published table, whoever made it."),
]
OriginalFile = Annotated[
    Path | None, typer.Option("--original", metavar="FILE", help="Of --release: what it was made from.")
]
ASSUMED = "what the columns are is assumed; --schema says it"


@dataclass(frozen=True)
class Given:
    """What such an audit is about.

    Attributes:
        release: the published table, or the folder of a release of ours.
        original: what it was made from.
        schema: roles of its columns; None finds them out.
        out: where the report is written; None takes the next free name.
        memory: bytes that may be used; None for what is free.
    """

    release: Path
    original: Path
    schema: Path | None
    out: Path | None
    memory: float | None = None


def refuse_mixed(release: Path | None, original: Path | None, file: Path | None, others: list[str]) -> None:
    """Refuse what cannot be meant together with a release that is there already."""
    if release is None:
        message = "--original is what --release was made from; give --release too, or leave it out"
        raise ParameterError(message)
    if original is None:
        message = "--release is held against the table it was made from; give that with --original FILE"
        raise ParameterError(message)
    if file is not None:
        message = f"--release is there already, so {file} is not anonymised; leave it out, or name it with --original"
        raise ParameterError(message)
    for flag in others:
        message = f"{flag} says how a release is made or kept, and --release is there already; leave it out"
        raise ParameterError(message)


def audit_release(
    given: Given,
    wanted: Wanted,
    knowing: Callable[[Table], Knowledge],
    seed: int,
    typed: Typed,
    *,
    verbose: bool,
    json: bool,
) -> None:
    """Audit a published table, and write and tell what was found; ``knowing`` says what attackers have."""
    start = perf_counter()
    with progress("read") as report:
        plan, data = _plan(given, wanted, knowing, seed)
        target = given.out or _free()

        found = audit_with(plan, data, progress=report)
        report("write", 1.0)
        found.write(target)
    public, private = places(target)
    where = {
        "published": str(given.release),
        "report": str(public / "report.html"),
        "filing": None if wanted.limits.claim is None else str(private / "filing.html"),
        "private": str(private),
    }
    document = found.to_dict("owner")
    if json:
        say_json({**document, "places": where})
    else:
        print_answer(answer_of(found, typed, target, where, perf_counter() - start))
    if verbose and not json:
        assumed = plan.method.table.roles.assumed  # type: ignore[attr-defined]
        reasons = [*assumed, *([ASSUMED] if assumed else [])]
        say("\n" + opening(plan.title, found.description, data, reasons))
        tell(document, found.family.made(found.family.published(found.result.release)), step="read")
    if found.decision.verdict != "publish":
        raise typer.Exit(1)


def _plan(
    given: Given, wanted: Wanted, knowing: Callable[[Table], Knowledge], seed: int
) -> tuple[Audit, Any]:
    schema = None if given.schema is None else read_schema(given.schema)
    plan, data = plan_of(_published(given.release), given.original, schema, given.release.name)
    refuse_if_too_large(estimate_table(data.codes.size), given.memory)
    return (
        replace(
            plan,
            knowledge=knowing(data),
            limits=wanted.limits,
            effort=replace(wanted.effort(data), most_records=None),
            threats=wanted.threats,
            seed=seed,
        ),
        data,
    )


def _published(path: Path) -> Any:
    """The table at a path; of a folder, the texts of the release in it."""
    if not path.is_dir():
        return path
    release = read_release(release_at(path))
    rooms = parts("whole_rows")
    if release.family not in rooms:
        message = (
            f"{path}: holds sets of items, and --release is for tables; prove it with cloven verify, attack it with"
            " cloven attack, or audit the data that it was made from"
        )
        raise ParameterError(message)
    return rooms[release.family].whole_rows(release)


def _free() -> Path:
    for number in count(1):
        path = Path("cloven-audit" if number == 1 else f"cloven-audit-{number}")
        if not any(map(os.path.lexists, places(path))):
            return path
    raise AssertionError
