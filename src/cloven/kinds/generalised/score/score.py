"""Score an attack on a set-generalised release: eliminations meet the key.

Every value stands beside chance (random elimination with the same budget in each table) and control (the same attack
with shuffled relatedness), with intervals. The measures that end in ``_all_but_one`` have another chance: keep one
random item of each generalised item. Those that end in ``_by_frequency`` stand beside whoever names the commonest items
of each generalised item: lots flatter every attack that prefers common ones. An attack that does not beat them all has
not used what words mean. The control may eliminate more or fewer cells than the attack, and recall and F rise with
their number: compare it by precision and AUC.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import positions
from cloven.errors import ParameterError, ReleaseError
from cloven.kinds.generalised.guesses import Cells, Eliminations, RowAnswer, Tables, published_only, tables
from cloven.kinds.generalised.key import GeneralisedKey
from cloven.kinds.generalised.score.truth import Truth, truth
from cloven.kinds.generalised.words import BESIDE, BY_FREQUENCY, DETECTED, RANKED, RECORDS
from cloven.statistics.findings import (
    BINS,
    Calibration,
    Findings,
    calibration,
    rank_targets,
    sort_into_bins,
)
from cloven.statistics.tally import Tallies, Tally, summarised

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.kinds.generalised.attack.elimination import Elimination, RandomElimination
    from cloven.kinds.generalised.attack.frequency import FrequencyElimination
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.statistics.findings import Finding


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
    >>> found = cv.attacks.Elimination(cv.relatedness.Vectors.sample()).guess(made.release)
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
        kept, by_keeping = beside(values, all_but_one_detections(answers), BESIDE, DETECTED)
        ranked, by_frequency = beside(values, frequency_rankings(answers), BY_FREQUENCY, RANKED)
        by_control |= (
            beside(by_control, by_control, BESIDE, DETECTED)[0]
            | beside(by_control, by_control, BY_FREQUENCY, RANKED)[0]
        )
        values, by_chance = values | kept | ranked, by_chance | by_keeping | by_frequency
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
        kept, by_keeping = beside(values, keeping, BESIDE, RECORDS)
        by_control |= beside(by_control, by_control, BESIDE, RECORDS)[0]
        values, by_chance = values | kept, by_chance | by_keeping
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
    pairs = ((getattr(tables, each.name), getattr(others, each.name)) for each in fields(Tables))
    if not all(np.array_equal(*pair) for pair in pairs):
        message = "the control answers other tables than the attack; attack the same release"
        raise ReleaseError(message)


# Eliminations without any knowledge, drawn: for measures that have no formula.


def random_elimination(eliminated: Flags, cells: Cells, rng: np.random.Generator) -> Flags:
    """As many cells of each table, drawn at random."""
    offsets = cells.tables.cell_offsets
    budget = np.repeat(cells.by_table(eliminated), np.diff(offsets))
    return _rank(np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), offsets, rng) < budget


def all_but_one(cells: Cells, rng: np.random.Generator) -> Flags:
    """All but one random cell of each row of each table."""
    return _rank(cells.line, cells.line_offsets, rng) > 0


def _rank(group: Longs, offsets: Longs, rng: np.random.Generator) -> Longs:
    """Random places 0, 1, ... for the members of each group."""
    order = np.lexsort((rng.random(len(group)), group))
    rank = np.empty(len(group), np.int64)
    rank[order] = np.arange(len(group)) - offsets[:-1][group[order]]
    return rank


# Are the eliminated items the added ones? Recall, precision and F, and what they are without any knowledge.
#
# Counts are pooled over all tables; the same figures for each generalised item are also averaged. Units of the
# intervals are the generalised items: answers about one of them go together, since they compete for the same distances.
#
# - *Random elimination* of as many cells of each table finds, on average, as many added ones as their share in the
#   table says; that is exact, also for attacks that keep one cell in each row and column.
# - *All but one*: keep one random item of each generalised item of a record, and eliminate the others. On sparse data
# hardly anything that is eliminated is original, so F alone says little.


def detections(eliminated: Flags, truth: Truth) -> Tallies:
    """Recall, precision and F of some eliminations."""
    cells = truth.cells
    correct, given = cells.by_table(eliminated & truth.added), cells.by_table(eliminated)
    return _ratios(correct, given, truth)


def random_detections(eliminated: Flags, truth: Truth) -> Tallies:
    """The same for as many cells of each table, drawn at random: expectations."""
    cells = truth.cells
    given, added = cells.by_table(eliminated), cells.by_table(truth.added)
    return _ratios(given * added / np.maximum(1, np.diff(cells.tables.cell_offsets)), given, truth)


def all_but_one_detections(truth: Truth) -> Tallies:
    """The same for all but one random item of each row of each table: expectations."""
    cells = truth.cells
    width = np.diff(cells.line_offsets).astype(float)
    added = cells.by_line(truth.added)
    tables = len(cells.tables)
    correct, given = (
        np.bincount(cells.line_table, each, tables).astype(np.float64)
        for each in (added * (1 - 1 / np.maximum(1, width)), width - 1)
    )
    return _ratios(correct, given, truth)


def beside(
    values: Tallies, baseline: Tallies, ending: str, measures: Container[str]
) -> tuple[Tallies, Tallies]:
    """Some measures again, under names of their own, beside another baseline than lots."""
    names = [name for name in values if name[0] in measures]
    return (
        {(measure + ending, scope): values[measure, scope] for measure, scope in names},
        {(measure + ending, scope): baseline[measure, scope] for measure, scope in names},
    )


def _ratios(correct: Floats, given: Floats, truth: Truth) -> Tallies:
    """Pooled ratios, and means over tables; what no table asks about is one unit more."""
    tables = len(truth.cells.tables)
    correct, given, added = (
        np.pad(each, (0, truth.units - tables))
        for each in (correct, given, truth.cells.by_table(truth.added))
    )
    added[tables:] = truth.missed
    ratios = {
        "recall": (correct, added),
        "precision": (correct, given),
        "f": (correct, (given + added) / 2),
    }
    tallies: Tallies = {}
    for name, (top, bottom) in ratios.items():
        there = (bottom > 0) & (np.arange(truth.units) < tables)
        each = np.divide(top, bottom, out=np.zeros(truth.units), where=there)
        tallies[name, "all"] = Tally(top, bottom)
        tallies[f"{name}_per_item", "all"] = Tally(each, there.astype(float))
    return tallies


# Does confidence tell added items from original ones? Link AUC and Brier score; neither depends on what was chosen.
#
# Rows that an attack knows nothing about stay in, with the base rate as confidence: not knowing a word is a weakness of
# the attack.


def rankings(confidence: NDArray[np.float32], truth: Truth) -> Tallies:
    """AUC inside tables and inside rows, and Brier score."""
    cells = truth.cells
    inside = _ranked(cells.tables.cell_offsets, confidence, truth.added)
    rows = _ranked(cells.line_offsets, confidence, truth.added)
    tables = np.arange(len(cells.tables))
    many = np.diff(cells.tables.cell_offsets).astype(float)
    return {
        ("auc", "all"): Tally.of(tables, inside[:, 2], inside[:, 1], truth.units),
        ("auc_row", "all"): Tally.of(cells.line_table, rows[:, 2], rows[:, 1], truth.units),
        ("brier", "all"): Tally.of(tables, inside[:, 5], many, truth.units),
        ("hit", "all"): _hits(confidence, truth),
    }


def _hits(confidence: NDArray[np.float32], truth: Truth) -> Tally:
    """Original items among as many best guesses in each row: the items that the attack takes least for added."""
    cells = truth.cells
    found = _ranked(cells.line_offsets, 1 - confidence, ~truth.added)
    return Tally.of(cells.line_table, found[:, 3], found[:, 0], truth.units)


def chance_rankings(truth: Truth) -> Tallies:
    """The same for equal confidence everywhere, the true share of added items of each table: exact expectations."""
    cells = truth.cells
    share = cells.by_table(truth.added) / np.maximum(1, np.diff(cells.tables.cell_offsets))
    known = np.repeat(share, np.diff(cells.tables.cell_offsets)).astype(np.float32)
    return rankings(known, truth)


def frequency_rankings(truth: Truth) -> Tallies:
    """The same for whoever knows how common each item of a table is in its rows, and nothing of any row.

    The best that frequencies alone can do: what an attack reaches beyond it, it has from what else a row shows. With
    lots as chance, every attack that prefers common items would seem to have learned something of people.
    """
    cells = truth.cells
    table = cells.line_table[cells.line]
    _, column = np.unique(table * (int(cells.item.max(initial=-1)) + 1) + cells.item, return_inverse=True)
    added = np.bincount(column, truth.added) / np.maximum(1, np.bincount(column))
    return rankings(added[column].astype(np.float32), truth)


def calibrated(confidence: NDArray[np.float32], truth: Truth) -> Calibration:
    """Confidence against truth, over all cells."""
    offsets = truth.cells.tables.cell_offsets
    kind, asked = np.zeros(len(offsets) - 1, np.int64), np.ones(len(offsets) - 1, bool)
    bins = sort_into_bins(offsets, kind, confidence, truth.added, asked, BINS)
    return calibration(*bins[0].T)


def _ranked(offsets: Longs, confidence: NDArray[np.float32], added: Flags) -> Floats:
    every = np.ones(len(offsets) - 1, bool)
    return rank_targets(offsets, confidence.astype(np.float64), confidence, added, every)


# Records after the eliminations: which are the original again, and which single out a person again?
#
# A rebuilt record is its published row without the eliminated items. Original is what was published of the record:
# suppressed items are lost to every attack. Units of the intervals are the records with a generalised item.


if TYPE_CHECKING:
    Marks = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Records:
    """Originals and published rows, each set of items as two numbers of 64 bits that no other set shares in practice.

    Attributes:
        truth: which items were added.
        item: numbers of each item; those of a set are their sums.
        published: numbers of each published row with all its items.
        torn: rows that show a generalised item.
        unique: of these, rows whose original is unique.
        hidden: of these, rows that as published equal others.
    """

    truth: Truth
    item: Marks
    published: Marks
    torn: Flags
    unique: Flags
    hidden: Flags

    @classmethod
    def of(cls, truth: Truth, release: SetGeneralised, key: GeneralisedKey) -> Records:
        """Read release and key; the numbers of the items are fixed, so that the same records are the same anywhere."""
        bits = np.random.default_rng(0).integers(0, 2**64, (len(release.vocabulary), 2), np.uint64)
        lengths = release.block_sizes[release.row_blocks]
        items = release.block_items[positions(release.block_offsets[release.row_blocks], lengths)]
        row = np.repeat(release.row_of_entry, lengths)
        published = _sums(row, bits[items], release.records)
        holder = np.repeat(np.arange(release.records), np.diff(key.offsets))
        original = _sums(holder, bits[key.items], release.records)
        torn = np.zeros(release.records, bool)
        torn[row[np.repeat(lengths > 1, lengths)]] = True
        unique = torn & _unique(original)
        return cls(truth, bits, published, torn, unique, unique & ~_unique(published))

    def measured(self, eliminated: Flags) -> Tallies:
        """Rebuilt records, and those that single out a person."""
        truth, records = self.truth, len(self.torn)
        wrong = np.bincount(truth.cells.row[eliminated != truth.added], minlength=records)
        whole = (wrong == 0) & (truth.unasked == 0)
        taken = _sums(truth.cells.row[eliminated], self.item[truth.cells.item[eliminated]], records)
        alone = whole & _unique(self.published - taken)
        return {
            (name, "all"): Tally((found & among)[self.torn].astype(float), among[self.torn].astype(float))
            for name, found, among in (
                ("rebuilt", whole, self.torn),
                ("unique", alone, self.unique),
                ("unique_again", alone, self.hidden),
            )
        }


def _sums(row: Longs, numbers: Marks, rows: int) -> Marks:
    """Sum the numbers of each row, modulo 2^64."""
    total = np.zeros((rows, 2), np.uint64)
    np.add.at(total, row, numbers)
    return total


def _unique(marks: Marks) -> Flags:
    """Rows that no other row equals."""
    _, same, many = np.unique(marks, axis=0, return_inverse=True, return_counts=True)
    return np.equal(many[same.reshape(-1)], 1)


# How well were the generalised items guessed where a release does not mark them?


def marking(guessed: Tables, release: SetGeneralised) -> dict[str, Any]:
    """Guessed generalised items against the true ones, as plain JSON values.

    ``found``: share of the generalised items that were guessed exactly. ``item_recall`` and ``item_precision``: of the
    items that are generalised, and of those taken for it. ``pair_recall`` and ``pair_precision``: the same for pairs of
    items of one generalised item. None where there is nothing to divide by.
    """
    true = tables(release)
    ours, theirs = _label(guessed, len(release.vocabulary)), _label(true, len(release.vocabulary))
    both = (ours >= 0) & (theirs >= 0)
    meeting = np.unique(np.stack((ours[both], theirs[both])), axis=1, return_counts=True)
    shared = _pairs(meeting[1])
    guessed_pairs, true_pairs = (_pairs(np.diff(each.column_offsets)) for each in (guessed, true))
    sizes = np.diff(guessed.column_offsets)[meeting[0][0]], np.diff(true.column_offsets)[meeting[0][1]]
    exact = int(np.sum((meeting[1] == sizes[0]) & (meeting[1] == sizes[1])))
    return {
        "guessed": len(guessed),
        "generalised_items": len(true),
        "found": _share(exact, len(true)),
        "item_recall": _share(int(both.sum()), int((theirs >= 0).sum())),
        "item_precision": _share(int(both.sum()), int((ours >= 0).sum())),
        "pair_recall": _share(shared, true_pairs),
        "pair_precision": _share(shared, guessed_pairs),
    }


def _label(found: Tables, items: int) -> Longs:
    """Table of each item, -1 for those in none."""
    label = np.full(items, -1, np.int64)
    label[found.columns] = np.repeat(np.arange(len(found)), np.diff(found.column_offsets))
    return label


def _pairs(sizes: Longs) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


# One attack on a set-generalised release tried out: its eliminations and the control, scored against the key.


def trial_eliminations(
    attack: Elimination | RandomElimination | FrequencyElimination,
    release: SetGeneralised,
    key: GeneralisedKey,
    *,
    rng: np.random.Generator,
    control: Elimination | RandomElimination | None = None,
    baselines: bool = True,
    draws: int = 1000,
    progress: Callable[[str, float], None] | None = None,
) -> Findings:
    """Attack a release, and measure what came of it.

    ``attack`` and ``control`` see the release alone; ``kinds.transactions.control_of`` makes the control.

    >>> import cloven as cv, numpy as np
    >>> made = cv.Coat(k=5, m=1).anonymise(cv.sample("clinic"))
    >>> found = trial_eliminations(cv.attacks.RandomElimination(), made.release, made.key, rng=np.random.default_rng(1))
    >>> found.get("auc").value
    0.5
    """
    report = progress or (lambda _step, _share: None)
    eliminations = attack.guess(release, rng, progress)
    shuffled = None if control is None else control.guess(release, rng, progress)
    report("measure", 0.0)
    found = score_eliminations(
        eliminations, release, key, rng=rng, control=shuffled, baselines=baselines, draws=draws
    )
    report("measure", 1.0)
    return found
