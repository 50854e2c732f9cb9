"""Planted faults: tables that promise more than they keep; `cloven verify` sees them.

The manifest and the receipt are made to agree with the fault, so it is the check which is there for the fault that must
find it. The table of what is seen where is in docs/reference/verify.md.
"""

from __future__ import annotations

from dataclasses import replace

import pyarrow.parquet as pq
import pytest
from spoiling import LEVELS, edit_manifest, place_of, read, with_cells, write_table_again


def test_nothing_planted_nothing_found(plant, made):
    release = read(made)
    assert plant(made, with_cells(release, release.cells)) == {level: set() for level in LEVELS}


def test_more_is_promised_than_is_kept(plant, made):
    release = read(made)
    size = "bucket size" if hasattr(release, "bucket_offsets") else "class size"
    found = plant(made, replace(release, k=200))
    assert all(size in found[level] for level in LEVELS)


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        ({"counts": {"records": 999}}, "counts"),
        ({"parameters": {"invented_rows": True}}, "parameters"),
        ({"unsafe": True}, "not unsafe"),
    ],
    ids=str,
)
def test_edited_manifest(look, made, change, seen):
    edit_manifest(made, **change)
    found = look(made)
    assert all(seen in found[level] for level in LEVELS), found


def test_class_below_k(plant, coarse):
    release = read(coarse)
    release = replace(release, cells=release.cells[1:])
    found = plant(coarse, replace(release, k=5))
    if not found["release"]:  # the first class was large enough
        pytest.fail("no class of exactly k rows")
    assert all("class size" in found[level] for level in LEVELS)
    assert "number of rows" in found["original"]


def test_sensitive_value_that_breaks_l_in_a_class(plant, coarse):
    release = read(coarse)
    known = [place for place, domain in enumerate(release.domains) if not domain.sensitive]
    first = (release.cells[:, known] == release.cells[0, known]).all(axis=1)
    cells = release.cells.copy()
    cells[first, place_of(release, "illness")] = 0
    found = plant(coarse, with_cells(release, cells))
    assert all("distinct-l of illness" in found[level] for level in LEVELS)
    assert "marginals" in found["original"]


def test_sensitive_value_that_breaks_l_in_a_bucket(plant, swapped):
    release = read(swapped)
    cells = release.cells.copy()
    cells[: release.bucket_offsets[1], place_of(release, "illness")] = 0
    found = plant(swapped, with_cells(release, cells))
    assert all("l-diversity of buckets" in found[level] for level in LEVELS)


def test_sensitive_value_that_breaks_l_over_matching_buckets(plant, cut):
    """Only who knows the quasi-identifiers of everybody can see it."""
    release = read(cut)
    cells, place = release.cells.copy(), place_of(release, "illness")
    half = len(cells) // 2
    cells[:half, place] = cells[0, place]
    found = plant(cut, with_cells(release, cells))
    assert "l-diversity by matching buckets" in found["original"]
    assert "l-diversity by matching buckets" in found["key"]


def test_sensitive_attribute_published_as_a_known_one(look, made):
    """Then nothing would have to be diverse."""
    path = made.out / "attributes.parquet"
    table = pq.read_table(path).to_pydict()
    table["role"] = ["quasi-identifier"] * len(table["role"])
    write_table_again(path, table)
    found = look(made)
    assert "parameters" in found["release"] or "distinct-l of illness" in found["release"]
    assert "attributes" in found["original"]
