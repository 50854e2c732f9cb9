"""Published tables: all that the world sees of a table.

A *cell* is a set of values of its attribute: one value, a group of a taxonomy, or a range of numbers. Both kinds of
release share this; they differ in what of a row stays together.

- ``GeneralisedTable``: whole rows, with coarse cells.
- ``Sliced``: the attributes are cut into *columns*, the rows into *buckets*; inside a bucket the parts of each column
  stand in canonical order, so which parts belong to one person is hidden (Li, Li, Zhang, Molloy, IEEE TKDE 2012).

All orders are canonical: a function of content alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from cloven.compiled import Floats, Longs
    from cloven.kinds.counts import Count


@dataclass(frozen=True, eq=False)
class CellDomain:
    """The cells that one attribute shows.

    Attributes:
        name: the attribute.
        sensitive: whether it is a sensitive one.
        values: the domain of the attribute, ascending: what cells are made of.
        numbers: the domain as numbers, if they are numbers.
        labels: text of each cell as published.
        member_offsets: where the values of each cell start in ``members``.
        members: values (positions in ``values``) of each cell, ascending.
    """

    name: str
    sensitive: bool
    values: tuple[str, ...]
    numbers: Floats | None
    labels: tuple[str, ...]
    member_offsets: Longs
    members: NDArray[np.int32]


@dataclass(frozen=True, eq=False, repr=False)
class GeneralisedTable:
    """A table with coarse cells.

    Attributes:
        k: rows that look alike on the quasi-identifiers, at least.
        parameters: method and parameters that made it, as plain JSON values.
        domains: the cells of each published attribute.
        cells: rows x attributes, positions in the ``labels`` of the attribute.
    """

    k: int
    parameters: Mapping[str, Any]
    domains: tuple[CellDomain, ...]
    cells: NDArray[np.int32]

    family: ClassVar[str] = "tables"

    def _repr_html_(self) -> str:
        from cloven.data.cards import card

        names = ", ".join(domain.name for domain in self.domains)
        return card("Published table", {"rows": len(self), "attributes": names, "k": self.k})

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def records(self) -> int:
        """Number of rows."""
        return len(self.cells)

    @property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """Attributes of each column: rows are whole, so all stand in one."""
        return (tuple(range(len(self.domains))),)

    def count(self, conditions: Mapping[str, object]) -> Count:
        """How many rows meet all conditions, such as {"sex": "Female"}: for certain, likely, at most."""
        from cloven.kinds.tables.counts import count

        return count(self, conditions)

    def __repr__(self) -> str:
        return f"GeneralisedTable(k={self.k}, {len(self):,} rows, {len(self.domains)} attributes)"


@dataclass(frozen=True, eq=False, repr=False)
class Sliced:
    """A table cut into columns and buckets.

    Attributes:
        k: rows of a bucket, at least.
        parameters: method and parameters that made it, as plain JSON values.
        domains: the cells of each published attribute.
        columns: attributes (positions in ``domains``) of each column.
        bucket_offsets: where each bucket starts in the rows.
        cells: rows x attributes; inside a bucket the parts of each column are sorted for themselves.
    """

    k: int
    parameters: Mapping[str, Any]
    domains: tuple[CellDomain, ...]
    columns: tuple[tuple[int, ...], ...]
    bucket_offsets: Longs
    cells: NDArray[np.int32]

    family: ClassVar[str] = "tables"

    def _repr_html_(self) -> str:
        from cloven.data.cards import card

        names = ", ".join(domain.name for domain in self.domains)
        return card(
            "Sliced table", {"rows": len(self), "buckets": self.buckets, "attributes": names, "k": self.k}
        )

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def records(self) -> int:
        """Number of rows."""
        return len(self.cells)

    @property
    def buckets(self) -> int:
        """Number of buckets."""
        return len(self.bucket_offsets) - 1

    def count(self, conditions: Mapping[str, object]) -> Count:
        """How many rows meet all conditions, such as {"sex": "Female"}: for certain, likely, at most."""
        from cloven.kinds.tables.counts import count

        return count(self, conditions)

    def __repr__(self) -> str:
        return (
            f"Sliced(k={self.k}, {len(self):,} rows in {self.buckets:,} buckets, {len(self.columns)} columns)"
        )


TableRelease: TypeAlias = GeneralisedTable | Sliced
"""Either kind of published table."""
