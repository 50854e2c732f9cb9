"""Wrong things handed over are told at once, in words of the caller."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cloven as cv
from cloven.errors import InputError, ParameterError

SETS = cv.Transactions.from_records([["flu", "fever"], ["flu"]] * 6)
TABLE = cv.read_table(
    pa.table({"age": [31, 42] * 6, "ill": ["flu", "gout"] * 6}), cv.Schema.of(["age"], ["ill"])
)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cv.Audit(SETS), r"an audit takes a method, got Transactions; the data go to run: Audit\("),
        (lambda: cv.Audit(limits=0.2), "limits of an audit must be of the class Limits, got float"),
        (
            lambda: cv.Audit(knowledge="vectors"),
            "knowledge of an audit must be of the class Knowledge, got str",
        ),
        (
            lambda: cv.Audit().run([["flu"]]),
            r"takes sets of items \(Transactions\), got list; make them with",
        ),
        (lambda: cv.Audit().run(TABLE), "got Table; take a method for tables, such as Mondrian"),
        (lambda: cv.Audit(cv.Mondrian()).run(SETS), "got Transactions; take a method for sets"),
        (lambda: cv.Disassociation().anonymise([["flu"]]), "Disassociation takes sets of items .*got list"),
        (lambda: cv.Coat().anonymise(TABLE), "Coat takes sets of items .*got Table"),
        (lambda: cv.Slicing().anonymise(SETS), "Slicing takes a table of persons .*got Transactions"),
        (lambda: cv.Anatomy().anonymise({"age": [31]}), "got dict; make one with read_table"),
        (lambda: cv.describe([["flu"]]), "describe takes sets of items"),
        (lambda: cv.Audit(cv.Disassociation), r"got the class Disassociation; make one: Disassociation\("),
        (lambda: cv.read(3), "read takes the path of a file, got int; name one"),
        (lambda: cv.read(None), "read takes the path of a file, got NoneType"),
        (lambda: cv.read(pd.DataFrame({"a": [1]})), r"got DataFrame; hand a frame to from_frame\(frame\)"),
        (lambda: cv.read(pa.table({"a": [1]})), r"got Table; hand a frame to from_frame\(frame\)"),
        (lambda: cv.write_release(SETS, "x"), "what a method made is written, got Transactions"),
    ],
)
def test_the_wrong_thing_is_told_at_once(call, words):
    with pytest.raises(ParameterError, match=words):
        call()


def test_a_frame_with_two_columns_of_one_name_is_refused_in_words():
    with pytest.raises(InputError, match="column 'x' stands twice in the frame; rename one"):
        cv.from_frame(pd.DataFrame([[1, 2]], columns=["x", "x"]), column="x")


@pytest.mark.parametrize("made", [pa.table, pd.DataFrame, pl.DataFrame], ids=["pyarrow", "pandas", "polars"])
def test_texts_with_commas_are_lists(made):
    frame = made({"who": ["a", "b", "a"], "found": ["flu, fever,", "flu", "gout,flu"]})
    data = cv.from_frame(frame, column="found", item_delimiter=",", person="who")
    assert [sorted(record) for record in data] == [["fever", "flu"], ["flu"], ["flu", "gout"]]
    assert data.persons.tolist() == [0, 1, 0]


def test_bad_rows_are_left_out_if_asked():
    frame = pa.table({"found": [["flu", ""], None, ["gout"]]})
    with pytest.raises(InputError, match="row 0"):
        cv.from_frame(frame)
    assert [sorted(record) for record in cv.from_frame(frame, lenient=True)] == [["flu"], ["gout"]]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"item_delimiter": ","}, "name the column, and a sign such as ','"),
        ({"column": "found", "item_delimiter": " "}, "name the column, and a sign"),
        ({"column": "lost", "item_delimiter": ","}, "lost"),
    ],
)
def test_delimiters_that_say_nothing(given, words):
    with pytest.raises((InputError, ParameterError), match=words):
        cv.from_frame(pa.table({"found": ["flu,gout"]}), **given)
