"""Taxonomies: rows, faults, extending records."""

from __future__ import annotations

import gzip

import pytest

from cloven.data.taxonomy import Taxonomy, read_taxonomy
from cloven.data.transactions import Transactions
from cloven.errors import InputError

ROWS = [["1", "1,2", "1,4", "*"], ["2", "1,2", "1,4", "*"], ["3", "3,4", "1,4", "*"], ["9", "9", "9", "*"]]


def test_chains_leave_out_the_root_and_repeats():
    taxonomy = Taxonomy.from_rows(ROWS)
    assert taxonomy.ancestors("1") == ("1,2", "1,4")
    assert taxonomy.ancestors("9") == ("9",)


def test_extend_adds_each_group_once_and_keeps_leaf_and_group_apart():
    extended = Taxonomy.from_rows(ROWS).extend(Transactions.from_records([["1", "2"], ["9", "3"], ["9"]]))
    assert [sorted(record) for record in extended] == [
        ["1", "1,2", "1,4", "2"],
        ["1,4", "3", "3,4", "9", "9 (group)"],
        ["9", "9 (group)"],
    ]


def test_a_leaf_and_a_group_may_share_a_name():
    taxonomy = Taxonomy.from_rows([["other", "other", "*"], ["x", "other", "*"]])
    (only_x,) = taxonomy.extend(Transactions.from_records([["x"]]))
    assert only_x == {"x", "other (group)"}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "at least one row"),
        ([["a"]], "needs a leaf and a root"),
        ([["a", "", "*"]], "no empty value"),
        ([["a", "g", "*"], ["b", "g", "+"]], "same root"),
        ([["a", "g", "*"], ["a", "h", "*"]], "two parents, 'g' and 'h'"),
        ([["a", "g", "x", "*"], ["b", "g", "y", "*"]], "two parents, 'x' and 'y'"),
        ([["a", "g", "h", "*"], ["b", "h", "g", "*"]], "two parents"),
    ],
)
def test_bad_rows_are_named(rows, message):
    with pytest.raises(InputError, match=message):
        Taxonomy.from_rows(rows)


@pytest.mark.parametrize(
    ("parents", "message"),
    [({"g": "h", "h": "g"}, "cycle"), ({"g": "h"}, "no parent"), ({"g": "*", "*": "g"}, "root cannot")],
)
def test_groups_must_lead_to_the_root(parents, message):
    with pytest.raises(InputError, match=message):
        Taxonomy({"a": "g"}, parents, "*")


def test_items_without_a_leaf_are_named():
    with pytest.raises(InputError, match=r"1 items .* \(got 'zz'\)"):
        Taxonomy.from_rows(ROWS).extend(Transactions.from_records([["1", "zz"]]))
    with pytest.raises(InputError, match="zz"):
        Taxonomy.from_rows(ROWS).ancestors("zz")


@pytest.mark.parametrize("opening", [open, gzip.open])
def test_reading_plain_and_zipped(tmp_path, opening):
    path = tmp_path / "tree"
    with opening(path, "wt") as file:
        file.write("\n".join(";".join(row) for row in ROWS) + "\n\n")
    assert read_taxonomy(path) == Taxonomy.from_rows(ROWS)
    with pytest.raises(InputError, match="more than 10 bytes"):
        read_taxonomy(path, limit=10)


def test_reading_names_file_and_line(tmp_path):
    path = tmp_path / "tree.csv"
    path.write_text("a;g;*\n\na;h;*\n")
    with pytest.raises(InputError, match=r"tree\.csv:3: .*two parents"):
        read_taxonomy(path)
    with pytest.raises(InputError, match="no such file"):
        read_taxonomy(tmp_path / "absent")


@pytest.mark.data
def test_the_bms_tree(data_dir):
    path = data_dir / "transactions" / "treefile_BMS.txt.gz"
    if not path.exists():
        pytest.skip(f"no {path}")
    taxonomy = read_taxonomy(path)
    assert len(taxonomy.leaf_group) == 3340
    assert taxonomy.ancestors("330285") == ("329837,330285", "327519,330285", "305585,330285")
