"""Tables in the ledger: rows in common, and what of it is chance."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.data.recognition import chance_of_rows, rows_standing_out
from cloven.data.table import Attribute, Table
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.storage.ledger import earlier_releases, warnings
from cloven.storage.release import write_release


def people(rows, seed, kinds=30):
    rng = np.random.default_rng(seed)
    names = ("age", "town", "work", "car")
    attributes = (
        *(Attribute(name, "quasi-identifier", tuple(f"{n:02}" for n in range(kinds))) for name in names),
        Attribute("illness", "sensitive", ("Flu", "Gout")),
    )
    codes = np.column_stack([rng.integers(0, kinds, (rows, 4)), rng.integers(0, 2, rows)]).astype(np.int32)
    return Table(attributes, codes, np.arange(rows))


def united(one, other):
    return Table(one.attributes, np.vstack([one.codes, other.codes]), np.arange(len(one) + len(other)))


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ledger")
    table = people(800, 1)
    write_release(Mondrian(k=5).anonymise(table), folder / "first", original=table)
    return folder, table


def test_a_table_with_the_same_people_in_part_is_recognised(released):
    folder, table = released
    second = united(table.take(np.arange(400)), people(600, 2))
    (earlier,) = earlier_releases(second, folder / "second")
    assert not earlier.same_data
    assert earlier.composes
    assert earlier.overlap.of_earlier.value == pytest.approx(0.5, abs=0.06)
    (said,) = warnings([earlier])
    assert "of the records that stand out" in said
    assert "--other-release" in said


def test_other_values_of_other_attributes_do_not_matter(released):
    folder, table = released
    codes = table.codes.copy()
    codes[:, 4] = 1 - codes[:, 4]
    (earlier,) = earlier_releases(Table(table.attributes, codes, table.source_rows), folder / "second")
    assert earlier.overlap.of_data.value == 1.0


def test_strangers_do_not_warn(released):
    folder, _ = released
    (earlier,) = earlier_releases(people(800, 7), folder / "second")
    assert not earlier.composes


def test_people_who_look_alike_by_chance_do_not_warn(tmp_path):
    """With few values nearly everybody looks like somebody."""
    table = people(800, 1, kinds=5)
    write_release(Mondrian(k=5).anonymise(table), tmp_path / "first", original=table)
    stranger = people(800, 2, kinds=5)
    assert chance_of_rows(stranger) > 0.2
    (earlier,) = earlier_releases(stranger, tmp_path / "second")
    assert earlier.overlap.of_data.value > 0.1
    assert not earlier.composes


def test_too_few_quasi_identifiers_tell_nothing():
    table = people(50, 1)
    few = Table(table.attributes[:2], table.codes[:, :2], table.source_rows)
    assert len(rows_standing_out(few)) == 0
    assert chance_of_rows(few) == 0.0
    assert len(rows_standing_out(table)) == len(np.unique(table.codes[:, :4], axis=0))
