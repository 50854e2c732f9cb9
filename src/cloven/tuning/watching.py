"""When a search ends, and what it says on the way: which setting, how many, the best so far, how long it may take."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cloven.running import Progress
    from cloven.tuning.trial import Trial


@dataclass
class Watching:
    """The clock of one run of a search.

    Attributes:
        wanted: settings to try, with those of earlier runs.
        seconds: time after which no further one is begun; None for no limit.
        begun: when this run began.
        progress: called with words and the share of the search that is done.
    """

    wanted: int
    seconds: float | None
    begun: float
    progress: Progress | None = None
    _before: int | None = field(default=None)

    def goes_on(self, trials: Iterable[Trial]) -> bool:
        """Whether another setting is to be tried; the first one, the default, always is."""
        tried = count(trials)
        if self._before is None:
            self._before = tried
        late = self.seconds is not None and monotonic() - self.begun >= self.seconds
        return tried == 0 or (tried < self.wanted and not late)

    def report(self, trials: Iterable[Trial], best: str) -> Progress | None:
        """Progress of the next setting as progress of the search."""
        progress, tried = self.progress, count(trials)
        if progress is None:
            return None
        head = f"setting {tried + 1} of {self.wanted} ({best}{self._left(tried)})"
        return lambda step, share: progress(f"{head}: {step}", (tried + min(share, 0.99)) / self.wanted)

    def _left(self, tried: int) -> str:
        """How long it may take, judged by the settings of this run."""
        here = tried - (self._before or 0)
        if here < 2:
            return ""
        spent = monotonic() - self.begun
        left = spent / here * (self.wanted - tried)
        if self.seconds is not None:
            left = min(left, self.seconds - spent)
        return f", {_duration(left)} left"


def count(trials: Iterable[Trial]) -> int:
    """Settings that were tried; impossible ones cost nothing and do not count."""
    return sum(trial.state != "impossible" for trial in trials)


def _duration(seconds: float) -> str:
    """A time that may be wrong by a half, said so.

    >>> _duration(42.0), _duration(200.0), _duration(9000.0)
    ('about 40 s', 'about 3 min', 'about 2.5 h')
    """
    if seconds < 90:
        return f"about {max(10, round(seconds, -1)):.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"
