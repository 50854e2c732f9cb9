"""Mondrian: halve a table again and again, as long as both halves keep what is promised.

LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006. The attribute with the widest
normalised range is cut first: numbers by their span, values with a taxonomy by the leaves below their lowest common
ancestor, other values by how many there are. Where the paper tries the median alone, here the cut nearest to the median
that keeps to everything is taken, so that in the end no allowable cut is left.

Which cut is taken then tells something about sensitive values to whoever knows everybody's quasi-identifiers and makes
the cuts again (minimality attack; Wong, Fu, Wang, Pei, VLDB 2007). Replay-proof, quasi-identifiers and k alone decide
about the tree of cuts; classes that miss a constraint are joined with what lies on the other side of their cut, again
and again. As a union of classes keeps to what all of them keep to, that is the same as taking a cut back from above
unless both of its sides as a whole keep to everything, and so it is computed. A class then tells of one cut alone that
one of its sides missed something.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from cloven.anonymise.slicing.constraints import Constraint, DistinctL, described
from cloven.anonymise.slicing.parameters import check_whole
from cloven.anonymise.slicing.wording import WORDED_CONSTRAINTS
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from cloven.anonymise.slicing.wording import Worded
    from cloven.model.key_table import PublishedTable
    from cloven.model.space import Dimension
    from cloven.model.table import Table

Partition = Literal["adaptive", "replay-proof"]


@dataclass(frozen=True)
class Mondrian:
    """Coarse cells: every person looks like at least ``k - 1`` others on the quasi-identifiers.

    Attributes:
        k: rows of a class, at least; persons, where somebody has several rows.
        l: short for ``DistinctL(l)``: so many different values of each sensitive attribute in every class.
        constraints: more that every class must keep to.
        mode: ``strict``: equal values stay on one side of a cut; ``relaxed``: they may come to both, classes are more
            even and their ranges may overlap. Which of equal rows come where is drawn by lot.
        partition: ``adaptive``: the cut nearest to the middle that keeps to everything is taken; ``replay-proof``: cuts
            are decided without a look at sensitive values, and taken back where a side misses a constraint.
        seed: for the lots; experiments only, and marks the release. They come from the operating system otherwise.

    >>> from cloven.model.table import Attribute, Table
    >>> age = Attribute("age", "quasi-identifier", ("20", "30", "40", "50"), np.array([20.0, 30.0, 40.0, 50.0]))
    >>> illness = Attribute("illness", "sensitive", ("Flu", "Gout"))
    >>> codes = np.array([[0, 0], [1, 1], [2, 0], [3, 1]], np.int32)
    >>> release = Mondrian(k=2).anonymise(Table((age, illness), codes, np.arange(4))).release
    >>> [[domain.labels[cell] for domain, cell in zip(release.domains, row)] for row in release.cells.tolist()]
    [['20..30', 'Flu'], ['20..30', 'Gout'], ['40..50', 'Flu'], ['40..50', 'Gout']]
    """

    k: int = 5
    l: int | None = None
    constraints: tuple[Constraint, ...] = ()
    mode: Literal["strict", "relaxed"] = "strict"
    seed: int | None = None
    partition: Partition = "adaptive"
    WORDED: ClassVar[Mapping[str, Worded]] = {"constraints": WORDED_CONSTRAINTS}

    def __post_init__(self) -> None:
        k = check_whole("k", self.k, 2, "with k = 1 nobody is protected")
        if self.mode not in ("strict", "relaxed"):
            message = f"mode must be 'strict' or 'relaxed', got {self.mode!r}"
            raise ParameterError(message)
        if self.partition not in get_args(Partition):
            message = f"partition must be one of {', '.join(get_args(Partition))}, got {self.partition!r}"
            raise ParameterError(message)
        if self.seed is not None:
            check_whole("seed", self.seed, 0, "it starts a random generator")
        object.__setattr__(self, "k", k)
        object.__setattr__(self, "constraints", tuple(self.constraints))
        _ = self.demanded  # a bad l is refused here

    @property
    def family(self) -> str:
        """How its releases are attacked and measured."""
        return "tables"

    @classmethod
    def space(cls, data: Table) -> dict[str, Dimension]:
        """What a search for good settings varies."""
        from cloven.model.space import Choice, Whole

        found: dict[str, Dimension] = {
            "k": Whole(2, max(2, min(100, len(data) // 20))),
            "mode": Choice(("strict", "relaxed")),
        }
        kinds = [len(np.unique(data.codes[:, position])) for position in data.positions("sensitive")]
        if kinds and min(kinds) >= 2:
            found["l"] = Whole(2, min(10, *kinds))
        return found

    @property
    def demanded(self) -> tuple[Constraint, ...]:
        """All constraints, the short one first."""
        return (*(() if self.l is None else (DistinctL(self.l),)), *self.constraints)

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as plain JSON values; what the constraints speak of is added with the table."""
        return {
            "method": "mondrian",
            "unsafe": False,
            "seeded": self.seed is not None,
            "mode": self.mode,
            # The usual way is what a release without this word was made in.
            **({} if self.partition == "adaptive" else {"partition": self.partition}),
            "l": self.l,
            "constraints": [constraint.parameters for constraint in self.demanded],
        }

    def anonymise(self, table: Table, progress: Callable[[str, float], None] | None = None) -> PublishedTable:
        """Anonymise; ``progress(step, share done)`` is called along the way."""
        from cloven.anonymise.slicing.assembling import generalised

        report = progress or (lambda _step, _share: None)
        report("cut", 0.0)
        classes = self.classes(table)
        report("assemble", 0.0)
        promised = [entry for constraint in self.demanded for entry in described(constraint, table)]
        told = {
            **self.parameters,
            "constraints": promised,
            **({"persons": True} if table.several_each else {}),
        }
        published = generalised(table, classes, k=self.k, parameters=told)
        report("assemble", 1.0)
        return published

    def classes(self, table: Table) -> NDArray[np.int64]:
        """Class of each row, numbered from 0."""
        from cloven.anonymise.slicing.assembling import check_complete
        from cloven.anonymise.slicing.drawing import Drawing
        from cloven.anonymise.slicing.encoding import demands, dimensions
        from cloven.anonymise.slicing.mondrian_kernel import partition, width
        from cloven.anonymise.slicing.reachable import check_reachable

        check_complete(table)
        check_reachable(table, self.k, self.demanded)
        relaxed = self.mode == "relaxed"
        # Of strict cuts no order of rows can be seen.
        rows = Drawing.of(self.seed).order(len(table)) if relaxed else np.arange(len(table))
        dims = dimensions(table)
        stamps = np.full(int(dims.start[-1]), -1, np.int64)
        widest = np.array([width(dims, dim, rows, stamps, 0) for dim in range(len(dims.kind))])
        promised = demands(table, self.demanded, self.k)
        cutting = promised if self.partition == "adaptive" else demands(table, (), self.k)
        return partition(dims, cutting, promised, rows, self.k, relaxed, widest)
