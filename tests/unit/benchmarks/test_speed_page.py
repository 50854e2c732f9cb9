"""The page on speed says what its figures say: kept where they keep a limit, not kept where they do not."""

from __future__ import annotations

import doctest
import json

import pytest

from benchmarks import limits, page
from benchmarks.limits import judged, speedups
from benchmarks.page import SECTIONS, Measured
from benchmarks.stages import STAGES

MACHINE = {"cores": 2, "processor": "x86_64", "python": "3.11", "numpy": "2.0", "memory_gb": 8}


def staged(data, cores, setting="default", threaded=("vertical",), **seconds):
    spent = dict.fromkeys(STAGES, 0.1) | {"read": 1.0} | seconds
    between = sum(spent[stage] for stage in STAGES[1:-1])
    inside = {stage: spent[stage] for stage in threaded}
    extra = {"ratio": between / spent["read"], "threaded": inside, "count": 0.25, "bytes": 0.5}
    return {"data": data, "setting": setting, "cores": cores, **spent, **extra}


def grown(records, seconds=10.0, peak=1.0):
    return {"records": records, "seconds": seconds, "cpu_s": seconds, "peak_gb": peak}


def scaled(records, spent):
    return {"records": records, "split_s": spent, "anonymise_s": spent, "refined_s": spent}


def program(name, seconds, lost, **more):
    return {
        "data": "9 rows", "program": name, "seconds": seconds, "classes": 3, "discernibility": lost, **more,
    }  # fmt: skip


def audited(occurrences, seconds):
    return {
        "records": occurrences // 7, "occurrences": occurrences, "seconds": seconds, "steps": {"verify": 1.5},
        "cpu_s": 2 * seconds, "peak_gb": 3.0,
    }  # fmt: skip


GOOD = {
    "audits": [audited(1_000_000, 99.0), audited(10_000_100, 59.0)],
    "stages": [staged("POS shape", 1, vertical=1.8), staged("POS shape", 2, vertical=1.0)],
    "growth": [
        grown(1_000_000, seconds=50, peak=1.0),
        grown(10_000_000, seconds=480, peak=7.5),
    ],
    "scale": [scaled(100, 1.0), scaled(800, 9.0)],
    "ratio": [{"data": "T10I4D100K", "reference_s": 6.0, "cloven_s": 0.05, "ratio": 120.0}],
    "mondrian": [program("anonypyx", 6.0, 100), program("cloven strict", 0.1, 90, ratio=60.0)],
}
BAD = {
    "audits": [audited(9_990_000, 61.0)],
    "stages": [staged("POS shape", 1, vertical=4.0), staged("POS shape", 2, vertical=3.2)],
    "growth": [grown(10_000_000, seconds=660, peak=7.5)],
    "scale": [scaled(100, 1.0), scaled(800, 11.0)],
    "ratio": [{"data": "T10I4D100K", "reference_s": 6.0, "cloven_s": 0.1, "ratio": 60.0}],
    "mondrian": [program("anonypyx", 6.0, 100), program("cloven strict", 0.1, 110, ratio=60.0)],
}


def whole(**parts):
    rows = {
        "parameters": [{"data": "D", "parameter": "m", "value": 4, "seconds": 2.0, "ratio": 2.5}],
        "whole": [{"data": "POS shape", "seconds": 2.0, "cpu_s": 2.5, "peak_gb": 0.5}],
        "engines": [
            {"records": 7, "engine": "local", "seconds": 2.0, "cpu_s": 3.0, "peak_gb": 1.0, "same": True},
            {"records": 7, "engine": "spark", "seconds": 9.0, "cpu_s": 9.0, "peak_gb": 2.0, "same": True},
        ],
        "methods": [
            {
                "what": "COAT",
                "data": "D",
                "records": 50_000,
                "seconds": 1.0,
                "ratio": 2.2,
                "per_100k_s": 2.0,
                "memory_gb": 0.25,
            }
        ],
        "audits": [audited(1_000_000, 9.0)],
        "attacks": [
            {
                "what": "RBA",
                "data": "D",
                "records": 50_000,
                "seconds": 1.0,
                "ratio": 3.3,
                "per_100k_s": 2.0,
                "memory_gb": None,
            }
        ],
    }
    return {"small": False, "machine": MACHINE, "parts": listing(rows | parts)}


def listing(rows):
    return {name: {"load": 0.5, "rows": each} for name, each in rows.items()}


def text(**parts):
    return " ".join(page.page(Measured.of([whole(**parts)])).split())


def test_examples_run():
    assert doctest.testmod(limits).failed == 0


def test_limits_are_kept_where_every_figure_keeps_them():
    assert [each.kept for each in judged(GOOD)] == [True] * 7
    assert [each.kept for each in judged(BAD)] == [False] * 7
    assert [each.kept for each in judged({})] == [None] * 7


def test_a_single_figure_breaks_a_limit():
    rows = [*GOOD["scale"], scaled(6_400, 100.0)]
    assert next(each for each in judged({"scale": rows}) if "eight times" in each.limit).kept is False


