"""A report beside earlier releases of the same people: what was not tried with it speaks against publishing it."""

from __future__ import annotations

from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class Beside:
    """What releases that were published earlier mean for a new one.

    Attributes:
        against: what speaks against publishing the new one, a sentence each.
        cautions: what to know of them besides.
        known: SHA-256 of the manifests of those that share people with it; what is published later, or elsewhere, is
            not among them.
    """

    against: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    known: tuple[str, ...] = ()


def hold_against(
    earlier: Sequence[Earlier],
    manifest_sha256: str,
    epsilon: float | None = None,
    tried: Collection[str] = (),
    worded: Callable[[Sequence[Earlier]], list[str]] = warnings,
) -> Beside:
    """Hold releases that were published earlier against a new one, unless they were tried or are the same.

    Args:
        earlier: releases that were published before, compared with the data.
        manifest_sha256: of the new one.
        epsilon: of the new one, if it is differentially private.
        tried: SHA-256 of the manifests of those that attackers were given.
        worded: what to say of those that speak against it.
    """
    known = tuple(sorted({each.entry.manifest_sha256 for each in earlier if each.share}))
    # Promises that add up need no attack to be tried: the sum is what both together keep.
    composing = [each for each in earlier if each.composes and (epsilon is None or not adds(each))]
    untried = [each for each in composing if each.entry.manifest_sha256 not in {manifest_sha256, *tried}]
    rest = [each for each in earlier if each not in composing]
    cautions = (*adds_up(epsilon, earlier), *warnings(rest, epsilon=epsilon))
    return Beside(tuple(worded(untried)) if untried else (), cautions, known)


def beside_earlier(
    found: AuditReport,
    earlier: Sequence[Earlier],
    tried: Collection[str] = (),
    worded: Callable[[Sequence[Earlier]], list[str]] = warnings,
    doubts: Sequence[str] = (),
) -> AuditReport:
    """The report with releases held against it that were published earlier; see ``hold_against``.

    ``doubts`` are what is not known of them.
    """
    release = found.result.release
    held = hold_against(earlier, _digest_of(release), epsilon_of(release.parameters), tried, worded)
    return replace(
        found,
        cautions=(*found.cautions, *map(Said.of, (*held.cautions, *doubts))),
        alone=found.decision.verdict,
        beside=held.known,
        decision=found.decision.beside(held.against),
    )


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
