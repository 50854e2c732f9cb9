"""One Spark on this machine for all tests; without PySpark or Java they are skipped, with the reason."""

from __future__ import annotations

import os
import shutil
import sys

import pytest


@pytest.fixture(scope="session")
def session(tmp_path_factory):
    pytest.importorskip("pyspark", reason="PySpark is not installed; run `make test-spark`")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, and there is none")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    made = (
        SparkSession.builder.master("local[2]")
        .appName("cloven tests")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "OFF")
        .config("spark.sql.shuffle.partitions", "2")
        # Little data: to compile what runs once takes longer than to run it.
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
        .config("spark.local.dir", str(tmp_path_factory.mktemp("spark")))
        .getOrCreate()
    )
    yield made
    made.stop()
