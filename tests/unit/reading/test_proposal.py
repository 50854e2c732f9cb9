"""Proposed schemas: what names persons is left out, what is proposed can be read, and every role has its reason."""

from __future__ import annotations

import random
import tomllib
from contextlib import suppress

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cloven as cv
from cloven.errors import InputError
from cloven.reading.identifiers import Held, naming
from cloven.reading.proposal import propose
from cloven.reading.schema_file import read_schema


def people(rows=120):
    lots = random.Random(4)
    return {
        "patientId": [f"P{n:05}" for n in range(rows)],
        "e-mail": [f"someone{n}@example.org" for n in range(rows)],
        "LastName": [f"{lots.choice('ABCDEFG')}{n}son" for n in range(rows)],
        "born": [f"{lots.randrange(1930, 2005)}-{lots.randrange(1, 13):02}-05" for _ in range(rows)],
        "zip": [f"{lots.randrange(100, 9999):05}" for _ in range(rows)],
        "sex": [lots.choice("fm") for _ in range(rows)],
        "weight": [lots.randrange(400, 1200) / 10 for _ in range(rows)],
        "clinic": ["north"] * rows,
        "note": [
            f"came in with a cough that had lasted for {n} days, and was sent home again" for n in range(rows)
        ],
        "diagnosis": [lots.choice(["flu", "gout", "mumps", "burn"]) for _ in range(rows)],
    }


def roles(found):
    return {column.name: column.role for column in found.columns}


def test_roles_and_kinds_of_a_table_nobody_prepared():
    found = propose(pa.table(people()))
    assert roles(found) == {
        "patientId": "ignored",
        "e-mail": "ignored",
        "LastName": "ignored",
        "born": "quasi-identifier",
        "zip": "quasi-identifier",
        "sex": "quasi-identifier",
        "weight": "quasi-identifier",
        "clinic": "ignored",
        "note": "ignored",
        "diagnosis": "sensitive",
    }
    settings = {column.name: dict(column.settings) for column in found.columns}
    assert settings["born"] == {"kind": "date", "precision": "year"}
    assert settings["zip"] == {"kind": "code", "precision": 3}
    assert settings["weight"] == {"kind": "number", "round": 5}
    reasons = {column.name: column.reason for column in found.columns}
    assert reasons["e-mail"].startswith("holds e-mail addresses")
    assert "120 different values in 120 rows" in reasons["patientId"]
    assert "free text" in reasons["note"] or "different for nearly everybody" in reasons["note"]


def test_what_is_proposed_is_read_as_it_is(tmp_path):
    path = tmp_path / "people.toml"
    found = propose(pa.table(people()))
    path.write_text(found.to_toml(), encoding="utf-8")
    assert read_schema(path) == found.schema()
    assert len(cv.read_table(pa.table(people()), read_schema(path))) == 120


names = (
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
    .map(str.strip)
    .filter(bool)
)


@given(
    st.dictionaries(
        names,
        st.lists(
            st.sampled_from(["1", "2.5", "x", "", "NA", "1989-01-02", "01234", "?"]), min_size=6, max_size=6
        ),
        min_size=2,
        max_size=4,
    )
)
def test_any_table_gives_a_schema_that_reads_it_or_an_error(columns):
    with suppress(cv.ClovenError):
        found = propose(pa.table(columns))
        schema = found.schema()
        written = tomllib.loads(found.to_toml())
        assert set(written["columns"]) == set(columns)
        assert len(cv.read_table(pa.table(columns), schema)) <= 6


def test_a_file_without_a_header_gets_names(tmp_path):
    path = tmp_path / "adult.data"
    path.write_text("39, State-gov, Male, <=50K\n50, Private, Male, <=50K\n38, Private, Female, >50K\n")
    found = propose(path)
    assert found.header == ("column_1", "column_2", "column_3", "column_4")
    assert found.rows == 3
    assert "no header line" in found.remarks[0]
    assert roles(found)["column_4"] == "sensitive"


