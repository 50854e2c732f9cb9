"""One or two known quasi-identifiers tell another where they are published together as they are."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cloven as cv
from cloven.kinds.tables.attack.together import NEWS, shown_together
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.reconstruction import untouched

KNOWN = ("age", "town", "work")


def table(rows, seed=1, width=30):
    lots = np.random.default_rng(seed)
    columns = {name: lots.integers(0, width, rows).astype(str).tolist() for name in KNOWN}
    columns["illness"] = lots.choice(["flu", "gout", "mumps", "zoster"], rows).tolist()
    return cv.read_table(pa.table(columns), cv.Schema.of(KNOWN, ["illness"]))


def by_hand(release):
    """Every row, one or two of its values, every row that could have them."""
    domains = release.domains
    held = [
        {
            cell: {domain.values[at] for at in domain.members[start:end]}
            for cell, (start, end) in enumerate(
                zip(domain.member_offsets[:-1], domain.member_offsets[1:], strict=True)
            )
        }
        for domain in domains
    ]
    most = 0.0
    for column in release.columns:
        places = [place for place in column if not domains[place].sensitive]
        rows = [{place: held[place][cell] for place, cell in zip(places, cells, strict=True)}
                for cells in release.cells[:, places].tolist()]  # fmt: skip
        told = 0
        for row in rows:
            told += any(
                all(len(row[at]) == 1 for at in known)
                and sum(all(row[at] & each[at] != set() for at in known) for each in rows) == 1
                and any(
                    len(row[other]) == 1
                    and sum(each[other] == row[other] for each in rows) < NEWS * len(rows)
                    for other in places
                    if other not in known
                )
                for size in (1, 2)
                for known in combinations(places, size)
            )
        most = max(most, told / max(1, len(rows)))
    return most


@settings(max_examples=20)
@given(rows=st.integers(1, 40), seed=st.integers(0, 2**16), width=st.integers(2, 12), k=st.integers(1, 4))
def test_it_is_what_looking_at_all_rows_says(rows, seed, width, k):
    data = table(rows, seed, width)
    assert shown_together(untouched(data)).share == pytest.approx(by_hand(untouched(data)))
    if k > 1 and rows >= 2 * k:
        release = Mondrian(k=k).anonymise(data).release
        assert shown_together(release).share == pytest.approx(by_hand(release))


def test_classes_of_k_hide_everybody():
    assert shown_together(Mondrian(k=5).anonymise(table(400)).release).share == 0.0


def test_columns_of_two_are_looked_at():
    release = cv.Slicing(k=5, l=2, seed=1).anonymise(table(200)).release
    assert max(map(len, release.columns)) > 1
    assert shown_together(release).share == pytest.approx(by_hand(release))


def test_one_known_value_tells_the_other():
    """Birthdays to the day are nearly all different, and stand beside the day of admission in a column of two."""
    lots = np.random.default_rng(1)
    days = np.datetime64("1950-01-01") + lots.integers(0, 365 * 40, 600)
    columns = {
        "born": days.astype(str).tolist(),
        "admitted": (np.datetime64("2024-01-01") + lots.integers(0, 700, 600)).astype(str).tolist(),
        "illness": lots.choice(list("stuvwxyz"), 600).tolist(),
    }
    dates = [
        cv.Column(name, "quasi-identifier", kind="date", precision="day") for name in ("born", "admitted")
    ]
    data = cv.read_table(pa.table(columns), cv.Schema((*dates, cv.Column("illness", "sensitive"))))
    method = cv.Slicing(k=5, l=2, columns=1, seed=1)
    found = shown_together(method.anonymise(data).release)
    alone = np.unique(columns["born"], return_counts=True)[1]
    assert found.names == ("born", "admitted")
    assert found.share >= (alone == 1).sum() / 600 > 0.9
    report = cv.Audit(method, effort=cv.Effort().quick(), advise=False, seed=1).run(data)
    assert report.decision.verdict == "do not publish"
    assert "one or two known ones tell another for certain" in str(report.decision.reasons)


@pytest.mark.parametrize("method", [cv.Slicing(k=5, l=2, seed=1), cv.Anatomy(l=3, seed=1)])
def test_what_is_shown_as_it_is_is_not_published(method):
    """Every row of quasi-identifiers stands in the open, and nearly everybody is alone with two of them."""
    data = table(600)
    report = cv.Audit(method, effort=cv.Effort().quick(), advise=False, seed=1).run(data)
    share = shown_together(method.anonymise(data).release).share
    told = "one or two known ones tell" in str(report.decision.reasons)
    assert told == (share > 0.01)
    assert report.decision.verdict != "publish" or not told
