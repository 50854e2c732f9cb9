"""Work that falls into parts, done by all cores at once.

Kernels release the lock of Python, so threads of one process do; nothing is copied. Parts are independent and their
results are put together in order, so that a result never depends on how many cores there are. ``CLOVEN_CORES`` says how
many to use.
"""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import pairwise
from threading import Lock, Thread
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from cloven.compiled import Longs

S = TypeVar("S")
T = TypeVar("T")
WORTH_IT = 100_000
"""Steps of work below which a second thread takes longer to start than it saves."""
TURNS = 4
"""Ranges of work for each core."""


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
    much. As that is a guess, there are several for each core, and whoever is done takes the next. Little work is one
    range.

    >>> at_once(lambda first, last: (first, last), np.array([0, 1, 2]))
    [(0, 2)]
    >>> at_once(lambda first, last: last - first, np.arange(10_000_001)) == [10_000_000] or cores() > 1
    True
    """
    many, total = len(steps) - 1, int(steps[-1] - steps[0])
    parts = max(1, min(cores(), many, total // WORTH_IT))
    if parts == 1:
        return [work(0, many)]
    ranges = parts * TURNS
    inner = np.searchsorted(steps, steps[0] + total * np.arange(1, ranges) // ranges).tolist()
    bounds = sorted({0, *inner, many})
    return shared_out([partial(work, *ends) for ends in pairwise(bounds)], parts)


def side_by_side(works: Sequence[Callable[[], T]]) -> list[T]:
    """Call each of a few long works, as many at once as there are cores; results in order.

    >>> side_by_side([lambda: 1, lambda: 2])
    [1, 2]
    """
    many = min(cores(), len(works))
    return [work() for work in works] if many <= 1 else shared_out(works, many)


def shared_out(works: Sequence[Callable[[], T]], many: int) -> list[T]:
    """Call all works, so many at once; results in order.

    Whoever calls takes part and begins at once: threads of a pool take as long to wake as a short work takes. When a
    work fails, no other is begun; those before it have been, so that it is always the first to fail that is told of.
    """
    turn, numbers = Lock(), iter(range(len(works)))
    found, failed = dict[int, T](), dict[int, BaseException]()

    def take_part() -> None:
        while not failed:
            with turn:
                number = next(numbers, None)
            if number is None:
                return
            try:
                found[number] = works[number]()
            except BaseException as fault:  # noqa: BLE001 - the caller raises it
                failed[number] = fault

    helpers = [Thread(target=take_part) for _ in range(min(many, len(works)) - 1)]
    try:
        with suppress(RuntimeError):  # no more threads are to be had: those who are here do the work
            for helper in helpers:
                helper.start()
        take_part()
    except BaseException as fault:
        failed[len(works)] = fault  # so that nobody begins anything any more
        raise
    finally:
        for helper in helpers:
            if helper.ident is not None:
                helper.join()
    if failed:
        try:
            raise failed[min(failed)]
        finally:
            failed.clear()  # what failed holds on to this frame, and so to all that it worked on
    return [found[number] for number in range(len(works))]


def as_they_come(work: Callable[[S], T], things: Iterable[S]) -> list[T]:
    """Work on things while the next ones are made, on as many at once as there are cores; results in order.

    No more of them wait than that, for they may be large.

    >>> as_they_come(abs, iter([-1, 2]))
    [1, 2]
    """
    many = cores()
    if many == 1:
        return [work(thing) for thing in things]
    begun: list[Future[T]] = []
    with ThreadPoolExecutor(many) as pool:
        for thing in things:
            begun.append(pool.submit(work, thing))
            if len(begun) >= many:
                begun[-many].result()
    return [each.result() for each in begun]
