"""Whatever is opened by name is a plain file of a size that memory can hold; everything else is refused unread."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from cloven.errors import InputError
from cloven.intake import files
from cloven.intake.files import content, open_plain, small_text, text

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")


def test_a_plain_file_and_a_link_to_one(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfcaf\xc3\xa9")
    (tmp_path / "link").symlink_to("a.txt")
    assert content(tmp_path / "link", within=tmp_path) == b"\xef\xbb\xbfcaf\xc3\xa9"
    assert text(tmp_path / "a.txt") == "café"


@posix
@pytest.mark.parametrize("make", ["pipe", "socket", "device", "process"])
def test_what_is_no_file_is_refused_at_once(make, tmp_path):
    place = tmp_path / "x"
    if make == "pipe":
        os.mkfifo(place)
    elif make == "socket":
        with socket.socket(socket.AF_UNIX) as end:
            end.bind(str(place))
    else:
        place = {"device": "/dev/zero", "process": "/proc/self/status"}[make]
        if not Path(place).exists():
            pytest.skip(f"no {place} here")
    with pytest.raises(OSError, match=r"\] (is a |tells of this machine)"):
        open_plain(place)


@posix
def test_a_pipe_is_never_waited_for(tmp_path):
    """In a process of its own: a guard that waits would hang this one."""
    os.mkfifo(tmp_path / "x")
    program = (
        "import sys\nfrom cloven.intake.files import content\n"
        "try:\n  content(sys.argv[1])\nexcept OSError as error:\n  print(error.strerror)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "x")],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ended.stdout == "is a pipe; write its content to a file first\n"


def test_a_link_out_of_the_folder(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "secret").write_bytes(b"x")
    (tmp_path / "in" / "rows").symlink_to(tmp_path / "secret")
    with pytest.raises(OSError, match="leads out of its folder"):
        content(tmp_path / "in" / "rows", within=tmp_path / "in")
    assert content(tmp_path / "in" / "rows") == b"x"


def test_more_than_a_limit_is_refused_by_its_size(tmp_path):
    (tmp_path / "x").write_bytes(b"a" * 1001)
    with pytest.raises(OSError, match="holds more than 1,000 bytes"):
        content(tmp_path / "x", 1000)


def test_holes_are_no_content(tmp_path):
    with (tmp_path / "x").open("wb") as handle:
        handle.truncate(1 << 40)  # a terabyte that takes no room
    with pytest.raises(OSError, match="is mostly holes"):
        content(tmp_path / "x")
    with (tmp_path / "small").open("wb") as handle:
        handle.truncate(1 << 20)
    assert content(tmp_path / "small") == bytes(1 << 20)


def test_memory_bounds_what_nobody_bounded(tmp_path, monkeypatch):
    (tmp_path / "x").write_bytes(b"a" * 100)
    monkeypatch.setattr(files, "available", lambda: 100)
    with pytest.raises(OSError, match="holds more than 50 bytes"):
        content(tmp_path / "x")
    monkeypatch.setattr(files, "available", lambda: None)
    assert len(content(tmp_path / "x")) == 100


@pytest.mark.parametrize(
    ("wrong", "words"),
    [(None, "no such file"), (b"a\nb\xff\n", r":2: not UTF-8; save the file as UTF-8 \(got '\\\\xff'\)")],
)
def test_small_texts_say_what_is_wrong_in_one_line(wrong, words, tmp_path):
    if wrong is not None:
        (tmp_path / "x").write_bytes(wrong)
    with pytest.raises(InputError, match=words):
        small_text(tmp_path / "x")
