"""One record per line: delimited text with quotes, FIMI, SPMF."""

from __future__ import annotations

import csv
import io
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloven.data.transactions import Transactions
from cloven.reading import ReadOptions, read, read_reported
from cloven.reading.tokens import tokenise

if TYPE_CHECKING:
    from pathlib import Path

NASTY = [
    ["a,b", 'say "hi"', "two\nlines"],
    ["é", "e\u0301", "🏥", "👩\u200d⚕️"],
    ["  spaced  ", "semi;colon", "tab\there", "pipe|"],
    ['"', '""', ",", "ﬁ", "fi", "a\u2028b"],
    ["\U0001f600", "\uffff", "z", "Z"],
]


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def records(data: Transactions) -> list[list[str]]:
    return [sorted(record) for record in data]


def to_csv(rows: list[list[str]], delimiter: str = ",", line_end: str = "\n") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator=line_end).writerows(rows)
    return out.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_quoted_items_survive_any_character(tmp_path: Path, delimiter: str, line_end: str) -> None:
    path = write(tmp_path, "nasty.csv", to_csv(NASTY, delimiter, line_end))
    assert read(path, delimiter=delimiter) == Transactions.from_records(NASTY)


def test_vocabulary_is_sorted_by_code_point_and_normal_forms_stay_apart(tmp_path: Path) -> None:
    data = read(write(tmp_path, "nasty.csv", to_csv(NASTY)))
    assert list(data.vocabulary) == sorted({item for row in NASTY for item in row})
    assert {"é", "e\u0301"} <= set(data.vocabulary)
    assert data.vocabulary.index("\uffff") < data.vocabulary.index("\U0001f600")


item = st.text(min_size=1, max_size=6).filter(lambda text: text.strip() and "\0" not in text)


@settings(deadline=None)  # the first call compiles
@given(st.lists(st.lists(item, min_size=1, max_size=5), min_size=1, max_size=8), st.sampled_from(",;\t| "))
def test_tokens_equal_those_of_the_csv_module(rows: list[list[str]], delimiter: str) -> None:
    rows = [[text.encode(errors="ignore").decode() or "x" for text in row] for row in rows]
    tokens = tokenise(to_csv(rows, delimiter).encode(), delimiter, merge=delimiter == " ")
    assert not tokens.faults.any()
    ends = tokens.offsets.tolist()
    flat = [tokens.data[a:b].tobytes().decode() for a, b in pairwise(ends)]
    assert flat == [text for row in rows for text in row]
    assert tokens.lengths.tolist() == [len(row) for row in rows]


plain = st.text(alphabet='ab ,;"\n\r\t', max_size=40)


def split_by_hand(line: str, delimiter: str) -> list[str]:
    if delimiter == " ":
        return line.split()
    blank = not line.strip() and delimiter not in line
    return [] if blank else [cell.strip() for cell in line.split(delimiter)]


@settings(deadline=None)
@given(plain, st.sampled_from([",", ";", "\t", " "]), st.booleans())
def test_any_text_splits_into_as_many_records_as_it_says(text: str, delimiter: str, quotes: bool) -> None:
    tokens = tokenise(text.encode(), delimiter, merge=delimiter == " ", quotes=quotes)
    assert tokens.lengths.sum() == len(tokens.offsets) - 1
    assert len(tokens.data) == tokens.offsets[-1]
    assert (tokens.lengths[tokens.faults != 0] == 0).all()
    if not quotes:
        lines = text.removesuffix("\n").split("\n") if text else []
        by_hand = [split_by_hand(line, delimiter) for line in lines]
        ends = tokens.offsets.tolist()
        flat = [tokens.data[a:b].tobytes().decode() for a, b in pairwise(ends)]
        assert tokens.lengths.tolist() == [len(row) for row in by_hand]
        assert flat == [cell for row in by_hand for cell in row]


def test_white_space_goes_unless_quoted(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", ' a b ,  "c " , "d"\t,e\r\n')
    assert records(read(path, delimiter=",")) == [["a b", "c ", "d", "e"]]


def test_a_quote_inside_an_item_is_an_ordinary_character(tmp_path: Path) -> None:
    assert records(read(write(tmp_path, "a.csv", 'pipe 5",nail\n'))) == [["nail", 'pipe 5"']]


def test_byte_order_mark_and_missing_last_line_end(tmp_path: Path) -> None:
    assert records(read(write(tmp_path, "a.csv", b"\xef\xbb\xbfflu,fever\r\nflu"))) == [
        ["fever", "flu"],
        ["flu"],
    ]


def test_blank_lines_are_empty_records_and_repeats_collapse(tmp_path: Path) -> None:
    data, report = read_reported(write(tmp_path, "a.csv", "a,b,a\n\n  \r\nb,b\n\n"))
    assert records(data) == [["a", "b"], ["b"]]
    assert data.source_rows.tolist() == [0, 3]
    assert (data.empty_records, report.empty_records, report.repeated_items, report.records) == (3, 3, 2, 2)


@pytest.mark.parametrize(
    ("name", "content", "delimiter"),
    [
        ("a.csv", "whole milk,rye bread\nwhole milk\nrye bread,jam\n", ","),
        ("a.csv", "flu, high;cold\nflu;cold, low\n", ";"),
        ("a.txt", "a|b\nc\n", "|"),
        ("a.txt", "a\tb c\nd\n", "\t"),
        ("a.txt", "apple pear\nfig\n", " "),
        ("a.csv", "whole milk\nrye bread\n", ","),
        ("a.csv", "1 2 3\n4 5\n", " "),
        ("a.tsv", "a,b\tc\nd\n", "\t"),
        ("a.csv", '"a;b","c;d"\n"e;f"\n', ","),
        ("a.dat", "1 2\n3\n", " "),
    ],
)
def test_the_delimiter_is_guessed(tmp_path: Path, name: str, content: str, delimiter: str) -> None:
    assert read_reported(write(tmp_path, name, content))[1].delimiter == delimiter


def test_fimi_takes_any_white_space_and_no_quotes(tmp_path: Path) -> None:
    path = write(tmp_path, "a.dat", '1 2  3 \r\n\n"4\t5\n')
    data, report = read_reported(path)
    assert records(data) == [["1", "2", "3"], ['"4', "5"]]
    assert (report.format, report.empty_records) == ("fimi", 1)


def test_spmf_is_detected_and_loses_no_item(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "@CONVERTED\n1 2 -1 3 -1 -2\r\n4 -1 -2\n-2\n# note\n5 -1 -2")
    data, report = read_reported(path)
    assert records(data) == [["1", "2", "3"], ["4"], ["5"]]
    assert (report.format, report.empty_records, data.source_rows.tolist()) == ("spmf", 1, [0, 1, 3])


def test_options_of_lines_can_be_given(tmp_path: Path) -> None:
    path = write(tmp_path, "records.log", "a:b\nc\n")
    options = ReadOptions(format="lines", delimiter=":")
    data, report = read_reported(str(path), options)
    assert records(data) == [["a", "b"], ["c"]]
    assert (report.source, report.delimiter) == (str(path), ":")
    assert report.to_dict()["examples"] == []


def test_lines_that_end_with_a_carriage_return_alone_are_lines(tmp_path: Path) -> None:
    data = read(write(tmp_path, "a.csv", b"flu,fever\rflu\rgout,flu\r"))
    assert records(data) == [["fever", "flu"], ["flu"], ["flu", "gout"]]
