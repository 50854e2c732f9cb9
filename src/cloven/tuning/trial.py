"""One setting of a search: what it was, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from cloven.model.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.protocols import Anonymiser

State = Literal["finished", "pruned", "impossible"]


@dataclass(frozen=True)
class Trial:
    """One setting that was tried.

    Attributes:
        name: the setting in a few words.
        method: the method with this setting; None where the parameters exclude each other.
        state: ``finished`` on all records, ``pruned`` after the sample, or ``impossible``.
        outcome: figures on all records; None unless finished.
        sample: figures on the sample; None if none was tried.
        why: why it was pruned or is impossible.
    """

    name: str
    method: Anonymiser | None
    state: State
    outcome: Outcome | None = None
    sample: Outcome | None = None
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; what the attacks found in detail is left out."""
        return {
            "name": self.name,
            "state": self.state,
            "why": self.why,
            "outcome": _plain(self.outcome),
            "sample": _plain(self.sample),
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any], method: Anonymiser | None) -> Trial:
        """Back from plain values."""
        outcome, sample = (
            None if plain[name] is None else Outcome.from_dict(plain[name]) for name in ("outcome", "sample")
        )
        return cls(plain["name"], method, plain["state"], outcome, sample, plain["why"])


def headline(outcome: Outcome) -> Outcome:
    """An outcome without the details of its risks: they hold guesses, and a search keeps many outcomes."""
    return replace(outcome, risks=tuple(replace(risk, details={}) for risk in outcome.risks))


def impossible(name: str, why: str) -> Trial:
    """A setting whose parameters exclude each other, or that this data does not allow."""
    return Trial(name, None, "impossible", why=why)


def _plain(outcome: Outcome | None) -> dict[str, Any] | None:
    return None if outcome is None else outcome.to_dict()
