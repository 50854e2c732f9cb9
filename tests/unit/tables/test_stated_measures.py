"""Measures of releases that show what nobody has, because the owner states that it is possible."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import cloven as cv
from cloven.errors import ParameterError
from cloven.kinds.tables.utility.pairs import pair_distances


def people(column, seed=1, rows=300):
    rng = np.random.default_rng(seed)
    given = {
        "age": rng.integers(31, 58, rows),
        "sex": rng.choice(["f", "m"], rows),
        "illness": rng.choice(["flu", "gout", "mumps", "zoster"], rows),
    }
    columns = (
        column,
        cv.Column("sex", "quasi-identifier", values=("f", "m")),
        cv.Column("illness", "sensitive", values=("flu", "gout", "mumps", "zoster")),
    )
    return cv.read_table(pa.table(given), cv.Schema(columns))


@pytest.mark.parametrize(
    "stated", [{"range": (0, 120), "round": 10}, {"range": (0, 120)}, {"cuts": (0, 18, 40, 65, 120)}]
)
def test_rows_that_noise_puts_where_nobody_is_can_be_measured(stated):
    data = people(cv.Column("age", "quasi-identifier", **stated))
    strange = 0
    for seed in range(4):
        release = cv.DiffGen(eps=1.0, seed=seed).anonymise(data).release
        known = set(data.attributes[0].values)
        strange += len(set(release.domains[0].values) - known)
        found = pair_distances(data, release)
        assert len(found) == 3
        assert all(0 <= each.distance <= 1 and 0 <= each.invented <= 1 for each in found)
    assert strange  # else nothing was tried here


def test_the_release_of_another_table_is_still_refused():
    mine = people(cv.Column("age", "quasi-identifier", range=(0, 120), round=10))
    other = people(cv.Column("age", "quasi-identifier", range=(0, 60), round=7))
    release = cv.DiffGen(eps=1.0, seed=1).anonymise(other).release
    with pytest.raises(ParameterError, match="and the original does not; compare a release with the table"):
        pair_distances(mine, release)
