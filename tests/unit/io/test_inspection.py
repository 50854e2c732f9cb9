"""Every planted edit of a folder is caught by the check that is there for it."""

from __future__ import annotations

import hashlib
import json
import shutil

import pyarrow.parquet as pq
import pytest

from cloven.storage.inspection import verify_folder
from cloven.storage.manifest import manifest_bytes
from cloven.storage.parquet import ROW_GROUP
from cloven.storage.release import write_release
from tests.unit.io.by_hand import made_by_hand
from tests.unit.verify.keys import group


@pytest.fixture
def folder(clinic, tmp_path):
    write_release(clinic.result, tmp_path / "out", original=clinic.original)
    return tmp_path / "out"


def failed(path, **options) -> set[str]:
    verdict = verify_folder(path, **options)
    assert verdict.ok == (not verdict.failures)
    return {check.name for check in verdict.failures}


def private_of(folder):
    return folder.with_name("out.private")


def test_a_sound_folder_passes_at_every_level(folder, clinic):
    for level, options in {
        "release": {},
        "original": {"original": clinic.original},
        "key": {"original": clinic.original, "private": private_of(folder)},
    }.items():
        verdict = verify_folder(folder, **options)
        assert verdict.ok, str(verdict)
        assert verdict.level == level
    names = [check.name for check in verdict.checks]
    own = ["files", "manifest layout", "hashes", "parquet layout", "readable", "counts"]
    assert names[:9] == [*own, "private readable", "receipt", "input"]
    assert len(names) > len(own) + 6
    assert len(set(names)) == len(names)


def test_a_sound_json_file_passes(clinic, tmp_path):
    write_release(clinic.result, tmp_path / "out", original=clinic.original, format="json")
    path = tmp_path / "out.json"
    verdict = verify_folder(path, original=clinic.original, private=private_of(path))
    assert verdict.ok, str(verdict)
    assert {"readable", "counts", "receipt", "input"} <= {check.name for check in verdict.checks}


def rewrite(folder, name, change, **settings):
    """Change a table, then make the manifest agree, as somebody would who knows the format."""
    path = folder / name
    table = change(pq.read_table(path))
    options = {
        "use_dictionary": False,
        "compression": "zstd",
        "store_schema": False,
        "write_statistics": False,
    }
    pq.write_table(table, path, **(options | {"row_group_size": ROW_GROUP} | settings))
    change_manifest(folder, lambda manifest: manifest["files"].update({name: sha256(path)}))


def change_manifest(folder, change):
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    change(manifest)
    path.write_bytes(manifest_bytes(manifest))


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_an_edited_count(folder, clinic):
    change_manifest(folder, lambda manifest: manifest["counts"].update(records=12))
    told = {"counts", "files"}  # the README tells of the number too
    assert failed(folder) == told
    assert failed(folder, original=clinic.original, private=private_of(folder)) == told | {"receipt"}


@pytest.mark.parametrize("name", [".DS_Store", "sub"])
def test_an_unexpected_file(folder, name):
    if name == "sub":
        (folder / name).mkdir()
    else:
        (folder / name).write_text("x")
    assert failed(folder) == {"files"}


def test_a_link_instead_of_a_file(folder, tmp_path):
    (folder / "joints.parquet").rename(tmp_path / "elsewhere")
    (folder / "joints.parquet").symlink_to(tmp_path / "elsewhere")
    assert failed(folder) == {"files", "hashes", "parquet layout", "readable"}


def test_a_rewritten_table_without_change_passes(folder):
    """So that the tests below fail for the reason they name."""
    rewrite(folder, "chunks.parquet", lambda table: table)
    assert failed(folder) == set()


LAYOUTS = {
    "schema metadata": (
        lambda table: table.replace_schema_metadata({"author": "me"}),
        {"store_schema": True},
    ),
    "stored schema": (lambda table: table, {"store_schema": True}),
    "dictionary": (lambda table: table, {"use_dictionary": True}),
    "statistics": (lambda table: table, {"write_statistics": True}),
    "row groups": (lambda table: table, {"row_group_size": 4}),
    "page index": (lambda table: table, {"write_page_index": True}),
}


