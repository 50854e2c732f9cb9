"""A table of persons: one row each, attributes in columns, and what each attribute is to an attacker.

Values are codes into the domain of their attribute. The domain is sorted (numbers by size, texts by code point), so
that comparing codes is comparing values.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from cloven.data import recognition
from cloven.data.harm import Harm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from cloven.data.number_blocks import Blocks


Role = Literal["quasi-identifier", "sensitive", "person", "ignored"]
MISSING = -1
"""Code of a value that is not there."""


@dataclass(frozen=True, eq=False)
class Attribute:
    """One column of a table.

    Attributes:
        name: its name.
        role: what an attacker may know (quasi-identifier), must not learn (sensitive), or what is not published.
        values: the domain as text, ascending.
        numbers: the domain as numbers, ascending, if they are numbers; else None.
        tree: how values are generalised, if the owner says so.
        blocks: numbers that no range parts, if the owner says so; the domain holds both ends of a block that somebody
            is in.
        stated: whether the owner stated which values there can be (with a tree, a list, or blocks of a stated range);
            otherwise the domain is what the rows hold.
        harm: which values harm if they are told, and which are as good as one.
    """

    name: str
    role: Role
    values: tuple[str, ...]
    numbers: NDArray[np.float64] | None = None
    tree: ValueTree | None = None
    blocks: Blocks | None = None
    stated: bool = False
    harm: Harm = field(default_factory=Harm)

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Rows of persons.

    Attributes:
        attributes: the columns; ignored ones are not read.
        codes: rows x attributes, positions in the domain; ``MISSING`` where there is no value.
        source_rows: position of each row in the data that was read.
        persons: number of the person behind each row, if that is known; None takes each row for a person.
    """

    noun: ClassVar = "row"
    at_a_glance: ClassVar = 1_000_000
    """Cells above which a quick look takes a sample."""
    methods: ClassVar = "cloven.table_anonymisers"
    """Group of entry points of the anonymisers that take such data."""

    attributes: tuple[Attribute, ...]
    codes: NDArray[np.int32]
    source_rows: NDArray[np.int64]
    persons: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def people(self) -> int:
        """How many persons there are."""
        return len(self) if self.persons is None else len(np.unique(self.persons))

    @property
    def several_each(self) -> bool:
        """Whether somebody is known to have several rows."""
        return self.persons is not None and self.people < len(self)

    def __repr__(self) -> str:
        return f"Table({len(self):,} rows, {len(self.attributes)} attributes)"

    def names(self, role: Role) -> tuple[str, ...]:
        """Names of the attributes with a role."""
        return tuple(attribute.name for attribute in self.attributes if attribute.role == role)

    def positions(self, role: Role) -> tuple[int, ...]:
        """Positions of the attributes with a role."""
        return tuple(number for number, attribute in enumerate(self.attributes) if attribute.role == role)

    def take(self, rows: NDArray[Any]) -> Table:
        """Some of the rows, by position or by mask."""
        chosen = np.flatnonzero(rows) if rows.dtype == bool else rows
        persons = None if self.persons is None else self.persons[chosen]
        return replace(self, codes=self.codes[chosen], source_rows=self.source_rows[chosen], persons=persons)

    def row(self, number: int) -> tuple[str | None, ...]:
        """One row in plain Python; None where a value is missing."""
        return tuple(
            None if code < 0 else attribute.values[code]
            for code, attribute in zip(self.codes[number].tolist(), self.attributes, strict=True)
        )

    @property
    def read_counts(self) -> dict[str, int]:
        """How much was read; the owner's alone."""
        return {"read_records": len(self)}

    def spelt(self) -> Iterator[bytes]:
        """All that was read as bytes, the same on every machine."""
        return recognition.spelt_table(self)

    def standing_out(self) -> NDArray[np.uint64]:
        """Hashes of the rows that stand out, ascending: by them a later table is recognised."""
        return recognition.rows_standing_out(self)

    def alike_by_chance(self) -> float:
        """Share of them whom others resemble, measured on random halves of the table."""
        return recognition.chance_of_rows(self)


# How the values of one attribute are generalised: a tree whose leaves are the values.
#
# Nodes are numbered; the first ones are the leaves, in the order of the attribute's domain, and the root is the last. A
# node covers the leaves below it.


@dataclass(frozen=True, eq=False)
class ValueTree:
    """A tree over the values of an attribute.

    Attributes:
        labels: name of every node; the first are the values themselves.
        parent: parent of every node; the root has itself.
        leaves: number of leaves.
    """

    labels: tuple[str, ...]
    parent: NDArray[np.int32]
    leaves: int

    @property
    def root(self) -> int:
        """The node that covers everything."""
        return len(self.labels) - 1

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of leaves below each node."""
        sizes = np.zeros(len(self.labels), np.int64)
        node = np.arange(self.leaves)
        while True:
            np.add.at(sizes, node, 1)
            node = node[node != self.root]
            if not len(node):
                return sizes
            node = self.parent[node]

    def path(self, node: int) -> tuple[int, ...]:
        """A node and all above it, up to the root."""
        found = [node]
        while found[-1] != self.root:
            found.append(int(self.parent[found[-1]]))
        return tuple(found)
