"""What benchmarks measure with: stages add up, works take turns, figures of several runs stay together."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest

import cloven as cv
from benchmarks import run as parts
from benchmarks import stages
from benchmarks.measuring import Extent, Missing, against_half, halved, held, keep, medians, write_fimi
from cloven.cores import at_once, shared_out, side_by_side
from cloven.datasets import shaped

TINY = shaped("groceries", scale=0.02)


@pytest.mark.parametrize("refine", [False, True])
def test_stages_are_all_there_and_add_up(tmp_path, refine):
    file = tmp_path / "tiny.dat"
    write_fimi(TINY, file)
    start = perf_counter()
    watch = stages.run(file, cv.Disassociation(refine=refine), tmp_path / "out")
    whole = perf_counter() - start
    assert set(watch.spent) >= set(stages.STAGES) - (set() if refine else {"refine"})
    assert all(watch.spent[stage] >= 0 for stage in stages.STAGES)
    assert (watch.spent["refine"] > 0) is refine
    # Writing verifies once more, which is told once.
    told = sum(watch.spent[stage] for stage in stages.STAGES)
    assert told <= whole <= told + watch.spent["verify"] + 0.5
    assert cv.read_release(tmp_path / "out").records == len(TINY)


def test_a_row_has_ratio_and_bound(tmp_path):
    file = tmp_path / "tiny.dat"
    write_fimi(TINY, file)
    row = stages.compare({"tiny": file}, 1)[0]
    assert row["cores"] == 1
    assert row["ratio"] == pytest.approx(sum(row[stage] for stage in stages.BETWEEN) / row["read"])
    assert row["count"] > 0
    assert 0 < row["bytes"] < row["read"]


def test_the_stage_that_starts_threads_is_told(monkeypatch):
    monkeypatch.setenv("CLOVEN_CORES", "2")
    watch = stages.Stopwatch()
    with watch.watching():
        work = watch.timed(
            "vertical", lambda: at_once(lambda first, last: last - first, np.arange(1_000_001))
        )
        assert sum(work()) == 1_000_000
        watch.timed("root", lambda: at_once(lambda first, last: last - first, np.arange(11)))()
    assert list(watch.threaded) == ["vertical"]
    assert 0 < watch.threaded["vertical"] <= watch.spent["vertical"]
    assert not watch.shared
    assert stages.threads.shared_out is shared_out


def test_threads_inside_of_threads_are_counted_once(monkeypatch):
    monkeypatch.setenv("CLOVEN_CORES", "2")
    watch = stages.Stopwatch()

    def inner():
        return at_once(lambda first, last: last - first, np.arange(1_000_001))

    with watch.watching():
        watch.timed("vertical", lambda: side_by_side([inner, inner, inner]))()
    assert 0 < watch.threaded["vertical"] <= watch.spent["vertical"]


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
    assert row["per_100k_s"] == pytest.approx(row["seconds"] * 1e5 / len(TINY))


def test_memory_is_what_a_work_holds_beyond_what_was_held():
    found = held(lambda: np.ones(25_000_000))
    if found is None:
        pytest.skip("this system does not tell the most that a process held")
    assert 0.15 < found < 0.4


def test_parts_are_kept_together_but_never_with_small_ones(tmp_path):
    file = tmp_path / "figures" / "bench.json"
    keep(file, "stages", {"load": 0.1, "rows": []}, small=False)
    keep(file, "growth", {"load": 0.2, "rows": []}, small=False)
    assert list(json.loads(file.read_text())["parts"]) == ["stages", "growth"]
    keep(file, "scale", {"load": 0.2, "rows": []}, small=True)
    assert list(json.loads(file.read_text())["parts"]) == ["scale"]


def test_a_part_without_its_input_says_so_without_a_path(tmp_path):
    extent = Extent(tmp_path / "data", tmp_path / "reference.py", small=True)
    assert extent.files("BMS-WebView-2") == {}
    with pytest.raises(Missing, match="CLOVEN_DATA"):
        extent.file("relational/none.csv")
    for name, variable in (("ratio", "CLOVEN_REFERENCE"), ("methods", "CLOVEN_DATA")):
        found = parts.measured(name, extent)
        assert found["rows"] == []
        assert variable in found["missing"]
        assert str(tmp_path) not in found["missing"]


def test_the_command_measures_a_part_and_keeps_it(tmp_path, monkeypatch):
    monkeypatch.setenv("CLOVEN_DATA", str(tmp_path / "none"))
    file = tmp_path / "small.json"
    parts.main(["parameters", "--small", "--json", str(file)])
    assert "CLOVEN_DATA" in json.loads(Path(file).read_text())["parts"]["parameters"]["missing"]
