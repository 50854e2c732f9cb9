"""The job behind *Attack*: an audit with a memory on disk, telling what each attacker reached as soon as it is known.

It is the audit of the command line; a worker that is stopped goes on where it was when the job is given again.
"""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cloven.audit.beside import beside_earlier, judged_before
from cloven.audit.decision import Limits
from cloven.audit.identity import identity
from cloven.audit.loop import Audit
from cloven.errors import ParameterError, ReleaseError
from cloven.intake.files import content, text
from cloven.registry import family_of
from cloven.settings import parse_setting
from cloven.storage.checkpoint import Checkpoint, stamp
from cloven.storage.fingerprint import fingerprint
from cloven.storage.ledger import Ledger, warnings
from cloven.storage.ledger_file import Entry
from cloven.storage.receipt import read_receipt
from cloven.storage.release import read_release
from cloven.studio.beside import sentence
from cloven.studio.forms import made
from cloven.studio.reading_work import read_as
from cloven.studio.records import Reading
from cloven.threats import Effort, Knowledge, OtherRelease

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from cloven.audit.report import AuditReport
    from cloven.protocols import Anonymiser, Family
    from cloven.storage.ledger import Earlier
    from cloven.studio.worker import Teller

T = TypeVar("T")
KEPT_DETAILS = ("ways",)
"""Details of a risk that the page shows while others are still tried; all are in the document at the end."""


def audit(job: Mapping[str, Any], tell: Teller) -> dict[str, Any]:
    """Run the audit and write its folders; gives what lists of runs show."""
    folder = Path(job["folder"])
    target, private = folder / "release", folder / "release.private"
    if (
        private / "audit.json"
    ).is_file() and target.is_dir():  # it was written, and then the worker was killed
        return headline(json.loads(text(private / "audit.json")))
    for half in (target, private):
        shutil.rmtree(half, ignore_errors=True)
    tell.progress("read the data", 0.0)
    place = None if job["place"] is None else Path(job["place"])
    data, _ = read_as(place, Reading(**job["reading"]), folder / "schema.toml")
    plan = planned(job, data)
    family = family_of(plan.method)
    memory = Checkpoint.open(
        folder / "release.private.unfinished", family.fingerprint(data), _identity(plan, job)
    )
    if memory.doubts:
        tell(doubt=" ".join(f"{_said(doubt)}." for doubt in memory.doubts))
    with memory.kept():
        found = plan.run(data, tell.progress, Telling(memory, tell))
        if not found.sampled:
            found = _beside(found, data, job)
        tell(step="write", share=1.0)
        digest = found.write(target)
    return headline(found.to_dict("owner", digest))


def _said(doubt: str) -> str:
    """A doubt without the place in the workspace that it begins with, which nobody ever sees."""
    told = doubt.rpartition(": ")[2]
    return f"Of the steps that were kept: {told}"


def _beside(found: AuditReport, data: Any, job: Mapping[str, Any]) -> AuditReport:
    """The report with releases held against it that were downloaded before, or that a ledger knows of.

    A ledger knows of the runs of this studio too; these are told by their numbers.
    """
    folder = Path(job["folder"])
    runs = {Path(each["private"]): each for each in job["handed_out"]}
    entries = []
    for private in runs:
        with suppress(ReleaseError):  # it was deleted meanwhile
            entries.append(Entry.at(private))
    known = Ledger.read(folder)
    entries += [
        each for each in known.entries if folder.parent.resolve() not in each.private.resolve().parents
    ]
    tried = [
        sha256(content(Path(place) / "manifest.json")).hexdigest() for place in job["wanted"]["releases"]
    ]

    def worded(earlier: Sequence[Earlier]) -> list[str]:
        ours = [each for each in earlier if each.entry.private in runs]
        others = [each for each in earlier if each.entry.private not in runs]
        told = [(runs[each.entry.private], each.same_data) for each in ours]
        return [
            *(sentence(run["number"], run["name"], same_data=same).rstrip(".") for run, same in told),
            *warnings(others),
        ]

    earlier = Ledger(tuple(entries)).earlier(data)
    return judged_before(beside_earlier(found, earlier, tried, worded, known.doubts), known)


def headline(document: Mapping[str, Any]) -> dict[str, Any]:
    """What lists of runs show of a finished one."""
    main = next((each for each in document["outcomes"] if each["main"]), None)
    return {
        "verdict": document["decision"]["verdict"],
        "sentence": document["decision"]["sentence"],
        "setting": document["setting"],
        "risk": None if main is None else main["risk"],
        "tail": None if main is None else main["tail"],
        "broken": None if main is None else main["broken"],
        "utility": None if main is None else main["utility"],
        "measure": document["limits"]["measure"],
        "worst": None if main is None or main["worst"] is None else main["worst"]["threat"],
        "sampled": document["sample"] is not None,
        "groups": document["groups"],
    }


