"""Folders of set-generalised releases: what they have beside those of other kinds is checked too."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import numpy as np
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


def rewrite(folder, name, **given):
    """Write a table anew, then make the manifest agree, as somebody would who knows the format."""
    path = folder / name
    usual = {"use_dictionary": False, "compression": "zstd", "store_schema": False, "write_statistics": False}
    pq.write_table(pq.read_table(path), path, **(usual | {"row_group_size": ROW_GROUP} | given))
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


def test_a_policy_may_be_given_and_another_one_fails(folder, data):
    stricter = replace(POLICY, all_up_to=2)
    assert failed(folder, policy=POLICY) == set()
    assert failed(folder, policy=stricter) == {"combinations"}
    assert failed(folder, original=data, private=private_of(folder), policy=stricter) == {"combinations"}


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


@pytest.mark.parametrize("name", ["rows.parquet", "blocks.parquet"])
def test_layout_that_could_hide_something(folder, name):
    rewrite(folder, name)
    assert failed(folder) == set()
    rewrite(folder, name, use_dictionary=True)
    assert failed(folder) == {"parquet layout"}


def test_a_policy_on_disk_that_was_edited_is_seen(folder, data):
    path = private_of(folder) / "policy.json"
    path.write_text(path.read_text("utf-8").replace('"all_up_to": 1', '"all_up_to": 2'), "utf-8")
    assert failed(folder, original=data, private=private_of(folder)) == {"combinations"}
    path.write_text("{}")
    assert failed(folder, original=data, private=private_of(folder)) == {"private readable"}
