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
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from cloven.data.schema import Blocks


Role = Literal["quasi-identifier", "sensitive", "person", "ignored"]
MISSING = -1
"""Code of a value that is not there."""


# Which sensitive values harm if they are told, and which numbers are as good as one.
#
# To learn that somebody is healthy is no loss, and a wage to within a pound is the wage. The owner says so in the
# schema (``harmless``, ``within``); diversity, attacks and the verdict count by it.


NEARLY = 0.05
"""Numbers that lie so near to each other, as a share of the larger one, where the owner does not say what is near."""


@dataclass(frozen=True)
class Harm:
    """What of a sensitive attribute harms.

    Attributes:
        harmless: values that everybody may know of somebody.
        within: numbers that lie so near to each other are one value.
        relative: whether ``within`` is a share of the larger one.
    """

    harmless: frozenset[str] = frozenset()
    within: float = 0.0
    relative: bool = False

    @classmethod
    def of(cls, harmless: Iterable[str] | None = None, within: float | str | None = None) -> Harm:
        """From a schema: ``within`` is a number, or a text such as ``"5 %"``.

        >>> Harm.of(["no"], "5 %")
        Harm(harmless=frozenset({'no'}), within=0.05, relative=True)
        """
        amount, relative = _amount(within)
        return cls(frozenset(harmless or ()), amount, relative)

    @property
    def parameters(self) -> dict[str, Any]:
        """What of it is published with a promise, as plain JSON values; nothing where every value is one of its own."""
        near = f"{100 * self.within:g} %" if self.relative else self.within
        return {
            **({"harmless": sorted(self.harmless)} if self.harmless else {}),
            **({"within": near} if self.within else {}),
        }

    def harmful(self, values: Sequence[str]) -> NDArray[np.bool_]:
        """Whether each value harms."""
        return np.array([value not in self.harmless for value in values], np.bool_)

    def upto(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each number the largest one that is as good as the same.

        >>> Harm(within=500).upto(np.array([0.0, 1000.0])).tolist()
        [500.0, 1500.0]
        >>> Harm(within=0.05, relative=True).upto(np.array([-100.0, 95.0])).tolist()
        [-95.0, 100.0]
        """
        if not self.relative:
            return numbers + self.within
        kept = 1.0 - self.within
        return np.where(numbers >= 0, numbers / kept, numbers * kept)

    def reach(self, values: Sequence[str]) -> NDArray[np.int64]:
        """For each of ascending values the place behind the last one that is as good as the same.

        >>> Harm(within=12).reach(("100", "105", "112", "113")).tolist()
        [3, 4, 4, 4]
        """
        if not self.within:
            return np.arange(1, len(values) + 1)
        numbers = np.array([float(value) for value in values])
        return np.searchsorted(numbers, self.upto(numbers) + slack(numbers), side="right")


def slack(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """What sums of numbers with many digits may miss."""
    return 1e-9 * np.maximum(1.0, np.abs(numbers))


def _amount(within: float | str | None) -> tuple[float, bool]:
    """How near, and whether that is a share."""
    if within is None:
        return 0.0, False
    text = str(within).strip()
    relative = text.endswith("%")
    try:
        amount = float(text.removesuffix("%")) / (100 if relative else 1)
    except ValueError:
        amount = -1.0
    if isinstance(within, bool) or not 0 < amount < (1.0 if relative else 2.0**53):
        message = f'within must be a number above 0, or a share below 100 % such as "5 %" (got {within!r})'
        raise ParameterError(message)
    return amount, relative


# The columns, and the rows.


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
        left_out: rows of the data that were not read because they lack a value.
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
    left_out: int = 0

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

    def _repr_html_(self) -> str:
        from cloven.data.cards import card

        return card("Table", {"rows": len(self), **{each.name: each.role for each in self.attributes}})

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
        return {"read_records": len(self), "records_left_out": self.left_out}

    def spelt(self) -> Iterator[bytes]:
        """All that was read as bytes, the same on every machine."""
        return recognition.spelt_table(self)

    def standing_out(self) -> NDArray[np.uint64]:
        """Hashes of the rows that stand out, ascending: by them a later table is recognised."""
        return recognition.rows_standing_out(self)

    def alike_by_chance(self, others: int) -> recognition.Chance:
        """Shares of them that a table of so many other people has too, measured on parts of this one."""
        return recognition.chance_of_rows(self, others)


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
