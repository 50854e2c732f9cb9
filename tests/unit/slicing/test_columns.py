"""Attribute columns: medoids against all choices, the sensitive column, T* and T**, and what cannot be."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from cloven.errors import ParameterError
from cloven.kinds.tables.methods.columns import association, attribute_columns, k_medoids, named_columns


def matrix(strong, size=6):
    out = np.eye(size)
    for (one, two), value in strong.items():
        out[one, two] = out[two, one] = value
    return out


@pytest.fixture
def table(make_table):
    columns = dict.fromkeys("abcde", "uvuvuvuv")
    return make_table({**columns, "ill": "pqrspqrs"}, sensitive=("ill",))


@pytest.mark.parametrize("seed", range(6))
def test_no_single_exchange_improves_medoids(seed):
    rng = np.random.default_rng(seed)
    distance = rng.random((9, 9))
    distance = distance + distance.T
    np.fill_diagonal(distance, 0)
    medoids, nearest = k_medoids(distance, 3)
    cost = distance[:, medoids].min(axis=1).sum()
    assert distance[np.arange(9), medoids[nearest]].sum() == pytest.approx(cost)
    for place in range(3):
        for point in set(range(9)) - set(medoids.tolist()):
            other = medoids.copy()
            other[place] = point
            assert distance[:, other].min(axis=1).sum() >= cost - 1e-9
    best = min(distance[:, list(three)].min(axis=1).sum() for three in combinations(range(9), 3))
    assert cost <= 1.25 * best


def test_close_attributes_share_a_column(table):
    strong = matrix({(0, 3): 0.9, (1, 4): 0.4, (2, 5): 0.5})
    found = attribute_columns(table, strong, 3)
    assert found.correlated == ((0, 3), (1, 4))
    assert found.loose == ((2,),)
    assert found.sensitive == ((5,),)
    assert sorted(place for column in found.all for place in column) == list(range(6))


def test_loose_columns_are_single_or_below_the_median(table):
    names = [["a", "b"], ["c", "d"], ["e"], ["ill"]]
    found = named_columns(table, matrix({(0, 1): 0.9, (2, 3): 0.1}), names)
    assert (found.correlated, found.loose) == (((0, 1), (2, 3)), ((4,),))
    names = [["a", "b"], ["c", "d", "e"], ["ill"]]
    found = named_columns(table, matrix({(0, 1): 0.9, (2, 3): 0.1, (3, 4): 0.2}), names)
    assert (found.correlated, found.loose) == (((0, 1),), ((2, 3, 4),))
    assert {place: found.medoids[place] for place in (2, 3, 4)} == {2: 3, 3: 3, 4: 3}
    alone = named_columns(table, matrix({}), [list("abcde"), ["ill"]])
    assert alone.loose == ((0, 1, 2, 3, 4),)  # something has to be protected


def test_companions_are_the_closest(table):
    found = attribute_columns(table, matrix({(1, 5): 0.5, (3, 5): 0.6, (0, 5): 0.1}), 2, companions=2)
    assert found.sensitive == ((1, 3, 5),)


def test_sensitive_attributes_separately_or_jointly(make_table):
    table = make_table({"a": "uvuv", "s": "pqrs", "t": "pqsr"}, sensitive=("s", "t"))
    strong = association(table)
    assert attribute_columns(table, strong).sensitive == ((1,), (2,))
    assert attribute_columns(table, strong, together="jointly").sensitive == ((1, 2),)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            [["a", "zip"], ["ill"]],
            "columns name 'zip', which is not published; choose from a, b, c, d, e, ill",
        ),
        ([["a", "a", "b", "c", "d", "e"], ["ill"]], "columns name 'a' 2 times"),
        ([["a", "b", "c"], ["ill"]], "columns leave out d, e; add them"),
    ],
)
def test_wrong_columns_are_named(table, names, message):
    with pytest.raises(ParameterError, match=message):
        named_columns(table, matrix({}), names)


def test_too_many_columns_or_companions(table):
    with pytest.raises(ParameterError, match=r"columns = 6 cannot be made of 5 quasi.* choose 1 to 5"):
        attribute_columns(table, matrix({}), 6)
    with pytest.raises(ParameterError, match=r"companions = 6 is more than the 5 .* choose at most 5"):
        attribute_columns(table, matrix({}), companions=6)
