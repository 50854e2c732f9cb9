"""What may be varied in a search for good settings: each method declares the ranges of its own parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Choice:
    """One of several values."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class Whole:
    """A whole number between two ends, both included; on a logarithmic scale if ``log``."""

    low: int
    high: int
    log: bool = False


@dataclass(frozen=True)
class Real:
    """A number between two ends; on a logarithmic scale if ``log``."""

    low: float
    high: float
    log: bool = False


Dimension = Choice | Whole | Real
