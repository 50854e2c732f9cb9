"""``cloven audit [FILE]``."""

from itertools import count
from pathlib import Path
from typing import Annotated

import typer

from cloven._version import __version__
from cloven.anonymise.disassociation import Disassociation
from cloven.audit import AuditReport
from cloven.cli.anonymise import describe_method, describe_release, summary, tell_cautions
from cloven.cli.command import takes
from cloven.cli.console import percent, progress, say, say_json, table, tick
from cloven.cli.disassociating import DISASSOCIATION
from cloven.cli.reading import READING, read_data
from cloven.cli.utility import utility_rows
from cloven.io.readers import ReadOptions


@takes(method=DISASSOCIATION, options=READING)
def audit(
    method: Disassociation,
    options: ReadOptions,
    file: Annotated[Path | None, typer.Argument(help="Data; without it the built-in sample clinic.")] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="New folder; default cloven-audit, or the next free number."),
    ] = None,
    taxonomy: Annotated[
        Path | None, typer.Option(help="Item hierarchy, leaf first, `;` between levels.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Repeat the measurements exactly (experiments).")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Anonymise, verify and measure in one go; writes OUT to publish and OUT.private to keep."""
    from cloven.audit import Audit
    from cloven.io.atomic import refuse_existing
    from cloven.io.release import places
    from cloven.model.taxonomy import read_taxonomy

    target = out or _free_name()
    refuse_existing(*places(target))
    with progress("read") as report:
        data = read_data(file, options)
        hierarchy = None if taxonomy is None else read_taxonomy(taxonomy)
        found = Audit(method, taxonomy=hierarchy, seed=seed).run(data, report)
        report("write", 0.0)
        found.write(target)
    if json:
        say_json({"published": str(target / "published"), "private": f"{target}.private", **found.to_dict()})
        return
    _tell(found, "sample clinic" if file is None else str(file), method)
    say(f"\npublished    {target / 'published'}\nyours alone  {target}.private")


def _free_name() -> Path:
    """``cloven-audit``, or the first ``cloven-audit-2``, ``-3``, ... that is free."""
    for number in count(1):
        path = Path("cloven-audit" if number == 1 else f"cloven-audit-{number}")
        if not path.exists() and not Path(f"{path}.private").exists():
            return path
    raise AssertionError


def _tell(found: AuditReport, name: str, method: Disassociation) -> None:
    data, seconds = found.description, found.seconds
    figures = summary(found.data, found.result)
    single = data.singled_out[-1]
    say(
        f"cloven {__version__} · {name} · {data.records:,} records, {data.items:,} items,"
        f" {data.mean_length:.1f} per record"
        f" · {percent(single.share, 0)} can be singled out by {single.known_items} known items"
    )
    lines = [
        (
            f"{tick()} anonymised",
            f"{describe_method(method)}: {describe_release(figures)}",
            seconds["anonymise"],
        ),
        (f"{tick()} verified", _verified(found), seconds["verify"]),
        (
            f"{tick()} measured",
            f"{found.utility.reconstructions} plausible data sets drawn",
            seconds["measure"],
        ),
    ]
    say(table([(what, text, f"{spent:.1f} s") for what, text, spent in lines]) + "\n")
    say(table(utility_rows(found.utility), ("measure", "value", "what it means")))
    say(
        f"\nwhoever knows up to {method.m} items of a record has at least {method.k} candidates, before and beside any"
        " other knowledge; attacks that use more are not part of this audit yet\n"
    )
    tell_cautions(figures, method)
    if data.rare_items:
        names = ", ".join(data.rare_item_names[:8])
        more = ", ..." if data.rare_items > 8 else ""
        say(f"items held by fewer than k = {data.k}: {names}{more}")


def _verified(found: AuditReport) -> str:
    done = f"{len(found.verdict.checks)} checks at {found.verdict.level} level"
    return f"{done}: k^m, lemma, shared chunks, order, nothing lost"
