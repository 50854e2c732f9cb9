"""People are told the same of by Spark as by the local engine, and an audit there ends with a verdict."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cloven as cv
from cloven.audit.large import LargeAudit
from cloven.kinds.disassociated.parts import known_items
from cloven.kinds.disassociated.parts.counts import likely
from cloven.kinds.disassociated.parts.covers import covered
from cloven.kinds.disassociated.parts.doubts import doubts
from cloven.kinds.disassociated.parts.drawn import clusters_of, with_key
from cloven.kinds.disassociated.parts.people import KnownPersonTrial, supports
from cloven.kinds.disassociated.spark import trial as on_spark
from cloven.kinds.disassociated.spilled import trial as on_disk

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore")]
METHOD = cv.Disassociation(k=3, m=2, max_cluster_size=30, block_records=200)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("data") / "visits"
    place.mkdir()
    records = [sorted(record) for record in cv.sample("clinic")][:600]
    pq.write_table(pa.table({"items": [*records[:300], [], *records[300:]]}), place / "part-0.parquet")
    return place


def tried(module, engine, folder, place):
    """What a known person is told, the records that hold pairs, covers and likely counts."""
    source, pairs = engine.read(folder, column="items"), np.array([[0, 1], [2, 9], [4, 5]])
    engine.write(METHOD.anonymise(source, engine=engine), place / "out")
    (place / "scratch").mkdir()
    with module.opened(engine, METHOD, source, place / "scratch") as large:
        plan = KnownPersonTrial(METHOD, large, place / "scratch", 20, 1, 4, lambda _step, _share: None)
        risk = plan.risk(place / "out")
        parts = large.parts(place / "out")
        counted = [column.tolist() for column in likely(parts, pairs)]
        numbers = np.array([1, 4, 9])
        made = with_key(parts, place / "out.private", numbers, clusters_of(parts, numbers))
        rng = np.random.default_rng(1)
        looked = [each.to_dict() for each in known_items.tried(large, parts, 20, rng)]
        return (
            risk.details["ways"], risk.population, supports(large, pairs).tolist(), large.held.tolist(),
            covered(parts), counted, looked, [str(doubt) for doubt in doubts(large, METHOD)],
            made.release.row_items.tolist(), made.key.record.tolist(), made.key.release_row.tolist(),
        )  # fmt: skip


def test_spark_tells_what_the_disk_tells(session, folder, tmp_path):
    engines = {"disk": cv.Local("600MB", part_clusters=6), "spark": cv.Spark(session, part_clusters=6)}
    for name in engines:
        (tmp_path / name).mkdir()
    one = tried(on_disk, engines["disk"], folder, tmp_path / "disk")
    two = tried(on_spark, engines["spark"], folder, tmp_path / "spark")
    assert one == two


def test_an_audit_on_spark(session, folder, tmp_path):
    engine = cv.Spark(session, part_clusters=6)
    plan = LargeAudit(engine, METHOD, effort=cv.Effort().quick(), people=20, sample=200)
    found = plan.run(engine.read(folder, column="items"), tmp_path / "out")
    assert found.decision.verdict == "do not publish"
    assert found.records == 600
    assert len(found.sample.data) == 200
    assert [place.name for place in sorted(tmp_path.iterdir())] == ["out", "out.private"]
