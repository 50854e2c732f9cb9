"""Every planted edit of a set-generalised folder is caught by the check that is there for it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cloven as cv
from cloven.storage.manifest import manifest_bytes
from cloven.storage.parquet import ROW_GROUP

POLICY = cv.Policy(protected=(("back", "pain"),), all_up_to=1)


@pytest.fixture(scope="module")
def data():
    return cv.sample("clinic").take(np.arange(200))


@pytest.fixture(scope="module")
def result(data):
    return cv.Coat(k=5, policy=POLICY, max_suppressed=0.02).anonymise(data)


@pytest.fixture
def folder(result, data, tmp_path):
    cv.write_release(result, tmp_path / "out", original=data)
    return tmp_path / "out"


def failed(path, **options) -> set[str]:
    return {check.name for check in cv.verify_folder(path, **options).failures}


def private_of(folder):
    return folder.with_name("out.private")


def change_manifest(folder, change):
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    change(manifest)
    path.write_bytes(manifest_bytes(manifest))


def rewrite(folder, name, change, **given):
    """Change a table, then make the manifest agree, as somebody would who knows the format."""
    path = folder / name
    usual = {"use_dictionary": False, "compression": "zstd", "store_schema": False, "write_statistics": False}
    pq.write_table(change(pq.read_table(path)), path, **(usual | {"row_group_size": ROW_GROUP} | given))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    change_manifest(folder, lambda manifest: manifest["files"].update({name: digest}))


def test_a_sound_folder_passes_at_every_level(folder, data):
    for level, options in {
        "release": {},
        "original": {"original": data},
        "key": {"original": data, "private": private_of(folder)},
    }.items():
        verdict = cv.verify_folder(folder, **options)
        assert verdict.ok, str(verdict)
        assert verdict.level == level
    names = [check.name for check in verdict.checks]
    assert {"itemsets", "combinations", "utility groups", "rows of records"} <= set(names)
    assert len(set(names)) == len(names)


def test_a_sound_json_file_passes(result, data, tmp_path):
    cv.write_release(result, tmp_path / "out", original=data, format="json")
    verdict = cv.verify_folder(tmp_path / "out.json", original=data, private=tmp_path / "out.private")
    assert verdict.ok, str(verdict)


def test_a_policy_may_be_given_and_another_one_fails(folder, data):
    stricter = replace(POLICY, all_up_to=2)
    assert failed(folder, policy=POLICY) == set()
    assert failed(folder, policy=stricter) == {"combinations"}
    assert failed(folder, original=data, private=private_of(folder), policy=stricter) == {"combinations"}


def test_a_rewritten_table_without_change_passes(folder):
    """So that the tests below fail for the reason they name."""
    for name in ("rows.parquet", "blocks.parquet"):
        rewrite(folder, name, lambda table: table)
    assert failed(folder) == set()


def test_a_file_too_many_and_a_link(folder, tmp_path):
    (folder / "chunks.parquet").write_bytes(b"of another kind of release")
    assert failed(folder) == {"files"}
    (folder / "chunks.parquet").unlink()
    (folder / "rows.parquet").rename(tmp_path / "elsewhere")
    (folder / "rows.parquet").symlink_to(tmp_path / "elsewhere")
    assert failed(folder) == {"files", "hashes", "parquet layout", "readable"}


def test_a_flipped_byte(folder):
    path = folder / "rows.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)
    assert "hashes" in failed(folder)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda manifest: manifest["counts"].update(records=12), "counts"),
        (lambda manifest: manifest["counts"].update(largest_block=1), "counts"),
        (lambda manifest: manifest.update(k=50), "combinations"),
        (lambda manifest: manifest.update(seeded=True), "not seeded"),
        (lambda manifest: manifest.update(m=2), "readable"),
        (lambda manifest: manifest["parameters"].update(made_from="/home/eve/patients.csv"), "parameters"),
    ],
)
def test_an_edited_manifest(folder, data, change, fault):
    change_manifest(folder, change)
    assert fault in failed(folder)
    assert "receipt" in failed(folder, original=data, private=private_of(folder)) or fault == "readable"


def test_rows_in_another_order(folder):
    def reversed_rows(table):
        blocks = table.column("blocks").to_pylist()[::-1]
        return table.set_column(1, "blocks", pa.array(blocks, pa.list_(pa.int64())))

    rewrite(folder, "rows.parquet", reversed_rows)
    assert failed(folder) == {"order of rows"}


def test_a_row_that_no_record_gives(folder, data):
    def without_last_block(table):
        blocks = table.column("blocks").to_pylist()
        blocks[0] = blocks[0][:-1]
        return table.set_column(1, "blocks", pa.array(sorted(blocks), pa.list_(pa.int64())))

    rewrite(folder, "rows.parquet", without_last_block)
    assert "rows" not in failed(folder)
    assert "rows" in failed(folder, original=data)


def test_an_item_in_two_blocks(folder):
    def doubled(table):
        items = table.column("items").to_pylist()
        items[1] = sorted([*items[1], items[0][0]])
        return table.set_column(2, "items", pa.array(items, pa.list_(pa.string())))

    rewrite(folder, "blocks.parquet", doubled)
    assert "partition" in failed(folder)


@pytest.mark.parametrize(
    ("change", "given"),
    [
        (lambda table: table.replace_schema_metadata({"author": "me"}), {"store_schema": True}),
        (lambda table: table, {"use_dictionary": True}),
        (lambda table: table, {"write_statistics": True}),
        (lambda table: table, {"row_group_size": 4}),
    ],
    ids=["metadata", "dictionary", "statistics", "row groups"],
)
@pytest.mark.parametrize("name", ["rows.parquet", "blocks.parquet"])
def test_layout_that_could_hide_something(folder, name, change, given):
    rewrite(folder, name, change, **given)
    assert failed(folder) == {"parquet layout"}


def test_the_key_of_another_release_and_other_data(folder, data, tmp_path):
    other = cv.sample("clinic").take(np.arange(200, 400))
    cv.write_release(cv.Coat(k=5, m=1).anonymise(other), tmp_path / "other", original=other)
    assert failed(folder, original=data, private=tmp_path / "other.private") & {"private readable", "receipt"}
    assert "rows" in failed(folder, original=other)


def test_a_policy_on_disk_that_was_edited_is_seen(folder, data):
    path = private_of(folder) / "policy.json"
    path.write_text(path.read_text("utf-8").replace('"all_up_to": 1', '"all_up_to": 2'), "utf-8")
    assert failed(folder, original=data, private=private_of(folder)) == {"combinations"}
    path.write_text("{}")
    assert failed(folder, original=data, private=private_of(folder)) == {"private readable"}
