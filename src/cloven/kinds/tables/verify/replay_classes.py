"""Are the classes of a replay-proof Mondrian those that its rule makes? In steps that share nothing with the method.

The rule: quasi-identifiers and k alone decide how the table is cut, along the widest attribute that can be cut, between
different values, as near to the middle as possible (of values with a taxonomy, first between the branches below the
lowest node that covers all). Then classes that miss a promised constraint are joined with what lies on the other side
of their cut, up to the whole table if need be. Whoever has the original can do the same, and must get these classes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.tables.verify.promise import MEASURED, number_rows
from cloven.verification.verdict import NOT_CHECKED, Check, Fault, conclude

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Longs
    from cloven.data.table import Attribute, Table, ValueTree
    from cloven.kinds.tables.release import CellDomain, GeneralisedTable
    from cloven.kinds.tables.verify.promise import Demand, Promise


NAME = "cut as promised"


def check_rejoined(
    release: GeneralisedTable, promise: Promise, original: Table | None, codes: NDArray[np.int32] | None
) -> list[Check]:
    """The promise of replay-proof classes; nothing where it is not made."""
    given = release.parameters
    if given.get("method") != "mondrian" or given.get("partition") != "replay-proof":
        return []
    why = _undecidable(release, promise, original)
    if why or original is None or codes is None:
        detail = f"{NOT_CHECKED}: that cuts were decided without a look at sensitive values; {why}"
        return [Check(NAME, "release", passed=True, examined=0, detail=detail, decided=False)]
    rule = _Rule.of(release, promise, original, codes)
    classes = rule.joined()
    return [
        conclude(
            NAME,
            "original",
            len(classes),
            [_difference(release, codes, classes)],
            f"{len(classes):,} classes, all as the rule makes them",
        )
    ]


def _undecidable(release: GeneralisedTable, promise: Promise, original: Table | None) -> str:
    """Why the cuts cannot be made again; nothing if they can."""
    if original is None:
        return "give the original"
    if release.parameters.get("mode") != "strict":
        return "lots decided about equal rows"
    if len(release) != len(original):
        return "not all rows are published"
    if release.parameters.get("persons") or any(each.harmless or each.within for each in promise.demands):
        return "persons, or values that harm, were counted"
    if not all(demand.clear and demand.attributes for demand in promise.demands):
        return "a constraint cannot be understood"
    return ""


@dataclass(frozen=True, eq=False)
class _Line:
    """One quasi-identifier: where each row stands, and how far some of them lie apart."""

    place: Longs
    attribute: Attribute
    leaf: Longs

    @classmethod
    def of(cls, attribute: Attribute, codes: NDArray[np.int32]) -> _Line:
        """The line of an attribute of the original."""
        values = np.arange(len(attribute))
        tree = attribute.tree
        if tree is not None:
            above = [tuple(reversed(tree.path(leaf))) for leaf in range(tree.leaves)]
            least: dict[int, int] = {}
            for leaf, path in enumerate(above):
                for node in path:
                    least[node] = min(least.get(node, leaf), leaf)
            ranked = [
                tuple((least[node], node) if attribute.numbers is not None else node for node in path)
                for path in above
            ]
            met = sorted(range(tree.leaves), key=lambda leaf: ranked[leaf])
            values[met] = np.arange(tree.leaves)
        elif attribute.blocks is not None and attribute.numbers is not None:
            values = attribute.blocks.of(attribute.numbers)
        return cls(values[codes].astype(np.int64), attribute, codes.astype(np.int64))

    def branch(self, tree: ValueTree, rows: Longs) -> int:
        """The lowest node of the taxonomy that covers some rows."""
        paths = [tree.path(leaf) for leaf in np.unique(self.leaf[rows]).tolist()]
        return next(node for node in paths[0] if all(node in path for path in paths[1:]))

    def width(self, rows: Longs) -> float:
        """How far some rows lie apart."""
        mine = np.unique(self.place[rows])
        if len(mine) == 1:
            return 0.0
        if self.attribute.tree is not None:
            return float(self.attribute.tree.sizes[self.branch(self.attribute.tree, rows)] - 1)
        if self.attribute.numbers is None:
            return float(len(mine) - 1)
        blocks = self.attribute.blocks
        numbers = self.attribute.numbers if blocks is None else blocks.lows
        return float(numbers[mine[-1]] - numbers[mine[0]])

    def halves(self, rows: Longs, k: int) -> tuple[Longs, Longs] | None:
        """Both sides of the most even cut with k rows on each; None if there is none."""
        sizes = np.bincount(self.place[rows])
        upto = np.cumsum(sizes)
        borders = [
            (value, int(upto[value]))
            for value in np.flatnonzero(sizes)[:-1].tolist()
            if k <= upto[value] <= len(rows) - k
        ]
        if self.attribute.tree is not None and borders:
            borders = self._between_branches(self.attribute.tree, rows, borders) or borders
        if not borders:
            return None
        middle = len(rows) // 2
        value, _ = min(borders, key=lambda border: (abs(border[1] - middle), -border[1]))
        left = self.place[rows] <= value
        return rows[left], rows[~left]

    def _between_branches(
        self, tree: ValueTree, rows: Longs, borders: list[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        """Borders on whose two sides the nearest values have the same lowest node as all rows."""
        top, order = self.branch(tree, rows), np.unique(self.place[rows])
        one = {int(place): row for place, row in zip(self.place[rows], rows, strict=True)}
        found = []
        for value, size in borders:
            after = int(order[np.searchsorted(order, value) + 1])
            if self.branch(tree, np.array([one[value], one[after]])) == top:
                found.append((value, size))
        return found


@dataclass(frozen=True, eq=False)
class _Rule:
    """How a table is cut, and joined again."""

    lines: tuple[_Line, ...]
    widest: tuple[float, ...]
    demands: tuple[tuple[Demand, Longs], ...]
    k: int

    @classmethod
    def of(
        cls, release: GeneralisedTable, promise: Promise, original: Table, codes: NDArray[np.int32]
    ) -> _Rule:
        """The rule for a table; ``codes`` has its values in terms of the release."""
        everybody = np.arange(len(original))
        lines = tuple(
            _Line.of(original.attributes[place], original.codes[:, place])
            for place in original.positions("quasi-identifier")
        )
        names = [domain.name for domain in release.domains]
        demands = tuple(
            (demand, number_rows(codes[:, sorted(names.index(name) for name in demand.attributes)]))
            for demand in promise.demands
        )
        return cls(lines, tuple(line.width(everybody) for line in lines), demands, int(release.k))

    def joined(self) -> list[Longs]:
        """The classes: a cut stands if both sides, as a whole, keep to everything; joining leads to the same."""
        waiting, classes = [np.arange(len(self.lines[0].place))], []
        while waiting:
            rows = waiting.pop()
            halves = self._cut(rows)
            if halves is None or not all(map(self._keeps, halves)):
                classes.append(rows)
            else:
                waiting += halves
        return classes

    def _cut(self, rows: Longs) -> tuple[Longs, Longs] | None:
        if len(rows) < 2 * self.k:
            return None
        wide = [
            line.width(rows) / most if most > 0 else 0.0
            for line, most in zip(self.lines, self.widest, strict=True)
        ]
        for number in sorted(range(len(wide)), key=lambda each: (-wide[each], each)):
            halves = self.lines[number].halves(rows, self.k) if wide[number] > 0 else None
            if halves is not None:
                return halves
        return None

    def _keeps(self, rows: Longs) -> bool:
        """Whether some rows, but not all, keep to every constraint."""
        for demand, values in self.demands:
            whole = np.bincount(values)
            mine = np.bincount(values[rows], minlength=len(whole))
            # The others stand beside them, so that both together are the whole table.
            if MEASURED[demand.name](np.array([mine, whole - mine]), demand)[2][0]:
                return False
        return True


def _difference(release: GeneralisedTable, codes: NDArray[np.int32], classes: list[Longs]) -> Fault:
    """What is published otherwise than the rule makes it: cells of quasi-identifiers, with the values beside them."""
    open_ = [place for place, domain in enumerate(release.domains) if not domain.sensitive]
    secret = [place for place, domain in enumerate(release.domains) if domain.sensitive]
    covers = [_Cover.of(release.domains[place]) for place in open_]
    value_of = [release.domains[place] for place in secret]
    published: Counter[Any] = Counter()
    shown = [
        domain.members[domain.member_offsets[release.cells[:, place]]]
        for place, domain in zip(secret, value_of, strict=True)
    ]
    for cells, *values in zip(
        release.cells[:, open_].tolist(), *(each.tolist() for each in shown), strict=True
    ):
        published[(*cells, *values)] += 1
    made: Counter[Any] = Counter()
    for rows in classes:
        cells = [cover.smallest(codes[rows, place]) for cover, place in zip(covers, open_, strict=True)]
        made.update((*cells, *values) for values in codes[rows][:, secret].tolist())
    wrong = sum((published - made).values())
    return Fault(wrong, f"{wrong:,} of {len(release):,} rows stand in classes that the rule does not make")


@dataclass(frozen=True, eq=False)
class _Cover:
    """The cells of one attribute, the smallest first."""

    holds: Flags
    cells: Longs

    @classmethod
    def of(cls, domain: CellDomain) -> _Cover:
        sizes = np.diff(domain.member_offsets)
        holds = np.zeros((len(sizes), len(domain.values)), bool)
        holds[np.repeat(np.arange(len(sizes)), sizes), domain.members] = True
        order = np.argsort(sizes, kind="stable")
        return cls(holds[order], order)

    def smallest(self, values: NDArray[np.int32]) -> int:
        """The smallest cell that holds some values; -1 if none does."""
        fits = self.holds[:, np.unique(values)].all(axis=1)
        return int(self.cells[np.argmax(fits)]) if fits.any() else -1
