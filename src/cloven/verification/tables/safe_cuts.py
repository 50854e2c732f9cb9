"""How replay-proof buckets are cut (docs/decisions/0010), in plain steps that share nothing with the method.

A plain cut is safe if both halves are l-diverse whoever of the rows had which of their sensitive values. Where there is
none, the rows of each sensitive value are dealt to both halves by lot, if there is one sensitive column.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from cloven.verification.tables.chances import secrets
from cloven.verification.tables.groups import number_rows
from cloven.verification.tables.ranks import ranks_of_people

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.published_table import Sliced
    from cloven.model.table import Table
    from cloven.verification.tables.ranks import Ranks

Sides = tuple["NDArray[np.bool_]", "NDArray[np.bool_]"]


@dataclass(frozen=True, eq=False)
class SafeCuts:
    """What is done with some rows of a table.

    Attributes:
        ranks: where the rows lie.
        values: for each secret, the sensitive value of each row.
        stratum: all sensitive values of each row, as one number.
        deals: whether rows may be dealt.
        k: least rows of a bucket.
        l: no value has more than 1/l of a bucket.
    """

    ranks: Ranks
    values: tuple[NDArray[np.int64], ...]
    stratum: NDArray[np.int64]
    deals: bool
    k: int
    l: float

    @classmethod
    def of(cls, release: Sliced, ranks: Ranks, l: float, *, jointly: bool) -> SafeCuts:
        """For the rows of a release."""
        hidden = [places for places, _ in secrets(release, jointly=jointly)]
        together = sorted({place for places in hidden for place in places})
        columns = [column for column in release.columns if set(column) & set(together)]
        return cls(
            ranks,
            tuple(number_rows(release.cells[:, places]) for places in hidden),
            number_rows(release.cells[:, together]),
            len(columns) == 1,
            int(release.k),
            l,
        )

    @classmethod
    def of_people(cls, release: Sliced, original: Table, l: float, *, jointly: bool) -> SafeCuts:
        """For the rows of the original: there every quasi-identifier stands beside the value of its person."""
        hidden = [places for places, _ in secrets(release, jointly=jointly)]
        names = [attribute.name for attribute in original.attributes]

        def cells(places: list[int]) -> NDArray[np.int32]:
            return original.codes[:, [names.index(release.domains[place].name) for place in places]]

        together = sorted({place for places in hidden for place in places})
        columns = [column for column in release.columns if set(column) & set(together)]
        return cls(
            ranks_of_people(release, original),
            tuple(number_rows(cells(list(places))) for places in hidden),
            number_rows(cells(together)),
            len(columns) == 1,
            int(release.k),
            l,
        )

    def shuffled(self, bucket: NDArray[np.int64], rng: np.random.Generator) -> SafeCuts:
        """The same with the sensitive values of each bucket in random order.

        Whose they are is not published, and the order in which they stand would make them go with quasi-identifiers.
        """
        order = np.lexsort((rng.random(len(bucket)), bucket))
        place = np.lexsort((np.arange(len(bucket)), bucket))
        taken = np.empty(len(bucket), np.int64)
        taken[place] = order
        return replace(
            self, values=tuple(values[taken] for values in self.values), stratum=self.stratum[taken]
        )

    def plain(self, rows: NDArray[np.int64]) -> Sides | None:
        """Which rows a safe plain cut sends left and right; lots decide about the others. None if there is none."""
        if len(rows) < 2 * self.k:
            return None
        axes, most = self.ranks.widest(rows), self._most(rows)
        for axis in axes:
            rank = self.ranks.rank[axis, rows]
            left = rank < _border(rank)
            if self._safe(most, int(left.sum()), len(rows)):
                return left, ~left
        half = len(rows) // 2
        if axes and self._safe(most, half, len(rows)):
            rank = self.ranks.rank[axes[0], rows]
            middle = np.partition(rank, half)[half]
            return rank < middle, rank > middle
        return None

    def may_deal(self, rows: NDArray[np.int64]) -> bool:
        """Whether rows can be dealt at all."""
        return self.deals and len(rows) >= 2 * self.k

    def deal_is_sure(self, rows: NDArray[np.int64]) -> bool:
        """Whether the halves keep the promise however the lots fall."""
        if not self.may_deal(rows):
            return False
        counts = np.bincount(self.stratum[rows])
        smaller = int((counts // 2).sum()) + int((counts % 2).sum()) // 2
        return smaller >= self.k and self._most_of_half(rows) * self.l <= smaller

    def buckets(self, rows: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Buckets that may become of some rows: a number for each."""
        bucket, made = np.zeros(len(rows), np.int64), 0
        waiting = [np.arange(len(rows))]
        while waiting:
            part = waiting.pop()
            left = self._cut(rows[part], rng)
            if left is None:
                bucket[part], made = made, made + 1
            else:
                waiting += [part[left], part[~left]]
        return bucket

    def _cut(self, rows: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.bool_] | None:
        plain = self.plain(rows)
        if plain is not None:
            left, right = plain[0].copy(), plain[1]
            equal = np.flatnonzero(~(left | right))
            left[rng.permutation(equal)[: max(0, len(rows) // 2 - int(left.sum()))]] = True
            return left
        if not self.may_deal(rows):
            return None
        left = _dealt(self.stratum[rows], rng)
        return left if self._diverse(rows[left]) and self._diverse(rows[~left]) else None

    def _most(self, rows: NDArray[np.int64]) -> int:
        return max(int(np.bincount(values[rows]).max()) for values in self.values)

    def _most_of_half(self, rows: NDArray[np.int64]) -> int:
        """How many rows with one sensitive value one half can get, at most."""
        found = 0
        for values in self.values:
            for value in np.unique(values[rows]).tolist():
                counts = np.bincount(self.stratum[rows[values[rows] == value]])
                found = max(found, int(((counts + 1) // 2).sum()))
        return found

    def _safe(self, most: int, left: int, rows: int) -> bool:
        smaller = min(left, rows - left)
        return smaller >= self.k and most * self.l <= smaller

    def _diverse(self, rows: NDArray[np.int64]) -> bool:
        return len(rows) >= self.k and self._most(rows) * self.l <= len(rows)


def _border(rank: NDArray[np.int64]) -> int:
    """The first rank of the right half if equal ones stay together: the border nearest to the middle."""
    half = len(rank) // 2
    middle = int(np.partition(rank, half)[half])
    below, through = int((rank < middle).sum()), int((rank <= middle).sum())
    return middle if half - below <= through - half else middle + 1


def _dealt(stratum: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Half of each stratum; of those with an odd number of rows every other one, by lot, sends one more."""
    order = np.lexsort((rng.random(len(stratum)), stratum))
    _, first, many = np.unique(stratum[order], return_index=True, return_counts=True)
    odd = rng.permutation(np.flatnonzero(many % 2))
    half = many // 2
    half[odd[: (len(odd) + int(rng.integers(2))) // 2]] += 1
    place = np.arange(len(order)) - np.repeat(first, many)
    left = np.zeros(len(stratum), np.bool_)
    left[order] = place < np.repeat(half, many)
    return left
