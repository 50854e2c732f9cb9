"""Planted faults: orders that tell where rows came from, and keys that do not fit; `cloven verify` sees them.

The manifest and the receipt are made to agree with the fault, so it is the check which is there for the fault that must
find it. The table of what is seen where is in docs/reference/verify.md.
"""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
from spoiling import edit_key, place_of, read


def test_key_rows_permuted(at_key, made):
    edit_key(made, "key.parquet", lambda columns: columns["record"].reverse())
    assert at_key(made) & {"content", "one bucket each"}


def test_everything_marked_as_exchanged(at_key, swapped):
    """It would excuse any cell."""

    def mark(columns):
        columns["attributes"] = [[0, 1, 2, 3] for _ in columns["attributes"]]

    edit_key(swapped, "changed.parquet", mark)
    assert "changed cells" in at_key(swapped)


def test_exchange_that_left_its_rank_group(plant, swapped):
    """Two marked persons show values of another group: all counts stay as they were."""
    release = read(swapped)
    place = place_of(release, "work")
    marks = pq.read_table(swapped.private / "changed.parquet").to_pydict()["attributes"]
    moved = np.array([place in places for places in marks])
    assert moved.any(), "the swap rate selects no work"
    labels = np.array(release.domains[place].labels)[release.cells[:, place]]
    public = np.flatnonzero(moved & np.isin(labels, ("Federal", "State")))
    private = np.flatnonzero(moved & np.isin(labels, ("Private", "Self")))
    assert len(public)
    assert len(private)
    cells = release.cells.copy()
    cells[[public[0], private[0]], place] = cells[[private[0], public[0]], place]
    found = plant(swapped, replace(release, cells=cells))
    assert "changed cells" in found["key"]


def test_key_of_another_release_and_other_data(cloven, coarse, cut, tmp_path):
    other = tmp_path / "other.csv"
    lines = coarse.original.read_text().splitlines()
    other.write_text("\n".join([*lines[:-1], "33,Private,f,zoster"]) + "\n")
    ended = cloven("verify", coarse.out, "--original", other, "--schema", coarse.schema, "--json")
    assert {"marginals", "nothing invented"} <= ended.failed_checks
    known = ["--original", coarse.original, "--schema", coarse.schema]
    ended = cloven("verify", coarse.out, *known, "--private", cut.private, "--json")
    assert ended.code == 1
    assert ended.failed_checks & {"private readable", "receipt"}


def test_a_file_too_many_and_a_path_in_the_metadata(cloven, look, made):
    path = made.out / "attributes.parquet"
    table = pq.read_table(path).replace_schema_metadata({"made from": "/home/eve/patients.csv"})
    pq.write_table(table, path, use_dictionary=False, write_statistics=False, compression="zstd")
    assert all(found == {"parquet layout"} for found in look(made).values())
    shutil.copy(made.private / "key.parquet", made.out / "key.parquet")
    assert "files" in cloven("verify", made.out, "--json").failed_checks
