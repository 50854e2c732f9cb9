"""Rows of a release may repeat themselves without end: what is written is never refused as a bomb when it is read."""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import pytest

import cloven as cv
from cloven.intake.files import MOST_TIMES
from cloven.intake.pages import most_bytes

RECORDS = 40_000


@pytest.fixture
def alike(monkeypatch):
    """More people than a small table has (readers here take less for one), who all have the same."""
    monkeypatch.setattr("cloven.intake.packing.NEVER_LESS", 1 << 20)
    return cv.Transactions(
        offsets=np.arange(0, 2 * RECORDS + 1, 2),
        codes=np.tile(np.array([0, 1], np.int32), RECORDS),
        vocabulary=("fever", "flu"),
    )


def test_a_release_of_people_who_are_all_alike_is_read_again(alike, tmp_path):
    made = cv.Disassociation(k=5, m=2, max_cluster_size=1000).anonymise(alike)
    cv.write_release(made, tmp_path / "out", original=alike)
    assert cv.verify_folder(tmp_path / "out").ok
    found = cv.read_release(tmp_path / "out")
    assert found.records == RECORDS
    for place in (tmp_path / "out" / "chunks.parquet", tmp_path / "out.private" / "key.parquet"):
        with place.open("rb") as handle:
            assert most_bytes(handle) <= MOST_TIMES * place.stat().st_size


def test_what_packs_as_usual_keeps_its_packing(tmp_path):
    data = cv.sample("clinic")
    cv.write_release(cv.Disassociation().anonymise(data), tmp_path / "out", original=data)
    found = pq.read_metadata(tmp_path / "out" / "chunks.parquet")
    assert found.row_group(0).column(0).compression == "ZSTD"
