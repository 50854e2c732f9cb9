"""``cloven reproduce generalisation``: the experiments of Shao and Ong on set-generalised data again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.generalisation.claims import Figures, claims
from experiments.generalisation.page import charts, page
from experiments.generalisation.runs import SEEDS, SIZES, Arena, sources, timed
from experiments.harness.charts import library
from experiments.harness.runs import Report, files, in_lines, part_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from experiments.generalisation.page import Origin
    from experiments.generalisation.runs import Run

DATA_SETS = 5


def generalisation(folder: Path, report: Report, *, quick: bool = False) -> dict[str, str]:
    """The page, the figures and the charts, as texts by file name."""
    library()  # without charts the run would be for nothing
    runs: list[Run] = []
    origins: list[Origin] = []
    seeds = 2 if quick else SEEDS
    report("read", 0.0)
    for number, source in enumerate(sources(folder, quick=quick)):
        origins.append((source.name, source.format, source.quality, source.domain))
        arena, tell = Arena.open(folder, source), part_of(report, source.name, number, DATA_SETS)
        for seed in range(1, seeds + 1):
            tell(f"sample {seed}", (seed - 1) / seeds)
            runs += arena.runs(seed, quick=quick)
    report("time", 0.99)
    return shown(Figures(runs, timed(SIZES[:3] if quick else SIZES)), origins)


def shown(figures: Figures, origins: Sequence[Origin]) -> dict[str, str]:
    """What was measured as files: page, figures, charts."""
    judged = claims(figures)
    plain = in_lines(
        {
            "claims": judged,
            "runs": figures.runs,
            "times": figures.times,
        }
    )
    return files("generalisation", page(figures, judged, origins), plain, charts(figures))
