"""The attacks on set-generalised releases as a whole: parameters, answers, confidence, bad input."""

from __future__ import annotations

import json

import numpy as np
import pytest

import cloven as cv
from cloven.errors import ParameterError
from cloven.kinds.generalised.attack.elimination import (
    Elimination,
    RandomElimination,
    confidence,
    elimination_named,
    expected_originals,
)
from cloven.kinds.generalised.attack.methods import BY_DISTANCE, eliminated
from cloven.kinds.generalised.guesses import RowAnswer, tables
from cloven.kinds.generalised.methods.assembly import assemble
from cloven.kinds.transactions import control_of


@pytest.fixture(scope="module")
def made():
    data = cv.sample("clinic")
    rng = np.random.default_rng(1)
    rare = rng.permutation(np.flatnonzero(data.supports < 8))
    block = np.arange(len(data.vocabulary)) + len(data.vocabulary)
    block[rare] = np.arange(len(rare)) // 5
    return assemble(data, block, k=5, parameters={})


@pytest.mark.parametrize("method", BY_DISTANCE)
def test_every_method_answers_every_cell(made, method):
    steps = []
    found = Elimination(cv.relatedness.Vectors.sample(), method).guess(
        made.release, progress=lambda step, share: steps.append((step, share))
    )
    assert len(found.eliminated) == len(found.confidence) == len(found.order) == found.tables.cells
    assert (found.eliminated == (found.order >= 0)).all()
    assert found.eliminated.any()
    assert steps[-1] == ("attack", 1.0)
    assert [share for _, share in steps] == sorted(share for _, share in steps)
    assert json.loads(json.dumps(found.attack)) == found.attack
    assert found.attack["method"] == method
    assert found.notes["coverage"]["items"] == len(made.release.vocabulary)


def test_an_unmarked_release_is_attacked_without_its_marks(made):
    marked = Elimination(cv.relatedness.Vectors.sample()).guess(made.release)
    guessed = Elimination(cv.relatedness.Vectors.sample(), marked=False).guess(made.release)
    assert guessed.attack["marked"] is False
    assert len(guessed.tables) > 0
    flat = cv.Transactions.from_records([{item for block in row for item in block} for row in made.release])
    plain = assemble(flat, np.arange(len(flat.vocabulary)), k=5, parameters={})
    assert len(tables(plain.release)) == 0
    again = Elimination(cv.relatedness.Vectors.sample(), marked=False).guess(plain.release)
    # The same questions, whether or not the release had marks; its rows stand in another order.
    assert guessed.tables.cells == again.tables.cells
    assert guessed.eliminated.sum() == again.eliminated.sum()
    assert marked.tables.cells != 0


def test_long_tables_are_dealt_out_to_parts():
    rng = np.random.default_rng(1)
    distance = rng.gamma(2, 1, (30, 6))
    for method in ("wba", "gba", "rba"):
        order = eliminated(distance, method, rows_at_once=10)
        assert sorted(order[order >= 0].tolist()) == list(range((order >= 0).sum()))
        for part in range(3):
            here = eliminated(distance[part::3], method)
            assert ((order[part::3] >= 0) == (here >= 0)).all()
    for method in ("mda", "tba"):
        assert (eliminated(distance, method, rows_at_once=10) == eliminated(distance, method)).all()


def test_endless_distances_are_a_tenth_beyond_the_largest():
    endless = np.array([[0.5, np.inf], [0.2, 0.4]])
    capped = np.array([[0.5, 0.55], [0.2, 0.4]])
    for method in BY_DISTANCE:
        assert (eliminated(endless, method) == eliminated(capped, method)).all()


@pytest.mark.parametrize(
    ("items", "rows", "records", "expected"),
    [(4, 8, 1000, 1.003), (4, 2, 1000, 2.0), (5, 5, 100_000, 1.0), (2, 1000, 1000, 1.956), (3, 1, 10, 3.0)],
)
def test_expected_originals_follow_from_what_the_release_tells(items, rows, records, expected):
    assert expected_originals(items, rows, records) == pytest.approx(expected, abs=0.0006)


def test_expected_originals_are_right_for_independent_items():
    rng = np.random.default_rng(1)
    held = rng.random((200_000, 4)) < 0.2
    shown = held[held.any(axis=1)]
    assert expected_originals(4, len(shown), len(held)) == pytest.approx(shown.sum(axis=1).mean(), abs=0.01)


