"""Data of the experiments on slicing and the upper/lower-level method, and the methods that are compared.

The paper draws two disjoint samples of 4,000 rows of Adult and adds 100 to 500 rows of a pool to both. Each pair is
published twice over, as "Education" and as "Occupation": the name is the sensitive attribute of both tables. Settings
are the paper's: k = l = 6, eps = 0.3, five swap rates.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.schema import Column, Schema
from cloven.kinds.tables.methods.anatomy import Anatomy
from cloven.kinds.tables.methods.diffgen import DiffGen
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.methods.slicing import Slicing
from cloven.kinds.tables.methods.ul import UL
from cloven.reading.tables import read_table
from experiments.harness.data import PUBLIC_DATA, PublicData
from experiments.stand_ins.composition_like import CompositionLike
from experiments.stand_ins.hybrid import Hybrid
from experiments.stand_ins.merging_like import MergingLike
from experiments.stand_ins.probabilistic_like import ProbabilisticLike

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from cloven.data.table import Role, Table

EDUCATION, OCCUPATION, MUSHROOM = "Education", "Occupation", "Mushroom"
ADULT = (EDUCATION, OCCUPATION)
OVERLAPS = (100, 200, 300, 400, 500)

_ADULT_FILES = tuple(PublicData(f"relational/uci_adult/adult.{part}.gz") for part in ("data", "test"))
_ADULT_COLUMNS = (
    "age", "work class", "fnlwgt", "education", "education-num", "marital status", "occupation", "relationship",
    "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "salary",
)  # fmt: skip
_ADULT_USED = (
    "age", "marital status", "sex", "work class", "salary", "relationship", "education", "occupation",
)  # fmt: skip
_ADULT_TREES = {
    "work class": PublicData("relational/uci_adult/adult_workclass.txt"),
    "marital status": PublicData("relational/uci_adult/adult_marital_status.txt"),
    "education": PublicData("relational/arx_adult/adult_hierarchy_education.csv"),
}
_ADULT_LISTS = _ADULT_TREES | {
    "sex": PublicData("relational/uci_adult/adult_sex.txt"),
    "relationship": PublicData("relational/uci_adult/adult_relationship.txt"),
    "occupation": PublicData("relational/uci_adult/adult_occupation.txt"),
}
"""Trees without groups only list the values that are possible: all of them are one rank group."""
_AGES = (17.0, 90.0)
_SALARIES = ("<=50K", ">50K")
_UNMARRIED = ("Divorced", "Never-married", "Separated", "Widowed")
ADULT_RULES: tuple[Mapping[str, tuple[str, ...]], ...] = (
    {"relationship": ("Husband",), "sex": ("Female",)},
    {"relationship": ("Wife",), "sex": ("Male",)},
    {"relationship": ("Husband", "Wife"), "marital status": _UNMARRIED},
)
"""What cannot be. The paper prints no list."""

_MUSHROOM_COLUMNS = {
    "edible": (0, 1, 2), "cap shape": (1, 3, 8), "cap surface": (2, 9, 12), "cap colour": (3, 13, 22),
    "odour": (5, 25, 33), "gill colour": (9, 40, 51), "population": (21, 107, 112), "habitat": (22, 113, 119),
}  # fmt: skip
"""Place of each attribute among the 23 of UCI Mushroom, first and last item that stand for its values."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two tables of different people, apart from those they share.

    Attributes:
        first: what one owner has.
        second: what the other has.
        shared: the rows in both.
        test: rows in neither, to test what can be learned.
    """

    first: Table
    second: Table
    shared: Table
    test: Table


@dataclass(frozen=True, eq=False)
class Source:
    """One data set.

    Attributes:
        name: what tables call it.
        sensitive: the attribute to be hidden.
        target: the attribute that a model learns to tell.
        table: all rows.
        rows: rows of a table without the shared ones.
        pool: rows that shared ones are drawn from.
        rules: values that cannot meet.
        specialisations: h of DiffGen. The paper does not tell it; attributes without a tree fall apart at once, so
            that there is room for fewer.
    """

    name: str
    sensitive: str
    target: str
    table: Table
    rows: int
    pool: int
    rules: tuple[Mapping[str, tuple[str, ...]], ...] = ()
    specialisations: int = 10

    def pair(self, seed: int, overlap: int) -> Pair:
        """Two tables; with the same seed those of a larger overlap hold those of a smaller one."""
        order = np.random.default_rng(seed).permutation(len(self.table))
        ends = np.cumsum([self.rows, self.rows, self.pool])
        one, other, pool, rest = np.split(order, ends)
        shared = pool[:overlap]
        return Pair(
            self._rows(one, shared),
            self._rows(other, shared),
            self._rows(shared),
            self._rows(rest[: self.rows]),
        )

    def _rows(self, *parts: NDArray[np.int64]) -> Table:
        return self.table.take(np.sort(np.concatenate(parts)))

    @property
    def most_common(self) -> tuple[str, int]:
        """The most common sensitive value and its rows."""
        place = self.table.positions("sensitive")[0]
        counts = np.bincount(self.table.codes[:, place])
        return self.table.attributes[place].values[int(counts.argmax())], int(counts.max())


def largest_l(table: Table) -> int:
    """Largest l for which no sensitive value has more than 1/l of the rows."""
    place = table.positions("sensitive")[0]
    return len(table) // int(np.bincount(table.codes[:, place]).max())


def sources(folder: Path, *, quick: bool = False) -> Iterator[Source]:
    """All data sets, one after the other."""
    adult = _adult(folder)
    rows, pool = (800, 500) if quick else (4_000, 8_000)
    for name in ADULT:
        secret = name.lower()
        yield Source(name, secret, "salary", _adult_table(folder, adult, secret), rows, pool, ADULT_RULES)
    rows = 800 if quick else 3_000
    yield Source(MUSHROOM, "gill colour", "edible", _mushroom(folder), rows, 1_000, specialisations=5)


def _adult(folder: Path) -> dict[str, list[str]]:
    """Both parts of Adult, column by column; in the second part classes end in a full stop."""
    rows = []
    for file in _ADULT_FILES:
        with gzip.open(file.path(folder), "rt", encoding="utf-8") as lines:
            cells = ([cell.strip() for cell in line.rstrip(".\n").split(",")] for line in lines)
            rows += [row for row in cells if len(row) == len(_ADULT_COLUMNS)]
    return {name: list(column) for name, column in zip(_ADULT_COLUMNS, zip(*rows, strict=True), strict=True)}


def _adult_table(folder: Path, columns: Mapping[str, list[str]], sensitive: str) -> Table:
    """The eight attributes of the paper; rows without a value are left out."""
    import pyarrow as pa

    schema = Schema(
        tuple(_adult_column(folder, name, sensitive=name == sensitive) for name in _ADULT_USED),
        missing="drop",
    )
    return read_table(pa.table({name: columns[name] for name in _ADULT_USED}), schema)


def _adult_column(folder: Path, name: str, *, sensitive: bool) -> Column:
    """What is possible is said, not read off the rows: DiffGen promises nothing otherwise."""
    role: Role = "sensitive" if sensitive else "quasi-identifier"
    if name == "age":
        return Column(name, role, kind="number", range=_AGES)
    if name in _ADULT_TREES and not sensitive:
        return Column(name, role, kind="category", tree=_ADULT_TREES[name].path(folder))
    if name == "salary":
        return Column(name, role, kind="category", values=_SALARIES)
    lines = _ADULT_LISTS[name].path(folder).read_text(encoding="utf-8").splitlines()
    return Column(name, role, kind="category", values=tuple(line.split(";")[0] for line in lines))


def _mushroom(folder: Path) -> Table:
    """Mushroom as a table again: of each record, item j in ascending order is the value of attribute j."""
    import pyarrow as pa

    data = PUBLIC_DATA["mushroom"].load(folder)
    items = np.array([int(word) for word in data.vocabulary])[data.codes].reshape(len(data), -1)
    items = np.sort(items, axis=1)
    columns, frame = [], {}
    for name, (place, first, last) in _MUSHROOM_COLUMNS.items():
        role: Role = "sensitive" if name == "gill colour" else "quasi-identifier"
        values = tuple(f"v{item}" for item in range(first, last + 1))
        columns.append(Column(name, role, kind="category", values=values))
        frame[name] = [f"v{item}" for item in items[:, place]]
    return read_table(pa.table(frame), Schema(tuple(columns)))


K, L = 6, 6
EPS = 0.3
RATES = (0.01, 0.02, 0.05, 0.1, 0.15)
MAIN_RATES = (0.02, 0.05)
"""Those of Figures 3 and 4."""
ORIGINAL = "as it is"
NO_SWAP = "ul without swaps"
UL_MAIN = "ul 5 %"
MONDRIAN, MONDRIAN_L, SLICING, HYBRID, DIFFGEN, ANATOMY = (
    "mondrian", "mondrian, l", "slicing", "hybrid", "diffgen", "anatomy",
)  # fmt: skip
MERGING, COMPOSITION, PROBABILISTIC = "merging-like", "composition-like", "probabilistic-like"
ADAPTIVE, EVERY, REPLAY = ", adaptive", ", every attribute", ", replay-proof"
UL_ADAPTIVE = UL_MAIN + ADAPTIVE
"""The paper cuts as Mondrian does, which is this; all others are cut proportionally where it is not said."""
RIVALS = (MONDRIAN, HYBRID, DIFFGEN, MERGING, COMPOSITION, PROBABILISTIC)
"""What the paper compares with; it leaves slicing out."""


def swapped(rate: float) -> str:
    """What the upper/lower-level method is called at a swap rate.

    >>> swapped(0.05)
    'ul 5 %'
    """
    return f"ul {100 * rate:g} %"


def with_l(name: str, l: int) -> str:
    """What a method is called that promises more than the others of its data set."""
    return f"{name}, l={l}"


@dataclass(frozen=True)
class Methods:
    """All methods for one data set.

    Attributes:
        source: the data set.
        l: what slicing, the upper/lower-level method, merging-like and anatomy promise; never more than L.
    """

    source: Source
    l: int

    def named(self, pair: Pair, seed: int, *, variants: bool) -> Iterator[tuple[str, Any]]:
        """The methods that the paper compares, slicing and anatomy, by name; variants too, or not."""
        for rate in RATES if variants else MAIN_RATES:
            yield swapped(rate), self._ul(seed, swap_rate=rate)
        yield UL_ADAPTIVE, self._ul(seed, partition="adaptive")
        yield SLICING, self._slicing(seed, self.l)
        yield MONDRIAN, Mondrian(k=K)
        yield HYBRID, Hybrid(k=K, eps=EPS, seed=seed)
        yield DIFFGEN, self._diffgen(seed)
        yield ANATOMY, Anatomy(l=self.l, seed=seed)
        yield MERGING, MergingLike(k=K, l=self.l, seed=seed)
        yield COMPOSITION, CompositionLike(k=K, seed=seed)
        yield PROBABILISTIC, ProbabilisticLike(k=K)
        if variants:
            yield from self._variants(pair, seed)

    def _variants(self, pair: Pair, seed: int) -> Iterator[tuple[str, Any]]:
        """The next larger l among them, if both tables allow it."""
        yield UL_MAIN + EVERY, self._ul(seed, protected=pair.first.names("quasi-identifier"))
        yield UL_MAIN + REPLAY, self._ul(seed, partition="replay-proof")
        yield NO_SWAP, self._slicing(seed, self.l, check="bucket")
        yield SLICING + ADAPTIVE, self._slicing(seed, self.l, partition="adaptive")
        yield SLICING + REPLAY, self._slicing(seed, self.l, partition="replay-proof")
        yield MONDRIAN_L, Mondrian(k=K, l=L)
        more = self.l + 1
        if more <= min(L, largest_l(pair.first), largest_l(pair.second)):
            yield with_l(UL_MAIN, more), self._ul(seed, l=more)
            yield with_l(SLICING, more), self._slicing(seed, more)

    def _diffgen(self, seed: int) -> DiffGen:
        """The data sets state no domains, and the paper does not speak of them; nothing is promised here."""
        return DiffGen(eps=EPS, specialisations=self.source.specialisations, seed=seed, domains="from-data")

    @staticmethod
    def _slicing(seed: int, l: int, **more: Any) -> Slicing:
        options: dict[str, Any] = {"partition": "stratified"} | more
        return Slicing(k=K, l=l, seed=seed, **options)

    def _ul(self, seed: int, **more: Any) -> UL:
        options: dict[str, Any] = {"partition": "stratified", "swap_rate": 0.05, "l": self.l} | more
        return UL(k=K, rules=self.source.rules, seed=seed, **options)
