"""Audit data that memory does not hold: the release lies in parts, and is attacked as it lies there.

    data -> an engine anonymises and verifies -> parts are asked -> a sample is audited in memory -> decide

What can be summed up over parts is measured on the release itself: what a known person is told, members beside people
who were left out of releases of the same size; cover problems; likely counts. The other attackers, and utility, are
tried on a release of a random sample of the records, by the usual loop. The verdict rests on all of it: whoever gets
past a limit, there or there, speaks against publishing. Intervals say how much drawing a few people leaves open.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.audit.decision import Limits, decide, not_covered
from cloven.audit.loop import Audit
from cloven.data.arrays import among
from cloven.data.defaults import SEED
from cloven.data.given import expect_kind
from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.figures import many, percent
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.parts.counts import likely
from cloven.kinds.disassociated.parts.covers import covered
from cloven.kinds.disassociated.parts.people import Drawn, KnownPersonTrial
from cloven.statistics.intervals import wilson
from cloven.threats import Effort, Knowledge

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.audit.decision import Decision
    from cloven.audit.report import AuditReport
    from cloven.compiled import Longs
    from cloven.disclosure.risk import Risk
    from cloven.kinds.disassociated.parts.folder import PartsFolder
    from cloven.kinds.disassociated.parts.people import Large

    Report = Callable[[str, float], None]

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
        for name in ("people", "sample"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                message = f"{name} must be a whole number of at least 1, got {value!r}"
                raise ParameterError(message)
        if not getattr(self.engine, "room", ""):
            message = "the engine holds all records in memory; use Audit, or an engine such as cv.Local(memory='4GB')"
            raise ParameterError(message)

    def run(self, source: Any, out: str | os.PathLike[str], progress: Report | None = None) -> LargeReport:
        """Make a release in ``out`` and its key in ``out.private``, attack it there, and decide.

        A release that does not verify is not written, and raises.
        """
        from cloven.storage.atomic import staging_folder

        report = progress or (lambda _step, _share: None)
        data = self.engine.read(source) if isinstance(source, str | os.PathLike) else source
        made = self.engine.write(self.method.anonymise(data, report, engine=self.engine), out)
        method = getattr(made, "method", self.method)  # with the blocks that there was room for
        trial = import_module(f"cloven.kinds.disassociated.{self.engine.room}.trial")
        release = Path(out).absolute()
        with (
            staging_folder(release.parent) as scratch,
            trial.opened(self.engine, method, data, scratch) as large,
        ):
            return replace(self._tried(large, method, release, scratch, report), made=made)

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
        sampled = self._sampled(large, method, report)
        risks = (
            known,
            *(_with_covers(risk, covers) for risk in sampled.risks if risk.threat != known.threat),
        )
        outcome = replace(sampled.outcome, risks=risks)
        decision = self._decide(outcome, method, len(sampled.data), large.records)
        found = replace(sampled, outcome=outcome, decision=decision, records_in_all=large.records)
        return LargeReport(release, large.records, known, covers, counts, found)

    def _sampled(self, large: Large, method: Disassociation, report: Report) -> AuditReport:
        """The usual loop, on random records."""
        rng = np.random.default_rng([self.seed, large.records, 1])
        audited = Audit(
            method, self.knowledge, self.limits, self.effort, advise=False, seed=self.seed, title=self.title
        )
        return audited.run(_records(large, self.sample, rng), report)

    def _decide(self, outcome: Any, method: Disassociation, sample: int, records: int) -> Decision:
        found = decide(outcome, self.limits, method.k, None, not_covered(method, self.knowledge))
        if sample == records:
            return found
        more = (
            f"A known person, covers and counts are about the release itself; other attackers were tried on one of"
            f" {many(sample, 'record')} drawn from the data."
        )
        return replace(found, sentence=f"{found.sentence} {more}")

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
    """What an audit of data of any size found.

    Attributes:
        release: folder of the release.
        records: records of the data.
        known: what a known person is told, measured on the release.
        covers: cover problems of the release.
        counts: likely counts of the release beside true ones.
        report: risks, utility and the verdict; what is not named above was tried on a sample.
        made: what the engine knows of the data, if it says so.
    """

    release: Path
    records: int
    known: Risk
    covers: dict[str, int]
    counts: Counts
    report: AuditReport
    made: Any = None

    @property
    def decision(self) -> Decision:
        """The verdict."""
        return self.report.decision

    def __repr__(self) -> str:
        return f"LargeReport({self.release.name}, {self.records:,} records: {self.decision.verdict})"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, for the owner."""
        counts = self.counts
        held = None if counts.held is None else list(counts.held)
        whole = {"records": self.records, "covers": self.covers, "known_person": self.known.to_dict()}
        whole |= {"counts": {"pairs": counts.pairs, "median_error": counts.error, "in_interval": held}}
        return {**self.report.to_dict("owner"), "release": str(self.release), "on_the_release": whole}

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


def _with_covers(risk: Risk, covers: dict[str, int]) -> Risk:
    """Covers of the release itself, where the sample was asked for its own."""
    if "covers" not in risk.details:
        return risk
    return replace(risk, broken=max(risk.broken, covers["everywhere"]))


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
