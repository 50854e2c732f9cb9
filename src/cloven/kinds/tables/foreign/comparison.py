"""The columns of a published table beside the original: what cells are read as, and who is behind the rows.

Some tools write ranges that hold the other end than they say: ``[50, 60)`` for whoever is 60, not 50. Where more rows
fit people so, they are read so, as an attacker would, and it is told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError, shorten
from cloven.kinds.tables.foreign.cells import NOTHING, CellReader
from cloven.kinds.tables.foreign.links import (
    NOBODY,
    Links,
    Shown,
    by_fit,
    by_names,
    by_numbers,
    fitting,
    in_order,
)
from cloven.kinds.tables.foreign.nearest import by_nearest
from cloven.kinds.tables.foreign.ranges import overlapping, quasi_identifiers
from cloven.kinds.tables.foreign.roles import telling_apart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.data.table import Attribute, Table
    from cloven.kinds.tables.foreign.cells import Cell
    from cloven.kinds.tables.foreign.roles import Raw


@dataclass(frozen=True, eq=False)
class Compared:
    """What came of it.

    Attributes:
        read: the published rows.
        links: who is behind them.
        learned: column and cell of what was read off the people behind it.
        unread: column, cell and number of rows of what could not be read.
        turned: columns whose ranges hold the other end than they say.
        misfits: of rows whose person is known by a name or the order, and whose cells do not hold what the person has:
            column, cell, value in the original, and number of rows; the first of each column.
    """

    read: Shown
    links: Links
    learned: tuple[tuple[str, Cell], ...]
    unread: tuple[tuple[str, Cell, int], ...]
    turned: tuple[str, ...]
    misfits: tuple[tuple[str, Cell, str, int], ...]

    @property
    def lost(self) -> int:
        """Published rows that fit nobody who is left in the original."""
        return int((self.links.person == NOBODY).sum())


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two tables to be compared.

    Attributes:
        shown: published columns.
        before: columns of the original.
        data: the original as a table; its attributes are compared.
        absent: texts that stand for no value in the original.
    """

    shown: Mapping[str, Raw]
    before: Mapping[str, Raw]
    data: Table
    absent: frozenset[str]

    def best(self) -> Compared:
        """As the cells say; with ranges turned where more rows fit people so."""
        found = self.attempt()
        for column in self._half_open() if found.lost else ():
            other = self.attempt((*found.turned, column))
            if other.lost < found.lost:
                found = other
        return found

    def attempt(self, turned: tuple[str, ...] = ()) -> Compared:
        """Read all cells, and link the rows to people."""
        attributes, people = self.data.attributes, self.data.codes
        read = Shown(
            tuple(self._cells(each, turned=each.name in turned) for each in attributes),
            np.column_stack([self.shown[each.name].codes for each in attributes]),
        )
        links = self._linked(read)
        read, learned = self._with_learned(read, links)
        fits = fitting(read, people, links.person)
        unread = [
            (attribute.name, cell, int((read.codes[:, place] == number).sum()))
            for place, (attribute, cells) in enumerate(zip(attributes, read.cells, strict=True))
            for number, cell in enumerate(cells)
            if cell.how == "unread"
        ]
        kept = replace(links, person=np.where(fits, links.person, NOBODY))
        return Compared(read, kept, learned, tuple(unread), turned, self._misfits(read, links))

    def _half_open(self) -> list[str]:
        """Columns with ranges that hold one of their ends."""
        return [
            each.name
            for each in self.data.attributes
            if any(text[:1] + text[-1:] in ("[)", "(]", "[[", "]]") for text in self.shown[each.name].texts)
        ]

    def _cells(self, attribute: Attribute, *, turned: bool) -> tuple[Cell, ...]:
        """Every different text of a column, read."""
        from cloven.reading.tables import KEPT

        column = self.shown[attribute.name]
        theirs, ours = column.times, self.before[attribute.name].times
        taken_out = {text for text in NOTHING | self.absent if theirs.get(text, 0) > ours.get(text, 0)}
        absent = self.absent if KEPT in attribute.values else frozenset()
        reader = CellReader(attribute, (absent, KEPT), frozenset(taken_out), turned)
        cells = tuple(map(reader.read, column.texts))
        coarse = next((cell for cell in cells if len(cell.codes) > 1), None)
        if coarse is not None and attribute.role == "sensitive":
            message = (
                f"column {attribute.name!r} is sensitive and shows {shorten(coarse.text)}, which is no value of the"
                ' original; give it the role "quasi-identifier" in the schema'
            )
            raise ParameterError(message)
        return cells

    def _linked(self, read: Shown) -> Links:
        """Who is behind each row, by the surest way that there is."""
        rows = len(next(iter(self.before.values())))
        place = np.full(rows, NOBODY, np.int64)
        place[self.data.source_rows] = np.arange(len(self.data))
        for name in telling_apart(self.shown, self.before):
            raw = by_names(self.shown[name].rows, self.before[name].rows)
            if raw is not None:
                return Links("names", place[raw], name)
        for name in [name for name in self.shown if name not in self.before]:
            for raw in by_numbers(self.shown[name].rows, rows):  # tools leave the number of the row behind
                if len(read) > 1 and fitting(read, self.data.codes, place[raw]).all():
                    return Links("names", place[raw], name)
        if in_order(read, self.data.codes):
            return Links("order", np.arange(len(self.data)))
        names = self.data.names("quasi-identifier")
        if overlapping(quasi_identifiers(read, self.data), names):
            return Links("fit", by_nearest(read, self.data.codes, self.data.attributes))
        return Links("fit", by_fit(read, self.data.codes))

    def _with_learned(self, read: Shown, links: Links) -> tuple[Shown, tuple[tuple[str, Cell], ...]]:
        """Cells that cannot be read stand for what the people behind them have, where it is known who they are."""
        if links.way == "fit":
            return read, ()
        learned, columns = [], []
        for place, cells in enumerate(read.cells):
            found = list(cells)
            for number, cell in enumerate(cells):
                people = links.person[read.codes[:, place] == number]
                codes = np.unique(self.data.codes[people[people != NOBODY], place])
                if cell.how == "unread" and len(codes):
                    found[number] = replace(cell, how="learned", codes=codes.astype(np.int32))
                    learned.append((self.data.attributes[place].name, found[number]))
            columns.append(tuple(found))
        return replace(read, cells=tuple(columns)), tuple(learned)

    def _misfits(self, read: Shown, links: Links) -> tuple[tuple[str, Cell, str, int], ...]:
        """Cells that do not hold what the person behind them has."""
        out = []
        for place, attribute in enumerate(self.data.attributes):
            column = Shown((read.cells[place],), read.codes[:, [place]])
            wrong = ~fitting(column, self.data.codes[:, [place]], links.person) & (links.person != NOBODY)
            if wrong.any():
                first = int(np.argmax(wrong))
                value = attribute.values[self.data.codes[links.person[first], place]]
                cell = read.cells[place][read.codes[first, place]]
                out.append((attribute.name, cell, value, int(wrong.sum())))
        return tuple(out)
