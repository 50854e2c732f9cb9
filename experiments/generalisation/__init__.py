"""``cloven reproduce generalisation``: the experiments of Shao and Ong on set-generalised data again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.generalisation.claims import CLAIMS
from experiments.generalisation.figures import Figures, tables
from experiments.generalisation.page import page, picture
from experiments.generalisation.runs import SEEDS, SIZES, Arena, sources, timed
from experiments.harness.claims import measured
from experiments.harness.page import Experiment
from experiments.harness.runs import Report, part_of

if TYPE_CHECKING:
    from pathlib import Path

    from experiments.generalisation.runs import Run
    from experiments.harness.figures import Tables

DATA_SETS = 5


def run(folder: Path, report: Report, *, quick: bool = False) -> Tables:
    """Everything that is tried, on every sample of every data set."""
    runs: list[Run] = []
    seeds = 2 if quick else SEEDS
    report("read", 0.0)
    for number, source in enumerate(sources(folder, quick=quick)):
        arena, tell = Arena.open(folder, source), part_of(report, source.name, number, DATA_SETS)
        for seed in range(1, seeds + 1):
            tell(f"sample {seed}", (seed - 1) / seeds)
            runs += arena.runs(seed, quick=quick)
    report("time", 0.99)
    return kept_of(Figures(runs, timed(SIZES[:3] if quick else SIZES)))


def kept_of(figures: Figures) -> Tables:
    """What is kept of all runs."""
    return tables(figures) | {"claims": measured(CLAIMS, figures)}


EXPERIMENT = Experiment("generalisation", run, page, picture)
