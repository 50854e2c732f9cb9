"""Eliminations on disk: what is written is read back, and bad files are named."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cloven as cv
from cloven.errors import ReleaseError
from cloven.kinds.generalised.guesses import RowAnswer, tables
from cloven.kinds.generalised.guesses_files import read_eliminations, write_eliminations


@pytest.fixture(scope="module")
def release():
    return cv.Coat(k=5, m=1).anonymise(cv.sample("clinic")).release


@pytest.fixture(scope="module")
def found(release):
    return cv.attacks.Elimination(cv.relatedness.Vectors.sample()).guess(release)


@pytest.fixture
def folder(release, found, tmp_path):
    write_eliminations(found, release, tmp_path / "out", control=found)
    return tmp_path / "out"


def test_what_is_written_is_read_back(folder, release, found):
    for place in (folder, folder / "control"):
        again = read_eliminations(place, release, tables(release))
        for name in ("eliminated", "confidence", "order", "answer"):
            assert np.array_equal(getattr(again, name), getattr(found, name)), name
        assert again.attack == found.attack
        assert again.notes == found.notes
    assert (folder.stat().st_mode & 0o777) == 0o700


def test_cells_may_be_left_out_and_stand_in_any_order(folder, release, found):
    path = folder / "cells.parquet"
    table = pq.read_table(path)
    pq.write_table(table.take(np.arange(len(table))[::-2]), path)
    (folder / "rows.parquet").unlink()
    again = read_eliminations(folder, release, tables(release))
    kept = np.arange(len(table))[::-2]
    assert np.array_equal(again.confidence[kept], found.confidence[kept])
    left = np.setdiff1d(np.arange(len(table)), kept)
    assert not again.eliminated[left].any()
    assert (again.answer == RowAnswer.INFORMED).all()


def put(column, value):
    def change(table):
        at = table.column_names.index(column)
        values = table.column(column).to_pylist()
        return table.set_column(at, column, pa.array([value, *values[1:]], table.schema.field(column).type))

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("item", "unicorn"), "item should be an item of the release"),
        (put("row", 10**6), "every cell should be an item of a generalised item that its row shows"),
        (put("row", -1), "every cell should be"),
        (put("block", 0), "every cell should be"),
        (put("added", 1.5), "added should be from 0 to 1"),
        (put("added", None), "cells should be without null"),
        (lambda table: pa.concat_tables([table, table]), "the same cell twice"),
        (lambda table: table.drop_columns(["order"]), "columns should be"),
        (
            lambda table: table.set_column(0, "block", pa.array(["x"] * len(table))),
            "wrong type.*eliminations-format",
        ),
    ],
)
def test_bad_cells_are_named(folder, release, change, words):
    path = folder / "cells.parquet"
    pq.write_table(change(pq.read_table(path)), path)
    with pytest.raises(ReleaseError, match=words):
        read_eliminations(folder, release, tables(release))


def test_other_releases_and_other_folders_are_named(folder, release, tmp_path):
    other = cv.Coat(k=6, m=1).anonymise(cv.sample("clinic")).release
    with pytest.raises(ReleaseError, match="about another release"):
        read_eliminations(folder, other, tables(other))
    with pytest.raises(ReleaseError, match=r"cannot be read as eliminations, it has no eliminations\.json"):
        read_eliminations(tmp_path, release, tables(release))
    rows = folder / "rows.parquet"
    pq.write_table(put("answer", "perhaps")(pq.read_table(rows)), rows)
    with pytest.raises(ReleaseError, match="answer should be one of informed, no_context, no_score"):
        read_eliminations(folder, release, tables(release))
