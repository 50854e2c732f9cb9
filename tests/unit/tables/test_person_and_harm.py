"""Columns of a schema that say who a row is about, and what of a sensitive value harms."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import cloven as cv
from cloven.data.table import Attribute, Harm, Table
from cloven.kinds.doubts import rows_repeated
from cloven.kinds.tables.methods.constraints import EntropyL
from cloven.kinds.tables.verify.checker import verify_table
from cloven.reading.schema_file import schema_of


def schema(**wage):
    columns = {
        "patient": {"role": "person"},
        "age": {"role": "quasi-identifier"},
        "wage": {"role": "sensitive", **wage},
    }
    return schema_of({"columns": columns})


FRAME = pa.table({"patient": ["p1", "p2", "p1", "p3"], "age": [20, 30, 21, 40], "wage": [100, 200, 150, 300]})


def test_the_person_is_read_and_is_no_attribute():
    table = cv.read_table(FRAME, schema(harmless=[100], within="5 %"))
    assert [attribute.name for attribute in table.attributes] == ["age", "wage"]
    assert table.persons.tolist() == [0, 1, 0, 2]
    assert (table.people, table.several_each) == (3, True)
    assert table.take(np.array([1, 3])).people == 2
    assert table.attributes[1].harm == Harm(frozenset({"100"}), 0.05, relative=True)


def test_numbers_may_stand_for_persons():
    frame = FRAME.set_column(0, "patient", pa.array([7, 9, 7, 8]))
    assert cv.read_table(frame, schema()).persons.tolist() == [0, 2, 0, 1]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"harmless": ["none"]}, "harmless = 'none' does not occur; leave it out"),
        ({"harmless": ["10"]}, "harmless = '10' does not occur; leave it out"),
        ({"harmless": "no"}, "harmless must be a list of different texts"),
        ({"within": "near"}, "within must be a number above 0"),
        ({"within": 0}, "within must be a number above 0"),
        ({"within": 5, "kind": "category"}, "within is for numbers, and it holds categories"),
    ],
)
def test_bad_settings_are_refused_in_one_line(given, words):
    with pytest.raises(cv.ClovenError, match=words) as caught:
        cv.read_table(FRAME, schema(**given))
    assert "\n" not in str(caught.value)


def test_within_is_for_numbers():
    frame = FRAME.set_column(2, "wage", pa.array(["low", "high", "low", "none"]))
    with pytest.raises(cv.ClovenError, match="within is for numbers, and it holds other values"):
        cv.read_table(frame, schema(within=5))


@pytest.mark.parametrize("name", ["harmless", "within"])
def test_harm_is_for_sensitive_columns(name):
    columns = {"age": {"role": "quasi-identifier", name: [20] if name == "harmless" else 5}}
    with pytest.raises(
        cv.ClovenError, match=f"{name} is for sensitive values, and its role is quasi-identifier"
    ):
        schema_of({"columns": columns})


def test_a_row_without_a_person_is_refused():
    frame = FRAME.set_column(0, "patient", pa.array(["p1", "", "p1", "p3"]))
    with pytest.raises(cv.InputError, match="'patient' says who a row is about, and is empty in 1 of 4 rows"):
        cv.read_table(frame, schema())


def test_two_person_columns_are_refused():
    columns = {"a": "person", "b": "person", "age": "quasi-identifier"}
    with pytest.raises(cv.InputError, match="'a' and 'b' both have the role person"):
        schema_of({"columns": columns})


def test_a_person_column_that_is_not_there_is_named():
    with pytest.raises(cv.InputError, match="patient"):
        cv.read_table(FRAME.drop_columns(["patient"]), schema())


def visits(people=60, each=6, seed=1, *, named=False):
    """Everybody comes several times, with another illness each time."""
    rng = np.random.default_rng(seed)
    age, town, sex = rng.integers(0, 60, people), rng.integers(0, 12, people), rng.integers(0, 2, people)
    who = np.repeat(np.arange(people), each)
    attributes = (
        Attribute("age", "quasi-identifier", tuple(map(str, range(20, 80))), np.arange(20.0, 80.0)),
        Attribute("town", "quasi-identifier", tuple(f"t{number:02d}" for number in range(12))),
        Attribute("sex", "quasi-identifier", ("f", "m")),
        Attribute("illness", "sensitive", ("Flu", "Gout", "HIV", "Mumps", "Ulcer")),
    )
    codes = np.column_stack([age[who], town[who], sex[who], rng.integers(0, 5, len(who))])
    return Table(attributes, codes.astype(np.int32), np.arange(len(who)), who if named else None)


@pytest.mark.parametrize(
    "method",
    [cv.Slicing(k=4, l=2), cv.UL(k=4, l=2), cv.Anatomy(l=2), cv.DiffGen(domains="from-data")],
    ids=lambda method: type(method).__name__,
)
def test_methods_that_count_rows_say_so(method):
    with pytest.raises(cv.ParameterError, match="360 rows are of 60 persons, and this method counts rows"):
        method.anonymise(visits(named=True))


def test_k_is_held_against_persons():
    with pytest.raises(
        cv.ParameterError, match="k = 61 needs at least 61 persons, got 60; choose k of at most 60"
    ):
        cv.Mondrian(k=61).anonymise(visits(named=True))


def test_near_numbers_are_counted_by_mondrian_alone():
    wages = np.arange(100.0, 112.0)
    table = visits()
    near = Attribute("wage", "sensitive", tuple(f"{wage:.0f}" for wage in wages), wages, harm=Harm(within=12))
    codes = np.column_stack([table.codes[:, :3], np.arange(len(table)) % 12]).astype(np.int32)
    numbers = Table((*table.attributes[:3], near), codes, table.source_rows)
    with pytest.raises(cv.ParameterError, match="has 1 different value, l = 5 needs 5"):
        cv.Mondrian(k=5, l=5).anonymise(numbers)
    with pytest.raises(cv.ParameterError, match="this method counts each for itself; take mondrian"):
        cv.Slicing(k=5, l=5).anonymise(numbers)
    with pytest.raises(cv.ParameterError, match="entropy-l cannot count numbers within a distance as one"):
        cv.Mondrian(k=5, constraints=(EntropyL(2.0),)).anonymise(numbers)


def failed(*given):
    return [check for check in verify_table(*given).checks if not check.passed]


def test_planted_faults_about_persons_are_found():
    table = visits(named=True)
    result = cv.Mondrian(k=5).anonymise(table)
    assert verify_table(result.release, table, result.key).ok
    alone = [check for check in verify_table(result.release).checks if check.name == "persons counted"]
    assert [check.decided for check in alone] == [False]
    by_rows = cv.Mondrian(k=5).anonymise(visits())
    (found,) = failed(by_rows.release, table, by_rows.key)
    assert "counts rows, and the 360 rows are of 60 persons" in found.detail
    (forged,) = failed(result.release, visits(), result.key)
    assert "says that persons were counted, and the original names none" in forged.detail
    lie = type(by_rows.release)(
        5, {**by_rows.release.parameters, "persons": True}, by_rows.release.domains, by_rows.release.cells
    )
    (short,) = failed(lie, table, by_rows.key)
    assert "persons, k is 5" in short.detail


def test_rows_of_one_person_are_told_from_alike_people():
    assert rows_repeated(visits()) == 1.0
    always = visits()
    always.codes[:, 3] = 2
    assert rows_repeated(always) == 1.0, "the same illness each time"
    rng = np.random.default_rng(2)
    mixed = visits()
    codes = np.column_stack([rng.permutation(column) for column in mixed.codes.T]).astype(np.int32)
    assert rows_repeated(Table(mixed.attributes, codes, mixed.source_rows)) == 0.0
    assert rows_repeated(Table(mixed.attributes[:1], codes[:, :1], mixed.source_rows)) == 0.0


def test_a_town_and_its_district_are_no_person():
    rng = np.random.default_rng(2)
    town, age = rng.integers(0, 40, 600), rng.integers(0, 10, 600)
    attributes = (
        Attribute("district", "quasi-identifier", tuple(f"d{number}" for number in range(8))),
        Attribute("town", "quasi-identifier", tuple(f"t{number:02d}" for number in range(40))),
        Attribute("age", "quasi-identifier", tuple(map(str, range(10))), np.arange(10.0)),
        Attribute("illness", "sensitive", ("Flu", "Gout", "HIV")),
    )
    codes = np.column_stack([town // 5, town, age, rng.integers(0, 3, 600)]).astype(np.int32)
    assert rows_repeated(Table(attributes, codes, np.arange(600))) == 0.0


def quasi_identifiers(**columns):
    """A table of different people with these columns and an illness."""
    rows = len(next(iter(columns.values())))
    columns["illness"] = np.random.default_rng(9).choice(["flu", "gout", "mumps"], rows)
    texts = {name: column.astype(str).tolist() for name, column in columns.items()}
    schema = cv.Schema(tuple(
        cv.Column(name, "sensitive" if name == "illness" else "quasi-identifier",
                  kind="number" if column.dtype.kind in "if" else None)
        for name, column in columns.items()
    ))  # fmt: skip
    return cv.read_table(pa.table(texts), schema)


@pytest.mark.parametrize("noise", [0.0, 1.0, 3.0])
def test_quasi_identifiers_that_follow_from_each_other_are_no_person(noise):
    """People of one age have about the same height and weight, and are different people all the same."""
    rng = np.random.default_rng(3)
    age = rng.integers(5, 65, 1200)
    height, weight = ((age * slope + rng.normal(0, noise, 1200)).round().astype(int) for slope in (1.5, 1.2))
    sex = rng.choice(["f", "m"], 1200)
    assert rows_repeated(quasi_identifiers(age=age, height=height, weight=weight)) == 0.0
    assert rows_repeated(quasi_identifiers(age=age, height=height, weight=weight, sex=sex)) == 0.0


def test_a_town_its_district_and_its_region_are_no_person():
    town = np.random.default_rng(3).integers(0, 60, 1200)
    names = {name: np.char.add(name, (town // size).astype(str))
             for name, size in (("town", 1), ("district", 4), ("region", 20))}  # fmt: skip
    assert rows_repeated(quasi_identifiers(**names)) == 0.0


def test_rows_of_persons_are_found_beside_what_follows():
    """The age decides the cohort here, and four rows of each person agree on everything."""
    rng = np.random.default_rng(3)
    person = np.repeat(np.arange(300), 4)
    age, town, work = (rng.integers(0, width, 300)[person] for width in (60, 40, 30))
    found = quasi_identifiers(age=age, cohort=age // 10, town=np.char.add("t", town.astype(str)),
                              work=np.char.add("w", work.astype(str)))  # fmt: skip
    assert rows_repeated(found) > 0.9


def test_what_changes_between_visits_hides_nobody():
    table = visits(200, 5)
    rng = np.random.default_rng(4)
    older = table.codes.copy()
    older[:, 0] = np.minimum(older[:, 0] + rng.integers(0, 2, len(older)), 59)
    assert rows_repeated(Table(table.attributes, older, table.source_rows)) > 0.5
    weights = np.sort(rng.random(len(table)))
    weight = Attribute("weight", "quasi-identifier", tuple(f"{each:.6f}" for each in weights), weights)
    codes = np.column_stack([table.codes[:, :3], rng.permutation(len(table)), table.codes[:, 3]]).astype(
        np.int32
    )
    attributes = (*table.attributes[:3], weight, table.attributes[3])
    assert rows_repeated(Table(attributes, codes, table.source_rows)) > 0.5


def test_numbers_that_are_nearly_told_are_told():
    """Twenty wages a few pounds apart beside two others: no class lies within 5 %, and most are told nearly."""
    rng = np.random.default_rng(1)
    town = np.repeat(np.arange(60), 22)
    base = rng.permutation(60) * 1_000 + 20_000
    wages = np.where(
        np.arange(len(town)) % 22 < 20,
        base[town] + rng.integers(0, 100, len(town)),
        rng.integers(20_000, 80_000, len(town)),
    )
    values = np.unique(wages).astype(float)
    attributes = (
        Attribute("town", "quasi-identifier", tuple(f"t{number:02d}" for number in range(60))),
        Attribute("wage", "sensitive", tuple(f"{wage:.0f}" for wage in values), values),
    )
    codes = np.column_stack([town, np.searchsorted(values, wages)]).astype(np.int32)
    report = cv.Audit(cv.Mondrian(k=22, l=5), advise=False, seed=1).run(
        Table(attributes, codes, np.arange(len(town)))
    )
    known = next(risk for risk in report.risks if risk.threat == "known person")
    assert known.attacker.value > 0.5
    assert report.decision.verdict == "do not publish"


def test_numbers_of_persons_are_read_as_numbers():
    frame = FRAME.set_column(0, "patient", pa.array(["3", "4", "3.0", "5"]))
    assert cv.read_table(frame, schema()).people == 3
    coded = FRAME.set_column(0, "patient", pa.array(["03", "4", "3", "5"]))
    assert cv.read_table(coded, schema()).people == 4, "codes are no numbers"


def test_a_person_has_no_range():
    with pytest.raises(cv.ClovenError, match="range says nothing of who a row is about"):
        schema_of({"columns": {"patient": {"role": "person", "range": [0, 5]}, "age": "quasi-identifier"}})
