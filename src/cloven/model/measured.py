"""How much a release keeps: named measures on one scale, so that methods of different families can be compared."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from cloven.errors import InputError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.model.audience import Audience


@dataclass(frozen=True)
class Measured:
    """One measure of utility.

    Attributes:
        name: a few words for tables.
        value: what was measured, None if it is not defined here.
        low: lower end of a 95 % interval, None without one.
        high: upper end.
        best: the value of data that has lost nothing.
        worst: the value of data that has lost everything.
        sentence: what it is.
        audience: who may see it.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    best: float
    worst: float
    sentence: str
    audience: Audience = "owner"

    @property
    def score(self) -> float | None:
        """The value on a scale from 0 (all is lost) to 1 (nothing is).

        >>> Measured("relative error", 0.5, None, None, 0.0, 2.0, "").score
        0.75
        """
        if self.value is None:
            return None
        return min(1.0, max(0.0, (self.value - self.worst) / (self.best - self.worst)))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, with the score."""
        return asdict(self) | {"score": self.score}


@dataclass(frozen=True)
class Utility:
    """All measures of one release.

    Attributes:
        headline: name of the measure that stands for all where one number is wanted.
        measures: all of them, the most telling first.
    """

    headline: str
    measures: tuple[Measured, ...]

    def get(self, name: str = "") -> Measured:
        """One measure by name; without a name the headline."""
        wanted = name or self.headline
        for measure in self.measures:
            if measure.name == wanted:
                return measure
        message = (
            f"no measure of utility {wanted!r}; there are {', '.join(each.name for each in self.measures)}"
        )
        raise ParameterError(message)

    def score(self, name: str = "") -> float:
        """Score of one measure from 0 to 1; a measure that is not defined here counts as 0."""
        return self.get(name).score or 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"headline": self.headline, "measures": [each.to_dict() for each in self.measures]}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Utility:
        """Back from plain values."""
        try:
            rows = [{name: each[name] for name in each if name != "score"} for each in plain["measures"]]
            return cls(plain["headline"], tuple(Measured(**row) for row in rows))
        except (TypeError, KeyError) as error:
            message = "figures of utility cannot be read back; audit again"
            raise InputError(message, value=str(error)) from error
