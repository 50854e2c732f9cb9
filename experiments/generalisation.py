"""``cloven reproduce generalisation``: the experiments of Shao and Ong on set-generalised data again, with baselines.

``generalisation_data`` draws the samples, ``generalisation_runs`` says what is run, ``generalisation_trial`` attacks
one release, ``generalisation_claims`` judges, ``generalisation_charts`` and ``generalisation_page`` show.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from experiments.generalisation_charts import all_charts
from experiments.generalisation_claims import claims
from experiments.generalisation_data import sources
from experiments.generalisation_figures import Figures
from experiments.generalisation_page import page
from experiments.generalisation_runs import SEEDS, SIZES, Arena, timed
from experiments.thesis_charts import library, svg
from experiments.thesis_runs import rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from experiments.generalisation_page import Origin
    from experiments.generalisation_runs import Run
    from experiments.thesis_judging import Claim

DATA_SETS = 5


def generalisation(
    folder: Path, report: Callable[[str, float], None], *, quick: bool = False
) -> dict[str, str]:
    """The page, the figures and the charts, as texts by file name."""
    library()  # without charts the run would be for nothing
    runs: list[Run] = []
    origins: list[Origin] = []
    seeds = 2 if quick else SEEDS
    report("read", 0.0)
    for number, source in enumerate(sources(folder, quick=quick)):
        origins.append((source.name, source.format, source.quality, source.domain))
        arena = Arena.open(folder, source)
        for seed in range(1, seeds + 1):
            report(f"{source.name}: sample {seed}", (number + (seed - 1) / seeds) / DATA_SETS)
            runs += arena.runs(seed, quick=quick)
    report("time", 0.99)
    return shown(Figures(runs, timed(SIZES[:3] if quick else SIZES)), origins)


def shown(figures: Figures, origins: Sequence[Origin]) -> dict[str, str]:
    """What was measured as files: page, figures, charts."""
    judged = claims(figures)
    texts = {
        "generalisation.md": page(figures, judged, origins),
        "generalisation.json": _plain(figures, judged),
    }
    return texts | {f"generalisation/{name}.svg": svg(chart) for name, chart in all_charts(figures).items()}


def _plain(figures: Figures, judged: Sequence[Claim]) -> str:
    """All figures as JSON, one run in a line."""
    parts: dict[str, list[Any]] = {
        "claims": [claim.to_dict() for claim in judged],
        "runs": [run.to_dict() for run in figures.runs],
        "times": list(figures.times),
    }
    blocks = []
    for name, rows in parts.items():
        lines = ",\n".join(json.dumps(_rounded(row), separators=(",", ":")) for row in rows)
        blocks.append(f'"{name}": [\n{lines}\n]')
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return rounded(value)
    return {name: _rounded(one) for name, one in value.items()} if isinstance(value, dict) else value
