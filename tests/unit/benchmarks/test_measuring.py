"""What benchmarks measure with: works take turns, processes are watched, figures of several runs stay together."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import commands, processes, run, spark
from benchmarks.measuring import Extent, Missing, against_half, halved, held, keep, medians
from cloven.datasets import shaped

TINY = shaped("groceries", scale=0.02)


@pytest.fixture
def extent(tmp_path):
    return Extent(tmp_path / "data", tmp_path / "reference.py", small=True)


def test_works_take_turns():
    seen: list[str] = []
    found = medians({name: lambda name=name: seen.append(name) for name in "ab"}, 2)
    assert seen == ["a", "b", "a", "b"]
    assert set(found) == {"a", "b"}


def test_all_is_held_against_half():
    asked: list[int] = []
    row = against_half("counting", "tiny", halved(TINY), lambda part: asked.append(len(part)), 1)
    half = -(-len(TINY) // 2)
    assert asked == [*[half, len(TINY)] * 2, len(TINY)]
    assert row["records"] == len(TINY)
    assert row["ratio"] == pytest.approx(row["seconds"] / row["half_s"])


def test_memory_is_what_a_work_holds_beyond_what_was_held():
    found = held(lambda: np.ones(25_000_000))
    if found is None:
        pytest.skip("this system does not tell the most that a process held")
    assert 0.15 < found < 0.4


def test_a_process_is_seen_with_those_that_it_started():
    inner = "kept = bytearray(50_000_000); print('up', flush=True); input()"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    process = subprocess.Popen(
        [sys.executable, "-c", outer], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "up\n"
    seen = processes.processes_below(process.pid)
    process.communicate("\n")
    assert len(seen) == 2
    assert sum(each.now for each in seen.values()) > 50_000_000
    assert max(each.most for each in seen.values()) > 50_000_000


def test_a_command_is_run_from_the_checkout_that_is_asked_for(tmp_path):
    source = tmp_path / "src" / "cloven" / "cli"
    source.mkdir(parents=True)
    (source.parent / "__init__.py").touch()
    (source / "__init__.py").touch()
    (source / "__main__.py").write_text("import sys; sys.exit(7 if sys.argv[1:] == ['describe', 'x'] else 0)")
    with pytest.raises(SystemExit, match="cloven describe x ended with 7"):
        processes.run(["describe", "x"], tmp_path)
    assert processes.run(["audit"], tmp_path).seconds > 0


def test_old_and_new_take_turns_and_are_compared(tmp_path, monkeypatch, extent):
    asked = []

    def ran(_words, checkout):
        asked.append(checkout)
        return processes.Spent(*((1.0, 1.0, 1.0) if checkout == tmp_path else (2.0, 3.0, 0.5)))

    monkeypatch.setattr(commands, "run", ran)
    beside = replace(extent, beside=tmp_path, small=False)
    row = commands._measured(beside, "describe", "tiny", tmp_path / "tiny.dat", 3)
    assert asked == [processes.ROOT, tmp_path] * 4
    assert (row["cpu_s"], row["old_cpu_s"]) == (3.0, 1.0)


def test_engines_are_compared_by_what_they_wrote(tmp_path, monkeypatch):
    def ran(words, environment):
        if "--engine" not in words:
            return processes.run(words)
        assert environment["PYSPARK_SUBMIT_ARGS"]
        return replace(processes.run(words[: words.index("--engine")]), java=1.0)

    monkeypatch.setattr(spark, "processes", SimpleNamespace(run=ran, median=processes.median))
    rows = spark.compared(300, tmp_path)
    assert [(row["engine"], row["java_gb"], row["same"]) for row in rows] == [
        ("local", 0.0, True),
        ("spark", 1.0, True),
    ]


def test_parts_are_kept_together_but_never_with_small_ones(tmp_path):
    file = tmp_path / "figures" / "bench.json"
    keep(file, "plain", {"load": 0.1, "rows": []}, small=False)
    keep(file, "growth", {"load": 0.2, "rows": []}, small=False)
    assert list(json.loads(file.read_text())["parts"]) == ["plain", "growth"]
    keep(file, "methods", {"load": 0.2, "rows": []}, small=True)
    assert list(json.loads(file.read_text())["parts"]) == ["methods"]


def test_a_part_without_its_input_says_so_without_a_path(tmp_path, extent):
    with pytest.raises(Missing, match="CLOVEN_DATA"):
        extent.file("relational/none.csv")
    for name, variable in (("plain", "CLOVEN_REFERENCE"), ("methods", "CLOVEN_DATA")):
        found = run.measured(name, extent)
        assert found["rows"] == []
        assert found["pace"] > 0
        assert variable in found["missing"]
        assert str(tmp_path) not in found["missing"]


def test_the_command_measures_a_part_and_keeps_it(tmp_path, monkeypatch):
    monkeypatch.setenv("CLOVEN_DATA", str(tmp_path / "none"))
    file = tmp_path / "small.json"
    run.main(["parameters", "--small", "--json", str(file)])
    assert "CLOVEN_DATA" in json.loads(file.read_text())["parts"]["parameters"]["missing"]
