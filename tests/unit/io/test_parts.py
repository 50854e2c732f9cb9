"""Releases in many parts: read as one, verified whole or part by part, and refused where they are wrong."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cloven as cv
from cloven.errors import OutputError, ReleaseError
from cloven.kinds.disassociated.files import part_name
from cloven.kinds.disassociated.parts.checks import in_parts as lies_in_parts
from cloven.kinds.disassociated.parts.checks import verify_parts
from cloven.storage.inspection import verify_whole
from cloven.storage.release import read_manifest
from tests.unit.io.divided import in_parts, signed, write_part


def both(folder):
    """Whether it verifies whole, and part by part."""
    assert lies_in_parts(folder, read_manifest(folder))
    return verify_whole(folder).ok, cv.verify_folder(folder).ok


@pytest.fixture(scope="module", params=["withhold", "cluster"])
def once(request, tmp_path_factory):
    """Folder of a release in parts, made once, and the release."""
    folder = tmp_path_factory.mktemp("once")
    method = cv.Disassociation(k=3, m=2, max_cluster_size=15, rare_items=request.param)
    result = method.anonymise(cv.sample("clinic"))
    cv.write_release(result, folder / "out")
    in_parts(folder / "out", 20, 100)
    return folder, result.release


@pytest.fixture
def release(once, tmp_path):
    """The same in a folder of its own, to be changed."""
    for name in ("out", "out.private"):
        shutil.copytree(once[0] / name, tmp_path / name)
    return tmp_path / "out", once[1]


def test_parts_are_read_as_one(release):
    folder, whole = release
    assert not (folder / "chunks.parquet").exists()
    assert len(list(folder.glob("clusters-*.parquet"))) > 3
    assert cv.read_release(folder) == whole
    assert both(folder) == (True, True)


def edited(folder, name, number, change):
    """Change the rows of a part, given and taken as Python objects, and sign it."""
    table = pq.read_table(folder / part_name(name, number))
    rows = change(table.to_pylist())
    write_part(folder, name, number, pa.Table.from_pylist(rows, schema=table.schema))
    signed(folder)


def test_a_missing_part_is_noticed(release):
    folder, _ = release
    (folder / part_name("chunks", 1)).unlink()
    with pytest.raises(ReleaseError):
        cv.read_release(folder)
    assert not verify_whole(folder).ok
    assert not cv.verify_folder(folder).ok


def test_a_changed_part_is_noticed(release):
    folder, _ = release
    table = pq.read_table(folder / part_name("chunks", 1))
    write_part(folder, "chunks", 1, table.slice(1))  # the manifest speaks of another
    assert both(folder) == (False, False)


def test_a_rare_row_is_noticed(release):
    folder, _ = release

    def lonely(rows):
        first = rows[0]["items"]
        rows[0]["items"] = ["zzz-rare", *first][:1]
        return sorted(
            rows, key=lambda row: (row["cluster"], row["kind"] == "term", row["chunk"], row["items"])
        )

    edited(folder, "chunks", 1, lonely)
    assert both(folder) == (False, False)


def test_order_over_the_ends_of_parts_is_noticed(release):
    """Two whole parts change places: each of them is in order."""
    folder, _ = release

    def moved(by):
        return lambda rows: [row | {"cluster": row["cluster"] + by} for row in rows]

    for name in ("clusters", "chunks"):
        one, two = (pq.read_table(folder / part_name(name, number)) for number in (0, 1))
        write_part(folder, name, 0, pa.Table.from_pylist(moved(-20)(two.to_pylist()), schema=two.schema))
        write_part(folder, name, 1, pa.Table.from_pylist(moved(20)(one.to_pylist()), schema=one.schema))
    signed(folder)
    assert both(folder) == (False, False)


def test_uneven_parts_are_noticed(release):
    folder, _ = release
    edited(folder, "clusters", 0, lambda rows: rows[:-1])
    assert not verify_whole(folder).ok
    assert not cv.verify_folder(folder).ok


def test_wrong_counts_are_noticed(release):
    folder, _ = release
    manifest = json.loads((folder / "manifest.json").read_text())
    signed(folder, counts=manifest["counts"] | {"rows": 1})
    assert both(folder) == (False, False)


def test_a_note_beside_the_parts_is_noticed(release):
    folder, _ = release
    (folder / "chunks-77.parquet").write_bytes(b"PAR1")
    assert both(folder) == (False, False)


def root_parts(folder):
    return len(list(folder.glob("clusters-*.parquet"))), len(list(folder.glob("chunks-*.parquet")))


@pytest.mark.parametrize("once", ["withhold"], indirect=True)
@pytest.mark.parametrize("fault", ["below k", "twice", "two items", "too many", "numbering"])
def test_faults_of_the_root_are_noticed(release, fault):
    folder, whole = release
    first, last = root_parts(folder)
    assert last > first + 1

    def change(rows):
        chunk = rows[0]["chunk"]
        mine = [row for row in rows if row["chunk"] == chunk]
        if fault == "below k":
            return mine[:2]
        if fault == "twice":
            return [row | {"items": rows[0]["items"]} for row in rows]
        if fault == "two items":
            return [row | {"items": sorted({*row["items"], "zzz"})} for row in rows]
        if fault == "numbering":
            return [row | {"chunk": row["chunk"] + 1} for row in rows]
        return mine[:1] * (whole.records + 1)

    for number in range(first + 1, last):
        (folder / part_name("chunks", number)).unlink()
    edited(folder, "chunks", first, change)
    assert both(folder) == (False, False)
    named = {check.name for check in verify_parts(folder, map).failures}
    assert ("readable" if fault == "two items" else "chunks of the root") in named


def test_the_readme_tells_of_parts_and_what_it_says_runs(release, monkeypatch):
    import duckdb

    from cloven.storage.readme import README, readmes

    folder, whole = release
    (folder / README).write_bytes(readmes(read_manifest(folder))[0])
    assert both(folder) == (True, True)
    text = (folder / README).read_text()
    assert "chunks-*.parquet" in text
    monkeypatch.chdir(folder)
    rows = duckdb.sql(text.partition("```sql\n")[2].partition("```")[0]).fetchall()
    assert len(rows) == 10
    assert {name for name, _ in rows} <= set(whole.vocabulary)


def test_a_key_is_not_written_into_a_release_in_parts(release):
    folder, _ = release
    result = cv.Disassociation(k=3).anonymise(cv.sample("clinic"))
    with pytest.raises(OutputError, match="lies inside the release"):
        cv.write_release(result, folder / "again")


def test_the_key_is_read_from_parts(tmp_path):
    result = cv.Disassociation(k=3).anonymise(cv.sample("clinic"))
    cv.write_release(result, tmp_path / "out")
    private = tmp_path / "out.private"
    for name in ("key", "records", "suppressed"):
        table = pq.read_table(private / f"{name}.parquet")
        (private / f"{name}.parquet").unlink()
        half = len(table) // 2
        for number, part in enumerate((table.slice(0, half), table.slice(half))):
            pq.write_table(part, private / part_name(name, number))
    assert cv.read_key(private, result.release) == result.key


@pytest.fixture(scope="module", params=["withhold", "cluster"])
def grown(request, tmp_path_factory):
    """Folder of a release whose clusters share chunks, in parts that end between trees of joints, and the release."""
    folder = tmp_path_factory.mktemp("grown")
    method = cv.Disassociation(k=3, m=2, max_cluster_size=15, rare_items=request.param, refine=True)
    result = method.anonymise(cv.sample("clinic").take(np.arange(400)))
    assert result.release.joints > 3
    cv.write_release(result, folder / "out")
    in_parts(folder / "out", 5, 100)
    return folder, result.release


@pytest.fixture
def trees(grown, tmp_path):
    shutil.copytree(grown[0] / "out", tmp_path / "out")
    return tmp_path / "out", grown[1]


def test_trees_of_joints_lie_whole_in_a_part(trees):
    """So the clusters of a part are no range of numbers; what is read is put in order."""
    folder, whole = trees
    parts = [
        pq.read_table(place).column("cluster").to_pylist() for place in folder.glob("clusters-*.parquet")
    ]
    assert len(parts) > 2
    assert any(max(numbers) - min(numbers) >= len(numbers) for numbers in parts)
    assert cv.read_release(folder) == whole
    assert verify_whole(folder).ok


def moved(folder, name, one, two):
    """The last row of one part becomes the first of another."""
    first, second = (pq.read_table(folder / part_name(name, number)) for number in (one, two))
    write_part(folder, name, one, first.slice(0, len(first) - 1))
    write_part(folder, name, two, pa.concat_tables([first.slice(len(first) - 1), second]))
    signed(folder)


def test_parts_that_divide_trees_are_refused(trees):
    folder, _ = trees
    moved(folder, "clusters", 0, 1)
    with pytest.raises(ReleaseError, match="clusters of parts should be whole trees"):
        cv.read_release(folder)


def test_rows_in_the_part_of_others_are_refused(trees):
    folder, _ = trees
    moved(folder, "chunks", 0, 1)
    with pytest.raises(ReleaseError, match="rows of a part should be of its clusters"):
        cv.read_release(folder)


def test_trees_out_of_order_are_refused(trees):
    folder, _ = trees
    one, two = (pq.read_table(folder / part_name("clusters", number)) for number in (0, 1))
    write_part(folder, "clusters", 0, two)
    write_part(folder, "clusters", 1, one)
    signed(folder)
    with pytest.raises(ReleaseError, match="clusters of parts should be whole trees"):
        cv.read_release(folder)


def shuffled(folder):
    """The rows of some clusters of the first part stand behind those of others."""
    rows = pq.read_table(folder / part_name("chunks", 0))
    owner = rows.column("cluster").to_pylist()
    second = owner.index(next(number for number in owner if number != owner[0]))
    write_part(folder, "chunks", 0, rows.take([*range(second, len(rows)), *range(second)]))
    signed(folder)


def test_rows_of_a_part_have_one_order(release):
    """Another one could tell something: the files are a function of what is published."""
    shuffled(release[0])
    assert both(release[0]) == (False, False)


def test_rows_of_trees_have_one_order(trees):
    shuffled(trees[0])
    assert not verify_whole(trees[0]).ok
