"""Staging and renaming, whatever interrupts it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from cloven.errors import OutputError
from cloven.storage.atomic import new_file, refuse_existing, staged, write_bytes


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


def test_interrupt_right_after_a_rename_takes_it_back(tmp_path, monkeypatch):
    rename = Path.rename

    def interrupted(path, target):
        result = rename(path, target)
        if target == tmp_path / "b":
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt), staged(tmp_path / "a", tmp_path / "b") as (a, b):
        write_bytes(a, b"1")
        write_bytes(b, b"2")
    assert list(tmp_path.iterdir()) == []


def test_somebody_elses_file_is_never_moved(tmp_path):
    with pytest.raises(OutputError, match="exists already"), staged(tmp_path / "a") as (a,):
        write_bytes(a, b"mine")
        (tmp_path / "a").write_bytes(b"theirs")
    assert (tmp_path / "a").read_bytes() == b"theirs"
    assert len(list(tmp_path.iterdir())) == 1


def test_new_file_never_overwrites(tmp_path):
    write_bytes(tmp_path / "a", b"1")
    with pytest.raises(FileExistsError), new_file(tmp_path / "a"):
        pass
    assert (tmp_path / "a").read_bytes() == b"1"


def test_refuse_existing_names_the_place(tmp_path):
    refuse_existing(tmp_path / "a")
    (tmp_path / "a").symlink_to("nowhere")
    with pytest.raises(OutputError, match="a: exists already"):
        refuse_existing(tmp_path / "b", tmp_path / "a")


def test_a_parent_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"), staged(tmp_path / "file" / "out"):
        pass