def test_confidence_follows_distance_and_elimination():
    distance = np.array([[0.2, 0.5, 0.9], [0.3, 0.5, 0.8], [0.1, 0.6, np.nan]])
    stays = np.full((3, 3), -1, np.int32)
    plain = confidence(distance, stays, 1.0, 1.0, comparable=False)
    assert (np.diff(plain[:2], axis=1) > 0).all()
    assert confidence(distance, stays, 1.0, 0.0, comparable=False) == pytest.approx(np.full((3, 3), 2 / 3))
    gone = stays.copy()
    gone[0, 0] = 0
    assert confidence(distance, gone, 1.0, 1.0, comparable=False)[0, 0] > plain[0, 0]


def test_comparable_distances_forget_how_rare_a_row_or_column_is():
    core = np.array([[0.0, 1.0], [1.0, 0.0]])
    stays = np.full((2, 2), -1, np.int32)
    moved = core + np.array([[5.0], [0.0]]) + np.array([[0.0, 3.0]])
    expected = confidence(core, stays, 1.0, 1.0, comparable=True)
    assert confidence(moved, stays, 1.0, 1.0, comparable=True) == pytest.approx(expected)
    assert confidence(moved, stays, 1.0, 1.0, comparable=False) != pytest.approx(expected)


def test_random_elimination_has_the_base_rate_as_confidence(made):
    found = RandomElimination().guess(made.release, np.random.default_rng(1))
    asked = found.tables
    for table in range(len(asked)):
        rows, columns = asked.shape(table)
        sure = found.confidence[asked.cell_offsets[table] : asked.cell_offsets[table + 1]]
        share = 1 - expected_originals(columns, rows, made.release.records) / columns
        assert sure == pytest.approx(np.full(len(sure), share), abs=1e-6)
    assert (found.answer == RowAnswer.INFORMED).all()


def test_attacks_by_name():
    assert elimination_named("random", share=0.2).parameters == {"name": "random-elimination", "share": 0.2}
    attack = elimination_named("gba", cv.relatedness.Vectors.sample(), threshold=1.2)
    assert (attack.parameters["method"], attack.parameters["threshold"]) == ("gba", 1.2)
    with pytest.raises(
        ParameterError, match="no method 'xba'; choose one of random, mda, tba, wba, gba, rba"
    ):
        elimination_named("xba")
    with pytest.raises(ParameterError, match="'rba' needs to know how related words are"):
        elimination_named("rba")


def test_the_control_shuffles_the_relatedness():
    attack = Elimination(cv.relatedness.Vectors.sample(), "gba")
    control = control_of(attack)
    assert (control.relatedness.name, control.method) == ("shuffled-vectors", "gba")
    assert control_of(Elimination()) is None
    assert control_of(RandomElimination()) is None


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"method": "nba"}, "method must be one of mda, tba, wba, gba, rba .got 'nba'."),
        ({"context": "sum"}, "context must be one of mean, conjunction"),
        ({"without_context": "skip"}, "without_context must be one of no-answer, generalised"),
        ({"most_context": 0}, "most_context must be at least 1 .got 0."),
        ({"rows_at_once": 1}, "rows_at_once must be at least 2"),
        ({"threshold": -1}, "threshold must lie between 0 and 20"),
        ({"sharpness": 21}, "sharpness must lie between 0 and 20"),
    ],
)
def test_bad_parameters_are_refused(options, match):
    with pytest.raises(ParameterError, match=match):
        Elimination(**options)


def test_a_share_must_be_one():
    with pytest.raises(ParameterError, match=r"share must lie between 0 and 1 \(got 1.5\)"):
        RandomElimination(1.5)


def test_bad_distances_are_refused(made):
    shapes = [tables(made.release).shape(table) for table in range(len(tables(made.release)))]
    right = [np.ones(shape) for shape in shapes]
    attack = Elimination(method="tba")
    with pytest.raises(ParameterError, match=f"distances for {len(shapes)} tables .got {len(shapes) - 1}."):
        attack.guess(made.release, distances=right[:-1])
    with pytest.raises(ParameterError, match=r"distances for table 0 with \d+ rows and \d+ columns"):
        attack.guess(made.release, distances=[np.ones((1, 1)), *right[1:]])
    with pytest.raises(ParameterError, match=r"not negative \(got 2 dimensions, -1 as the smallest\)"):
        attack.guess(made.release, distances=[-right[0], *right[1:]])
    with pytest.raises(ParameterError, match="needs to know how related words are; give a relatedness"):
        attack.guess(made.release)
    with pytest.raises(ParameterError, match="method must be one of"):
        eliminated(right[0], "xba")
    unknown = [np.full(shape, np.nan) for shape in shapes]
    found = attack.guess(made.release, distances=unknown)
    assert (found.answer == RowAnswer.NO_SCORE).all()
    assert not found.eliminated.any()
