"""Staging and renaming, whatever interrupts it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from cloven.errors import OutputError
from cloven.storage.atomic import new_file, staged, write_bytes


def test_targets_appear_together_and_in_order(tmp_path, monkeypatch):
    order = []
    rename = Path.rename
    monkeypatch.setattr(
        Path, "rename", lambda path, target: order.append(target.name) or rename(path, target)
    )
    with staged(tmp_path / "first", tmp_path / "second") as (first, second):
        first.mkdir()
        write_bytes(first / "file", b"1")
        write_bytes(second, b"2")
        assert not (tmp_path / "first").exists()
        assert first.parent.parent == tmp_path
        assert first.parent.name.startswith(".")
        assert stat.S_IMODE(first.parent.stat().st_mode) == 0o700 or os.name == "nt"
    assert order == ["first", "second"]
    assert (tmp_path / "first" / "file").read_bytes() == b"1"
    assert (tmp_path / "second").read_bytes() == b"2"
    assert len(list(tmp_path.iterdir())) == 2


def test_staging_names_cannot_be_foreseen(tmp_path):
    names = set()
    for number in range(5):
        with staged(tmp_path / str(number)) as (place,):
            write_bytes(place, b"")
            names.add(place.parent.name)
    assert len(names) == 5


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_any_exception_takes_everything_back(tmp_path, failure):
    with pytest.raises(failure), staged(tmp_path / "out") as (place,):
        place.mkdir()
        write_bytes(place / "file", b"1")
        raise failure
    assert list(tmp_path.iterdir()) == []


def test_a_target_that_was_not_built_is_an_error(tmp_path):
    with pytest.raises(OutputError), staged(tmp_path / "a", tmp_path / "b") as (a, _):
        write_bytes(a, b"1")
    assert list(tmp_path.iterdir()) == []


def test_an_unbuilt_target_does_not_touch_what_appeared_there(tmp_path):
    with pytest.raises(OutputError), staged(tmp_path / "a", tmp_path / "b") as (a, _):
        write_bytes(a, b"1")
        (tmp_path / "b").write_bytes(b"theirs")
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
    assert (tmp_path / "b").read_bytes() == b"theirs"


def test_new_file_never_overwrites(tmp_path):
    write_bytes(tmp_path / "a", b"1")
    with pytest.raises(FileExistsError), new_file(tmp_path / "a"):
        pass
    assert (tmp_path / "a").read_bytes() == b"1"
