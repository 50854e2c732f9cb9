"""The steps of a long run: each is named, timed, told to whoever watches, and not done twice after an interruption.

The loop runs its steps by it; ``storage.checkpoint`` is the memory of one on disk.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from cloven.compiled import is_awaited
from cloven.data.defaults import SEED

if TYPE_CHECKING:
    from cloven.protocols import Family
    from cloven.threats import Threat

Progress = Callable[[str, float], None]
Begun = Callable[[Any], Any]
"""Called with the figures of the data."""
T = TypeVar("T")


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
        seconds: what each step took.
    """

    seed: int = SEED
    progress: Progress | None = None
    memory: Memory = field(default_factory=Forgetful)
    seconds: dict[str, float] = field(default_factory=dict)
    _planned: dict[str, float] = field(default_factory=dict)

    def plan(self, steps: Mapping[str, float]) -> None:
        """Add steps to come, with what each is likely to cost; only the proportions matter."""
        self._planned |= dict(steps)

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
            known = None if read is None else self.memory.recall(name, read)
            if known is None:
                known = self._make(name, make)
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
        return make(lambda inner, share: self._tell(name, inner, share))

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        self._planned.setdefault(name, 1.0)
        start = perf_counter()
        yield
        self.seconds[name] = round(perf_counter() - start, 3)

    def _tell(self, name: str, inner: str, share: float) -> None:
        if self.progress is None:
            return
        total = sum(self._planned.values())
        done = sum(self._planned[each] for each in self.seconds if each in self._planned)
        text = name if inner == name else f"{name}: {inner}"
        self.progress(text, min(1.0, (done + self._planned[name] * min(1.0, share)) / total))


def ready_first(attacks: Mapping[str, Threat]) -> list[tuple[str, Threat]]:
    """Attacks whose functions are still compiled come last; what is found does not depend on the order."""
    return sorted(attacks.items(), key=lambda each: is_awaited(each[1].kernel))
