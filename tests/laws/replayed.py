"""Somebody who knows everybody's quasi-identifiers and the method, but not the lots, makes buckets of every world.

A world is an order of the published sensitive values. For each one all ways that the lots may fall are followed, in
plain Python and exact fractions; the worlds are weighed by how likely they make the release. Every bucket is checked
for itself, and the sensitive attribute stands alone in its column.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb

import numpy as np

from cloven.data.table import Attribute, Table
from cloven.kinds.tables.methods.slicing_kernel import axes, axes_by_width

WAYS = {
    "strict": ("strict",),
    "relaxed": ("relaxed",),
    "stratified": ("stratified",),
    "adaptive": ("strict", "relaxed", "stratified"),
    "replay-proof": ("strict", "relaxed", "dealt"),
}


def table_of(ages, sexes, ills):
    """A number of up to six values and a category of two are known; what one suffers from is sensitive."""
    attributes = (
        Attribute("age", "quasi-identifier", tuple("012345"), np.arange(6.0)),
        Attribute("sex", "quasi-identifier", ("f", "m")),
        Attribute("ill", "sensitive", tuple("uvw")),
    )
    codes = np.column_stack([ages, sexes, ills]).astype(np.int32)
    return Table(attributes, codes, np.arange(len(codes)))


def random_tables(number, rows, seed):
    """Tables of some people with three illnesses, as often as possible equally often."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        known = rng.integers(0, 6, rows), rng.integers(0, 2, rows)
        yield table_of(*known, rng.permutation(np.resize(np.arange(3), rows)))


def lower(rank, rows, half):
    """All ways to take the lower ``half`` of some rows, equally likely."""
    if not 0 < half < len(rows):
        return [frozenset(rows[:half])]
    middle = sorted(rank[row] for row in rows)[half]
    below = [row for row in rows if rank[row] < middle]
    equal = [row for row in rows if rank[row] == middle]
    return [frozenset((*below, *some)) for some in combinations(equal, half - len(below))]


def strict_half(rank, rows):
    """Rows below the border that is nearest to the middle; the lower one of two."""
    half = len(rows) // 2
    middle = sorted(rank[row] for row in rows)[half]
    below = sum(rank[row] < middle for row in rows)
    through = sum(rank[row] <= middle for row in rows)
    return below if half - below <= through - half else through


def by_strata(rank, ills, rows):
    """Left halves with their chances if every sensitive value is cut for itself."""
    strata = [[row for row in rows if ills[row] == ill] for ill in sorted({ills[row] for row in rows})]
    odd = [number for number, stratum in enumerate(strata) if len(stratum) % 2]
    found = defaultdict(Fraction)
    for greater in {len(odd) // 2, (len(odd) + 1) // 2}:
        first = Fraction(1, 1 + len(odd) % 2) / comb(len(odd), greater)
        for more in combinations(odd, greater):
            halves = [
                lower(rank, stratum, len(stratum) // 2 + (number in more))
                for number, stratum in enumerate(strata)
            ]
            ways = list(product(*halves))
            for way in ways:
                found[frozenset().union(*way)] += first / len(ways)
    return found


class Replay:
    """One world, replayed."""

    def __init__(self, table, partition, k, l):
        self.axes, self.ways, self.k, self.l = axes(table, (2,)), WAYS[partition], k, l
        self.sure = partition == "replay-proof"
        self.ills = table.codes[:, 2].tolist()
        self.known = {}

    def halves(self, way, rank, rows):
        if way == "stratified":
            return by_strata(rank, self.ills, rows)
        if way == "dealt":
            return by_strata([0] * len(rank), self.ills, rows)
        found = lower(rank, rows, len(rows) // 2 if way == "relaxed" else strict_half(rank, rows))
        return {left: Fraction(1, len(found)) for left in found}

    def kept(self, way, left, right):
        if min(len(left), len(right)) < self.k:
            return False
        if self.sure and way != "dealt":
            most = max(Counter(self.ills[row] for row in (*left, *right)).values())
            return most * self.l <= min(len(left), len(right))
        return all(
            max(Counter(self.ills[row] for row in half).values()) * self.l <= len(half)
            for half in (left, right)
        )

    def splits(self, rows):
        """Left halves with their chances; None if the bucket stays whole."""
        found, remaining = defaultdict(Fraction), Fraction(1)
        widest = axes_by_width(self.axes, np.array(rows)).tolist() if len(rows) >= 2 * self.k else []
        attempts = [(way, axis) for way in self.ways for axis in ([0] if way == "dealt" else widest)]
        for way, axis in attempts if len(rows) >= 2 * self.k else ():
            refused = Fraction(0)
            for left, chance in self.halves(way, self.axes.rank[axis].tolist(), rows).items():
                if self.kept(way, left, frozenset(rows) - left):
                    found[left] += remaining * chance
                else:
                    refused += chance
            remaining *= refused
            if not remaining:
                break
        if remaining:
            found[None] = remaining
        return found

    def buckets(self, rows):
        """Every set of buckets that may become of some rows, with its chance."""
        if rows not in self.known:
            found = defaultdict(Fraction)
            for left, chance in self.splits(rows).items():
                if left is None:
                    found[frozenset([rows])] += chance
                    continue
                sides = [self.buckets(tuple(sorted(side))) for side in (left, frozenset(rows) - left)]
                for (one, p), (two, q) in product(*(side.items() for side in sides)):
                    found[one | two] += chance * p * q
            self.known[rows] = found
        return self.known[rows]


def published(table, buckets):
    """What is seen of some buckets."""
    rows = table.codes.tolist()
    return tuple(
        sorted(
            (
                tuple(sorted(tuple(rows[row][:2]) for row in bucket)),
                tuple(sorted(rows[row][2] for row in bucket)),
            )
            for bucket in buckets
        )
    )


def releases(table, partition, k, l):
    """Every release that may become of a table, with its chance."""
    found = defaultdict(Fraction)
    for buckets, chance in Replay(table, partition, k, l).buckets(tuple(range(len(table)))).items():
        found[published(table, buckets)] += chance
    return found


def posteriors(table, partition, k, l):
    """For each possible release of a table: its chance, and the chance of each person to have each value, given it."""
    truth, rows, kinds = table.codes[:, 2].tolist(), len(table), len(table.attributes[2])
    weights = defaultdict(lambda: [[Fraction(0)] * kinds for _ in range(rows)])
    for world in set(permutations(truth)):
        other = table_of(table.codes[:, 0], table.codes[:, 1], world)
        for release, chance in releases(other, partition, k, l).items():
            for person, ill in enumerate(world):
                weights[release][person][ill] += chance
    return {
        release: (chance, [[each / sum(person) for each in person] for person in weights[release]])
        for release, chance in releases(table, partition, k, l).items()
    }


def exposed(table, partition, k, l):
    """Chance, over the lots, that a release gives somebody away beyond 1/l; and that it makes somebody certain."""
    above = certain = Fraction(0)
    for chance, persons in posteriors(table, partition, k, l).values():
        most = max(max(person) for person in persons)
        above += chance * (most > Fraction(1, l))
        certain += chance * (most == 1)
    return above, certain
