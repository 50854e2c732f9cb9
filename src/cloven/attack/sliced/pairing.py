"""How related published values are, and chances of pairings that respect what is published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.model.buckets import spread

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from cloven.attack.sliced.known import Known
    from cloven.model.buckets import Buckets
    from cloven.protocols import Relatedness


@dataclass(frozen=True, eq=False)
class Scores:
    """Relatedness of the values of each attribute to those of the one to be found out, standardised.

    Attributes:
        tables: for each attribute values x values; 0 where there is no score. Numbers have none: a word means
            something, 39 does not.
        known: pairs of values that have a score.
        coverage: how the values were looked up, as plain JSON values.
    """

    tables: tuple[NDArray[np.float64], ...]
    known: int
    coverage: Mapping[str, Any]

    @classmethod
    def of(cls, relatedness: Relatedness, buckets: Buckets, attribute: int) -> Scores:
        """Look all published values up at once."""
        words = [
            domain.values if domain.numbers is None or place == attribute else ()
            for place, domain in enumerate(buckets.domains)
        ]
        items = sorted({value for values in words for value in values})
        place_of = {item: number for number, item in enumerate(items)}
        related = relatedness.relate(items)
        right = np.array([place_of[value] for value in words[attribute]], np.int64)
        raw = []
        for place, domain in enumerate(buckets.domains):
            left = np.array([place_of[value] for value in words[place]], np.int64)
            known = len(left) and place != attribute
            shape = (len(domain.values), len(right))
            raw.append(related.block(left, right) if known else np.full(shape, np.nan))
        every = np.concatenate([table.ravel() for table in raw])
        found = every[np.isfinite(every)]
        middle, width = (float(found.mean()), float(found.std())) if len(found) else (0.0, 0.0)
        tables = tuple(
            np.where(np.isfinite(table), (table - middle) / (width if width > 0 else 1.0), 0.0)
            for table in raw
        )
        return cls(tables, len(found), related.coverage.to_dict())

    def of_persons(self, known: Known, buckets: Buckets, attributes: tuple[int, ...]) -> NDArray[np.float64]:
        """Persons x values: sum over some attributes of how well each value fits the person's own."""
        total = np.zeros((len(known), self.tables[0].shape[1]))
        for place in attributes:
            code = known.at(buckets.domains[place])
            total += np.where((code >= 0)[:, None], self.tables[place][np.maximum(code, 0)], 0.0)
        return total

    def of_cells(self, buckets: Buckets, attributes: tuple[int, ...]) -> NDArray[np.float64]:
        """Rows x values: sum over some attributes of how well each value fits the cell; a cell is the mean of it."""
        total = np.zeros((len(buckets.cells), self.tables[0].shape[1]))
        for place in attributes:
            total += (spread(buckets.domains[place]) @ self.tables[place])[buckets.cells[:, place]]
        return total


def balanced(
    weights: NDArray[np.float64], totals: NDArray[np.float64], rounds: int = 200, tolerance: float = 1e-9
) -> NDArray[np.float64]:
    """Scale rows to sum to 1 and columns to given totals (which sum to the number of rows).

    >>> balanced(np.array([[3.0, 1.0], [1.0, 1.0]]), np.array([1.0, 1.0])).round(3).tolist()
    [[0.634, 0.366], [0.366, 0.634]]
    """
    chances = np.where(totals > 0, weights, 0.0)
    for _ in range(rounds):
        sums = chances.sum(axis=0)
        chances = chances * np.divide(totals, sums, out=np.zeros_like(sums), where=sums > 0)
        rows = chances.sum(axis=1, keepdims=True)
        chances = chances / rows
        if np.abs(rows - 1.0).max() < tolerance:
            break
    return chances
