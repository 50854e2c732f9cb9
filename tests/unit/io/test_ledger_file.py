"""``releases.jsonl``: appended to by many at once, torn, spoilt, in places where it must not be."""

from __future__ import annotations

import errno
import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

import cloven as cv
from cloven.errors import OutputError
from cloven.storage.ledger import Ledger
from cloven.storage.ledger_file import (
    NOTES,
    RELEASES,
    Entry,
    Note,
    check_ledger,
    ledger_folder,
    note,
    read_releases,
)
from cloven.storage.publication import publish
from cloven.storage.release import write_release

ON_POSIX = pytest.mark.skipif(os.name == "nt", reason="POSIX modes, links and pipes")


@pytest.fixture(autouse=True)
def no_ledger(monkeypatch):
    monkeypatch.delenv("CLOVEN_LEDGER", raising=False)


@pytest.fixture
def private(clinic, tmp_path) -> Path:
    (tmp_path / "work").mkdir()
    write_release(clinic.result, tmp_path / "work" / "out", original=clinic.original)
    return tmp_path / "work" / "out.private"


def lines(folder: Path) -> list[bytes]:
    return (folder / RELEASES).read_bytes().splitlines()


def test_where_the_ledger_is(monkeypatch, tmp_path):
    assert ledger_folder() is None
    monkeypatch.setenv("CLOVEN_LEDGER", " ")
    assert ledger_folder() is None
    monkeypatch.setenv("CLOVEN_LEDGER", str(tmp_path))
    assert ledger_folder() == tmp_path
    assert ledger_folder("other") == Path("other")


def test_without_a_ledger_it_is_noted_beside_the_key(private, tmp_path):
    note(private, Note.now())
    assert [path.name for path in tmp_path.rglob("*.jsonl")] == [NOTES]


def test_what_is_remembered_is_the_receipt_its_place_and_the_note(private, tmp_path, monkeypatch):
    monkeypatch.setenv("CLOVEN_LEDGER", str(tmp_path / "deep" / "kept"))
    note(private, Note.now())
    (line,) = lines(tmp_path / "deep" / "kept")
    told = json.loads(line)
    assert told.pop("note") == json.loads((private / NOTES).read_text())
    assert told.pop("place") == str(Path("..", "..", "work", "out.private"))
    assert told == json.loads((private / "receipt.json").read_text())
    (entry,) = Ledger.read(tmp_path).entries
    assert entry.private.resolve() == private
    assert entry.place.resolve() == private.with_name("out")


@ON_POSIX
def test_modes(private, tmp_path):
    before = os.umask(0)
    try:
        note(private, Note.now(), tmp_path / "kept")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("kept", f"kept/{RELEASES}")]
    assert modes == [0o700, 0o600]


def test_what_is_written_is_not_noted(private, tmp_path, monkeypatch):
    monkeypatch.setenv("CLOVEN_LEDGER", str(tmp_path / "kept"))
    write_release(cv.Disassociation(k=3).anonymise(cv.sample("clinic")), tmp_path / "out")
    assert not (tmp_path / "kept").exists()
    assert not (private / NOTES).exists()


@pytest.mark.parametrize(
    "change",
    [
        {"when": "today"},
        {"verdict": 3},
        {"people": True},
        {"limits": {"max_risk": "0"}},
        {"tried": "a"},
        {"x": 1},
    ],
)
def test_spoilt_notes_are_left_out(private, change):
    note(private, Note.now("publish"))
    told = json.loads((private / NOTES).read_text())
    with (private / NOTES).open("a") as file:
        file.write(json.dumps(told | change) + "\nno note\n")
    assert [each.verdict for each in Entry.at(private).notes] == ["publish"]


APPENDER = (
    "import sys\nfrom pathlib import Path\nfrom cloven.storage.ledger_file import Note, note\n"
    "for _ in range({}): note(Path(sys.argv[1]), Note.now(), *sys.argv[2:])"
)


