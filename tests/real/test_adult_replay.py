"""The reader who replays Mondrian on half of Adult: what is certain is right, and a few figures stay where they are."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.data.schema import Schema
from cloven.kinds.tables.attack.replay import Crowd, Replayed
from cloven.kinds.tables.cells import shown_release
from cloven.kinds.tables.guesses import Known
from cloven.kinds.tables.methods.constraints import DistinctL, TCloseness
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.verify.checker import verify_table
from cloven.reading.tables import read_table

pytestmark = [pytest.mark.data, pytest.mark.slow]

OPEN = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
SETTINGS = [
    # Sensitive, with taxonomies, constraint, partition; persons who are certain, classes that tell something.
    ("salary-class", True, DistinctL(2), "adaptive", 42, 42),
    ("salary-class", False, DistinctL(2), "adaptive", 95, 44),
    ("salary-class", False, DistinctL(2), "replay-proof", 0, 145),
    ("occupation", True, DistinctL(4), "adaptive", 0, 127),
    ("occupation", True, TCloseness(0.5), "adaptive", 0, 116),
]


@pytest.mark.slow
@pytest.mark.parametrize(("sensitive", "trees", "constraint", "partition", "certain", "classes"), SETTINGS)
def test_who_is_certain_on_adult(data_dir, sensitive, trees, constraint, partition, certain, classes):
    folder = data_dir / "relational" / "arx_adult"
    if not (folder / "adult.csv.gz").exists():
        pytest.skip(f"no {folder}")
    known = [*OPEN, "occupation" if sensitive == "salary-class" else "salary-class"]
    used = {name: folder / f"adult_hierarchy_{name}.csv" for name in known if trees and name != "age"}
    table = read_table(folder / "adult.csv.gz", Schema.of(known, [sensitive], trees=used))
    table = table.take(np.sort(np.random.default_rng(7).permutation(len(table))[: len(table) // 2]))
    method = Mondrian(k=5, constraints=(constraint,), partition=partition)
    result = method.anonymise(table)
    release = shown_release(result.release)
    assert verify_table(release, table, result.key).ok

    found = Replayed(sensitive).guess(release, Crowd.of(table), Known.of(table), rng=np.random.default_rng(1))
    (place,) = table.positions("sensitive")
    at = np.array([found.values.index(value) for value in table.attributes[place].values])[
        table.codes[:, place]
    ]
    assert found.candidate[np.arange(len(at)), at].all()  # so all that is certain is right
    assert int((found.candidate.sum(axis=1) == 1).sum()) == certain
    assert found.notes["ruled_out"] == pytest.approx(
        classes, abs=3
    )  # lots decide where all but a few worlds are left
    best = found.confidence.max(axis=1)
    for level in (0.8, 0.95):
        said = best >= level
        if said.sum() > 100:
            assert (found.confidence.argmax(axis=1) == at)[said].mean() > level
