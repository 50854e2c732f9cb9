"""Mondrian: worked examples, what it refuses, and its figures on Adult."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from cloven.data.schema import Schema
from cloven.data.table import Attribute, Table
from cloven.errors import ParameterError
from cloven.kinds.tables.methods.assembly import sliced
from cloven.kinds.tables.methods.constraints import DistinctL, EntropyL, RecursiveL, TCloseness
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.reading.tables import read_table


def shown(release):
    return [
        tuple(domain.labels[cell] for domain, cell in zip(release.domains, row, strict=True))
        for row in release.cells.tolist()
    ]


def ages(values, secrets):
    domain = sorted(set(values))
    hidden = sorted(set(secrets))
    attributes = (
        Attribute("age", "quasi-identifier", tuple(map(str, domain)), np.array(domain, np.float64)),
        Attribute("illness", "sensitive", tuple(hidden)),
    )
    codes = [
        [domain.index(value), hidden.index(secret)] for value, secret in zip(values, secrets, strict=True)
    ]
    return Table(attributes, np.array(codes, np.int32), np.arange(len(values)))


def test_the_cut_nearest_to_the_median_that_keeps_l_is_taken():
    table = ages([1, 2, 3, 4, 5, 6], "aaabab")
    # In the middle the left half would hold only "a".
    assert Mondrian(k=2, l=2).classes(table).tolist() == [0, 0, 0, 0, 1, 1] or (
        Mondrian(k=2, l=2).classes(table).tolist() == [1, 1, 1, 1, 0, 0]
    )
    assert len(set(Mondrian(k=3).classes(table).tolist())) == 2


def test_taxonomy_branches_are_parted_first(people):
    only = replace(
        people,
        attributes=tuple(
            replace(a, role="ignored") if a.name in ("age", "sex") else a for a in people.attributes
        ),
    )
    release = Mondrian(k=5).anonymise(only).release
    assert {row[0] for row in shown(release)} == {"Federal", "Private", "State"}
    assert [domain.name for domain in release.domains] == ["work", "illness", "drug"]


def test_parameters_are_plain_and_name_what_is_promised(people):
    method = Mondrian(k=3, l=2, constraints=(TCloseness(0.7, "ordered", sensitive="illness"),))
    release = method.anonymise(people).release
    assert json.loads(json.dumps(release.parameters)) == release.parameters
    assert release.parameters["constraints"] == [
        {"demand": "distinct-l", "l": 2, "attributes": ["illness"]},
        {"demand": "distinct-l", "l": 2, "attributes": ["drug"]},
        {"demand": "t-closeness", "t": 0.7, "distance": "ordered", "attributes": ["illness"]},
    ]
    assert release.k == 3
    assert set(method.space(people)) == {"k", "mode", "l"}


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (
            lambda: Mondrian(k=1),
            "k must be a whole number of at least 2 (with k = 1 nobody is protected), got 1",
        ),
        (lambda: Mondrian(k=41), "k = 41 needs at least 41 rows, got 40; choose k of at most 40"),
        (
            lambda: Mondrian(l=1),
            "l must be a whole number of at least 2 (below that every class keeps to it), got 1",
        ),
        (
            lambda: Mondrian(l=4),
            "sensitive column 'drug' has 3 different values, l = 4 needs 4; choose l up to 3",
        ),
        (lambda: Mondrian(mode="loose"), "mode must be 'strict' or 'relaxed', got 'loose'"),
        (
            lambda: Mondrian(constraints=(EntropyL(3.9, sensitive="drug"),)),
            "sensitive column 'drug' is as varied as 3.00 equally frequent values, l = 3.9 needs more; choose l up to",
        ),
        (
            lambda: Mondrian(constraints=(RecursiveL(0.1, 3, sensitive="illness"),)),
            "sensitive column 'illness' has its most frequent value",
        ),
        (lambda: Mondrian(constraints=(RecursiveL(1, 9),)), "has 4 different values, l = 9 needs 9"),
        (lambda: Mondrian(constraints=(RecursiveL(0, 2),)), "c must be a number above 0"),
        (lambda: Mondrian(constraints=(TCloseness(1.5),)), "t must be a number of at least 0 and at most 1"),
        (lambda: Mondrian(constraints=(TCloseness(0.5, "tree"),)), "distance must be 'equal' or 'ordered'"),
        (lambda: Mondrian(constraints=(DistinctL(2, sensitive="age"),)), "'age' is no sensitive attribute"),
        (
            lambda: Mondrian(constraints=(TCloseness(0.5, "ordered", sensitive="jointly"),)),
            "combinations of several attributes have no order",
        ),
    ],
)
def test_what_cannot_be_kept_is_refused(people, method, message):
    with pytest.raises(ParameterError) as raised:
        method().anonymise(people)
    assert message in str(raised.value)


def test_tables_it_cannot_take(people):
    known = replace(people, attributes=tuple(replace(a, role="sensitive") for a in people.attributes))
    with pytest.raises(ParameterError, match="no column is a quasi-identifier"):
        Mondrian().anonymise(known)
    open_ = replace(people, attributes=tuple(replace(a, role="quasi-identifier") for a in people.attributes))
    with pytest.raises(ParameterError, match="distinct-l needs a sensitive attribute"):
        Mondrian(l=2).anonymise(open_)
    codes = people.codes.copy()
    codes[3, 1] = -1
    with pytest.raises(
        ParameterError, match="column 'work' has no value in 1 of 40 rows; read it with missing"
    ):
        Mondrian().anonymise(replace(people, codes=codes))


def test_columns_must_part_the_attributes(people):
    with pytest.raises(ParameterError, match="every published attribute stands in exactly one column"):
        sliced(people, np.zeros(40, np.int64), ((0, 1), (1, 2, 3, 4)), k=2, parameters={})
    with pytest.raises(ParameterError, match="none of 40 rows can be published"):
        sliced(people, np.full(40, -1), ((0, 1, 2, 3, 4),), k=2, parameters={})


@pytest.mark.data
def test_adult_is_cut_finer_than_by_others(data_dir):
    """anonypy 0.2.1 and anonypyx 0.2.11 leave 2,481 classes and a discernibility of 790,464 at k = 6."""
    path = data_dir / "relational" / "arx_adult" / "adult.csv.gz"
    names = [
        "sex",
        "age",
        "race",
        "marital-status",
        "education",
        "native-country",
        "workclass",
        "salary-class",
    ]
    classes = Mondrian(k=6).classes(read_table(path, Schema.of(names, ["occupation"])))
    sizes = np.bincount(classes)
    assert sizes.min() >= 6
    assert (sizes**2).sum() == 611_326


NO_NUMBERS = (float("nan"), None, True, -1)


@pytest.mark.parametrize("wrong", NO_NUMBERS, ids=repr)
@pytest.mark.parametrize(
    "made",
    [
        lambda value: Mondrian(k=value),
        DistinctL,
        EntropyL,
        lambda value: RecursiveL(2, value),
        lambda value: RecursiveL(value, 2),
        TCloseness,
    ],
)
def test_what_is_no_number_is_refused_in_a_line(made, wrong):
    with pytest.raises(ParameterError, match=r"must be a (whole )?number .*got"):
        made(wrong)
