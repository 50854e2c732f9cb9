"""What engines refuse before any work, and what the local one does; nothing here starts Spark."""

from __future__ import annotations

import sys

import pytest

import cloven as cv
from cloven.engines import Engine, Local
from cloven.engines.spark import session_at
from cloven.errors import InputError, ParameterError
from cloven.kinds.disassociated.spark.pipeline import refuse


class Session:
    """Looks like one."""

    sparkContext = None  # noqa: N815 - as Spark spells it

    def createDataFrame(self):  # noqa: N802 - as Spark spells it
        raise AssertionError


def test_the_local_engine_does_what_the_functions_do(tmp_path):
    engine, method = Local(), cv.Disassociation(k=3)
    assert isinstance(engine, Engine)
    (tmp_path / "clinic.csv").write_text("flu,fever\n" * 9)
    data = engine.read(tmp_path / "clinic.csv")
    engine.write(method.anonymise(data, engine=engine), tmp_path / "out")
    assert cv.read_release(tmp_path / "out") == method.anonymise(data).release
    assert engine.verify(tmp_path / "out").ok


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


# The local engine within a limit of memory; that it gives the same release is held by laws/test_bounded_memory.py.


@pytest.fixture
def clinic(tmp_path):
    place = tmp_path / "clinic.csv"
    place.write_text(
        "".join(",".join(sorted(record)) + "\n" for record in cv.sample("clinic")), encoding="utf-8"
    )
    return place


def test_within_a_limit_a_plan_is_written(clinic, tmp_path):
    engine, method = cv.Local(memory="1GiB"), cv.Disassociation(k=3)
    assert isinstance(engine, Engine)
    steps = []
    plan = engine.anonymise(method, clinic, lambda step, _share: steps.append(step))
    assert not (tmp_path / "out").exists()
    made = engine.write(plan, tmp_path / "out")
    assert made.figures["records"] == 1000
    assert list(dict.fromkeys(steps))[:4] == ["read", "fingerprint", "sort", "split"]
    assert steps[-1] == "verify"
    assert cv.read_release(tmp_path / "out") == method.anonymise(cv.read(clinic)).release
    private = tmp_path / "out.private"
    assert engine.verify(tmp_path / "out", original=clinic, private=private).ok
    assert engine.verify(tmp_path / "out").ok
    assert {place.stat().st_mode & 0o777 for place in private.iterdir()} == {0o600}
    assert private.stat().st_mode & 0o777 == 0o700


def test_any_memory_is_no_limit(clinic):
    engine = cv.Local(memory="any")
    assert engine.anonymise(cv.Disassociation(), engine.read(clinic)) == cv.Disassociation().anonymise(
        cv.read(clinic)
    )


@pytest.mark.parametrize(
    ("memory", "said"),
    [
        ("4XB", "such as 8G or 500M"),
        ("", "such as 8G"),
        (True, "such as '4GB'"),
        ([4], "such as '4GB'"),
        (0, "got '0'"),
    ],
)
def test_what_is_no_memory_is_refused(memory, said):
    with pytest.raises(ParameterError, match="memory must be") as told:
        cv.Local(memory=memory)
    assert said in str(told.value)


@pytest.mark.parametrize("sizes", [{"part_rows": 0}, {"part_clusters": True}, {"part_clusters": 2.5}])
def test_sizes_of_parts_are_whole_numbers(sizes):
    with pytest.raises(ParameterError, match="must be a whole number of at least 1"):
        cv.Local(memory="1GB", **sizes)


@pytest.mark.parametrize("memory", [100_000_000, "450MB"])
def test_too_little_memory_is_refused_before_any_work(clinic, memory):
    with pytest.raises(ParameterError, match="at least 500 MB"):
        cv.Local(memory=memory).anonymise(cv.Disassociation(), clinic)


@pytest.mark.parametrize(
    "settings",
    [
        {"refine": True},
        {"safe": "cover"},
        {"rare_items": "list"},
        {"root_chunks": "several"},
        {"min_item_support": 3},
    ],
)
def test_what_does_not_run_in_bounded_memory_is_said(clinic, settings):
    with pytest.raises(ParameterError, match="does not run in bounded memory"):
        cv.Local(memory="1GB").anonymise(cv.Disassociation(**settings), clinic)


def test_other_methods_and_data_in_memory_are_refused(clinic):
    engine = cv.Local(memory="1GB")
    with pytest.raises(ParameterError, match="AprioriKm needs all records in memory"):
        engine.anonymise(cv.AprioriKm(k=2, taxonomy=None), clinic)
    with pytest.raises(ParameterError, match="a file is read"):
        engine.read(cv.sample("clinic"))
    with pytest.raises(ParameterError, match="comes from read"):
        engine.anonymise(cv.Disassociation(), cv.sample("clinic"))


def test_unknown_sensitive_items_few_records_and_many_names_are_refused(clinic, tmp_path):
    engine = cv.Local(memory="1GB")
    with pytest.raises(ParameterError, match="sensitive items are not in the data"):
        engine.write(engine.anonymise(cv.Disassociation(sensitive={"flue"}), clinic), tmp_path / "out")
    with pytest.raises(ParameterError, match=r"k = 2000 needs at least 2000 records, got 1,000"):
        engine.write(
            engine.anonymise(cv.Disassociation(k=2000, max_cluster_size=None, block_records=4000), clinic),
            tmp_path / "out",
        )
    from cloven.kinds.disassociated.spilled.gathering import gather
    from cloven.kinds.disassociated.spilled.room import Room

    (tmp_path / "work").mkdir()
    with pytest.raises(ParameterError, match=r"a dictionary of [\d,]+ items would take .* allow at least"):
        gather(engine.read(clinic), Room(10**9, 10**6, 10**6, 10_000), tmp_path / "work")
    assert not (tmp_path / "out").exists()
