"""Record lengths with a given mean and a given longest record.

Lengths follow a log-normal law on 1, 2, ..., ``longest``, its centre chosen so that the mean comes out right.
They are drawn one from each n-th part of the law, so that little is left to chance; what is left is settled
by single steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEPS = 100  # halvings of the search for the centre; the interval is then far below a float's precision


def draw_lengths(
    records: int, mean: float, longest: int, spread: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw lengths that add up to ``records * mean`` (rounded), the largest being exactly ``longest``.

    >>> lengths = draw_lengths(1000, 6.5, 164, 1.0, np.random.default_rng(1))
    >>> lengths.mean(), int(lengths.min()), int(lengths.max())
    (np.float64(6.5), 1, 164)
    """
    total = round(records * mean)
    _check(records, mean, longest, total)
    law = np.cumsum(_law_with_mean(mean, longest, spread))
    parts = (np.arange(records) + rng.random(records)) / records
    lengths = 1 + np.minimum(np.searchsorted(law, parts, side="right"), longest - 1).astype(np.int64)
    lengths[-1] = longest
    _settle(lengths, total, longest, rng)
    return lengths[np.argsort(rng.random(records), kind="stable")]


def _check(records: int, mean: float, longest: int, total: int) -> None:
    if total > records * longest or mean < 1:
        message = f"mean_length must be between 1 and max_length ({longest}), got {mean}"
        raise ParameterError(message)
    if total < longest + records - 1:
        message = (
            f"{records} records of mean length {mean} cannot hold one of length {longest};"
            f" take max_length {total - records + 1} or more records"
        )
        raise ParameterError(message)


def _law_with_mean(mean: float, longest: int, spread: float) -> NDArray[np.float64]:
    """Probabilities of the lengths 1 to ``longest``; the centre is found by halving."""
    values = np.arange(1, longest + 1)
    logs = np.log(values)
    low, high = -40.0 * spread, float(logs[-1]) + 40.0 * spread
    for _ in range(STEPS):
        centre = (low + high) / 2
        exponents = -((logs - centre) ** 2) / (2 * spread**2) - logs
        weights = np.exp(exponents - exponents.max())
        law: NDArray[np.float64] = weights / weights.sum()
        if law @ values < mean:
            low = centre
        else:
            high = centre
    return law


def _settle(lengths: NDArray[np.int64], total: int, longest: int, rng: np.random.Generator) -> None:
    """Lengthen or shorten random records by one until the sum is right; the last record stays as it is."""
    others = lengths[:-1]
    while missing := total - int(lengths.sum()):
        movable = np.flatnonzero(others < longest if missing > 0 else others > 1)
        order = np.argsort(rng.random(len(movable)), kind="stable")
        others[movable[order[: abs(missing)]]] += np.sign(missing)
