"""Table 4.1 of the semantic-attack thesis: four measures of relatedness against people on 30 pairs of words.

The rows are figures published there: pairs and human scores of Miller and Charles (1991), NGD' and word embeddings as
the thesis measured them, Li's and Islam's measures as it quotes them. The correlations printed below the table are
Pearson's, although the formula beside it is the covariance. The text says that every pair from number 10 on scores
above every pair before it; the rows have exceptions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.relatedness.evaluation import Benchmark, Correlation, correlations

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.protocols import Relatedness

METHODS = ("NGD'", "word embedding", "Li", "Islam")
PRINTED = (0.72, 0.75, 0.72, 0.65)
"""Correlations as printed."""
UNRELATED = 9
"""So many pairs at the top are said to score below all others."""
ROWS = (
    ("cord", "smile", 0.01, 0.05, 0.01, 0.33, 0.06),
    ("autograph", "shore", 0.02, 0.14, 0.03, 0.29, 0.11),
    ("asylum", "fruit", 0.05, 0.07, 0.05, 0.21, 0.07),
    ("boy", "rooster", 0.11, 0.00, 0.28, 0.53, 0.16),
    ("coast", "forest", 0.21, 0.32, 0.23, 0.36, 0.26),
    ("boy", "sage", 0.24, 0.20, 0.16, 0.51, 0.16),
    ("forest", "graveyard", 0.25, 0.18, 0.22, 0.55, 0.33),
    ("bird", "woodland", 0.31, 0.30, 0.09, 0.33, 0.12),
    ("hill", "woodland", 0.46, 0.43, 0.27, 0.59, 0.29),
    ("magician", "oracle", 0.65, 0.30, 0.25, 0.44, 0.20),
    ("oracle", "sage", 0.65, 0.27, 0.44, 0.43, 0.09),
    ("furnace", "stove", 0.78, 0.66, 0.60, 0.72, 0.30),
    ("magician", "wizard", 0.80, 0.43, 0.48, 0.56, 0.34),
    ("hill", "mound", 0.82, 0.32, 0.46, 0.74, 0.15),
    ("cord", "string", 0.85, 0.41, 0.18, 0.68, 0.49),
    ("glass", "tumbler", 0.86, 0.43, 0.46, 0.65, 0.28),
    ("grin", "smile", 0.87, 0.48, 0.86, 0.49, 0.32),
    ("serf", "slave", 0.87, 0.20, 0.44, 0.39, 0.44),
    ("journey", "voyage", 0.90, 0.39, 0.68, 0.52, 0.41),
    ("autograph", "signature", 0.90, 0.39, 0.31, 0.55, 0.19),
    ("coast", "shore", 0.90, 0.82, 0.50, 0.76, 0.47),
    ("forest", "woodland", 0.91, 0.68, 0.64, 0.70, 0.26),
    ("implement", "tool", 0.92, 0.73, 0.21, 0.75, 0.51),
    ("cock", "rooster", 0.92, 0.16, 0.47, 1.00, 0.94),
    ("boy", "lad", 0.96, 0.57, 0.58, 0.66, 0.60),
    ("cushion", "pillow", 0.96, 0.80, 0.25, 0.66, 0.29),
    ("cemetery", "graveyard", 0.97, 0.59, 0.64, 0.73, 0.51),
    ("automobile", "car", 0.98, 0.64, 0.58, 0.64, 0.52),
    ("midday", "noon", 0.99, 0.36, 0.55, 1.00, 0.93),
    ("gem", "jewel", 0.99, 0.50, 0.62, 0.83, 0.65),
)
"""First word, second word, human score, then one score for each method."""


@dataclass(frozen=True)
class Agreement:
    """How one measure agrees with people on the 30 pairs.

    Attributes:
        measure: its name.
        scored: pairs that have a score.
        pearson: linear agreement.
        spearman: agreement of orders.
        covariance: what the printed formula gives, divisor n - 1.
        below: pairs from number 10 on that score below some pair before.
        level: further such pairs that score only as high as the best pair before.
    """

    measure: str
    scored: int
    pearson: Correlation
    spearman: Correlation
    covariance: float
    below: int
    level: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "measure": self.measure,
            "scored": self.scored,
            "pearson": self.pearson.to_dict(),
            "spearman": self.spearman.to_dict(),
            "covariance": self.covariance,
            "below": self.below,
            "level": self.level,
        }


def miller_charles() -> Benchmark:
    """The 30 pairs with the human scores of the table."""
    return Benchmark("Table 4.1", tuple(row[:2] for row in ROWS), np.array([row[2] for row in ROWS]))


def printed_methods(rng: np.random.Generator) -> tuple[Agreement, ...]:
    """The four printed columns, computed again."""
    columns = np.array([row[3:] for row in ROWS]).T
    return tuple(_agreement(name, column, rng) for name, column in zip(METHODS, columns, strict=True))


def measured(measures: Iterable[Relatedness], rng: np.random.Generator) -> tuple[Agreement, ...]:
    """Any measures on the same pairs."""
    pairs = miller_charles()
    return tuple(_agreement(measure.name, pairs.scores(measure), rng) for measure in measures)


def thesis_table_4_1(
    measures: Iterable[Relatedness], rng: np.random.Generator
) -> tuple[str, list[Agreement]]:
    """The page that compares the printed columns with our measures, and the figures behind it."""
    printed, ours = printed_methods(rng), measured(measures, rng)
    rows = [_line(found, f"{value:.2f}") for found, value in zip(printed, PRINTED, strict=True)]
    rows += [_line(found, "") for found in ours]
    return _HEAD + "\n".join(rows) + "\n", [*printed, *ours]


_HEAD = """# Table 4.1: measures of relatedness against people

The first four rows are the printed columns of the thesis, computed again; the others are measures of this package on
the same 30 pairs. Intervals are 95 %, by bootstrap. "exceptions" are pairs from number 10 on that score below some
pair before (and, after the +, as high as the best of those): the thesis says that there are none.

| measure | pairs | Pearson as printed | Pearson | Spearman | covariance | exceptions |
|---|---|---|---|---|---|---|
"""


def _line(found: Agreement, printed: str) -> str:
    cells = [
        found.measure,
        f"{found.scored} of {len(ROWS)}",
        printed or "-",
        _with_interval(found.pearson),
        _with_interval(found.spearman),
        f"{found.covariance:.4f}",
        f"{found.below} + {found.level}",
    ]
    return "| " + " | ".join(cells) + " |"


def _with_interval(found: Correlation) -> str:
    low, high = found.bootstrap
    return f"{found.value:.3f} ({low:.2f} to {high:.2f})"


def _agreement(name: str, scores: NDArray[np.float64], rng: np.random.Generator) -> Agreement:
    known = ~np.isnan(scores)
    human = miller_charles().human[known]
    linear, ranked = correlations(scores[known], human, rng)
    covariance = float(np.cov(scores[known], human)[0, 1])
    before, after = scores[:UNRELATED][known[:UNRELATED]], scores[UNRELATED:][known[UNRELATED:]]
    best = before.max(initial=-np.inf)
    return Agreement(
        name,
        int(known.sum()),
        linear,
        ranked,
        covariance,
        int((after < best).sum()),
        int((after == best).sum()),
    )
