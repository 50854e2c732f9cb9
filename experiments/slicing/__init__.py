"""``cloven reproduce slicing``: slicing and the upper/lower-level method as BinJubier et al. tried them, run again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.harness.charts import library
from experiments.harness.runs import Report, files, in_lines, part_of
from experiments.slicing.charts import charts
from experiments.slicing.claims import claims
from experiments.slicing.data import OVERLAPS, sources
from experiments.slicing.page import page
from experiments.slicing.runs import SEEDS, About, Arena, Figures

if TYPE_CHECKING:
    from pathlib import Path

    from experiments.slicing.runs import Run, Selected

DATA_SETS = 3


def slicing(folder: Path, report: Report, *, quick: bool = False) -> dict[str, str]:
    """The page, the figures and the charts, as texts by file name."""
    library()  # without charts the run would be for nothing
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
    return shown(Figures(runs, selected, about))


def shown(figures: Figures) -> dict[str, str]:
    """What was measured as files: page, figures, charts."""
    judged = claims(figures)
    plain = in_lines(
        {
            "claims": judged,
            "data": figures.about,
            "runs": figures.runs,
            "selected": figures.selected,
        }
    )
    return files("slicing", page(figures, judged), plain, charts(figures))
