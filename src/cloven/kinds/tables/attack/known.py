"""What an attacker knows of some persons: values of quasi-identifiers, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.tables.buckets import positions_of
from cloven.kinds.tables.cells import understood_release

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Longs
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

    def at(self, domain: CellDomain) -> NDArray[np.int64]:
        """Where each person's value stands in a published domain: -1 where it is not known, -2 if it is not there."""
        if domain.name not in self.names:
            return np.full(len(self), UNKNOWN, np.int64)
        column = self.names.index(domain.name)
        place = np.append(positions_of(self.values[column], domain.values), UNKNOWN)
        # The last entry serves the code -1.
        found: NDArray[np.int64] = place[self.codes[:, column]]
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
    candidate: NDArray[np.bool_]
    confidence: NDArray[np.float64]
    prior: NDArray[np.float64]
    matched: NDArray[np.int64]
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

    matched: NDArray[np.int64]
    rows: NDArray[np.float64]
    confidence: NDArray[np.float64]
    attack: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.matched)

    def __repr__(self) -> str:
        return f"MembershipGuesses({len(self):,} persons, {int((self.matched > 0).sum()):,} may be there)"


# Everybody in a release, as somebody knows them who has a register of the same people: quasi-identifiers, no more.
#
# How values are ordered and grouped (taxonomies, blocks of numbers) stands in what is published with a method, so that
# such a reader knows along which lines a table can be cut.


if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.data.table import Attribute, Table, ValueTree


@dataclass(frozen=True, eq=False, repr=False)
class Crowd:
    """The quasi-identifiers of everybody in a release.

    Attributes:
        attributes: the quasi-identifiers, with their order and taxonomies.
        codes: persons x quasi-identifiers: positions in the values of each.
        persons: who each row is about, where somebody has several; None if everybody has one.
    """

    attributes: tuple[Attribute, ...]
    codes: NDArray[np.int32]
    persons: Longs | None = None

    @classmethod
    def of(cls, table: Table, rows: NDArray[Any] | None = None) -> Crowd:
        """The quasi-identifiers of all rows of a table, or of some; nothing else of it is kept."""
        places = list(table.positions("quasi-identifier"))
        some = table if rows is None else table.take(rows)
        attributes = tuple(table.attributes[place] for place in places)
        persons = some.persons if some.several_each else None
        return cls(attributes, np.ascontiguousarray(some.codes[:, places]), persons)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"Crowd({len(self):,} persons by {', '.join(each.name for each in self.attributes)})"

    @property
    def known(self) -> Known:
        """The same as what is known of single persons."""
        names = tuple(attribute.name for attribute in self.attributes)
        return Known(names, tuple(attribute.values for attribute in self.attributes), self.codes)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Along which lines the crowd can be cut."""
        return tuple(
            replace(Axis.of(attribute, self.codes[:, place]), persons=self.persons)
            for place, attribute in enumerate(self.attributes)
        )


@dataclass(frozen=True, eq=False)
class Axis:
    """One quasi-identifier as a line.

    Attributes:
        keys: where each person stands: numbers by size, taxonomies as a walk meets their values, others by name.
        numbers: the number behind each key, if they are numbers.
        paths: nodes of the taxonomy from the root down to each key, -1 below it; nothing without one.
        below: values below each node of ``paths``.
        persons: who each row is about, where somebody has several.
    """

    keys: Longs
    numbers: NDArray[np.float64] | None = None
    paths: Longs | None = None
    below: Longs | None = None
    persons: Longs | None = None

    @classmethod
    def of(cls, attribute: Attribute, codes: NDArray[np.int32]) -> Axis:
        """The line that an attribute gives."""
        if attribute.tree is not None:
            order, paths = _walk(attribute.tree, numbers=attribute.numbers is not None)
            below = np.where(paths >= 0, attribute.tree.sizes[paths], 0)
            return cls(order[codes], None, paths, below)
        if attribute.numbers is None:
            return cls(codes.astype(np.int64))
        if attribute.blocks is not None:
            return cls(attribute.blocks.of(attribute.numbers)[codes], attribute.blocks.lows)
        return cls(codes.astype(np.int64), attribute.numbers)

    def shared(self, one: Any, other: Any) -> Any:
        """How many nodes, from the root down, the paths to two keys share."""
        if self.paths is None:
            return np.zeros(np.shape(one), np.int64)
        first, second = self.paths[one], self.paths[other]
        return np.minimum.accumulate((first == second) & (first >= 0), axis=-1).sum(axis=-1)

    def covered(self, low: Any, high: Any) -> Any:
        """Values below the lowest node that covers two keys."""
        if self.below is None:
            return np.zeros(np.shape(low), np.int64)
        return np.take_along_axis(
            self.below[low], np.atleast_1d(self.shared(low, high) - 1)[..., None], axis=-1
        )[..., 0]

    def cell(self, rows: Longs) -> tuple[int, ...]:
        """What tells the smallest published cover of some persons from others."""
        keys = np.unique(self.keys[rows])
        if self.paths is None or self.below is None:
            return tuple(keys.tolist() if self.numbers is None else (keys[0], keys[-1]))
        many = int(self.covered(keys[:1], keys[-1:])[0])
        # Nodes one above the other may cover the same: the topmost stands for all.
        return many, int(self.paths[keys[0], np.argmax(self.below[keys[0]] == many)])

    def width(self, rows: Longs) -> float:
        """How far some persons lie apart, as Mondrian measures it."""
        keys = self.keys[rows]
        low, high = int(keys.min()), int(keys.max())
        if low == high:
            return 0.0
        if self.numbers is not None:
            return float(self.numbers[high] - self.numbers[low])
        if self.paths is not None:
            return float(self.covered(np.array([low]), np.array([high]))[0] - 1)
        return float(len(np.unique(keys)) - 1)


def _walk(tree: ValueTree, *, numbers: bool) -> tuple[Longs, Longs]:
    """Place of each value in a walk through a taxonomy, and the nodes above each place.

    Branches follow in the order of their nodes; of numbers, in the order of their first one.
    """
    down = [tree.path(leaf)[::-1] for leaf in range(tree.leaves)]
    first: dict[int, int] = {}
    for leaf, path in enumerate(down):
        for node in path:
            first.setdefault(node, leaf)
    met = sorted(
        range(tree.leaves), key=lambda leaf: [(first[node] if numbers else 0, node) for node in down[leaf]]
    )
    order = np.empty(tree.leaves, np.int64)
    order[met] = np.arange(tree.leaves)
    paths = np.full((tree.leaves, max(map(len, down))), -1, np.int64)
    for place, leaf in enumerate(met):
        paths[place, : len(down[leaf])] = down[leaf]
    return order, paths
