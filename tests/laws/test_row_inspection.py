"""What the inspector shows of small random set-generalised releases, against plain Python."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import skewed_records

import cloven as cv
from cloven.studio.inspection.generalised import ORDERS, OpenedRows, knowing_of_rows, ranked_rows, rows_view
from cloven.studio.inspection.generalised_truth import holders_of_rows, true_items


@st.composite
def blurred(draw):
    data = cv.Transactions.from_records(draw(skewed_records(max_records=40, min_records=8, n_items=9)))
    try:
        return data, cv.Pcta(k=draw(st.sampled_from((2, 3))), m=1).anonymise(data)
    except cv.GuaranteeError:
        assume(False)


@given(blurred())
def test_every_record_is_in_one_group(case):
    opened = OpenedRows(case[1].release)
    groups = {}
    for row in opened.release:
        groups[row] = groups.get(row, 0) + 1
    views = [rows_view(opened, number) for number in range(len(opened.starts) - 1)]
    assert {tuple(block.items for block in view.blocks): view.size for view in views} == groups
    for by in ORDERS:
        lines = [
            line
            for page in range(1, ranked_rows(opened, by)[1] + 1)
            for line in ranked_rows(opened, by, page)[0]
        ]
        assert sorted(line.number for line in lines) == list(range(len(groups)))


@given(blurred(), st.data())
def test_what_known_items_tell_is_counted_in_rows(case, data):
    source, result = case
    release = result.release
    assume(release.vocabulary)
    opened = OpenedRows(release)
    known = data.draw(st.lists(st.sampled_from(release.vocabulary), min_size=1, max_size=3, unique=True))
    number = data.draw(st.integers(0, len(opened.starts) - 2))
    found = knowing_of_rows(opened, known, number, most=None)
    rows = list(release)
    for count, step in enumerate(found.steps, 1):
        fits = [row for row in rows if all(any(item in block for block in row) for item in known[:count])]
        assert step.candidates == len(fits)
        first, last = opened.group(number)
        assert step.here == sum(row in fits for row in rows[first:last])
    wanted = {}
    for item in release.vocabulary:
        block = release.block(int(release.block_of_item[opened.code_of[item]]))
        if fits and not set(block) & set(known):
            chance = sum(block in row for row in fits) / len(fits) / len(block)
            wanted |= {item: chance} if chance >= found.least - 1e-9 else {}
        assert opened.shares[opened.code_of[item]] == pytest.approx(
            sum(block in row for row in rows) / len(rows) / len(block)
        )
    assert {claim.item: claim.probability for claim in found.claims} == pytest.approx(wanted)
    true = holders_of_rows(opened, result.key, found, number)
    published = [record & set(release.vocabulary) for record in source]
    having = [record for record in published if set(known) <= record]
    assert true.count == len(having)
    assert true.claims == tuple(sum(claim.item in record for record in having) for claim in found.claims)


@given(blurred(), st.data())
def test_truth_of_a_group_is_that_of_its_records(case, data):
    source, result = case
    opened = OpenedRows(result.release)
    number = data.draw(st.integers(0, len(opened.starts) - 2))
    view = rows_view(opened, number)
    first, last = opened.group(number)
    place = {record: at for at, record in enumerate(source.source_rows.tolist())}
    records = [source[place[each]] for each in result.key.records[first:last].tolist()]
    for block, counts in zip(view.blocks, true_items(opened, result.key, view), strict=True):
        assert counts == tuple(sum(item in record for record in records) for item in block.items)
        assert sum(counts) >= view.size
