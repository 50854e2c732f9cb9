"""What an audit found, and how it leaves the program: JSON, frame, page, charts, folders."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.audit.document import owned
from cloven.audit.public_document import public
from cloven.escapes import json_text
from cloven.storage.atomic import PRIVATE_FILE, PRIVATE_FOLDER, staged, write_bytes
from cloven.storage.fingerprint import release_fingerprint

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable

    from cloven.audit.decision import Decision, Limits
    from cloven.audit.loop import Audit
    from cloven.disclosure.audience import Audience, Said
    from cloven.disclosure.outcome import Outcome
    from cloven.disclosure.risk import Risk
    from cloven.protocols import Family
    from cloven.storage.ledger_file import Note
    from cloven.verification import Verdict

    Documents = Callable[[str | None], dict[str, str]]


@dataclass(frozen=True)
class AuditReport:
    """What an audit found. It knows the truth, so it belongs to the owner; ``write`` keeps the two sides apart.

    Attributes:
        audit: what was asked for.
        family: the family of its method.
        data: what was audited: all records, or a sample of them.
        records_in_all: records of the data that was given.
        description: figures of what was audited.
        result: release and key.
        verified: what the checker said.
        outcome: risks and utility of the method.
        others: the same for everything that was compared with it.
        failed: settings that were to be compared and could not be made, each with the reason.
        decision: the verdict.
        cautions: what the owner should know before publishing; the owner's alone unless they say otherwise.
        seconds: what each step took.
        kept_elsewhere: whether the release lies where its maker put it, so that it is not written again.
        alone: the verdict before releases were held against it that were published earlier; empty if none were.
        beside: SHA-256 of the manifests of those that share people with it.
    """

    audit: Audit
    family: Family
    data: Any
    records_in_all: int
    description: Any
    result: Any
    verified: Verdict
    outcome: Outcome
    others: tuple[Outcome, ...]
    failed: dict[str, str]
    decision: Decision
    cautions: tuple[Said, ...]
    seconds: dict[str, float]
    kept_elsewhere: bool = False
    alone: str = ""
    beside: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"AuditReport({self.outcome.name}, {len(self.data):,} records: {self.decision.verdict})"

    def _repr_html_(self) -> str:
        from cloven.data.cards import card
        from cloven.figures import estimated

        reached = {
            risk.threat: "not tried" if risk.attacker is None else estimated(risk.attacker)
            for risk in self.risks
        }
        figures = {"setting": self.outcome.name, "records": len(self.data)}
        return card("Audit", {"verdict": self.decision.sentence, **figures, **reached})

    @property
    def risks(self) -> tuple[Risk, ...]:
        """What each attacker reached."""
        return self.outcome.risks

    @property
    def sampled(self) -> bool:
        """Whether a sample of the records was audited; then there is nothing to publish yet."""
        return len(self.data) < self.records_in_all

    @property
    def writes(self) -> bool:
        """Whether there is a release to write."""
        return not self.sampled and not self.kept_elsewhere

    @cached_property
    def _owned(self) -> dict[str, Any]:
        return owned(self)

    @property
    def note(self) -> Note:
        """What the ledger keeps of the verdict."""
        asked = 0 if self.audit.threats == () else self.audit.effort.people
        others = (getattr(each, "release", each) for each in self.audit.knowledge.releases)
        note = audit_note(self.decision.verdict, self.audit.limits, asked, others)
        return replace(note, alone=self.alone or note.verdict, beside=self.beside)

    @property
    def fingerprint(self) -> str:
        """Fingerprint of what was audited; it tells about the data, so it is the owner's."""
        return self.family.fingerprint(self.data)

    def to_dict(self, audience: Audience = "owner", manifest_sha256: str | None = None) -> dict[str, Any]:
        """Everything as plain JSON values (``cloven.audit/1``); for the public, only what is declared to be."""
        if audience == "public":
            return public(self, manifest_sha256)
        return self._owned | {"hashes": self._owned["hashes"] | {"manifest_sha256": manifest_sha256}}

    def to_json(self, audience: Audience = "owner", manifest_sha256: str | None = None) -> str:
        """``to_dict`` as JSON text."""
        plain = self.to_dict(audience, manifest_sha256)
        return json_text(plain) + "\n"

    def to_frame(self) -> Any:
        """One row for each setting and threat, as a Polars frame, or pandas where Polars is not installed."""
        from cloven.report.frame import outcome_frame

        return outcome_frame((self.outcome, *self.others))

    def save_html(self, path: str | os.PathLike[str], audience: Audience = "owner") -> None:
        """Write the report as one page that needs no network; the owner's page is for the owner's eyes alone."""
        from cloven.report.page import save_page

        save_page(self.to_dict(audience), path)

    def write(self, out: str | os.PathLike[str], ledger: str | os.PathLike[str] | None = None) -> str | None:
        """Write ``out`` (release and public page) and ``out.private`` (key, ``audit.json``, the owner's page).

        Where the release is held against a standard, ``filing.html`` in the private folder is the report to sign.
        Gives the SHA-256 of the manifest. After an audit of a sample there is no release to write; the pages say so.
        Nor is one written that others made.
        The verdict is noted beside the key, and in the ledger if there is one: ``cloven publish`` asks for it.
        """
        from cloven.report.page import page, pages
        from cloven.storage.ledger_file import check_ledger, note
        from cloven.storage.release import places

        self.verified.raise_if_broken()
        check_ledger(ledger)
        digest = write_audit(
            out,
            family=self.family,
            result=self.result if self.writes else None,
            original=self.data,
            public=lambda digest: {"report.html": page(self.to_dict("public", digest))},
            private=lambda digest: {
                "audit.json": self.to_json("owner", digest),
                **pages(self.to_dict("owner", digest)),
            },
        )
        if self.writes:
            note(places(Path(out))[1], self.note, ledger)
        return digest


def audit_note(verdict: str, limits: Limits, people: int, others: Iterable[Any]) -> Note:
    """What the ledger keeps of a verdict: when it was reached, what was accepted, and what was asked."""
    from cloven.storage.ledger_file import Note

    accepted = {
        "max_risk": limits.max_risk,
        "max_tail": limits.max_tail,
        "min_utility": limits.min_utility,
        "standard": float(limits.claim is not None),
    }
    tried = tuple(sorted(map(release_fingerprint, others)))
    return Note.now(verdict, alone=verdict, limits=accepted, people=people, tried=tried)


# The two folders of an audit: ``OUT`` (release, page) to share; ``OUT.private`` with all that knows the truth.


def write_audit(
    out: str | os.PathLike[str],
    *,
    family: Family,
    result: Any,
    original: Any,
    public: Documents,
    private: Documents,
) -> str | None:
    """Write ``out`` and ``out.private``, both or neither; gives the manifest's SHA-256.

    Args:
        out: the folder to share.
        family: writes the release to ``out/published`` and the key to ``out.private``.
        result: release and key, verified by the caller; None if there is nothing to publish.
        original: the data, for the receipt.
        public: names and texts of the pages to share, given the SHA-256 of the manifest.
        private: the same for the owner.
    """
    from cloven.storage.release import places

    shared, kept = places(Path(out))
    with staged(kept, shared) as (kept_place, shared_place):
        shared_place.mkdir()
        if result is None:
            kept_place.mkdir(PRIVATE_FOLDER)
            digest = None
        else:
            digest = family.write(result, shared_place / "published", kept_place, original)
        for name, text in public(digest).items():
            write_bytes(shared_place / name, text.encode())
        for name, text in private(digest).items():
            write_bytes(kept_place / name, text.encode(), PRIVATE_FILE)
    return digest
