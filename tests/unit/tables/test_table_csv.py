"""Published tables as frames, CSV files and plausible tables: they show what is published, and nothing else."""

from __future__ import annotations

import csv
import io
from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import cloven as cv
from cloven.escapes import csv_cell
from cloven.kinds.tables.files import table_csv_bytes, write_table_csv
from cloven.kinds.tables.release import CellDomain, GeneralisedTable


def people(rows: int = 60) -> cv.Table:
    rng = np.random.default_rng(3)
    frame = pa.table(
        {
            "age": rng.integers(-5, 40, rows),
            "bucket": rng.choice(["f", "m"], rows),
            "illness": rng.choice(["flu", "gout", "mumps", "ulcer"], rows),
        }
    )
    return cv.read_table(frame, cv.Schema.of(["age", "bucket"], ["illness"]))


def sliced() -> cv.Sliced:
    columns = (("age", "bucket"), ("illness",))
    return cv.Slicing(k=4, l=2, columns=columns, seed=1).anonymise(people()).release


def lines_of(table) -> list[list[str]]:
    return list(csv.reader(io.StringIO(table_csv_bytes(table).decode())))


def parts(release: cv.Sliced) -> Counter:
    """Bucket, column and labels of every part."""
    return Counter(
        (bucket, number, tuple(release.domains[place].labels[release.cells[row, place]] for place in column))
        for bucket, (start, end) in enumerate(pairwise(release.bucket_offsets.tolist()))
        for row in range(start, end)
        for number, column in enumerate(release.columns)
    )


def test_a_line_of_a_sliced_table_is_one_part():
    release = sliced()
    header, *lines = lines_of(release)
    assert header == ["bucket_", "column", "age", "bucket", "illness"]  # an attribute is called bucket, too
    assert [int(line[0]) for line in lines] == sorted(int(line[0]) for line in lines)
    names = ["age+bucket", "illness"]
    seen = Counter(
        (int(bucket), names.index(column), tuple(cells[:2] if column == "age+bucket" else cells[2:]))
        for bucket, column, *cells in lines
    )
    assert seen == parts(release)
    for _, column, *cells in lines:
        assert not any(cells[2:] if column == "age+bucket" else cells[:2])


def test_the_frame_says_the_same_as_the_file():
    for table in (sliced(), cv.Mondrian(k=4).anonymise(people()).release, people()):
        frame = cv.to_frame(table)
        header, *lines = lines_of(table)
        assert frame.column_names == header
        columns = [
            ["" if cell is None else csv_cell(str(cell)) for cell in each.to_pylist()]
            for each in frame.columns
        ]
        assert [list(line) for line in zip(*columns, strict=True)] == lines


def test_rows_of_a_generalised_table_stay_whole(tmp_path):
    release = cv.Mondrian(k=4).anonymise(people()).release
    write_table_csv(release, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == table_csv_bytes(release)
    shown = [
        [csv_cell(domain.labels[cell]) for domain, cell in zip(release.domains, row, strict=True)]
        for row in release.cells
    ]
    assert lines_of(release)[1:] == shown
    assert "'-5..3" in shown[0]  # a spreadsheet would take it for a formula


def test_spreadsheets_run_nothing_and_negative_numbers_stay_numbers():
    frame = pa.table({"=n": ["-1+cmd()", "=1+1", "-1+1", "+1", "@x"], "-age\u202e": [-3, -2, 1, 2, 3]})
    table = cv.read_table(frame, cv.Schema.of(["=n", "-age\u202e"]))
    assert lines_of(table) == [
        ["'=n", "'-age\\u202e"], ["'-1+cmd()", "-3"], ["'=1+1", "-2"], ["'-1+1", "1"], ["+1", "2"], ["'@x", "3"],
    ]  # fmt: skip


def test_a_plausible_table_of_a_sliced_one_holds_its_parts():
    release = sliced()
    drawn = cv.reconstruct_table(release, np.random.default_rng(1))
    other = cv.reconstruct_table(release, np.random.default_rng(2))
    rows = [drawn.row(row) for row in range(len(drawn))]
    assert rows != [other.row(row) for row in range(len(other))]
    bounds = list(enumerate(pairwise(release.bucket_offsets.tolist())))
    seen = Counter()
    for bucket, (start, end) in bounds:
        for row in rows[start:end]:
            seen.update([(bucket, 0, row[:2]), (bucket, 1, row[2:])])
    assert seen == parts(release)
    assert (drawn.names("quasi-identifier"), drawn.names("sensitive")) == (("age", "bucket"), ("illness",))


def cells(values: tuple[str, ...], labels: tuple[str, ...], members: list[list[int]], rows: int):
    """A table of one attribute of numbers, every cell in as many rows."""
    offsets = np.cumsum([0, *map(len, members)])
    domain = CellDomain(
        "x", False, values, np.array(values, float), labels, offsets, np.concatenate(members).astype(np.int32)
    )
    shown = np.repeat(np.arange(len(labels), dtype=np.int32), rows)[:, None]
    return GeneralisedTable(1, {}, (domain,), shown)


@pytest.mark.parametrize(
    ("values", "members", "possible"),
    [
        (
            ("2", "5"),
            [[0, 1]],
            {"2", "3", "4", "5"},
        ),  # ends alone are known, and whatever lies between is possible
        (("2", "3.5", "5"), [[0, 2]], {"2", "5"}),  # no range: a number of no cell lies between
        (("0.1", "0.4"), [[0, 1]], {"0.1", "0.2", "0.3", "0.4"}),
        (("-2.0", "7"), [[0], [1]], {"-2.0", "7"}),
    ],
)
def test_numbers_are_drawn_from_what_a_cell_allows(values, members, possible):
    labels = tuple(f"cell {number}" for number in range(len(members)))
    drawn = cv.reconstruct_table(cells(values, labels, members, 200), np.random.default_rng(1))
    assert {drawn.row(row)[0] for row in range(len(drawn))} == possible


def test_huge_numbers_are_drawn_between_their_ends():
    drawn = cv.reconstruct_table(cells(("1e200", "3e200"), ("a",), [[0, 1]], 50), np.random.default_rng(1))
    numbers = [float(drawn.row(row)[0]) for row in range(50)]
    assert 1e200 <= min(numbers) < max(numbers) <= 3e200
