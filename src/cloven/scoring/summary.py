"""From tallies to findings: values, intervals, lift and paired differences, all from the same bootstrap samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.scoring.findings import Finding
from cloven.scoring.tally import Difference, Estimate, Tallies, Tally, difference, estimate, resampled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NOTHING = Estimate(None, None, None)
_NO_DIFFERENCE = Difference(None, None, None, None)
Sampled = tuple[Tally, "NDArray[np.float64]"]


def summarised(
    values: Tallies, chance: Tallies, control: Tallies, rng: np.random.Generator, draws: int
) -> tuple[Finding, ...]:
    """One finding for each measure and scope; chance and control may know only some of them, or none."""
    tables = (values, chance, control)
    tallies = [table[name] for table in tables for name in table]
    samples = iter(resampled(tallies, rng, draws).T)
    sampled = [{name: (table[name], next(samples)) for name in table} for table in tables]
    return tuple(
        _finding(name, sampled[0][name], sampled[1].get(name), sampled[2].get(name)) for name in values
    )


def _finding(
    name: tuple[str, str], value: Sampled, chance: Sampled | None, control: Sampled | None
) -> Finding:
    here, guessing, shuffled = (_estimated(each) for each in (value, chance, control))
    over_chance, over_control = (_apart(value, other) for other in (chance, control))
    lift = here.value / guessing.value if here.value is not None and guessing.value else None
    measure, scope = name
    return Finding(
        measure,
        scope,
        *here,
        *guessing,
        *shuffled,
        lift,
        *over_chance,
        *over_control,
        value[0].count,
        value[0].units,
    )


def _estimated(sampled: Sampled | None) -> Estimate:
    return _NOTHING if sampled is None else estimate(*sampled)


def _apart(value: Sampled, other: Sampled | None) -> Difference:
    return _NO_DIFFERENCE if other is None else difference(value[0], other[0], value[1], other[1])
