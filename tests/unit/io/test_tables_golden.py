"""Published tables as they lie on disk: this folder was written by the ``make.py`` in it."""

from __future__ import annotations

from pathlib import Path

import pytest

import cloven as cv
from cloven.storage.inspection import verify_folder
from tests.golden.tables.make import SCHEMA, TOWNS, rows

FOLDER = Path(__file__).resolve().parents[2] / "golden" / "tables"


@pytest.fixture(scope="module")
def original():
    return cv.read_table(FOLDER / "people.csv", SCHEMA)


@pytest.mark.parametrize("name", ["coarse", "sliced"])
def test_golden_folder_is_verified(name, original):
    verdict = verify_folder(FOLDER / name, original=original, private=FOLDER / f"{name}.private")
    assert verdict.ok, str(verdict)
    assert verdict.level == "key"


def test_golden_folders_are_read(original):
    coarse, sliced = (cv.read_release(FOLDER / name) for name in ("coarse", "sliced"))
    assert coarse.records == sliced.records == len(rows()) == len(original)
    assert set(TOWNS) <= {value for domain in sliced.domains for value in domain.values}


def test_mondrian_still_makes_the_golden_release(original, tmp_path):
    cv.write_release(cv.Mondrian(k=4, l=2).anonymise(original), tmp_path / "coarse", original=original)
    for place in (FOLDER / "coarse").glob("*.parquet"):
        assert (tmp_path / "coarse" / place.name).read_bytes() == place.read_bytes()
