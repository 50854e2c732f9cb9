"""Laws of the attacks on set-generalised releases, against plain Python and against what must be so."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up import MadeUp
from plain_elimination import PLAIN, in_rounds

import cloven as cv
from cloven.kinds.generalised.attack.elimination import Elimination, RandomElimination, expected_originals
from cloven.kinds.generalised.attack.methods import BY_DISTANCE, eliminated
from cloven.kinds.generalised.guesses import RowAnswer, tables
from cloven.kinds.generalised.methods.assembly import assemble
from cloven.kinds.generalised.score.score import score_eliminations, trial_eliminations
from cloven.kinds.generalised.score.truth import truth
from cloven.kinds.transactions import control_of
from tests.effort import tries

SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def small_tables(draw):
    """Whole distances, few of them so that ties abound, or many; some are not known."""
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(2, 6))
    value = st.integers(0, draw(st.sampled_from([1, 3, 1000])))
    cell = st.one_of(value, value, value, st.none()) if draw(st.booleans()) else value
    return draw(st.lists(st.lists(cell, min_size=columns, max_size=columns), min_size=rows, max_size=rows))


def sequence(order):
    return [tuple(map(int, np.argwhere(order == turn)[0])) for turn in range(order.max(initial=-1) + 1)]


@pytest.mark.parametrize("method", BY_DISTANCE)
@settings(max_examples=tries(120))
@given(table=small_tables(), factor=st.sampled_from([0.0, 0.5, 1.0, 1.5]))
def test_eliminations_are_those_of_the_pseudo_code(method, table, factor):
    distance = np.array([[np.nan if value is None else value for value in row] for row in table], float)
    assert sequence(eliminated(distance, method, factor)) == PLAIN[method](table, Fraction(factor))


@pytest.mark.parametrize("method", ["gba", "rba"])
@pytest.mark.parametrize("shape", [(25, 18), (9, 40)])
@pytest.mark.parametrize("kind", ["even", "two clusters", "rare rows and columns"])
@pytest.mark.parametrize("factor", [0.0, 1.0])
def test_larger_tables_without_ties(method, shape, kind, factor):
    rng = np.random.default_rng([*shape, len(kind)])
    distance = {
        "even": rng.random(shape),
        "two clusters": rng.normal(1, 0.1, shape) + (rng.random(shape) < 0.7),
        "rare rows and columns": rng.gamma(4, 1, (shape[0], 1))
        + rng.gamma(4, 1, shape[1])
        + rng.random(shape),
    }[kind]
    assert sequence(eliminated(distance, method, factor)) == in_rounds(distance, method == "rba", factor)


@pytest.mark.parametrize("method", BY_DISTANCE)
@settings(max_examples=tries(60))
@given(seed=SEEDS, rows=st.integers(1, 12), columns=st.integers(2, 12), rows_at_once=st.integers(2, 12))
def test_no_row_or_column_is_emptied(method, seed, rows, columns, rows_at_once):
    distance = np.random.default_rng(seed).gamma(2, 1, (rows, columns))
    stays = eliminated(distance, method, factor=0.0, rows_at_once=rows_at_once) < 0
    assert stays.any(axis=0).all()
    assert stays.any(axis=1).all()


@pytest.mark.parametrize("method", BY_DISTANCE)
@settings(max_examples=tries(60))
@given(seed=SEEDS)
def test_order_of_rows_and_columns_and_unit_do_not_matter_without_ties(method, seed):
    rng = np.random.default_rng(seed)
    distance = rng.gamma(2, 1, rng.integers(2, 10, 2)) + (rng.random() < 0.5) * rng.integers(0, 2)
    rows, columns = (rng.permutation(n) for n in distance.shape)
    order = eliminated(distance, method)
    assert (eliminated(distance[np.ix_(rows, columns)], method) == order[np.ix_(rows, columns)]).all()
    assert (eliminated(7.3 * distance, method) == order).all()


@settings(max_examples=tries(60))
@given(seed=SEEDS)
def test_an_oracle_finds_every_added_item_and_no_other(seed):
    """Original items at distance 0, added ones anywhere beyond: without a threshold all attacks but MDA find them."""
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(2, 9, 2)
    original = rng.random((rows, columns)) < 0.4
    original[np.arange(rows), rng.integers(0, columns, rows)] = True
    original[rng.integers(0, rows, columns), np.arange(columns)] = True
    distance = np.where(original, 0.0, rng.uniform(0.1, 1, original.shape))
    for method in ("tba", "wba", "gba", "rba"):
        assert ((eliminated(distance, method, factor=0.0) >= 0) == ~original).all()
    if not original.all():
        assert not original[eliminated(distance, "mda") >= 0].any()


def topics(seed, knows=1.0, holes=0.05):
    """Relatedness that knows the topic of an item, its first letter, more or less well; some pairs it does not."""

    def scores(items):
        rng = np.random.default_rng(seed)
        noise = rng.normal(0, 0.15, (len(items),) * 2)
        unknown = rng.random(noise.shape) < holes
        topic = np.array([ord(item[0]) for item in items])
        return np.where(unknown, np.nan, 0.5 * knows * (topic[:, None] == topic) + noise)

    return MadeUp(scores)


def world(seed, records=240, per_topic=30, letters="abcdef", size=4):
    """Records about one topic each; the rarer half of the items is generalised, across topics."""
    rng = np.random.default_rng(seed)
    names = {topic: [f"{topic}{n:02d}" for n in range(per_topic)] for topic in letters}
    chance = 0.8 / np.arange(2, per_topic + 2)
    rows = []
    for _ in range(records):
        about = names[letters[rng.integers(len(letters))]]
        rows.append({about[0]} | {name for name, p in zip(about, chance, strict=True) if rng.random() < p})
    data = cv.Transactions.from_records(rows)
    rare = np.flatnonzero([int(name[1:]) >= per_topic // 2 for name in data.vocabulary])
    block = np.arange(len(data.vocabulary)) + len(data.vocabulary)
    block[rng.permutation(rare)] = np.arange(len(rare)) // size
    return assemble(data, block, k=2, parameters={})


@pytest.mark.parametrize("method", ["tba", "wba", "gba", "rba"])
def test_who_knows_the_topics_beats_chance_and_who_does_not_does_not(method):
    made, rng = world(3), np.random.default_rng(5)
    attack = Elimination(topics(1), method)
    control = control_of(attack, seed=2)
    knowing = trial_eliminations(attack, made.release, made.key, rng=rng, control=control)
    for measure in ("recall", "precision", "f", "auc", "auc_row"):
        assert knowing.get(measure).over_chance_z > 4, measure
    # Recall and F rise with the number of eliminations, which is not the same in attack and control.
    for measure in ("precision", "auc", "auc_row"):
        assert knowing.get(measure).over_control_z > 4, measure
    blind = trial_eliminations(control, made.release, made.key, rng=rng)
    for measure in ("recall", "precision", "f", "auc", "auc_row"):
        assert abs(blind.get(measure).over_chance_z) < 4, measure
        assert blind.get(measure).value == pytest.approx(knowing.get(measure).control)


@settings(max_examples=tries(40))
@given(
    seed=SEEDS,
    method=st.sampled_from(sorted(BY_DISTANCE)),
    other=st.sampled_from(["no-answer", "generalised"]),
)
def test_confidences_are_probabilities_that_add_up(seed, method, other):
    made = world(seed, records=30, per_topic=8, letters="abc")
    found = Elimination(topics(seed, holes=0.3), method, without_context=other).guess(made.release)
    asked = found.tables
    for table in range(len(asked)):
        rows, columns = asked.shape(table)
        sure = found.confidence[asked.cell_offsets[table] : asked.cell_offsets[table + 1]].reshape(
            rows, columns
        )
        assert ((sure >= 0) & (sure <= 1)).all()
        expected = columns - expected_originals(columns, rows, made.release.records)
        assert sure.sum(axis=1) == pytest.approx(np.full(rows, expected), abs=1e-3)
        told = found.answer[asked.row_offsets[table] : asked.row_offsets[table + 1]] == RowAnswer.INFORMED
        assert np.ptp(sure[~told], axis=1) == pytest.approx(0, abs=1e-6)
        order = found.order[asked.cell_offsets[table] : asked.cell_offsets[table + 1]].reshape(rows, columns)
        assert (order[~told] == -1).all()
        assert sorted(order[order >= 0].tolist()) == list(range((order >= 0).sum()))


@settings(max_examples=tries(40))
@given(seed=SEEDS, share=st.sampled_from([None, 0.0, 0.3, 1.0]))
def test_random_elimination_keeps_rows_and_columns(seed, share):
    made = world(seed, records=30, per_topic=8, letters="abc")
    found = RandomElimination(share).guess(made.release, np.random.default_rng(seed))
    again = RandomElimination(share).guess(made.release, np.random.default_rng(seed))
    assert (found.order == again.order).all()
    asked = found.tables
    for table in range(len(asked)):
        rows, columns = asked.shape(table)
        gone = found.eliminated[asked.cell_offsets[table] : asked.cell_offsets[table + 1]].reshape(
            rows, columns
        )
        assert (~gone).any(axis=0).all()
        assert (~gone).any(axis=1).all()
        if share is None:
            assert gone.sum() == (rows > 1)
        if share == 0.0:
            assert not gone.any()


@settings(max_examples=tries(30))
@given(seed=SEEDS)
def test_measures_against_brute_force(seed):
    made = world(seed, records=40, per_topic=8, letters="abc")
    found = Elimination(topics(seed, knows=0.3), "tba").guess(made.release)
    asked, release, key = found.tables, made.release, made.key
    held = [set(key.items[a:b].tolist()) for a, b in zip(key.offsets, key.offsets[1:], strict=False)]
    added, gone, at = set(), set(), 0
    for table in range(len(asked)):
        for row in asked.rows[asked.row_offsets[table] : asked.row_offsets[table + 1]].tolist():
            for item in asked.columns[asked.column_offsets[table] : asked.column_offsets[table + 1]].tolist():
                if item not in held[row]:
                    added.add((row, item))
                if found.eliminated[at]:
                    gone.add((row, item))
                at += 1
    assert truth(asked, release, key).added.sum() == len(added)
    scored = score_eliminations(found, release, key, rng=np.random.default_rng(1), draws=10)
    assert scored.get("recall").value == (pytest.approx(len(added & gone) / len(added)) if added else None)
    assert scored.get("precision").value == (pytest.approx(len(added & gone) / len(gone)) if gone else None)
    shown = [{item for block in row for item in block} for row in release]
    codes = {name: code for code, name in enumerate(release.vocabulary)}
    rebuilt = [
        frozenset(codes[name] for name in names) - {item for at_row, item in gone if at_row == row}
        for row, names in enumerate(shown)
    ]
    torn = [row for row, blocks in enumerate(release) if any(len(block) > 1 for block in blocks)]
    unique = [row for row in torn if held.count(held[row]) == 1]
    whole = [row for row in torn if rebuilt[row] == held[row]]
    assert scored.get("rebuilt").value == (pytest.approx(len(whole) / len(torn)) if torn else None)
    alone = [row for row in unique if row in whole and rebuilt.count(rebuilt[row]) == 1]
    assert scored.get("unique").value == (pytest.approx(len(alone) / len(unique)) if unique else None)
    hidden = [row for row in unique if shown.count(shown[row]) > 1]
    again = [row for row in alone if row in hidden]
    assert scored.get("unique_again").value == (pytest.approx(len(again) / len(hidden)) if hidden else None)


@settings(max_examples=tries(40))
@given(seed=SEEDS)
def test_tables_ask_about_every_item_that_a_generalised_item_shows(seed):
    release = world(seed, records=30, per_topic=8, letters="abc").release
    asked = tables(release)
    expected = {
        (row, name)
        for row, blocks in enumerate(release)
        for block in blocks
        if len(block) > 1
        for name in block
    }
    found = [
        (int(row), release.vocabulary[item])
        for table in range(len(asked))
        for row in asked.rows[asked.row_offsets[table] : asked.row_offsets[table + 1]]
        for item in asked.columns[asked.column_offsets[table] : asked.column_offsets[table + 1]]
    ]
    assert len(found) == asked.cells == len(expected)
    assert set(found) == expected
