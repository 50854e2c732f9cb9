"""UL, the upper/lower-level method: slicing that swaps rare and common cells (BinJubier, Ismail, Ahmed, Sadiq 2022).

1. Columns as in slicing, the sensitive attributes alone; those that hang together least are *loose* (``columns``).
2. Buckets of at least k rows in which no sensitive value has more than 1/l of the rows (``slicing_kernel``).
3. Cells of loose columns that are rare or common in their class are selected (``levels``).
4. Each exchanges its value within its rank group (``swaps``), or is generalised.

Steps 3 and 4 leave sensitive values and buckets as they are. What a release tells about somebody's sensitive value is a
mean of its shares in the buckets that match (``matching``), and none of these exceeds 1/l; so l-diversity holds for
everybody, whatever was exchanged. Each bucket then has at least l >= 2 sensitive values, which the paper asks for too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from cloven.compiled import Flags, Floats, Longs
from cloven.data.given import expect_table
from cloven.errors import ParameterError
from cloven.kinds.tables.methods.assembly import sliced
from cloven.kinds.tables.methods.columns import Columns, binned, numbered
from cloven.kinds.tables.methods.constraints import WORDED_NAMES
from cloven.kinds.tables.methods.lots import Lots, lots_of, shuffled
from cloven.kinds.tables.methods.parameters import check_choice, check_names, check_share
from cloven.kinds.tables.methods.slicing import Check, Slicing
from cloven.kinds.tables.methods.swaps import (
    compile_rules,
    meetings,
    paths,
    swap_attribute,
    wider,
    with_trees,
)
from cloven.protocols import Dimension, Real
from cloven.values import file_of, listed, one_of, option, share, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from cloven.data.table import Table, ValueTree
    from cloven.kinds.tables.key import PublishedTable
    from cloven.kinds.tables.methods.constraints import Worded
    from cloven.kinds.tables.methods.swaps import Rule, Rules


class CellCounts(NamedTuple):
    """Rows of each cell, of its class, with its value, and of the whole table."""

    cell: Longs
    within: Longs
    value: Longs
    rows: int


CellMeasure: TypeAlias = Callable[[CellCounts], Floats]


def _phi(n: CellCounts) -> Floats:
    """Size of the correlation of "is in the class" and "has the value"."""
    spread = np.sqrt(n.within * (n.rows - n.within) * 1.0 * n.value * (n.rows - n.value))
    return np.abs(n.cell * n.rows - n.within * n.value) / np.where(spread > 0, spread, 1.0)


MEASURES: dict[str, CellMeasure] = {
    "share": lambda n: n.cell / n.within,
    "share-of-all": lambda n: n.cell / n.rows,
    "largest-share": lambda n: n.cell / np.minimum(n.within, n.value),
    "smallest-share": lambda n: n.cell / np.maximum(n.within, n.value),
    "jaccard": lambda n: n.cell / (n.within + n.value - n.cell),
    "cosine": lambda n: n.cell / np.sqrt(n.within * 1.0 * n.value),
    "phi": _phi,
}
"""Measures of a cell by name."""


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
    changed: Flags


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
    swap_rate: float = option(
        0.05, share(0.5), "Cells with a share of at most this are protected; see `cloven cells` first."
    )
    protected: tuple[str, ...] | None = option(
        None, listed(text(), "NAMES"), "Attributes to protect; default: of columns that hang together least."
    )
    measure: str | CellMeasure = option(
        "share", one_of(*MEASURES), f"How a cell is measured: {', '.join(MEASURES)}."
    )
    rules: tuple[Rule, ...] = option(
        (), file_of("rules"), "File of values that cannot meet: sex=m, illness=..., one rule in each line."
    )
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
        common = {name: found for name, found in super().space(data).items() if name != "check"}
        return common | {"swap_rate": Real(0.01, 0.15, log=True)}

    def anonymise(self, table: Table, progress: Callable[[str, float], None] | None = None) -> PublishedTable:
        """Anonymise; ``progress(step, share done)`` is called along the way."""
        expect_table(table, type(self).__name__)
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

        coarse = binned(table, self.bins, self.bins_by)
        measure = MEASURES[self.measure] if isinstance(self.measure, str) else self.measure
        return [levels(coarse, look, measure) for look in looks]

    def _protect(
        self, table: Table, buckets: Longs, looks: list[Look], rules: Rules, lots: Lots
    ) -> Protected:
        """Exchange or generalise what the swap rate selects, attribute by attribute."""
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


# Cell generalisation: what happens to selected values that no partner could be found for.
#
# The value of such a cell gives way to the next node above it in the taxonomy, in this cell only, and further up until
# k rows of its class can show the same node (BinJubier et al. 2022, Algorithm 2, line 5: "to satisfy k-anonymity").
# Where fewer than k were to be generalised, other rows of the class below that node, drawn by lot, show it too: a node
# shown by one row would point at it. Whoever knows class and value of somebody then finds k rows that fit, or the whole
# class where it has fewer rows.


def generalise_cells(
    values: NDArray[np.int32], class_of: Longs, stuck: Flags, tree: ValueTree, k: int, lots: Lots
) -> NDArray[np.int32]:
    """Node that each row shows of one attribute; -1 where it shows its value.

    Args:
        values: value of each row.
        class_of: class of each row.
        stuck: rows whose value must be generalised.
        tree: taxonomy of the attribute.
        k: rows of a class that show a node, at least.
        lots: where random numbers come from.
    """
    shown = np.full(len(values), -1, np.int32)
    above, covering = wider(tree), paths(tree)
    for number in np.unique(class_of[stuck]).tolist():
        rows = np.flatnonzero(class_of == number)
        shown[rows] = _in_class(values[rows], stuck[rows], tree, above, covering, k, lots)
    return shown


def _in_class(
    values: NDArray[np.int32],
    stuck: Flags,
    tree: ValueTree,
    above: NDArray[np.int32],
    covering: NDArray[np.int32],
    k: int,
    lots: Lots,
) -> NDArray[np.int32]:
    """Node that each row of one class shows, from the lowest nodes up."""
    shown = np.where(stuck, above[values], np.int32(-1)).astype(np.int32)
    waiting = set(np.unique(shown[stuck]).tolist())
    while waiting:
        node = min(waiting, key=lambda found: (tree.sizes[found], found))
        waiting.remove(node)
        here = shown == node
        free = np.flatnonzero((shown < 0) & (covering[values] == node).any(axis=1))
        lacking = k - int(here.sum())
        if lacking <= len(free):
            shown[shuffled(free, lots)[: max(lacking, 0)]] = node
        elif node == tree.root:
            shown[:] = tree.root
        else:
            shown[here] = above[node]
            waiting.add(int(above[node]))
    return shown


# Lower and upper protection level: which cells are so rare, or so common, that they give people away.
#
# BinJubier et al. (2022, section 3.4.1) select cells whose "correlation coefficient" ``r`` lies in ``0 < r <= rate``
# (lower) or ``1 - rate <= r < 1`` (upper), and do not say what ``r`` of a cell is. Of seven measures tried on all pairs
# of attributes of Adult, one comes closest to the cells and rows that the paper prints (its Tables 3 and 4): the share
# of the cell among the rows with the same first value. It is the default, ``share``; the measure can be exchanged.
#
# So a cell is a value of a protected attribute together with the *class* it stands in: the rows with the same value of
# the attribute in the middle of the column. A column of one attribute has one class, the whole table. Numbers are taken
# in bins. Cells with ``r = 1`` are never selected: a class that has one value only cannot be told apart by it.


ROUNDING = 1e-12


@dataclass(frozen=True)
class Look:
    """One protected attribute, and the attribute whose values are the classes; None for one class."""

    attribute: int
    within: int | None


@dataclass(frozen=True, eq=False)
class Levels:
    """The cells of one protected attribute.

    Attributes:
        cell_of_row: number of the cell that each row stands in.
        measured: ``r`` of each cell.
    """

    cell_of_row: Longs
    measured: Floats

    def lower(self, rate: float) -> Flags:
        """Cells at the lower level."""
        return (self.measured > 0) & (self.measured <= rate + ROUNDING)

    def upper(self, rate: float) -> Flags:
        """Cells at the upper level."""
        return (self.measured >= 1 - rate - ROUNDING) & (self.measured < 1)

    def rows(self, rate: float) -> Flags:
        """Rows in a cell at either level."""
        found: Flags = (self.lower(rate) | self.upper(rate))[self.cell_of_row]
        return found


def levels(coarse: NDArray[np.int32], look: Look, measure: CellMeasure) -> Levels:
    """Measure the cells of an attribute; ``coarse`` are the codes of the table with numbers in bins."""
    value = coarse[:, look.attribute]
    rows = len(coarse)
    within = np.zeros(rows, np.int32) if look.within is None else coarse[:, look.within]
    cell_of_row = numbered((within, value), rows)
    first = np.unique(cell_of_row, return_index=True)[1]
    counts = CellCounts(
        np.bincount(cell_of_row),
        np.bincount(within)[within[first]],
        np.bincount(value)[value[first]],
        rows,
    )
    return Levels(cell_of_row, np.asarray(measure(counts), np.float64))


@dataclass(frozen=True)
class SelectedCells:
    """How much one swap rate selects of one attribute.

    Attributes:
        rate: the swap rate.
        attribute: name of the protected attribute.
        within: name of the attribute whose values are the classes; None if there is one class.
        lower_cells: cells at the lower level.
        lower_rows: rows in them.
        upper_cells: cells at the upper level.
        upper_rows: rows in them.
    """

    rate: float
    attribute: str
    within: str | None
    lower_cells: int
    lower_rows: int
    upper_cells: int
    upper_rows: int


def count_selected(
    found: Iterable[tuple[str, str | None, Levels]], rates: Iterable[float]
) -> tuple[SelectedCells, ...]:
    """Cells and rows that each swap rate selects, rate by rate."""
    looks = list(found)
    out = []
    for rate in rates:
        for attribute, within, level in looks:
            lower, upper = level.lower(rate), level.upper(rate)
            rows = np.bincount(level.cell_of_row)
            low, high = int(rows[lower].sum()), int(rows[upper].sum())
            out.append(SelectedCells(rate, attribute, within, int(lower.sum()), low, int(upper.sum()), high))
    return tuple(out)
