"""What a search for settings minimises: one number made of all risks of a setting. Others join by entry point.

A package joins by an entry point of group ``cloven.objectives`` whose value makes an objective, without arguments or,
for ``NAME:TEXT``, from the text after the colon.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from cloven.disclosure.outcome import Outcome


@runtime_checkable
class RiskObjective(Protocol):
    """Makes one number of the risks of a setting, on a scale from 0 to 1: less is better."""

    @property
    def name(self) -> str:
        """How it is called on the command line."""
        ...

    def __call__(self, outcome: Outcome) -> float:
        """The risk of a setting."""
        ...


@dataclass(frozen=True)
class Worst:
    """Upper end of the worst attack: what the verdict of an audit looks at, and therefore the default."""

    name: str = "worst"

    def __call__(self, outcome: Outcome) -> float:
        """The risk of a setting."""
        return outcome.risk


@dataclass(frozen=True)
class WorstValue:
    """What the worst attack reached, without its interval: for data too small for narrow intervals."""

    name: str = "worst-value"

    def __call__(self, outcome: Outcome) -> float:
        """The risk of a setting."""
        return max((r.judged.value for r in outcome.risks if r.counts and r.judged), default=0.0)


@dataclass(frozen=True)
class Mean:
    """Mean over all attackers of the verdict, each with the upper end of its interval."""

    name: str = "mean"

    def __call__(self, outcome: Outcome) -> float:
        """The risk of a setting."""
        upper = [r.judged.upper for r in outcome.risks if r.counts and r.judged]
        return sum(upper) / len(upper) if upper else 0.0


@dataclass(frozen=True)
class OneThreat:
    """Upper end of one attack; 0 where there was nothing for it to try.

    >>> OneThreat("release alone").name
    'threat:release alone'
    """

    threat: str

    @property
    def name(self) -> str:
        """How it is called on the command line."""
        return f"threat:{self.threat}"

    def __call__(self, outcome: Outcome) -> float:
        """The risk of a setting."""
        for risk in outcome.risks:
            if risk.threat == self.threat:
                return 0.0 if risk.judged is None else risk.judged.upper
        known = ", ".join(repr(risk.threat) for risk in outcome.risks)
        message = f"no threat {self.threat!r} was tried on {outcome.name}; there are {known}"
        raise ParameterError(message)


def objective(text: str) -> RiskObjective:
    """The objective that a text names: ``worst``, ``worst-value``, ``mean``, ``threat:NAME`` or one of a plug-in.

    >>> objective("threat:method")
    OneThreat(threat='method')
    """
    from cloven.registry import objectives

    name, _, rest = text.strip().partition(":")
    known = objectives()
    if name not in known:
        message = (
            f"unknown objective {text!r}; known are {', '.join(sorted(known))} (threat:NAME for one threat)"
        )
        raise ParameterError(message)
    try:
        made: RiskObjective = known[name](rest) if rest else known[name]()
    except TypeError as error:
        wanted = (
            "takes nothing after a colon" if rest else "needs a name after a colon, such as threat:method"
        )
        message = f"objective {name!r} {wanted} (got {text!r})"
        raise ParameterError(message) from error
    return made
