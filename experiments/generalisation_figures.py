"""Figures of many runs, found by sweep, place, data set and attack, with one value for each data set and sample.

Means and differences have a 95 % interval by Student's t over the samples, as in ``thesis_figures``.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.thesis_figures import Estimate, Series, estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from experiments.generalisation_runs import Run

Place = tuple[str, float, str]
"""Sweep, place in it, attack."""


@dataclass(frozen=True, eq=False)
class Figures:
    """All runs, and the times of Figure 16."""

    runs: Sequence[Run]
    times: Sequence[Mapping[str, Any]] = ()

    @cached_property
    def _found(self) -> Mapping[tuple[Place, str, str], Series]:
        found: defaultdict[tuple[Place, str, str], Series] = defaultdict(Series)
        for run in self.runs:
            place = run.sweep, run.x, run.attack
            for measure, sides in run.found.items():
                for side, value in sides.items():
                    if value is not None and np.isfinite(value):
                        found[place, measure, side][run.data, run.seed] = float(value)
        return found

    @cached_property
    def data(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(dict.fromkeys(run.data for run in self.runs))

    @cached_property
    def samples(self) -> int:
        """Samples drawn of each data set."""
        return len({run.seed for run in self.runs})

    def places(self, sweep: str, data: str | None = None) -> list[float]:
        """Places of a sweep at which something was run."""
        return sorted({run.x for run in self.runs if run.sweep == sweep and data in (None, run.data)})

    def at(
        self,
        sweep: str,
        x: float,
        attack: str,
        measure: str,
        side: str = "value",
        data: str | Sequence[str] | None = None,
    ) -> Series:
        """One figure: a number for each data set and sample, of some data sets or of all."""
        wanted = self.data if data is None else (data,) if isinstance(data, str) else data
        found = self._found.get(((sweep, x, attack), measure, side), Series())
        return Series({pair: value for pair, value in found.items() if pair[0] in wanted})

    def described(self, sweep: str, x: float, data: str, field: str) -> Estimate:
        """Mean of a figure of ``GeneralisedDescription`` (or ``k``) over the releases of one place."""
        values = {
            run.seed: run.k if field == "k" else getattr(run.description, field)
            for run in self.runs
            if (run.sweep, run.x, run.data) == (sweep, x, data)
        }
        return estimate(float(value) for value in values.values() if value is not None)


def exponent(times: Sequence[Mapping[str, Any]], method: str) -> float:
    """Power of the number of cells with which the time of a method grows, over the three largest tables.

    >>> round(exponent([{"method": "x", "size": n, "seconds": n**4} for n in (10, 20, 30)], "x"), 2)
    2.0
    """
    mine = sorted((row["size"] ** 2, row["seconds"]) for row in times if row["method"] == method)[-3:]
    cells, seconds = (np.log(np.array(column, float)) for column in zip(*mine, strict=True))
    return float(np.polyfit(cells, seconds, 1)[0])
