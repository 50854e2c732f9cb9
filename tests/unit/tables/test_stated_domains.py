"""What a schema says is possible: domains that do not depend on the rows, and ends of ranges that are nobody's."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import cloven as cv
from cloven.data.schema import Column, Possible, Schema
from cloven.errors import InputError
from cloven.kinds.tables.cells import shown_release
from cloven.kinds.tables.verify.checker import verify_table
from cloven.kinds.tables.words import lone_ends
from cloven.reading.schema_file import schema_of
from cloven.reading.tables import read_table

ILL = Column("ill", "sensitive")


def ages(rows=200, seed=0):
    rng = np.random.default_rng(seed)
    return {"age": rng.integers(20, 70, rows), "ill": [f"i{row % 4}" for row in range(rows)]}


def read(data, **settings):
    return read_table(pa.table(data), Schema((Column("age", "quasi-identifier", **settings), ILL)))


def labels(release):
    return shown_release(release).domains[0].labels


def test_blocks_of_ranges_roundings_and_cuts():
    def pairs(**settings):
        blocks = Column("age", "quasi-identifier", **settings).possible.blocks
        return list(zip(blocks.lows.tolist(), blocks.highs.tolist(), strict=True))

    assert pairs(range=(0, 3)) == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert pairs(range=(17, 50), round=10) == [(17, 19), (20, 29), (30, 39), (40, 50)]
    assert pairs(range=(0, 39), round=20) == [(0, 19), (20, 39)]
    assert pairs(cuts=(0, 18, 65, 120)) == [(0, 17), (18, 64), (65, 120)]
    assert pairs(range=(0, 1), step=0.1, round=0.5) == [(0, 0.4), (0.5, 1)]
    assert pairs(range=(-5, 5), round=5) == [(-5, -1), (0, 5)]
    assert pairs(range=(0, 10), step=3) == [(0, 0), (3, 3), (6, 6), (9, 9)]
    assert Possible.between(0, 0.3, 0.1, None).blocks.lows.tolist() == [0, 0.1, 0.2, 0.3]


def test_a_stated_domain_does_not_depend_on_the_rows():
    one = read(ages(seed=1), range=(0, 120))
    other = read(ages(seed=2), range=(0, 120))
    assert one.attributes[0].stated
    assert (
        one.attributes[0].blocks.lows.tolist() == other.attributes[0].blocks.lows.tolist() == list(range(121))
    )
    assert not read(ages()).attributes[0].stated
    assert not read(ages(), round=10).attributes[0].stated, "where rounded ranges lie is seen in the rows"
    listed = Schema(
        (Column("ill", "quasi-identifier", values=("i9", "i0", "i1", "i2", "i3"), missing="keep"),)
    )
    ill = read_table(pa.table(ages()), listed).attributes[0]
    assert (ill.values, ill.stated) == (("(missing)", "i0", "i1", "i2", "i3", "i9"), True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"range": (0, 60)},
            r"row \d+: column 'age' has \d+ numbers that cannot be; the first lies outside 0 to 60; widen.*clamp",
        ),
        ({"range": (0, 100), "step": 3}, r"lies between two steps of 3; write a finer step.*got '"),
        ({"cuts": (30, 70)}, r"lies outside 30 to 70"),
        (
            {"kind": "category", "values": ("20", "21")},
            r"not among those that the schema lists, in \d+ rows; add it to",
        ),
    ],
)
def test_values_that_are_not_possible_are_refused(settings, message):
    with pytest.raises(InputError, match=message) as raised:
        read(ages(), **settings)
    assert "\n" not in str(raised.value)


def test_numbers_outside_are_clamped_if_the_owner_says_so():
    table = read({"age": [-4, 17.4, 300], "ill": ["i0"] * 3}, range=(0, 100), outside="clamp")
    assert [table.row(row)[0] for row in range(3)] == ["0", "17", "100"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"range": [5]}, "range must be two numbers"),
        ({"range": [5, 1]}, "range must be two numbers"),
        ({"range": "0-9"}, "range must be two numbers"),
        ({"cuts": [1, 1, 2]}, "cuts must be two or more ascending numbers"),
        ({"range": [0, 9], "step": 0}, "step must be a number above 0"),
        ({"round": -1}, "round must be a number above 0"),
        ({"round": True}, "round must be a number above 0"),
        ({"range": [0, 0.5]}, "numbers such as 0.5 need a step"),
        ({"range": [0, 1e9]}, "more than 1,000,000 numbers; give a larger step, or round or cuts"),
        ({"step": 1}, "step goes with range"),
        ({"outside": "clamp"}, "goes with range or cuts"),
        ({"outside": "drop"}, "outside of column 'age' must be one of 'refuse', 'clamp'"),
        ({"values": []}, "values must be a list of different texts"),
        ({"values": ["a", "a"]}, "values must be a list of different texts"),
        ({"values": ["a"], "kind": "number"}, "values is for categories"),
        ({"range": [0, 9], "kind": "category"}, "range is for numbers"),
        ({"range": [0, 9], "values": ["a"]}, "range is for numbers"),
        ({"range": [0, 9], "cuts": [0, 9]}, "leave one out"),
        ({"range": [0, 9], "tree": {"*": ["1"]}}, "its tree lists all values, so range says nothing"),
        ({"rnage": [0, 9]}, "did you mean 'range'"),
    ],
)
def test_bad_statements(settings, message):
    with pytest.raises(InputError) as raised:
        schema_of({"columns": {"age": {"role": "quasi-identifier", **settings}}}, source="people.toml")
    assert message in str(raised.value)


METHODS = (
    cv.Mondrian(k=20),
    cv.Mondrian(k=20, mode="relaxed", seed=1),
)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_a_tree_of_numbers_is_what_cells_are_made_of(method):
    tree = {f"{low}-{low + 9}": [str(low + more) for more in range(10)] for low in range(20, 120, 10)}
    table = read(ages(), tree={"young": {name: tree.pop(name) for name in ("20-29", "30-39")}, **tree})
    made = method.anonymise(table)
    nodes = {f"{low}..{low + 9}" for low in range(20, 120, 10)} | {"20..39", "20..119"}
    assert set(labels(made.release)) <= nodes | set(table.attributes[0].values)
    assert len(labels(made.release)) > 1
    assert verify_table(shown_release(made.release), table, made.key, allow_seeded=True).ok


def test_a_range_that_is_no_group_of_the_tree_is_found():
    tree = {f"{low}s": [str(low + more) for more in range(10)] for low in range(20, 70, 10)}
    plain, described = read(ages()), read(ages(), tree=tree)
    made = cv.Mondrian(k=20).anonymise(plain)
    assert [check.name for check in verify_table(made.release, described, made.key).failures] == ["cells"]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
@pytest.mark.parametrize("settings", [{"round": 10}, {"range": (0, 120), "round": 10}])
def test_ranges_end_where_the_owner_says(method, settings):
    table = read(ages(), **settings)
    made = method.anonymise(table)
    ends = [tuple(map(float, label.split(".."))) for label in labels(made.release)]
    assert all(low % 10 == 0 and high % 10 == 9 for low, high in ends)
    assert len(ends) > 1
    assert verify_table(shown_release(made.release), table, made.key, allow_seeded=True).ok


def test_the_largest_income_is_not_published():
    rng = np.random.default_rng(0)
    incomes = {"age": np.r_[rng.integers(20, 90, 199) * 1000, 1987654], "ill": ages()["ill"]}
    plain, rounded = read(incomes), read(incomes, round=50_000)
    made = cv.Mondrian(k=20).anonymise(plain)
    assert labels(made.release)[-1].endswith("..1987654")
    told = lone_ends(plain, made.release)
    assert len(told) == 1
    assert "of exactly one person, to the digit; write round" in told[0]
    assert "1987654" not in told[0]
    made = cv.Mondrian(k=20).anonymise(rounded)
    assert labels(made.release)[-1].endswith("..1999999")
    assert lone_ends(rounded, made.release) == []
    assert lone_ends(plain, cv.Slicing(k=4, l=2).anonymise(plain).release) == []


def test_lone_ends_are_counted():
    """Against counting by hand."""
    data = {"age": [20, 21, 21, 25, 30, 30, 30, 41], "ill": ["i0", "i1"] * 4}
    table = read(data)
    made = cv.Mondrian(k=4).anonymise(table)
    assert labels(made.release) == ("20..25", "30..41")
    told = lone_ends(table, made.release)
    assert told[0].startswith(
        "3 numbers of the 4 that ranges of age end at are numbers of exactly one person"
    )


def test_numbers_without_a_tree_are_exchanged_inside_their_bin():
    """Not among the four next to each other."""
    rng = np.random.default_rng(2)
    data = {"age": rng.integers(17, 90, 600), "ill": [f"i{row % 6}" for row in range(600)]}
    table = read(data)
    assert table.attributes[0].tree is None
    method = cv.UL(k=6, l=6, swap_rate=0.1, columns=(("age",), ("ill",)), protected=("age",), seed=3)
    made = method.anonymise(table)
    persons, shown = made.key.records[:, 0], made.release.domains[0]
    single = np.diff(shown.member_offsets)[made.release.cells[:, 0]] == 1
    moved = made.key.changed[:, 0] & single
    after = shown.numbers[shown.members[shown.member_offsets[made.release.cells[moved, 0]]]]
    before = data["age"][persons[moved]]
    assert np.abs(after - before).mean() > 2.5
    assert np.abs(after - before).max() <= (89 - 17) / 10
    assert verify_table(made.release, table, made.key, allow_seeded=True).ok


def test_exchanges_across_bins_are_found():
    from dataclasses import replace

    data = {"age": list(range(100)) * 2, "ill": [f"i{row % 4}" for row in range(200)]}
    table = read(data)
    method = cv.UL(k=8, l=4, swap_rate=0.2, columns=(("age",), ("ill",)), protected=("age",), seed=3)
    even = replace(method, bins_by="frequency").anonymise(table)
    assert verify_table(even.release, table, even.key, allow_seeded=True).ok
    made = method.anonymise(table)
    assert verify_table(made.release, table, made.key, allow_seeded=True).ok
    finer = replace(made.release, parameters={**made.release.parameters, "bins": 50})
    failures = verify_table(finer, table, made.key, allow_seeded=True).failures
    assert ["from another rank group" in check.detail for check in failures] == [True]
