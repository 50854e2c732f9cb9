"""A report beside earlier releases of the same people: what was not tried with it speaks against publishing it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from cloven.disclosure.audience import Said
from cloven.storage.ledger import adds, adds_up, warnings
from cloven.storage.ledger_file import epsilon_of
from cloven.threats import Effort

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from cloven.audit.report import AuditReport
    from cloven.storage.ledger import Earlier, Ledger


def beside_earlier(
    found: AuditReport,
    earlier: Sequence[Earlier],
    tried: Collection[str] = (),
    worded: Callable[[Sequence[Earlier]], list[str]] = warnings,
) -> AuditReport:
    """The report with earlier releases of the same people held against it, unless they were tried or are the same.

    Args:
        found: the report.
        earlier: releases that were made before.
        tried: SHA-256 of the manifests of those that attackers were given.
        worded: what to say of those that speak against it.
    """
    epsilon = epsilon_of(found.result.release.parameters)
    costs = map(Said.of, adds_up(epsilon, earlier))
    found = replace(found, cautions=(*found.cautions, *costs))
    # Promises that add up need no attack to be tried: the sum is what both together keep.
    composing = [each for each in earlier if each.composes and (epsilon is None or not adds(each))]
    if not composing:
        told = map(Said.of, warnings(earlier, epsilon=epsilon))
        return replace(found, cautions=(*found.cautions, *told))
    known = {_digest_of(found.result.release), *tried}
    open_ones = [each for each in composing if each.entry.manifest_sha256 not in known]
    return replace(found, decision=found.decision.beside(worded(open_ones)))


def judged_before(found: AuditReport, known: Ledger) -> AuditReport:
    """The report; where an earlier audit of the very same release said no, asking other people does not undo that."""
    if found.decision.verdict != "publish":
        return found
    audits = known.audits_of(_digest_of(found.result.release))
    quick = found.audit.effort.people < Effort().people
    return replace(found, decision=found.decision.after(audits, found.note, quick=quick))


def _digest_of(release: Any) -> str:
    """SHA-256 of the manifest that a release gets when it is written."""
    from cloven.storage.release import write_public

    with TemporaryDirectory() as folder:
        return write_public(release, Path(folder, "release"), "parquet")
