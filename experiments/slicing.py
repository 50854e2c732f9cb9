"""``cloven reproduce slicing``: the experiments of BinJubier et al. on slicing and the upper/lower-level method again.

``slicing_data`` draws pairs of tables, ``slicing_methods`` names the methods, ``slicing_runs`` says what is run,
``slicing_trial`` attacks and measures, ``slicing_claims`` judges, ``slicing_charts`` and ``slicing_page`` show.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from experiments.slicing_charts import all_charts
from experiments.slicing_claims import claims
from experiments.slicing_data import OVERLAPS, sources
from experiments.slicing_figures import About, Figures
from experiments.slicing_page import page
from experiments.slicing_runs import SEEDS, Arena
from experiments.thesis_charts import library, svg
from experiments.thesis_runs import rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from experiments.slicing_runs import Run, Selected
    from experiments.thesis_judging import Claim

DATA_SETS = 3


def slicing(folder: Path, report: Callable[[str, float], None], *, quick: bool = False) -> dict[str, str]:
    """The page, the figures and the charts, as texts by file name."""
    library()  # without charts the run would be for nothing
    seeds = tuple(range(1, (2 if quick else SEEDS) + 1))
    overlaps = OVERLAPS[-1:] if quick else OVERLAPS
    runs: list[Run] = []
    selected: list[Selected] = []
    about: list[About] = []
    report("read", 0.0)
    for number, source in enumerate(sources(folder, quick=quick)):
        arena = Arena(source, overlaps, seeds)
        about.append(arena.about)
        for place, seed in enumerate(seeds):
            report(f"{source.name}: sample {seed}", (number + place / len(seeds)) / DATA_SETS)
            runs += arena.runs(about[-1].l, seed)
            selected += arena.selected(seed)
    return shown(Figures(runs, selected, about))


def shown(figures: Figures) -> dict[str, str]:
    """What was measured as files: page, figures, charts."""
    judged = claims(figures)
    texts = {"slicing.md": page(figures, judged), "slicing.json": _plain(figures, judged)}
    return texts | {f"slicing/{name}.svg": svg(chart) for name, chart in all_charts(figures).items()}


def _plain(figures: Figures, judged: Sequence[Claim]) -> str:
    """All figures as JSON, one run in a line."""
    parts: dict[str, list[Any]] = {
        "claims": [claim.to_dict() for claim in judged],
        "data": [one.to_dict() for one in figures.about],
        "runs": [run.to_dict() for run in figures.runs],
        "selected": [one.to_dict() for one in figures.selected],
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
