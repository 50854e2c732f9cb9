"""Work that falls into parts, done by all cores at once.

Kernels release the lock of Python, so threads of one process do; nothing is copied. Parts are independent and their
results are put together in order, so that a result never depends on how many cores there are. ``CLOVEN_CORES`` says how
many to use.
"""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from itertools import pairwise
from threading import Condition, Lock, Thread, current_thread
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from cloven.compiled import Longs

S = TypeVar("S")
T = TypeVar("T")
WORTH_IT = 100_000
"""Steps of work below which a second thread takes longer to start than it saves."""
TURNS = 4
"""Ranges of work for each core."""
FINE = 32
"""The same, where nobody knows when cores are idle."""
_PATIENCE = 1.0
# Seconds after which somebody who has nothing to do goes home, and somebody who waits looks again: a word may get lost
# when its speaker is interrupted.


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
    total = int(steps[-1] - steps[0])
    parts = max(1, min(cores(), len(steps) - 1, total // WORTH_IT))
    if parts == 1:
        return [work(0, len(steps) - 1)]
    return shared_out([partial(work, *ends) for ends in _ranges(steps, parts * TURNS)], parts)


def _ranges(steps: Longs, many: int) -> Iterator[tuple[int, int]]:
    """So many ranges, or fewer, with about as much work each."""
    total = int(steps[-1] - steps[0])
    inner = np.searchsorted(steps, steps[0] + total * np.arange(1, many) // many).tolist()
    return pairwise(sorted({0, *inner, len(steps) - 1}))


def meanwhile(work: Callable[[int, int], T], steps: Longs) -> Meanwhile[T]:
    """Have the same done by those of one's crew who are idle, while whoever calls goes on with something else.

    >>> with one_crew():
    ...     meanwhile(lambda first, last: (first, last), np.array([0, 1, 2])).results()
    [(0, 2)]
    """
    place = _PLACE.get()
    crew, many = (Crew(), 1) if place is None else (place.crew, cores())
    ranges = max(1, min(int(steps[-1] - steps[0]) // WORTH_IT, (many - 1) * FINE))
    works = [partial(work, *ends) for ends in _ranges(steps, ranges)]
    return Meanwhile(crew, crew.begin(works, many, many - 1))


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
    with one_crew() as crew:
        return crew.shared_out(works, many)


@contextmanager
def one_crew() -> Iterator[Crew]:
    """Those who work together here: of whoever shared this out, or else new ones for as long as this lasts.

    Where work is shared out often, a crew is kept around all of it: to wake a thread takes half as long as to start it.
    """
    place = _PLACE.get()
    if place is not None:
        yield place.crew
        return
    crew = Crew()
    try:
        _PLACE.set(Place(crew, None))
        yield crew
    finally:
        try:
            _PLACE.set(None)
        finally:
            crew.part()


class Crew:
    """Threads that work together, no more of them than there are cores.

    A work may share out works of its own. All who have nothing to do take part in them, and what was shared out last
    comes first, as somebody waits for it: no core is idle while there is work, and none has two threads. Whoever waits
    for what they shared out does only that, and parts of it, as they may hold locks that other works want.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._calls, self._news = Condition(self._lock), Condition(self._lock)  # for helpers; for who waits
        self._jobs: list[Job[Any]] = []  # in the order in which they were shared out
        self._helpers: set[Thread] = set()
        self._idle, self._over = 0, False
        self._fault: BaseException | None = None  # of no work: somebody was interrupted between two

    def shared_out(self, works: Sequence[Callable[[], T]], many: int) -> list[T]:
        """Call all works, so many at once; results in order."""
        return self.finish(self.begin(works, many, min(many, len(works)) - 1))

    def begin(self, works: Sequence[Callable[[], T]], many: int, helpers: int) -> Job[T]:
        """Have so many helpers begin works, so many at once, and go on."""
        place = _PLACE.get()
        job = Job(works, many, None if place is None else place.job)
        with self._lock:
            if not self._jobs:
                self._fault = None  # nobody waits any more for whoever was interrupted
            self._jobs.append(job)
            self._calls.notify(helpers)
            self._news.notify_all()
            more = min(helpers - self._idle, cores() - 1 - len(self._helpers))
            called = [Thread(target=self._help) for _ in range(more)]
            self._helpers.update(called)
        for helper in called:
            try:
                helper.start()
            except RuntimeError:  # no more threads are to be had: those who are here do the work
                self._helpers.discard(helper)
        return job

    def finish(self, job: Job[T]) -> list[T]:
        """Take part in a job until it is done; results in order."""
        try:
            self._take_part(job)
        finally:
            self.drop(job)
        return job.results()

    def drop(self, job: Job[Any]) -> None:
        """Nobody begins any more of it."""
        with self._lock:
            if job in self._jobs:
                self._jobs.remove(job)

    def part(self) -> None:
        """Let everybody go, as soon as they have ended what they work on."""
        self._over = True
        with self._lock:
            self._calls.notify_all()
            helpers = tuple(self._helpers)
        for helper in helpers:
            with suppress(RuntimeError):  # it never started
                helper.join()

    def _help(self) -> None:
        try:
            self._take_part(None)
        finally:
            with self._lock:
                self._helpers.discard(current_thread())

    def _take_part(self, own: Job[Any] | None) -> None:
        """Work until one's own job is done; whoever has none, until all is over, or there is nothing to do."""
        try:
            while self._did_one(own):
                pass
        except BaseException as fault:
            with self._lock:
                self._fault = fault  # others may wait for what was begun here
                self._news.notify_all()
            raise

    def _did_one(self, own: Job[Any] | None) -> bool:
        """Do the next work, when there is one; False when one's own job is done, or it is time to go."""
        begun = self._begun(own)
        if begun is None:
            return False
        (job, number), place = begun, _PLACE.get()
        try:
            _PLACE.set(Place(self, job))
            job.do(number)
        finally:
            _PLACE.set(place)
        with self._lock:
            job.running -= 1
            if job.is_done:
                self._news.notify_all()
        return True

    def _begun(self, own: Job[Any] | None) -> tuple[Job[Any], int] | None:
        """Wait for something to do, and begin it. Meanwhile nothing is held on to of what was done before."""
        with self._lock:
            while own is None or not own.is_done:
                if own is None and self._over:
                    return None
                if own is not None and self._fault is not None:
                    raise self._fault
                job = self._latest(own)
                if job is not None:
                    job.begun, job.running = job.begun + 1, job.running + 1
                    return job, job.begun - 1
                if own is not None:
                    self._news.wait(_PATIENCE)
                elif not self._was_called() and self._latest(None) is None:
                    return None
        return None

    def _was_called(self) -> bool:
        """Wait for a call; False if there is none for long."""
        self._idle += 1
        try:
            return self._calls.wait(_PATIENCE)
        finally:
            self._idle -= 1

    def _latest(self, own: Job[Any] | None) -> Job[Any] | None:
        """The last job that may be begun here."""
        job: Job[Any]
        for job in reversed(self._jobs):
            if job.may_begin and (own is None or job.is_part_of(own)):
                return job
        return None


class Meanwhile(NamedTuple, Generic[T]):
    """What others do while whoever shared it out goes on: it is asked for once, or dropped."""

    crew: Crew
    job: Job[T]

    def results(self) -> list[T]:
        """Take part until all is done; results in order."""
        return self.crew.finish(self.job)

    def drop(self) -> None:
        """What was not begun is left undone."""
        self.crew.drop(self.job)


class Job(Generic[T]):
    """Works that were shared out, in a work of another job or in none.

    Attributes:
        works: what is to be done.
        many: how many of them at once.
        outer: the job of which whoever shared this out did a work.
        begun: how many were begun, in order.
        running: how many are being done.
        is_cut: whether one failed, so that no other is to be begun.
    """

    def __init__(self, works: Sequence[Callable[[], T]], many: int, outer: Job[Any] | None) -> None:
        self.works, self.many, self.outer = works, many, outer
        self.begun, self.running, self.is_cut = 0, 0, False
        self._found, self._failed = dict[int, T](), dict[int, BaseException]()

    @property
    def may_begin(self) -> bool:
        """Whether there is a work that nobody has begun."""
        return self.begun < len(self.works) and self.running < self.many and not self.is_cut

    @property
    def is_done(self) -> bool:
        """Whether all is done that will be."""
        return self.running == 0 and (self.is_cut or self.begun == len(self.works))

    def is_part_of(self, other: Job[Any]) -> bool:
        """Whether this is the other job, or was shared out in a work of it."""
        return self is other or (self.outer is not None and self.outer.is_part_of(other))

    def do(self, number: int) -> None:
        """Do one of the works."""
        try:
            self._found[number] = self.works[number]()
        except BaseException as fault:  # noqa: BLE001 - whoever shared it out raises it
            self._failed[number], self.is_cut = fault, True

    def results(self) -> list[T]:
        """What all works gave; raises what the first of them raised that failed."""
        if self._failed:
            try:
                raise self._failed[min(self._failed)]
            finally:
                self._failed.clear()  # what failed holds on to this frame, and so to all that it worked on
        return [self._found[number] for number in range(len(self.works))]


class Place(NamedTuple):
    """Where a thread is: with whom it works, and on which job, if any."""

    crew: Crew
    job: Job[Any] | None


_PLACE: ContextVar[Place | None] = ContextVar("place", default=None)
# Of each thread its own.


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
    with one_crew() as crew, ThreadPoolExecutor(many, "", _PLACE.set, (Place(crew, None),)) as pool:
        for thing in things:
            begun.append(pool.submit(work, thing))
            if len(begun) >= many:
                begun[-many].result()
    return [each.result() for each in begun]
