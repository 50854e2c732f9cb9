"""Counts files: round trip, what is not listed, bad lines."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloven.errors import InputError, OutputError, ParameterError
from cloven.relatedness.counts import CountsFile, write_counts
from cloven.relatedness.counts_index import ClosedIndex

HEADER = {
    "format": "cloven.counts/1",
    "source": "s",
    "date": "2024-05-01",
    "documents": 9,
    "unlisted": "unknown",
}


def everything(counted):
    items = np.arange(len(counted.single))
    return counted.together(items, items).tolist()


def written(path, *lines, **header):
    path.write_text("".join(json.dumps(line) + "\n" for line in [HEADER | header, *lines]), encoding="utf-8")
    return CountsFile(path)


@given(documents=st.lists(st.sets(st.text(max_size=3), max_size=4), min_size=1, max_size=6).filter(any))
def test_written_counts_are_read_back(tmp_path_factory, documents):
    path = tmp_path_factory.mktemp("counts") / "counts.jsonl"
    index = ClosedIndex.build(documents, source="any text\n\t", date="2024-05-01")
    items = [*index.terms, "surely unknown"]
    write_counts(path, items, index)
    counted, again = index.count(items), CountsFile(path).count(items)
    assert everything(again) == everything(counted)
    assert again.single.tolist() == counted.single.tolist()
    assert (again.documents, again.source, again.date) == (len(documents), "any text\n\t", "2024-05-01")
    assert again.unlisted == 0


def test_unknown_is_not_never(tmp_path):
    lines = [["a", 4], ["b", 3], ["c", 2], ["b", "a", 2], ["b", "c", 0]]
    some = written(tmp_path / "some", *lines)
    write_counts(tmp_path / "again", ["c", "b", "a"], some)  # and stays unknown when it is written again
    assert everything(CountsFile(tmp_path / "again").count("abc")) == everything(some.count("abc"))
    assert everything(some.count(["a", "b", "c", "d"])) == [
        [4, 2, -1, -1],
        [2, 3, 0, -1],
        [-1, 0, 2, -1],
        [-1, -1, -1, 0],
    ]
    counted = written(tmp_path / "all", *lines, unlisted="never").count(["c", "a"])
    assert everything(counted) == [[2, 0], [0, 4]]


def test_counts_beyond_32_bits(tmp_path):
    counted = written(
        tmp_path / "web", ["a", 10**12], ["b", 10**11], ["a", "b", 10**10], documents=10**13
    ).count("ab")
    assert everything(counted) == [[10**12, 10**10], [10**10, 10**11]]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", r':3: expected \["item", count\].*\(got \'nonsense\'\)'),
        ('{"b": 1}', r":3: expected \[\"item\", count\]"),
        ('["a", 1, 1]', r":3: expected \[\"item\", count\]"),
        ('["b", -1]', r":3: expected a count: a whole number from 0 on"),
        ('["b", true]', r":3: expected a count"),
        (f'["b", {10**30}]', r":3: expected \[\"item\", count\]"),
        ('["a", 2]', r":3: is listed twice"),
        ('["a", "a", 2]', r":3: expected two different items"),
        ('["a", "b", 2]', r":3: 'b' has no count of its own before"),
        ('["b", 3]\n["a", "b", 2]\n["b", "a", 2]', r":5: is listed twice"),
    ],
)
def test_bad_line_is_named(tmp_path, line, message):
    path = tmp_path / "counts"
    path.write_text(f'{json.dumps(HEADER)}\n["a", 1]\n{line}\n')
    with pytest.raises(InputError, match=f"{path}{message}"):
        CountsFile(path).count(["a"])


@pytest.mark.parametrize("field", ["format", "source", "date", "documents", "unlisted"])
@pytest.mark.parametrize("value", [None, "x", [1]])
def test_bad_first_line_is_named(tmp_path, field, value):
    if value == "x" and field in ("source", "date"):
        value = 1
    with pytest.raises(InputError, match=r':1: expected \{"format": "cloven.counts/1"'):
        written(tmp_path / "counts", **{field: value}).count("ab")


def test_files_that_are_no_counts(tmp_path):
    (tmp_path / "empty").write_text("")
    with pytest.raises(InputError, match=r"empty:1: expected"):
        CountsFile(tmp_path / "empty").count("ab")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        CountsFile(tmp_path / "bytes").count("ab")
    with pytest.raises(InputError, match="absent: cannot be read: No such file"):
        CountsFile(tmp_path / "absent").count("ab")


def test_bad_requests_to_write(tmp_path):
    index = ClosedIndex.build([["a", "b"]])
    with pytest.raises(ParameterError, match="an item is named twice"):
        write_counts(tmp_path / "counts", ["a", "a"], index)
    with pytest.raises(OutputError, match="cannot write the counts"):
        write_counts(tmp_path / "no" / "counts", ["a", "b"], index)
    assert list(tmp_path.iterdir()) == []
