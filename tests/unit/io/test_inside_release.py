"""No key is written into a release of any kind: what lies there is sent with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cloven as cv
from cloven.errors import OutputError
from tests.golden.tables.make import SCHEMA

PEOPLE = Path(__file__).resolve().parents[2] / "golden" / "tables" / "people.csv"
SETS = (cv.Disassociation(k=3), cv.Coat(k=3))
TABLES = (cv.Mondrian(k=4, l=2), cv.Slicing(l=2), cv.UL(l=2), cv.Anatomy(l=2))


@pytest.mark.parametrize("method", [*SETS, *TABLES], ids=lambda method: type(method).__name__)
def test_nothing_is_written_into_a_release(method, tmp_path):
    data = cv.sample("clinic").take(np.arange(200)) if method in SETS else cv.read_table(PEOPLE, SCHEMA)
    made = method.anonymise(data)
    cv.write_release(made, tmp_path / "out", original=data)
    before = sorted((tmp_path / "out").rglob("*"))
    with pytest.raises(OutputError, match="lies inside the release"):
        cv.write_release(made, tmp_path / "out" / "inner", original=data)
    assert sorted((tmp_path / "out").rglob("*")) == before
