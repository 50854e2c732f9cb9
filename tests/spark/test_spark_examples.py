"""The examples of Spark run as people would run them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cloven as cv
from tests.spark.test_spark import LISTS, random_records

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore")]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "spark"


def test_the_job_for_spark_submit_runs(session, tmp_path):
    """By the ``spark-submit`` that PySpark brings, or by Python where there is none."""
    records = random_records(13)
    session.createDataFrame([(record,) for record in records], LISTS).coalesce(1).write.parquet(
        str(tmp_path / "visits.parquet")
    )
    submit = shutil.which(
        "spark-submit", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    launcher = [sys.executable] if submit is None else [submit, "--master", "local[2]"]
    given = [*launcher, str(EXAMPLES / "submit.py"), "visits.parquet", "out", "--column", "items", "-k", "3"]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        given, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=900, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "verified: True" in done.stdout
    wanted = cv.Disassociation(k=3).anonymise(cv.Transactions.from_records(records)).release
    assert cv.read_release(tmp_path / "out") == wanted


def test_the_notebook_runs(session, tmp_path, monkeypatch):
    notebook = json.loads((EXAMPLES / "shared_cluster.ipynb").read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    monkeypatch.chdir(tmp_path)
    names = {"spark": session}
    for cell in cells:
        exec("".join(cell["source"]), names)  # noqa: S102 - that is what a notebook does
    assert names["verdict"].ok
    assert names["verdict"].level == "key"
    release = cv.read_release(tmp_path / "releases" / "clinic")
    assert release == cv.Disassociation(k=5, m=2).anonymise(cv.sample("clinic")).release
    assert sum(names["published"].values()) == release.rows
