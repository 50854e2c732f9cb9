"""Set-generalised releases on disk: what is written is read back, bytes depend on content, bad files are named."""

from __future__ import annotations

import json
import stat
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from generalised_cases import POLICY, data_of, made
from hypothesis import given, settings
from hypothesis import strategies as st

from cloven.data.transactions import Transactions
from cloven.errors import GuaranteeError, OutputError, ReleaseError
from cloven.kinds.generalised.methods.assembly import assemble
from cloven.kinds.generalised.private_files import read_private_policy
from cloven.storage.ledger_file import Entry
from cloven.storage.manifest import build_manifest, count
from cloven.storage.receipt import read_receipt
from cloven.storage.release import read_key, read_release, write_public, write_release
from tests.effort import tries


@pytest.fixture
def folder(tmp_path):
    write_release(made(), tmp_path / "out", original=data_of())
    return tmp_path / "out"


@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("format", ["parquet", "json"])
def test_what_is_written_is_read_back(tmp_path, persons, format):
    result = made(persons=persons, labels=("ills", "ö; ß"), method="with-a-taxonomy")
    write_release(result, tmp_path / "out", original=data_of(persons=persons), format=format)
    release = read_release(tmp_path / ("out.json" if format == "json" else "out"))
    assert release == result.release
    assert release.block_labels == result.release.block_labels == ("ö; ß", "ills")
    assert release.row_blocks.dtype == result.release.row_blocks.dtype
    key = read_key(tmp_path / "out.private", release)
    assert key == result.key
    assert (key.persons is None) == (not persons)
    if persons:
        assert np.array_equal(key.persons, result.key.persons)


def test_the_private_folder_is_the_owners_and_keeps_the_policy(tmp_path):
    result = replace(made(), policy=POLICY)
    write_release(result, tmp_path / "out")
    private = tmp_path / "out.private"
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in private.iterdir()} == dict.fromkeys(
        ("key.parquet", "suppressed.parquet", "policy.json", "receipt.json"), 0o600
    )
    assert read_private_policy(private) == POLICY


def test_the_receipt_tells_what_must_not_be_published_and_the_ledger_the_promise(folder):
    private = folder.with_name("out.private")
    assert read_receipt(private)["counts"] == {
        "published_records": 6,
        "records_with_suppressed_items": 2,
        "suppressed_items": 2,
        "read_records": 6,
        "empty_records": 0,
    }
    entry = Entry.at(private)
    assert (entry.method, entry.promise, entry.records, entry.items) == ("coat", "k=2", 6, 7)
    assert Entry.at(private).place == folder
    assert read_private_policy(private) is None


def test_the_manifest_counts_what_is_published_and_says_m_only_if_there_is_one(folder):
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert manifest["format"] == "cloven.set-generalised/1"
    assert manifest["m"] is None
    assert manifest["counts"] == count(read_release(folder)) == {
        "records": 6, "items": 7, "blocks": 2, "generalised_items": 2, "largest_block": 5, "empty_records": 1,
    }  # fmt: skip
    assert build_manifest(made(all_up_to=1).release, {})["m"] == 1


