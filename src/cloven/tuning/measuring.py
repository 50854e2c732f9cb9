"""One setting tried out: first on a sample of the records, and on all of them only if it may be worth it.

Successive halving (Jamieson and Talwalkar, AISTATS 2016) with two rungs and two objectives: a setting is given up when
the sample shows another one that is better by a margin in risk and in utility. Every setting sees the same sample, and
every attack draws the same random numbers, so that settings differ by what they do and not by their luck.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.audit import Audit
from cloven.errors import ParameterError
from cloven.running import Run
from cloven.settings import setting
from cloven.tuning.trial import Trial, headline, impossible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from cloven.model.outcome import Outcome
    from cloven.protocols import Anonymiser
    from cloven.running import Progress
    from cloven.threats import Effort, Knowledge
    from cloven.tuning.points import Point

FEWEST_RECORDS = 2_000
SHARE = 0.15


@dataclass(frozen=True)
class Measuring:
    """Tries settings on one data set.

    Attributes:
        data: all records.
        sample: a part of them; None where all are few.
        knowledge: what attackers may have.
        effort: how thoroughly to measure.
        point: places an outcome by risk and utility.
        margin: by how much another setting must be better on the sample.
        seed: for the measurements.
    """

    data: Any
    sample: Any
    knowledge: Knowledge
    effort: Effort
    point: Callable[[Outcome], Point]
    margin: float
    seed: int

    def trial(
        self,
        method: Anonymiser,
        known: Iterable[Trial],
        progress: Progress | None = None,
        *,
        keep: bool = False,
    ) -> Trial:
        """Try a setting beside those that are known; ``keep`` tries it on all records in any case."""
        name, first = setting(method), self._on_sample(method, progress)
        better = "" if first is None or keep else self._better(first, known)
        if better:
            return Trial(name, method, "pruned", sample=first, why=f"on the sample {better} is better")
        start = 0.0 if self.sample is None else self._sample_share
        try:
            outcome = self._measure(self.data, method, _part(progress, start, 1.0))
        except ParameterError as error:
            return impossible(name, str(error))
        return Trial(name, method, "finished", outcome, first)

    def _on_sample(self, method: Anonymiser, progress: Progress | None) -> Outcome | None:
        """Figures on the sample; None without one, or if it does not allow what all records may."""
        if self.sample is None:
            return None
        try:
            return self._measure(self.sample, method, _part(progress, 0.0, self._sample_share))
        except ParameterError:
            return None

    @property
    def _sample_share(self) -> float:
        return len(self.sample) / (len(self.sample) + len(self.data))

    def _measure(self, data: Any, method: Anonymiser, progress: Progress | None) -> Outcome:
        audit = Audit(method, knowledge=self.knowledge, effort=self.effort, advise=False, seed=self.seed)
        return headline(audit.evaluate(data, method, Run(self.seed, progress)).outcome)

    def _better(self, outcome: Outcome, known: Iterable[Trial]) -> str:
        """Name of a setting that is better by the margin on the sample; empty if there is none."""
        here = self.point(outcome)
        samples = ((trial.name, trial.sample) for trial in known)
        found = (name for name, other in samples if other and self.point(other).beats(here, self.margin))
        return next(found, "")


def sample_of(data: Any, rng: np.random.Generator, fewest: int = FEWEST_RECORDS) -> Any:
    """A random part of the records for the first rung; None if all are so few that it would save little."""
    size = max(fewest, round(SHARE * len(data)))
    return None if 2 * size > len(data) else some(data, size, rng)


def some(data: Any, size: int, rng: np.random.Generator) -> Any:
    """So many random records, in their order."""
    return data.take(np.sort(rng.permutation(len(data))[:size]))


def _part(progress: Progress | None, start: float, end: float) -> Progress | None:
    """Progress of a part that lasts from one share of the whole to another."""
    if progress is None:
        return None
    return lambda step, share: progress(step, start + (end - start) * share)
