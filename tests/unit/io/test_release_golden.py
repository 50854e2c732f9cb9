"""Readers accept format /1 for ever: this folder was written once and must never be written again."""

from __future__ import annotations

import hashlib
import json

from cloven.storage.inspection import verify_folder
from cloven.storage.receipt import read_receipt
from cloven.storage.release import read_key, read_release

# Changing a golden file changes one of these, and with it the promise to those who hold such a release.
GOLDEN = {
    "clinic.json": "633af80c1778d6eb1892e5049b591378d4a2fef3c081377a1158883ae7dab489",
    "clinic/manifest.json": "28d7526ce1d1b3cc48d0b48090c2b510a26bd9f19064fe18de9a12ec4ec4585f",
    "clinic.private/receipt.json": "20fdcb5ae15603c40cb20e87591bd0aac21aeb878d30baf163b1dfcfcc096392",
    "clinic.private/key.parquet": "462901b6d82c4cf35908d08b277e1587d7788204adabe47ba7667054098bc23a",
    "clinic.private/records.parquet": "35f9ec3bd9e4bf0d2f7892a45908e65b0c1ccc4a1595fcac328c2976864d14d7",
    "clinic.private/suppressed.parquet": "2c5e94f06291ead15ff62346d1844cfc0fd3d317a3de40ebc1455bef114e3a90",
}


def test_golden_files_are_untouched(golden):
    found = {name: hashlib.sha256((golden / name).read_bytes()).hexdigest() for name in GOLDEN}
    assert found == GOLDEN


def test_golden_folder_is_read(golden, clinic):
    release = read_release(golden / "clinic")
    assert release == clinic.release
    assert read_key(golden / "clinic.private", release) == clinic.result.key


def test_golden_json_is_read(golden, clinic):
    assert read_release(golden / "clinic.json") == clinic.release


def test_golden_folder_is_verified(golden, clinic):
    verdict = verify_folder(golden / "clinic", original=clinic.original, private=golden / "clinic.private")
    assert verdict.ok, str(verdict)
    assert verdict.level == "key"


def test_golden_twins_tell_the_same(golden):
    folder = json.loads((golden / "clinic" / "manifest.json").read_text("utf-8"))
    twin = json.loads((golden / "clinic.json").read_text("utf-8"))["manifest"]
    assert folder | {"files": {}} == twin
    assert read_receipt(golden / "clinic.private")["counts"]["published_records"] == 11