def appending(private: Path, ledger: Path, times: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", APPENDER.format(times), private, ledger])


def test_two_processes_append_at_once(private, tmp_path):
    for process in [appending(private, tmp_path / "kept", 60) for _ in range(2)]:
        assert process.wait(60) == 0
    found, bad, old = read_releases(tmp_path / "kept")
    assert (len(found), bad, old) == (120, 0, 0)


def test_a_killed_process_leaves_whole_lines_and_no_lock(private, tmp_path):
    process = appending(private, tmp_path / "kept", 10**9)
    file = tmp_path / "kept" / RELEASES
    deadline = monotonic() + 60
    while not (file.exists() and file.stat().st_size > 10_000) and monotonic() < deadline:
        sleep(0.01)
    process.kill()
    process.wait(60)
    before = len(read_releases(tmp_path / "kept")[0])
    note(private, Note.now(), tmp_path / "kept")
    found, bad, _ = read_releases(tmp_path / "kept")
    assert before > 0
    assert len(found) == before + 1
    assert bad <= 1  # the line that was being written


@pytest.mark.parametrize("torn", [b'{"format": "cloven.rec', b"\xf0\x9f", b"{}", b"\0" * 100])
def test_a_torn_last_line_costs_itself_only(private, tmp_path, torn):
    note(private, Note.now(), tmp_path / "kept")
    with (tmp_path / "kept" / RELEASES).open("ab") as file:
        file.write(torn)
    assert [len(read_releases(tmp_path / "kept")[0]), read_releases(tmp_path / "kept")[1]] == [1, 1]
    note(private, Note.now(), tmp_path / "kept")
    found, bad, _ = read_releases(tmp_path / "kept")
    assert (len(found), bad) == (2, 1)


def test_every_prefix_of_a_line_is_survived(private, tmp_path):
    """A crash may cut the last line anywhere."""
    note(private, Note.now(), tmp_path / "kept")
    content = (tmp_path / "kept" / RELEASES).read_bytes()
    for cut in range(0, len(content) - 1, 7):
        (tmp_path / "kept" / RELEASES).write_bytes(content + content[:cut])
        found, bad, _ = read_releases(tmp_path / "kept")
        assert (len(found), bad) == (1, cut > 0)


@pytest.mark.parametrize(
    "change", [{"place": 3}, {"place": ""}, {"place": "a\0b"}, {"place": None}, {"release": 1}, {"more": 1}]
)
def test_spoilt_lines_are_counted(private, tmp_path, change):
    note(private, Note.now(), tmp_path / "kept")
    told = json.loads(lines(tmp_path / "kept")[0]) | change
    (tmp_path / "kept" / RELEASES).write_text(f"\n\n{json.dumps(told)}\n")
    assert read_releases(tmp_path / "kept") == ([], 1, 0)


def test_long_lines_and_long_ledgers_are_bounded(private, tmp_path, monkeypatch):
    monkeypatch.setattr("cloven.storage.ledger_file.MOST_LINES", 3)
    for _ in range(5):
        note(private, Note.now(), tmp_path / "kept")
    with (tmp_path / "kept" / RELEASES).open("ab") as file:
        file.write(b"x" * 5_000_000 + b"\n")
    found, bad, old = read_releases(tmp_path / "kept")
    assert (len(found), bad, old) == (3, 1, 2)


def test_a_full_disk_leaves_whole_lines(private, tmp_path, monkeypatch):
    note(private, Note.now(), tmp_path / "kept")
    before = (tmp_path / "kept" / RELEASES).read_bytes()
    whole = io.FileIO.write

    class Full(io.FileIO):
        def write(self, content):
            return whole(self, content[:10])

    monkeypatch.setattr(
        "builtins.open", lambda path, mode, buffering=0, opener=None: Full(path, mode, opener=opener)
    )
    with pytest.raises(OutputError, match=r"No space left on device; .* is not noted"):
        note(private, Note.now(), tmp_path / "kept")
    monkeypatch.undo()
    assert (tmp_path / "kept" / RELEASES).read_bytes() == before


def test_places_where_no_ledger_can_be(private, tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OutputError, match=r"the ledger cannot be written \(.*file is no folder\)"):
            check_ledger(place)
    with pytest.raises(OutputError, match="lies inside the release"):
        check_ledger(private.with_name("out") / "kept")
    with pytest.raises(OutputError, match="lies inside the release"):
        check_ledger(private.with_name("out"))
    (tmp_path / "taken" / RELEASES).mkdir(parents=True)
    with pytest.raises(OutputError, match="is no file that can be written"):
        check_ledger(tmp_path / "taken")
    with pytest.raises(OutputError, match="the ledger cannot be written"):
        note(private, Note.now(), tmp_path / "taken")
    assert read_releases(tmp_path / "taken") == ([], 1, 0)


@ON_POSIX
def test_links_and_pipes_are_not_written_to(private, tmp_path):
    for name in ("linked", "piped"):
        (tmp_path / name).mkdir()
    (tmp_path / "target").write_text("mine")
    (tmp_path / "linked" / RELEASES).symlink_to(tmp_path / "target")
    os.mkfifo(tmp_path / "piped" / RELEASES)
    for name in ("linked", "piped"):
        with pytest.raises(OutputError, match="is no file that can be written"):
            check_ledger(tmp_path / name)
    with pytest.raises(OutputError, match=os.strerror(errno.ELOOP)):
        note(private, Note.now(), tmp_path / "linked")
    assert (tmp_path / "target").read_text() == "mine"
    assert read_releases(tmp_path / "piped") == ([], 1, 0)


def test_a_ledger_that_cannot_be_written_leaves_the_release_unpublished(private, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="the ledger cannot be written"):
        publish(private.with_name("out"), tmp_path / "file", anyway=True)
    assert Entry.at(private).published is None


def test_looking_makes_nothing(tmp_path):
    check_ledger(tmp_path / "a" / "b")
    check_ledger()
    assert list(tmp_path.iterdir()) == []
