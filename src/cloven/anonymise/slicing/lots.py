"""Lots as arrays: from the operating system, or, for experiments, from a seed."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Lots: TypeAlias = Callable[[int], NDArray[np.uint64]]
"""Gives as many random numbers of 64 bits as are asked for."""


def lots_of(seed: int | None) -> Lots:
    """Lots that nobody can draw again, or those of a seed if there is one."""
    if seed is None:
        return lambda count: np.frombuffer(secrets.token_bytes(8 * count), np.uint64)
    rng = np.random.default_rng(seed)
    return lambda count: rng.integers(2**64, size=count, dtype=np.uint64)


def shuffled(values: NDArray[np.int64], lots: Lots) -> NDArray[np.int64]:
    """Values in random order."""
    return values[np.argsort(lots(len(values)), kind="stable")]
