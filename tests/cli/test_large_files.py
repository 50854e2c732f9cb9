"""``cloven anonymise disassociation --memory``: what needs more is worked on within it, or refused in a line."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cloven as cv
from cloven.storage.shelf import Shelf

D = ("anonymise", "disassociation")


def random_records(seed, many=900):
    rng = random.Random(seed)
    names = [f"i{number}" for number in range(40)]
    weights = [1 / (number + 1) for number in range(40)]
    return [sorted(set(rng.choices(names, weights, k=rng.randint(1, 6)))) for _ in range(many)]


@pytest.fixture
def folder(tmp_path):
    """A folder of Parquet files: it is always worked on piece by piece."""
    records = random_records(1)
    place = tmp_path / "visits"
    place.mkdir()
    for number in range(3):
        part = pa.array(records[300 * number : 300 * (number + 1)], pa.list_(pa.string()))
        pq.write_table(pa.table({"items": part}), place / f"part-{number}.parquet")
    return place


@pytest.fixture
def no_memory(monkeypatch):
    """Whatever a file holds is said to need more than is allowed."""
    monkeypatch.setattr("cloven.cli.large.needed_for_release", lambda _size: 10**13)
    monkeypatch.setattr("cloven.cli.large.needed", lambda _size: 10**13)
    monkeypatch.setattr("cloven.reading.files.BEGINNING", 1)


def test_a_folder_gives_what_memory_gives(cloven, tmp_path, folder):
    data = cv.Transactions.from_records(random_records(1))
    ended = cloven(
        *D, folder, "-o", tmp_path / "out", "--memory", "600MB", "--ledger", tmp_path / "ledger", "--json"
    )
    assert ended.code == 0, ended.err
    release = cv.read_release(tmp_path / "out")
    wanted = cv.Disassociation().anonymise(data)
    assert release == wanted.release
    assert cv.read_key(tmp_path / "out.private", release) == wanted.key
    assert ended.json["records"] == 900
    assert ended.json["items_kept"] > 0.5
    assert cloven("publish", tmp_path / "out", "--anyway", "--ledger", tmp_path / "ledger").code == 0
    again = cloven(
        *D, folder, "-o", tmp_path / "again", "--memory", "600MB", "--ledger", tmp_path / "ledger", "-k", "4"
    )
    assert again.code == 0
    assert "verified with the original and the key" in again.out
    assert "was published on" in again.err
    assert cloven("verify", tmp_path / "out").code == 0


@pytest.mark.parametrize("memory", ["600MB", "1GiB"])
def test_a_csv_file_gives_the_same_both_ways(cloven, tmp_path, no_memory, memory):
    file = tmp_path / "visits.csv"
    file.write_text("".join(",".join(record) + "\n" for record in random_records(2)))
    assert cloven(*D, file, "-o", tmp_path / "disk", "--memory", memory).code == 0
    assert cloven(*D, file, "-o", tmp_path / "whole", "--memory", "any").code == 0
    assert (tmp_path / "disk" / "clusters-0.parquet").is_file()
    assert (tmp_path / "whole" / "clusters.parquet").is_file()
    assert cv.read_release(tmp_path / "disk") == cv.read_release(tmp_path / "whole")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--csv", "eyes.csv"), ("--csv needs all records in memory",)),
        (("--measure-counts",), ("--measure-counts needs all records in memory", "how often they hold")),
        (("--release-format", "json"), ("--release-format json needs all records",)),
        (("--refine",), ("joins clusters", "does not run in bounded memory")),
        (("--safe", "cover"), ("--safe 'cover'", "does not run in bounded memory")),
        (("--person", "who"), ("person does not work piece by piece",)),
        (("--lenient",), ("lenient does not work piece by piece",)),
        (("--column", "drugs"), ("no column 'drugs'",)),
    ],
)
def test_what_needs_all_records_is_refused(cloven, tmp_path, folder, nothing_written, given, words):
    nothing_written()
    ended = cloven(*D, folder, "-o", tmp_path / "out", "--memory", "600MB", *given)
    ended.refused(3 if "drugs" in given else 2, *words)


def test_too_little_memory_is_said_with_the_least_that_would_do(cloven, tmp_path, folder, nothing_written):
    nothing_written()
    ended = cloven(*D, folder, "-o", tmp_path / "out", "--memory", "100MB")
    ended.refused(2, "at least 500 MB", "got 100 MB")


def test_without_memory_the_disk_is_offered(cloven, tmp_path, nothing_written, monkeypatch):
    file = tmp_path / "visits.csv"
    file.write_text("".join(",".join(record) + "\n" for record in random_records(2)))
    for place in ("cloven.audit.memory.available", "cloven.cli.places.available"):
        monkeypatch.setattr(place, lambda: 5 * 10**9)
    monkeypatch.setattr("cloven.cli.places.estimate_release", lambda *_args, **_more: 10**13)
    nothing_written()
    ended = cloven(*D, file, "-o", tmp_path / "out")
    ended.refused(2, "5.0 GB are free; use --memory 2G and the disk, which needs about 2.0 GB")


def test_a_full_disk_leaves_nothing(cloven, tmp_path, folder, nothing_written, monkeypatch):
    """Wherever the disk is full: at each writing of a shelf."""
    flush = Shelf._flush

    def full(after):
        calls = []

        def flushed(shelf):
            calls.append(shelf)
            if len(calls) == after:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            flush(shelf)

        return flushed

    nothing_written()
    for after in (1, 2, 5, 8):
        monkeypatch.setattr(Shelf, "_flush", full(after))
        ended = cloven(*D, folder, "-o", tmp_path / "out", "--memory", "600MB")
        ended.refused(4, "cannot be written (No space left on device)")


@pytest.mark.skipif(sys.platform != "linux", reason="needs signals")
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_stopped_leaves_no_release_and_the_next_one_clears_up(program, tmp_path, folder, sign):
    out = tmp_path / "out"
    process = subprocess.Popen(
        program(*D, folder, "-o", out, "--memory", "600MB"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    end = time.monotonic() + 100
    while (
        process.poll() is None and not any(tmp_path.glob(".cloven-*.partial/work")) and time.monotonic() < end
    ):
        time.sleep(0.001)
    process.send_signal(sign)
    process.communicate(timeout=100)
    assert process.returncode != 0
    assert not out.exists()
    left = list(tmp_path.glob(".cloven-*.partial"))
    assert bool(left) == (sign == signal.SIGKILL)
    again = subprocess.run(
        program(*D, folder, "-o", out, "--memory", "600MB"), capture_output=True, timeout=300, check=False
    )
    assert again.returncode == 0, again.stderr
    assert list(tmp_path.glob(".cloven-*.partial")) == []
    assert cv.verify_folder(out).ok


def test_a_release_in_parts_is_verified_with_data_that_memory_does_not_hold(cloven, tmp_path, folder):
    assert cloven(*D, folder, "-o", tmp_path / "out", "--memory", "600MB").code == 0
    everything = ("--original", folder, "--private", tmp_path / "out.private", "--memory", "600MB", "--json")
    ended = cloven("verify", tmp_path / "out", *everything)
    assert ended.code == 0, ended
    names = {check["name"] for check in ended.json["checks"]}
    assert {"input", "receipt", "records rebuilt", "rows claimed", "k^m of record chunks"} <= names
    pq.write_table(pa.table({"items": [["i1", "i2"]]}), folder / "part-3.parquet")
    changed = cloven("verify", tmp_path / "out", *everything)
    assert changed.code == 1
    assert {"input", "records rebuilt"} <= changed.failed_checks
    assert list(tmp_path.glob(".cloven-*")) == []
    (tmp_path / "out.private" / "receipt.json").unlink()
    assert cloven("verify", tmp_path / "out", *everything).failed_checks == {"private readable"}


def test_an_audit_within_memory(cloven, tmp_path, folder):
    """The release as ``anonymise`` writes it, the report beside it, and a verdict that the ledger knows."""
    words = ("audit", folder, "-o", tmp_path / "out", "--memory", "600MB", "--quick")
    ended = cloven(*words, "--verbose")
    assert ended.out.startswith("DO NOT PUBLISH   visits ")
    assert ended.code == 1
    for said in (
        "on the release itself",
        "on all records, in memory",
        "verdict: Do not publish",
        "audit.json",
    ):
        assert said in ended.out
    assert {place.name for place in tmp_path.iterdir()} == {"visits", "out", "out.private"}
    kept = tmp_path / "out.private" / "audit.json"
    assert json.loads(kept.read_text())["on_the_release"]["covers"]["pairs"] >= 0
    assert kept.stat().st_mode & 0o777 == 0o600
    assert cloven("verify", tmp_path / "out").code == 0
    assert "  do not publish  no  " in cloven("ledger", tmp_path).out
    again = cloven(*words)
    assert again.code == 4
    assert "exists" in again.err


def test_an_earlier_release_is_tried_with_it(cloven, tmp_path, folder):
    """It speaks against the new one, unless attackers were given it."""
    assert (
        cloven(
            "anonymise", "disassociation", folder, "-o", tmp_path / "first", "-k", "4", "--memory", "600MB"
        ).code
        == 0
    )
    assert cloven("publish", tmp_path / "first", "--anyway").code == 0
    words = ("audit", folder, "--memory", "600MB", "--quick", "-k", "5")
    alone = cloven(*words, "-o", tmp_path / "alone")
    beside = cloven(*words, "-o", tmp_path / "beside", "--other-release", tmp_path / "first")
    assert "was published on" in alone.out
    assert "another release" not in alone.out
    assert "Composition, another release" in beside.out
    assert "in first" not in beside.out
    ended = cloven(*words, "-o", tmp_path / "out", "--min-utility", "0.2")
    assert ended.code == 2
    assert "--min-utility is judged on all records" in ended.err


@pytest.mark.parametrize("option", [("--methods", "coat"), ("--no-attack",), ("--rules", "x")])
def test_what_an_audit_in_parts_cannot_do(cloven, tmp_path, folder, option):
    ended = cloven("audit", folder, "-o", tmp_path / "out", "--memory", "600MB", *option)
    assert ended.code == 2
    assert f"{option[0]} does not work where data is audited in parts" in ended.err
    assert not (tmp_path / "out").exists()


def test_spark_is_for_sets_in_a_file(cloven):
    ended = cloven("audit", "--engine", "spark")
    assert ended.code == 2
    assert "in a file" in ended.err
    ended = cloven("audit", "--master", "local[2]")
    assert ended.code == 2
    assert "--master is for --engine spark" in ended.err
