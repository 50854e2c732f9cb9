"""Weighted combination of measures of relatedness.

Measures live on different scales, so each is turned into z-scores first; the score of a pair is the
weighted mean of the z-scores it has. A measure without a score for the pair is left out of its mean.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from cloven.errors import ParameterError
from cloven.protocols import Coverage, Related

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.compiled import Floats, Longs
    from cloven.protocols import Relatedness


# Puts measures of relatedness on one scale: mean and spread over the pairs of a sample of the vocabulary.
#
# The sample is fixed: items at equal steps through the vocabulary, all pairs among them, so the same question always
# gets the same answer. Up to ``pairs`` pairs are looked at, which is all of them in vocabularies of a few hundred
# items.


PAIRS = 200_000


@dataclass(frozen=True)
class Scale:
    """Where the scores of a measure lie: mean and standard deviation.

    >>> Scale(0.5, 0.1).standard(np.array([0.6])).round(6).tolist()
    [1.0]
    """

    mean: float = 0.0
    spread: float = 1.0

    @classmethod
    def of(cls, scores: Floats) -> Scale:
        """Scale of scores without NaN; of none at all, the standard one. Equal scores have spread 1."""
        if not len(scores):
            return cls()
        spread = float(scores.std())
        return cls(float(scores.mean()), spread if spread > 1e-12 else 1.0)

    def standard(self, scores: Floats) -> Floats:
        """Scores as z-scores."""
        return (scores - self.mean) / self.spread

    def scores(self, standard: Floats) -> Floats:
        """Z-scores as scores."""
        return standard * self.spread + self.mean


def sampled(related: Related, items: int, pairs: int) -> Floats:
    """Scores of the pairs of different items of the sample, NaN included."""
    size = min(items, (1 + isqrt(1 + 8 * pairs)) // 2)
    chosen = np.arange(size, dtype=np.int64) * items // max(size, 1)
    return related.block(chosen, chosen)[np.triu_indices(size, k=1)]


@dataclass(frozen=True)
class Combined:
    """Several measures as one.

    Attributes:
        parts: the measures.
        weights: a positive weight for each; equal ones when left out.
        pairs: pairs from which the scale of each is estimated, at most.
    """

    parts: tuple[Relatedness, ...]
    weights: tuple[float, ...] = ()
    pairs: int = PAIRS

    def __post_init__(self) -> None:
        if not self.parts:
            message = "no measures to combine; give at least one"
            raise ParameterError(message)
        if self.weights and len(self.weights) != len(self.parts):
            message = f"give one weight for each of the {len(self.parts)} measures, got {len(self.weights)}"
            raise ParameterError(message)
        if not all(0 < weight < np.inf for weight in self.weights):
            message = f"weights must be positive numbers, got {self.weights}"
            raise ParameterError(message)
        if self.pairs < 1:
            message = f"pairs must be at least 1, got {self.pairs}"
            raise ParameterError(message)

    @property
    def name(self) -> str:
        """The names of the parts."""
        return "+".join(part.name for part in self.parts)

    def relate(self, items: Sequence[str]) -> CombinedRelated:
        """Look the items up in every part, and find the scale of each."""
        parts = tuple(part.relate(items) for part in self.parts)
        samples = (sampled(part, len(items), self.pairs) for part in parts)
        scales = tuple(Scale.of(scores[~np.isnan(scores)]) for scores in samples)
        weights = np.array(self.weights or (1.0,) * len(parts))
        return CombinedRelated(tuple(items), parts, scales, weights)


@dataclass(frozen=True, eq=False, repr=False)
class CombinedRelated:
    """Weighted z-scores of one vocabulary.

    Attributes:
        items: the vocabulary.
        parts: scores of each measure.
        scales: scale of each measure.
        weights: weight of each measure.
    """

    items: tuple[str, ...]
    parts: tuple[Related, ...]
    scales: tuple[Scale, ...]
    weights: Floats

    @property
    def coverage(self) -> Coverage:
        """How many items so many of the measures know, the fullest knowledge first."""
        unknown = [set(part.coverage.unknown) for part in self.parts]
        known = np.array(
            [sum(item not in lacking for lacking in unknown) for item in self.items], dtype=np.int64
        )
        numbers = range(len(self.parts), 0, -1)
        rungs = {f"{number} of {len(self.parts)}": int((known == number).sum()) for number in numbers}
        return Coverage(
            rungs, tuple(item for item, count in zip(self.items, known, strict=True) if not count)
        )

    def block(self, left: Longs, right: Longs) -> Floats:
        """Weighted mean of the z-scores of every left item to every right one; NaN where no part has a score."""
        total, weight = np.zeros((len(left), len(right))), np.zeros((len(left), len(right)))
        for part, scale, share in zip(self.parts, self.scales, self.weights, strict=True):
            scores = scale.standard(part.block(left, right))
            there = ~np.isnan(scores)
            total[there] += share * scores[there]
            weight[there] += share
        mean = np.full(total.shape, np.nan)
        np.divide(total, weight, out=mean, where=weight > 0)
        return mean


# Fills the gaps of one measure of relatedness from another, on the scale of the first.
#
# Offline document counts know many pairs not at all: an item is not found, or two items are never together although a
# larger corpus would show them (``GoogleDistance(..., never="unknown")`` leaves those open, too). The second measure's
# scores are moved and stretched so that, over the pairs that both measures score, mean and standard deviation are those
# of the first. Scores of the first stay as they are.


ROWS_AT_ONCE = 256


@dataclass(frozen=True)
class BackFilled:
    """The first measure, and the second where the first has no score.

    Attributes:
        first: the measure that decides wherever it can.
        second: the measure for the rest.
        pairs: pairs from which the scales are estimated, at most.
    """

    first: Relatedness
    second: Relatedness
    pairs: int = PAIRS

    def __post_init__(self) -> None:
        if self.pairs < 1:
            message = f"pairs must be at least 1, got {self.pairs}"
            raise ParameterError(message)

    @property
    def name(self) -> str:
        """Both names: the first, then what fills it."""
        return f"{self.first.name}|{self.second.name}"

    def relate(self, items: Sequence[str]) -> BackFilledRelated:
        """Look the items up in both, and put the second on the scale of the first."""
        first, second = self.first.relate(items), self.second.relate(items)
        ours, theirs = (sampled(related, len(items), self.pairs) for related in (first, second))
        common = ~np.isnan(ours) & ~np.isnan(theirs)
        if not common.any():  # nothing to compare: the scales of what each knows
            scales = Scale.of(ours[~np.isnan(ours)]), Scale.of(theirs[~np.isnan(theirs)])
        else:
            scales = Scale.of(ours[common]), Scale.of(theirs[common])
        return BackFilledRelated(tuple(items), first, second, *scales)


@dataclass(frozen=True, eq=False, repr=False)
class BackFilledRelated:
    """Scores of one vocabulary from two measures.

    Attributes:
        items: the vocabulary.
        first: scores of the first measure.
        second: scores of the second measure.
        ours: scale of the first.
        theirs: scale of the second.
    """

    items: tuple[str, ...]
    first: Related
    second: Related
    ours: Scale
    theirs: Scale

    @property
    def coverage(self) -> Coverage:
        """Ways of the first measure, and how many further items the second alone knows."""
        lacking = set(self.first.coverage.unknown)
        unknown = lacking & set(self.second.coverage.unknown)
        rungs = Counter(self.first.coverage.rungs)
        rungs["back-filled"] += sum(item in lacking and item not in unknown for item in self.items)
        return Coverage(dict(rungs), tuple(item for item in self.items if item in unknown))

    def block(self, left: Longs, right: Longs) -> Floats:
        """Relatedness of every left item to every right one; NaN where neither measure has a score."""
        scores = self.first.block(left, right)
        gaps = np.isnan(scores)
        if not gaps.any():
            return scores
        filling = self.second.block(left, right)
        return np.where(gaps, self.ours.scores(self.theirs.standard(filling)), scores)

    def filled(self) -> int:
        """Pairs of different items whose score comes from the second measure. Looks at all pairs."""
        everything = np.arange(len(self.items), dtype=np.int64)
        count = 0
        for start in range(0, len(everything), ROWS_AT_ONCE):
            rows = everything[start : start + ROWS_AT_ONCE]
            gaps = np.isnan(self.first.block(rows, everything)) & (everything[None, :] > rows[:, None])
            count += int((gaps & ~np.isnan(self.second.block(rows, everything))).sum())
        return count


# A measure that is not asked about some items, such as likely typing errors: they get no score.


@dataclass(frozen=True)
class Skipping:
    """Any measure without scores for these items.

    Attributes:
        measure: the measure.
        items: what it is not asked about.
    """

    measure: Relatedness
    items: frozenset[str]

    def __repr__(self) -> str:
        return f"Skipping({self.measure!r}, {len(self.items)} items)"

    @property
    def name(self) -> str:
        """The name of the measure."""
        return self.measure.name

    def relate(self, items: Sequence[str]) -> SkippingRelated:
        """Look the others up."""
        return SkippingRelated(self.measure.relate(items), tuple(items), self.items)


@dataclass(frozen=True, eq=False, repr=False)
class SkippingRelated:
    """Scores of one vocabulary; NaN for what is skipped."""

    related: Related
    vocabulary: tuple[str, ...]
    items: frozenset[str]

    @property
    def coverage(self) -> Coverage:
        """Skipped items are unknown; how they would have been found is not told apart."""
        found, skipped = self.related.coverage, [item for item in self.vocabulary if item in self.items]
        lost = len(set(skipped) - set(found.unknown))
        rungs, unknown = dict(found.rungs), set(found.unknown) | set(skipped)
        for rung in reversed(rungs):
            taken = min(lost, rungs[rung])
            rungs[rung] -= taken
            lost -= taken
        return Coverage(rungs, tuple(item for item in self.vocabulary if item in unknown))

    def block(self, left: Longs, right: Longs) -> Floats:
        """Relatedness of every left item to every right one; NaN where one is skipped."""
        scores = np.array(self.related.block(left, right), np.float64)
        scores[[self.vocabulary[item] in self.items for item in left.tolist()], :] = np.nan
        scores[:, [self.vocabulary[item] in self.items for item in right.tolist()]] = np.nan
        return scores


# The control: a measure of relatedness whose item names are permuted.
#
# It has the same scores, but between the wrong items. An attack that does as well with it got nothing from meaning.


FEW = 8
"""Up to so many items a plain permutation could well be none at all."""


@runtime_checkable
class KnowsDistances(Related, Protocol):
    """Scores and distances of one vocabulary, such as those of NGD."""

    def distances(self, left: Longs, right: Longs) -> Floats:
        """Distance of every left item to every right one."""
        ...

    def conjunctions(self, offsets: Longs, items: Longs, right: Longs) -> Floats:
        """Distance of every conjunction of items to every right item."""
        ...


@dataclass(frozen=True)
class Shuffled:
    """Any measure, its items exchanged among those that have a score; unknown items stay unknown.

    Attributes:
        measure: the measure.
        seed: which permutation; the same seed and vocabulary give the same one.
    """

    measure: Relatedness
    seed: int = 0

    @property
    def name(self) -> str:
        """The name of the measure, marked."""
        return f"shuffled-{self.measure.name}"

    def relate(self, items: Sequence[str]) -> ShuffledRelated:
        """Look the items up, then exchange them."""
        related = self.measure.relate(items)
        unknown = set(related.coverage.unknown)
        known = np.array([place for place, item in enumerate(items) if item not in unknown], dtype=np.int64)
        standing_for = np.arange(len(items), dtype=np.int64)
        standing_for[known] = _exchanged(known, np.random.default_rng(self.seed))
        if isinstance(related, KnowsDistances):
            return ShuffledDistances(related, standing_for)
        return ShuffledRelated(related, standing_for)


def _exchanged(known: Longs, rng: np.random.Generator) -> Longs:
    """A random permutation; of a handful of items one that leaves none in its place, if there are two."""
    if len(known) > FEW:
        return rng.permutation(known)
    order = rng.permutation(len(known))
    exchanged = np.empty_like(known)
    exchanged[order] = known[np.roll(order, 1)]
    return exchanged


@dataclass(frozen=True, eq=False, repr=False)
class ShuffledRelated:
    """Scores of one vocabulary between other items.

    Attributes:
        related: the right scores.
        standing_for: item whose scores each item gets.
    """

    related: Related
    standing_for: Longs

    @property
    def coverage(self) -> Coverage:
        """The coverage of the measure."""
        return self.related.coverage

    def block(self, left: Longs, right: Longs) -> Floats:
        """Relatedness of the items that stand for every left and every right one."""
        return self.related.block(self.standing_for[left], self.standing_for[right])


@dataclass(frozen=True, eq=False, repr=False)
class ShuffledDistances(ShuffledRelated):
    """The same for a measure that knows distances.

    Attributes:
        related: the right scores and distances.
        standing_for: item whose distances each item gets.
    """

    related: KnowsDistances

    def distances(self, left: Longs, right: Longs) -> Floats:
        """Distances of the items that stand for every left and every right one."""
        return self.related.distances(self.standing_for[left], self.standing_for[right])

    def conjunctions(self, offsets: Longs, items: Longs, right: Longs) -> Floats:
        """Distances from several items taken as one, between the items that stand for them."""
        return self.related.conjunctions(offsets, self.standing_for[items], self.standing_for[right])
