"""Quasi-identifiers as axes: numbers by size, categories by their tree or name; how wide rows lie on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.published_table import CellDomain, Sliced
    from cloven.model.table import Attribute, Table


@dataclass(frozen=True, eq=False)
class Ranks:
    """Where published rows lie.

    Attributes:
        rank: axes x rows: place of the row's value among all values that occur, ascending.
        coordinate: for each axis, where the value of each rank lies between 0 and 1.
    """

    rank: NDArray[np.int64]
    coordinate: tuple[NDArray[np.float64], ...]

    def widest(self, rows: NDArray[np.int64]) -> list[int]:
        """Axes on which some rows differ, the widest first; of equally wide ones the first."""
        widths = []
        for axis, coordinate in enumerate(self.coordinate):
            mine = self.rank[axis, rows]
            widths.append(float(coordinate[mine.max()] - coordinate[mine.min()]))
        order = sorted(range(len(widths)), key=lambda axis: (-widths[axis], axis))
        return [axis for axis in order if widths[axis] > 0]

    def spread(self, rows: NDArray[np.int64], bucket: NDArray[np.int64]) -> float:
        """Sum of squares of some rows around the means of their buckets, over all axes."""
        _, number, many = np.unique(bucket, return_inverse=True, return_counts=True)
        total = 0.0
        for axis, coordinate in enumerate(self.coordinate):
            place = coordinate[self.rank[axis, rows]]
            sums = np.bincount(number, place)
            total += float((place * place).sum() - (sums * sums / many).sum())
        return total


def ranks_of_people(release: Sliced, original: Table) -> Ranks:
    """The same axes with the rows of the original, in its order."""
    shown = {domain.name for domain in release.domains}
    ranks, coordinates = [], []
    for place, attribute in enumerate(original.attributes):
        if attribute.role != "quasi-identifier" or attribute.name not in shown:
            continue
        walk = np.array(_walk(attribute), np.int64)
        there, rank = np.unique(walk[original.codes[:, place]], return_inverse=True)
        ranks.append(rank.astype(np.int64))
        coordinates.append(_spread_out(attribute, there))
    return Ranks(np.array(ranks, np.int64).reshape(len(ranks), len(original)), tuple(coordinates))


def ranks_of(release: Sliced, original: Table) -> Ranks:
    """Axes in the order of the original's quasi-identifiers; cells must be single values."""
    places = {domain.name: place for place, domain in enumerate(release.domains)}
    ranks, coordinates = [], []
    for attribute in original.attributes:
        if attribute.role != "quasi-identifier" or attribute.name not in places:
            continue
        place = places[attribute.name]
        order = _order(release.domains[place], attribute)
        there, rank = np.unique(order[release.cells[:, place]], return_inverse=True)
        ranks.append(rank.astype(np.int64))
        coordinates.append(_spread_out(attribute, there))
    return Ranks(np.array(ranks, np.int64).reshape(len(ranks), len(release)), tuple(coordinates))


def _order(domain: CellDomain, attribute: Attribute) -> NDArray[np.int64]:
    """Where each cell stands when related values stand side by side."""
    code_of = {value: code for code, value in enumerate(attribute.values)}
    codes = [code_of[domain.values[member]] for member in domain.members.tolist()]
    walk = _walk(attribute)
    return np.array([walk[code] for code in codes], np.int64)


def _walk(attribute: Attribute) -> list[int]:
    """Where each value stands when related ones stand side by side."""
    walk = list(range(len(attribute.values)))
    tree = attribute.tree
    if tree is not None and attribute.numbers is None:
        met = sorted(walk, key=lambda leaf: tuple(reversed(tree.path(leaf))))
        for number, leaf in enumerate(met):
            walk[leaf] = number
    return walk


def _spread_out(attribute: Attribute, there: NDArray[np.int64]) -> NDArray[np.float64]:
    """Numbers by size, categories evenly, from 0 to 1."""
    raw = np.arange(len(there), dtype=float) if attribute.numbers is None else attribute.numbers[there]
    width = float(raw[-1] - raw[0])
    return (raw - raw[0]) / width if width else np.zeros(len(there))
