"""START HERE: the loop that Cloven is about, readable in one go.

    data -> anonymise -> verify -> attack -> measure -> report

The release is what the world sees; the key, which says where every part came from, stays with the owner. They are
different types, and only this file and the measures of truth hold both.

>>> import cloven as cv
>>> report = cv.Audit(cv.Disassociation(k=5, m=2), reconstructions=2, seed=1).run(cv.sample("clinic"))
>>> report.verdict.ok
True
>>> report.result.release.records
1000
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven._version import __version__
from cloven.anonymise.disassociation import Disassociation

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from cloven.breach.breaches import Breach
    from cloven.measure.describe import Description
    from cloven.measure.utility import UtilityReport
    from cloven.model.key import Anonymised
    from cloven.model.taxonomy import Taxonomy
    from cloven.model.transactions import Transactions
    from cloven.protocols import Anonymiser
    from cloven.scoring.findings import Findings
    from cloven.threats import Threat
    from cloven.verification import Verdict


@dataclass(frozen=True)
class Audit:
    """One audit: how to anonymise, whom to fear, and how to measure.

    Attributes:
        method: the anonymiser.
        reconstructions: plausible data sets drawn from the release to measure utility on.
        top: how many frequent itemsets are compared.
        taxonomy: item hierarchy for the multi-level measure, if there is one.
        threats: attackers to try, beside the one of k^m-anonymity, against whom the method protects.
        seed: for the measurements only, to repeat them exactly; the release never depends on it.
    """

    method: Anonymiser = field(default_factory=Disassociation)
    reconstructions: int = 5
    top: int = 1000
    taxonomy: Taxonomy | None = None
    threats: tuple[Threat, ...] = ()
    seed: int | None = None

    def run(self, data: Transactions, progress: Callable[[str, float], None] | None = None) -> AuditReport:
        """Anonymise, verify with all that is known, attack, measure. A release that fails verification raises."""
        from cloven.breach.breaches import breaches
        from cloven.breach.covers import covers
        from cloven.measure.describe import describe
        from cloven.measure.utility import utility
        from cloven.verification import verify

        report = progress or (lambda _step, _share: None)
        rng = np.random.default_rng(self.seed)
        clock = _Clock()

        report("describe", 0.0)
        description = describe(data, m=self.method.m, k=self.method.k, rng=rng)
        clock.lap("describe")

        result = self.method.anonymise(data, progress)
        clock.lap("anonymise")

        report("verify", 0.0)
        verdict = verify(result.release, original=data, key=result.key)
        verdict.raise_if_broken()
        clock.lap("verify")

        found = breaches(covers(result.release))
        attacks = {threat.name: threat.try_on(result, rng, progress) for threat in self.threats}
        clock.lap("attack")

        report("measure", 0.0)
        measured = utility(
            data,
            result.release,
            rng=rng,
            reconstructions=self.reconstructions,
            top=self.top,
            taxonomy=self.taxonomy,
            suppressed_records=len(data) - len(result.key.records),
        )
        clock.lap("measure")
        return AuditReport(self, data, description, result, verdict, found, attacks, measured, clock.seconds)


@dataclass(frozen=True)
class AuditReport:
    """What an audit found. It knows the truth, so it belongs to the owner; ``write`` keeps the two sides apart."""

    audit: Audit
    data: Transactions
    description: Description
    result: Anonymised
    verdict: Verdict
    breach: Breach
    attacks: dict[str, Findings | str]
    utility: UtilityReport
    seconds: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        method = self.audit.method
        return {
            "format": "cloven.audit/1",
            "version": __version__,
            "parameters": {"k": method.k, "m": method.m, **method.parameters},
            "seed": self.audit.seed,
            "data": self.description.to_dict(),
            "verdict": self.verdict.to_dict(),
            "covers": self.breach.to_dict(),
            "attacks": {
                name: {"not run": found} if isinstance(found, str) else found.to_dict()
                for name, found in self.attacks.items()
            },
            "utility": self.utility.to_dict(),
            "seconds": self.seconds,
        }

    def to_json(self) -> str:
        """``to_dict`` as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, sort_keys=True) + "\n"

    def write(self, out: str | os.PathLike[str]) -> None:
        """Write ``out/published`` for the world, and ``out.private`` (key and ``audit.json``) for the owner."""
        from cloven.io.audit_folder import write_audit

        write_audit(self.result, out, original=self.data, documents={"audit.json": self.to_json()})


class _Clock:
    """Seconds of each step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, step: str) -> None:
        now = perf_counter()
        self.seconds[step] = round(now - self._last, 3)
        self._last = now
