"""What goes wrong on Spark ends in a line or in the right release, never in half of one."""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

import cloven as cv
from cloven.engines.spark import session_at
from cloven.errors import OutputError
from tests.spark.test_spark import LISTS, random_records, same

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize("block_records", [12, 10_000])
def test_an_item_in_every_record(session, tmp_path, block_records):
    """All of the data holds it: there is no part without it, and the tree goes on below."""
    records = [[*record, "everywhere"] for record in random_records(31)]
    method = cv.Disassociation(k=3, max_cluster_size=10, block_records=block_records)
    frame = session.createDataFrame([(record,) for record in records], LISTS)
    same(session, tmp_path, method, frame, cv.Transactions.from_records(records))


def test_one_record_again_and_again(session, tmp_path):
    """Nothing to split by: one block that is larger than it should be, clusters beyond the maximum."""
    records = [["a", "b"]] * 70
    method = cv.Disassociation(k=3, max_cluster_size=10, block_records=20)
    frame = session.createDataFrame([(record,) for record in records], LISTS)
    same(session, tmp_path, method, frame, cv.Transactions.from_records(records))


def test_parts_that_pack_to_nothing_are_read_again(session, tmp_path):
    """Half a million equal rows: a part of them must not look like a bomb."""
    frame = session.range(500_000).selectExpr("array('a', 'b', concat('c', id % 5000)) AS items")
    engine = cv.Spark(session)
    engine.write(engine.anonymise(cv.Disassociation(k=5, max_cluster_size=200), frame), tmp_path / "out")
    assert len(list((tmp_path / "out").glob("clusters-*.parquet"))) > 1
    assert engine.verify(tmp_path / "out").ok


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root may mount a small disk")
@pytest.mark.parametrize("kibibytes", [20, 60, 120, 200])
def test_a_full_disk_leaves_nothing(session, tmp_path, kibibytes):
    place = tmp_path / "small"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={kibibytes}k", "cloven-test", str(place)]
    if subprocess.run(words, check=False, capture_output=True).returncode != 0:
        pytest.skip("no disk may be mounted here")
    try:
        engine = cv.Spark(session, part_clusters=4, part_rows=60)
        frame = session.createDataFrame([(record,) for record in random_records(33)], LISTS)
        with pytest.raises(OutputError) as told:
            engine.write(engine.anonymise(cv.Disassociation(k=3, max_cluster_size=12), frame), place / "out")
        assert "\n" not in str(told.value)
        assert list(place.iterdir()) == []
    finally:
        subprocess.run(["umount", str(place)], check=False, capture_output=True)


def test_a_killed_worker_is_an_error_or_nothing_at_all(session, tmp_path):
    """Python workers die again and again; Spark of one machine tries no task twice."""
    engine = cv.Spark(session, part_clusters=4, part_rows=60)
    records = random_records(35)
    frame = session.createDataFrame([(record,) for record in records], LISTS)
    method, done = cv.Disassociation(k=3, max_cluster_size=12, block_records=40), []

    def kill():
        rng = random.Random(1)
        while not done:
            time.sleep(rng.uniform(0.2, 1.0))
            for worker in _workers():
                _kill(worker)

    killer = Thread(target=kill)
    killer.start()
    try:
        with pytest.raises(OutputError, match="nothing was written"):
            for _ in range(20):
                engine.write(engine.anonymise(method, frame), tmp_path / "out")
                assert cv.read_release(tmp_path / "out").records == len([each for each in records if each])
                for name in ("out", "out.private"):
                    shutil.rmtree(tmp_path / name)
    finally:
        done.append(True)
        killer.join()
    assert list(tmp_path.iterdir()) == []
    same(session, tmp_path, method, frame, cv.Transactions.from_records(records))


