"""``cloven reproduce thesis``: the semantic-attack thesis (AlShuhail 2021, chapters 4 and 5), run again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from experiments.harness.charts import library
from experiments.harness.data import CORPORA
from experiments.harness.runs import Plain, Report, files, in_lines, part_of
from experiments.thesis.claims import Figures, claims
from experiments.thesis.page import charts, page
from experiments.thesis.runs import (
    HELPED,
    QUICK,
    Arena,
    Run,
    Scale,
    errors_by_frequency,
    lost_terms,
    settings,
    table_4_1,
    with_mixtures,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cloven.data.transactions import Transactions
    from experiments.thesis.runs import ByFrequency


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
    facts: list[Plain]
    frequency: list[ByFrequency]
    table_4_1: tuple[str, list[Plain]]
    tlost: list[Plain]


def thesis(folder: Path, report: Report, *, quick: bool = False) -> dict[str, str]:
    """The page, the figures and the charts, as texts by file name."""
    library()  # without charts the run would be for nothing
    return shown(gathered(folder, report, QUICK if quick else Scale()))


def gathered(folder: Path, report: Report, scale: Scale, corpora: Sequence[str] = tuple(CORPORA)) -> Gathered:
    """Run everything."""
    plan = [*settings(scale), HELPED]
    runs: list[Run] = []
    facts: list[Plain] = []
    own: list[Transactions] = []
    for number, name in enumerate(corpora):
        told = part_of(report, name, number, len(corpora))
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
    extra = {"facts": found.facts, "frequency": found.frequency, "tlost": found.tlost}
    plain = in_lines(
        {
            "claims": judged,
            "runs": [run.to_dict() for run in found.runs],
            "facts": found.facts,
            "frequency": found.frequency,
            "table_4_1": found.table_4_1[1],
            "tlost": found.tlost,
        }
    )
    text = page(figures, judged, extra | {"table_4_1": found.table_4_1[0]})
    return files("thesis", text, plain, charts(figures))
