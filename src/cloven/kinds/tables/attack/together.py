"""Somebody knows two quasi-identifiers of a person, and reads the others off the row that alone has both.

Methods that hide sensitive values (anatomy, slicing) publish quasi-identifiers as they are, and those of one column
together: k and l say nothing of them. Where one part of a column alone has two values, whoever knows the two is told
the rest of it, and for certain. Without the person's own part nobody would have been: several parts that agree tell of
people outside the table as well, so that only those who stand alone are harmed by being in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from cloven.kinds.tables.buckets import cell_sizes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.compiled import Flags, Ints, Longs
    from cloven.kinds.tables.release import CellDomain, TableRelease

NEWS = 0.3
"""Share of the people from which on it is no news that somebody has a value."""


@dataclass(frozen=True)
class Together:
    """Quasi-identifiers of a column, and whom they tell of.

    Attributes:
        names: the attributes.
        share: share of the rows of which a further value is told to whoever knows two of them.
    """

    names: tuple[str, ...]
    share: float


def shown_together(release: TableRelease) -> Together:
    """The column that tells most to whoever knows two of its quasi-identifiers."""
    found = [Together((), 0.0)]
    for column in release.columns:
        known = [place for place in column if not release.domains[place].sensitive]
        if len(known) > 2 and len(release):
            names = tuple(release.domains[place].name for place in known)
            found.append(Together(names, float(_told(release, known).mean())))
    return max(found, key=lambda each: each.share)


def _told(release: TableRelease, known: Sequence[int]) -> Flags:
    """Rows of which two values are nobody else's, and a third is news."""
    domains, cells = [release.domains[place] for place in known], release.cells[:, list(known)]
    exact = np.column_stack([cell_sizes(domain)[cells[:, at]] == 1 for at, domain in enumerate(domains)])
    news = exact & np.column_stack([_is_news(column) for column in cells.T])
    told = np.zeros(len(cells), np.bool_)
    for one, other in combinations(range(len(known)), 2):
        further = np.delete(news, (one, other), axis=1).any(axis=1)
        asked = exact[:, one] & exact[:, other] & further & ~told
        told[asked] = _alone(domains[one], domains[other], cells[:, [one, other]])[asked]
    return told


def _is_news(column: Ints) -> Flags:
    """Rows whose cell fewer than most people have."""
    return (np.bincount(column) < NEWS * len(column))[column]


def _alone(one: CellDomain, other: CellDomain, pairs: Ints) -> Flags:
    """Rows of which no other row can have both values: none has the same cells, or coarser ones around them."""
    different, number, times = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    alone = times == 1
    coarse = np.flatnonzero((cell_sizes(one)[different[:, 0]] > 1) | (cell_sizes(other)[different[:, 1]] > 1))
    for cell, around in different[coarse].tolist():
        fits = np.isin(different[:, 0], _exact_within(one, cell))
        alone &= ~(fits & np.isin(different[:, 1], _exact_within(other, around)))
    of_row: Flags = alone[number.reshape(-1)]
    return of_row


def _exact_within(domain: CellDomain, cell: int) -> Longs:
    """Cells of a single value that another cell stands for too."""
    members = domain.members[domain.member_offsets[cell] : domain.member_offsets[cell + 1]]
    single = np.flatnonzero(cell_sizes(domain) == 1)
    return single[np.isin(domain.members[domain.member_offsets[single]], members)]
