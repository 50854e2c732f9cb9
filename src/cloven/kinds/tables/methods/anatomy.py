"""Anatomy: publish quasi-identifiers and sensitive values apart (Xiao, Tao: Anatomy, VLDB 2006).

Groups of l rows with l different sensitive values are made, always from the l values with the most rows left; what
cannot be grouped (fewer than l rows) joins random groups that do not hold its value. Inside a group nobody can tell
which value is whose, so each has a chance of at most 1/l. Quasi-identifiers stay exact: who is in the table, and in
which group, is public.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cloven.data.given import expect_table
from cloven.errors import ParameterError
from cloven.kinds.tables.methods.assembly import check_complete, sliced
from cloven.kinds.tables.methods.lots import Drawing
from cloven.kinds.tables.methods.parameters import SEED, check_seed, check_whole, one_sensitive
from cloven.protocols import Dimension, Whole
from cloven.values import option, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.data.table import Attribute, Table
    from cloven.kinds.tables.key import PublishedTable


@dataclass(frozen=True)
class Anatomy:
    """Quasi-identifiers and sensitive values apart, in groups.

    Attributes:
        l: rows of a group, all with different sensitive values.
        seed: for the lots that make the groups; experiments only, and marks the release.
    """

    l: int = option(6, whole(2), "Rows of a group, all with different sensitive values.")
    seed: int | None = option(None, whole(0), SEED, last=True)
    SEARCHED_UNASKED: ClassVar[bool] = False  # quasi-identifiers stay exact: a search must name it
    family: ClassVar[str] = "tables"

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", check_whole("l", self.l, 2, "with l = 1 sensitive values are certain"))
        check_seed(self.seed)

    @property
    def k(self) -> int:
        """Rows of a group, at least."""
        return self.l

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as plain JSON values."""
        return {"method": "anatomy", "seeded": self.seed is not None, "l": self.l, "check": "bucket"}

    @classmethod
    def space(cls, data: Table) -> dict[str, Dimension]:
        """What a search for good settings varies: l as far as the most common value allows."""
        place = one_sensitive(data, "anatomy")
        most = int(np.bincount(data.codes[:, place]).max())
        return {"l": Whole(2, max(2, min(20, len(data) // most)))}

    def anonymise(self, table: Table, progress: Callable[[str, float], None] | None = None) -> PublishedTable:
        """Anonymise; ``progress(step, share done)`` is called along the way."""
        expect_table(table, type(self).__name__)
        report = progress or (lambda _step, _share: None)
        check_complete(table)
        place = one_sensitive(table, "anatomy")
        report("groups", 0.0)
        groups = groups_of(table.codes[:, place], self.l, Drawing.of(self.seed), table.attributes[place])
        report("assemble", 0.0)
        promised = {"demand": "distinct-l", "l": self.l, "attributes": [table.attributes[place].name]}
        parameters = self.parameters | {"constraints": [promised]}
        columns = (table.positions("quasi-identifier"), (place,))
        result = sliced(table, groups, columns, k=self.l, parameters=parameters)
        report("assemble", 1.0)
        return result


def groups_of(values: NDArray[np.int32], l: int, drawing: Drawing, attribute: Attribute) -> Longs:
    """Group of each row.

    Raises:
        ParameterError: some value is too common for any groups of l different ones.
    """
    counts = np.bincount(values, minlength=len(attribute))
    most = int(counts.argmax())
    if counts[most] * l > len(values):
        reachable = len(values) // max(1, int(counts[most]))
        remedy = f"choose l of at most {reachable}" if reachable >= 2 else "no l can be reached"
        message = (
            f"l = {l} cannot be met: {counts[most]:,} of {len(values):,} rows have {attribute.name} ="
            f" {attribute.values[most]!r}; {remedy}"
        )
        raise ParameterError(message)
    shuffled = drawing.order(len(values))
    waiting: dict[int, list[int]] = {}
    for row in shuffled.tolist():
        waiting.setdefault(int(values[row]), []).append(row)
    groups = np.full(len(values), -1, np.int64)
    held = _fill(waiting, l, groups)
    for value in sorted(waiting):
        for row in waiting[value]:
            group = _without(held, value, drawing)
            groups[row] = group
            held[group].add(value)
    return groups


def _fill(waiting: dict[int, list[int]], l: int, groups: Longs) -> list[set[int]]:
    """Make groups as long as l values have rows left; gives the values of each group."""
    heap = [(-len(rows), value) for value, rows in waiting.items()]
    heapq.heapify(heap)
    held: list[set[int]] = []
    while len(heap) >= l:
        taken = [heapq.heappop(heap) for _ in range(l)]
        for left, value in taken:
            groups[waiting[value].pop()] = len(held)
            if left < -1:
                heapq.heappush(heap, (left + 1, value))
        held.append({value for _, value in taken})
    return held


def _without(held: list[set[int]], value: int, drawing: Drawing) -> int:
    """A random group that does not hold a value; eligibility of the table sees to it that there is one."""
    free = [group for group, values in enumerate(held) if value not in values]
    return free[drawing.one(len(free))]
