"""Counts of every kind of release, the command, frames, and what notebooks show."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest

import cloven as cv
from cloven.data.cards import card
from cloven.kinds.counts import ELSEWHERE, MEASURED, POSSIBLE
from cloven.kinds.disassociated.counts import told
from cloven.kinds.disassociated.likely import Tails, spread
from cloven.kinds.disassociated.measured_tails import by_support, from_records, measured, truth


@pytest.fixture(scope="module")
def clinic():
    data = cv.sample("clinic")
    return data, cv.Disassociation().anonymise(data)


def people(seed, rows=60):
    rng = np.random.default_rng(seed)
    return {
        "age": rng.integers(20, 40, rows).tolist(),
        "sex": rng.choice(["f", "m"], rows).tolist(),
        "ill": rng.choice(["flu", "gout", "cold", "rash"], rows, p=[0.3, 0.3, 0.2, 0.2]).tolist(),
    }


METHODS = {
    "mondrian": lambda: cv.Mondrian(k=4, l=2),
    "slicing": lambda: cv.Slicing(k=4, l=2, columns=(("age", "sex"), ("ill",))),
    "anatomy": lambda: cv.Anatomy(l=2),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(4))
def test_rows_of_a_table_lie_between_certain_and_at_most(method, seed):
    found = people(seed)
    table = cv.read_table(pa.table(found), cv.Schema.of(["age", "sex"], ["ill"]))
    release = METHODS[method]().anonymise(table).release
    rows = list(zip(*found.values(), strict=True))
    for sex in ("f", "m"):
        for ill in ("flu", "gout", "cold", "rash"):
            told = release.count({"sex": sex, "ill": ill})
            assert told.certain <= sum(row[1:] == (sex, ill) for row in rows) <= told.at_most
            assert told.certain <= told.likely <= told.at_most
    for age in range(20, 40):
        told = release.count({"age": age, "ill": "flu"})
        assert told.certain <= sum((row[0], row[2]) == (age, "flu") for row in rows) <= told.at_most
    whole = release.count({"ill": "flu"})
    assert whole.certain == whole.at_most == found["ill"].count("flu")
    assert whole.basis == POSSIBLE


def test_a_method_that_changes_values_makes_nothing_certain():
    table = cv.read_table(pa.table(people(1)), cv.Schema.of(["age", "sex"], ["ill"]))
    told = cv.UL(k=4, l=2, columns=(("age", "sex"), ("ill",))).anonymise(table).release.count({"ill": "flu"})
    assert (told.certain, told.at_most) == (0, 60)


def test_a_generalised_release():
    rows = [["tea", "bread"], ["milk", "bread"], ["tea", "milk"], ["bread"]] * 5
    paths = [["tea", "drinks", "*"], ["milk", "drinks", "*"], ["bread", "food", "*"], ["cake", "food", "*"]]
    data = cv.Transactions.from_records(rows)
    release = cv.AprioriKm(k=6, m=2, taxonomy=cv.Taxonomy.from_rows(paths)).anonymise(data).release
    for items in (["tea"], ["tea", "bread"], ["tea", "milk"], ["bread"]):
        told = release.count(items)
        assert told.certain <= sum(set(items) <= set(row) for row in rows) <= told.at_most
    assert cv.to_frame(release).num_rows == 20
    assert "blocks" in release._repr_html_()


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([], "got none"),
        ("asthma", "got the text 'asthma'"),
        (["asthma", "asthma"], "named twice"),
        (["asthmaa"], "did you mean 'asthma'"),
        (["qqqq"], "what too few people hold is withheld"),
        ([3], "an item is a text"),
        (None, "a count is of a list of items; got NoneType"),
        (3, "a count is of a list of items; got int"),
        ([f"item {number}" for number in range(70)], "no item"),
    ],
)
def test_what_cannot_be_asked(clinic, items, said):
    with pytest.raises(cv.ParameterError, match=said) as raised:
        clinic[1].release.count(items)
    assert "\n" not in str(raised.value)


def test_a_table_is_asked_for_conditions():
    table = cv.read_table(pa.table(people(1)), cv.Schema.of(["age", "sex"], ["ill"]))
    release = cv.Mondrian(k=4, l=2).anonymise(table).release
    for asked, said in (
        (["flu"], "asked for conditions"),
        ({}, "asked for conditions"),
        ({"il": "flu"}, "did you mean 'ill'"),
        ({"ill": "flue"}, "did you mean 'flu'"),
        ({"age": "old"}, "is a number"),
    ):
        with pytest.raises(cv.ParameterError, match=said):
            release.count(asked)


def test_one_item_is_exact_where_the_root_has_it(clinic):
    data, result = clinic
    release = result.release
    shared = set(release.items_of(np.flatnonzero(release.at_root))[1].tolist())
    supports = dict(zip(data.vocabulary, data.supports.tolist(), strict=True))
    for code, name in enumerate(release.vocabulary):
        told = release.count([name])
        assert told.certain <= supports[name] <= told.at_most == told.high
        assert told.at_most - told.certain == (0 if code in shared else release.k - 1)


def test_what_the_owner_measures_covers_and_verifies(clinic, tmp_path):
    """On sets of items that were not measured; without measuring, the interval would be a wish."""
    data, result = clinic
    better = measured(result, data, np.random.default_rng(1), sets=4_000)
    assert cv.verify(better.release, original=data, key=better.key).ok
    cv.write_release(better, tmp_path / "out", original=data)
    release = cv.read_release(tmp_path / "out")
    assert release.count(["asthma", "inhaler"]).basis == MEASURED
    assert result.release.count(["asthma", "inhaler"]).basis == ELSEWHERE
    for size in (2, 3):
        rng = np.random.default_rng(2)
        sets = np.concatenate([draw(data, release, size, 2_000, rng) for draw in (from_records, by_support)])
        tails = Tails.of(release.parameters, size)
        _, low, high = spread(told(release, sets), tails)
        true = truth(data, release, sets)
        assert 0.93 <= np.mean((low <= true) & (true <= high)) <= 0.975


@pytest.mark.parametrize(
    "tails", [{"2": [0.02, 0.02]}, {"2": [0.02, 0.02], "3": [0.123, 0.1]}, [1], {"2": 1, "3": 1}]
)
def test_strange_tails_are_refused(clinic, tails):
    from dataclasses import replace

    release = clinic[1].release
    marked = replace(release, parameters={**release.parameters, "likely_tails": tails})
    assert [check.name for check in cv.verify(marked).failures] == ["parameters"]


def test_itemsets_and_rules(clinic):
    release = clinic[1].release
    top = release.top_itemsets(10)
    assert [each.likely for each in top] == sorted((each.likely for each in top), reverse=True)
    assert all(2 <= len(each.items) <= 3 for each in top)
    for rule in release.rules(10, min_share=0.6):
        assert rule.low <= rule.share <= rule.high
        assert rule.share >= 0.6
        assert set(rule.count.items) == {*rule.given, rule.then}
    with pytest.raises(cv.ParameterError, match="min_share"):
        release.rules(min_share=2)


@pytest.mark.parametrize("wrong", [-1, 0, 2.5, "5", None, True, 10**9])
def test_how_many_sets_are_looked_for_is_a_sensible_whole_number(clinic, wrong):
    release = clinic[1].release
    words = re.escape(f"must be a whole number from 1 to 10,000, got {wrong!r}")
    with pytest.raises(cv.ParameterError, match=f"^many {words}"):
        release.top_itemsets(wrong)
    with pytest.raises(cv.ParameterError, match=f"^among {words}"):
        release.rules(among=wrong)


def test_frames_hold_what_is_published(clinic):
    data, result = clinic
    frame = cv.to_frame(result.release)
    assert frame.num_rows == result.release.rows
    assert frame["items"].to_pylist()[7] == list(result.release.row(7))
    assert frame["cluster"].null_count == int((result.release.row_cluster < 0).sum())
    assert cv.to_frame(data)["items"].to_pylist()[3] == sorted(data[3])


def test_notebooks_run_nothing(clinic):
    found = people(1)
    found["<script>alert(1)</script>"] = found.pop("ill")
    table = cv.read_table(pa.table(found), cv.Schema.of(["age", "sex"], ["<script>alert(1)</script>"]))
    shown = (*clinic, table, cv.Mondrian(k=4, l=2).anonymise(table).release)
    for each in (shown[0], shown[1].release, *shown[2:]):
        assert "<script" not in each._repr_html_()
        assert each._repr_html_().startswith("<table>")
    assert "&lt;b&gt;" in card("x", {"<b>": "\u202e"})
    assert "\u202e" not in card("x", {"<b>": "\u202e"})
