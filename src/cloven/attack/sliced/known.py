"""What an attacker knows of some persons: values of quasi-identifiers, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.model.buckets import positions_of
from cloven.model.shown_cells import understood_release

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.model.published_table import CellDomain
    from cloven.model.shown_cells import R
    from cloven.model.table import Table

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

    def at(self, domain: CellDomain) -> NDArray[np.int64]:
        """Where each person's value stands in a published domain: -1 where it is not known, -2 if it is not there."""
        if domain.name not in self.names:
            return np.full(len(self), UNKNOWN, np.int64)
        column = self.names.index(domain.name)
        place = np.append(positions_of(self.values[column], domain.values), UNKNOWN)
        # The last entry serves the code -1.
        found: NDArray[np.int64] = place[self.codes[:, column]]
        return found
