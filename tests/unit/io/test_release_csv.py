"""CSV for eyes: one line per row, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv

import pytest

from cloven.escapes import csv_cell, visible
from cloven.kinds.disassociated.files import csv_bytes
from cloven.storage.atomic import staged, write_bytes
from tests.unit.io.by_hand import made_by_hand
from tests.unit.verify.keys import group


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
def test_formulas_are_escaped(tmp_path, start):
    item = f"{start}cmd()"
    made = made_by_hand([{item, "x"}, {item}], [group([0, 1], [{item, "x"}])])
    write_csv(made.release, tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as handle:
        cells = [line[-1] for line in csv.reader(handle)][1:]
    shown = (
        f"'{item}" if start.isprintable() else visible(item)
    )  # a control character is no start of a formula then
    assert cells == [shown, f"{shown} | x"]
    assert csv_cell(f"x{start}") == f"x{visible(start)}"
