"""The ledger: what was released before is found, compared, told; and nothing that lies around can stop it."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

import cloven as cv
from cloven.data.transactions import Transactions
from cloven.disclosure.risk import Estimate
from cloven.storage.fingerprint import SIZE, Overlap, Sketch, sketched_overlap
from cloven.storage.ledger import Earlier, Ledger, earlier_releases, own_entry, warnings
from cloven.storage.ledger_file import Entry, Note
from cloven.storage.publication import publish
from cloven.storage.receipt import RECEIPT
from cloven.storage.release import read_release, write_release

COMBINE = "somebody who has both can combine them, and the promise of neither covers that"


@pytest.fixture(scope="module")
def data() -> Transactions:
    return cv.sample("clinic")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.delenv("CLOVEN_LEDGER", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def release(data, out, k=5, ledger=None, **options):
    """Make and publish."""
    write_release(cv.Disassociation(k=k, m=2).anonymise(data), out, original=data, **options)
    publish(out, ledger, anyway=True)


def set_day(private: Path, day: str) -> None:
    path = private / "receipt.json"
    receipt = json.loads(path.read_text())
    receipt["release"]["released"] = f"{day}T12:00:00+00:00"
    path.write_text(json.dumps(receipt))
    note = Note(datetime.fromisoformat(f"{day}T12:00:00+00:00"))
    (private / "ledger.jsonl").write_text(json.dumps(note.to_dict()) + "\n")


def test_a_second_release_of_the_same_data_is_told(data):
    release(data, "spring", k=3)
    set_day(Path("spring.private"), "2026-11-02")
    (found,) = earlier_releases(data, "summer")
    assert (found.same_data, found.overlap, found.composes, found.share) == (True, None, True, 1.0)
    published = len(read_release("spring").vocabulary)
    assert published < len(data.vocabulary) == 423, "what is withheld is not counted either"
    assert (found.entry.method, found.entry.records, found.entry.items) == ("disassociation", 1000, published)
    assert warnings([found]) == [
        f"this data set was published on 2026-11-02 with k=3 m=2 in spring: {COMBINE}; publish one of them only"
    ]


def test_the_release_just_written_is_not_earlier_than_itself(data):
    release(data, "spring", k=3, ledger="kept")
    release(data, "summer", ledger="kept")
    (found,) = earlier_releases(data, "summer", "kept")
    assert found.entry.place == Path("spring")
    assert len(Ledger.read(".", "kept").entries) == 2


def test_the_very_same_release_again_tells_no_more(data):
    release(data, "spring")
    release(data, "summer")
    (found,) = earlier_releases(data, "summer")
    assert (found.same_data, found.same_release, found.composes) == (True, True, False)


def test_records_in_common_are_told(data):
    release(data.take(np.arange(600)), "spring")
    (found,) = earlier_releases(data.take(np.arange(300, 1000)), "summer")
    assert not found.same_data
    assert found.composes
    assert found.overlap.of_data.low == pytest.approx(300 / 700, abs=0.05)  # most records stand out
    assert found.overlap.of_earlier.value == pytest.approx(300 / 600, abs=0.05)
    (told,) = warnings([found])
    assert told.startswith(
        f"this data holds {100 * found.overlap.of_earlier.value:.1f} % of the records that stand out"
    )
    assert COMBINE in told


@pytest.mark.parametrize("format", ["parquet", "json"])
def test_a_release_that_was_taken_away_is_still_known(data, format):
    release(data, "spring", format=format)
    place = Path("spring" if format == "parquet" else "spring.json")
    assert own_entry(place).place == place
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    (found,) = earlier_releases(data, "summer")
    assert not found.entry.has_release
    (told,) = warnings([found])
    assert "in spring.private: " in told
    assert told.endswith("publish one of them only")


def made_up(number: int, **changes) -> Earlier:
    entry = Entry(
        Path(f"{number}.private"),
        Path(str(number)),
        "0" * 64,
        "1" * 64,
        "coat",
        {},
        9,
        3,
        datetime.now(UTC),
        "1.0",
    )
    estimate = Estimate(0.4, 0.35, 0.45)
    made = Earlier(entry, same_data=False, same_release=False, overlap=Overlap(estimate, estimate))
    return replace(made, **changes)


@pytest.mark.parametrize(("low", "composes"), [(0.05, False), (0.051, True)])
def test_what_may_be_chance_does_not_compose(low, composes):
    estimate, none = Estimate(0.5, low, 1.0), Estimate(0.0, 0.0, 0.01)
    assert made_up(1, overlap=Overlap(estimate, none)).composes is composes
    assert made_up(1, overlap=Overlap(none, estimate)).composes is composes


def test_data_in_which_nobody_stands_out_is_known_by_its_fingerprint_only():
    data = Transactions.from_records([["a", "b"]] * 30)
    release(data, "spring")
    (found,) = earlier_releases(data, "summer", None)
    assert found.same_data
    (found,) = earlier_releases(Transactions.from_records([["a", "b"]] * 31), "summer")
    assert (found.overlap, found.composes, found.share) == (None, False, 0.0)


def test_what_has_most_in_common_comes_first(data):
    release(data.take(np.arange(600)), "part")
    release(data.take(np.arange(900)), "most")
    release(data, "all", k=4)
    release(data.take(np.arange(900, 1000)), "none")
    found = earlier_releases(data.take(np.arange(900)), "new")
    assert [each.entry.place.name for each in found][:3] == ["most", "all", "part"]
    plain = json.loads(json.dumps([each.to_dict() for each in found]))
    assert plain[0]["same_data"]
    assert 0 < plain[2]["overlap"]["of_data"]["low"] <= 1


def test_neighbours_that_cannot_be_read_are_counted(data, tmp_path):
    release(data, "spring")
    for number, content in enumerate(
        [b"{}", b"\xff", b"[" * 5000, b'{"format": "shop/1"}', b"x" * 2_000_000]
    ):
        (tmp_path / f"bad{number}.private").mkdir()
        (tmp_path / f"bad{number}.private" / "receipt.json").write_bytes(content)
    (tmp_path / "loop.private").symlink_to("loop.private")
    (tmp_path / "foreign.private").mkdir()
    (tmp_path / "file.private").write_text("not ours")
    (tmp_path / "gone.private").symlink_to("nowhere")
    (tmp_path / "folder.private" / "receipt.json").mkdir(parents=True)
    known = Ledger.read(tmp_path)
    assert [entry.place.name for entry in known.entries] == ["spring"]
    assert len(known.skipped) == 7  # bad0..4, the loop, the folder; what has no receipt is not ours


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_a_private_folder_of_somebody_else(data, tmp_path):
    release(data, "spring")
    (tmp_path / "spring.private").chmod(0)
    try:
        assert Ledger.read(tmp_path) == Ledger((), skipped=(tmp_path / "spring.private" / RECEIPT,))
    finally:
        (tmp_path / "spring.private").chmod(0o700)


def test_huge_folders_are_looked_at_in_part(data, tmp_path, monkeypatch):
    for name in "abc":
        release(data.take(np.arange(100)), name)
    monkeypatch.setattr("cloven.storage.ledger.MOST_RECEIPTS", 2)
    set_day(tmp_path / "b.private", "2020-01-01")
    known = Ledger.read(tmp_path)
    assert ([entry.place.name for entry in known.entries], known.unseen) == (["b", "a"], 1)
    monkeypatch.setattr("cloven.storage.ledger.MOST_NAMES", 3)
    assert Ledger.read(tmp_path).unseen >= 1
    monkeypatch.setattr("cloven.storage.ledger.MOST_NAMES", 6)
    assert Ledger.read(tmp_path).unseen == 1


def test_a_copy_is_no_second_release(data, tmp_path):
    release(data, "spring", ledger="kept")
    shutil.copytree("spring.private", "copy.private")
    assert len(Ledger.read(tmp_path, "kept").entries) == 1


@pytest.mark.parametrize(("mine", "theirs"), [(3000, 3000), (3000, 500), (500, 3000), (400, 500)])
def test_two_sketches_tell_what_a_sketch_and_the_data_tell(mine, theirs):
    draw = np.random.default_rng(5)
    hashes = np.unique(draw.integers(0, 2**63, 8000, dtype=np.uint64))
    shared = min(mine, theirs) // 2
    one = np.sort(draw.permutation(hashes)[:mine])
    strangers = np.setdiff1d(hashes, one)
    other = np.sort(
        np.concatenate([draw.permutation(one)[:shared], draw.permutation(strangers)[: theirs - shared]])
    )
    found = sketched_overlap(Sketch(theirs, other[:SIZE]), Sketch(mine, one[:SIZE]))
    assert found.of_data.low <= shared / mine <= found.of_data.high
    assert found.of_earlier.low <= shared / theirs <= found.of_earlier.high
    assert found.of_data.low > 0
    assert found.of_earlier.high < 1
