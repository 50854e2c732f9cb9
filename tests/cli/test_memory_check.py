"""``--memory``: what would not fit is refused in one line, before it is read, and nothing is written."""

from __future__ import annotations

import pytest

D = ("anonymise", "disassociation")


@pytest.fixture
def large(tmp_path):
    """A file above a megabyte: 600,000 occurrences."""
    path = tmp_path / "large.csv"
    path.write_text("a,b,c\nb,c,d\n" * 100_000, encoding="utf-8")
    return path


@pytest.fixture
def never_read(monkeypatch):
    def read(*_):
        pytest.fail("the file was read")

    monkeypatch.setattr("cloven.reading.read_reported", read)


def test_a_large_file_is_refused_before_it_is_read(cloven, nothing_written, large, never_read):
    nothing_written()
    ended = cloven("describe", large, "--memory", "350M")
    ended.refused(2, "B of memory, and 350 MB are allowed; use ", "--memory 'any' tries it all the same")


def test_a_small_file_is_refused_once_its_size_is_known(cloven, tmp_path, nothing_written, clinic):
    nothing_written()
    ended = cloven(*D, clinic, "-o", tmp_path / "out", "--memory", "1M")
    ended.refused(2, "needs about 35", "and 1 MB are allowed")


@pytest.mark.parametrize("command", [D, ("audit",)])
def test_who_is_refused_reads_how_spark_would_do_it(
    cloven, tmp_path, nothing_written, large, never_read, command
):
    nothing_written()
    given = (*command, large, "-k", "4", "-o", tmp_path / "out", "--memory", "350M")
    spark = " ".join(map(str, ("cloven", *given, "--engine", "spark")))
    cloven(*given).refused(2, "and 350 MB are allowed; use ", f"or Spark: {spark}; ")
    refined = cloven(*given, "--refine")
    refined.refused(2, "and 350 MB are allowed; use ")
    assert "Spark" not in refined.err


@pytest.mark.parametrize(
    "given",
    [
        (*D, "--csv", "e.csv"),
        (*D, "--measure-counts"),
        ("audit", "--no-attack"),
        ("audit", "--methods", "coat"),
    ],
)
def test_what_spark_would_refuse_is_not_offered(cloven, tmp_path, nothing_written, large, never_read, given):
    nothing_written()
    ended = cloven(*given, large, "-o", tmp_path / "out", "--memory", "350M")
    ended.refused(2, "and 350 MB are allowed; use ")
    assert "Spark" not in ended.err


def test_what_is_free_is_the_usual_limit(cloven, tmp_path, nothing_written, large, never_read, monkeypatch):
    monkeypatch.setattr("cloven.audit.memory.available", lambda: 123 * 10**6)
    nothing_written()
    cloven("audit", large, "-o", tmp_path / "out").refused(2, "and 123 MB are free")


@pytest.mark.parametrize("size", ["any", "64G"])
def test_more_can_be_allowed(cloven, clinic, monkeypatch, size):
    monkeypatch.setattr("cloven.audit.memory.available", lambda: 10**6)
    assert cloven("describe", clinic, "--memory", size).code == 0


@pytest.mark.parametrize("size", ["8X", "", "0", "-3G"])
def test_what_is_no_size(cloven, clinic, size):
    cloven("describe", clinic, f"--memory={size}").refused(
        2, "'--memory': must be a size such as 8G or 500M, or 'any', got", repr(size)
    )


def test_a_file_that_cannot_be_estimated_is_left_to_the_reader(cloven, tmp_path):
    path = tmp_path / "large.csv"
    path.write_bytes(b"\0" * (2 << 20))
    cloven("describe", path, "--memory", "10G").refused(3, "holds NUL bytes")
    cloven("describe", tmp_path / "absent.csv").refused(3, "no such file")


@pytest.fixture
def large_table(tmp_path):
    """A table above a megabyte, 120,000 rows of 3 columns, and its schema."""
    path, schema = tmp_path / "large.csv", tmp_path / "roles.toml"
    path.write_text("age,sex,illness\n" + "31,f,flu\n45,m,gout\n" * 60_000, encoding="utf-8")
    schema.write_text('[columns]\nage = "quasi-identifier"\nillness = "sensitive"\n', encoding="utf-8")
    return path, "--schema", schema


@pytest.mark.parametrize("command", ["audit", "tune", "cells", "describe", "anonymise slicing"])
def test_a_large_table_is_refused_before_it_is_read(
    cloven, tmp_path, nothing_written, large_table, monkeypatch, command
):
    monkeypatch.setattr("cloven.reading.tables.load_table", lambda *_: pytest.fail("the file was read"))
    nothing_written()
    out = () if command in ("cells", "describe") else ("-o", tmp_path / "out")
    ended = cloven(*command.split(), *large_table, *out, "--memory", "350M")
    ended.refused(
        2,
        "needs about 361 MB of memory, and 350 MB are allowed; use ",
        "--memory 'any' tries it all the same",
    )


def test_a_small_table_is_refused_once_its_size_is_known(cloven, people, schema, monkeypatch):
    cloven("describe", people, "--schema", schema, "--memory", "1M").refused(2, "needs about 300 MB")
    monkeypatch.setattr("cloven.audit.memory.available", lambda: 10**6)
    cloven("cells", people, "--schema", schema).refused(2, "and 1 MB are free")
    assert cloven("describe", people, "--schema", schema, "--memory", "any").code == 0
