"""Slicing: what it promises, and what it says when it cannot."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.data.table import MISSING
from cloven.errors import ParameterError
from cloven.kinds.tables.methods import slicing
from cloven.kinds.tables.methods.slicing import Slicing


@pytest.fixture
def table(make_table):
    rng = np.random.default_rng(5)
    rows = 120
    columns = {
        "age": [str(age) for age in rng.integers(20, 60, rows)],
        "town": rng.choice(list("xyz"), rows).tolist(),
        "sex": rng.choice(list("fm"), rows).tolist(),
        "ill": [str(number % 5) for number in range(rows)],
    }
    return make_table(columns, sensitive=("ill",), numbers=("age",))


def test_only_strict_keeps_equal_rows_together(make_table):
    columns = {"a": "uvw" * 20, "b": "xxyy" * 15, "ill": "pqrst" * 12}
    table = make_table(columns, sensitive=("ill",))
    parted = {}
    for partition in ("strict", "relaxed", "stratified"):
        method = Slicing(k=4, l=2, partition=partition)
        buckets = method.buckets_of(table, method.columns_of(table))
        assert buckets.max() > 1
        known = table.codes[:, 0] * 2 + table.codes[:, 1]
        parted[partition] = any(len(set(buckets[known == one].tolist())) > 1 for one in range(6))
    assert parted == {"strict": False, "relaxed": True, "stratified": True}


@pytest.mark.parametrize("partition", ["relaxed", "stratified", "adaptive", "replay-proof"])
def test_a_seed_draws_the_same_lots_and_marks_the_release(table, partition):
    one, two, other = (
        Slicing(k=4, l=2, partition=partition, seed=seed).anonymise(table).release for seed in (1, 1, 2)
    )
    assert one.parameters["seeded"]
    assert (one.cells == two.cells).all()
    assert one.cells.tolist() != other.cells.tolist()
    drawn = [Slicing(k=4, l=2, partition=partition).anonymise(table).release for _ in range(2)]
    assert not drawn[0].parameters["seeded"]
    assert drawn[0].cells.tolist() != drawn[1].cells.tolist()


def test_replay_proof_chooses_nothing_by_sensitive_values(table):
    assert Slicing(partition="replay-proof", check="matching").check == "bucket"
    with pytest.raises(
        ParameterError, match=r"cannot choose companions, got companions = 1: .* take 0, or name"
    ):
        Slicing(partition="replay-proof", companions=1)
    named = Slicing(
        k=4, l=2, partition="replay-proof", columns=(("age", "town"), ("sex", "ill")), companions=1
    )
    assert named.anonymise(table).release.buckets > 1


def test_l_that_cannot_be_met_is_an_error(make_table):
    table = make_table({"a": "uvuvuvuv", "ill": "ppppqrst"}, sensitive=("ill",))
    with pytest.raises(
        ParameterError, match="l = 3 cannot be met: 4 of 8 rows have ill = 'p'; choose l of at most 2"
    ):
        Slicing(k=2, l=3).anonymise(table)
    assert len(Slicing(k=2, l=2).anonymise(table).release) == 8


def test_companions_can_make_l_impossible(make_table):
    table = make_table({"a": "uuuuvvvv", "b": "xyxyxyxy", "ill": "pqpqrsrr"}, sensitive=("ill",))
    message = (
        r"l = 2 cannot be met: 3 of the 4 rows with a = 'v' have ill = 'r'; choose nothing beside the sensitive"
        r" attribute \(companions = 0\)"
    )
    with pytest.raises(ParameterError, match=message):
        Slicing(k=2, l=2, companions=1, partition="adaptive").anonymise(table)


def test_joint_sensitive_attributes_need_one_column(make_table):
    table = make_table({"a": "uvuv", "s": "pqrs", "t": "ppqq"}, sensitive=("s", "t"))
    with pytest.raises(ParameterError, match="l = 3 cannot be met: 2 of 4 rows have t = 'p'"):
        Slicing(k=2, l=3).anonymise(table)
    assert Slicing(k=2, l=3, together="jointly").anonymise(table).release.columns == ((0,), (1, 2))
    with pytest.raises(
        ParameterError, match="needs all sensitive attributes in one column, columns put them into 2"
    ):
        Slicing(k=2, l=2, together="jointly", columns=(("a", "s"), ("t",))).anonymise(table)


def test_table_that_cannot_be_sliced(make_table, table):
    with pytest.raises(ParameterError, match="no attribute is sensitive"):
        Slicing().anonymise(make_table({"a": "uv"}))
    with pytest.raises(ParameterError, match="no attribute is a quasi-identifier"):
        Slicing().anonymise(make_table({"a": "uv"}, sensitive=("a",)))
    with pytest.raises(ParameterError, match="k = 200 needs at least 200 rows, got 120"):
        Slicing(k=200, l=2).anonymise(table)
    table.codes[3, 1] = MISSING
    with pytest.raises(ParameterError, match="column 'town' has no value in 1 of 120 rows"):
        Slicing(k=4, l=2).anonymise(table)


def test_too_many_sensitive_values_for_the_memory(table, monkeypatch):
    monkeypatch.setattr(slicing, "MOST_MEMORY", 100)
    with pytest.raises(ParameterError, match="take check = 'bucket', or coarser sensitive values"):
        Slicing(k=4, l=2, partition="adaptive").anonymise(table)
    assert Slicing(k=4, l=2, partition="adaptive", check="bucket").anonymise(table).release.buckets > 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"k": 1}, "k must be a whole number of at least 2"),
        ({"l": 1}, "l must be a whole number of at least 2"),
        ({"l": 2.5}, "l must be a whole number"),
        ({"columns": 0}, "columns must be a whole number of at least 1"),
        ({"columns": ("a", "b")}, "a column must be a collection of names of attributes, got 'a'"),
        ({"columns": "ab"}, "columns must be a whole number"),
        ({"check": "all"}, "check must be one of matching, bucket, got 'all'"),
        ({"partition": "loose"}, "partition must be one of strict, relaxed, stratified, adaptive"),
        ({"bins": 1}, "bins must be a whole number of at least 2"),
    ],
)
def test_wrong_parameters(wrong, message):
    with pytest.raises(ParameterError, match=message):
        Slicing(**wrong)


def test_parameters_are_plain(table):
    import json

    method = Slicing(k=np.int64(4), l=2, columns=[["age", "town"], ["sex"], ["ill"]])
    assert json.loads(json.dumps(method.parameters))["columns"] == "chosen"
    assert method.anonymise(table).release.columns == ((0, 1), (2,), (3,))
    assert set(Slicing.space(table)) <= set(Slicing.__dataclass_fields__)


def test_a_single_row_that_makes_l_impossible_is_one_row(make_table):
    table = make_table({"a": "uuuv", "b": "xyxy", "ill": "pqrs"}, sensitive=("ill",))
    with pytest.raises(
        ParameterError, match=r"cannot be met: the only row with a = 'v' has ill = 's'; choose"
    ):
        Slicing(k=2, l=2, columns=(("b",), ("a", "ill"))).anonymise(table)
    few = make_table({"a": "uvuv", "ill": "pqrs"}, sensitive=("ill",))
    with pytest.raises(
        ParameterError, match=r"l = 5 cannot be met: 1 of 4 rows has ill = '.'; choose l of at"
    ):
        Slicing(k=2, l=5).anonymise(few)
