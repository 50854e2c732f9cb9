"""What each attribute of a table holds, and how far its sensitive values can be hidden."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from cloven.model.table import Role, Table


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

    >>> from cloven.model.table import Attribute, Table
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
