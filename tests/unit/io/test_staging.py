"""Unfinished folders: those of the dead are removed by the next run, those of the living stay."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cloven.errors import OutputError
from cloven.storage import atomic as staging
from cloven.storage.atomic import staged, write_bytes

ON_POSIX = pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL and flock")
WAIT = 60

HOLDING = """
import sys
from pathlib import Path
from cloven.storage.atomic import staged, write_bytes
with staged(Path(sys.argv[1]) / "out.private") as (place,):
    place.mkdir(0o700)
    write_bytes(place / "key.parquet", b"secret")
    print("holding", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    """A process that has begun to write ``out.private`` in tmp_path and waits."""
    command = [sys.executable, "-c", HOLDING, str(tmp_path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"holding\n"
    yield process
    process.kill()
    process.communicate(timeout=WAIT)


def write(target: Path) -> None:
    with staged(target) as (place,):
        write_bytes(place, b"1")


def unfinished(folder: Path) -> list[Path]:
    return list(folder.glob(".cloven-*.partial"))


@ON_POSIX
def test_the_next_run_removes_the_folder_of_a_killed_one(tmp_path, holder):
    (folder,) = unfinished(tmp_path)
    holder.send_signal(signal.SIGKILL)
    assert holder.wait(WAIT) == -signal.SIGKILL
    assert (folder / "out.private" / "key.parquet").read_bytes() == b"secret"
    write(tmp_path / "next")
    assert [path.name for path in tmp_path.iterdir()] == ["next"]


@ON_POSIX
def test_the_folder_of_a_living_run_stays(tmp_path, holder):
    (folder,) = unfinished(tmp_path)
    write(tmp_path / "next")
    assert unfinished(tmp_path) == [folder]
    holder.communicate(b"", timeout=WAIT)
    assert holder.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["next", "out.private"]
    assert [path.name for path in (tmp_path / "out.private").iterdir()] == ["key.parquet"]


def test_what_one_process_writes_at_once_does_not_disturb_itself(tmp_path):
    with staged(tmp_path / "first") as (place,):
        write_bytes(place, b"1")
        write(tmp_path / "second")
        assert place.read_bytes() == b"1"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second"]


@ON_POSIX
def test_what_cannot_be_judged_stays(tmp_path):
    """A folder that others may write to, a link, a file of that name, something without a lock."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(0o700)
    (elsewhere / staging.LOCK).touch()
    (tmp_path / ".cloven-link.partial").symlink_to(elsewhere)
    (tmp_path / ".cloven-file.partial").touch()
    for name, mode, content in (("open", 0o777, staging.LOCK), ("older", 0o700, "key.parquet")):
        folder = tmp_path / f".cloven-{name}.partial"
        folder.mkdir()
        folder.chmod(mode)
        (folder / content).touch()
    before = sorted(tmp_path.rglob("*"))
    write(tmp_path / "next")
    assert sorted(tmp_path.rglob("*")) == sorted([*before, tmp_path / "next"])


@ON_POSIX
def test_a_folder_killed_before_it_was_locked_goes(tmp_path):
    (tmp_path / ".cloven-empty.partial").mkdir(0o700)
    write(tmp_path / "next")
    assert [path.name for path in tmp_path.iterdir()] == ["next"]


@ON_POSIX
def test_losing_a_folder_before_it_is_locked_only_costs_another_try(tmp_path, monkeypatch):
    made = []
    make = Path.mkdir

    def swept(path: Path, *arguments, **settings) -> None:
        make(path, *arguments, **settings)
        made.append(path)
        if len(made) == 1:
            staging.remove_abandoned(tmp_path)  # as another run would, in the worst moment

    monkeypatch.setattr(Path, "mkdir", swept)
    write(tmp_path / "out")
    assert len(made) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failure_in_the_block_is_not_tried_again(tmp_path):
    tries = []
    with pytest.raises(OutputError, match="No space left"), staged(tmp_path / "out"):
        tries.append(1)
        raise OSError(28, "No space left on device")
    assert tries == [1]
    assert list(tmp_path.iterdir()) == []