def test_somebody_with_several_rows_is_a_person_and_sets_are_offered():
    visits = {
        "patient": [f"p{n // 3}" for n in range(90)],
        "illness": ["flu", "gout", "burn"] * 30,
        "ward": ["a", "b"] * 45,
    }
    found = propose(pa.table(visits))
    assert roles(found)["patient"] == "person"
    assert "--id-column and --item-column" in found.remarks[0]


def test_numbers_that_words_stand_beside_are_numbers():
    found = propose(pa.table({"age": ["31", "25", "NA", "44"] * 5, "illness": ["flu", "gout"] * 10}))
    assert "NA" in found.missing_values
    assert roles(found)["age"] == "ignored", "a quarter of the rows would be lost"


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("contact", ["a.b@example.org", "c@d.example"], "e-mail"),
        ("contact", ["+49 30 1234567", "+44 20 7946 0000"], "telephone"),
        ("number", ["999-76-6866", "999-73-5361"], "social security"),
        ("key", ["1d604da9-9a81-4ba9-80c2-de3375d59b40"], "universal identifiers"),
        ("visitor", ["192.168.0.1", "10.0.0.7"], "addresses of computers"),
    ],
)
def test_forms_that_name_persons(name, values, why):
    assert why in naming(Held(name, len(values), values, len(values), False))


@pytest.mark.parametrize("column", ["patientId", "e-mail", "LastName"])
@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive"])
def test_columns_that_name_persons_are_refused(column, role):
    schema = cv.Schema(
        (cv.Column(column, role), cv.Column("sex", "quasi-identifier"), cv.Column("diagnosis", "sensitive"))
    )
    with pytest.raises(InputError, match=f"column '{column}' .*nobody is hidden where it is published"):
        cv.read_table(pa.table(people()), schema)


def test_a_tree_or_a_precision_makes_a_near_unique_column_publishable():
    table = people()
    tree = {
        "*": {
            "A to D": [n for n in table["LastName"] if n[0] < "E"],
            "E to G": [n for n in table["LastName"] if n[0] >= "E"],
        }
    }
    schema = cv.Schema.of(["LastName", "sex"], ["diagnosis"], trees={"LastName": tree})
    assert len(cv.read_table(pa.table(table), schema)) == 120


@pytest.mark.parametrize(("different", "named"), [(60, True), (59, False)])
def test_a_column_that_tells_half_of_the_people_apart_names_them(different, named):
    why = naming(Held("hobby", 120, [f"h{n}" for n in range(different)], different, False))
    assert (why is not None) == named


def test_small_tables_are_examples():
    table = pa.table({"town": ["a", "b", "c", "d"], "illness": ["flu", "gout", "flu", "gout"]})
    assert len(cv.read_table(table, cv.Schema.of(["town"], ["illness"]))) == 4


def numbered(rows=1000, **more):
    """People with columns of which each names everybody."""
    lots = random.Random(7)
    return {
        "age": [lots.randrange(20, 80) for _ in range(rows)],
        "sex": [lots.choice("fm") for _ in range(rows)],
        "illness": [lots.choice(["flu", "gout", "mumps", "burn"]) for _ in range(rows)],
    } | more


TELEPHONES = [f"0{2000000000 + 7919 * n}" for n in range(1000)]
SECURITY = [f"{n % 900:03}-{n % 90 + 10}-{1000 + n}" for n in range(1000)]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("line", TELEPHONES),
        ("ssn", SECURITY),
        ("mrn", [f"{n:06}" for n in range(1000)]),
        ("last_seen", [f"{2250000000 + 7919 * n}" for n in range(1000)]),
        ("tel", [f"{2250000000 + 7919 * (n // 2)}" for n in range(1000)]),
        ("nachname", [f"Anna{n % 20} Bauer{n % 21}" for n in range(1000)]),
        ("who", [f"{'ABCDE'[n % 5]}nna {'BCDFG'[n // 5 % 5]}auer{n // 8}" for n in range(1000)]),
    ],
)
def test_what_names_people_is_never_proposed_to_be_published(name, values):
    table = pa.table(numbered(**{name: values}))
    assert roles(propose(table))[name] == "ignored"
    assert roles(propose(table))["illness"] == "sensitive"


