"""Canonical order: rows, items, clusters and joints out of order, ties included."""

from __future__ import annotations

import pytest

from cloven.verification import verify

from .releases import build, changed_arrays, cluster, failed, joint, rows, with_rows


def nodes():
    first = cluster(5, [["ab"] * 3 + ["a"], ["c"] * 3], "x")
    second = cluster(4, [["d"] * 4])
    third, fourth = cluster(4, [["f"] * 3], "z"), cluster(4, [["g"] * 3], "z")
    return [
        joint([["s"] * 3], [first, second]),
        joint([["t"] * 3], [third, fourth]),
        cluster(3, [["e"] * 3], "yz"),
    ]


def test_items_of_a_row_out_of_order():
    changed = rows(build(nodes()))
    at = next(at for at, row in enumerate(changed) if len(row[4]) == 2)
    changed[at] = (*changed[at][:4], changed[at][4][::-1])
    assert failed(verify(with_rows(build(nodes()), changed))) == ["order of items"]


def test_item_twice_in_a_row():
    changed = rows(build(nodes()))
    changed[0] = (*changed[0][:4], changed[0][4] * 2)
    assert failed(verify(with_rows(build(nodes()), changed))) == ["order of items"]


def test_rows_of_a_chunk_out_of_order():
    changed = rows(build(nodes()))
    changed[0], changed[1] = changed[1], changed[0]
    verdict = verify(with_rows(build(nodes()), changed))
    assert failed(verdict) == ["order of rows"]
    assert verdict.failures[0].detail == "row 1 of the same chunk is smaller than row 0"


@pytest.mark.parametrize("where", ["term before records", "shared first", "clusters swapped"])
def test_rows_of_the_file_out_of_order(where):
    changed = rows(build(nodes()))
    keys = {
        "term before records": lambda row: (row[3] == 2, row[0], -row[3], row[1], row[2]),
        "shared first": lambda row: (row[3] != 2, row[0], row[3], row[1], row[2]),
        "clusters swapped": lambda row: (row[3] == 2, -row[0], row[3], row[1], row[2]),
    }
    verdict = verify(with_rows(build(nodes()), sorted(changed, key=keys[where])))
    assert failed(verdict) == ["order of rows"]
    assert "comes before" in verdict.failures[0].detail


def test_order_follows_code_points_not_utf16():
    """U+FF5E comes before U+1F600, although its UTF-16 units are greater."""
    release = build([cluster(3, [[["\uff5e"]] * 3]), cluster(3, [[["\U0001f600"]] * 3])])
    assert release.vocabulary == ("\uff5e", "\U0001f600")
    assert failed(verify(release)) == []
    other = changed_arrays(release, vocabulary=release.vocabulary[::-1])
    assert failed(verify(other)) == ["vocabulary"]