def test_the_bytes_depend_on_content_alone(tmp_path):
    result = made()
    for name in ("one", "two"):
        write_public(read_release_twice(result, tmp_path / f"{name}-first"), tmp_path / name, "parquet")
    for name in ("manifest.json", "blocks.parquet", "rows.parquet"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    for name in ("blocks.parquet", "rows.parquet"):
        file = pq.ParquetFile(tmp_path / "one" / name)
        assert not file.metadata.metadata
        assert not any(file.metadata.row_group(0).column(i).has_dictionary_page for i in range(2))


def read_release_twice(result, place):
    write_public(result.release, place, "parquet")
    return read_release(place)


@settings(max_examples=tries(40), deadline=None)
@given(
    st.lists(
        st.lists(st.text("abcé\u2028\U0001f98a,=", min_size=1, max_size=2), max_size=4),
        min_size=1,
        max_size=8,
    ),
    st.data(),
)
def test_any_release_survives_both_formats(tmp_path_factory, records, data):
    kept = [record for record in records if record and all(item.strip() for item in record)]
    if not kept:
        return
    source = Transactions.from_records(kept)
    blocks = np.array([data.draw(st.integers(-1, 2)) for _ in source.vocabulary], np.int64)
    release = assemble(source, blocks, k=2, parameters={"method": "coat", "all_up_to": 1}).release
    folder = tmp_path_factory.mktemp("any")
    write_public(release, folder / "out", "parquet")
    write_public(release, folder / "out.json", "json")
    assert read_release(folder / "out") == release == read_release(folder / "out.json")


def test_nothing_is_written_that_does_not_verify(tmp_path):
    result = made()
    larger = replace(made(all_up_to=2, largest=2).release, k=6)
    with pytest.raises(GuaranteeError, match="combinations"):
        write_release(replace(result, release=larger), tmp_path / "out", original=data_of())
    with pytest.raises(GuaranteeError, match="suppressed items"):
        write_release(made(max_suppressed=0.0), tmp_path / "out", original=data_of())
    other = replace(POLICY, groups=(("ills", ("flu", "cough")),))
    with pytest.raises(GuaranteeError, match="inside no utility group"):
        write_release(replace(result, policy=other), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def rewrite(path, change):
    pq.write_table(change(pq.read_table(path)), path)


def put(column, values, kind):
    def change(table):
        at = table.column_names.index(column)
        return table.set_column(at, pa.field(column, kind), pa.array(values, kind))

    return change


NUMBERS, NAMES = pa.list_(pa.int64()), pa.list_(pa.string())
SIX = [[0]] * 6


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("rows.parquet", put("blocks", [[2], *SIX[1:]], NUMBERS), "blocks should be from 0 to below 2"),
        ("rows.parquet", put("blocks", [[-1], *SIX[1:]], NUMBERS), "blocks should be from 0 to below 2"),
        ("rows.parquet", put("blocks", [None, *SIX[1:]], NUMBERS), "lists without null"),
        ("rows.parquet", put("blocks", [[None], *SIX[1:]], NUMBERS), "lists of numbers without null"),
        ("rows.parquet", put("row", [0, 1, 2, 3, 5, 4], pa.int64()), "row of row 4 should be 4"),
        ("rows.parquet", put("blocks", SIX, pa.list_(pa.int32())), "columns should be"),
        ("blocks.parquet", put("label", ["", None], pa.string()), "label should be without null"),
        ("blocks.parquet", put("items", [["a"], [None]], NAMES), "lists of text without null"),
        ("blocks.parquet", put("block", [1, 0], pa.int64()), "block of row 0 should be 0"),
    ],
)
def test_bad_tables_are_named(folder, name, change, words):
    rewrite(folder / name, change)
    with pytest.raises(ReleaseError, match=words) as error:
        read_release(folder)
    assert name in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "cloven.set-generalised/2"}, "is not known, only cloven.set-generalised/1"),
        (
            {"format": "cloven.other/1"},
            "set-generalised, cloven.table or cloven.sliced release; its format is",
        ),
        ({"format": "cloven.disassociated/1"}, "m should be 1, 2, ..."),
        ({"m": 2}, "m should be all_up_to of the parameters"),
        ({"k": None}, "k should be 1, 2, ..."),
        ({"counts": {"records": 6}}, "counts should be whole numbers for blocks, empty_records"),
        ({"files": {}}, "files should be the SHA-256 of blocks.parquet, rows.parquet"),
    ],
)
def test_bad_manifests_are_named(folder, change, words):
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | change), "utf-8")
    with pytest.raises(ReleaseError, match=words):
        read_release(folder)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rows": [[0, 2]]}, r"rows\[0\] should be a list of numbers below 2"),
        ({"rows": [[True]]}, r"rows\[0\] should be"),
        ({"rows": 3}, "rows should be a list"),
        ({"blocks": [{"label": 1, "items": []}]}, r"blocks\[0\] should be a label and a list of text"),
        ({"blocks": [{"items": []}]}, r"blocks\[0\] should be an object"),
        ({"more": 1}, "an object with manifest, blocks and rows"),
        ({"blocks": [{"label": "", "items": ["half \ud83e"]}], "rows": []}, "surrogates not allowed"),
    ],
)
def test_bad_json_is_named(tmp_path, change, words):
    write_release(made(), tmp_path / "out", format="json")
    path = tmp_path / "out.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | change), "utf-8")
    with pytest.raises(ReleaseError, match=words):
        read_release(path)


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("key.parquet", put("row", [0, 1, 2, 3, 5, 4], pa.int64()), "every row of the release"),
        ("key.parquet", put("items", [["other"]] * 6, NAMES), "'other' is not in the release"),
        (
            "key.parquet",
            put("person", [0, None, 1, 1, 2, 2], pa.int64()),
            "person should be there for all rows or none",
        ),
        ("suppressed.parquet", put("items", [None, ["lost"]], NAMES), "lists without null"),
    ],
)
def test_bad_keys_are_named(folder, name, change, words):
    private = folder.with_name("out.private")
    rewrite(private / name, change)
    with pytest.raises(ReleaseError, match=words):
        read_key(private, read_release(folder))


def test_a_policy_that_cannot_be_read_is_named(folder):
    (folder.with_name("out.private") / "policy.json").write_text("{}")
    with pytest.raises(ReleaseError, match=r"policy\.json: must be an object.*get the private folder again"):
        read_private_policy(folder.with_name("out.private"))


def test_half_a_character_in_a_label_is_refused(tmp_path):
    release = replace(made(method="with-a-taxonomy").release, block_labels=("ills", "half \ud83e"))
    with pytest.raises(OutputError, match="no valid Unicode"):
        write_release(replace(made(), release=release), tmp_path / "out")
