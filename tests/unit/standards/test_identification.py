"""Prosecutor risk of a table is what equivalence classes say: one in the smallest class, classes by rows on average."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from cloven.audit.loop import Audit
from cloven.data.schema import Schema
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.threats import persons_row
from cloven.reading.tables import read_table
from cloven.standards.identification import identification
from cloven.threats import Effort


def test_classes_of_a_table_give_the_figures_of_the_textbook():
    rng = np.random.default_rng(5)
    rows = {
        "age": rng.integers(18, 80, 300),
        "town": rng.choice(list("abcde"), 300),
        "illness": rng.choice(list("xyz"), 300),
    }
    table = read_table(pa.table(rows), Schema.of(["age", "town"], ["illness"]))
    threats = (persons_row(),)
    report = Audit(Mondrian(k=6), effort=Effort().quick(), threats=threats, advise=False, seed=1).run(table)
    sizes = report.family.sizes(report.result.release)
    found = identification(report.risks, 6)
    assert sum(sizes) == 300
    assert found.single == pytest.approx(1 / min(sizes))
    assert found.average.value == pytest.approx(len(sizes) / 300, abs=1e-3)
    assert found.maximum == pytest.approx(max(1 / 6, 1 / min(sizes)))
