"""The semantic attack on the worked example of the thesis: Tables 4.4 to 4.11.

Where a printed cell contradicts its own formula the test follows the formula and lists the cell.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from thesis_example import ANCHORS, SCORES, Printed, release

from cloven.kinds.disassociated.attack.questions import questions
from cloven.kinds.disassociated.attack.semantic import Semantic
from cloven.kinds.disassociated.attack.vertical import VerticalPartitioning
from cloven.kinds.disassociated.release import Kind

TARGETS = ["tumor+biopsy", "vessel", "catheterisation", "radiotherapy"]
# By formula; one row for each anchoring sub-record.
EXACT = {
    "aba": [[0.3200, 0.1700, 0.3267, 0.2967], [0.4200, 0.1500, 0.3100, 0.4400],
            [0.3967, 0.1533, 0.2700, 0.3067], [0.3583, 0.1467, 0.2733, 0.3567]],
    "rga": [[0.3625, 0.1750, 0.3650, 0.4050], [0.4775, 0.1700, 0.3650, 0.4950],
            [0.4775, 0.1750, 0.3050, 0.4200], [0.4200, 0.1650, 0.3100, 0.4950]],
    "mra": [[0.420, 0.18, 0.37, 0.48], [0.535, 0.18, 0.37, 0.51],
            [0.535, 0.18, 0.36, 0.51], [0.535, 0.17, 0.37, 0.51]],
}  # fmt: skip
# Tables 4.5, 4.7 and 4.9 as printed.
PRINTED = {
    "aba": [[0.316, 0.170, 0.326, 0.296], [0.416, 0.150, 0.310, 0.440],
            [0.393, 0.153, 0.270, 0.306], [0.353, 0.146, 0.273, 0.356]],
    "rga": [[0.360, 0.175, 0.365, 0.405], [0.475, 0.170, 0.365, 0.495],
            [0.475, 0.175, 0.305, 0.420], [0.415, 0.165, 0.310, 0.490]],
    "mra": [[0.42, 0.18, 0.37, 0.48], [0.53, 0.18, 0.37, 0.51],
            [0.53, 0.18, 0.36, 0.51], [0.53, 0.17, 0.37, 0.51]],
}  # fmt: skip
# (row, target) of the cells that the formula does not give: the sub-record's, whose averages were cut to two digits
# first, and one of radiotherapy, which hides a tie between rows 2 and 4.
WRONG_IN_PRINT = {
    "aba": {(1, "tumor+biopsy"), (2, "tumor+biopsy"), (3, "tumor+biopsy"), (4, "tumor+biopsy")},
    "rga": {
        (1, "tumor+biopsy"),
        (2, "tumor+biopsy"),
        (3, "tumor+biopsy"),
        (4, "tumor+biopsy"),
        (4, "radiotherapy"),
    },
    "mra": {(2, "tumor+biopsy"), (3, "tumor+biopsy"), (4, "tumor+biopsy")},
}


def named(guesses):
    """Scores and chosen rows (1 to 4) by the name of the target."""
    asked, published = guesses.questions, release()
    for target in range(len(asked)):
        item = asked.target_item[target]
        name = "tumor+biopsy" if item < 0 else published.vocabulary[item]
        here = slice(asked.offsets[target], asked.offsets[target + 1])
        yield name, guesses.score[here], (asked.slots[here][guesses.chosen[here]] + 1).tolist()


def attack(method, k=2, **options):
    return Semantic(Printed(), record_method=method, term_method=method, **options).guess(release(k))


def test_questions_of_table_4_3():
    asked = questions(release())
    assert asked.target_kind.tolist() == [Kind.RECORD, Kind.TERM, Kind.TERM, Kind.TERM]
    assert asked.target_copies.tolist() == [2, 0, 0, 0]
    assert asked.slot_anchor.tolist() == [0, 1, 2, 3]
    assert np.diff(asked.offsets).tolist() == [4, 4, 4, 4]


@pytest.mark.parametrize("method", EXACT)
def test_scores_follow_the_formula(method):
    scores = {name: score for name, score, _ in named(attack(method))}
    found = np.array([scores[name] for name in TARGETS]).T
    assert np.abs(found - EXACT[method]).max() < 5.1e-5
    disagree = {
        (row + 1, TARGETS[column])
        for row in range(4)
        for column in range(4)
        # Print cuts at the third digit (the second in Table 4.9) instead of rounding.
        if not 0 <= found[row, column] - PRINTED[method][row][column] + 1e-9 < 0.001
    }
    assert disagree == WRONG_IN_PRINT[method]


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize("selection", ["best", "one-per-row"])
def test_tables_4_6_4_8_and_4_10(method, selection):
    rows = {name: rows for name, _, rows in named(attack(method, selection=selection))}
    assert rows == {"tumor+biopsy": [2, 3], "vessel": [1], "catheterisation": [1], "radiotherapy": [2]}


def test_ties_go_to_the_first_row():
    scores = {name: score for name, score, _ in named(attack("mra"))}
    assert scores["vessel"][0] == scores["vessel"][1] == scores["vessel"][2] > scores["vessel"][3]
    assert scores["catheterisation"][0] == scores["catheterisation"][1] == scores["catheterisation"][3]
    assert scores["radiotherapy"][1] == scores["radiotherapy"][2] == scores["radiotherapy"][3]
    scores = {name: score for name, score, _ in named(attack("rga"))}
    assert scores["radiotherapy"][1] == scores["radiotherapy"][3]


@pytest.mark.parametrize("k", [2, 3, 4, 5, 9])
def test_term_chunk_items_go_to_k_minus_1_rows(k):
    for name, _, rows in named(attack("aba", k=k)):
        assert len(rows) == (2 if name == "tumor+biopsy" else min(k - 1, 4))


def test_optimal_spreads_the_term_chunk():
    rows = {name: rows for name, _, rows in named(attack("aba", selection="optimal"))}
    assert rows["tumor+biopsy"] == [2, 3]
    # Three items for four rows: each takes a row of its own, and the total is the largest possible.
    assert {name: rows[name] for name in TARGETS[1:]} == {
        "vessel": [3], "catheterisation": [1], "radiotherapy": [2]
    }  # fmt: skip


def test_grown_anchors_use_what_was_placed():
    plain = {name: score for name, score, _ in named(attack("aba"))}
    grown = {name: score for name, score, _ in named(attack("aba", grow_anchors=True))}
    assert (grown["tumor+biopsy"] == plain["tumor+biopsy"]).all()
    # Table 4.4 has no scores between tumor, biopsy and the term chunk, so nothing changes there either.
    assert (grown["vessel"] == plain["vessel"]).all()


def test_grown_anchors_change_the_scores_of_what_follows(monkeypatch):
    """Rows 2 and 3 get tumor and biopsy first; what tumor has to do with radiotherapy then counts there too."""
    monkeypatch.setitem(SCORES, "tumor", {"radiotherapy": 0.9})
    scores = {name: score for name, score, _ in named(attack("aba", grow_anchors=True))}
    assert scores["radiotherapy"] == pytest.approx([0.89 / 3, 2.22 / 4, 1.82 / 4, 1.07 / 3], abs=1e-6)
    plain = {name: score for name, score, _ in named(attack("aba"))}
    assert plain["radiotherapy"] == pytest.approx([0.89 / 3, 1.32 / 3, 0.92 / 3, 1.07 / 3], abs=1e-6)


def test_vertical_partitioning_tells_nothing_here():
    """All six placements pass, so the printed result, Table 4.11, is just the first one."""
    guesses = VerticalPartitioning().guess(release(), np.random.default_rng(1))
    assert guesses.notes["all pass"] == 1
    name, score, rows = next(named(guesses))
    assert (name, rows) == ("tumor+biopsy", [1, 2])
    assert len(set(score.tolist())) == 1
    assert ANCHORS[0] == ("blood", "lung", "treatment")
