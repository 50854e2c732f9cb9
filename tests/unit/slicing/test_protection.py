"""The upper/lower-level method: levels, exchanges, generalised cells, and what it says when something is wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cloven.data.table import ValueTree
from cloven.errors import ParameterError
from cloven.kinds.tables.methods.columns import binned
from cloven.kinds.tables.methods.lots import lots_of
from cloven.kinds.tables.methods.swaps import compile_rules, rank_groups, wider, with_trees
from cloven.kinds.tables.methods.ul import MEASURES, UL, CellCounts, Look, generalise_cells, levels


@pytest.fixture
def table(make_table):
    rng = np.random.default_rng(3)
    rows = 300
    town = rng.choice(list("wxyz"), rows, p=[0.02, 0.06, 0.32, 0.6])
    columns = {
        "age": [str(age) for age in rng.integers(20, 60, rows)],
        "town": town.tolist(),
        "sex": rng.choice(list("fm"), rows).tolist(),
        "ill": [str(number % 6) for number in range(rows)],
    }
    groups = {"town": {"wx": "wx", "yz": "yz"}}
    return make_table(columns, sensitive=("ill",), numbers=("age",), groups=groups)


COLUMNS = (("age",), ("sex", "town"), ("ill",))


def test_levels_are_shares_in_the_class(make_table):
    table = make_table({"c": "A" * 20 + "B" * 4, "v": "x" + "y" * 19 + "xxyy"})
    found = levels(binned(table, 10), Look(1, 0), MEASURES["share"])
    assert found.measured.tolist() == [1 / 20, 19 / 20, 0.5, 0.5]
    assert found.lower(0.05).tolist() == [True, False, False, False]
    assert found.upper(0.05).tolist() == [False, True, False, False]
    assert np.flatnonzero(found.rows(0.05)).tolist() == list(range(20))
    assert not found.rows(0.04).any()


def test_a_class_with_one_value_is_never_selected(make_table):
    table = make_table({"c": "AAAB", "v": "xxxy"})
    assert not levels(binned(table, 10), Look(1, 0), MEASURES["share"]).rows(0.5).any()


def test_measures_by_hand():
    counts = CellCounts(np.array([2]), np.array([4]), np.array([8]), 16)
    found = {name: float(measure(counts)[0]) for name, measure in MEASURES.items()}
    assert found == pytest.approx(
        {
            "share": 0.5, "share-of-all": 0.125, "largest-share": 0.5, "smallest-share": 0.25, "jaccard": 0.2,
            "cosine": 2 / 32**0.5, "phi": 0.0,
        }
    )  # fmt: skip
    everybody = CellCounts(np.array([4]), np.array([4]), np.array([4]), 4)
    assert MEASURES["phi"](everybody).tolist() == [0.0]


def test_selected_cells_before_choosing(table):
    found = UL(k=3, l=3, columns=COLUMNS, protected=("town",)).selected_cells(table, (0.03, 0.1))
    assert [(row.rate, row.attribute, row.within) for row in found] == [
        (0.03, "town", "sex"),
        (0.1, "town", "sex"),
    ]
    coarse = levels(table.codes, Look(1, 2), MEASURES["share"])
    rows = np.bincount(coarse.cell_of_row)
    for row in found:
        low = coarse.measured <= row.rate
        assert (row.lower_cells, row.lower_rows) == (low.sum(), rows[low].sum())
        assert (row.upper_cells, row.upper_rows) == (0, 0)
    with pytest.raises(ParameterError, match=r"a rate must be a number above 0 and at most 0.5 .* got 0.6"):
        UL(k=3, l=3).selected_cells(table, (0.6,))


def test_by_default_loose_columns_are_protected(table):
    loose = UL(k=3, l=3, columns=COLUMNS, swap_rate=0.1).selected_cells(table, (0.1,))
    assert {row.attribute: row.within for row in loose} == {"age": None}
    everything = UL(k=3, l=3, columns=(("age", "sex", "town"), ("ill",))).selected_cells(table, (0.1,))
    assert len(everything) == 2  # all but the attribute in the middle
    assert len({row.within for row in everything}) == 1


def test_where_nothing_of_loose_columns_is_rare_all_free_attributes_are_protected(table):
    rate = 0.001
    found = UL(k=3, l=3, columns=COLUMNS, swap_rate=rate).selected_cells(table, (rate,))
    assert {row.attribute for row in found} == {"age", "sex", "town"}


def test_a_seed_repeats_and_no_seed_does_not(table):
    def cells(seed):
        return (
            UL(k=3, l=3, swap_rate=0.1, columns=COLUMNS, protected=("age",), seed=seed)
            .anonymise(table)
            .release.cells
        )

    assert (cells(4) == cells(4)).all()
    assert any((cells(None) != cells(None)).any() for _ in range(3))


def test_own_measure(table):
    method = UL(k=3, l=3, columns=COLUMNS, protected=("town",), measure=lambda n: n.cell / n.rows)
    named = UL(k=3, l=3, columns=COLUMNS, protected=("town",), measure="share-of-all")
    assert method.selected_cells(table) == named.selected_cells(table)
    assert method.parameters["measure"] == "own"


def test_trees_for_attributes_without_one(make_table):
    table = make_table({"n": [str(n) for n in range(9)], "t": "abcabcabc"}, numbers=("n",))
    numbers, texts = (attribute.tree for attribute in with_trees(table, 3, "width").attributes)
    assert numbers.labels[9:] == ("0..2", "3..5", "6..8", "*")
    assert rank_groups(numbers).tolist() == [9, 9, 9, 10, 10, 10, 11, 11, 11]
    assert texts.labels == ("a", "b", "c", "*")
    assert rank_groups(texts).tolist() == [3, 3, 3]


def test_generalising_skips_nodes_that_cover_no_more():
    tree = ValueTree(("a", "b", "a only", "*"), np.array([2, 3, 3, 3], np.int32), 2)
    assert wider(tree).tolist() == [3, 3, 3, 3]


def test_generalised_cells_are_shown_by_k_rows():
    tree = ValueTree((*"abcd", "ab", "cd", "*"), np.array([4, 4, 5, 5, 6, 6, 6], np.int32), 4)
    values = np.array([0, 1, 1, 2, 2, 2, 0], np.int32)
    classes = np.array([0, 0, 0, 0, 0, 0, 1])
    stuck = np.array([True, False, False, False, False, False, False])

    def shown(k):
        return generalise_cells(values, classes, stuck, tree, k, lots_of(1)).tolist()

    assert shown(1) == [4, -1, -1, -1, -1, -1, -1]
    two = shown(2)
    assert two[0] == 4
    assert sorted(two[1:3]) == [-1, 4]
    assert shown(3) == [4, 4, 4, -1, -1, -1, -1]
    assert sorted(shown(5)[:6]) == [-1, 6, 6, 6, 6, 6]
    assert shown(9) == [6, 6, 6, 6, 6, 6, -1]  # the class has six rows


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"town": ["w"]}, "a rule names at least two attributes that cannot meet, got town=w"),
        (
            {"town": ["w"], "job": ["x"]},
            "a rule names the attribute 'job'; the table has age, town, sex, ill",
        ),
    ],
)
def test_wrong_rules(table, rule, message):
    with pytest.raises(ParameterError, match=message):
        compile_rules(table, [rule])


def test_a_rule_may_name_values_that_another_table_has(table):
    some = compile_rules(table, [{"town": ["v", "w"], "sex": ["f"]}])
    assert some.member.tolist() == compile_rules(table, [{"town": ["w"], "sex": ["f"]}]).member.tolist()
    nobody = compile_rules(table, [{"town": ["v"], "sex": ["f"]}])
    assert not nobody.member[: nobody.member_offsets[1]].any()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"swap_rate": 0}, "swap_rate must be a number above 0 and at most 0.5"),
        ({"swap_rate": "5 %"}, "swap_rate must be a number"),
        ({"check": "matching"}, "check must be bucket for ul"),
        ({"measure": "r"}, "measure must be one of share, share-of-all"),
        ({"protected": "town"}, "protected must be a collection of names of attributes, got 'town'"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
    ],
)
def test_wrong_parameters(wrong, message):
    with pytest.raises(ParameterError, match=message):
        UL(**wrong)


def test_protected_attributes_must_be_known(table):
    with pytest.raises(ParameterError, match=r"protected names 'ill', .* choose from age, town, sex"):
        UL(k=3, l=3, protected=("ill",)).anonymise(table)


def test_parameters_are_plain(table):
    method = UL(k=3, l=3, rules=({"town": ["w"], "sex": ["f"]},), protected=["town"])
    plain = json.loads(json.dumps(method.parameters))
    assert (plain["method"], plain["rules"], plain["protected"], plain["seeded"]) == (
        "ul",
        1,
        ["town"],
        False,
    )
    assert set(UL.space(table)) <= set(UL.__dataclass_fields__) - {"check"}
