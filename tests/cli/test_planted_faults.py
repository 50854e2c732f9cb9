"""Faults planted in a release that the command line made: `cloven verify` ends with 1 at the level that can see them.

The manifest (counts and hashes) and the receipt are made to agree with the fault, as somebody would do who knows the
format; so it is the check which is there for the fault that must find it. The table is in docs/reference/verify.md.
Here are the faults that one level sees and another does not; tests/unit has a fault for every check.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from cloven.kinds.disassociated.release import Kind
from cloven.storage.manifest import manifest_bytes
from cloven.storage.release import read_release, write_public
from cloven.verification import verify

LEVELS = ("release", "original", "key")


@pytest.fixture
def release(made):
    return read_release(made.out)


@pytest.fixture
def plant(made, cloven):
    """Put another release in the place of the sound one; gives the checks that fail at each level."""

    def put(release):
        shutil.rmtree(made.out)
        write_public(release, made.out, "parquet")
        agree(made)
        found = {}
        for level in LEVELS:
            ended = cloven(*made.level(level))
            assert ended.json["level"] == level
            assert ended.code == (1 if ended.failed_checks else 0)
            found[level] = ended.failed_checks
        return found

    return put


def agree(made) -> None:
    """Hashes of the files in the manifest, hash of the manifest in the receipt."""
    manifest_path, receipt_path = made.out / "manifest.json", made.private / "receipt.json"
    manifest = json.loads(manifest_path.read_text())
    manifest["files"] = {name: digest(made.out / name) for name in manifest["files"]}
    manifest_path.write_bytes(manifest_bytes(manifest))
    receipt = json.loads(receipt_path.read_text())
    receipt_path.write_bytes(manifest_bytes(receipt | {"manifest_sha256": digest(manifest_path)}))


def digest(path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def rows_of(release) -> list[list[int]]:
    return [
        release.row_items[a:b].tolist()
        for a, b in zip(release.row_offsets, release.row_offsets[1:], strict=False)
    ]


def with_rows(release, rows, keep=None):
    """The release with other items in its rows, and only some of its rows."""
    keep = list(range(len(rows))) if keep is None else keep
    rows = [rows[row] for row in keep]
    columns = ("row_cluster", "row_joint", "row_chunk", "row_kind")
    return replace(
        release,
        row_offsets=np.cumsum([0, *map(len, rows)]),
        row_items=np.array([code for row in rows for code in row], np.int32),
        **{name: getattr(release, name)[keep] for name in columns},
    )


def chunks_of(release, kind=Kind.RECORD):
    """(cluster or joint, chunk) -> rows."""
    out: dict[tuple[int, int], list[int]] = {}
    for row in np.flatnonzero(release.row_kind == kind).tolist():
        owner = max(int(release.row_cluster[row]), int(release.row_joint[row]))
        out.setdefault((owner, int(release.row_chunk[row])), []).append(row)
    return out


def test_nothing_planted_nothing_found(plant, release):
    assert plant(release) == {level: set() for level in LEVELS}


def test_sub_record_dropped(plant, release, made):
    """Of those that break nothing in the release itself, one whose items no term chunk lists."""
    rows = rows_of(release)
    listed = {code for row in np.flatnonzero(release.row_kind == Kind.TERM) for code in rows[row]}
    spoilt = None
    for chunk in chunks_of(release).values():
        row = chunk[-1]
        if not listed.intersection(rows[row]):
            without = with_rows(release, rows, [number for number in range(len(rows)) if number != row])
            if verify(without).ok:
                spoilt = without
                break
    assert spoilt is not None
    found = plant(spoilt)
    assert found["release"] == set()
    assert found["original"] == {"supports"}
    assert found["key"] > {"supports"}


def test_sub_record_dropped_behind_a_term_chunk(plant, release):
    """The release alone and the supports cannot see it; the key can."""
    rows = rows_of(release)
    for chunk in chunks_of(release).values():
        for row in chunk:
            without = with_rows(release, rows, [number for number in range(len(rows)) if number != row])
            if verify(without).ok:
                found = plant(without)
                if not found["original"]:
                    assert found["release"] == set()
                    assert found["key"]
                    return
                break
    pytest.fail("every row that can be dropped is seen by the supports")


def test_edited_manifest_that_promises_less_is_seen_by_the_receipt(cloven, made):
    path = made.out / "manifest.json"
    path.write_bytes(path.read_bytes().replace(b'"k": 5', b'"k": 4'))
    assert cloven(*made.level("release")).failed_checks == {"files"}, "the README speaks of k = 5"
    (made.out / "README.md").unlink()
    missing = {"items kept", "supports"}  # more is withheld than a smaller k allows
    for level, expected in zip(LEVELS, (set(), missing, {*missing, "withheld", "receipt"}), strict=True):
        ended = cloven(*made.level(level))
        assert ended.failed_checks == expected
        assert ended.code == bool(expected)


@pytest.mark.slow
def test_sizes_of_two_clusters_changed_by_as_much(plant, release):
    """Only who knows the key can see it."""
    for first in range(release.clusters):
        for second in range(first + 1, min(first + 6, release.clusters)):
            sizes = release.cluster_size.copy()
            sizes[first] += 1
            sizes[second] -= 1
            spoilt = replace(release, cluster_size=sizes)
            if verify(spoilt).ok:
                found = plant(spoilt)
                assert found["release"] == found["original"] == set()
                assert "cluster members" in found["key"]
                return
    pytest.fail("no two sizes can be changed unseen")


def test_item_renamed_everywhere(plant, release):
    """A name nobody has, in the same place of the order."""
    names = list(release.vocabulary)
    names[0] += "!"
    assert names == sorted(names)
    found = plant(replace(release, vocabulary=tuple(names)))
    assert found["release"] == set()
    assert "items kept" in found["original"]
    assert found["key"]


def test_a_file_too_many(cloven, made):
    shutil.copy(made.private / "key.parquet", made.out / "key.parquet")
    ended = cloven("verify", made.out)
    assert ended.code == 1
    assert "FAIL  files" in ended.out
    assert "'key.parquet' does not belong in a release" in ended.out


def test_other_data_and_the_key_of_another_release(cloven, made, tmp_path):
    other = tmp_path / "other.csv"
    lines = made.original.read_text().splitlines()
    other.write_text("\n".join([*lines[:-5], *["flu,unicorn"] * 5]) + "\n")
    assert "items kept" in cloven("verify", made.out, "--original", other, "--json").failed_checks
    assert cloven("anonymise", "disassociation", other, "-o", tmp_path / "other").code == 0
    ended = cloven(
        "verify", made.out, "--original", made.original, "--private", tmp_path / "other.private", "--json"
    )
    assert ended.code == 1
    assert ended.failed_checks & {"private readable", "receipt"}


def test_the_exit_code_reaches_the_shell(shell, made):
    (made.out / "note.txt").write_text("patients of 2024")
    ended = shell("verify", made.out)
    assert (ended.code, ended.err) == (1, "")
    assert "BROKEN at release level: 1 of " in ended.out
