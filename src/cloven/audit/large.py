"""Audit data that memory does not hold: the release lies in parts, and is attacked as it lies there.

    data -> an engine anonymises and verifies -> parts are asked -> a sample is audited in memory -> decide

What can be summed up over parts is measured on the release itself: what a known person is told, members beside people
who were left out of releases of the same size; cover problems; likely counts. The other attackers, and utility, are
tried on a release of a random sample of the records, by the usual loop. Whoever gets
past a limit, there or there, speaks against publishing. That nobody does is no proof: a sample loses what few people
share, and who is in the data twice. So nothing is to be published on a sample. Intervals say how much drawing a few
people leaves open.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib import import_module
from math import inf, isinf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.audit.decision import Decision, Limits, Reason
from cloven.audit.loop import Audit
from cloven.audit.memory import BASE, PER_CANDIDATE, PER_OCCURRENCE, PER_RECORD
from cloven.data.arrays import among
from cloven.data.defaults import SEED
from cloven.data.given import expect_kind
from cloven.data.transactions import Transactions
from cloven.disclosure.audience import Said
from cloven.errors import ParameterError
from cloven.figures import many, percent
from cloven.intake.files import content
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.parts.counts import likely
from cloven.kinds.disassociated.parts.covers import covered
from cloven.kinds.disassociated.parts.people import Drawn, KnownPersonTrial
from cloven.statistics.intervals import wilson
from cloven.threats import Effort, Knowledge

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.audit.report import AuditReport
    from cloven.compiled import Longs
    from cloven.disclosure.risk import Risk
    from cloven.kinds.disassociated.parts.folder import PartsFolder
    from cloven.kinds.disassociated.parts.people import Large

    Report = Callable[[str, float], None]

FORMAT = "cloven.large-audit/1"
NOT_SO = Decision("do not publish", "Do not publish this.")
LEAST = 10
"""Times k: the smallest sample that anything is tried on."""
PEOPLE = 500
"""People who are left out of each release. Of 1,500 in all, 95 % intervals are about 5 percentage points long."""
SAMPLE = 50_000
"""Records on which other attackers are tried."""
PAIRS = 1_000
"""Pairs of items whose likely counts are held against the true ones."""


@dataclass(frozen=True)
class LargeAudit:
    """One audit of data of any size.

    Attributes:
        engine: ``cv.Local(memory=...)`` or ``cv.Spark(session)``.
        method: disassociation.
        knowledge: what attackers of the sample may have, beside the release.
        limits: what the owner accepts.
        effort: how thoroughly to measure; ``splits`` says how many releases are made without some of the people.
        people: people who are left out of each of them.
        sample: records on which other attackers are tried.
        seed: for measurements.
        title: what the owner calls the data.
    """

    engine: Any
    method: Disassociation = field(default_factory=Disassociation)
    knowledge: Knowledge = field(default_factory=Knowledge)
    limits: Limits = field(default_factory=Limits)
    effort: Effort = field(default_factory=Effort)
    people: int = PEOPLE
    sample: int = SAMPLE
    seed: int = SEED
    title: str = ""

    def __post_init__(self) -> None:
        expect_kind(self.method, Disassociation, "method of an audit of data of any size")
        least = {"people": 1, "sample": LEAST * self.method.k}
        for name, fewest in least.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < fewest:
                message = f"{name} must be a whole number of at least {fewest}, got {value!r}"
                raise ParameterError(message)
        if self.effort.splits < 1:
            message = f"splits of the effort must be at least 1, got {self.effort.splits}: people must be left out once"
            raise ParameterError(message)
        if not getattr(self.engine, "room", ""):
            message = "the engine holds all records in memory; use Audit, or an engine such as cv.Local(memory='4GB')"
            raise ParameterError(message)

    def run(self, source: Any, out: str | os.PathLike[str], progress: Report | None = None) -> LargeReport:
        """Make a release in ``out`` and its key in ``out.private``, attack it there, and decide.

        A release that does not verify is not written, and raises. Until the verdict is to publish it, a release counts
        as discarded (``cloven ledger``), also where this is interrupted.
        """
        from cloven.storage.atomic import staging_folder
        from cloven.storage.ledger import discard, take_up

        report = progress or (lambda _step, _share: None)
        data = self.engine.read(source) if isinstance(source, str | os.PathLike) else source
        made = self.engine.write(self.method.anonymise(data, report, engine=self.engine), out)
        release = Path(out).absolute()
        discard(release)
        method = getattr(made, "method", self.method)  # with the blocks that there was room for
        trial = import_module(f"cloven.kinds.disassociated.{self.engine.room}.trial")
        with (
            staging_folder(release.parent) as scratch,
            trial.opened(self.engine, method, data, scratch) as large,
        ):
            found = replace(self._tried(large, method, release, scratch, report), made=made)
        if found.decision.verdict == "publish":
            take_up(release)
        return found

    def _tried(
        self, large: Large, method: Disassociation, release: Path, scratch: Path, report: Report
    ) -> LargeReport:
        trial = KnownPersonTrial(method, large, scratch, self.people, self.effort.splits, self.seed, report)
        known = trial.risk(release)
        folder = large.parts(release)
        report("covers", 0.0)
        covers = covered(folder)
        report("counts", 0.0)
        counts = self._counts(large, folder)
        report("other attackers, on a sample", 0.0)
        sample = self._sampled(large, method, report)
        decision = self._decide(known, covers, sample, method.k, large.records)
        return LargeReport(release, large.records, known, covers, counts, sample, decision)

    def _sampled(self, large: Large, method: Disassociation, report: Report) -> AuditReport:
        """The usual loop, on random records."""
        rng = np.random.default_rng([self.seed, large.records, 1])
        size, effort = self._room(large, method.k)
        audited = Audit(
            method, self.knowledge, self.limits, effort, advise=False, seed=self.seed, title=self.title
        )
        return audited.run(_records(large, size, rng), report)

    def _room(self, large: Large, k: int) -> tuple[int, Effort]:
        """Records of the sample, and how many links attackers may weigh, within the memory of the engine."""
        room = getattr(self.engine, "bytes", inf) - BASE
        if isinf(room):
            return self.sample, self.effort
        items = float(large.held.sum()) / large.records
        fitting = int(0.4 * room / (PER_OCCURRENCE * items + PER_RECORD))
        weighed = int(0.3 * room / PER_CANDIDATE)
        effort = replace(
            self.effort,
            most_candidates=min(self.effort.most_candidates, weighed),
            most_pairs=min(self.effort.most_pairs, weighed),
        )
        return max(LEAST * k, min(self.sample, fitting)), effort

    def _decide(
        self, known: Risk, covers: dict[str, int], sample: AuditReport, k: int, records: int
    ) -> Decision:
        """What is told of the release itself, then what the sample tells; on a sample alone nothing is published."""
        limits, audited = replace(self.limits, min_utility=0.0), len(sample.data)
        reasons = [*limits.faults(replace(sample.outcome, risks=(known,), doubts=()), k)]
        if covers["everywhere"]:
            pairs = (
                f"{many(covers['everywhere'], 'pair')} of items have fewer than k candidates in the release"
            )
            reasons.append(Reason(Said(f"{pairs}: its method gives them away, against the promise.")))
        if audited == records:
            reasons += [reason for reason in sample.decision.reasons if str(reason) not in map(str, reasons)]
            return sample.decision if not reasons else replace(NOT_SO, reasons=tuple(reasons))
        others = tuple(_uncovered(risk) for risk in sample.risks if risk.threat != known.threat)
        reasons += self.limits.faults(replace(sample.outcome, risks=others, doubts=()), k)
        told = (
            f"Attackers who put records together were tried on a release of {audited:,} of the {records:,} records,"
            " which hides what few people share; whether somebody is in the data twice was not looked at. Audit all"
            " records in memory before you publish."
        )
        return replace(NOT_SO, reasons=(*reasons, Reason(Said(told))))

    def _counts(self, large: Large, folder: PartsFolder) -> Counts:
        """Likely counts of pairs that people hold, beside the true ones."""
        rng = np.random.default_rng([self.seed, large.records, 2])
        published = {name: code for code, name in enumerate(folder.totals.names)}
        pairs = _pairs(Drawn.of(large, PAIRS, 1, rng).people, published, rng)
        if not len(pairs):
            return Counts(0, None, None)
        place = {name: code for code, name in enumerate(large.names)}
        code = np.array([place[name] for name in folder.totals.names], np.int64)
        true = large.supports(code[pairs])
        guess, low, high = likely(folder, pairs)
        error = np.abs(guess - true) / np.maximum(1, np.maximum(guess, true))
        held = int(((low <= true) & (true <= high)).sum())
        return Counts(len(pairs), float(np.median(error)), (held / len(pairs), *wilson(held, len(pairs))))


@dataclass(frozen=True)
class Counts:
    """How well likely counts of the release hit the true ones.

    Attributes:
        pairs: pairs of items that were asked about.
        error: median of their relative errors; None without pairs.
        held: share of the true counts that lie in the published interval, with the ends of its own.
    """

    pairs: int
    error: float | None
    held: tuple[float, float, float] | None


@dataclass(frozen=True, eq=False)
class LargeReport:
    """What an audit of data of any size found. It knows the truth, so it belongs to the owner.

    Attributes:
        release: folder of the release.
        records: records of the data.
        known: what a known person is told, measured on the release.
        covers: cover problems of the release.
        counts: likely counts of the release beside true ones.
        sample: the usual audit, of a release of records drawn from the data.
        decision: the verdict.
        made: what the engine knows of the data, if it says so.
    """

    release: Path
    records: int
    known: Risk
    covers: dict[str, int]
    counts: Counts
    sample: AuditReport
    decision: Decision
    made: Any = None

    def __repr__(self) -> str:
        return f"LargeReport({self.release.name}, {self.records:,} records: {self.decision.verdict})"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, for the owner."""
        counts, sample = self.counts, self.sample
        held = None if counts.held is None else list(counts.held)
        risks = [risk.to_dict() for risk in sample.risks]
        return {
            "format": FORMAT,
            "manifest_sha256": sha256(content(self.release / "manifest.json")).hexdigest(),
            "records": self.records,
            "decision": self.decision.to_dict(),
            "on_the_release": {
                "known_person": self.known.to_dict(),
                "covers": self.covers,
                "counts": {"pairs": counts.pairs, "median_error": counts.error, "in_interval": held},
            },
            "on_a_sample": {
                "records": len(sample.data),
                "risks": risks,
                "utility": sample.outcome.utility.to_dict(),
            },
        }

    def lines(self) -> list[str]:
        """A few sentences about what was measured on the release itself."""
        found, counts = self.covers, self.counts
        out = [
            self.known.sentence or f"A known person was not tried: {self.known.not_tried}.",
            f"{many(found['pairs'], 'pair')} of items in {many(found['clusters'], 'cluster')} are covered;"
            f" {found['everywhere']:,} of them have fewer than k candidates.",
        ]
        if counts.error is not None and counts.held is not None:
            out.append(
                f"Of {many(counts.pairs, 'pair')} of items the likely count is off by {percent(counts.error)} in the"
                f" median; {percent(counts.held[0])} of the true counts lie in their interval."
            )
        return out

    def lines_of_sample(self) -> list[str]:
        """What each other attacker reached, or why it was not tried."""
        return [
            f"{risk.threat}: {risk.meaning or risk.sentence}"
            if risk.attacker is not None
            else f"{risk.threat}: not tried, {risk.not_tried}"
            for risk in self.sample.risks
            if risk.threat != self.known.threat
        ]


