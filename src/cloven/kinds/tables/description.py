"""What a table of persons holds, and how many of them their quasi-identifiers single out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven import figures
from cloven.data.arrays import row_numbers
from cloven.data.defaults import K

if TYPE_CHECKING:
    from cloven.data.table import Role, Table


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

    def words(self) -> list[str]:
        """How large the table is, and who could be singled out."""
        known = figures.many(len(self.quasi_identifiers), "quasi-identifier")
        return [
            f"{figures.many(self.records, 'row')}, {known}, {len(self.sensitive)} sensitive",
            f"{figures.percent(self.alone, 0)} are the only ones with their quasi-identifiers",
        ]


def describe_table(table: Table, k: int = K) -> TableDescription:
    """Describe a table.

    >>> from cloven.data.table import Attribute, Table
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


# What each attribute of a table holds, and how far its sensitive values can be hidden.


@dataclass(frozen=True)
class AttributeDescription:
    """One attribute; private to the owner.

    Attributes:
        name: its name.
        role: what it is to an attacker.
        kind: ``number`` or ``category``.
        values: how many different values are there.
        most_common: the value that most rows have.
        share: share of the rows that have it.
        largest_l: of a sensitive attribute, the largest l for which no value has more than 1/l of all rows: what
            slicing and Anatomy can reach. None for others.
        missing: rows that have no value.
        tree: whether it has a tree to be generalised by.
    """

    name: str
    role: Role
    kind: str
    values: int
    most_common: str | None
    share: float
    largest_l: int | None
    missing: int
    tree: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


def describe_attributes(table: Table) -> tuple[AttributeDescription, ...]:
    """Describe every attribute of a table.

    >>> from cloven.data.table import Attribute, Table
    >>> illness = Attribute("illness", "sensitive", ("flu", "gout"))
    >>> table = Table((illness,), np.array([[0], [1], [0], [1], [0]], np.int32), np.arange(5))
    >>> found = describe_attributes(table)[0]
    >>> found.most_common, found.share, found.largest_l
    ('flu', 0.6, 1)
    """
    out = []
    for place, attribute in enumerate(table.attributes):
        codes = table.codes[:, place]
        there = codes[codes >= 0]
        counts = np.bincount(there, minlength=1)
        top = int(counts.argmax())
        most = int(counts[top])
        out.append(
            AttributeDescription(
                name=attribute.name,
                role=attribute.role,
                kind="category" if attribute.numbers is None else "number",
                values=int((counts > 0).sum()),
                most_common=attribute.values[top] if most else None,
                share=most / len(table) if len(table) else 0.0,
                largest_l=len(table) // most if attribute.role == "sensitive" and most else None,
                missing=len(codes) - len(there),
                tree=attribute.tree is not None,
            )
        )
    return tuple(out)
