"""Audit data that memory does not hold: the release lies in parts, and is attacked as it lies there.

    data -> an engine anonymises and verifies -> parts are asked -> measure -> decide

All who count for the verdict are tried on the release itself: who knows a person, or some items of one, asks all parts,
about people who are drawn; who puts records together is tried on clusters that are drawn; covers and repeated records
are counted in all. Intervals say what drawing leaves open, and their upper ends are judged. What is kept, and whether
somebody is in the data at all, is measured on a release of a random sample of the records, by the usual loop.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.audit.decision import SUBTRACTED, Limits, decide, not_covered
from cloven.audit.loop import Audit
from cloven.audit.report import audit_note
from cloven.data.defaults import SEED
from cloven.data.given import expect_kind
from cloven.errors import InputError, ParameterError
from cloven.figures import many, percent
from cloven.intake.files import content
from cloven.kinds.disassociated.attack.known_person_kernel import MOST_KNOWN
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.parts.counts import likely
from cloven.kinds.disassociated.parts.covers import covered
from cloven.kinds.disassociated.parts.doubts import doubts
from cloven.kinds.disassociated.parts.people import KnownPersonTrial, random_records, supports
from cloven.kinds.disassociated.parts.threats import PartsTrial
from cloven.registry import family_of
from cloven.statistics.intervals import wilson
from cloven.storage.ledger import Ledger
from cloven.storage.receipt import read_receipt
from cloven.storage.release import places
from cloven.threats import Effort, Knowledge

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.audit.beside import Beside
    from cloven.audit.decision import Decision
    from cloven.audit.report import AuditReport
    from cloven.compiled import Longs
    from cloven.data.transactions import Transactions
    from cloven.disclosure.outcome import Outcome
    from cloven.disclosure.risk import Risk
    from cloven.engines.engine import Engine
    from cloven.kinds.disassociated.parts.folder import PartsFolder
    from cloven.kinds.disassociated.parts.people import Large
    from cloven.threats import Threat

    Report = Callable[[str, float], None]

FORMAT = "cloven.large-audit/1"
LEAST = 10
"""Times k: the smallest sample that anything is tried on."""
PEOPLE = 500
"""People who are left out of each release. Of 1,500 in all, 95 % intervals are about 5 percentage points long."""
SAMPLE = 50_000
"""Records in whose clusters others are tried, and records on which it is measured what is kept."""
PAIRS = 1_000
"""Pairs of items whose likely counts are held against the true ones."""


@dataclass(frozen=True)
class LargeAudit:
    """One audit of data of any size.

    Attributes:
        engine: ``cv.Spark(session)``.
        method: disassociation.
        knowledge: what attackers may have, beside the release.
        limits: what the owner accepts.
        effort: how thoroughly to measure; ``splits`` says how many releases are made without some of the people.
        people: people who are left out of each of them.
        sample: about how many records the clusters have that others are tried on; and records that it is measured on
            what is kept.
        seed: for measurements.
        title: what the owner calls the data.
    """

    engine: Engine
    method: Disassociation = field(default_factory=Disassociation)
    knowledge: Knowledge = field(default_factory=Knowledge)
    limits: Limits = field(default_factory=Limits)
    effort: Effort = field(default_factory=Effort)
    people: int = PEOPLE
    sample: int = SAMPLE
    seed: int = SEED
    title: str = ""

    def __post_init__(self) -> None:
        if not hasattr(self.engine, "opened"):
            message = f"the engine must be one like cv.Spark(session), got {type(self.engine).__name__}; or use Audit"
            raise ParameterError(message)
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
        if self.method.m >= MOST_KNOWN:
            most = MOST_KNOWN
            message = f"m must be below {most}, as one item more is tried than m, got {self.method.m}"
            raise ParameterError(message)
        if self.limits.min_utility > 0:
            message = (
                f"min_utility is judged on all records, got {self.limits.min_utility:g} for an audit that measures on a"
                " sample what is kept; leave it out, and read that figure"
            )
            raise ParameterError(message)

    def run(
        self,
        source: Any,
        out: str | os.PathLike[str],
        progress: Report | None = None,
        earlier: Callable[[str], Beside] | None = None,
        ledger: str | os.PathLike[str] | None = None,
    ) -> LargeReport:
        """Make a release in ``out`` and its key in ``out.private``, attack it there, and decide.

        A release that does not verify is not written, and raises. ``earlier`` is called in the end with the SHA-256 of
        the manifest, and holds published releases of the same people against this one. The verdict is noted beside the
        key, and in the ``ledger`` if there is one.
        """
        from cloven.storage.atomic import staging_folder
        from cloven.storage.ledger_file import check_ledger, note

        check_ledger(ledger)

        report = progress or (lambda _step, _share: None)
        data = self.engine.read(source) if isinstance(source, str | os.PathLike) else source
        self.engine.write(self.method.anonymise(data, report, engine=self.engine), out)
        release = Path(out).absolute()
        with (
            staging_folder(release.parent) as scratch,
            self.engine.opened(self.method, data, scratch) as large,
        ):
            _refuse_changed(large, release)
            found = self._tried(large, release, scratch, report)
        asked = self.people * self.effort.splits
        kept = audit_note(found.decision.verdict, self.limits, asked, self.knowledge.releases)
        if earlier is not None:
            held = earlier(found.manifest_sha256)
            found = replace(found, decision=found.decision.beside(held.against), cautions=held.cautions)
            kept = replace(kept, beside=held.known)
        audits = Ledger.read(release.parent, ledger).audits_of(found.manifest_sha256)
        quick = self.effort.splits < Effort().splits
        found = replace(found, decision=found.decision.after(audits, kept, quick=quick))
        note(places(release)[1], replace(kept, verdict=found.decision.verdict), ledger)
        return found

    def _tried(self, large: Large, release: Path, scratch: Path, report: Report) -> LargeReport:
        private, method = places(release)[1], self.method
        threats = family_of(method).threats(method, self.knowledge)
        size, effort = max(LEAST * method.k, self.sample), self.effort
        folder = large.parts(release)
        report("covers", 0.0)
        covers = covered(folder)
        person = KnownPersonTrial(method, large, scratch, self.people, self.effort.splits, self.seed, report)
        trial = PartsTrial(person, release, private, covers, effort, size, self.seed)
        found, drawn = trial.risks(threats, report)
        report("counts", 0.0)
        counts = self._counts(large, folder)
        report("repeated records", 0.0)
        against = doubts(large, method)
        report("what is kept, on a sample", 0.0)
        rest = tuple(threat for threat in threats if threat.name not in found)
        sample = self._sampled(large, size, rest, report)
        found |= {risk.threat: risk for risk in sample.risks}
        risks = tuple(found[threat.name] for threat in threats if threat.name in found)
        in_all = folder.manifest["counts"]["clusters"]
        outcome = replace(sample.outcome, risks=risks, groups=in_all, doubts=against)
        untried = [each for each in threats if each.counts and not each.outside and each.name not in found]
        uncovered = not_covered(method, self.knowledge)
        decision = decide(outcome, self.limits, method.k, None, uncovered, untried)
        if self.knowledge.releases:  # of the same people, as far as anybody knows
            decision = decision.beside([SUBTRACTED], uncovered)
        return LargeReport(release, large.records, outcome, covers, counts, drawn, sample, decision)

    def _sampled(self, large: Large, size: int, threats: tuple[Threat, ...], report: Report) -> AuditReport:
        """The usual loop, on random records, with some of the attackers."""
        rng = np.random.default_rng([self.seed, large.records, 1])
        audited = Audit(
            self.method, limits=self.limits, effort=self.effort, threats=threats, advise=False, seed=self.seed,
            title=self.title,
        )  # fmt: skip
        return audited.run(random_records(large, size, rng), report)

    def _counts(self, large: Large, folder: PartsFolder) -> Counts:
        """Likely counts of pairs that people hold, beside the true ones."""
        rng = np.random.default_rng([self.seed, large.records, 2])
        published = {name: code for code, name in enumerate(folder.totals.names)}
        pairs = _pairs(random_records(large, PAIRS, rng), published, rng)
        if not len(pairs):
            return Counts(0, None, None)
        place = {name: code for code, name in enumerate(large.names)}
        code = np.array([place[name] for name in folder.totals.names], np.int64)
        true = supports(large, code[pairs])
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
        outcome: what attackers reach, what is kept, and what else speaks against publishing.
        covers: cover problems of the release.
        counts: likely counts of the release beside true ones.
        clusters: clusters that attackers were tried on who put records together, and all that split something off.
        sample: the usual audit, of a release of records drawn from the data, with the attackers that take it.
        decision: the verdict.
        cautions: what to know before publishing.
    """

    release: Path
    records: int
    outcome: Outcome
    covers: dict[str, int]
    counts: Counts
    clusters: tuple[int, int]
    sample: AuditReport
    decision: Decision
    cautions: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"LargeReport({self.release.name}, {self.records:,} records: {self.decision.verdict})"

    @property
    def manifest_sha256(self) -> str:
        """SHA-256 of the manifest of the release."""
        return sha256(content(self.release / "manifest.json")).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, for the owner."""
        counts, sample = self.counts, self.sample
        held = None if counts.held is None else list(counts.held)
        apart = {risk.threat for risk in sample.risks}
        return {
            "format": FORMAT,
            "manifest_sha256": self.manifest_sha256,
            "records": self.records,
            "decision": self.decision.to_dict(),
            "cautions": list(self.cautions),
            "on_the_release": {
                "risks": [risk.to_dict() for risk in self.outcome.risks if risk.threat not in apart],
                "clusters": {"attacked": self.clusters[0], "split": self.clusters[1]},
                "covers": self.covers,
                "counts": {"pairs": counts.pairs, "median_error": counts.error, "in_interval": held},
                "doubts": [str(doubt) for doubt in self.outcome.doubts],
            },
            "on_a_sample": {
                "records": len(sample.data),
                "risks": [risk.to_dict() for risk in sample.risks],
                "utility": sample.outcome.utility.to_dict(),
            },
        }

    def lines(self) -> list[str]:
        """What was measured on the release itself, a line for each attacker and for the counts."""
        apart, counts = {risk.threat for risk in self.sample.risks}, self.counts
        out = [_line(risk) for risk in self.outcome.risks if risk.threat not in apart]
        attacked, clusters = self.clusters
        if attacked < clusters:
            out.append(
                f"Who puts records together was tried on {attacked:,} of the {many(clusters, 'cluster')} that split"
                " something off."
            )
        if counts.error is not None and counts.held is not None:
            out.append(
                f"Of {many(counts.pairs, 'pair')} of items the likely count is off by {percent(counts.error)} in the"
                f" median; {percent(counts.held[0])} of the true counts lie in their interval."
            )
        return out

    def lines_of_sample(self) -> list[str]:
        """What was measured on a release of some of the records."""
        kept = self.sample.outcome.utility.get()
        return [*map(_line, self.sample.risks), f"{kept.name}: {percent(kept.score or 0.0)}"]


def _refuse_changed(large: Large, release: Path) -> None:
    """Data is read once for the release and once more for its trial."""
    if not large.known_by(read_receipt(places(release)[1])):
        message = (
            "the data changed while it was audited, so its release is one of other records; audit it again"
        )
        raise InputError(message)


def _line(risk: Risk) -> str:
    """What an attacker reached, or why it was not tried."""
    if risk.attacker is None and risk.excess is None:
        return f"{risk.threat}: not tried, {risk.not_tried}"
    told = risk.meaning if risk.excess is None else risk.sentence
    return f"{risk.threat}: {told or risk.sentence}"


def _pairs(people: Transactions, published: dict[str, int], rng: np.random.Generator) -> Longs:
    """A pair of published items of everybody who has one, each pair once."""
    found = set()
    for record in people:
        codes = sorted(published[name] for name in record if name in published)
        if len(codes) > 1:
            found.add(tuple(sorted(rng.choice(codes, 2, replace=False).tolist())))
    return np.array(sorted(found), np.int64).reshape(-1, 2)
