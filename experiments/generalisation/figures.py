"""Figures of the experiments on set-based generalisation: all runs by place, and the tables that are kept of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from experiments.generalisation.runs import MEASURES, RANKED, ROOT_DEPTHS, K, from_root
from experiments.harness.figures import Estimate, Series, by_place, estimate, mean_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from experiments.generalisation.runs import Run
    from experiments.harness.figures import Row, Table, Tables

SIDES = ("chance", "control", "one")
"""What stands beside a value: random elimination, shuffled words, all but one random item."""


@dataclass(frozen=True, eq=False)
class Figures:
    """All runs, found by sweep, place, data set and attack, and the times of Figure 16."""

    runs: Sequence[Run]
    times: Sequence[Mapping[str, Any]] = ()

    @cached_property
    def _found(self) -> Mapping[tuple[Any, ...], Series]:
        return by_place(
            ((run.sweep, run.x, run.attack, measure, beside), (run.data, run.seed), value)
            for run in self.runs
            for measure, sides in run.found.items()
            for beside, value in sides.items()
        )

    @cached_property
    def data(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(dict.fromkeys(run.data for run in self.runs))

    @cached_property
    def samples(self) -> int:
        """Samples drawn of each data set."""
        return len({run.seed for run in self.runs})

    @cached_property
    def attacked(self) -> tuple[tuple[str, str, float, str], ...]:
        """Data set, sweep, place and attack of all runs."""
        return tuple(dict.fromkeys((run.data, run.sweep, run.x, run.attack) for run in self.runs))

    @cached_property
    def released(self) -> tuple[tuple[str, str, float], ...]:
        """Data set, sweep and place of all releases."""
        return tuple(dict.fromkeys(place[:3] for place in self.attacked))

    def attacks(self, sweep: str) -> tuple[str, ...]:
        """What was tried in a sweep."""
        return tuple(dict.fromkeys(run.attack for run in self.runs if run.sweep == sweep))

    def places(self, sweep: str, data: str | None = None) -> list[float]:
        """Places of a sweep at which something was run."""
        return sorted({run.x for run in self.runs if run.sweep == sweep and data in (None, run.data)})

    def at(
        self,
        sweep: str,
        x: float,
        attack: str,
        measure: str,
        beside: str = "value",
        data: str | None = None,
    ) -> Series:
        """One figure: a number for each data set and sample, of one data set or of all."""
        found = self._found.get((sweep, x, attack, measure, beside), Series())
        return Series({pair: value for pair, value in found.items() if data in (None, pair[0])})

    def mean(self, attack: str, measure: str, beside: str = "value", data: str | None = None) -> float:
        """Mean of one figure at the k that is looked at most."""
        return self.at("k", K, attack, measure, beside, data).estimate.mean

    def beside(
        self, attack: str, measure: str, other: str, k: float = K, data: str | None = None
    ) -> Estimate:
        """An attack minus what stands beside it: ``chance``, ``control`` or ``one``."""
        mine, theirs = (self.at("k", k, attack, measure, name, data) for name in ("value", other))
        return (mine - theirs).estimate

    def described(self, sweep: str, x: float, data: str, field: str) -> Estimate:
        """Mean of a figure of ``GeneralisedDescription`` (or ``k``) over the releases of one place."""
        values = {
            run.seed: run.k if field == "k" else getattr(run.description, field)
            for run in self.runs
            if (run.sweep, run.x, run.data) == (sweep, x, data)
        }
        return estimate(float(value) for value in values.values() if value is not None)


def tables(figures: Figures) -> Tables:
    """What is kept: attacks and releases by place, what attacks have above others, and times."""
    return {
        "attacks": [attack_row(figures, *place) for place in figures.attacked],
        "releases": [release_row(figures, *place) for place in figures.released],
        "gaps": gaps(figures),
        "times": [dict(row) for row in figures.times],
    }


def attack_row(figures: Figures, data: str, sweep: str, x: float, attack: str) -> Row:
    """Measures of one attack at one place: the value with its interval, and what stands beside it."""
    row: Row = {"data": data, "sweep": sweep, "x": x, "attack": attack}
    for measure in MEASURES:
        found = figures.at(sweep, x, attack, measure, data=data).estimate
        row |= {measure: found.mean, f"{measure}_low": found.low, f"{measure}_high": found.high}
        for side in SIDES[:2] if measure in RANKED else SIDES:
            row[f"{measure}_{side}"] = figures.at(sweep, x, attack, measure, side, data).estimate.mean
    return row


def release_row(figures: Figures, data: str, sweep: str, x: float) -> Row:
    """What the releases at one place are like: means over the samples, and the unique records of all samples."""
    runs = {run.seed: run for run in figures.runs if (run.data, run.sweep, run.x) == (data, sweep, x)}
    attack = "rba" if "rba" in figures.attacks(sweep) else figures.attacks(sweep)[0]
    row: Row = {"data": data, "sweep": sweep, "x": x, "samples": len(runs)}
    for field in ("k", *asdict(next(iter(runs.values())).description)):
        row[field] = figures.described(sweep, x, data, field).mean
    hidden, back, were = (
        figures.at(sweep, x, attack, name, data=data) for name in ("hidden", "unique_again", "were_unique")
    )
    again = sum(share * hidden[pair] for pair, share in back.items())
    return row | {"unique": sum(were.values()), "hidden": sum(hidden.values()), "unique_again": again}


def gaps(figures: Figures) -> Table:
    """Differences that are taken sample by sample."""
    rows: Table = []

    def keep(gap: str, data: str, k: float, found: Estimate) -> None:
        row: Row = {"gap": gap, "data": data, "k": k}
        rows.append(row | {"mean": found.mean, "low": found.low, "high": found.high})

    for data in figures.data:
        for k in figures.places("k", data):
            for name, (attack, measure, side) in GAPS.items():
                keep(name, data, k, figures.beside(attack, measure, side, k, data))
        for k in figures.places("consistent", data):
            for measure in ("f", "auc"):
                keep(f"{measure}, root at 0 minus 1", data, k, rooted(figures, measure, data, k))
    return rows


GAPS = {
    "precision, rba minus random": ("rba", "precision", "chance"),
    "auc, rba minus shuffled": ("rba", "auc", "control"),
    "f, rba minus one": ("rba", "f", "one"),
    "f, nearest minus one": ("nearest", "f", "one"),
}


def rooted(figures: Figures, measure: str, data: str, k: float) -> Estimate:
    """What the root of WordNet at depth 0 changes where only similar items are merged; a mean over TBA and RBA."""
    one, zero = (
        mean_of(
            [
                figures.at(from_root("consistent", depth), k, attack, measure, data=data)
                for attack in ("tba", "rba")
            ]
        )
        for depth in ROOT_DEPTHS
    )
    return (zero - one).estimate
