"""The receipt: old ones are read for ever, new ones tell what was released, and nothing else passes."""

from __future__ import annotations

import json
import os
from datetime import datetime, timedelta, timezone

import pytest

from cloven.errors import ReleaseError
from cloven.storage.fingerprint import fingerprint, sketch
from cloven.storage.manifest import build_manifest
from cloven.storage.receipt import MOST_BYTES, build_receipt, check_receipt, read_receipt
from cloven.storage.release import write_release

WHEN = datetime(2026, 11, 2, 10, 15, 4, tzinfo=timezone(timedelta(hours=1)))


@pytest.fixture
def receipt(clinic):
    manifest = build_manifest(clinic.release, {})
    return build_receipt(
        manifest,
        manifest_sha256="0" * 64,
        original=clinic.original,
        counts={"read_records": 11},
        released=WHEN,
    )


def test_what_it_tells(receipt, clinic):
    assert receipt["input_sha256"] == fingerprint(clinic.original)
    assert receipt["sketch"] == sketch(clinic.original).to_dict()
    told = receipt["release"]
    assert datetime.fromisoformat(told.pop("released")) == WHEN
    assert told.pop("version")
    assert told == {
        "method": "disassociation",
        "parameters": {"k": 2, "m": 2, "max_cluster_size": 4, "rare_items": "cluster"},
        "records": 11,
        "items": 12,
    }


def test_without_the_original_nothing_is_told_of_the_data(clinic, tmp_path):
    write_release(clinic.result, tmp_path / "out")
    receipt = read_receipt(tmp_path / "out.private")
    assert (receipt["input_sha256"], receipt["sketch"]) == (None, None)
    assert receipt["release"]["records"] == 11


def test_it_comes_back(receipt, tmp_path):
    (tmp_path / "receipt.json").write_text(json.dumps(receipt))
    assert read_receipt(tmp_path) == receipt


def test_nothing_of_it_is_published(clinic, tmp_path):
    write_release(clinic.result, tmp_path / "out", original=clinic.original)
    receipt = read_receipt(tmp_path / "out.private")
    published = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    for secret in (receipt["input_sha256"], receipt["sketch"]["hashes"], receipt["release"]["released"]):
        assert secret
        assert secret.encode() not in published
        assert secret[:10].encode() not in published


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "cloven.receipt/2"}, "not a receipt of a release as cloven.receipt/1 describes it"),
        ({"format": "shop/2"}, "its format is 'shop/2'"),
        ({"format": None}, "not a receipt"),
        ({"more": 1}, "fields should be"),
        ({"release": None}, "release should be"),
        ({"sketch": []}, "sketch should be"),
        ({"sketch": {}}, "sketch should be"),
        ({"input_sha256": "A" * 64}, "input_sha256 should be a SHA-256"),
    ],
)
def test_what_does_not_pass(receipt, change, words):
    with pytest.raises(ReleaseError, match=words) as caught:
        check_receipt(receipt | change, "r.json")
    assert str(caught.value).startswith("r.json: ")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"method": "\x1b[2J"}, "method"),
        ({"version": 1}, "version"),
        ({"records": 1.0}, "records"),
        ({"items": -1}, "items"),
        ({"items": True}, "items"),
        ({"parameters": []}, "parameters"),
        ({"parameters": {"k": float("inf")}}, "parameters"),
        ({"released": "2026-11-02T10:15:04"}, "released"),
        ({"released": None}, "released"),
        ({"released": "today"}, "released"),
        ({"more": 1}, "release"),
    ],
)
def test_what_it_tells_of_the_release_is_checked(receipt, change, field):
    receipt["release"] |= change
    with pytest.raises(ReleaseError, match=rf"^r\.json: {field} should be"):
        check_receipt(receipt, "r.json")


@pytest.mark.skipif(os.name == "nt", reason="pipes and devices of POSIX")
def test_what_is_no_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "receipt.json")
    with pytest.raises(ReleaseError, match="is a pipe"):
        read_receipt(tmp_path)
    (tmp_path / "device").mkdir()
    (tmp_path / "device" / "receipt.json").symlink_to("/dev/zero")
    with pytest.raises(ReleaseError, match="is a device"):
        read_receipt(tmp_path / "device")


@pytest.mark.parametrize("content", [b"{" * 10_000, b"\xff", b"[]", b"", b" " * (MOST_BYTES + 1)])
def test_broken_receipts(tmp_path, content):
    (tmp_path / "receipt.json").write_bytes(content)
    with pytest.raises(ReleaseError, match=r"receipt\.json: "):
        read_receipt(tmp_path)