@pytest.mark.parametrize(
    ("name", "values", "settings"),
    [
        ("ssn", [int(text.replace("-", "")) for text in SECURITY], {"kind": "number"}),
        ("mrn", [f"{n:06}" for n in range(1000)], {"kind": "code"}),
        ("mail", [f"p{n}@example.org" for n in range(1000)], {"kind": "code"}),
        ("dob", [f"19{n % 80 + 10}-{n % 12 + 1:02}-{n % 28 + 1:02}" for n in range(1000)], {"kind": "date"}),
        ("tel", [2250000000 + 7919 * n for n in range(1000)], {}),
    ],
)
def test_kinds_do_not_make_a_secret_of_a_name(name, values, settings):
    """Sensitive values are published as they are, whatever their kind."""
    secret = cv.Column(name, "sensitive", **settings | ({"precision": "day"} if name == "dob" else {}))
    schema = cv.Schema((cv.Column("age", "quasi-identifier"), secret))
    with pytest.raises(InputError, match=f"column '{name}' .*nobody is hidden where it is published"):
        cv.read_table(pa.table(numbered(**{name: values})), schema)


def test_an_address_is_no_code():
    schema = cv.Schema((cv.Column("mail", "quasi-identifier", "code"), cv.Column("illness", "sensitive")))
    data = numbered(mail=[f"p{n}@example.org" for n in range(1000)])
    with pytest.raises(InputError, match=r"column 'mail' holds e-mail addresses.* into the schema$"):
        cv.read_table(pa.table(data), schema)


def several_rows(people=600, each=12):
    """The same people in several rows, with names and passports."""
    number = [n for n in range(people) for _ in range(each)]
    return numbered(
        len(number),
        patient=[f"P{n}" for n in number],
        name=[f"Anna {'ABC'[n % 3]}bel{n}" for n in number],
        passport=[f"X{7000 + n}Y" for n in number],
    )


def test_people_with_several_rows_have_names_too():
    data = pa.table(several_rows())
    found = roles(propose(data))
    assert (found["patient"], found["name"], found["passport"]) == ("person", "ignored", "ignored")
    for column in ("name", "passport"):
        schema = cv.Schema(
            (
                cv.Column("patient", "person"),
                cv.Column(column, "quasi-identifier"),
                cv.Column("illness", "sensitive"),
            )
        )
        with pytest.raises(InputError, match=f"column '{column}' .*600 persons"):
            cv.read_table(data, schema)


@pytest.mark.parametrize("written", [False, True])
def test_who_rows_are_about_is_not_forgotten(written, tmp_path):
    data = pa.table(several_rows(40, 3))
    schema = cv.Schema((cv.Column("age", "quasi-identifier"), cv.Column("illness", "sensitive")))
    place = tmp_path / "rows.csv"
    if written:
        pacsv.write_csv(data, place)
    with pytest.raises(InputError, match="column 'patient' has no role in the schema"):
        cv.read_table(place if written else data, schema)
    said = cv.Schema((*schema.columns, cv.Column("patient", "ignored")))
    assert len(cv.read_table(place if written else data, said)) == 120


