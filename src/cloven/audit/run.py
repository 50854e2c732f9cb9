"""The steps of a long run: each is named, timed, told to whoever watches, and not done twice after an interruption.

The loop runs its steps by it; ``storage.checkpoint`` is the memory of one on disk.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from cloven.cores import one_crew
from cloven.data.defaults import SEED

if TYPE_CHECKING:
    from cloven.protocols import Family

Progress = Callable[[str, float], None]
T = TypeVar("T")
AT_ONCE = 2


class Memory(Protocol):
    """Where finished steps are kept."""

    def recall(self, step: str, read: Callable[[Any], T]) -> T | None:
        """What a step gave in an earlier run, or None."""
        ...

    def keep(self, step: str, plain: Any) -> None:
        """Remember what a step gave."""
        ...

    def recall_result(self, step: str, family: Family) -> Any:
        """Release and key of an earlier run, or None."""
        ...

    def keep_result(self, step: str, family: Family, result: Any) -> None:
        """Remember release and key."""
        ...


class Forgetful:
    """Keeps nothing."""

    def recall(self, step: str, read: Callable[[Any], T]) -> T | None:  # noqa: ARG002
        """Nothing is known."""
        return None

    def keep(self, step: str, plain: Any) -> None:
        """Nothing is kept."""

    def recall_result(self, step: str, family: Family) -> Any:  # noqa: ARG002
        """Nothing is known."""
        return None

    def keep_result(self, step: str, family: Family, result: Any) -> None:
        """Nothing is kept."""


@dataclass
class Run:
    """One run through named steps.

    Attributes:
        seed: for the random numbers of all steps.
        progress: called with the step and the share of the whole run that is done.
        memory: where finished steps are kept.
        seconds: what each step took, others beside it or not.
    """

    seed: int = SEED
    progress: Progress | None = None
    memory: Memory = field(default_factory=Forgetful)
    seconds: dict[str, float] = field(default_factory=dict)
    _planned: dict[str, float] = field(default_factory=dict)
    _shares: dict[str, float] = field(default_factory=dict)
    _turn: Any = field(default_factory=RLock, repr=False)
    _over: bool = False

    def plan(self, steps: Mapping[str, float]) -> None:
        """Add steps to come, with what each is likely to cost; only the proportions matter."""
        self._planned |= dict(steps)

    def beside(self, works: Mapping[str, Callable[[], T]], many: int) -> dict[str, T]:
        """Do so many steps at the same time, and no more than two: each has threads of its own, and holds memory.

        When one fails, or somebody interrupts, those that are under way end at their next word on progress.
        """
        if many <= 1 or len(works) <= 1:
            return {name: work() for name, work in works.items()}
        try:
            with ThreadPoolExecutor(min(many, AT_ONCE)) as pool:
                begun = {name: pool.submit(work) for name, work in works.items()}
                try:
                    for each in as_completed(begun.values()):
                        each.result()
                except BaseException:
                    self._over = True
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
            return {name: each.result() for name, each in begun.items()}
        finally:
            self._over = False
            self.seconds = {step: self.seconds[step] for step in self._planned if step in self.seconds}

    def rng(self, step: str) -> np.random.Generator:
        """Random numbers of a step: the same whether or not other steps were taken from memory."""
        return np.random.default_rng([self.seed, zlib.crc32(step.encode())])

    def step(
        self,
        name: str,
        make: Callable[[Progress], T],
        plain: Callable[[T], Any] | None = None,
        read: Callable[[Any], T] | None = None,
    ) -> T:
        """Do a step, or take it from memory; ``plain`` and ``read`` turn its result into JSON values and back."""
        with self._timed(name):
            with self._turn:
                known = None if read is None else self.memory.recall(name, read)
            if known is None:
                known = self._make(name, make)
                with self._turn:
                    self._go_on()  # what was cut short is not kept
                    if plain is not None:
                        self.memory.keep(name, plain(known))
            return known

    def result(self, name: str, family: Family, make: Callable[[Progress], Any]) -> Any:
        """Make release and key, or take them from memory: methods that draw lots would make another release now."""
        with self._timed(name):
            known = self.memory.recall_result(name, family)
            if known is None:
                known = self._make(name, make)
                self.memory.keep_result(name, family, known)
            return known

    def _make(self, name: str, make: Callable[[Progress], T]) -> T:
        self._tell(name, name, 0.0)
        with one_crew():
            return make(lambda inner, share: self._tell(name, inner, share))

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        with self._turn:
            self._planned.setdefault(name, 1.0)
        start = perf_counter()
        yield
        with self._turn:
            self.seconds[name] = round(perf_counter() - start, 3)
            self._shares[name] = 1.0

    def _go_on(self) -> None:
        """Raise if a step beside this one has failed."""
        if self._over:
            raise CancelledError

    def _tell(self, name: str, inner: str, share: float) -> None:
        with self._turn:
            self._go_on()
            if self.progress is None:
                return
            self._shares[name] = min(1.0, share)
            done = sum(self._planned[step] * part for step, part in self._shares.items())
            text = name if inner == name else f"{name}: {inner}"
            self.progress(text, min(1.0, done / sum(self._planned.values())))
