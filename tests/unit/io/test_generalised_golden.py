"""A set-generalised release as it lies on disk: this folder was written by the ``make.py`` in it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

import cloven as cv
from cloven.kinds.generalised.private_files import read_private_policy
from cloven.storage.receipt import read_receipt

FOLDER = Path(__file__).resolve().parents[2] / "golden" / "generalised"
GOLDEN = {
    "clinic.csv": "0b6df28fe5e5b510e01b2262a90b7f09221c832c71dabec98d6e4bcd8c0b57bd",
    "twin.json": "f6eaaef1de3d12f7724f0d3b97fb21fc5d1e21a5a9046705be6c5893ac89cafd",
    "clinic/manifest.json": "ccc661cf918b1e280accc3c7b8a5f7f9294a04f54043ce60bf428855b288f4b7",
    "clinic.private/key.parquet": "fe12b90e7a0f86f0ea9a0e7b20178018f0ac9a22b0b075c2144461e731d5a4c6",
    "clinic.private/policy.json": "11eccc80b5731fec603dac02fee342476ed681af7498a49cc28fb50e3ac3e00f",
    "clinic.private/receipt.json": "7db1361515ec075ae38e53346ea78aa4b6987bc28951c3a71c9d3cf595596cbf",
    "clinic.private/suppressed.parquet": "b366ffce3882e7b06b745b908db3782dc49327cdaf101320a149bec73d649d7a",
}


@pytest.fixture(scope="module")
def original():
    return cv.read(FOLDER / "clinic.csv", format="lines", delimiter=",")


def test_golden_files_are_untouched():
    found = {name: hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() for name in GOLDEN}
    assert found == GOLDEN


def test_golden_folder_is_read():
    release = cv.read_release(FOLDER / "clinic")
    assert (release.k, release.records, release.blocks, len(release.vocabulary)) == (3, 60, 113, 251)
    assert {"naïve 🦊", "אחר"} <= set(release.vocabulary)
    key = cv.read_key(FOLDER / "clinic.private", release)
    assert key.suppressed_items == (("a name, with comma",),)
    assert read_private_policy(FOLDER / "clinic.private").all_up_to == 1


def test_golden_twins_tell_the_same():
    assert cv.read_release(FOLDER / "twin.json") == cv.read_release(FOLDER / "clinic")
    folder = json.loads((FOLDER / "clinic" / "manifest.json").read_text("utf-8"))
    twin = json.loads((FOLDER / "twin.json").read_text("utf-8"))["manifest"]
    assert folder | {"files": {}} == twin
    assert read_receipt(FOLDER / "clinic.private")["counts"]["published_records"] == 60


def test_golden_folder_is_verified(original):
    verdict = cv.verify_folder(FOLDER / "clinic", original=original, private=FOLDER / "clinic.private")
    assert verdict.ok, str(verdict)
    assert verdict.level == "key"
    assert {"itemsets", "utility groups"} <= {check.name for check in verdict.checks}
