"""How many cells a table is expected to have, from its first megabyte."""

from __future__ import annotations

import gzip
import random

import pytest

from cloven.data.schema import Schema
from cloven.reading.cells import expected_cells

SCHEMA = Schema.of(["age"], ["illness"])
ROWS = 100_000


@pytest.fixture(scope="module")
def text():
    lots = random.Random(1)
    rows = (f"{lots.randint(20, 90)};{lots.random():.12f};flu {row % 7}" for row in range(ROWS))
    lines = ["age;name, first;illness", *rows]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("packed", [False, True])
def test_cells_of_a_text_file_are_all_its_columns(tmp_path, text, packed):
    path = tmp_path / ("people.csv.gz" if packed else "people.csv")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    assert len(text) > 1 << 20
    assert expected_cells(path, SCHEMA) == pytest.approx(3 * ROWS, rel=0.1)


def test_cells_of_a_parquet_file_are_those_that_are_read(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({name: ["a"] * 50 for name in ("age", "name", "illness")}), path)
    assert expected_cells(path, SCHEMA) == 100


@pytest.mark.parametrize("content", [None, b"PAR1 and no more"])
def test_what_cannot_be_read_is_left_to_the_reader(tmp_path, content):
    path = tmp_path / "people.csv"
    if content is not None:
        path.write_bytes(content)
    assert expected_cells(path, SCHEMA) is None