def _uncovered(risk: Risk) -> Risk:
    """What an attacker of the sample reaches, but for its covers: those of the release itself are known."""
    return replace(risk, broken=0) if "covers" in risk.details else risk


def _records(large: Large, most: int, rng: np.random.Generator) -> Transactions:
    """Random records, or all where there are no more."""
    # Some numbers are of empty records, so that more are drawn; what is too many is put back.
    wanted = min(large.numbers, int(1.2 * most * large.numbers / large.records))
    number, lengths, codes = large.some(np.sort(rng.choice(large.numbers, wanted, replace=False)))
    kept = np.sort(rng.permutation(len(number))[:most])
    inside = np.repeat(among(np.arange(len(number)), kept), lengths)
    number, lengths, codes = number[kept], lengths[kept], codes[inside]
    return Transactions.from_arrays(lengths, codes.astype(np.int32), large.names, source_rows=number)


def _pairs(people: Transactions, published: dict[str, int], rng: np.random.Generator) -> Longs:
    """A pair of published items of everybody who has one, each pair once."""
    found = set()
    for record in people:
        codes = sorted(published[name] for name in record if name in published)
        if len(codes) > 1:
            found.add(tuple(sorted(rng.choice(codes, 2, replace=False).tolist())))
    return np.array(sorted(found), np.int64).reshape(-1, 2)
