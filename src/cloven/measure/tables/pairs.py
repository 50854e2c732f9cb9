"""Distance of pair distributions: what exchanging and permuting values does to which values go together.

Total variation distance between the pairs of the original and the expected pairs of the release, for every two
attributes: 0 if nothing has changed, 1 if no pair is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from cloven.measure.tables.joints import check_domain, joint_at, original_pairs
from cloven.model.buckets import Buckets
from cloven.model.shown_cells import understood_by

if TYPE_CHECKING:
    from cloven.model.published_table import GeneralisedTable, Sliced
    from cloven.model.table import Table


@dataclass(frozen=True)
class PairDistance:
    """How far the pairs of two attributes are from those of the original.

    Attributes:
        first: an attribute.
        second: another one.
        distance: total variation distance, 0 to 1.
        invented: share of the published pairs that the original does not hold at all.
        sensitive: whether one of the two is sensitive.
    """

    first: str
    second: str
    distance: float
    invented: float
    sensitive: bool


def pair_distances(table: Table, release: GeneralisedTable | Sliced) -> tuple[PairDistance, ...]:
    """Distance of every two published attributes."""
    buckets = Buckets.of(understood_by(release, table)).with_rows()
    names = [attribute.name for attribute in table.attributes]
    found = []
    for one, two in combinations(range(len(buckets.domains)), 2):
        domains = (buckets.domains[one], buckets.domains[two])
        first, second = (names.index(domain.name) for domain in domains)
        pairs, original = original_pairs(table, first, second)
        places = [
            check_domain(buckets, one, table.attributes[first]),
            check_domain(buckets, two, table.attributes[second]),
        ]
        asked = np.column_stack([place[pairs[:, axis]] for axis, place in enumerate(places)])
        published = joint_at(buckets, one, two, asked)
        # All that is published sums to 1, so pairs of nobody need not be listed: they are what is left of it.
        common = min(1.0, float(published.sum()))
        found.append(
            PairDistance(
                domains[0].name,
                domains[1].name,
                (float(np.abs(original - published).sum()) + 1.0 - common) / 2,
                1.0 - common,
                any(domain.sensitive for domain in domains),
            )
        )
    return tuple(found)


def mean_distance(distances: tuple[PairDistance, ...]) -> float | None:
    """Mean over pairs; None if there is no pair."""
    return sum(each.distance for each in distances) / len(distances) if distances else None