def small(**columns):
    rows = len(next(iter(columns.values())))
    return pa.table(columns | {"sex": ["f", "m"] * (rows // 2), "illness": ["flu", "gout"] * (rows // 2)})


@pytest.mark.parametrize(
    "numbers",
    [
        [f"{n}e307" for n in range(-16, 16)],
        [f"1e{n}" for n in range(280, 312)],
        [f"{n}e-322" for n in range(40)],
        [f"{n}e-14" for n in range(40)],
    ],
)
def test_numbers_that_no_range_can_hold_are_left_out(numbers):
    found = propose(small(v=numbers))
    assert roles(found)["v"] == "ignored"
    assert "too large or too near" in found.columns[0].reason
    assert len(cv.read_table(small(v=numbers), found.schema())) == len(numbers)


def test_few_numbers_that_are_too_large_are_categories():
    numbers = ["1e300", "-1e300", "1e309", "3"] * 5
    found = propose(small(v=numbers))
    assert dict(found.columns[0].settings) == {"kind": "category"}
    cv.read_table(small(v=numbers), found.schema())


def test_small_numbers_get_a_width_above_nothing():
    numbers = [f"{n}e-10" for n in range(400)]
    found = propose(small(v=numbers))
    assert dict(found.columns[0].settings) == {"kind": "number", "round": 2e-9}
    cv.read_table(small(v=numbers), found.schema())


def test_of_two_columns_that_say_who_a_row_is_about_one_is_kept():
    table = small(patient=[f"P{n // 4}" for n in range(200)], user=[f"U{n // 4}" for n in range(200)])
    found = propose(table)
    assert roles(found) == {
        "patient": "person",
        "user": "ignored",
        "sex": "quasi-identifier",
        "illness": "sensitive",
    }
    assert "as 'patient' does" in found.columns[1].reason
    cv.read_table(table, found.schema())


def test_of_columns_that_say_the_same_one_is_kept():
    table = people()
    words = {"flu": "J11", "gout": "M10", "mumps": "B26", "burn": "T30"}
    degrees = [("none", 1), ("school", 9), ("college", 12)] * 40
    coded = {
        "ward_code": [words[each] for each in table["diagnosis"]],
        "education": [name for name, _ in degrees],
        "education_years": [years for _, years in degrees],
        "blood": [random.Random(n).choice("ABO") for n in range(120)],
        **table,
    }
    found = {column.name: column for column in propose(pa.table(coded)).columns}
    assert found["diagnosis"].role == "sensitive"
    assert found["ward_code"].role == "ignored"
    assert "says the same as 'diagnosis'" in found["ward_code"].reason
    assert found["education"].role == "ignored"
    assert found["education_years"].role == found["blood"].role == "quasi-identifier"
    assert found["sex"].role == "quasi-identifier"


@pytest.mark.parametrize("changed", [0, 119])
def test_columns_that_differ_in_one_row_do_not_say_the_same(changed):
    letters = ["abc"[n % 3] for n in range(120)]
    others = [{"a": "x", "b": "y", "c": "z"}[each] for each in letters]
    others[changed] = "y" if others[changed] != "y" else "x"
    found = propose(pa.table({**people(), "one": letters, "two": others}))
    assert roles(found)["one"] == roles(found)["two"] == "quasi-identifier"


def test_a_proposal_without_anything_that_others_may_know_says_so():
    found = propose(pa.table({"v": ["?", "?"], "illness": ["flu", "gout"]}))
    assert not found.complete
    assert any("quasi-identifier" in remark for remark in found.remarks)
    assert propose(pa.table(people())).complete


def test_dates_whose_day_and_month_cannot_be_told_apart_are_read_to_the_year_with_a_remark():
    table = small(born=[f"{n % 12 + 1}/{n % 11 + 1}/{1950 + n % 40}" for n in range(120)])
    found = propose(table)
    assert dict(found.columns[0].settings) == {"kind": "date", "precision": "year"}
    assert any("Dates of born" in remark and 'order = "dmy"' in remark for remark in found.remarks)
    cv.read_table(table, found.schema())


def test_a_header_that_names_a_column_twice_is_refused_with_its_file(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,age,illness\n31,m,flu\n")
    with pytest.raises(InputError, match=r"people\.csv: column 'age' stands twice in the header; rename one"):
        propose(path)


def test_tables_of_many_columns_are_proposed(tmp_path):
    path = tmp_path / "wide.csv"
    names = [f"c{n}" for n in range(20_000)]
    path.write_text(f"{','.join(names)}\n" + f"{','.join(['x'] * len(names))}\n" * 2)
    assert len(propose(path).columns) == len(names)
