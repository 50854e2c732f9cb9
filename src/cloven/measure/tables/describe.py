"""What a table of persons holds, and how many of them their quasi-identifiers single out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.model.row_numbers import row_numbers

if TYPE_CHECKING:
    from cloven.model.table import Table


@dataclass(frozen=True)
class TableDescription:
    """Figures of a table; private to the owner, since shares are facts about persons.

    Attributes:
        records: number of rows.
        attributes: number of columns that are read.
        quasi_identifiers: how many values each quasi-identifier has.
        sensitive: how many values each sensitive attribute has.
        k: a look that fewer than ``k`` persons share counts as rare.
        alone: share of persons whose quasi-identifiers nobody else has.
        rare: share of persons whose quasi-identifiers fewer than ``k`` have.
        persons: how many people there are; as many as rows, unless the table says who they are.
    """

    records: int
    attributes: int
    quasi_identifiers: dict[str, int]
    sensitive: dict[str, int]
    k: int
    alone: float
    rare: float
    persons: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


def describe_table(table: Table, k: int = 5) -> TableDescription:
    """Describe a table.

    >>> from cloven.model.table import Attribute, Table
    >>> sex = Attribute("sex", "quasi-identifier", ("f", "m"))
    >>> describe_table(Table((sex,), np.array([[0], [0], [1]], np.int32), np.arange(3)), k=2).alone
    0.3333333333333333
    """
    looks = table.codes[:, table.positions("quasi-identifier")]
    which = row_numbers(looks)
    shared = np.bincount(which)[which]
    if table.persons is not None:
        pairs = np.unique(np.column_stack([which, table.persons]), axis=0)
        shared = np.bincount(pairs[:, 0])[which]
    many = {attribute.name: len(attribute) for attribute in table.attributes}
    return TableDescription(
        records=len(table),
        attributes=len(table.attributes),
        quasi_identifiers={name: many[name] for name in table.names("quasi-identifier")},
        sensitive={name: many[name] for name in table.names("sensitive")},
        k=k,
        alone=float((shared == 1).mean()) if len(table) else 0.0,
        rare=float((shared < k).mean()) if len(table) else 0.0,
        persons=table.people,
    )
