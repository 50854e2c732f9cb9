"""What the inspector shows of small random tables, against plain Python and against the attacks themselves."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import cloven as cv
from cloven.kinds.tables.attack.values import AttributeDisclosure
from cloven.kinds.tables.guesses import Known
from cloven.studio.inspection.table_truth import true_values
from cloven.studio.inspection.tables import (
    ORDERS,
    OpenedTable,
    bucket_view,
    knowing_values,
    ranked_buckets,
    whose,
)

METHODS = {
    "anatomy": lambda: cv.Anatomy(l=2, seed=1),
    "slicing": lambda: cv.Slicing(k=4, l=2, seed=1),
    "mondrian": lambda: cv.Mondrian(k=4, l=2),
    "ul": lambda: cv.UL(k=4, l=2, seed=1),
}


@st.composite
def published(draw):
    """A table, its release and the key."""
    seed, rows = draw(st.integers(0, 2**32)), draw(st.integers(16, 50))
    rng = random.Random(seed)
    people = {
        "age": [rng.randint(20, 29) for _ in range(rows)],
        "town": [rng.choice(("Graz", "Linz", "Wien")) for _ in range(rows)],
        "sex": [rng.choice("fm") for _ in range(rows)],
        "illness": [rng.choice(("asthma", "flu", "gout", "mumps")) for _ in range(rows)],
    }
    table = cv.read_table(pa.table(people), cv.Schema.of(["age", "town", "sex"], ["illness"]))
    try:
        return people, METHODS[draw(st.sampled_from(sorted(METHODS)))]().anonymise(table)
    except (cv.ParameterError, cv.GuaranteeError):
        assume(False)


def rows_of(opened, number):
    here = opened.places_of(number)
    domains = opened.buckets.domains
    return [
        {domain.name: domain.labels[cell] for domain, cell in zip(domains, row, strict=True)}
        for row in opened.buckets.cells[here].tolist()
    ]


def stands_for(opened, name, label):
    domain = opened.buckets.domains[opened.buckets.position(name)]
    cell = domain.labels.index(label)
    members = domain.members[domain.member_offsets[cell] : domain.member_offsets[cell + 1]]
    return {domain.values[code] for code in members.tolist()}


@given(published(), st.data())
def test_a_bucket_is_shown_as_it_is_published(case, data):
    opened = OpenedTable(case[1].release)
    number = data.draw(st.integers(0, len(opened.buckets) - 1))
    rows, view = rows_of(opened, number), bucket_view(opened, number)
    assert view.size == len(rows)
    for column in view.columns:
        shown = sorted(cells for line in column.lines for cells in [line.cells] * line.copies)
        assert shown == sorted(tuple(row[name] for name in column.names) for row in rows)


@given(published(), st.data())
def test_values_of_a_bucket_have_the_share_of_the_rows_that_fit(case, data):
    opened = OpenedTable(case[1].release)
    number = data.draw(st.integers(0, len(opened.buckets) - 1))
    rows, view = rows_of(opened, number), bucket_view(opened, number)
    for column in view.columns:
        if all(column.sensitive):
            continue
        found = whose(opened, number, "illness", column.number)
        assert sum(person.copies for person in found.people) == len(rows)
        for person, chances in zip(found.people, found.chances, strict=True):
            assert sum(chances) == pytest.approx(1.0)
            look = dict(zip(found.names, person.cells, strict=True))
            together = "illness" in column.names
            fits = [
                row for row in rows if not together or all(row[name] == cell for name, cell in look.items())
            ]
            if together and any("-" in cell for cell in person.cells):
                continue  # ranges may overlap, then more rows fit
            for value, chance in zip(found.values, chances, strict=True):
                assert chance == pytest.approx(sum(row["illness"] == value for row in fits) / len(fits))


@given(published(), st.data())
def test_truth_of_a_bucket_is_that_of_the_table(case, data):
    people, result = case
    opened = OpenedTable(result.release)
    number = data.draw(st.integers(0, len(opened.buckets) - 1))
    for column in bucket_view(opened, number).columns:
        if all(column.sensitive):
            continue
        found = whose(opened, number, "illness", column.number)
        true = true_values(opened, result.key, number, found)
        for person, each in zip(found.people, true, strict=True):
            judge(people, opened, result.key, found, person, each)


def judge(people, opened, key, found, person, each):
    """People who look alike really look like that, and have what the table says."""
    assert len(each.records) == person.copies == sum(each.counts) + each.unknown
    kept = [people["illness"][record] for record in each.records]
    for value, many in zip(found.values, each.counts, strict=True):
        assert many <= kept.count(value)
        assert key.changed is not None or many == kept.count(value)
    assert key.changed is not None or each.unknown == 0
    assert 0 <= each.right <= person.copies
    if key.changed is None:
        for name, label in zip(found.names, person.cells, strict=True):
            assert {str(people[name][record]) for record in each.records} <= stands_for(opened, name, label)


@given(published(), st.data())
def test_what_known_values_tell_is_what_the_attack_says(case, data):
    people, result = case
    opened = OpenedTable(result.release)
    row = data.draw(st.integers(0, len(people["age"]) - 1))
    given_values = {"town": people["town"][row], "age": str(people["age"][row])}
    found = knowing_values(opened, "illness", given_values)
    known = Known(
        tuple(given_values), tuple((value,) for value in given_values.values()), np.zeros((1, 2), np.int32)
    )
    wanted = AttributeDisclosure("illness").guess(result.release, known)
    assert {claim.value: claim.probability for claim in found.claims} == {
        value: chance
        for value, chance in zip(wanted.values, wanted.confidence[0].tolist(), strict=True)
        if chance
    }
    assert sum(claim.probability for claim in found.claims) == pytest.approx(1.0)
    assert sum(claim.anybody for claim in found.claims) <= 1 + 1e-9
    assert found.steps[1].candidates <= found.steps[0].candidates
    fitting = [
        number
        for number in range(len(opened.buckets))
        if any(
            people["town"][row] in stands_for(opened, "town", part["town"])
            for part in rows_of(opened, number)
        )
    ]
    assert found.steps[0].groups == len(fitting)
    assert found.steps[0].candidates == sum(len(rows_of(opened, number)) for number in fitting)


@given(published())
def test_every_bucket_is_ranked_once(case):
    opened = OpenedTable(case[1].release)
    for by in ORDERS:
        _, pages = ranked_buckets(opened, "illness", by)
        lines = [
            line for page in range(1, pages + 1) for line in ranked_buckets(opened, "illness", by, page)[0]
        ]
        assert sorted(line.number for line in lines) == list(range(len(opened.buckets)))
        for line in lines:
            values = [row["illness"] for row in rows_of(opened, line.number)]
            assert line.values == len(set(values))
            assert line.share == pytest.approx(max(map(values.count, values)) / len(values))
            assert values.count(line.value) == max(map(values.count, values))
        if by == "sure":
            assert [line.share for line in lines] == sorted((line.share for line in lines), reverse=True)
