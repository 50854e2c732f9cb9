"""``cloven audit FILE --memory SIZE`` or ``--engine spark``: data that memory does not hold, audited in parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from cloven.audit.large import LargeAudit, LargeReport
from cloven.cli.audit_words import tell_verdict
from cloven.cli.console import progress, say, say_json, tick
from cloven.cli.ledger import told_of_earlier
from cloven.cli.places import refuse_places
from cloven.cli.reading import allowed_memory
from cloven.cli.spark import earlier_by_fingerprint
from cloven.errors import ParameterError
from cloven.escapes import visible
from cloven.reading import ReadOptions
from cloven.storage.ledger import discard
from cloven.storage.ledger_file import check_ledger, remember
from cloven.storage.release import places, read_manifest
from cloven.threats import Effort

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.audit.decision import Limits
    from cloven.kinds.disassociated.methods import Disassociation
    from cloven.threats import Knowledge


@dataclass(frozen=True)
class Asked:
    """What an owner asks of such an audit.

    Attributes:
        file: the data.
        out: where the release goes; the report goes beside it.
        options: how the data is read.
        method: disassociation.
        knowledge: what attackers may have.
        limits: what is accepted.
        quick: whether to measure less of everything.
        seed: for measurements.
        engine: ``local`` or ``spark``.
        master: of Spark.
        ledger: folder of a ledger, if there is one.
    """

    file: Path
    out: Path
    options: ReadOptions
    method: Disassociation
    knowledge: Knowledge
    limits: Limits
    quick: bool
    seed: int
    engine: str
    master: str | None
    ledger: Path | None


def refuse_of_memory(given: Mapping[str, bool]) -> None:
    """Refuse options of audits that hold all records, if they are given."""
    for name, asked in given.items():
        if asked:
            message = f"{name} needs all records in memory, and they are audited in parts; leave it out"
            raise ParameterError(message)


def audit_in_parts(asked: Asked, *, json: bool) -> None:
    """Make the release, attack it in parts, write the report beside it, and tell what came of it."""
    public, private = places(asked.out)
    report_at = public.with_name(f"{public.name}.audit")
    refuse_places(public, private, *places(report_at))
    check_ledger(asked.ledger)
    with progress("read") as report, _engine(asked) as engine:
        plan = LargeAudit(
            engine,
            asked.method,
            asked.knowledge,
            asked.limits,
            Effort().quick() if asked.quick else Effort(),
            seed=asked.seed,
            title=asked.file.name,
        )
        how = {each.name: getattr(asked.options, each.name) for each in fields(ReadOptions)}
        found = plan.run(engine.read(asked.file, **how), public, report)
    remember(private, asked.ledger)
    found = _beside_earlier(found, public, asked.ledger)
    found.report.write(report_at)
    if found.decision.verdict != "publish":
        discard(public)
    where = {"published": str(public), "private": str(private), "report": str(report_at / "report.html")}
    where |= {"figures": str(places(report_at)[1])}
    if json:
        say_json({**found.to_dict(), "places": where})
    else:
        _tell(found, where)
    if found.decision.verdict != "publish":
        raise typer.Exit(1)


@contextmanager
def _engine(asked: Asked) -> Iterator[Any]:
    if asked.engine != "spark":
        from cloven.engines.local import Local

        yield Local(allowed_memory(asked.options))
        return
    from cloven.engines.spark import Spark, end, session_at
    from cloven.storage.atomic import staging_folder

    with staging_folder(asked.out.absolute().parent) as scratch:
        session = session_at(asked.master or "local[*]", quiet=True, scratch=scratch)
        try:
            yield Spark(session)
        finally:
            end(session)


def _beside_earlier(found: LargeReport, public: Path, ledger: Path | None) -> LargeReport:
    """With earlier releases of the same people, which were not tried with this one, it is not to be published."""
    made = found.made
    told = (
        earlier_by_fingerprint(public, ledger)
        if made is None
        else told_of_earlier(made, public, ledger, made.recognised.sha256)
    )
    return replace(found, report=replace(found.report, decision=found.decision.beside(told)))


def _tell(found: LargeReport, where: Mapping[str, str]) -> None:
    counts = read_manifest(found.release)["counts"]
    say(
        f"{tick()} anonymised and verified with the original and the key: {counts['records']:,} records in"
        f" {counts['clusters']:,} clusters\n"
    )
    say("on the release itself")
    for line in found.lines():
        say(f"  {visible(line)}")
    tried = [risk for risk in found.report.risks if risk is not found.known and risk.attacker is not None]
    say(f"\non a release of {len(found.report.data):,} records drawn from the data")
    for risk in tried:
        say(f"  {risk.threat}: {risk.meaning or risk.sentence}")
    say("")
    tell_verdict(found.decision.to_dict())
    holds = found.decision.verdict == "publish"
    said = "published    {}" if holds else "release      {}  (not to be published as it is)"
    say("\n" + said.format(visible(where["published"])))
    say(f"report       {visible(where['report'])}")
    say(f"yours alone  {visible(where['private'])}, {visible(where['figures'])}")
