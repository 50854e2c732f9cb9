"""Transactions from dataframes of every kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cloven.data.transactions import Transactions
from cloven.errors import InputError, ParameterError
from cloven.reading.arrow import from_frame

if TYPE_CHECKING:
    from collections.abc import Callable

LISTS = [["flu", "fever"], ["flu"], [], ["e\u0301", "é", 'a,"b"\n']]


def duck(columns: dict[str, Any]) -> duckdb.DuckDBPyRelation:
    table = pa.table(columns)
    return duckdb.connect().from_arrow(table)


MAKERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": duck,
}
every_frame = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())


@every_frame
def test_list_column(make: Callable[[dict[str, Any]], Any]) -> None:
    frame = make({"n": [1, 2, 3, 4], "items": LISTS})
    expected = Transactions.from_records(LISTS)
    assert from_frame(frame) == expected
    assert from_frame(frame, column="items") == expected
    assert from_frame(frame, column="items").source_rows.tolist() == [0, 1, 3]


@every_frame
def test_long_form_with_persons(make: Callable[[dict[str, Any]], Any]) -> None:
    frame = make({"v": [5, 6, 5, 7], "d": ["b", "a", "a", "é"], "p": ["x", "y", "x", "x"]})
    data = from_frame(frame, id_column="v", item_column="d", person="p")
    assert [sorted(record) for record in data] == [["a", "b"], ["a"], ["é"]]
    assert data.persons is not None
    assert data.persons.tolist() == [0, 1, 0]


@every_frame
def test_integers_become_decimal_text(make: Callable[[dict[str, Any]], Any]) -> None:
    assert from_frame(make({"i": [[10, 9], [9]]})).vocabulary == ("10", "9")
    data = from_frame(make({"v": [1, 1], "d": [10, 9]}), id_column="v", item_column="d")
    assert data.vocabulary == ("10", "9")


@every_frame
@pytest.mark.parametrize(
    ("columns", "options", "reason"),
    [
        ({"i": [["a"], ["b", None]]}, {}, "row 1: null item"),
        ({"i": [["a"], None]}, {}, "row 1: null where a list"),
        ({"i": [["a"], ["\t"]]}, {}, "row 1: blank item"),
        ({"i": [["a"]]}, {"column": "x"}, "no column 'x'; the columns are 'i'"),
        ({"v": [1, 2], "d": ["a", None]}, {"id_column": "v", "item_column": "d"}, "row 1: null item"),
        ({"v": ["1", None], "d": ["a", "b"]}, {"id_column": "v", "item_column": "d"}, "row 1: "),
        ({"v": [1, 2], "d": [1.0, 2.0]}, {"id_column": "v", "item_column": "d"}, "float"),
        ({"i": [[1.5], [2.0]]}, {}, "float"),
        ({"n": [1, 2]}, {}, "no column holds lists"),
        ({"i": [["a", "b"]]}, {"max_record_length": 1}, "row 0: 2 items"),
    ],
)
def test_bad_frames_name_row_and_value(make, columns: dict, options: dict, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        from_frame(make(columns), **options)
    assert str(caught.value).startswith("frame: ")
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        ([["a"], ["b", 1]], "row 1: mixed types: int after str; convert all items to text (got '1')"),
        ([["a"], [float("nan")]], "row 1: null item"),
        ([["a"], [pd.NA]], "row 1: null item"),
        ([["a"], "b"], "row 1: expected a list of items, found str"),
        ([["a"], [["b"]]], "row 1: an item must be text or an integer, found list"),
        ([["a"], [True]], "found bool"),
    ],
)
def test_pandas_objects_of_any_kind(items: list[object], reason: str) -> None:
    with pytest.raises(InputError) as caught:
        from_frame(pd.DataFrame({"i": pd.Series(items, dtype=object)}), column="i")
    assert reason in str(caught.value)


def test_pandas_cells_may_be_any_collection() -> None:
    cells = pd.Series([("a", "b"), {"b"}, np.array(["c"]), np.array([], dtype=object)], dtype=object)
    assert from_frame(pd.DataFrame({"i": cells})) == Transactions.from_records([["a", "b"], ["b"], ["c"]])
    numbers = pd.Series([[np.int64(3)], [4]], dtype=object)
    assert from_frame(pd.DataFrame({"i": numbers})).vocabulary == ("3", "4")


def test_categories_are_text() -> None:
    frame = pd.DataFrame({"v": [1, 1, 2], "d": pd.Categorical(["b", "a", "b"])})
    assert [sorted(r) for r in from_frame(frame, id_column="v", item_column="d")] == [["a", "b"], ["b"]]
    assert from_frame(
        pl.DataFrame(frame.to_dict("list")).with_columns(pl.col("d").cast(pl.Categorical)),
        id_column="v",
        item_column="d",
    ).vocabulary == ("a", "b")


def test_a_mixed_column_of_a_long_frame() -> None:
    frame = pd.DataFrame({"v": [1, 2], "d": pd.Series(["a", 2], dtype=object)})
    with pytest.raises(InputError, match="row 1: mixed types"):
        from_frame(frame, id_column="v", item_column="d")


def test_what_is_no_frame_and_what_is_no_choice() -> None:
    with pytest.raises(InputError, match="not a dataframe"):
        from_frame([["a"]])
    with pytest.raises(ParameterError):
        from_frame(pd.DataFrame({"a": [1]}), id_column="a")
    with pytest.raises(InputError, match="no records with items"):
        from_frame(pl.DataFrame({"i": [[]]}, schema={"i": pl.List(pl.String)}))
