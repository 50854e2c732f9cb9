"""``cloven reproduce slicing``: slicing and the upper/lower-level method as BinJubier et al. tried them, run again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.harness.claims import measured
from experiments.harness.page import Experiment
from experiments.harness.runs import Report, part_of
from experiments.slicing.claims import CLAIMS
from experiments.slicing.data import OVERLAPS, sources
from experiments.slicing.figures import Figures, tables
from experiments.slicing.page import page, picture
from experiments.slicing.runs import SEEDS, About, Arena

if TYPE_CHECKING:
    from pathlib import Path

    from experiments.harness.figures import Tables
    from experiments.slicing.runs import Run, Selected

DATA_SETS = 3


def run(folder: Path, report: Report, *, quick: bool = False) -> Tables:
    """Every method on every pair of tables."""
    seeds = tuple(range(1, (2 if quick else SEEDS) + 1))
    overlaps = OVERLAPS[-1:] if quick else OVERLAPS
    runs: list[Run] = []
    selected: list[Selected] = []
    about: list[About] = []
    report("read", 0.0)
    for number, source in enumerate(sources(folder, quick=quick)):
        arena, tell = Arena(source, overlaps, seeds), part_of(report, source.name, number, DATA_SETS)
        about.append(arena.about)
        for place, seed in enumerate(seeds):
            tell(f"sample {seed}", place / len(seeds))
            runs += arena.runs(about[-1].l, seed)
            selected += arena.selected(seed)
    return kept_of(Figures(runs, selected, about))


def kept_of(figures: Figures) -> Tables:
    """What is kept of all runs."""
    return tables(figures) | {"claims": measured(CLAIMS, figures)}


EXPERIMENT = Experiment("slicing", run, page, picture)
