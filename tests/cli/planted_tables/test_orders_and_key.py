"""Planted faults: orders that tell where rows came from, and keys that do not fit; `cloven verify` sees them.

The manifest and the receipt are made to agree with the fault, so it is the check which is there for the fault that must
find it. The table of what is seen where is in docs/reference/verify.md.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow.parquet as pq
from spoiling import LEVELS, edit_key, place_of, read, with_cells


def test_rows_in_input_order(plant, made):
    release = read(made)
    end = len(release) if not hasattr(release, "bucket_offsets") else int(release.bucket_offsets[1])
    cells = release.cells.copy()
    column = list(range(4)) if not hasattr(release, "bucket_offsets") else list(release.columns[0])
    cells[:end, column] = cells[:end, column][::-1]
    found = plant(made, replace(release, cells=cells))
    assert all("canonical order" in found[level] for level in LEVELS)


def test_buckets_in_input_order(plant, cut):
    release = read(cut)
    first, second, *rest = (release.cells[a:b] for a, b in pairwise(release.bucket_offsets.tolist()))
    cells = np.concatenate([second, first, *rest])
    offsets = np.cumsum([0, len(second), len(first), *map(len, rest)])
    found = plant(cut, replace(release, cells=cells, bucket_offsets=offsets))
    assert found["release"] == found["original"] == {"canonical order"}


def test_cells_in_input_order(plant, made):
    """Two cells of an attribute change their numbers everywhere."""
    release = read(made)
    place = place_of(release, "illness")
    domain = release.domains[place]
    order = np.arange(len(domain.labels))
    order[[0, 1]] = [1, 0]
    moved = replace(
        domain, labels=tuple(domain.labels[cell] for cell in order), members=domain.members[order].copy()
    )
    cells = release.cells.copy()
    cells[:, place] = order[cells[:, place]]
    other = (*release.domains[:place], moved, *release.domains[place + 1 :])
    found = plant(made, with_cells(replace(release, domains=other), cells))
    assert all("canonical order" in found[level] for level in LEVELS)


def test_key_rows_permuted(at_key, made):
    edit_key(made, "key.parquet", lambda columns: columns["record"].reverse())
    assert at_key(made) & {"content", "one bucket each"}


def test_key_with_somebody_twice(at_key, made):
    def twice(columns):
        columns["record"][0] = columns["record"][-1]

    edit_key(made, "key.parquet", twice)
    assert "persons" in at_key(made)


def test_key_with_a_part_of_nobody(at_key, made):
    def nobody(columns):
        columns["record"][0] = None

    edit_key(made, "key.parquet", nobody)
    assert "persons" in at_key(made)


def test_exchanges_that_are_not_marked(at_key, swapped):
    def unmark(columns):
        columns["attributes"] = [[] for _ in columns["attributes"]]

    edit_key(swapped, "changed.parquet", unmark)
    assert at_key(swapped) == {"content"}


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
