"""UL, the upper/lower-level method: slicing that swaps rare and common cells (BinJubier, Ismail, Ahmed, Sadiq 2022).

1. Columns as in slicing, the sensitive attributes alone; those that hang together least are *loose* (``columns``).
2. Buckets of at least k rows in which no sensitive value has more than 1/l of the rows (``slicing_kernel``).
3. Cells of loose columns that are rare or common in their class are selected (``levels``).
4. Each exchanges its value within its rank group (``swapping``), or is generalised (``generalising``).

Steps 3 and 4 leave sensitive values and buckets as they are. What a release tells about somebody's sensitive value is a
mean of its shares in the buckets that match (``matching``), and none of these exceeds 1/l; so l-diversity holds for
everybody, whatever was exchanged. Each bucket then has at least l >= 2 sensitive values, which the paper asks for too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cloven.anonymise.slicing.levels import MEASURES, CellMeasure, Levels, Look, count_selected, levels
from cloven.anonymise.slicing.parameters import check_choice, check_names, check_share
from cloven.anonymise.slicing.slicing import Check, Slicing
from cloven.anonymise.slicing.wording import WORDED_NAMES
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from cloven.anonymise.slicing.columns import Columns
    from cloven.anonymise.slicing.levels import SelectedCells
    from cloven.anonymise.slicing.lots import Lots
    from cloven.anonymise.slicing.nonsense import Rule, Rules
    from cloven.anonymise.slicing.wording import Worded
    from cloven.model.key_table import PublishedTable
    from cloven.model.space import Dimension
    from cloven.model.table import Table


@dataclass(frozen=True, eq=False)
class Protected:
    """A table with exchanged and generalised values.

    Attributes:
        codes: rows x attributes: values after exchanging.
        nodes: rows x attributes: node of the taxonomy that is shown instead; -1 for the value.
        changed: rows x attributes: whether the value was exchanged.
    """

    codes: NDArray[np.int32]
    nodes: NDArray[np.int32]
    changed: NDArray[np.bool_]


@dataclass(frozen=True)
class UL(Slicing):
    """The upper/lower-level method; parameters of ``Slicing`` and its own are fields, ``anonymise`` does the work.

    Attributes:
        check: always ``bucket``: swapping could break what ``matching`` finds.
        swap_rate: cells with a share of at most this in their class, or of all but this, are selected. Look at
            ``selected_cells`` before you choose it.
        protected: attributes to look at; None for those of loose columns, apart from the one in their middle, or, if
            nothing there is rare or common, for all quasi-identifiers that stand beside no sensitive attribute.
        measure: how a cell is measured: a name from ``levels.MEASURES``, or a function of ``CellCounts``.
        rules: values that cannot meet in one row, by attribute; no exchange makes them meet.
    """

    check: Check = "bucket"
    swap_rate: float = 0.05
    protected: tuple[str, ...] | None = None
    measure: str | CellMeasure = "share"
    rules: tuple[Rule, ...] = ()
    WORDED: ClassVar[Mapping[str, Worded]] = {**Slicing.WORDED, "protected": WORDED_NAMES}

    def __post_init__(self) -> None:
        if self.check != "bucket":
            message = f"check must be bucket for ul (swapping could break any other), got {self.check!r}"
            raise ParameterError(message)
        super().__post_init__()
        rate = check_share("swap_rate", self.swap_rate, 0.5, "above that, rare and common overlap")
        object.__setattr__(self, "swap_rate", rate)
        if self.protected is not None:
            object.__setattr__(self, "protected", check_names("protected", self.protected))
        if not callable(self.measure):
            check_choice("measure", self.measure, tuple(MEASURES))
        object.__setattr__(self, "rules", tuple(self.rules))

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as plain JSON values, as the manifest shows them; rules are counted, not told."""
        own = {
            "method": "ul",
            "swap_rate": self.swap_rate,
            "protected": None if self.protected is None else list(self.protected),
            "measure": self.measure if isinstance(self.measure, str) else "own",
            "rules": len(self.rules),
        }
        return super().parameters | own

    @classmethod
    def space(cls, data: Table) -> dict[str, Dimension]:
        """What a search for good settings varies."""
        from cloven.model.space import Real

        common = {name: found for name, found in super().space(data).items() if name != "check"}
        return common | {"swap_rate": Real(0.01, 0.15, log=True)}

    def anonymise(self, table: Table, progress: Callable[[str, float], None] | None = None) -> PublishedTable:
        """Anonymise; ``progress(step, share done)`` is called along the way."""
        from cloven.anonymise.slicing.assembling import sliced
        from cloven.anonymise.slicing.lots import lots_of
        from cloven.anonymise.slicing.nonsense import compile_rules
        from cloven.anonymise.slicing.rank_groups import with_trees

        if self.partition is None:
            return self.settled(table).anonymise(table, progress)
        report = progress or (lambda _step, _share: None)
        report("columns", 0.0)
        columns = self.columns_of(table)
        table = with_trees(table, self.bins, self.bins_by)
        rules = compile_rules(table, self.rules)
        looks = self._looks(table, columns)
        report("buckets", 0.0)
        lots = lots_of(self.seed)
        buckets = self.buckets_of(table, columns, lots)
        report("protect", 0.0)
        found = self._protect(table, buckets, looks, rules, lots)
        report("assemble", 0.0)
        result = sliced(
            table,
            buckets,
            columns.all,
            k=self.k,
            parameters=self.parameters,
            codes=found.codes,
            nodes=found.nodes,
            changed=found.changed,
        )
        report("assemble", 1.0)
        return result

    def selected_cells(
        self, table: Table, rates: Iterable[float] = (0.01, 0.02, 0.05, 0.1, 0.15)
    ) -> tuple[SelectedCells, ...]:
        """Cells and rows that each swap rate would select, attribute by attribute: to be seen before choosing one."""
        chosen = [check_share("a rate", rate, 0.5, "above that, rare and common overlap") for rate in rates]
        looks = self._looks(table, self.columns_of(table))
        names = [attribute.name for attribute in table.attributes]
        found = [
            (names[look.attribute], None if look.within is None else names[look.within], level)
            for look, level in zip(looks, self._levels(table, looks), strict=True)
        ]
        return count_selected(found, chosen)

    def _looks(self, table: Table, columns: Columns) -> list[Look]:
        """Protected attributes, those with a class of their own last, as their classes may change before."""
        known = {table.attributes[place].name: place for place in table.positions("quasi-identifier")}
        if self.protected is None:
            middle = columns.medoids
            places = [p for column in columns.loose for p in column if len(column) == 1 or middle[p] != p]
            if not self._selects(table, places, columns):
                places = [place for place in known.values() if place in middle]
        else:
            unknown = [name for name in self.protected if known.get(name) not in columns.medoids]
            if unknown:
                free = [name for name, place in known.items() if place in columns.medoids]
                message = (
                    f"protected names {unknown[0]!r}, which is no quasi-identifier that stands beside no sensitive"
                    f" attribute; choose from {', '.join(free)}"
                )
                raise ParameterError(message)
            places = [known[name] for name in dict.fromkeys(self.protected)]
        return self._in_order(places, columns)

    def _in_order(self, places: list[int], columns: Columns) -> list[Look]:
        found = [Look(p, None if columns.medoids[p] == p else columns.medoids[p]) for p in places]
        return sorted(found, key=lambda look: (look.within is not None, look.attribute))

    def _selects(self, table: Table, places: list[int], columns: Columns) -> bool:
        """Whether some cell of these attributes is rare or common."""
        every = self._levels(table, self._in_order(places, columns))
        return any(level.rows(self.swap_rate).any() for level in every)

    def _levels(self, table: Table, looks: list[Look]) -> list[Levels]:
        from cloven.anonymise.slicing.bins import binned

        coarse = binned(table, self.bins, self.bins_by)
        measure = MEASURES[self.measure] if isinstance(self.measure, str) else self.measure
        return [levels(coarse, look, measure) for look in looks]

    def _protect(
        self, table: Table, buckets: NDArray[np.int64], looks: list[Look], rules: Rules, lots: Lots
    ) -> Protected:
        """Exchange or generalise what the swap rate selects, attribute by attribute."""
        from cloven.anonymise.slicing.bins import binned
        from cloven.anonymise.slicing.generalising import generalise_cells
        from cloven.anonymise.slicing.swapping import meetings, swap_attribute

        coarse = binned(table, self.bins, self.bins_by)
        meets = meetings(table, coarse, [look.attribute for look in looks])
        codes = table.codes.copy()
        nodes = np.full(codes.shape, -1, np.int32)
        changed = np.zeros(codes.shape, np.bool_)
        for look, level in zip(looks, self._levels(table, looks), strict=True):
            tree = table.attributes[look.attribute].tree
            assert tree is not None  # noqa: S101 - with_trees gave it one
            selected = level.rows(self.swap_rate)
            # An exchange inside a bucket changes nothing in a column of one attribute, so buckets are its classes.
            partners = buckets if look.within is None else coarse[:, look.within].astype(np.int64)
            classes = np.zeros_like(buckets) if look.within is None else partners
            done = swap_attribute(codes, coarse, partners, selected, tree, meets[look.attribute], rules, lots)
            changed[:, look.attribute] = done
            values = codes[:, look.attribute]
            nodes[:, look.attribute] = generalise_cells(values, classes, selected & ~done, tree, self.k, lots)
        return Protected(codes, nodes, changed)