def test_whole_runs_count_for_growth():
    rows = [
        grown(1_000_000, seconds=10.0),
        grown(8_000_000, seconds=90.0),
    ]
    limit = next(each for each in judged({"growth": rows}) if "eight times" in each.limit)
    assert (limit.kept, limit.figures) == (True, "whole runs from 1,000,000 to 8,000,000 records 9.0 times.")
    rows[1] = grown(8_000_000, seconds=101.0)
    assert next(each for each in judged({"growth": rows}) if "eight times" in each.limit).kept is False


def test_a_stage_that_divides_too_little_cannot_be_faster_and_is_not_asked():
    """Of two seconds on one core threads divide one, or 1.6."""
    one, two = staged("POS shape", 1, vertical=2.0), staged("POS shape", 2, vertical=1.5)
    for inside, divided, kept in ((0.5, 0.5, None), (1.1, 0.8, False)):
        rows = [one, two | {"threaded": {"vertical": inside}}]
        found = speedups(rows)["POS shape", "default", "vertical"]
        assert (found.times, found.divided) == pytest.approx((4 / 3, divided))
        assert judged({"stages": rows})[1].kept is kept


def test_a_stage_without_threads_is_not_asked_for_both_cores():
    rows = [staged("POS shape", many, threaded=()) for many in (1, 2)]
    assert judged({"stages": rows})[1].kept is None


@pytest.mark.parametrize(
    "sentence",
    [
        "**kept**: H (with sorting) + V + R + root + verify take at most 3 times as long as reading. POS shape,"
        " default, 1.5 times (1.6 with assembling, 2.3 on one core).",
        "POS shape (default) 1.80 times",
        "**kept**: 10^7 records of the POS shape take at most 10 minutes and 8 GB in memory. 8.0 minutes, 7.50 GB.",
        "H + V from 100 to 800 records 9.0 times",
        "plain Python on T10I4D100K. 120 times.",
        "60 times, 0.90 of the least discernibility",
        "reading once (1.000 s) and counting each occurrence once (0.2500 s); reading takes 2.0 times unpacking",
        "All of it takes 2.2 times the bound",
        "The dearest is m = 4 on D: 2.5 times the defaults.",
        "Spark takes 4.5 times as long and 3.0 times the work; both wrote the same release and key.",
        "10 times as many, processor time becomes 9.6 times as long and peak memory 7.5 times as large",
        "Time grows most for RBA: 3.3 times.",
        "| 2.20 | 250 MB |",
        "| 3.30 | - |",
        "0.5 to 0.5 when the parts began, no more than it has cores.",
    ],
)
def test_sentences_follow_good_figures(sentence):
    assert sentence in text(**GOOD)


@pytest.mark.parametrize(
    "sentence",
    [
        "POS shape, default, 3.7 times (3.8 with assembling, 4.5 on one core).",
        "vertical of POS shape (default) 1.25 times.",
        "11.0 minutes, 7.50 GB.",
        "61 seconds, 3.0 GB",
        "refining from 100 to 800 records 11.0 times",
        "1.10 of the least discernibility",
    ],
)
def test_sentences_follow_bad_figures(sentence):
    found = text(**BAD)
    assert sentence in found
    assert found.count("**not kept**") == 7
    assert "**kept**" not in found


def test_what_is_missing_is_said():
    found = whole(**GOOD)
    del found["parts"]["attacks"]
    found["parts"]["methods"] = {"load": 4.0, "rows": [], "missing": "the data is not there"}
    found["parts"]["mondrian"]["rows"].append(
        {"data": "9 rows", "program": "anjana", "missing": "is not installed"}
    )
    said = page.page(Measured.of([found]))
    assert "- The other methods: the data is not there." in said
    assert "## The other methods\n\nNot measured: the data is not there." in said
    assert "- Attacks: not run." in said
    assert "- Mondrian against packages of others: anjana is not installed." in said
    assert "- Stages of a release: BMS-WebView-2 and T10I4D100K." in said
    assert "other work took cores away from methods." in " ".join(said.split())


def test_nothing_measured_is_a_page_that_says_so():
    said = page.page(Measured.of([]))
    assert said.count("**not measured**") == 7
    assert said.count("Not measured yet.") == 1 + len(SECTIONS)


def test_a_small_run_is_not_judged():
    said = page.page(Measured.of([whole(**BAD) | {"small": True}]))
    assert "the figures mean nothing" in said
    assert "kept**" not in said


def test_files_are_merged_and_old_charts_go(tmp_path):
    pytest.importorskip("altair")
    first, second = tmp_path / "bench.json", tmp_path / "engines.json"
    everything = whole(**GOOD)
    engines = {"engines": everything["parts"].pop("engines")}
    first.write_text(json.dumps(everything))
    second.write_text(json.dumps({"small": False, "machine": MACHINE, "parts": engines}))
    page.main([str(first), str(second), "--out", str(tmp_path)])
    assert "Spark takes 4.5 times" in (tmp_path / "speed.md").read_text()
    charts = {"stages.svg": "vertical", "growth.svg": "peak, GB"}
    assert all(word in (tmp_path / "speed" / name).read_text() for name, word in charts.items())
    page.main([str(second), "--out", str(tmp_path)])
    assert not list((tmp_path / "speed").iterdir())
