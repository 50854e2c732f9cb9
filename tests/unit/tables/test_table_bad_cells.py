"""Cells, schemas and trees that are not what they seem: exact where they can be, else a line says what is wrong."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from cloven.data.schema import Column, Schema
from cloven.errors import InputError, ParameterError
from cloven.reading.schema_file import read_schema, schema_of
from cloven.reading.tables import load_table, read_table

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

LONG = Decimal("12345678901234567890.12")


def read(cells, missing="refuse", missing_values=("", "?"), **column):
    frame = pa.table({"x": cells}) if isinstance(cells, pa.Array | list) else cells
    return read_table(frame, Schema((Column("x", "quasi-identifier", **column),), missing, missing_values))


def values(cells, **more):
    table = read(cells, **more)
    return table.attributes[0].values, table.codes[:, 0].tolist()


EXACT = {
    "long integers": (pa.array([2**60 + 1, 2**60 + 2]), (str(2**60 + 1), str(2**60 + 2))),
    "unsigned": (pa.array([1, 2**64 - 1], pa.uint64()), ("1", str(2**64 - 1))),
    "decimals": (pa.array([LONG, LONG + Decimal("0.01")]), (str(LONG), "12345678901234567890.13")),
    "short decimals": (pa.array([Decimal("1.50"), Decimal("2.00")]), ("1.5", "2")),
    "floats": (pa.array([1.0, 2.5]), ("1", "2.5")),
    "infinite": (pa.array([1.0, float("inf")]), ("1", "inf")),
}


@pytest.mark.parametrize("what", EXACT)
def test_categories_that_are_numbers_stay_what_they_are(what):
    cells, told = EXACT[what]
    assert values(cells, kind="category") == (told, [0, 1])


@pytest.mark.parametrize(
    "cells",
    [pa.array([2**60 + 1, 1]), pa.array([LONG, LONG + Decimal("0.01")]), pa.array([float("inf")])],
)
def test_numbers_that_floats_cannot_hold_are_refused(cells):
    with pytest.raises(InputError, match=r"'x'.*too long or infinite; choose kind = 'category'"):
        read(cells)


def test_decimals_are_numbers():
    assert values(pa.array([Decimal("0.10"), Decimal("2.00")])) == (("0.1", "2"), [0, 1])


def frame(column):
    return pd.DataFrame({"x": column})


UNREADABLE = {
    "large binary": pa.array([b"\xff", b"b"], pa.large_binary()),
    "fixed binary": pa.array([b"\xffa", b"bb"], pa.binary(2)),
    "month interval": pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
    "lists": frame([[1], [2]]),
    "arrays": frame([np.array([1, 2]), np.array([1, 2])]),
    "objects": pl.DataFrame({"x": pl.Series([object(), 1], dtype=pl.Object)}),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_cells_that_are_no_single_value(what):
    with pytest.raises(InputError, match=r"column 'x' holds .*, not one value per row"):
        read(UNREADABLE[what])


READABLE = {
    "periods": (frame(pd.period_range("2020-01-01", periods=2)), ("2020-01-01", "2020-01-02")),
    "intervals": (frame(pd.interval_range(0, 2)), ("(0, 1]", "(1, 2]")),
    "bins": (frame(pd.cut([1, 2], [0, 1, 2])), ("(0, 1]", "(1, 2]")),
    "128 bits": (pl.DataFrame({"x": pl.Series([1, 2], dtype=pl.Int128)}), ("1", "2")),
    "days": (pa.array([date(2020, 1, 1), date(2021, 1, 1)]), ("2020-01-01", "2021-01-01")),
}


@pytest.mark.parametrize("what", READABLE)
def test_unusual_cells_are_texts(what):
    cells, told = READABLE[what]
    assert values(cells) == (told, [0, 1])


def test_names_of_pandas_columns_may_be_numbers():
    table = read_table(pd.DataFrame({0: [1, 2], 1: ["a", "b"]}), Schema.of(["0"], ["1"]))
    assert table.row(1) == ("2", "b")


def test_a_frame_with_a_column_twice():
    with pytest.raises(InputError, match="'x' stands twice"):
        read(pd.DataFrame([[1, 2]], columns=["x", "x"]))
    with pytest.raises(InputError, match="stands twice"):
        read_table(pd.DataFrame([[1, 2]], columns=[0, "0"]), Schema.of(["0"]))


@pytest.mark.parametrize("cells", [[999, 5], [999.0, 5.0], ["999", "5"], [Decimal(999), Decimal(5)]])
@pytest.mark.parametrize("kind", [None, "category"])
def test_values_that_stand_for_none_do_so_in_every_kind_of_cell(cells, kind):
    assert values(cells, missing="drop", missing_values=("999",), kind=kind)[0] == ("5",)


def test_a_real_value_is_not_taken_for_a_missing_one():
    with pytest.raises(InputError, match=r"'x' holds the value '\(missing\)'.*rename"):
        read(["(missing)", None], missing="keep")
    assert values(["(missing)", "a"], missing="keep")[0] == ("(missing)", "a")


def test_twins_of_unicode_are_told():
    twins = pa.table({"x": ["caf\u00e9", "cafe\u0301", "tea"]})
    found = load_table(twins, Schema.of(["x"]))
    assert len(found.table.attributes[0].values) == 3
    assert found.report() == (
        "column 'x' has values that look the same and differ in how letters are stored (Unicode), such as 'caf\u00e9':"
        " they count as different; store them alike (NFC)",
    )


TREES = {
    "one number twice": ({"a": ["07", "7"], "b": ["8"]}, "'07' and '7'"),
    "no number": ({"a": ["nan", "7"], "b": ["8"]}, "'nan'"),
    "no finite number": ({"a": ["inf", "7"], "b": ["8"]}, "'inf'"),
}


@pytest.mark.parametrize("fault", TREES)
def test_trees_of_numbers(fault):
    tree, words = TREES[fault]
    with pytest.raises(InputError, match=words):
        read([7, 8], tree=tree)


def test_deep_trees():
    tree = None
    for level in range(3000):
        tree = {f"g{level}": tree}
    with pytest.raises(InputError, match="nested too deeply"):
        read(["g0"], tree=tree)


def test_a_schema_that_says_two_things(tmp_path):
    path = tmp_path / "schema.json"
    path.write_text('{"columns": {"zip": "quasi-identifier", "zip": "ignored"}}')
    with pytest.raises(InputError, match=r"schema\.json.*'zip' stands twice"):
        read_schema(path)


@pytest.mark.parametrize("suffix", ["json", "toml"])
def test_a_schema_without_bottom(tmp_path, suffix):
    path = tmp_path / f"schema.{suffix}"
    path.write_text('{"x":' * 100_000 if suffix == "json" else "x = " + "[" * 100_000)
    with pytest.raises(InputError, match="nested too deeply"):
        read_schema(path)


@pytest.mark.parametrize("delimiter", ["||", 5, "", '"', "\n"])
def test_delimiters(delimiter):
    content = {"columns": {"x": "quasi-identifier"}, "delimiter": delimiter}
    with pytest.raises(InputError, match="delimiter must be one character"):
        schema_of(json.loads(json.dumps(content)))


@pytest.mark.parametrize("wrong", ["999", (999,)])
def test_missing_values_are_texts(wrong):
    with pytest.raises(ParameterError, match="missing_values must be texts"):
        Schema((Column("x", "quasi-identifier"),), missing_values=wrong)


def test_nul_characters_are_refused_whatever_holds_them(tmp_path):
    """Programs that read the published table would end the cell there."""
    schema = Schema((Column("x", "quasi-identifier"),))
    for cells in (["a", "b\0c"], pd.DataFrame({"x": ["a", "b\0c"]}), pl.DataFrame({"x": ["a", "b\0c"]})):
        with pytest.raises(InputError, match=r"row 1: column 'x' holds a text with a NUL character"):
            read(cells)
    (tmp_path / "t.csv").write_bytes(b"x\na\nb\0c\n")
    with pytest.raises(InputError, match=r"t\.csv:3: holds NUL bytes"):
        read_table(tmp_path / "t.csv", schema)
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"x": ["a", "b\0c"]}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match="holds a text with a NUL character"):
        read_table(tmp_path / "t.parquet", schema)