def _workers():
    """Python workers that hang below this process, found by their command lines."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                found[int(entry.name)] = parent, (entry / "cmdline").read_bytes()
            except OSError:
                continue
    ours = [os.getpid()]
    for each in ours:
        ours += [child for child, (parent, _) in found.items() if parent == each]
    daemons = {each for each in ours if each in found and b"pyspark.daemon" in found[each][1]}
    return [each for each in daemons if found[each][0] in daemons]


def _kill(process):
    try:
        os.kill(process, 9)
    except ProcessLookupError:
        return


LOSE_AN_EXECUTOR = """
import os, sys, time
from pathlib import Path
from threading import Thread
from pyspark.sql import SparkSession
import cloven as cv

session = (
    SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
    .config("spark.log.level", "OFF").config("spark.ui.showConsoleProgress", "false")
    .config("spark.sql.shuffle.partitions", "4").config("spark.local.dir", sys.argv[2]).getOrCreate()
)
engine, killed = cv.Spark(session, part_clusters=4, part_rows=60), []


def executors():
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if b"CoarseGrainedExecutorBackend" in line and session.sparkContext.applicationId.encode() in line:
                yield int(entry.name)


def report(step, _share):
    if step in ("cluster", "write key") and len(killed) < 2:
        victim = min(executors(), default=None)
        if victim is not None:
            os.kill(victim, 9)
            killed.append(step)


data = engine.read(sys.argv[1], column="items")
method = cv.Disassociation(k=3, max_cluster_size=12, block_records=40)
engine.write(engine.anonymise(method, data, report), "out")
print("killed", *killed)
session.stop()
"""


def test_a_lost_executor_changes_nothing(session, tmp_path):
    """Two executors as processes of their own, one of which is killed when clusters are made, and one at the key."""
    records = random_records(37)
    session.createDataFrame([(record,) for record in records], LISTS).coalesce(1).write.parquet(
        str(tmp_path / "visits.parquet")
    )
    job, scratch = tmp_path / "job.py", tmp_path / "scratch"
    job.write_text(LOSE_AN_EXECUTOR, encoding="utf-8")
    source = str(Path(cv.__file__).parents[1])
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    environment["PYTHONPATH"] = os.pathsep.join((source, *sys.path))
    environment.setdefault("SPARK_HOME", str(Path(sys.modules["pyspark"].__file__).parent))
    done = subprocess.run(
        [sys.executable, str(job), "visits.parquet", str(scratch)],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600, env=environment,
    )  # fmt: skip
    if "local-cluster" in done.stderr and "Could not parse" in done.stderr:
        pytest.skip("this Spark has no local-cluster")
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("killed cluster")
    wanted = cv.Disassociation(k=3, max_cluster_size=12, block_records=40).anonymise(
        cv.Transactions.from_records(records)
    )
    release = cv.read_release(tmp_path / "out")
    assert release == wanted.release
    assert cv.read_key(tmp_path / "out.private", release) == wanted.key
    assert not list(tmp_path.glob(".cloven-*"))


def test_no_file_may_grow(tmp_path):
    """A limit on the size of files, as a full disk would have it, for the whole command."""
    lines = [" ".join(sorted(set(record))) for record in random_records(39) if record]
    (tmp_path / "clinic.dat").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "cloven.cli", "anonymise", "disassociation", "clinic.dat", "-k", "3"]
    command += ["-o", "far", "--engine", "spark", "--master", "local[2]"]

    def limited():
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))

    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600, preexec_fn=limited
    )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert [place.name for place in tmp_path.iterdir()] == ["clinic.dat"]


@pytest.mark.parametrize("fault", ["Py4JNetworkError", "ConnectionResetError"])
def test_java_that_ends_before_there_is_a_session_is_told_in_one_line(fault, monkeypatch):
    from py4j.protocol import Py4JNetworkError
    from pyspark.sql import SparkSession

    nobody = {"Py4JNetworkError": Py4JNetworkError, "ConnectionResetError": ConnectionResetError}[fault]

    def ended(_):
        said = "nobody answers"
        raise nobody(said)

    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", ended)
    with pytest.raises(OutputError, match=r"Java ended before Spark had begun \(nobody answers\)"):
        session_at("local[1]")
