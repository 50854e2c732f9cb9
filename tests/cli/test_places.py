"""Where output may go: to a new place in a folder that is there. Anything else is refused before any work."""

from __future__ import annotations

import os

import pytest

D = ("anonymise", "disassociation")


def occupy(path, how):
    if how == "folder":
        path.mkdir()
    elif how == "file":
        path.write_text("mine")
    else:
        path.symlink_to("nowhere")


@pytest.mark.parametrize("how", ["folder", "file", "dangling link"])
@pytest.mark.parametrize(
    ("taken", "arguments"),
    [
        ("out", (*D, "-o", "out")),
        ("out.private", (*D, "-o", "out")),
        ("out.json", (*D, "-o", "out", "--release-format", "json")),
        ("eyes.csv", (*D, "-o", "out", "--csv", "eyes.csv")),
        ("out", ("audit", "-o", "out")),
        ("out.private", ("audit", "-o", "out")),
    ],
)
def test_a_place_that_is_taken(cloven, clinic, tmp_path, monkeypatch, nothing_written, taken, arguments, how):
    monkeypatch.chdir(tmp_path)
    occupy(tmp_path / taken, how)
    nothing_written()
    cloven(*arguments, clinic).refused(4, f"{taken}: exists already")


def test_reconstruct_to_a_place_that_is_taken(cloven, made, tmp_path, nothing_written):
    (tmp_path / "w-2.jsonl").symlink_to("nowhere")
    nothing_written()
    cloven("reconstruct", made.out, "-o", tmp_path / "w.jsonl", "--count", 3).refused(
        4, "w-2.jsonl: exists already"
    )
    cloven("reconstruct", made.out, "-o", made.out).refused(4, "exists already")
    cloven("reconstruct", made.out, "-o", "").refused(4, "exists already")


@pytest.mark.parametrize("out", ["", ".", "..", "/"])
def test_a_place_without_a_name(cloven, clinic, tmp_path, monkeypatch, nothing_written, out):
    monkeypatch.chdir(tmp_path)
    nothing_written()
    cloven(*D, clinic, "-o", out).refused(4, "names no new folder")
    cloven("audit", clinic, "-o", out).refused(4, "names no new folder")


def test_a_folder_that_is_missing(cloven, made, tmp_path, nothing_written):
    (tmp_path / "file").write_text("")
    nothing_written()
    data, missing, inside = made.original, tmp_path / "missing", tmp_path / "file"
    for command in ((*D, data), ("audit", data), ("reconstruct", made.out)):
        cloven(*command, "-o", missing / "new").refused(4, f"{missing}: no such folder to write new to")
        cloven(*command, "-o", inside / "new").refused(4, f"{inside}: is a file")
    cloven(*D, data, "-o", tmp_path / "new", "--csv", missing / "a.csv").refused(
        4, f"{missing}: no such folder"
    )
    # Found out before the data are read: a missing file would have been told first otherwise.
    cloven(*D, tmp_path / "absent.csv", "-o", missing / "new").refused(4, "no such folder")


@pytest.mark.parametrize(
    ("csv", "options"),
    [("new", ()), ("./new", ()), ("new.private", ()), ("new.json", ("--release-format", "json"))],
)
def test_two_outputs_with_one_name(cloven, clinic, tmp_path, monkeypatch, nothing_written, csv, options):
    monkeypatch.chdir(tmp_path)
    nothing_written()
    cloven(*D, clinic, "-o", "new", "--csv", csv, *options).refused(2, "two outputs cannot have one name")


def test_a_csv_file_that_cannot_be_written_takes_the_release_back(cloven, clinic, tmp_path, nothing_written):
    name = "x" * 300  # longer than a file name may be
    nothing_written()
    cloven(*D, clinic, "-o", tmp_path / "out", "--csv", tmp_path / name).refused(4, "File name too long")


def test_a_release_that_cannot_be_written_takes_the_csv_file_back(cloven, clinic, tmp_path, nothing_written):
    name = "x" * 250  # .private makes it too long
    nothing_written()
    cloven(*D, clinic, "-o", tmp_path / name, "--csv", tmp_path / "a.csv").refused(
        4, "File name too long", name
    )


def test_the_key_is_for_the_owner_alone(cloven, clinic, tmp_path):
    assert cloven("audit", clinic, "--no-attack", "-o", tmp_path / "out").code == 1
    private = tmp_path / "out.private"
    assert private.stat().st_mode & 0o777 == 0o700 or os.name == "nt"
    assert {path.stat().st_mode & 0o777 for path in private.iterdir()} == {0o600} or os.name == "nt"


def test_names_with_strange_characters(cloven, clinic, tmp_path):
    out = tmp_path / "two words\n\x1b[2J é"
    ended = cloven(*D, clinic, "-o", out)
    assert ended.code == 0
    assert rf"published    {tmp_path}/two words\n\x1b[2J é" in ended.out.splitlines()
    assert cloven("verify", out).code == 0
    cloven(*D, clinic, "-o", out).refused(4, r"two words\n\x1b[2J é: exists already")
