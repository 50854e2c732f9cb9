"""``cloven reproduce thesis``: the experiments of the semantic-attack thesis (AlShuhail 2021, chapters 4 and 5) again.

``thesis_data`` draws the samples, ``thesis_runs`` says what is run, ``thesis_trial`` attacks one release,
``thesis_figures`` pairs the results, ``thesis_claims`` judges, ``thesis_charts`` and ``thesis_page`` show.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from experiments.thesis_charts import all_charts, library, svg
from experiments.thesis_claims import claims
from experiments.thesis_data import CORPORA
from experiments.thesis_figures import Figures
from experiments.thesis_helped import HELPED, errors_by_frequency, lost_terms, table_4_1, with_mixtures
from experiments.thesis_page import page
from experiments.thesis_runs import QUICK, Arena, Run, Scale, rounded, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from cloven.data.transactions import Transactions
    from experiments.thesis_helped import ByFrequency
    from experiments.thesis_judging import Claim


@dataclass(frozen=True, eq=False)
class Gathered:
    """Everything that was measured.

    Attributes:
        runs: every attack on every release.
        facts: what the releases look like.
        frequency: errors of counting measures by word frequency.
        table_4_1: Table 4.1 with our measures, and the figures behind it.
        tlost: Fig. 3.2.
    """

    runs: list[Run]
    facts: list[dict[str, Any]]
    frequency: list[ByFrequency]
    table_4_1: tuple[str, list[dict[str, Any]]]
    tlost: list[dict[str, Any]]


def thesis(folder: Path, report: Callable[[str, float], None], *, quick: bool = False) -> dict[str, str]:
    """The page, the figures and the charts, as texts by file name."""
    library()  # without charts the run would be for nothing
    return shown(gathered(folder, report, QUICK if quick else Scale()))


def gathered(
    folder: Path,
    report: Callable[[str, float], None],
    scale: Scale,
    corpora: Sequence[str] = tuple(CORPORA),
) -> Gathered:
    """Run everything."""
    plan = [*settings(scale), HELPED]
    runs: list[Run] = []
    facts: list[dict[str, Any]] = []
    own: list[Transactions] = []
    for number, name in enumerate(corpora):

        def told(step: str, share: float, name: str = name, number: int = number) -> None:
            report(f"{name}: {step}", (number + share) / len(corpora))

        told("read", 0.0)
        arena = Arena.open(folder, name, scale)
        own.append(arena.halves.own_documents)
        arena = replace(arena, measures=with_mixtures(arena.measures))
        for found, fact in arena.runs(plan, told):
            runs += found
            facts.append(fact)
    frequency, table = errors_by_frequency(folder, own), table_4_1(own, arena.glove)
    return Gathered(runs, facts, frequency, table, lost_terms(folder))


def shown(found: Gathered) -> dict[str, str]:
    """What was measured as files: page, figures, charts."""
    figures = Figures(found.runs)
    judged = claims(figures)
    extra: dict[str, Any] = {"facts": found.facts, "frequency": found.frequency, "tlost": found.tlost}
    texts = {
        "thesis.md": page(figures, judged, extra | {"table_4_1": found.table_4_1[0]}),
        "thesis.json": _plain(found, judged),
    }
    return texts | {f"thesis/{name}.svg": svg(chart) for name, chart in all_charts(figures).items()}


def _plain(found: Gathered, judged: Sequence[Claim]) -> str:
    """All figures as JSON, one run in a line."""
    parts: dict[str, Sequence[dict[str, Any]]] = {
        "claims": [claim.to_dict() for claim in judged],
        "runs": [run.to_dict() for run in found.runs],
        "facts": found.facts,
        "frequency": [one.to_dict() for one in found.frequency],
        "table_4_1": found.table_4_1[1],
        "tlost": found.tlost,
    }
    blocks = []
    for name, rows in parts.items():
        lines = ",\n".join(json.dumps(_rounded(row), separators=(",", ":")) for row in rows)
        blocks.append(f'"{name}": [\n{lines}\n]')
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return rounded(value)
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list | tuple) else value
