"""How well a measure of relatedness agrees with people, on all pairs and for rare and frequent words apart."""

from __future__ import annotations

from dataclasses import dataclass
from math import atanh, isfinite, isnan, nan, sqrt, tanh
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import InputError, ParameterError
from cloven.intake.files import small_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cloven.compiled import Floats
    from cloven.protocols import Relatedness


__all__ = ["Benchmark", "Evaluation", "FrequencyBin", "by_frequency", "evaluate", "read_benchmark"]


@dataclass(frozen=True)
class Evaluation:
    """Agreement of a measure with people.

    Attributes:
        measure: name of the measure.
        benchmark: name of the word pairs.
        pairs: all pairs.
        scored: pairs that have a score; both coefficients are over these.
        pearson: linear agreement, which a scale that is bent lowers.
        spearman: agreement of the orders.
        unscored: pairs without a score.
    """

    measure: str
    benchmark: str
    pairs: int
    scored: int
    pearson: Correlation
    spearman: Correlation
    unscored: tuple[tuple[str, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        coefficients = {"pearson": self.pearson.to_dict(), "spearman": self.spearman.to_dict()}
        return {**vars(self), **coefficients, "unscored": [list(pair) for pair in self.unscored]}


@dataclass(frozen=True)
class FrequencyBin:
    """Agreement on pairs whose rarer word is about equally frequent.

    Attributes:
        low: least frequency of the rarer word.
        high: largest frequency of the rarer word.
        pairs: pairs with a score.
        unscored: pairs without one.
        error: mean distance of the measure's rank of a pair from people's, as a share of all ranks.
        error_half: half of a 95 % interval of that mean.
        bias: mean of (measure's rank - people's rank); below 0, the measure finds these pairs too little related.
        bias_half: half of a 95 % interval of that mean.
    """

    low: float
    high: float
    pairs: int
    unscored: int
    error: float
    error_half: float
    bias: float
    bias_half: float


def evaluate(
    measure: Relatedness,
    benchmark: Benchmark,
    rng: np.random.Generator | None = None,
    *,
    resamples: int = 2_000,
    confidence: float = 0.95,
) -> Evaluation:
    """Compare a measure with people; ``rng`` draws the bootstrap samples, from the operating system if not given."""
    if resamples < 1 or not 0 < confidence < 1:
        message = (
            f"resamples must be at least 1 and confidence between 0 and 1 (got {resamples} and {confidence})"
        )
        raise ParameterError(message)
    scores = benchmark.scores(measure)
    known = ~np.isnan(scores)
    source = np.random.default_rng() if rng is None else rng
    linear, ranked = correlations(
        scores[known], benchmark.human[known], source, resamples=resamples, confidence=confidence
    )
    unscored = tuple(benchmark.pairs[pair] for pair in np.flatnonzero(~known).tolist())
    return Evaluation(
        measure.name, benchmark.name, len(benchmark), int(known.sum()), linear, ranked, unscored
    )


def by_frequency(
    measure: Relatedness,
    benchmark: Benchmark,
    frequency: Mapping[str, float],
    bins: int | Sequence[float] = 5,
) -> tuple[FrequencyBin, ...]:
    """Errors of a measure from pairs with rare words to pairs with frequent ones.

    Args:
        measure: the measure.
        benchmark: pairs scored by people.
        frequency: how frequent each word is; 0 where it is missing.
        bins: so many bins with about equally many scored pairs (fewer where frequencies are equal), or the frequencies
            at which a new one starts. A bin without any pair is left out.
    """
    scores = benchmark.scores(measure)
    known = ~np.isnan(scores)
    rarer = np.array([min(frequency.get(word, 0) for word in pair) for pair in benchmark.pairs], np.float64)
    gaps = np.full(len(benchmark), np.nan)
    gaps[known] = (ranks(scores[known]) - ranks(benchmark.human[known])) / known.sum()
    number = np.searchsorted(_edges(rarer[known], bins), rarer, side="right")
    return tuple(_bin(rarer[number == one], gaps[number == one]) for one in np.unique(number))


def _edges(rarer: Floats, bins: int | Sequence[float]) -> Floats:
    """Frequencies at which the second and later bins start."""
    if not isinstance(bins, int):
        return np.unique(np.asarray(bins, np.float64))
    if bins < 1:
        message = f"bins must be at least 1 (got {bins})"
        raise ParameterError(message)
    ordered = np.sort(rarer)
    return np.unique(ordered[[len(ordered) * one // bins for one in range(1, bins)]])


def _bin(rarer: Floats, gaps: Floats) -> FrequencyBin:
    there = gaps[~np.isnan(gaps)]
    return FrequencyBin(
        float(rarer.min()),
        float(rarer.max()),
        len(there),
        len(gaps) - len(there),
        *_mean(np.abs(there)),
        *_mean(there),
    )


def _mean(values: Floats) -> tuple[float, float]:
    """Mean and half of its 95 % interval; NaN where there are too few values."""
    mean = float(values.mean()) if len(values) else np.nan
    half = 1.96 * float(values.std(ddof=1)) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return mean, float(half)


# Word-similarity sets: pairs of words and how related people find them.


FEWEST = 3
"""Pairs that a correlation needs."""
_EXPECTED = "expected a word, a word and a score, separated by tabs, commas or semicolons"


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Pairs of words with people's scores.

    Attributes:
        name: what it is called in tables.
        pairs: the words.
        human: people's score of each pair, higher is more related.
    """

    name: str
    pairs: tuple[tuple[str, str], ...]
    human: Floats

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return f"Benchmark({self.name!r}, {len(self):,} pairs)"

    def scores(self, measure: Relatedness) -> Floats:
        """What a measure says about each pair; NaN where it says nothing.

        All words are one vocabulary. A measure is asked only about pairs in the set, first word by first word. One that
        scores fewer than 3 pairs is refused.
        """
        words = sorted({word for pair in self.pairs for word in pair})
        code_of = {word: code for code, word in enumerate(words)}
        codes = np.array([[code_of[first], code_of[second]] for first, second in self.pairs], np.int64)
        related = measure.relate(words)
        scores = np.full(len(self), np.nan)
        for first in np.unique(codes[:, 0]):
            mine = np.flatnonzero(codes[:, 0] == first)
            scores[mine] = related.block(np.array([first]), codes[mine, 1])[0]
        scored = len(self) - int(np.isnan(scores).sum())
        if scored < FEWEST:
            message = (
                f"{measure.name} has scores for {scored} of the {len(self)} pairs of {self.name}; a correlation needs"
                f" at least {FEWEST}: take a measure that knows these words"
            )
            raise ParameterError(message)
        return scores


def read_benchmark(path: str | Path) -> Benchmark:
    """Read a text file with a word, a word and a score in each line.

    Separators are tabs, else commas, else semicolons, as in the first line. Blank lines and lines that start with ``#``
    are skipped, and so is a first line without a digit (column names).
    """
    path = Path(path)
    return _parsed(small_text(path).splitlines(), path)


def _parsed(lines: Iterable[str], path: Path) -> Benchmark:
    pairs, human, separator = [], [], ""
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        if not separator:
            separator = next((sign for sign in "\t,;" if sign in line), "\t")
            if not any(letter.isdigit() for letter in line):
                continue
        first, second, score = _row(line, separator, str(path), number)
        pairs.append((first, second))
        human.append(score)
    if len(pairs) < FEWEST:
        message = f"{len(pairs)} pairs; a correlation needs at least {FEWEST}"
        raise InputError(message, source=str(path))
    return Benchmark(path.stem, tuple(pairs), np.array(human))


def _row(line: str, separator: str, source: str, number: int) -> tuple[str, str, float]:
    fields = [field.strip().strip('"') for field in line.split(separator)]
    if len(fields) != 3 or not fields[0] or not fields[1]:
        raise InputError(_EXPECTED, source=source, line=number, value=line)
    try:
        score = float(fields[2])
    except ValueError:
        raise InputError(_EXPECTED, source=source, line=number, value=line) from None
    if not isfinite(score):
        message = "the score must be a finite number"
        raise InputError(message, source=source, line=number, value=fields[2])
    return fields[0], fields[1], score


# Correlation of two columns with intervals.
#
# Pearson's and Spearman's coefficients; percentile bootstrap over pairs (Efron and Tibshirani, An Introduction to the
# Bootstrap, 1993, chapter 13); Fisher's z with variance 1 / (n - 3), for ranks (1 + r^2 / 2) / (n - 3) (Bonett and
# Wright, Psychometrika 65, 2000).


Interval = tuple[float, float]
_CELLS_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Correlation:
    """A coefficient and what it may be in truth.

    Attributes:
        value: the coefficient; NaN if a column is constant.
        bootstrap: percentile interval over resampled pairs.
        fisher: interval by Fisher's z; NaN with fewer than 4 pairs.
    """

    value: float
    bootstrap: Interval
    fisher: Interval

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"value": self.value, "bootstrap": list(self.bootstrap), "fisher": list(self.fisher)}


def correlations(
    x: Floats,
    y: Floats,
    rng: np.random.Generator,
    *,
    resamples: int = 2_000,
    confidence: float = 0.95,
) -> tuple[Correlation, Correlation]:
    """Pearson's and Spearman's coefficients of two columns without gaps."""
    linear, ranked = [], []
    step = max(1, _CELLS_AT_ONCE // max(1, len(x)))
    for start in range(0, resamples, step):
        drawn = rng.integers(len(x), size=(min(step, resamples - start), len(x)))
        linear.append(pearson(x[drawn], y[drawn]))
        ranked.append(pearson(ranks(x[drawn]), ranks(y[drawn])))
    found = []
    for value, sampled, of_ranks in (
        (pearson(x, y), linear, False),
        (pearson(ranks(x), ranks(y)), ranked, True),
    ):
        draws = np.concatenate(sampled)
        bootstrap = _percentiles(draws[~np.isnan(draws)], confidence)
        fisher = fisher_interval(float(value), len(x), confidence, of_ranks=of_ranks)
        found.append(Correlation(float(value), bootstrap, fisher))
    return found[0], found[1]


def pearson(x: Floats, y: Floats) -> Floats:
    """Pearson's coefficient along the last axis; NaN where a column is constant.

    >>> float(pearson(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 7.0])).round(4))
    0.9934
    """
    level = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-1, keepdims=True)
    spread = [np.sqrt((column**2).sum(axis=-1)) for column in level]
    # A constant column leaves rounding only; its spread is then nothing beside its size.
    size = [np.abs(column).max(axis=-1) * sqrt(x.shape[-1]) for column in (x, y)]
    constant = (spread[0] <= 1e-14 * size[0]) | (spread[1] <= 1e-14 * size[1])
    product = np.where(constant, 1.0, spread[0] * spread[1])
    coefficient = (level[0] * level[1]).sum(axis=-1) / product
    return np.where(constant, np.nan, np.clip(coefficient, -1.0, 1.0))


def ranks(values: Floats) -> Floats:
    """Ranks from 1 along the last axis; equal values share the mean of theirs.

    >>> ranks(np.array([0.3, 0.1, 0.3])).tolist()
    [2.5, 1.0, 2.5]
    """
    from scipy.stats import rankdata

    found: Floats = rankdata(values, axis=-1)
    return found


def fisher_interval(
    value: float, pairs: int, confidence: float = 0.95, *, of_ranks: bool = False
) -> Interval:
    """Interval of a coefficient by Fisher's z.

    >>> low, high = fisher_interval(0.75, 30)
    >>> round(low, 3), round(high, 3)
    (0.534, 0.874)
    """
    if isnan(value) or pairs < 4:
        return nan, nan
    if abs(value) >= 1:
        return value, value
    variance = (1 + value * value / 2 if of_ranks else 1.0) / (pairs - 3)
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(variance)
    return tanh(atanh(value) - reach), tanh(atanh(value) + reach)


def _percentiles(draws: Floats, confidence: float) -> Interval:
    if not len(draws):
        return nan, nan
    low, high = np.quantile(draws, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)
