"""``cloven reproduce thesis``: the semantic-attack thesis (AlShuhail 2021, chapters 4 and 5), run again."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from experiments.harness.claims import measured
from experiments.harness.data import CORPORA
from experiments.harness.page import Experiment
from experiments.harness.runs import Plain, Report, part_of
from experiments.thesis.claims import CLAIMS, Figures
from experiments.thesis.page import page, picture
from experiments.thesis.runs import (
    HELPED,
    MEASURES,
    QUICK,
    SCOPES,
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
    from experiments.harness.figures import Row, Table, Tables


@dataclass(frozen=True, eq=False)
class Gathered:
    """Every attack on every release, what the releases look like, and the tables beside them."""

    runs: list[Run]
    facts: list[Plain]
    tables: Tables


def run(folder: Path, report: Report, *, quick: bool = False) -> Tables:
    """All figures."""
    return kept(gathered(folder, report, QUICK if quick else Scale()))


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
    frequency: Table = [asdict(one) for one in errors_by_frequency(folder, own)]
    tables: Tables = {
        "frequency": frequency,
        "table_4_1": table_4_1(own, arena.glove),
        "tlost": lost_terms(folder),
    }
    return Gathered(runs, facts, tables)


def kept(found: Gathered) -> Tables:
    """What was measured as tables: means over corpora and draws."""
    figures = Figures(found.runs)
    return {
        "claims": measured(CLAIMS, figures),
        "attacks": attacks(figures),
        "releases": releases(found.facts),
        "corpora": corpora(figures),
        **found.tables,
    }


def attacks(figures: Figures) -> Table:
    """Every measure of every attack at every place, beside guessing and the same attack with shuffled words."""
    tried = dict.fromkeys((run.sweep, run.x, run.tried.label) for run in figures.runs)
    rows: Table = []
    for (sweep, x, attack), measure, scope in (
        (one, measure, scope)
        for one in tried
        for measure in (*MEASURES, "auc_shown", "movers")
        for scope in SCOPES
    ):
        value, guessing, shuffled = (
            figures.at(sweep, x, attack, measure, scope, side).estimate
            for side in ("value", "chance", "control")
        )
        if value.pairs:
            place: Row = {"sweep": sweep, "x": x, "attack": attack, "measure": measure, "scope": scope}
            mean: Row = {"mean": value.mean, "low": value.low, "high": value.high}
            rows.append(place | mean | {"guessing": guessing.mean, "shuffled": shuffled.mean})
    return rows


FACTS = (
    "type_token_ratio", "clusters", "mean_cluster", "disassociated", "in_term_chunks", "without_anchor",
)  # fmt: skip


def releases(facts: Sequence[Plain]) -> Table:
    """What the releases of each place look like: means, and the shares of words that a measure does not know."""
    rows: Table = []
    for sweep, x in dict.fromkeys((one["sweep"], one["x"]) for one in facts):
        here = [one for one in facts if (one["sweep"], one["x"]) == (sweep, x)]
        means: Row = {name: float(np.mean([one[name] for one in here])) for name in FACTS}
        unknown: Row = {
            f"unknown_{name.lower()}": float(np.mean([one["unknown"][name] for one in here]))
            for name in ("WE", "NGD")
        }
        rows.append({"sweep": sweep, "x": x} | means | unknown)
    return rows


def corpora(figures: Figures) -> Table:
    """Link AUC among rows with an anchor by corpus."""
    rows: Table = []
    for corpus in dict.fromkeys(run.corpus for run in figures.runs):
        for name in ("WE", "NGD", "SVD"):
            found = figures.at("helped", 0, f"aba/aba {name}", "auc_shown")
            values = [value for (where, _), value in found.items() if where == corpus]
            rows.append({"corpus": corpus, "knowledge": name, "auc_shown": float(np.mean(values))})
    return rows


EXPERIMENT = Experiment("thesis", run, page, picture)
