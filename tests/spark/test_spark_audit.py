"""Some of the tests of audits in parts, where Spark has the records."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cloven as cv
from cloven.audit.large import LargeAudit
from tests.unit.audit.test_large_audit import (
    METHOD,
    folder,
    found,
    records,
    test_data_that_changes_meanwhile_is_refused,
    test_every_attacker_is_tried_on_the_release,
    test_people_are_told_as_much_as_in_memory,
    test_the_release_is_the_one_of_memory,
    test_the_verdict_counts_what_the_release_tells,
)

__all__ = [
    "METHOD",
    "folder",
    "found",
    "records",
    "test_data_that_changes_meanwhile_is_refused",
    "test_every_attacker_is_tried_on_the_release",
    "test_people_are_told_as_much_as_in_memory",
    "test_the_release_is_the_one_of_memory",
    "test_the_verdict_counts_what_the_release_tells",
]
pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def engine(session):
    return cv.Spark(session, part_clusters=7)


def test_an_audit_on_spark(session, tmp_path):
    """In several blocks, of a folder with an empty record."""
    records = [sorted(record) for record in cv.sample("clinic")][:600]
    (tmp_path / "in").mkdir()
    pq.write_table(
        pa.table({"items": [*records[:300], [], *records[300:]]}), tmp_path / "in" / "part-0.parquet"
    )
    engine, method = cv.Spark(session, part_clusters=6), replace(METHOD, block_records=200)
    plan = LargeAudit(engine, method, effort=cv.Effort().quick(), people=20, sample=200)
    found = plan.run(engine.read(tmp_path / "in", column="items"), tmp_path / "out")
    assert found.decision.verdict == "do not publish"
    assert found.records == 600
    assert len(found.sample.data) == 200
    assert [place.name for place in sorted(tmp_path.iterdir())] == ["in", "out", "out.private"]