def planned(job: Mapping[str, Any], data: Any) -> Audit:
    """The audit that a job asks for."""
    wanted = job["wanted"]
    method, typed = made(job["reading"]["shape"], job["method"], job["parameters"])
    if method is None:
        raise ParameterError("; ".join(typed.errors.values()))
    knowledge = _knowledge(job, data)
    plan = Audit(
        method,
        knowledge,
        Limits(wanted["max_risk"], wanted["min_utility"], "", wanted["max_tail"]),
        _effort(data, quick=wanted["quick"]),
        _rivals(method, wanted["rivals"], advise=wanted["advise"]),
        advise=wanted["advise"],
        title=job["title"],
    )
    every = family_of(method).threats(method, knowledge)
    chosen = tuple(each for each in every if each.name not in wanted["left_out"])
    return plan if len(chosen) == len(every) else replace(plan, threats=chosen)


def _effort(data: Any, *, quick: bool) -> Effort:
    """How hard to try: a quick look takes less of everything, and a sample of very large data."""
    if not quick:
        return Effort()
    mean = max(1.0, data.codes.size / max(1, len(data)))
    most = None if data.codes.size <= data.at_a_glance else int(data.at_a_glance / mean)
    return replace(Effort().quick(), most_records=most)


def _rivals(method: Anonymiser, names: list[str], *, advise: bool) -> tuple[Anonymiser, ...]:
    shared: dict[str, Any] = {
        name: getattr(method, name) for name in ("k", "m", "l") if hasattr(method, name)
    }
    shared = {name: value for name, value in shared.items() if value is not None}
    found = [parse_setting(name, **shared) for name in names]
    if advise and getattr(method, "safe", "no") != "no":
        found.append(replace(method, safe="no"))  # type: ignore[type-var]  # what repairing costs
    return tuple(rival for rival in found if rival != method)


def _knowledge(job: Mapping[str, Any], data: Any) -> Knowledge:
    """What attackers have: word meanings by their specification, and releases of earlier runs of the same data."""
    from cloven.relatedness.spec import parse

    wanted = job["wanted"]
    meanings = wanted["relatedness"] or ("sample" if job["place"] is None else "")
    releases: list[Any] = [read_release(Path(place)) for place in wanted["releases"]]
    if job["reading"]["shape"] == "table":
        mine = fingerprint(data) if releases else ""
        releases = [
            OtherRelease(each, data.source_rows if _made_from(Path(place)) == mine else None)
            for each, place in zip(releases, wanted["releases"], strict=True)
        ]
    return Knowledge(parse(meanings) if meanings else None, tuple(releases))


def _made_from(published: Path) -> str | None:
    """Fingerprint of the data of another run; they may have been read another way then, with other rows."""
    try:
        found: str | None = read_receipt(published.parent.with_name("release.private"))["input_sha256"]
    except ReleaseError:
        return None
    return found


def _identity(plan: Audit, job: Mapping[str, Any]) -> str:
    """What tells this audit from others; attackers by name, for functions look different in every process."""
    from cloven.relatedness.spec import paths

    names = None if plan.threats is None else [each.name for each in plan.threats]
    wanted = job["wanted"]
    files = [*map(Path, wanted["releases"]), *(paths(wanted["relatedness"]) if wanted["relatedness"] else ())]
    return (
        f"{identity(replace(plan, threats=None))}{names}{''.join(map(stamp, files))}{wanted['relatedness']}"
    )


@dataclass(frozen=True)
class Telling:
    """A memory that tells the server what it is given; a ``Memory`` of ``audit.run``."""

    memory: Checkpoint
    tell: Teller

    def recall(self, step: str, read: Callable[[Any], T]) -> T | None:
        """What a step gave in an earlier run, or None."""
        known = self.memory.recall(step, read)
        if known is not None:
            self._told(step, self.memory.known[step])
        return known

    def keep(self, step: str, plain: Any) -> None:
        """Remember what a step gave."""
        self.memory.keep(step, plain)
        self._told(step, plain)

    def recall_result(self, step: str, family: Family) -> Any:
        """Release and key of an earlier run, or None."""
        return self.memory.recall_result(step, family)

    def keep_result(self, step: str, family: Family, result: Any) -> None:
        """Remember release and key."""
        self.memory.keep_result(step, family, result)

    def _told(self, step: str, plain: Any) -> None:
        if step.startswith("attack ("):
            details = {name: plain["details"][name] for name in KEPT_DETAILS if name in plain["details"]}
            self.tell(found=step, value={**plain, "details": details})