@pytest.mark.parametrize("fault", LAYOUTS)
def test_layout(folder, fault):
    change, settings = LAYOUTS[fault]
    rewrite(folder, "chunks.parquet", change, **settings)
    assert failed(folder) == {"parquet layout"}


def test_metadata_beside_the_schema(folder):
    path = folder / "chunks.parquet"
    table = pq.read_table(path)
    options = {"use_dictionary": False, "store_schema": False, "write_statistics": False}
    with pq.ParquetWriter(path, table.schema, **options) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"author": "me"})
    change_manifest(folder, lambda manifest: manifest["files"].update({path.name: sha256(path)}))
    assert failed(folder) == {"parquet layout"}


def test_hidden_bytes_in_a_parquet_file(folder):
    path = folder / "chunks.parquet"
    content = path.read_bytes()
    footer = int.from_bytes(content[-8:-4], "little") + 8
    path.write_bytes(content[:-footer] + b"secret" + content[-footer:])
    change_manifest(folder, lambda manifest: manifest["files"].update({path.name: sha256(path)}))
    assert failed(folder) == {"parquet layout"}


def test_an_unreadable_folder_is_a_failed_check(folder, clinic):
    (folder / "chunks.parquet").write_bytes(b"PAR1")
    names = failed(folder, original=clinic.original, private=private_of(folder))
    assert names == {"hashes", "parquet layout", "readable"}
    (folder / "manifest.json").write_text("{")
    assert "readable" in failed(folder)
    shutil.rmtree(folder)
    assert failed(folder) == {"readable"}
    folder.mkdir()
    assert failed(folder) == {"readable"}


def test_counts_of_a_json_file(clinic, tmp_path):
    write_release(clinic.result, tmp_path / "out", original=clinic.original, format="json")
    path = tmp_path / "out.json"
    text = path.read_text("utf-8")
    assert text.count('"rows": 17') == 1
    path.write_text(text.replace('"rows": 17', '"rows": 18'), "utf-8")
    assert failed(path, original=clinic.original, private=private_of(path)) == {"counts", "receipt"}


def test_a_receipt_without_fingerprint(clinic, tmp_path):
    write_release(clinic.result, tmp_path / "out")
    options = {"original": clinic.original, "private": tmp_path / "out.private"}
    (failure,) = verify_folder(tmp_path / "out", **options).failures
    assert failure.name == "input"
    assert "no fingerprint" in failure.detail


def test_a_strange_writer_name(folder):
    path = folder / "joints.parquet"
    content = path.read_bytes()
    spoilt = content.replace(b"parquet-cpp-arrow version", b"made by Eve on /home/eve!")
    assert len(spoilt) == len(content) != 0
    assert spoilt != content
    path.write_bytes(spoilt)
    change_manifest(folder, lambda manifest: manifest["files"].update({path.name: sha256(path)}))
    assert failed(folder) == {"parquet layout"}


def test_details_are_one_line(folder):
    (folder / "a\nb").write_text("x")
    (failure,) = verify_folder(folder).failures
    assert "\n" not in failure.detail


def test_a_flipped_byte(folder):
    path = folder / "clusters.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)
    assert "hashes" in failed(folder)


def test_a_manifest_in_other_spelling(folder):
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8"))))
    assert failed(folder) == {"manifest layout"}


def test_another_original(folder, clinic):
    data = clinic.original
    other = type(data).from_records([*list(data)[:-1], ["something", "else"]])
    names = failed(folder, original=other, private=private_of(folder))
    assert "input" in names
    assert "receipt" not in names


def test_private_folder_of_another_release(folder, tmp_path):
    made = made_by_hand([{"cough"}] * 2, [group([0, 1], [{"cough"}])])
    write_release(made.result, tmp_path / "other", original=made.original)
    assert "private readable" in failed(tmp_path / "other", private=private_of(folder))
    assert {"receipt"} <= failed(folder, private=tmp_path / "other.private")
    assert "private readable" in failed(folder, private=tmp_path / "absent")


def test_an_unreadable_json_file_is_a_failed_check(tmp_path):
    (tmp_path / "out.json").write_text('{"manifest": 3}')
    assert failed(tmp_path / "out.json") == {"readable"}
