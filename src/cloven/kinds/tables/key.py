"""The owner's key to a published table: which person each published part came from.

It never leaves the owner's private folder, and no attack may import it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cloven.compiled import Flags, Longs
    from cloven.kinds.tables.release import TableRelease


@dataclass(frozen=True, eq=False, repr=False)
class TableKey:
    """Truth about a published table.

    Attributes:
        records: rows x columns: source position of the person behind each part; one column for a generalised table. -1
            for parts that belong to nobody, such as invented rows.
        changed: rows x attributes (of the release): whether the value was exchanged with somebody else's; None where
            no method exchanges values.
        suppressed: source positions of persons who are not published.
    """

    records: Longs
    changed: Flags | None
    suppressed: Longs

    def __repr__(self) -> str:
        return f"TableKey({len(self.records):,} rows)"


@dataclass(frozen=True)
class PublishedTable:
    """What an anonymiser of tables returns: the release for the world, and the key for the owner."""

    release: TableRelease
    key: TableKey
