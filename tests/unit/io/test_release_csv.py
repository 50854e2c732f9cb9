"""CSV for eyes: one line per row, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import errno
import sys

import pytest

from cloven.errors import OutputError
from cloven.escapes import csv_cell, visible
from cloven.kinds.disassociated.files import csv_bytes
from cloven.storage.atomic import staged, write_bytes


def write_csv(release, path):
    with staged(path) as (place,):
        write_bytes(place, csv_bytes(release))


def test_one_line_per_row(clinic, tmp_path):
    write_csv(clinic.release, tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as handle:
        header, *lines = csv.reader(handle)
    assert header == ["cluster", "joint", "chunk", "kind", "items"]
    assert len(lines) == clinic.release.rows
    assert lines[0] == ["0", "", "0", "record", "cough"]
    assert lines[-1] == ["", "0", "0", "shared", "salt"]
    items = [line[-1] for line in lines]
    assert "cough | flu" in items
    assert "a\\nb | שלום" in items
    assert '\'=1+1 | fox, "red"' in items


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_formulas_are_escaped(build, tmp_path, start):
    item = f"{start}cmd()"
    group = sys.modules[build.__module__].Group
    write_csv(build([group([{item, "x"}, {item}], [{item, "x"}])]).release, tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as handle:
        cells = [line[-1] for line in csv.reader(handle)][1:]
    shown = (
        f"'{item}" if start.isprintable() else visible(item)
    )  # a control character is no start of a formula then
    assert cells == [shown, f"{shown} | x"]
    assert csv_cell(f"x{start}") == f"x{visible(start)}"


def test_existing_file_is_kept(clinic, tmp_path):
    (tmp_path / "out.csv").write_text("mine")
    with pytest.raises(OutputError, match="exists already"):
        write_csv(clinic.release, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "mine"


def test_full_disk_leaves_nothing(clinic, tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OutputError, match="No space left"):
        write_csv(clinic.release, tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []
