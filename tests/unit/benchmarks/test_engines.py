"""Figures of both engines reach the page."""

from __future__ import annotations

import json
import sys

from benchmarks import engines
from benchmarks.page import Measured, page


def test_rows_of_both_engines_are_kept_for_the_page(tmp_path, monkeypatch):
    def measured(engine, place, _driver, _master):
        engines._run("local", str(place / "pos.parquet"), str(place / engine), "")
        many = 1 + (engine == "spark")
        return engines.Spent(2.0 * many, 3.0 * many, many * 10**9, 0)

    monkeypatch.setattr(engines, "_measured", measured)
    file = tmp_path / "engines.json"
    monkeypatch.setattr(sys, "argv", ["engines", "--records", "300", "--json", str(file)])
    assert engines.main() == 0
    document = json.loads(file.read_text())
    rows = document["parts"]["engines"]["rows"]
    assert [(row["engine"], row["seconds"], row["peak_gb"]) for row in rows] == [
        ("local", 2.0, 1.0),
        ("spark", 4.0, 2.0),
    ]
    said = " ".join(page(Measured.of([document])).split())
    assert "300 records: Spark takes 2.0 times as long and 2.0 times the work; both wrote the same" in said
