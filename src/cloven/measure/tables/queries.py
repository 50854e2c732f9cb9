"""Questions that people ask of a table: how many, what on average, what at most, of those with certain values.

(BinJubier et al. 2022, section 4.2.3; Zhang, Koudas, Srivastava, Yu, ICDE 2007.) A query names some quasi-identifiers
and maybe the sensitive attribute, each with a random set of values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from cloven.model.table import Table


@dataclass(frozen=True, eq=False)
class Query:
    """Rows whose attributes have certain values.

    Attributes:
        allowed: for each attribute that is asked about, whether each value of its domain is meant.
        dimensions: how many quasi-identifiers are asked about.
        sensitive: whether a sensitive attribute is asked about too.
    """

    allowed: Mapping[str, NDArray[np.bool_]]
    dimensions: int
    sensitive: bool

    def rows(self, table: Table) -> NDArray[np.bool_]:
        """Which rows of the original are meant."""
        meant = np.ones(len(table), np.bool_)
        for place, attribute in enumerate(table.attributes):
            if attribute.name in self.allowed:
                meant &= self.allowed[attribute.name][table.codes[:, place]]
        return meant


@dataclass(frozen=True)
class Workload:
    """Random queries.

    Attributes:
        dimensions: numbers of quasi-identifiers to ask about.
        selectivity: a set of values holds 1 to this share of the domain, all sizes equally likely.
        sensitive: ask about the sensitive attribute: ``with``, ``without`` or ``both`` (one after the other).
        queries: how many of each kind.
    """

    dimensions: tuple[int, ...] = (1, 2, 3, 4, 5)
    selectivity: float = 0.5
    sensitive: str = "both"
    queries: int = 200

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimensions", tuple(self.dimensions))
        if not self.dimensions or min(self.dimensions) < 1:
            message = f"a query asks about at least one quasi-identifier (got dimensions {self.dimensions})"
            raise ParameterError(message)
        if not 0 < self.selectivity <= 1:
            message = f"selectivity must lie above 0 and be at most 1 (got {self.selectivity})"
            raise ParameterError(message)
        if self.sensitive not in ("with", "without", "both"):
            message = f"sensitive must be one of with, without, both (got {self.sensitive!r})"
            raise ParameterError(message)
        if self.queries < 1:
            message = f"queries must be at least 1 (got {self.queries})"
            raise ParameterError(message)

    def draw(self, table: Table, rng: np.random.Generator) -> tuple[Query, ...]:
        """Draw queries for a table; ask the same ones of every release."""
        places, secret = table.positions("quasi-identifier"), table.positions("sensitive")
        if max(self.dimensions) > len(places):
            message = (
                f"queries about {max(self.dimensions)} quasi-identifiers need as many; the table has {len(places)}:"
                " ask about fewer"
            )
            raise ParameterError(message)
        asks = {"with": (True,), "without": (False,), "both": (False, True)}[self.sensitive]
        if True in asks and not secret:
            message = "the table has no sensitive attribute to ask about; choose sensitive='without'"
            raise ParameterError(message)
        found = []
        for number in self.dimensions:
            for asked in asks:
                for _ in range(self.queries):
                    chosen = rng.choice(places, number, replace=False).tolist()
                    chosen += [int(rng.choice(secret))] if asked else []
                    allowed = {
                        table.attributes[place].name: self._values(len(table.attributes[place]), rng)
                        for place in chosen
                    }
                    found.append(Query(allowed, number, asked))
        return tuple(found)

    def _values(self, domain: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        most = max(1, int(self.selectivity * domain))
        allowed = np.zeros(domain, np.bool_)
        allowed[rng.choice(domain, int(rng.integers(1, most + 1)), replace=False)] = True
        return allowed
