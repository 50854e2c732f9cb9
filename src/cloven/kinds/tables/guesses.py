"""What an attacker knows of some persons: values of quasi-identifiers, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.tables.buckets import positions_of
from cloven.kinds.tables.cells import understood_release

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.data.table import Table
    from cloven.kinds.tables.cells import R
    from cloven.kinds.tables.release import CellDomain


UNKNOWN = -1
"""The attacker does not know this value of this person."""


@dataclass(frozen=True, eq=False, repr=False)
class Known:
    """Persons as an attacker knows them.

    Attributes:
        names: the quasi-identifiers that the attacker knows.
        values: values of each, as text.
        codes: persons x quasi-identifiers: positions in ``values``; ``UNKNOWN`` where a value is not known.
    """

    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, table: Table, rows: NDArray[Any] | None = None, names: Sequence[str] | None = None) -> Known:
        """The quasi-identifiers of some rows of a table: all of them, or those named.

        Raises:
            ParameterError: a name is not that of a quasi-identifier.
        """
        wanted = table.names("quasi-identifier") if names is None else tuple(names)
        places = {table.attributes[place].name: place for place in table.positions("quasi-identifier")}
        for name in wanted:
            if name not in places:
                message = (
                    f"{name!r} is no quasi-identifier, so the attacker is not assumed to know it;"
                    f" these are: {', '.join(places) or 'none'}"
                )
                raise ParameterError(message)
        chosen = table if rows is None else table.take(rows)
        columns = [places[name] for name in wanted]
        values = tuple(table.attributes[place].values for place in columns)
        return cls(wanted, values, np.ascontiguousarray(chosen.codes[:, columns]))

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"Known({len(self):,} persons by {', '.join(self.names)})"

    def take(self, persons: NDArray[Any]) -> Known:
        """Some of the persons, by position or by mask; a permutation makes a control that knows the wrong people."""
        return Known(self.names, self.values, self.codes[persons])

    def reads(self, release: R) -> R:
        """A release as this attacker understands it: a range holds every known number between its ends."""
        return understood_release(release, dict(zip(self.names, self.values, strict=True)))

    def at(self, domain: CellDomain) -> Longs:
        """Where each person's value stands in a published domain: -1 where it is not known, -2 if it is not there."""
        if domain.name not in self.names:
            return np.full(len(self), UNKNOWN, np.int64)
        column = self.names.index(domain.name)
        place = np.append(positions_of(self.values[column], domain.values), UNKNOWN)
        # The last entry serves the code -1.
        found: Longs = place[self.codes[:, column]]
        return found


# What an attack on published tables answers: which value a person may have, and whether a person is there at all.


class Found(IntEnum):
    """Where a person was found."""

    EVERYWHERE = 0  # every release holds rows that fit
    SOMEWHERE = 1  # some do; the others were not used
    NOWHERE = 2  # none does: the belief is the published distribution
    CONTRADICTED = (
        3  # all do, but no value is possible in all: somebody's values were changed, or it is not the person
    )


@dataclass(frozen=True, eq=False, repr=False)
class ValueGuesses:
    """Which value of an attribute each person may have.

    Attributes:
        attribute: what was to be found out.
        values: all values that it may have, ascending.
        candidate: persons x values: not ruled out by rows that fit; nothing where nothing fits.
        confidence: persons x values: how likely each value is, as the attack sees it; sums to 1 for every person.
        prior: how likely each value is for anybody, from the published distribution.
        matched: persons x distinct releases: how many buckets (or classes) fit.
        found: a ``Found`` for each person.
        attack: name and parameters of the attack, as plain JSON values.
        notes: what the attack has to say about itself, as plain JSON values.
    """

    attribute: str
    values: tuple[str, ...]
    candidate: Flags
    confidence: Floats
    prior: Floats
    matched: Longs
    found: NDArray[np.int8]
    attack: Mapping[str, Any]
    notes: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.candidate)

    def __repr__(self) -> str:
        sure = int((self.candidate.sum(axis=1) == 1).sum())
        return f"ValueGuesses({len(self):,} persons, {sure:,} with one {self.attribute!r} left)"

    def candidates(self, person: int) -> dict[str, float]:
        """Values that a person may have, the likeliest first, each with its confidence."""
        left = np.flatnonzero(self.candidate[person])
        order = left[np.argsort(-self.confidence[person, left], kind="stable")]
        return {self.values[value]: float(self.confidence[person, value]) for value in order.tolist()}


@dataclass(frozen=True, eq=False, repr=False)
class MembershipGuesses:
    """Whether each person is in a release.

    Attributes:
        matched: how many buckets (or classes) fit; 0 means the person cannot be there unless values were changed.
        rows: expected number of rows with exactly the values known of the person.
        confidence: how likely at least one row is theirs or looks exactly like it: 1 - exp(-rows).
        attack: name and parameters of the attack, as plain JSON values.
    """

    matched: Longs
    rows: Floats
    confidence: Floats
    attack: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.matched)

    def __repr__(self) -> str:
        return f"MembershipGuesses({len(self):,} persons, {int((self.matched > 0).sum()):,} may be there)"
