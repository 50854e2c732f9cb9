"""What an attack on published tables got right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cloven.errors import InputError, ParameterError
from cloven.model.risk import Estimate, Linkage, Risk
from cloven.scoring.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True)
class TableFindings:
    """All findings about one attack on published tables.

    Attributes:
        findings: one for each measure; see ``definitions``.
        counts: how many persons there were, and where they were found.
        attack: name and parameters of the attack.
        notes: how it was measured, as plain JSON values.
    """

    findings: tuple[Finding, ...]
    counts: Mapping[str, int]
    attack: Mapping[str, Any]
    notes: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def get(self, measure: str) -> Finding:
        """One finding by its measure."""
        for finding in self.findings:
            if finding.measure == measure:
                return finding
        known = ", ".join(finding.measure for finding in self.findings)
        message = f"no finding {measure!r}; measured were {known}"
        raise ParameterError(message)

    def to_rows(self) -> list[dict[str, Any]]:
        """One flat row for each finding, for tables."""
        return [finding.to_dict() for finding in self.findings]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "attack": dict(self.attack),
            "findings": self.to_rows(),
            "counts": dict(self.counts),
            "notes": dict(self.notes),
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> TableFindings:
        """Back from plain values.

        Raises:
            InputError: these are not findings about tables.
        """
        try:
            findings = tuple(Finding(**each) for each in plain["findings"])
            return cls(findings, dict(plain["counts"]), dict(plain["attack"]), dict(plain["notes"]))
        except (TypeError, KeyError, ValueError) as error:
            message = "findings about tables cannot be read; score again"
            raise InputError(message, value=str(error)) from error

    def risk(
        self, threat: str, knows: str, measure: str = "drr_soft", linkage: Linkage = "attribute", **more: Any
    ) -> Risk:
        """One finding as a risk, for audits; ``more`` are further fields of ``Risk``."""
        finding = self.get(measure)
        details = self.to_dict() | dict(more.pop("details", {}))
        return Risk(
            threat=threat,
            knows=knows,
            linkage=linkage,
            measure=more.pop("words", measure),
            attacker=_estimate(finding.value, finding.low, finding.high),
            guessing=_estimate(finding.chance, finding.chance_low, finding.chance_high),
            control=_estimate(finding.control, finding.control_low, finding.control_high),
            beats=beats(finding),
            count=int(finding.count),
            units=finding.units,
            details=details,
            **more,
        )


def beats(finding: Finding) -> bool | None:
    """Whether it was shown (95 %) to do better than chance, and than the control if there was one."""
    ends = [end for end in (finding.over_chance_low, finding.over_control_low) if end is not None]
    return all(end > 0 for end in ends) if ends else None


def _estimate(value: float | None, low: float | None, high: float | None) -> Estimate | None:
    return None if value is None else Estimate(value, low, high)
