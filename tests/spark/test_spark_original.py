"""The check against the original on Spark notices what the local one notices, without sharing code with it."""

from __future__ import annotations

import random
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cloven as cv
from cloven.errors import ParameterError
from cloven.kinds.disassociated.spark import checks
from tests.spark.test_spark import LISTS, random_records

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module", params=["withhold", "cluster"])
def made(session, tmp_path_factory, request):
    """Folder with a release in parts, its key, and the original as Parquet."""
    place = tmp_path_factory.mktemp(request.param)
    records = random_records(21, 150, 200)
    session.createDataFrame([(record,) for record in records], LISTS).coalesce(1).write.parquet(
        str(place / "kept" / "source")
    )
    engine = cv.Spark(session, part_clusters=4, part_rows=60)
    small = "suppress" if request.param == "cluster" else "add"
    method = cv.Disassociation(
        k=3, max_cluster_size=9, block_records=50, rare_items=request.param, small_clusters=small
    )
    engine.write(engine.anonymise(method, str(place / "kept" / "source")), place / "out")
    return place


def failures(session, place):
    found = checks.against(session, place / "kept", place / "out", place / "out.private")
    return {check.name for check in found if not check.passed}


def rows_of(place, table):
    files = sorted(place.glob(f"{table}-*.parquet"), key=lambda file: int(file.stem.split("-")[1]))
    return [(file, pq.read_table(file).schema, pq.read_table(file).to_pylist()) for file in files]


def test_what_was_written_passes_and_the_original_is_known_again(session, made):
    assert failures(session, made) == set()
    engine = cv.Spark(session)
    source, private = str(made / "kept" / "source"), made / "out.private"
    verdict = engine.verify(made / "out", original=source, private=private)
    assert verdict.ok, verdict
    assert verdict.level == "key"
    other = session.createDataFrame([(["a"],)] * 3, LISTS)
    broken = {check.name for check in engine.verify(made / "out", original=other, private=private).failures}
    assert broken >= {"input", "records rebuilt"}
    assert not [*made.glob(".cloven-*")]
    with pytest.raises(ParameterError, match="or neither"):
        engine.verify(made / "out", original=source)


def change(folder, table, rng, how):
    """Change one row of a table; False if there is none to change."""
    parts = [part for part in rows_of(folder, table) if part[2]]
    rng.shuffle(parts)
    for file, schema, rows in parts:
        order = list(range(len(rows)))
        rng.shuffle(order)
        for at in order:
            if how(rows, at):
                pq.write_table(pa.Table.from_pylist(rows, schema=schema), file)
                return True
    return False


def drop(rows, at):
    return bool(rows.pop(at))


def again(rows, at):
    rows.append(rows[at])
    return True


def put(column, value):
    def how(rows, at):
        new = value(rows[at][column])
        changed = rows[at][column] != new
        rows[at] = {**rows[at], column: new}
        return changed

    return how


CHANGES = {
    "an item of the key lost": ("private", "key", put("items", lambda items: items[:-1])),
    "an item of the key renamed": ("private", "key", put("items", lambda items: [*items[:-1], "zzz"])),
    "a part of the key lost": ("private", "key", drop),
    "a part of the key twice": ("private", "key", again),
    "a part in another cluster": (
        "private",
        "key",
        put("cluster", lambda cluster: None if cluster is None else cluster + 1),
    ),
    "a part in another row": ("private", "key", put("row", lambda row: row + 1)),
    "a part of another record": ("private", "key", put("record", lambda record: record + 1)),
    "a record lost": ("private", "records", drop),
    "a record twice": ("private", "records", again),
    "a record in another cluster": ("private", "records", put("cluster", lambda cluster: cluster + 1)),
    "a record nobody has": ("private", "records", put("record", lambda record: record + 10_000)),
    "something suppressed lost": ("private", "suppressed", drop),
    "something suppressed twice": ("private", "suppressed", again),
    "a published row lost": ("public", "chunks", drop),
    "a published row twice": ("public", "chunks", again),
    "a published row changed": ("public", "chunks", put("items", lambda items: [*items[:-1], "zzz"])),
    "a published size changed": ("public", "clusters", put("size", lambda size: size + 1)),
}


IN_TERM_CHUNKS = ("a published row lost", "a part of the key twice", "something suppressed lost")


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_is_noticed(session, made, tmp_path, name):
    if made.name.startswith("cluster") and name not in IN_TERM_CHUNKS:
        pytest.skip("tried with a root")
    where, table, how = CHANGES[name]
    shutil.copytree(made, tmp_path / "copy")
    folder = tmp_path / "copy" / ("out" if where == "public" else "out.private")
    if not change(folder, table, random.Random(name), how):
        pytest.skip("this release has nothing of that")
    assert failures(session, tmp_path / "copy"), name


def test_withholding_what_is_not_rare_is_noticed(session, made, tmp_path):
    """Rows of the root become withheld occurrences: everything adds up, but k people have the item."""
    shutil.copytree(made, tmp_path / "copy")
    private, rooted = tmp_path / "copy" / "out.private", False
    gone = []
    for file, schema, rows in rows_of(private, "key"):
        stay = [row for row in rows if row["kind"] != "shared" or row["chunk"] != 0]
        gone += [row for row in rows if row["kind"] == "shared" and row["chunk"] == 0]
        rooted = rooted or bool(gone)
        pq.write_table(pa.Table.from_pylist(stay, schema=schema), file)
    if not rooted:
        pytest.skip("no root")
    file, schema, rows = rows_of(private, "suppressed")[0]
    rows += [{"record": row["record"], "items": row["items"], "reason": "rare"} for row in gone]
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), file)
    found = failures(session, tmp_path / "copy")
    assert "withheld" in found
    assert "records rebuilt" not in found
