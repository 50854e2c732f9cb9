"""Attacks on one distance table in plain Python and exact arithmetic, straight from the pseudo-code of the paper.

A table is a list of rows; None is a distance that is not known. Every function gives the cells it eliminates, in order.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np


def cells_of(table):
    return [(i, j) for i, row in enumerate(table) for j, value in enumerate(row) if value is not None]


class Groups:
    """Rows and columns of what is left, with the weighted distances that ``weigh`` gives."""

    def __init__(self, table, weigh):
        self.table, self.weigh, self.left = table, weigh, set(cells_of(table))
        self.rows = sorted({i for i, _ in self.left})
        self.columns = sorted({j for _, j in self.left})

    def row(self, i):
        return [cell for cell in sorted(self.left) if cell[0] == i]

    def column(self, j):
        return [cell for cell in sorted(self.left) if cell[1] == j]

    def all(self):
        return [self.row(i) for i in self.rows] + [self.column(j) for j in self.columns]

    def value(self, cell):
        return Fraction(self.table[cell[0]][cell[1]]) * self.weigh(self, cell)

    def gaps(self, group):
        values = sorted(self.value(cell) for cell in group)
        return [high - low for low, high in pairwise(values)]

    def vulnerability(self, group):
        return max(self.gaps(group), default=Fraction(0))

    def largest(self, group):
        return max(group, key=lambda cell: (self.value(cell), -cell[0], -cell[1]))

    def lower(self, group):
        gaps = self.gaps(group)
        if not any(gaps):
            return group
        return sorted(group, key=self.value)[: gaps.index(max(gaps)) + 1]

    def last_of_its_kind(self, cell):
        return len(self.row(cell[0])) < 2 or len(self.column(cell[1])) < 2


def by_counts(groups, cell):
    """Definition 5.3."""
    row, column = len(groups.row(cell[0])), len(groups.column(cell[1]))
    return (1 - Fraction(1, row)) * (1 - Fraction(1, column))


def _most_vulnerable(groups, threshold):
    candidates = [
        (groups.vulnerability(group), -number, groups.largest(group))
        for number, group in enumerate(groups.all())
        if len(group) >= 2 and not groups.last_of_its_kind(groups.largest(group))
    ]
    vulnerability, _, cell = max(candidates, default=(threshold, 0, None))
    return cell if vulnerability > threshold else None


def _start(groups, factor):
    every = groups.all()
    return factor * sum(map(groups.vulnerability, every)) / max(1, len(every))


def gba(table, factor=1):
    groups, done = Groups(table, by_counts), []
    threshold = _start(groups, factor)
    while (cell := _most_vulnerable(groups, threshold)) is not None:
        groups.left.remove(cell)
        done.append(cell)
    return done


def rba(table, factor=1):
    weight = {}
    groups, done = Groups(table, lambda _, cell: (1 - weight[cell][0]) * (1 - weight[cell][1])), []
    for cell in groups.left:
        weight[cell] = [Fraction(1, len(groups.row(cell[0]))), Fraction(1, len(groups.column(cell[1])))]
    threshold = _start(groups, factor)
    while (cell := _most_vulnerable(groups, threshold)) is not None:
        shares = []
        for side, group in enumerate((groups.row(cell[0]), groups.column(cell[1]))):
            heirs = [other for other in groups.lower(group) if other != cell]
            heirs = heirs or [other for other in group if other != cell]
            shares += [(side, heir, weight[cell][side] / len(heirs)) for heir in heirs]
        for side, heir, share in shares:
            weight[heir][side] += share
        groups.left.remove(cell)
        done.append(cell)
    return done


def wba(table, factor=1):
    groups, done = Groups(table, by_counts), []
    threshold = factor * sum(map(groups.value, groups.left)) / max(1, len(groups.left))
    while True:
        free = [cell for cell in sorted(groups.left) if not groups.last_of_its_kind(cell)]
        cell = max(free, key=lambda cell: (groups.value(cell), -cell[0], -cell[1]), default=None)
        if cell is None or groups.value(cell) <= threshold:
            return done
        groups.left.remove(cell)
        done.append(cell)


def _largest_first(table, above, most):
    groups, done = Groups(table, lambda _, __: 1), []
    for cell in sorted(groups.left, key=lambda cell: (-groups.value(cell), cell)):
        if groups.value(cell) > above and len(done) < most and not groups.last_of_its_kind(cell):
            groups.left.remove(cell)
            done.append(cell)
    return done


def mda(table, factor=1):
    return _largest_first(table, -1, 1)


def tba(table, factor=1):
    known = [Fraction(table[i][j]) for i, j in cells_of(table)]
    return _largest_first(table, factor * sum(known) / max(1, len(known)), len(known))


PLAIN = {"mda": mda, "tba": tba, "wba": wba, "gba": gba, "rba": rba}


def in_rounds(distance, to_lower, factor=1.0):
    """GBA, or RBA with ``to_lower``, on a NumPy table without ties: everything computed anew in every round."""
    left = np.ones(distance.shape, bool)
    rows, columns = (
        np.full(distance.shape, 1 / distance.shape[1]),
        np.full(distance.shape, 1 / distance.shape[0]),
    )
    done, threshold = [], None
    while True:
        # Rounded, since weights that add up to 1 leave ties between what is left at the end.
        weighted = np.where(left, distance * (1 - rows) * (1 - columns), np.nan).round(12)
        groups = [*weighted, *weighted.T]
        gaps = np.array([_gap(group) for group in groups]).round(11)
        threshold = factor * gaps.mean() if threshold is None else threshold
        for number in np.argsort(-gaps, kind="stable"):
            upright = number >= len(weighted)
            item = int(np.nanargmax(groups[number]))
            i, j = (item, int(number) - len(weighted)) if upright else (int(number), item)
            if left[i].sum() >= 2 and left[:, j].sum() >= 2:
                break
        else:
            return done
        if gaps[number] <= threshold:
            return done
        for values, weights, at in ((weighted[i], rows[i], j), (weighted[:, j], columns[:, j], i)):
            heirs = _below_the_gap(values) if to_lower else ~np.isnan(values)
            heirs[at] = False
            if not heirs.any():
                heirs = ~np.isnan(values)
                heirs[at] = False
            weights[heirs] += weights[at] / heirs.sum()
        left[i, j] = False
        done.append((i, j))


def _gap(values):
    known = np.sort(values[~np.isnan(values)])
    return np.diff(known).max() if len(known) > 1 else 0.0


def _below_the_gap(values):
    known = np.sort(values[~np.isnan(values)])
    return values <= known[np.diff(known).argmax()] if len(known) > 1 else ~np.isnan(values)
