"""A release in parts is held against its original and key: what is changed in either is noticed."""

from __future__ import annotations

import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cloven as cv
from cloven.kinds.disassociated.files import CHUNKS, part_name
from cloven.kinds.disassociated.parts.originals import Original, verify_original
from cloven.kinds.disassociated.private_files import KEY, RECORDS, SUPPRESSED
from cloven.kinds.disassociated.spilled.pipeline import Pipeline
from cloven.kinds.disassociated.spilled.room import Room, Sizes
from cloven.reading.pieces import Pieces
from cloven.storage.parquet import write_table
from cloven.storage.release import read_manifest

COLUMNS = {"key": KEY, "records": RECORDS, "suppressed": SUPPRESSED, "chunks": CHUNKS}


@pytest.fixture(
    scope="module",
    params=[{"rare_items": "withhold"}, {"rare_items": "cluster", "small_clusters": "suppress"}],
    ids=["withhold", "suppress"],
)
def once(request, tmp_path_factory):
    """Both folders of a release in parts, made once, and its records."""
    folder = tmp_path_factory.mktemp("once")
    data = cv.sample("clinic").take(np.arange(250))
    place = folder / "clinic.csv"
    place.write_text("".join(",".join(sorted(record)) + "\n" for record in data), encoding="utf-8")
    method = cv.Disassociation(k=4, max_cluster_size=12, **request.param)
    run = Pipeline(
        method, Room(10**9, 10**4, 10**4, 10**8), Sizes(9, 60), folder / "work", lambda _step, _share: None
    )
    source = Pieces.of(place, format="lines", delimiter=",")
    found = run.run(source, folder / "out", folder / "out.private")
    return folder, Original(found.gathered.names, found.gathered.batches)


@pytest.fixture
def made(once, tmp_path):
    """The same in a folder of its own, to be changed."""
    for name in ("out", "out.private"):
        shutil.copytree(once[0] / name, tmp_path / name)
    return tmp_path, once[1]


def failures(made):
    folder, original = made
    places = (folder / "out", folder / "out.private")
    (folder / "check").mkdir()
    verdict = verify_original(places, read_manifest(folder / "out"), original, folder / "check", 10**4)
    assert list((folder / "check").iterdir()) == [] or not verdict.ok
    return {check.name for check in verdict.failures}


def edited(made, name, part, change):
    """Change the rows of a part, given and taken as Python objects."""
    folder = made[0] / ("out" if name == "chunks" else "out.private")
    place = folder / part_name(name, part)
    table = pq.read_table(place)
    rows = pa.Table.from_pylist(change(table.to_pylist()), schema=table.schema)
    place.unlink()
    write_table(place, COLUMNS[name], {column: rows.column(column) for column in COLUMNS[name]})


def rooted(made):
    return read_manifest(made[0] / "out")["parameters"]["rare_items"] == "withhold"


def test_what_was_made_passes(made):
    assert failures(made) == set()


def swapped(rows, column):
    """Two rows change what they say in a column; those of a chunk of another cluster, so that it matters."""
    one = rows[0]
    other = next(row for row in rows if row[column] != one[column])
    one[column], other[column] = other[column], one[column]
    return rows


def more(items):
    return sorted({*items, "fever", "rash", "cough"})


def first(kind=None, **changed):
    """Change the first row of a kind; a function changes what it is given."""

    def change(rows):
        row = next(row for row in rows if kind in (None, row.get("kind")))
        row |= {name: new(row[name]) if callable(new) else new for name, new in changed.items()}
        return rows

    return change


@pytest.mark.parametrize(
    ("name", "change", "noticed"),
    [
        ("key", lambda rows: rows[1:], "records rebuilt"),
        ("key", lambda rows: [rows[0], *rows], "records rebuilt"),
        ("key", first("record", row=lambda row: row + 1), "rows claimed"),
        ("key", first(items=lambda items: [*items, "zzz"]), "items known"),
        ("records", lambda rows: rows[1:], "records listed"),
        ("records", lambda rows: swapped(rows, "cluster"), "parts in place"),
        ("records", first(cluster=10**6), "cluster members"),
        ("chunks", first("record", items=more), "rows claimed"),
        ("chunks", lambda rows: rows[:-1], "rows claimed"),
        ("suppressed", lambda rows: rows[1:], "records rebuilt"),
        ("suppressed", first(reason="lost"), "reasons"),
    ],
)
def test_changes_are_noticed(made, name, change, noticed):
    edited(made, name, 0, change)
    found = failures(made)
    assert noticed in found or (noticed == "rows claimed" and "term chunks claimed" in found)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("key", first("term", row=1)),
        ("chunks", first("term", items=more)),
        ("chunks", lambda rows: [row for row in rows for _ in range(1 + (row["kind"] == "term"))]),
    ],
)
def test_changes_of_term_chunks_are_noticed(made, name, change):
    if rooted(made):
        pytest.skip("there are no term chunks")
    edited(made, name, 0, change)
    assert "term chunks claimed" in failures(made)


def test_a_record_that_the_source_does_not_have_is_noticed(made):
    folder, original = made

    def fewer():
        for record, offsets, codes in original.batches():
            yield record[:-1], offsets[:-1], codes[: offsets[-2]]

    assert "records rebuilt" in failures((folder, Original(original.names, fewer)))


def test_other_rows_at_the_root_are_noticed(made):
    if not rooted(made):
        pytest.skip("there is no root")
    parts = len(list((made[0] / "out").glob("clusters-*.parquet")))
    edited(made, "chunks", parts, lambda rows: [rows[0] | {"items": ["zzz"]}, *rows[1:]])
    assert {"rows claimed", "items known"} <= failures(made)


def test_a_rare_item_that_is_not_rare_is_noticed(made):
    """What k records hold must not be withheld: the key says so of a whole part."""
    edited(made, "suppressed", 0, lambda rows: [row | {"reason": "rare"} for row in rows] * 4)
    assert {"withheld", "records rebuilt"} & failures(made)


def test_a_part_that_is_missing_is_a_failed_check(made):
    (made[0] / "out.private" / "key-0.parquet").unlink()
    assert failures(made) == {"readable with the key"}


@pytest.mark.parametrize("name", ["key", "records", "suppressed"])
def test_a_number_that_is_missing_is_a_failed_check(made, name):
    edited(made, name, 0, first(record=None))
    assert "readable with the key" in failures(made)


def test_a_cluster_that_is_missing_is_a_failed_check(made):
    edited(made, "records", 0, first(cluster=None))
    assert failures(made) == {"readable with the key"}
