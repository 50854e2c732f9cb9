"""Generalisation over a taxonomy: parameters, faults, worked cases, public data."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cloven.data.taxonomy import Taxonomy, read_taxonomy
from cloven.data.transactions import Transactions
from cloven.errors import InputError, ParameterError
from cloven.kinds.generalised.methods.apriori_km import AprioriKm
from cloven.kinds.generalised.utility import ncp
from cloven.reading import read

TREE = Taxonomy.from_rows([["a1", "A", "*"], ["a2", "A", "*"], ["b1", "B", "*"], ["b2", "B", "*"]])
FOUR = Transactions.from_records([["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]])


def blocks(release):
    return [release.block(number) for number in range(release.blocks)]


@pytest.mark.parametrize("search", ["refined", "published"])
def test_pairs_of_four_records(search):
    """{a1, a2} and {a1, b1} are in one record only; A in place of a1 and a2 is the one cut of least NCP, 5/11 * 2/4."""
    release = AprioriKm(k=2, m=2, taxonomy=TREE, search=search).anonymise(FOUR).release
    assert blocks(release) == [("a1", "a2"), ("b1",), ("b2",)]
    assert release.block_labels == ("A", "", "")
    assert list(release) == [
        (("a1", "a2"), ("b1",)),
        (("a1", "a2"), ("b1",), ("b2",)),
        (("a1", "a2"), ("b1",), ("b2",)),
        (("a1", "a2"), ("b2",)),
    ]
    assert ncp(release, FOUR) == pytest.approx(5 / 11 * 2 / 4)


def test_a_group_whose_items_are_those_of_an_inner_group_goes_by_the_inner_name():
    tree = Taxonomy.from_rows([["a", "in", "out", "*"], ["b", "in", "out", "*"], ["c", "other", "*"]])
    data = Transactions.from_records([["a"], ["b"], ["c"], ["c"]])
    assert AprioriKm(k=2, taxonomy=tree).anonymise(data).release.block_labels == ("in", "")


def test_one_item_and_deep_chains():
    one = Transactions.from_records([["a1"], ["a1"]])
    assert blocks(AprioriKm(k=2, taxonomy=TREE).anonymise(one).release) == [("a1",)]
    depth = 3_000
    rows = [[f"{n:04d}", *(f"g{level}" for level in range(n, depth)), "*"] for n in (0, 1, depth - 1)]
    data = Transactions.from_records([["0000"], ["0001"], ["2999"], ["2999"]])
    release = AprioriKm(k=2, taxonomy=Taxonomy.from_rows(rows)).anonymise(data).release
    assert release.block_labels == ("g1", "")


def test_parameters_are_plain_and_name_nothing():
    method = AprioriKm(k=np.int64(3), m=2, taxonomy=TREE)
    assert (type(method.k), method.family) == (int, "generalisation")
    assert json.loads(json.dumps(method.parameters)) == {
        "method": "apriori-km",
        "all_up_to": 2,
        "search": "refined",
    }
    assert "a1" not in repr(method)
    assert set(AprioriKm.space(FOUR)) == {"k", "m"}
    assert AprioriKm(k=2, taxonomy=TREE).anonymise(FOUR).release.parameters["persons"] is False


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"k": 1}, "k must be a whole number of at least 2"),
        ({"k": True}, "k must be a whole number"),
        ({"k": 2.5}, r"k must be .* got 2\.5"),
        ({"m": 0}, "m must be a whole number of at least 1"),
        ({"taxonomy": {"a": "b"}}, r"must be a Taxonomy \(see read_taxonomy\), got dict"),
        ({"search": "best"}, "search must be one of refined, published, got 'best'"),
    ],
)
def test_bad_parameters(wrong, message):
    with pytest.raises(ParameterError, match=message):
        AprioriKm(**{"taxonomy": TREE, **wrong})


def test_too_few_records_or_persons():
    with pytest.raises(ParameterError, match="k = 5 needs at least 5 records, got 4; choose a smaller k"):
        AprioriKm(k=5, taxonomy=TREE).anonymise(FOUR)
    told = Transactions(FOUR.offsets, FOUR.codes, FOUR.vocabulary, np.array([1, 1, 2, 2]))
    with pytest.raises(ParameterError, match="at least 3 persons, got 2"):
        AprioriKm(k=3, taxonomy=TREE).anonymise(told)


def test_missing_leaves_are_counted_and_named():
    data = Transactions.from_records([["a1", "zz"], ["a1", "y1", "y2", "y3"]])
    with pytest.raises(InputError, match=r"^4 of 5 items .* such as 'y1', 'y2', 'y3'; add rows for them$"):
        AprioriKm(k=2, taxonomy=TREE).anonymise(data)


def test_two_parents_are_named():
    with pytest.raises(InputError, match=r"two parents, 'A' and 'B'.*\(got 'a1'\)"):
        Taxonomy.from_rows([["a1", "A", "*"], ["a1", "B", "*"]])


@pytest.mark.data
def test_bms_webview_2(data_dir):
    """The published hierarchy: at most 0.0188, by both readings of an occurrence."""
    data, taxonomy = _public(data_dir, "BMS2.txt.gz"), read_taxonomy(_file(data_dir, "treefile_BMS.txt.gz"))
    release = AprioriKm(k=5, m=2, taxonomy=taxonomy).anonymise(data).release
    assert round(ncp(release, data), 5) == 0.01802
    assert release.blocks == 73
    classic = AprioriKm(k=5, m=2, taxonomy=taxonomy, search="published").anonymise(data).release
    assert round(ncp(classic, data), 5) == 0.01855


@pytest.mark.data
def test_triples_of_bms_webview_1(data_dir):
    data = _public(data_dir, "BMS1.dat.gz")
    taxonomy = Taxonomy.from_rows(
        [item, *(f"{place // width} of {width}" for width in (5, 25, 125)), "*"]
        for place, item in enumerate(data.vocabulary)
    )
    coarse, fine = (AprioriKm(k=5, m=m, taxonomy=taxonomy).anonymise(data).release for m in (3, 2))
    assert 0 < ncp(fine, data) < ncp(coarse, data) < 1
    assert coarse.supports.min() >= 5


def _file(data_dir, name):
    path = data_dir / "transactions" / name
    if not path.exists():
        pytest.skip(f"no {path}")
    return path


def _public(data_dir, name):
    return read(_file(data_dir, name))


@pytest.mark.parametrize("search", ["refined", "published"])
def test_of_equally_cheap_ways_the_first_nodes_stay_low(search):
    """Only {a1, b1} is rare; A in place of a1 would cost as much as B in place of b1."""
    rows = [["a1", "b1"], ["a2", "b1"], ["a2", "b1"], ["a1", "b2"], ["a1", "b2"]]
    method = AprioriKm(k=2, m=2, taxonomy=TREE, search=search)
    release = method.anonymise(Transactions.from_records(rows)).release
    assert blocks(release) == [("a1",), ("a2",), ("b1", "b2")]
