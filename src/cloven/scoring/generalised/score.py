"""Score an attack on a set-generalised release: eliminations meet the key.

Every value stands beside chance (random elimination with the same budget in each table) and control (the same attack
with shuffled relatedness), with intervals. The measures that end in ``_all_but_one`` have another chance: keep one
random item of each generalised item. Those that end in ``_by_frequency`` stand beside whoever names the commonest items
of each generalised item: lots flatter every attack that prefers common ones. An attack that does not beat them all has
not used what words mean. The control may eliminate more or fewer cells than the attack, and recall and F rise with
their number: compare it by precision and AUC.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.attack.generalised.tables import published_only
from cloven.errors import ParameterError, ReleaseError
from cloven.model.added import Eliminations, RowAnswer, Tables
from cloven.model.key_generalised import GeneralisedKey
from cloven.scoring.findings import Findings
from cloven.scoring.generalised.baselines import all_but_one, random_elimination
from cloven.scoring.generalised.detection import (
    all_but_one_detections,
    beside_all_but_one,
    detections,
    random_detections,
)
from cloven.scoring.generalised.marking import marking
from cloven.scoring.generalised.ranking import (
    beside_frequency,
    calibrated,
    chance_rankings,
    frequency_rankings,
    rankings,
)
from cloven.scoring.generalised.rebuilt import Records
from cloven.scoring.generalised.truth import Truth, truth
from cloven.scoring.summary import summarised
from cloven.scoring.tally import Tallies, Tally

if TYPE_CHECKING:
    from cloven.model.set_generalised import SetGeneralised
    from cloven.scoring.findings import Finding


def score_eliminations(
    eliminations: Eliminations,
    release: SetGeneralised,
    key: GeneralisedKey,
    *,
    rng: np.random.Generator,
    control: Eliminations | None = None,
    baselines: bool = True,
    chance_runs: int = 5,
    draws: int = 1000,
) -> Findings:
    """Measure eliminations against the key.

    Args:
        eliminations: what the attack answered.
        release: what it attacked.
        key: the owner's key to that release.
        rng: random numbers for the bootstrap and for baselines that have no formula.
        control: the same attack with shuffled relatedness.
        baselines: whether to say what no knowledge gets.
        chance_runs: runs of the baselines for measures of whole records.
        draws: bootstrap samples.

    Raises:
        ReleaseError: eliminations, release and key do not belong together.
        ParameterError: something is of the wrong type, or answers are missing.

    >>> import cloven as cv
    >>> made = cv.Coat(k=5, m=1).anonymise(cv.sample("clinic"))
    >>> found = cv.Elimination(cv.Vectors.sample()).guess(made.release)
    >>> hit = score_eliminations(found, made.release, made.key, rng=np.random.default_rng(1)).get("hit")
    >>> hit.value > hit.chance
    True
    """
    _check(eliminations, release, key)
    answers = truth(eliminations.tables, release, key)
    if control is not None:
        _check(control, release, key)
        _check_same(eliminations.tables, control.tables)
    records = Records.of(answers, release, key)
    findings = (
        *_of_tables(eliminations, control, answers, rng, draws, baselines=baselines),
        *_of_records(eliminations, control, records, rng, draws, chance_runs if baselines else 0),
    )
    return Findings(
        findings=findings,
        counts=(),
        calibration={"all": calibrated(eliminations.confidence, answers)},
        attack=eliminations.attack,
        notes={
            "draws": draws,
            "chance_runs": chance_runs if baselines else 0,
            "bootstrap_units": len(eliminations.tables),
            "counts": _counts(eliminations, answers, records),
            **(
                {}
                if eliminations.attack.get("marked", True)
                else {"marking": marking(eliminations.tables, release)}
            ),
        },
    )


def _of_tables(
    eliminations: Eliminations,
    control: Eliminations | None,
    answers: Truth,
    rng: np.random.Generator,
    draws: int,
    *,
    baselines: bool,
) -> tuple[Finding, ...]:
    """Measures whose units are tables."""
    values, by_chance = _measured(eliminations, answers), Tallies()
    by_control = {} if control is None else _measured(control, answers)
    if baselines:
        by_chance = random_detections(eliminations.eliminated, answers) | chance_rankings(answers)
        beside, by_keeping = beside_all_but_one(values, all_but_one_detections(answers))
        ranked, by_frequency = beside_frequency(values, frequency_rankings(answers))
        by_control |= (
            beside_all_but_one(by_control, by_control)[0] | beside_frequency(by_control, by_control)[0]
        )
        values, by_chance = values | beside | ranked, by_chance | by_keeping | by_frequency
    return summarised(values, by_chance, by_control, rng, draws)


def _of_records(
    eliminations: Eliminations,
    control: Eliminations | None,
    records: Records,
    rng: np.random.Generator,
    draws: int,
    runs: int,
) -> tuple[Finding, ...]:
    """Measures whose units are records."""
    values, by_chance = records.measured(eliminations.eliminated), Tallies()
    by_control = {} if control is None else records.measured(control.eliminated)
    if runs:
        cells, given = records.truth.cells, eliminations.eliminated
        by_chance = _mean([records.measured(random_elimination(given, cells, rng)) for _ in range(runs)])
        keeping = _mean([records.measured(all_but_one(cells, rng)) for _ in range(runs)])
        beside, by_keeping = beside_all_but_one(values, keeping)
        by_control |= beside_all_but_one(by_control, by_control)[0]
        values, by_chance = values | beside, by_chance | by_keeping
    return summarised(values, by_chance, by_control, rng, draws)


def _measured(eliminations: Eliminations, answers: Truth) -> Tallies:
    return detections(eliminations.eliminated, answers) | rankings(eliminations.confidence, answers)


def _mean(runs: list[Tallies]) -> Tallies:
    return {name: Tally.mean([run[name] for run in runs]) for name in runs[0]}


def _counts(eliminations: Eliminations, answers: Truth, records: Records) -> dict[str, Any]:
    """How much there was to answer, and how much of it no attack could answer."""
    cells, answer = answers.cells, eliminations.answer
    shares = 1 - cells.by_table(answers.added) / np.maximum(1, np.diff(cells.tables.cell_offsets))
    return {
        "generalised_items": len(cells.tables),
        "rows": len(answer),
        "rows_without_context": int((answer == RowAnswer.NO_CONTEXT).sum()),
        "rows_without_score": int((answer == RowAnswer.NO_SCORE).sum()),
        "cells": cells.tables.cells,
        "added": int(answers.added.sum()) + answers.missed,
        "eliminated": int(eliminations.eliminated.sum()),
        "base_rate": float(answers.added.mean()) if cells.tables.cells else None,
        "density": float(shares.mean()) if len(shares) else None,
        "records_with_generalised_items": int(records.torn.sum()),
        "records_unique_in_the_original": int(records.unique.sum()),
        "records_no_longer_unique": int(records.hidden.sum()),
    }


def _check(eliminations: object, release: object, key: object) -> None:
    published_only(release)
    for name, value, kind in (("eliminations", eliminations, Eliminations), ("key", key, GeneralisedKey)):
        if not isinstance(value, kind):
            message = f"{name} must be of type {kind.__name__} (got {type(value).__name__})"
            raise ParameterError(message)
    if isinstance(eliminations, Eliminations):
        _check_answers(eliminations)


def _check_answers(eliminations: Eliminations) -> None:
    tables, sure = eliminations.tables, eliminations.confidence
    lengths = {len(eliminations.eliminated), len(sure), len(eliminations.order)}
    if lengths != {tables.cells} or len(eliminations.answer) != len(tables.rows):
        message = (
            f"eliminations need an answer, a confidence and an order for each of {tables.cells:,} cells and an answer"
            f" for each of {len(tables.rows):,} rows; make them with an attack"
        )
        raise ParameterError(message)
    if len(sure) and not (sure.min() >= 0 and sure.max() <= 1):
        message = f"confidence must lie in 0..1 (got {sure.min()} to {sure.max()})"
        raise ParameterError(message)


def _check_same(tables: Tables, others: Tables) -> None:
    if not all(np.array_equal(getattr(tables, name), getattr(others, name)) for name in Tables.ARRAYS):
        message = "the control answers other tables than the attack; attack the same release"
        raise ReleaseError(message)
