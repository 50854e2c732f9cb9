"""A file that cannot be placed: the flags that the one line names can be copied, and work."""

from __future__ import annotations

import json
import re
import shlex

import pytest

ROWS = [
    (1, "it's", "jam"),
    (1, "it's", "rye bread"),
    (2, "me", "jam"),
    (2, "me", "tea"),
    (3, "you", "rye bread"),
]
LISTS = [["jam", "rye bread"], ["jam", "tea"], ["rye bread"]]

# name, content, what the likeliest way to read it finds: records, items
FILES = [
    (
        "orders.data",
        "order no;whose one;an item's name\n" + "".join("{};{};{}\n".format(*r) for r in ROWS),
        3,
        3,
    ),
    ("orders.csv", "order,customer,item\n" + "".join("{},{},{}\n".format(*row) for row in ROWS), 3, 3),
    ("lists.data", "".join(";".join(items) + "\n" for items in LISTS), 3, 3),
    ("lists.tab", "".join("\t".join(items) + "\n" for items in LISTS), 3, 3),
    (
        "cells.csv",
        "who,basket\n" + "".join(f"{n},{'|'.join(items)}\n" for n, items in enumerate(LISTS * 2)),
        6,
        3,
    ),
    ("numbers", "1 2 3\n2 3\n1\n", 3, 3),
    ("spmf.csv", "1 -1 2 -1 -2\n2 -1 -2\n", 2, 2),
    ("records.txt", "".join(json.dumps({"id": 1, "$(touch x) `id`": items}) + "\n" for items in LISTS), 3, 3),
    ("records.json", "".join(json.dumps(items) + "\n" for items in LISTS), 3, 3),
    ("wrong.tsv", "a;b\nc;d\n", 2, 4),
]


def suggested(message: str) -> list[list[str]]:
    """The flags of each suggestion, as a shell would split them."""
    told = message.split("most likely: ")[1]
    return [shlex.split(re.sub(r" \([^()]*\)( \(got .*\))?\n?$", "", way)) for way in told.split("; or ")]


@pytest.mark.parametrize(("name", "content", "records", "items"), FILES, ids=[name for name, *_ in FILES])
def test_the_flags_can_be_copied(cloven, tmp_path, name, content, records, items):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    ended = cloven("describe", path)
    ended.refused(3, "most likely: --format ")
    ways = suggested(ended.err)
    assert 1 <= len(ways) <= 3
    found = [cloven("describe", path, *flags, "--json") for flags in ways]
    assert [each.code for each in found] == [0] * len(ways), ended.err
    data = found[0].json.get("data", found[0].json)
    assert (data["records"], data["items"]) == (records, items), ended.err


def test_names_of_columns_that_are_names_of_options_stay_as_they_are(cloven, tmp_path):
    path = tmp_path / "orders.data"
    path.write_text("id_column,max_bytes item\n1,a\n1,b\n2,a\n", encoding="utf-8")
    cloven("describe", path).refused(3, "--id-column 'id_column' --item-column 'max_bytes item'")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("book.xlsx", b"PK\x03\x04", "cannot be read as an Excel workbook"),
        ("data.db", b"SQLite format 3\0" + bytes(99), "cannot be read as a SQLite database"),
        ("data.csv", b"SQLite format 3\0" + bytes(99), "an SQLite database; export the table as CSV"),
        ("page.html", b"<!DOCTYPE html><html></html>", "HTML or XML"),
        ("one.json", b'{"records": [["a"]]}', "jq .records FILE"),
        ("what.data", b"", "empty"),
    ],
)
def test_what_no_flag_can_read(cloven, tmp_path, nothing_written, name, content, words):
    path = tmp_path / name
    path.write_bytes(content)
    nothing_written()
    ended = cloven("audit", path, "-o", tmp_path / "out")
    ended.refused(3, f"{path}: ", words)
    assert "most likely" not in ended.err
