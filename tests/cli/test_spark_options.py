"""``--engine spark`` refuses in a line what it cannot do, before it starts anything."""

from __future__ import annotations

import pytest

DISASSOCIATION = ("anonymise", "disassociation")


@pytest.fixture
def data(tmp_path):
    (tmp_path / "clinic.csv").write_text("flu,fever\n" * 9)
    return tmp_path / "clinic.csv"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--csv", "eyes.csv"), ("--csv", "does not work with --engine spark")),
        (("--measure-counts",), ("--measure-counts", "in memory", "how often they hold")),
        (("--release-format", "json"), ("--release-format json",)),
    ],
)
def test_options_of_the_local_engine_are_refused(cloven, data, tmp_path, given, words):
    ended = cloven(*DISASSOCIATION, data, "-o", tmp_path / "out", "--engine", "spark", *given)
    ended.refused(2, *words)
    assert not (tmp_path / "out").exists()


def test_a_master_needs_the_engine(cloven, data, tmp_path):
    ended = cloven(*DISASSOCIATION, data, "-o", tmp_path / "out", "--master", "local[2]")
    ended.refused(2, "--master is for --engine spark")


def test_an_unknown_engine_is_refused(cloven, data, tmp_path):
    ended = cloven(*DISASSOCIATION, data, "-o", tmp_path / "out", "--engine", "flink")
    assert ended.code == 2
    assert "flink" in ended.err


def test_without_pyspark_a_line_says_what_to_install(cloven, data, tmp_path, monkeypatch):
    from cloven.engines import spark

    monkeypatch.setattr(spark, "find_spec", lambda _name: None)
    ended = cloven(*DISASSOCIATION, data, "-o", tmp_path / "out", "--engine", "spark")
    ended.refused(2, "needs PySpark", "pip install 'cloven[spark]'")
    assert not (tmp_path / "out").exists()


def test_a_place_that_is_taken_is_refused_before_spark_starts(cloven, data, tmp_path):
    (tmp_path / "out").mkdir()
    cloven(*DISASSOCIATION, data, "-o", tmp_path / "out", "--engine", "spark").refused(4, "exists already")
