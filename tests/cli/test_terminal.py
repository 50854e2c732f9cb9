"""Terminals that can do less, streams that are not there, and bars that come and go."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

D = ("anonymise", "disassociation")
FULL = Path("/dev/full")
DUMB = {"TERM": "dumb", "LANG": "C", "LC_ALL": "C"}


@pytest.fixture
def foreign(tmp_path):
    """Data with names that most encodings cannot write."""
    path = tmp_path / "foreign.csv"
    path.write_text("é,漢字\n" * 3 + "é,🩺\n" * 9, encoding="utf-8")
    return path


def run(program, *arguments, encoding="utf-8", **env):
    settings = {**os.environ, **DUMB, "PYTHONIOENCODING": encoding, **env}
    ended = subprocess.run(program(*arguments), capture_output=True, env=settings, timeout=120, check=False)
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_stream_that_cannot_write_everything(program, foreign, tmp_path, encoding):
    options = ("--no-attack", "--rare-items", "list", "--verbose", "-o", tmp_path / "out")
    code, out, err = run(program, "audit", foreign, *options, encoding=encoding)
    assert code == 1, err  # no attack was tried
    text = out.decode(encoding)
    assert ("ok anonymised" if encoding == "ascii" else "anonymised") in text
    assert r"published though held by fewer than k = 5: \u6f22\u5b57" in text
    assert "✓" not in text
    assert b"\x1b" not in out + err


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_json_is_json_in_every_encoding(program, foreign, encoding):
    code, out, err = run(program, "describe", foreign, "--json", encoding=encoding)
    assert (code, err) == (0, b"")
    assert json.loads(out.decode(encoding))["rare_item_names"] == ["漢字"]


def test_a_message_that_the_stream_cannot_write(program, tmp_path):
    (tmp_path / "é.csv").write_text("é,\n")
    code, out, err = run(program, "describe", tmp_path / "é.csv", encoding="ascii")
    assert (code, out) == (3, b"")
    assert rb"\xe9.csv:1: blank item" in err


def test_help_without_any_settings(program):
    code, out, err = run(program, *D, "--help", encoding="ascii")
    assert (code, err) == (0, b"")
    assert b"How to read the data:" in out
    assert b"\x1b" not in out


def test_check_marks_where_they_can_be_shown(cloven, tmp_path):
    ended = cloven("audit", "--no-attack", "--verbose", "-o", tmp_path / "out")
    assert "✓ anonymised" in ended.out
    assert " · sample clinic · " in ended.out


@pytest.mark.slow
def test_quiet_when_not_a_terminal(shell, clinic, tmp_path):
    forced = dict.fromkeys(["FORCE_COLOR", "TTY_COMPATIBLE", "CLICOLOR_FORCE"], "1")
    ended = shell(*D, clinic, "-o", tmp_path / "out", "--json", env=forced)
    assert (ended.code, ended.err) == (0, "")
    assert json.loads(ended.out)["records"] == 1000


def on_terminal(command, term):
    """Run with standard error on a terminal; gives exit code, standard output, and what the terminal saw."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": term, "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=env)
    os.close(theirs)
    seen = b""
    try:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            part = _read(ours)
            if not part:
                break
            seen += part
        out = process.communicate(timeout=60)[0]
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return process.returncode, out.decode(), seen.decode()


def _read(descriptor) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # how Linux says that the other end is closed
        return b""


@pytest.mark.slow
def test_bars_appear_on_a_terminal_and_are_erased(program, clinic, tmp_path):
    code, out, seen = on_terminal(program(*D, clinic, "-o", tmp_path / "out"), "xterm-256color")
    assert code == 0
    assert "read" in seen
    assert "━" in seen
    bar, warning = seen.split("warning: ", 1)
    assert bar.endswith("\x1b[2K")  # the line of the bar is empty again
    assert "\x1b[?25h" in bar  # and the cursor is back
    assert "\x1b" not in warning
    assert "published" in out
    assert "\x1b" not in out


@pytest.mark.slow
def test_no_bars_on_a_dumb_terminal(program, clinic, tmp_path):
    code, _, seen = on_terminal(program(*D, clinic, "-o", tmp_path / "out"), "dumb")
    assert code == 0
    assert "\x1b" not in seen
    assert seen.startswith("warning: ")


def test_an_error_on_a_terminal_leaves_one_line(program, tmp_path):
    (tmp_path / "a.csv").write_text("a,\n")
    code, out, seen = on_terminal(program("describe", tmp_path / "a.csv"), "xterm")
    assert (code, out) == (3, "")
    assert seen.split("\x1b[2K")[-1].startswith("cloven: ")
    assert seen.count("cloven: ") == 1


def read_one_line(command) -> tuple[int, str]:
    """Close the pipe after the first line, as ``| head -1`` does."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        process.stdout.close()
        err = process.stderr.read().decode()
        return process.wait(timeout=60), err
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


@pytest.mark.slow
def test_a_reader_who_goes_away_changes_nothing(program, made, tmp_path):
    assert read_one_line(program("describe", made.original)) == (0, "")
    assert read_one_line(program("verify", made.out)) == (0, "")
    (made.out / "note.txt").write_text("x")
    assert read_one_line(program("verify", made.out)) == (1, "")


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason=f"no {FULL} here")
def test_standard_output_on_a_full_disk(program, made):
    for json_flag in ((), ("--json",)):
        with FULL.open("wb") as full:
            ended = subprocess.run(
                program("describe", made.original, *json_flag),
                stdout=full,
                stderr=subprocess.PIPE,
                check=False,
            )
        assert ended.returncode == 4
        assert ended.stderr == b"cloven: standard output: cannot be written (No space left on device)\n"


@pytest.mark.skipif(os.name == "nt", reason="needs a Unix shell")
@pytest.mark.parametrize(("closed", "code"), [(">&-", 0), ("2>&-", 0), (">&- 2>&-", 0)])
def test_streams_that_are_closed(program, made, closed, code):
    script = f'"$@" {closed}'
    ended = subprocess.run(
        ["sh", "-c", script, "sh", *program("describe", made.original)], capture_output=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (code, b"")
