"""A set-generalised release as it lies on disk: this folder was written by the ``make.py`` in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cloven as cv
from cloven.kinds.generalised.private_files import read_private_policy
from cloven.storage.receipt import read_receipt

FOLDER = Path(__file__).resolve().parents[2] / "golden" / "generalised"


@pytest.fixture(scope="module")
def original():
    return cv.read(FOLDER / "clinic.csv", format="lines", delimiter=",")


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
