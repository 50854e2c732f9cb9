"""The semantic attack on tables: which sensitive value fits which quasi-identifiers, by what words mean.

Slicing hides which part of a bucket belongs to which sensitive value. The attacker pairs them by relatedness: a pair
weighs exp(sharpness x score), scores standardised over the release, and the weights of a bucket are scaled until every
row carries 1 and every value its published number of rows (R. Sinkhorn, American Mathematical Monthly 74, 1967): the
chances of a random pairing that prefers what goes together. Each column that does not hold the sensitive attribute is
a witness for itself. In a generalised table all parts of a class look alike, so the person's own values are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.tables.attack.matching import match
from cloven.kinds.tables.attack.values import combined, to_find_out
from cloven.kinds.tables.buckets import Buckets, published_shares, spread
from cloven.kinds.tables.cells import CellRuns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.compiled import Floats
    from cloven.kinds.tables.guesses import Known, ValueGuesses
    from cloven.kinds.tables.release import TableRelease
    from cloven.protocols import Relatedness


@dataclass(frozen=True)
class SemanticValues:
    """Find out a value from one release by what words mean.

    Attributes:
        relatedness: what the attacker knows about words.
        attribute: what is to be found out; the only sensitive attribute if left out.
        sharpness: how much one standard deviation of relatedness says; 0 is the attack without words.
    """

    relatedness: Relatedness
    attribute: str | None = None
    sharpness: float = 0.4

    def __post_init__(self) -> None:
        if not 0 <= self.sharpness <= 20:
            message = f"sharpness must lie between 0 and 20 (got {self.sharpness})"
            raise ParameterError(message)

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {
            "name": "semantic",
            "relatedness": repr(self.relatedness),
            "attribute": self.attribute,
            "sharpness": self.sharpness,
        }

    def guess(self, release: TableRelease, known: Known) -> ValueGuesses:
        """Guess the value of every person."""
        buckets = Buckets.of(known.reads(release))
        attribute = buckets.position(to_find_out([buckets], self.attribute, known))
        scores = Scores.of(self.relatedness, buckets, attribute)
        matches = match(buckets, known, attribute, "rows")
        prior = published_shares(buckets, attribute)
        said = _said(buckets, known, attribute, scores, self.sharpness)
        belief = matches.values * np.exp(said)
        total = belief.sum(axis=1, keepdims=True)
        chances = np.divide(belief, total, out=np.zeros_like(belief), where=total > 0)
        domain = buckets.domains[attribute]
        return combined(
            domain.name,
            domain.values,
            chances[None],
            prior,
            matches.buckets[:, None],
            self.parameters,
            {"coverage": scores.coverage, "pairs_with_a_score": scores.known},
        )


def _said(buckets: Buckets, known: Known, attribute: int, scores: Scores, sharpness: float) -> Floats:
    """Persons x values: logarithm of how much likelier words make each value."""
    own = buckets.column_of(attribute)
    said = np.zeros((len(known), len(buckets.domains[attribute].values)))
    for number, column in enumerate(buckets.columns):
        inside = tuple(
            place for place in column if place != attribute and buckets.domains[place].name in known.names
        )
        if not inside:
            continue
        if number == own:
            said += sharpness * scores.of_persons(known, buckets, inside)
        else:
            said += _paired(buckets, known, inside, attribute, scores, sharpness)
    return said


def _paired(
    buckets: Buckets, known: Known, inside: tuple[int, ...], attribute: int, scores: Scores, sharpness: float
) -> Floats:
    """What one column says: in each bucket, how its parts pair with the values, relative to no words at all.

    Buckets count by the share of their rows that fit the person.
    """
    # Many persons share a value, so each is looked up once in a bucket.
    persons = [np.unique(known.at(buckets.domains[place]), return_inverse=True) for place in inside]
    runs = [CellRuns.of(buckets.domains[place]) for place in inside]
    values = spread(buckets.domains[attribute]).toarray()
    fit = scores.of_cells(buckets, inside)
    gain = np.zeros((len(known), values.shape[1]))
    weight = np.zeros((len(known), 1))
    for start, end in zip(buckets.offsets[:-1].tolist(), buckets.offsets[1:].tolist(), strict=True):
        cells = buckets.cells[start:end]
        here = np.ones((len(known), end - start), np.bool_)
        for place, (codes, of_person), found in zip(inside, persons, runs, strict=True):
            fits = found.stand_for(codes[:, None], cells[None, :, place])
            here &= ((codes == -1)[:, None] | fits)[of_person]
        who = np.flatnonzero(here.any(axis=1))
        if not len(who):
            continue
        published = values[cells[:, attribute]].sum(axis=0)
        chances = balanced(np.exp(sharpness * fit[start:end]), published)
        shares = here[who] / (end - start)
        expected = published / (end - start)
        lifted = np.divide(chances, expected, out=np.ones_like(chances), where=expected > 0)
        gain[who] += shares @ lifted
        weight[who] += shares.sum(axis=1, keepdims=True)
    lift = np.divide(gain, weight, out=np.ones_like(gain), where=weight > 0)
    return np.log(np.maximum(lift, 1e-300))


# How related published values are, and chances of pairings that respect what is published.


@dataclass(frozen=True, eq=False)
class Scores:
    """Relatedness of the values of each attribute to those of the one to be found out, standardised.

    Attributes:
        tables: for each attribute values x values; 0 where there is no score. Numbers have none: a word means
            something, 39 does not.
        known: pairs of values that have a score.
        coverage: how the values were looked up, as plain JSON values.
    """

    tables: tuple[Floats, ...]
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

    def of_persons(self, known: Known, buckets: Buckets, attributes: tuple[int, ...]) -> Floats:
        """Persons x values: sum over some attributes of how well each value fits the person's own."""
        total = np.zeros((len(known), self.tables[0].shape[1]))
        for place in attributes:
            code = known.at(buckets.domains[place])
            total += np.where((code >= 0)[:, None], self.tables[place][np.maximum(code, 0)], 0.0)
        return total

    def of_cells(self, buckets: Buckets, attributes: tuple[int, ...]) -> Floats:
        """Rows x values: sum over some attributes of how well each value fits the cell; a cell is the mean of it."""
        total = np.zeros((len(buckets.cells), self.tables[0].shape[1]))
        for place in attributes:
            total += (spread(buckets.domains[place]) @ self.tables[place])[buckets.cells[:, place]]
        return total


def balanced(weights: Floats, totals: Floats, rounds: int = 200, tolerance: float = 1e-9) -> Floats:
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
