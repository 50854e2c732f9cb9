"""Lots that protect people: drawn from the operating system, or, marked as such, from a seed."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Protocol

import numpy as np


class Lots(Protocol):
    """Draws lots."""

    def below(self, limit: int) -> int:
        """A number from 0 to below ``limit``, all equally likely."""
        ...


@dataclass(frozen=True)
class SystemLots:
    """From the operating system: nobody can draw them again."""

    def below(self, limit: int) -> int:
        """A number from 0 to below ``limit``."""
        return secrets.randbelow(limit)


@dataclass(frozen=True)
class SeededLots:
    """From a generator that was started with a seed: for experiments, which must be repeatable."""

    rng: np.random.Generator

    def below(self, limit: int) -> int:
        """A number from 0 to below ``limit``."""
        return int(self.rng.integers(limit))


def lots_of(seed: int | None) -> Lots:
    """Lots of the operating system, or of a seed if there is one."""
    return SystemLots() if seed is None else SeededLots(np.random.default_rng(seed))
