"""``cloven audit [FILE]``."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Annotated

import typer

from cloven.anonymise.disassociation import Disassociation
from cloven.audit import Audit
from cloven.audit_report import AuditReport
from cloven.cli.anonymise import refuse_unsafe, warn_of_typos
from cloven.cli.audit_table import table_plan
from cloven.cli.audit_words import tell
from cloven.cli.auditing import AUDITING, Wanted
from cloven.cli.command import takes
from cloven.cli.console import progress, say, say_json, visible, warn
from cloven.cli.disassociating import CHOSEN, Chosen
from cloven.cli.ledger import LedgerFolder, beside_earlier
from cloven.cli.places import refuse_places
from cloven.cli.reading import (
    READING,
    JsonFlag,
    SeedOption,
    TaxonomyFile,
    allowed_memory,
    read_data,
    read_hierarchy,
)
from cloven.cli.table_options import RulesFile, SchemaOfFile, refuse_of_tables, refuse_reading, rules_in
from cloven.errors import ParameterError
from cloven.io.checkpoint import Checkpoint
from cloven.io.ledger import earlier_releases
from cloven.io.ledger_file import check_ledger
from cloven.io.readers import ReadOptions
from cloven.model.table import Table
from cloven.model.taxonomy import Taxonomy
from cloven.model.transactions import Transactions
from cloven.protocols import Anonymiser
from cloven.settings import split_settings


@takes(chosen=CHOSEN, wanted=AUDITING, options=READING)
def audit(
    chosen: Chosen,
    wanted: Wanted,
    options: ReadOptions,
    file: Annotated[
        Path | None, typer.Argument(help="Data; without it the built-in sample clinic.", metavar="FILE")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="OUT", help="New folder; default cloven-audit, or the next free number."
        ),
    ] = None,
    schema: SchemaOfFile = None,
    rules: RulesFile = None,
    taxonomy: TaxonomyFile = None,
    ledger: LedgerFolder = None,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """Anonymise, verify, attack, measure and decide in one go.

    OUT (release and report.html) is to publish if the verdict says so; OUT.private (key, figures, the owner's report)
    to keep. An audit that was interrupted goes on where it stopped when the same command is given again.
    The first of --methods is audited, unless it is a disassociation, which other options describe. With --schema, FILE
    is a table of persons.
    """
    check_ledger(ledger)
    if out is not None:
        refuse_places(*places(out)[:2])
    with progress("read") as report:
        data: Transactions | Table
        reasons: list[str] = []
        if schema is not None:
            refuse_reading(options, taxonomy)
            rules_given, allowed = rules_in(rules), allowed_memory(options)
            data, plan = table_plan(file, schema, chosen, wanted, rules_given, seed, allowed)
        else:
            refuse_of_tables(
                [*AUDITING.given({"other_data": wanted.other_data}), *([] if rules is None else ["--rules"])]
            )
            data = read_data(file, options, wanted.bounds)
            plan, reasons = _plan(data, file, chosen, wanted, read_hierarchy(taxonomy, data), seed)
        target, memory = _place(out, data, plan, wanted.stamps)
        with _telling_of(memory), memory.kept():
            found = plan.run(data, report, None if wanted.quick else memory)
            if not found.sampled:
                found = beside_earlier(found, earlier_releases(data, target, ledger), wanted.other_release)
            report("write", 1.0)
            digest = found.write(target, ledger)
    where = _where(found, target)
    if json:
        say_json({**found.to_dict("owner", digest), "places": where})
    else:
        tell(found.to_dict("owner", digest), reasons)
        _say_places(where, holds=found.decision.verdict == "publish")
    if found.sampled or found.decision.verdict != "publish":
        raise typer.Exit(1)


def _plan(
    data: Transactions,
    file: Path | None,
    chosen: Chosen,
    wanted: Wanted,
    hierarchy: Taxonomy | None,
    seed: int | None,
) -> tuple[Audit, list[str]]:
    """How sets of items are audited, and why so."""
    method, reasons = chosen.method(data)
    refuse_unsafe(method, allowed=False)
    warn_of_typos(method, data)
    audited, rivals = _first_named(method, chosen, wanted.rivals(method, hierarchy), wanted.methods)
    if audited is not method:
        reasons = [reason for reason in reasons if reason[:2] in ("k=", "m=")]
    plan = Audit(
        audited,
        wanted.knowledge(sample=file is None),
        wanted.limits,
        replace(wanted.effort(data), taxonomy=hierarchy),
        rivals,
        wanted.threats,
        advise=wanted.advise,
        seed=seed,
        title="sample clinic" if file is None else file.name,
    )
    return plan, reasons


def _first_named(
    method: Disassociation, chosen: Chosen, rivals: tuple[Anonymiser, ...], methods: str | None
) -> tuple[Anonymiser, tuple[Anonymiser, ...]]:
    """What is audited, and what it is compared with: the first of --methods, unless that is a disassociation."""
    named = [text.partition(":")[0] for text in split_settings(methods or "")]
    if not named or named[0] == "disassociation":
        return method, rivals
    options = CHOSEN.given({each: value for each, value in chosen.given.items() if each not in ("k", "m")})
    if options:
        what = f"{options[0]} is for disassociation, but {named[0]} is audited"
        message = f"{what}; leave it out, or name {named[0]} second"
        raise ParameterError(message)
    usual = Disassociation(k=method.k, m=method.m)  # what the bare name stands for
    others = [each for each in rivals[1:] if each != usual]
    return rivals[0], (*others, *([method] if "disassociation" in split_settings(methods or "") else []))


def places(out: Path) -> tuple[Path, Path, Path]:
    """The folder to publish, the folder to keep, and where finished steps are kept on the way."""
    from cloven.io.release import places as two

    public, private = two(out)
    return public, private, private.with_name(f"{private.name}.unfinished")


def _place(out: Path | None, data: Transactions | Table, plan: Audit, stamps: str) -> tuple[Path, Checkpoint]:
    """Where to write, and the memory of an earlier run that was interrupted there.

    What is in memory is compared by fingerprint, so that an audit never goes on with the steps of other data; and by
    the stamps of the files that attackers are given.
    """
    from cloven.registry import family_of

    print_of_data = family_of(plan.method).fingerprint(data)
    settings = repr(
        (plan.method, plan.knowledge.relatedness, plan.effort, plan.rivals, plan.threats, plan.seed)
    )
    settings += stamps
    if out is not None:
        return out, Checkpoint.open(places(out)[2], print_of_data, settings)
    for number in count(1):
        path = Path("cloven-audit" if number == 1 else f"cloven-audit-{number}")
        public, private, unfinished = places(path)
        if os.path.lexists(public) or os.path.lexists(private):
            continue
        if Checkpoint.belongs(unfinished, print_of_data):
            return path, Checkpoint.open(unfinished, print_of_data, settings)
    raise AssertionError


@contextmanager
def _telling_of(memory: Checkpoint) -> Iterator[None]:
    """Say where finished steps lie if the block does not end well: release and key are among them."""
    try:
        yield
    except BaseException:
        if memory.folder.is_dir():
            place = visible(str(memory.folder))
            warn(
                f"{place} keeps what was finished, the key too: the same command goes on with it, or delete it"
            )
        raise


def _where(found: AuditReport, target: Path) -> dict[str, str | None]:
    public, private, _ = places(target)
    return {
        "published": None if found.sampled else str(public / "published"),
        "report": str(public / "report.html"),
        "private": str(private),
    }


def _say_places(where: dict[str, str | None], *, holds: bool) -> None:
    if where["published"] is None:
        say("\nnothing is published yet: this was a sample; audit without --quick to make the release")
    elif holds:
        say(f"\npublished    {visible(where['published'])}")
    else:
        say(f"\nrelease      {visible(where['published'])}  (not to be published as it is)")
    say(f"report       {visible(str(where['report']))}\nyours alone  {visible(str(where['private']))}")
