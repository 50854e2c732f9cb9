"""An intruder knows one or two quasi-identifiers of a person, and reads another off the only row that fits.

Methods that hide sensitive values (anatomy, slicing) publish quasi-identifiers as they are, and those of one column
together: k and l say nothing of them. Where one part of a column alone has the known values, the rest of it follows,
and for certain. Without the person's own part it would not: several parts that agree tell of people outside the table
as well, so that only those who stand alone are harmed by being in it.
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
        share: share of the rows of which a further value follows from one or two of them.
    """

    names: tuple[str, ...]
    share: float


def shown_together(release: TableRelease) -> Together:
    """The column in which one or two known quasi-identifiers tell another of most rows."""
    found = [Together((), 0.0)]
    for column in release.columns:
        known = [place for place in column if not release.domains[place].sensitive]
        if len(known) > 1 and len(release):
            names = tuple(release.domains[place].name for place in known)
            found.append(Together(names, float(_told(release, known).mean())))
    return max(found, key=lambda each: each.share)


def _told(release: TableRelease, places: Sequence[int]) -> Flags:
    """Rows of which one value, or two together, are nobody else's, and another one is news."""
    domains, cells = [release.domains[place] for place in places], release.cells[:, list(places)]
    exact = np.column_stack([cell_sizes(domain)[cells[:, at]] == 1 for at, domain in enumerate(domains)])
    news = exact & np.column_stack([_is_news(column) for column in cells.T])
    told = np.zeros(len(cells), np.bool_)
    for size in (1, 2):
        for known in map(list, combinations(range(len(places)), size)):
            asked = exact[:, known].all(axis=1) & np.delete(news, known, axis=1).any(axis=1) & ~told
            told[asked] = _alone([domains[at] for at in known], cells[:, known])[asked]
    return told


def _is_news(column: Ints) -> Flags:
    """Rows whose cell fewer than most people have."""
    return (np.bincount(column) < NEWS * len(column))[column]


def _alone(domains: Sequence[CellDomain], cells: Ints) -> Flags:
    """Rows of which no other can have all these values: none has the same cells, or coarser ones around them."""
    different, number, times = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    alone = times == 1
    coarse = [cell_sizes(domain)[column] > 1 for domain, column in zip(domains, different.T, strict=True)]
    for around in different[np.any(coarse, axis=0)].tolist():
        fits = [
            np.isin(column, _exact_within(domain, cell))
            for domain, column, cell in zip(domains, different.T, around, strict=True)
        ]
        alone &= ~np.all(fits, axis=0)
    of_row: Flags = alone[number.reshape(-1)]
    return of_row


def _exact_within(domain: CellDomain, cell: int) -> Longs:
    """Cells of a single value that another cell stands for too."""
    members = domain.members[domain.member_offsets[cell] : domain.member_offsets[cell + 1]]
    single = np.flatnonzero(cell_sizes(domain) == 1)
    return single[np.isin(domain.members[domain.member_offsets[single]], members)]
