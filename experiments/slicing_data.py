"""Data of the experiments on slicing and the upper/lower-level method: pairs of tables that share some rows.

The paper draws two disjoint samples of 4,000 rows of Adult and adds 100 to 500 rows of a pool to both. Each pair is
published twice over, as "Education" and as "Occupation": the name is the sensitive attribute of both tables.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.data.schema import Column, Schema
from cloven.reading.tables import read_table
from experiments.public_data import PUBLIC_DATA, PublicData

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
