"""Tables in the ledger: rows in common, and what of it is chance."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.data.recognition import Chance, chance_of_rows, rows_standing_out
from cloven.data.table import Attribute, Table
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.storage.fingerprint import overlap, sketch
from cloven.storage.ledger import Earlier, earlier_releases, warnings
from cloven.storage.publication import publish
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
    publish(folder / "first", anyway=True)
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
    publish(tmp_path / "first", anyway=True)
    stranger = people(800, 2, kinds=5)
    assert min(chance_of_rows(stranger, 800)) > 0.2
    (earlier,) = earlier_releases(stranger, tmp_path / "second")
    assert earlier.overlap.of_data.value > 0.1
    assert not earlier.composes


def drawn(rows, seed):
    """People as they are: most values are rare, and two tables have the more in common the larger they are."""
    rng = np.random.default_rng(seed)
    names = ("age", "town", "work", "car")
    attributes = tuple(
        Attribute(name, "quasi-identifier", tuple(f"{n:02}" for n in range(40))) for name in names
    )
    codes = np.minimum(rng.geometric((0.1, 0.3, 0.3, 0.6), (rows, 4)) - 1, 39).astype(np.int32)
    return Table(attributes, codes, np.arange(rows))


@pytest.mark.parametrize(("first", "second"), [(600, 600), (600, 3000), (3000, 600), (2000, 2000)])
def test_disjoint_people_are_not_the_same(first, second):
    """Two whole tables have about twice as much in common as the halves of one, and it goes by the sizes of both."""
    wrong, common = 0, []
    for seed in range(12):
        one, other = drawn(first, [1, seed]), drawn(second, [2, seed])
        hashes = rows_standing_out(one)
        found = overlap(sketch(other), hashes)
        known = Chance(*(max(0.05, each) for each in chance_of_rows(one, second)))
        wrong += Earlier(None, same_data=False, same_release=False, overlap=found, chance=known).composes
        common.append(max(found.of_data.value, found.of_earlier.value))
    assert np.mean(common) > 0.1
    assert wrong == 0


def test_the_same_people_in_part_are_found_beside_chance():
    """A third of them, in tables where strangers look alike too."""
    for seed in range(6):
        one = drawn(2000, [1, seed])
        other = united(one.take(np.arange(700)), drawn(1300, [2, seed]))
        found = overlap(sketch(other), rows_standing_out(one))
        known = Chance(*(max(0.05, each) for each in chance_of_rows(one, 2000)))
        assert Earlier(None, same_data=False, same_release=False, overlap=found, chance=known).composes


def test_what_two_tables_tell_is_measured_and_a_place_that_a_shell_would_split_is_quoted(tmp_path):
    table = people(200, 1)
    write_release(Mondrian(k=5).anonymise(table), tmp_path / "last spring", original=table)
    publish(tmp_path / "last spring", anyway=True)
    (told,) = warnings(earlier_releases(table, tmp_path / "summer"))
    assert told.endswith("last spring'")
    assert "publish one of them only, or audit with --other-release '" in told


def test_too_few_quasi_identifiers_tell_nothing():
    table = people(50, 1)
    few = Table(table.attributes[:2], table.codes[:, :2], table.source_rows)
    assert len(rows_standing_out(few)) == 0
    assert chance_of_rows(few, 50) == (0.0, 0.0)
    assert len(rows_standing_out(table)) == len(np.unique(table.codes[:, :4], axis=0))
