"""What Spark refuses before any work; nothing here starts it."""

from __future__ import annotations

import sys

import pytest

import cloven as cv
from cloven.engines.spark import session_at
from cloven.errors import InputError, ParameterError
from cloven.kinds.disassociated.spark.refusal import refuse


class Session:
    """Looks like one."""

    sparkContext = None  # noqa: N815 - as Spark spells it

    def createDataFrame(self):  # noqa: N802 - as Spark spells it
        raise AssertionError


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"refine": True}, "refine"),
        ({"safe": "cover"}, "safe"),
        ({"rare_items": "list"}, "rare_items='list'"),
        ({"root_chunks": "several"}, "root_chunks='several'"),
        ({"tie_order": "first-seen"}, "first-seen"),
    ],
)
def test_what_does_not_run_on_spark_is_said(settings, said):
    with pytest.raises(ParameterError) as told:
        cv.Spark(Session()).anonymise(cv.Disassociation(**settings), None)
    assert said in str(told.value)
    assert "does not run on Spark" in str(told.value)


def test_a_step_of_ones_own_does_not_run_on_spark():
    class Mine:
        def partition(self, part):
            raise AssertionError

    with pytest.raises(ParameterError, match="of your own"):
        refuse(cv.Disassociation(horizontal=Mine()))


def test_other_methods_do_not_run_on_spark():
    with pytest.raises(ParameterError, match="Mondrian does not run on Spark"):
        cv.Spark(Session()).anonymise(cv.Mondrian(), None)


def test_what_is_no_session_and_no_frame_is_said():
    with pytest.raises(ParameterError, match="must be a SparkSession, got str"):
        cv.Spark("local[2]")
    with pytest.raises(ParameterError, match="part_rows"):
        cv.Spark(Session(), part_rows=0)
    with pytest.raises(InputError, match="not a Spark DataFrame"):
        cv.Spark(Session()).read([["flu"]])


def test_files_that_spark_does_not_read_are_said(tmp_path):
    engine = cv.Spark(Session())
    with pytest.raises(InputError, match="no such file"):
        engine.read(tmp_path / "none.parquet")
    (tmp_path / "a.csv").write_text("flu,fever\n")
    with pytest.raises(ParameterError, match="name delimiter"):
        engine.read(tmp_path / "a.csv")
    with pytest.raises(ParameterError, match="person does not work on Spark"):
        engine.read(tmp_path / "a.csv", person="p")
    with pytest.raises(ParameterError, match="lenient"):
        engine.read(tmp_path / "a.csv", lenient=True)
    (tmp_path / "a.jsonl").write_text('["flu"]\n')
    with pytest.raises(ParameterError, match="'jsonl' is not read on Spark"):
        engine.read(tmp_path / "a.jsonl")


@pytest.mark.parametrize(
    ("master", "named", "used"),
    [("local[2]", None, sys.executable), ("yarn", None, "python3"), ("local[2]", "/opt/python", "python3")],
)
def test_workers_of_this_machine_use_this_python(monkeypatch, master, named, used):
    class Context:
        pythonExec = "python3"  # noqa: N815 - as Spark spells it

    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    if named:
        monkeypatch.setenv("PYSPARK_PYTHON", named)
    session = Session()
    session.sparkContext = Context()
    session.sparkContext.master = master
    cv.Spark(session)
    assert session.sparkContext.pythonExec == used


def test_without_pyspark_or_java_a_line_says_so(monkeypatch):
    from cloven.engines import spark

    monkeypatch.setattr(spark, "find_spec", lambda _name: None)
    with pytest.raises(ParameterError, match=r"pip install 'cloven\[spark\]'"):
        session_at("local[2]")
    monkeypatch.setattr(spark, "find_spec", lambda _name: sys)
    monkeypatch.setattr(spark.shutil, "which", lambda _name: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(ParameterError, match="needs Java"):
        session_at("local[2]")
