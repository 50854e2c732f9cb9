"""Work that falls into parts, done by all cores at once.

Kernels release the lock of Python, so threads of one process do; nothing is copied. Parts are independent and their
results are put together in order, so that a result never depends on how many cores there are. ``CLOVEN_CORES`` says how
many to use.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.compiled import Longs

T = TypeVar("T")
WORTH_IT = 100_000
"""Steps of work below which a second thread takes longer to start than it saves."""


def cores() -> int:
    """How many cores this process may use."""
    wanted = os.environ.get("CLOVEN_CORES", "")
    if wanted:
        if not (wanted.isascii() and wanted.isdigit()) or int(wanted) < 1:
            message = f"CLOVEN_CORES must be a whole number of at least 1, got {wanted!r}"
            raise ParameterError(message)
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def at_once(work: Callable[[int, int], T], steps: Longs) -> list[T]:
    """Call ``work(first, last)`` for ranges that cover everything, each on a core; results in order.

    ``steps`` says how much work lies before each thing, and behind the last: ranges are cut so that all have about as
    much. Little work is one range.

    >>> at_once(lambda first, last: (first, last), np.array([0, 1, 2]))
    [(0, 2)]
    >>> at_once(lambda first, last: last - first, np.arange(10_000_001)) == [10_000_000] or cores() > 1
    True
    """
    many, total = len(steps) - 1, int(steps[-1] - steps[0])
    parts = max(1, min(cores(), many, total // WORTH_IT))
    if parts == 1:
        return [work(0, many)]
    inner = np.searchsorted(steps, steps[0] + total * np.arange(1, parts) // parts).tolist()
    bounds = sorted({0, *inner, many})
    with ThreadPoolExecutor(len(bounds) - 1) as pool:
        return list(pool.map(lambda ends: work(*ends), pairwise(bounds)))
