"""``cloven audit FILE --engine spark``: data that memory does not hold, audited in parts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer

from cloven.audit.beside import hold_against
from cloven.audit.decision import not_covered
from cloven.audit.large import LargeAudit, LargeReport
from cloven.cli.answer import Answer, print_answer
from cloven.cli.audit_words import in_words, tell_verdict
from cloven.cli.console import progress, say, say_json, tick
from cloven.cli.ledger import tried_with
from cloven.cli.next_steps import steps_after
from cloven.cli.places import refuse_places
from cloven.cli.reading import in_shell
from cloven.cli.risk_lines import figures, use
from cloven.cli.spark import compared_by_receipts
from cloven.errors import InputError, ParameterError
from cloven.escapes import json_text, visible
from cloven.figures import many
from cloven.reading import ReadOptions, UnplacedError
from cloven.settings import setting
from cloven.storage.atomic import PRIVATE_FILE, write_bytes
from cloven.storage.ledger_file import check_ledger
from cloven.storage.release import places, read_manifest
from cloven.threats import Effort

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.audit.beside import Beside
    from cloven.audit.decision import Limits
    from cloven.cli.typed import Typed
    from cloven.kinds.disassociated.methods import Disassociation
    from cloven.threats import Knowledge


@dataclass(frozen=True)
class Asked:
    """What an owner asks of such an audit.

    Attributes:
        file: the data.
        out: where the release goes.
        options: how the data is read.
        method: disassociation.
        knowledge: what attackers may have.
        limits: what is accepted.
        quick: whether to measure less of everything.
        seed: for measurements.
        master: of Spark.
        ledger: folder of a ledger, if there is one.
        other_release: a release that attackers are given.
    """

    file: Path
    out: Path
    options: ReadOptions
    method: Disassociation
    knowledge: Knowledge
    limits: Limits
    quick: bool
    seed: int
    master: str | None
    ledger: Path | None
    other_release: Path | None


def free_place() -> Path:
    """Where such an audit goes if nobody says: ``cloven-audit``, or the next free number."""
    for number in count(1):
        path = Path("cloven-audit" if number == 1 else f"cloven-audit-{number}")
        if not any(os.path.lexists(place) for place in places(path)):
            return path
    raise AssertionError


def refuse_of_memory(given: Mapping[str, bool]) -> None:
    """Refuse options of audits that hold all records, if they are given."""
    for name, asked in given.items():
        if asked:
            message = (
                f"{name} does not work where data is audited in parts; leave it out, or audit it in memory"
            )
            raise ParameterError(message)


def audit_in_parts(asked: Asked, typed: Typed, *, verbose: bool, json: bool) -> None:
    """Make the release, attack it in parts, write the report beside it, and tell what came of it."""
    start = perf_counter()
    public, private = places(asked.out)
    refuse_places(public, private)
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
        try:
            source = engine.read(asked.file, **how)
            found = plan.run(source, public, report, partial(_earlier, asked, public), asked.ledger)
        except UnplacedError as error:
            raise InputError(
                error.worded(in_shell), source=error.source, line=error.line, value=error.value
            ) from error
    where = {"release": str(public), "private": str(private), "figures": str(private / "audit.json")}
    plain = {**found.to_dict(), "places": where}
    write_bytes(private / "audit.json", (json_text(plain) + "\n").encode(), PRIVATE_FILE)
    if json:
        say_json(plain)
    else:
        print_answer(_answer(found, typed, asked, where, perf_counter() - start))
    if verbose and not json:
        _tell(found)
    if found.decision.verdict != "publish":
        raise typer.Exit(1)


@contextmanager
def _engine(asked: Asked) -> Iterator[Any]:
    from cloven.engines.spark import Spark, end, session_at
    from cloven.storage.atomic import staging_folder

    with staging_folder(asked.out.absolute().parent) as scratch:
        session = session_at(asked.master or "local[*]", quiet=True, scratch=scratch)
        try:
            yield Spark(session)
        finally:
            end(session)


def _earlier(asked: Asked, public: Path, manifest_sha256: str) -> Beside:
    """Published releases of the same people, held against this one."""
    earlier, cautions = compared_by_receipts(public, asked.ledger)
    held = hold_against(earlier, manifest_sha256, tried=tried_with(asked.other_release))
    return replace(held, cautions=(*held.cautions, *cautions))


def _answer(
    found: LargeReport, typed: Typed, asked: Asked, where: Mapping[str, str], seconds: float
) -> Answer:
    publish, drawn = found.decision.verdict == "publish", len(found.sample.data)
    limits, method = found.sample.audit.limits, found.sample.audit.method
    release = "Release (to publish)" if publish else "Release (not for publication)"
    sampled = "" if drawn == found.records else f"    (measured on {drawn:,} records)"
    return Answer(
        publish,
        (
            asked.file.name,
            many(found.records, "record"),
            in_words(setting(method)),
            f"{seconds:.0f} s",
        ),
        figures(found.outcome, found.decision, limits, method.k),
        use(found.outcome.utility) + sampled,
        not_covered(method, asked.knowledge),
        tuple(map(visible, found.cautions)),
        steps_after(
            replace(found.sample, decision=found.decision, outcome=found.outcome),
            typed,
            asked.out,
            asked.out,
            in_memory=False,
        ),
        [("All figures (do not share)", where["figures"]), (release, where["release"])],
    )


def _tell(found: LargeReport) -> None:
    counts = read_manifest(found.release)["counts"]
    say(
        f"\n{tick()} anonymised and verified with the original and the key: {counts['records']:,} records in"
        f" {counts['clusters']:,} clusters\n"
    )
    say("on the release itself")
    for line in found.lines():
        say(f"  {visible(line)}")
    drawn, all_of_it = len(found.sample.data), "on all records, in memory"
    say(
        f"\non a release of {drawn:,} records drawn from the data"
        if drawn < found.records
        else f"\n{all_of_it}"
    )
    for line in found.lines_of_sample():
        say(f"  {visible(line)}")
    for caution in found.cautions:
        say(f"  {visible(caution)}")
    say("")
    tell_verdict(found.decision.to_dict())
