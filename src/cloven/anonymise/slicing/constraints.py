"""What a class of rows must keep to besides its size, so that sensitive values stay hidden.

- ``DistinctL``, ``EntropyL``, ``RecursiveL``: l-diversity (Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, ICDE
  2006).
- ``TCloseness``: values inside a class are spread as in the whole table (Li, Li, Venkatasubramanian, ICDE 2007).

``sensitive`` says of what: ``"each"`` sensitive attribute for itself, all ``"jointly"`` (their combinations are the
values), or the names of some, jointly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cloven.anonymise.slicing.parameters import check_share, check_whole, check_within
from cloven.errors import ParameterError
from cloven.model.harm import Harm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.table import Table

Sensitive = str | tuple[str, ...]
_WEAK = "below that every class keeps to it"


@dataclass(frozen=True)
class DistinctL:
    """At least ``l`` different sensitive values in every class."""

    l: int
    sensitive: Sensitive = "each"

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", check_whole("l", self.l, 2, _WEAK))

    @property
    def coded(self) -> tuple[int, float, float]:
        """Kind, level and factor, as the kernels read them."""
        from cloven.anonymise.slicing.demands_kernel import DISTINCT

        return DISTINCT, float(self.l), 0.0

    @property
    def parameters(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"demand": "distinct-l", "l": self.l}


@dataclass(frozen=True)
class EntropyL:
    """The entropy of the sensitive values of every class is at least that of ``l`` equally frequent ones."""

    l: float
    sensitive: Sensitive = "each"

    def __post_init__(self) -> None:
        check_within("l", self.l, 1, np.inf, _WEAK)

    @property
    def coded(self) -> tuple[int, float, float]:
        """Kind, level and factor, as the kernels read them."""
        from cloven.anonymise.slicing.demands_kernel import ENTROPY

        return ENTROPY, float(np.log(self.l)), 0.0

    @property
    def parameters(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"demand": "entropy-l", "l": self.l}


@dataclass(frozen=True)
class RecursiveL:
    """The most frequent value stands fewer than ``c`` times as often as those from the ``l``-th on, together."""

    c: float
    l: int
    sensitive: Sensitive = "each"

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", check_whole("l", self.l, 2, _WEAK))
        check_share("c", self.c, 1e6, "1 to 4 is usual")

    @property
    def coded(self) -> tuple[int, float, float]:
        """Kind, level and factor, as the kernels read them."""
        from cloven.anonymise.slicing.demands_kernel import RECURSIVE

        return RECURSIVE, float(self.l), float(self.c)

    @property
    def parameters(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"demand": "recursive-l", "c": self.c, "l": self.l}


@dataclass(frozen=True)
class TCloseness:
    """The spread of sensitive values of every class is within ``t`` of the table's, as earth mover's distance.

    ``distance`` between two values: ``"equal"`` (1 between any two) or ``"ordered"`` (by rank in the domain).
    """

    t: float
    distance: Literal["equal", "ordered"] = "equal"
    sensitive: Sensitive = "each"

    def __post_init__(self) -> None:
        check_within("t", self.t, 0, 1, "0 is spread as in the whole table")
        if self.distance not in ("equal", "ordered"):
            message = f"distance must be 'equal' or 'ordered', got {self.distance!r}"
            raise ParameterError(message)

    @property
    def coded(self) -> tuple[int, float, float]:
        """Kind, level and factor, as the kernels read them."""
        from cloven.anonymise.slicing.demands_kernel import EQUAL, ORDERED

        return (EQUAL if self.distance == "equal" else ORDERED), float(self.t), 0.0

    @property
    def parameters(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"demand": "t-closeness", "t": self.t, "distance": self.distance}


Constraint = DistinctL | EntropyL | RecursiveL | TCloseness


def described(constraint: Constraint, table: Table) -> list[dict[str, Any]]:
    """A constraint as plain JSON values, once for each group of attributes that it speaks of."""
    return [
        {
            **constraint.parameters,
            "attributes": [table.attributes[position].name for position in group],
            **harm_of(constraint, table, group).parameters,
        }
        for group in sensitive_groups(constraint, table)
    ]


def harm_of(constraint: Constraint, table: Table, group: tuple[int, ...]) -> Harm:
    """What of a group of attributes harms; combinations, and spreads of values, know no harmless ones.

    Raises:
        ParameterError: numbers that lie near to each other are to be one value, and the constraint cannot count so.
    """
    each = [table.attributes[position].harm for position in group]
    if isinstance(constraint, DistinctL) and len(group) == 1:
        return each[0]
    if any(harm.within for harm in each):
        what = constraint.parameters["demand"] if len(group) == 1 else "a combination of attributes"
        message = f"{what} cannot count numbers within a distance as one value; take l, of each attribute"
        raise ParameterError(message)
    return Harm()


def sensitive_groups(constraint: Constraint, table: Table) -> list[tuple[int, ...]]:
    """Positions of the sensitive attributes that a constraint speaks of, in groups that are taken jointly."""
    there = table.positions("sensitive")
    if not there:
        demand = constraint.parameters["demand"]
        message = f"{demand} needs a sensitive attribute, and the schema names none; give one that role, or do without"
        raise ParameterError(message)
    if constraint.sensitive == "each":
        return [(position,) for position in there]
    if constraint.sensitive == "jointly":
        groups = [there]
    else:
        names = (constraint.sensitive,) if isinstance(constraint.sensitive, str) else constraint.sensitive
        place = {table.attributes[position].name: position for position in there}
        for name in names:
            if name not in place:
                message = f"{name!r} is no sensitive attribute; those are {', '.join(map(repr, place))}"
                raise ParameterError(message)
        groups = [tuple(sorted(place[name] for name in names))]
    if len(groups[0]) > 1 and isinstance(constraint, TCloseness) and constraint.distance == "ordered":
        message = (
            "combinations of several attributes have no order; choose distance='equal' or sensitive='each'"
        )
        raise ParameterError(message)
    return groups


def sensitive_codes(table: Table, group: tuple[int, ...]) -> NDArray[np.int32]:
    """One number per row for the values of a group of attributes; numbers keep the order of the domain."""
    codes: NDArray[np.int64] = np.zeros(len(table), np.int64)
    for position in group:
        # Made dense after each attribute, so that the products stay small.
        raw = codes * len(table.attributes[position]) + table.codes[:, position]
        codes = np.unique(raw, return_inverse=True)[1]
    return codes.astype(np.int32)
