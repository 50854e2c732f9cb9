"""Eliminations, release and key in, findings out; chance by formula and by lot."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cloven as cv
from cloven.errors import ParameterError, ReleaseError
from cloven.kinds.generalised.attack.elimination import Elimination, RandomElimination
from cloven.kinds.generalised.guesses import Cells, Eliminations, RowAnswer, guess_marks, tables
from cloven.kinds.generalised.methods.assembly import assemble
from cloven.kinds.generalised.score.score import (
    all_but_one,
    all_but_one_detections,
    detections,
    marking,
    random_detections,
    random_elimination,
    score_eliminations,
    trial_eliminations,
)
from cloven.kinds.generalised.score.truth import truth
from cloven.kinds.generalised.words import MEASURES
from cloven.statistics.findings import Findings
from experiments.generalisation.described import describe_generalised
from tests.effort import tries


def rng(seed=1):
    return np.random.default_rng(seed)


def world(seed=3, records=200, items=80, size=4, k=3):
    """Random records; half of the items are generalised, four together."""
    draw = rng(seed)
    rows = [
        {"sure"} | {f"i{n:02d}" for n in draw.permutation(items)[: draw.integers(1, 6)]}
        for _ in range(records)
    ]
    data = cv.Transactions.from_records(rows)
    chosen = draw.permutation(np.flatnonzero(data.supports < records))[: items // 2]
    block = np.arange(len(data.vocabulary)) + len(data.vocabulary)
    block[chosen] = np.arange(len(chosen)) // size
    return data, assemble(data, block, k=k, parameters={})


def noisy(made, strength, seed):
    """Distances that know the truth with a given strength."""
    asked = tables(made.release)
    added = truth(asked, made.release, made.key).added
    distance = np.abs(3 + strength * added + rng(seed).normal(size=asked.cells))
    parts = [
        distance[asked.cell_offsets[table] : asked.cell_offsets[table + 1]].reshape(asked.shape(table))
        for table in range(len(asked))
    ]
    return Elimination(method="tba").guess(made.release, distances=parts)


@pytest.fixture(scope="module")
def found():
    _, made = world()
    return made, score_eliminations(
        noisy(made, 2, 9), made.release, made.key, rng=rng(), control=noisy(made, 0, 50), draws=300
    )


def test_every_measure_is_there_with_chance_and_control(found):
    _, findings = found
    assert {finding.measure for finding in findings} == set(MEASURES)
    for finding in findings:
        if finding.count == 0:
            assert finding.measure.startswith("unique_again")
            continue
        assert None not in (finding.value, finding.chance, finding.control, finding.over_chance_z), finding
        assert finding.low <= finding.value <= finding.high
        assert finding.over_chance == pytest.approx(finding.value - finding.chance)
        assert finding.lift == (pytest.approx(finding.value / finding.chance) if finding.chance else None)


def test_measures_beside_all_but_one_differ_in_chance_alone(found):
    _, findings = found
    for name in ("recall", "precision", "f", "rebuilt"):
        plain, beside = findings.get(name), findings.get(f"{name}_all_but_one")
        assert (plain.value, plain.control) == (beside.value, beside.control)
        assert plain.chance != beside.chance
    density = findings.notes["counts"]["density"]
    assert findings.get("precision_all_but_one").chance == pytest.approx(1 - density, abs=0.02)


def test_what_knows_beats_chance_and_what_does_not_does_not(found):
    made, findings = found
    for measure in ("recall", "precision", "f", "auc", "auc_row", "rebuilt"):
        assert findings.get(measure).over_chance_low > 0, measure
        assert findings.get(measure).over_control_z > 3, measure
    blind = score_eliminations(noisy(made, 0, 77), made.release, made.key, rng=rng(), draws=300)
    for measure in ("recall", "precision", "f", "auc", "auc_row"):
        assert abs(blind.get(measure).over_chance_z) < 4, measure


def test_findings_survive_json(found):
    _, findings = found
    assert Findings.from_dict(json.loads(json.dumps(findings.to_dict()))) == findings


def test_same_generator_same_findings(found):
    made, _ = found
    first, second = (
        score_eliminations(noisy(made, 1, 5), made.release, made.key, rng=rng(4), draws=50) for _ in range(2)
    )
    assert first == second


def test_chance_by_formula_is_the_mean_of_many_lots(found):
    made, _ = found
    attack = noisy(made, 1, 5)
    answers = truth(attack.tables, made.release, made.key)
    draw = rng(8)
    for expected, runs in (
        (
            random_detections(attack.eliminated, answers),
            [random_elimination(attack.eliminated, answers.cells, draw) for _ in range(300)],
        ),
        (all_but_one_detections(answers), [all_but_one(answers.cells, draw) for _ in range(300)]),
    ):
        values = [detections(run, answers) for run in runs]
        for name in ("recall", "precision", "f"):
            mean = np.mean([each[name, "all"].value for each in values])
            assert mean == pytest.approx(expected[name, "all"].value, abs=0.004), name


def test_lots_have_the_same_budget_and_keep_one(found):
    made, _ = found
    attack = noisy(made, 1, 5)
    cells = Cells.of(attack.tables)
    lots = random_elimination(attack.eliminated, cells, rng())
    assert (cells.by_table(lots) == cells.by_table(attack.eliminated)).all()
    assert (lots != attack.eliminated).any()
    assert (cells.by_line(~all_but_one(cells, rng())) == 1).all()


def test_without_baselines_there_is_no_chance(found):
    made, _ = found
    plain = score_eliminations(
        noisy(made, 1, 5), made.release, made.key, rng=rng(), baselines=False, draws=20
    )
    assert {finding.chance for finding in plain} == {None}
    assert not [finding for finding in plain if finding.measure.endswith("_all_but_one")]


@settings(max_examples=tries(30))
@given(seed=st.integers(0, 10_000))
def test_a_perfect_attack_is_scored_as_one(seed):
    _, made = world(seed, records=30, items=16)
    asked = tables(made.release)
    added = truth(asked, made.release, made.key).added
    perfect = Eliminations(
        asked,
        added,
        added.astype(np.float32),
        np.where(added, 0, -1).astype(np.int32),
        np.full(len(asked.rows), RowAnswer.INFORMED, np.int8),
        {"name": "oracle"},
        {},
    )
    scored = score_eliminations(perfect, made.release, made.key, rng=rng(), draws=10)
    for measure in ("recall", "precision", "f", "auc", "auc_row", "rebuilt", "unique"):
        assert scored.get(measure).value in (1.0, None)
    assert scored.get("unique_again").value in (1.0, None)
    assert scored.get("brier").value == 0.0
    assert scored.calibration["all"].error == 0.0


def test_counts_say_what_could_not_be_answered():
    data = cv.Transactions.from_records([{"a", "x"}, {"b"}, {"a", "y"}, {"b", "x"}])
    made = assemble(data, np.array([0, 0, 1, 2]), k=2, parameters={})
    asked = tables(made.release)
    bare = next(number for number, row in enumerate(made.release) if len(row) == 1)
    answer = np.full(4, RowAnswer.INFORMED, np.int8)
    answer[bare] = RowAnswer.NO_CONTEXT
    nothing = RandomElimination(0.0).guess(made.release, rng())
    found = score_eliminations(replace(nothing, answer=answer), made.release, made.key, rng=rng(), draws=5)
    counts = found.notes["counts"]
    assert (counts["rows"], counts["rows_without_context"], counts["rows_without_score"]) == (4, 1, 0)
    assert (counts["cells"], counts["added"], counts["eliminated"]) == (8, 4, 0)
    assert (counts["base_rate"], counts["density"]) == (0.5, 0.5)
    assert (found.get("recall").value, found.get("precision").value) == (0.0, None)
    assert asked.cells == 8


def test_tables_one_and_two_of_the_paper():
    records = [
        {"heart disease", "blood pressure", "icd", "weakness", "dizziness"},
        {"anesthesia", "icd", "pain", "diabetes", "secret"},
        {"gangrene", "limbs", "injury"},
        {"injury"},
    ]
    data = cv.Transactions.from_records(records)
    together = {"blood pressure", "icd", "limbs", "injury"}
    block = np.array(
        [
            99 if name in together else -1 if name == "secret" else code
            for code, name in enumerate(data.vocabulary)
        ]
    )
    made = assemble(data, block, k=4, parameters={})
    told = describe_generalised(made.release, data)
    assert (told.transactions, told.length, told.items) == (4, pytest.approx(14 / 4), 12)
    assert (told.generalised_items, told.items_in_them, told.mean_size, told.largest_size) == (1, 4, 4.0, 4)
    assert (told.mean_rows, told.cells, told.suppressed_items) == (4.0, 16, 1)
    assert told.density == pytest.approx((2 + 1 + 2 + 1) / 16)
    assert told.base_rate == pytest.approx(10 / 16)
    assert (told.rows_without_context, told.mean_context) == (1, pytest.approx((3 + 3 + 1) / 3))
    json.dumps(asdict(told))


def test_density_is_a_mean_over_generalised_items():
    data, made = world(5)
    told = describe_generalised(made.release, data)
    scored = score_eliminations(noisy(made, 1, 5), made.release, made.key, rng=rng(), draws=5)
    assert told.density == pytest.approx(scored.notes["counts"]["density"])
    assert told.base_rate == pytest.approx(scored.notes["counts"]["base_rate"])
    assert told.cells == scored.notes["counts"]["cells"]


def test_a_release_without_generalised_items_has_nothing_to_score():
    data = cv.Transactions.from_records([{"a"}, {"b"}])
    made = assemble(data, np.arange(2), k=1, parameters={})
    found = score_eliminations(RandomElimination().guess(made.release), made.release, made.key, rng=rng())
    assert {finding.value for finding in found} == {None}
    told = describe_generalised(made.release, data)
    assert (told.generalised_items, told.density, told.base_rate) == (0, None, None)


def unmarked():
    """Two generalised items; c and d are always together of themselves, and e, f are in too few rows for k = 3."""
    rows = [{"a", "c", "d", "x"}, {"b", "c", "d"}, {"a", "y"}, {"b", "e"}]
    data = cv.Transactions.from_records([*rows, {"f"}])
    label = {"a": 0, "b": 0, "e": 1, "f": 1}
    return assemble(
        data, np.array([label.get(name, 2 + n) for n, name in enumerate(data.vocabulary)]), k=3, parameters={}
    )


def test_guessed_marks_are_measured_and_what_they_miss_counts():
    made = unmarked()
    guessed = Elimination(method="tba", marked=False)
    asked = tables(guess_marks(made.release))
    found = guessed.guess(
        made.release, distances=[np.ones(asked.shape(table)) for table in range(len(asked))]
    )
    scored = score_eliminations(found, made.release, made.key, rng=rng(), draws=10)
    told = scored.notes["marking"]
    assert (told["guessed"], told["generalised_items"], told["found"]) == (1, 2, 0.5)
    assert (told["item_recall"], told["item_precision"]) == (0.5, 1.0)
    assert (told["pair_recall"], told["pair_precision"]) == (0.5, 1.0)
    # a, b in four rows: one added in each; e, f in two rows that nobody asked about.
    assert scored.notes["counts"]["added"] == 6
    assert scored.get("recall").count == 6
    right = replace(found, eliminated=truth(found.tables, made.release, made.key).added)
    scored = score_eliminations(right, made.release, made.key, rng=rng(), draws=10)
    assert (scored.get("recall").value, scored.get("precision").value) == (pytest.approx(4 / 6), 1.0)
    # Of five records with a generalised item, two still have an added item that nobody asked about.
    assert scored.get("rebuilt").value == pytest.approx(3 / 5)


def test_marks_that_join_too_much_are_not_precise():
    made = unmarked()
    told = marking(tables(guess_marks(made.release, least_rows=2)), made.release)
    assert (told["guessed"], told["found"], told["item_recall"]) == (3, 1.0, 1.0)
    assert (told["item_precision"], told["pair_precision"]) == (pytest.approx(4 / 6), pytest.approx(2 / 3))
    assert marking(tables(made.release), made.release)["found"] == 1.0


def test_trial_attacks_and_scores(found):
    made, _ = found
    steps = []
    scored = trial_eliminations(
        RandomElimination(0.3), made.release, made.key, rng=rng(), progress=lambda *step: steps.append(step)
    )
    assert scored.attack == {"name": "random-elimination", "share": 0.3}
    assert abs(scored.get("precision").over_chance_z) < 4
    assert scored.get("auc").value == pytest.approx(0.5)
    assert steps[-1] == ("measure", 1.0)


def test_strangers_are_refused(found):
    made, _ = found
    _, other = world(4)
    attack = noisy(made, 1, 2)
    with pytest.raises(ParameterError, match=r"key must be of type GeneralisedKey \(got SetGeneralised\)"):
        score_eliminations(attack, made.release, made.release, rng=rng())
    with pytest.raises(ReleaseError, match="published set-generalised release alone"):
        score_eliminations(attack, made.key, made.key, rng=rng())
    with pytest.raises(ParameterError, match=r"eliminations must be of type Eliminations \(got Tables\)"):
        score_eliminations(attack.tables, made.release, made.key, rng=rng())
    with pytest.raises(ReleaseError, match="the key does not fit the release"):
        score_eliminations(attack, made.release, other.key, rng=rng())
    with pytest.raises(ReleaseError, match="the control answers other tables than the attack"):
        score_eliminations(attack, made.release, made.key, control=noisy(other, 1, 2), rng=rng())
    with pytest.raises(ReleaseError, match="these eliminations are about another release"):
        score_eliminations(noisy(other, 1, 2), made.release, made.key, rng=rng())


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (
            {"confidence": np.zeros(1, np.float32)},
            "eliminations need an answer, a confidence and an order for each of",
        ),
        ({"answer": np.zeros(1, np.int8)}, r"an answer for each of [\d,]+ rows"),
        ({"confidence": 1.5}, r"confidence must lie in 0..1 \(got 1.5 to 1.5\)"),
        ({"confidence": np.nan}, r"confidence must lie in 0..1 \(got nan to nan\)"),
    ],
)
def test_unusable_eliminations_are_refused(found, change, match):
    made, _ = found
    attack = noisy(made, 1, 2)
    full = {
        name: np.full(attack.tables.cells, value, np.float32) if np.isscalar(value) else value
        for name, value in change.items()
    }
    with pytest.raises(ParameterError, match=match):
        score_eliminations(replace(attack, **full), made.release, made.key, rng=rng())


def test_keys_with_records_of_other_rows_are_refused(found):
    made, _ = found
    key = made.key
    attack = noisy(made, 1, 2)
    faults = {
        "it has 199 records": replace(key, records=key.records[:-1], offsets=key.offsets[:-1]),
        "names an item that the release does not have": replace(key, items=key.items + 1000),
        "items of other generalised items": replace(key, items=key.items[::-1].copy()),
    }
    for message, wrong in faults.items():
        with pytest.raises(ReleaseError, match=message):
            score_eliminations(attack, made.release, wrong, rng=rng())
