"""Tables from files and frames, with roles, trees and what is done about missing values."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloven.data.schema import Column, Schema
from cloven.errors import InputError, ParameterError
from cloven.reading.tables import load_table, read_table

CSV = "age;work;zip;illness\n31;Private;01234;flu\n25;State-gov;01234;gout\n7;Private;99999;flu\n"
SCHEMA = Schema.of(["age", "work", "zip"], ["illness"])
WORK = {"*": {"gov": ["State-gov", "Federal-gov"], "Private": None}}


def rows(table):
    return [table.row(number) for number in range(len(table))]


ROWS = [
    ("31", "Private", "01234", "flu"),
    ("25", "State-gov", "01234", "gout"),
    ("7", "Private", "99999", "flu"),
]


def test_csv_gives_codes_into_ordered_domains(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(CSV)
    table = read_table(path, SCHEMA)
    assert rows(table) == ROWS
    age, work, code, illness = table.attributes
    assert age.values == ("7", "25", "31")
    assert age.numbers.tolist() == [7, 25, 31]
    assert age.tree is None, "the owner gave none"
    assert (work.values, work.numbers, work.tree) == (("Private", "State-gov"), None, None)
    assert code.numbers is None, "a leading zero would be lost"
    assert illness.role == "sensitive"
    assert table.source_rows.tolist() == [0, 1, 2]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_any_delimiter(tmp_path, delimiter):
    path = tmp_path / "people.txt"
    path.write_text(CSV.replace(";", delimiter))
    assert rows(read_table(path, SCHEMA)) == ROWS


def columns():
    return {
        "age": [31, 25, 7],
        "work": ["Private", "State-gov", "Private"],
        "zip": ["01234", "01234", "99999"],
        "illness": ["flu", "gout", "flu"],
    }


def test_parquet(tmp_path):
    pq.write_table(pa.table(columns()), tmp_path / "people.parquet")
    assert rows(read_table(tmp_path / "people.parquet", SCHEMA)) == ROWS


@pytest.mark.parametrize(
    "library", ["pandas", "polars", "pyarrow", "polars-lazy", "duckdb", "pandas-category"]
)
def test_frames(library):
    if library.startswith("pandas"):
        frame = pytest.importorskip("pandas").DataFrame(columns())
        frame = frame.astype({"work": "category"}) if library.endswith("category") else frame
    elif library.startswith("polars"):
        frame = pytest.importorskip("polars").DataFrame(columns())
        frame = frame.lazy() if library.endswith("lazy") else frame
    elif library == "duckdb":
        pytest.importorskip("duckdb")
        import duckdb

        arrow = pa.table(columns())
        frame = duckdb.from_arrow(arrow)
    else:
        frame = pa.table(columns())
    assert rows(read_table(frame, SCHEMA)) == ROWS


def test_file_without_header_and_blanks_after_commas(tmp_path):
    path = tmp_path / "adult.data"
    path.write_text("39, State-gov, flu\n\n50, Private, gout\n")
    schema = Schema(
        (Column("work", "quasi-identifier"), Column("illness", "sensitive")),
        header=("age", "work", "illness"),
    )
    loaded = load_table(path, schema)
    assert rows(loaded.table) == [("State-gov", "flu"), ("Private", "gout")]
    assert loaded.ignored == ("age",)


def test_tree_gives_the_whole_domain_and_its_groups(tmp_path):
    hierarchy = tmp_path / "work.csv"
    hierarchy.write_text("Private;*\nState-gov;gov;*\nFederal-gov;gov;*")
    for tree in (hierarchy, str(hierarchy), WORK):
        table = read_table(pa.table(columns()), Schema.of(["work"], ["illness"], trees={"work": tree}))
        work = table.attributes[0]
        assert work.values == ("Federal-gov", "Private", "State-gov")
        assert work.tree.labels == (*work.values, "gov", "*")
        assert work.tree.parent.tolist() == [3, 4, 3, 4, 4]
        assert rows(table)[1] == ("State-gov", "gout")


def test_numbers_with_a_hierarchy_file_are_matched_as_numbers(tmp_path):
    hierarchy = tmp_path / "age.csv"
    hierarchy.write_text("".join(f"{age};{age // 10}0s;*\n" for age in (100, 7, 25, 31)))
    table = read_table(pa.table(columns()), Schema.of(["age"], trees={"age": hierarchy}))
    assert table.attributes[0].values == ("7", "25", "31", "100")
    assert table.codes.ravel().tolist() == [2, 1, 0]


def test_missing_values_are_refused_dropped_or_kept(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,work,illness\n31,?,flu\n25,Private,gout\n,Private,flu\n")
    three = (
        Column("age", "quasi-identifier"),
        Column("work", "quasi-identifier"),
        Column("illness", "sensitive"),
    )
    with pytest.raises(
        InputError, match=r"people.csv:4: column 'age' has no value in 1 of 3 rows, first here.*drop"
    ) as raised:
        read_table(path, Schema((three[0], three[2])))
    assert raised.value.line == 4
    with pytest.raises(
        InputError,
        match=r"people.csv:2: 2 columns have no value in some of 3 rows: 'age' in 1, 'work' in 1, .*got '\?'",
    ):
        read_table(path, Schema(three))
    seen = load_table(path, Schema(three), overview=True)
    assert seen.table.codes[:, :2].tolist() == [[1, -1], [0, 0], [-1, 0]]
    assert [(each.column, each.rows, each.policy) for each in seen.missing] == [
        ("age", 1, "refuse"),
        ("work", 1, "refuse"),
    ]
    assert seen.report()[0].startswith(
        "column 'age' has no value in 1 of 3 rows: only described, choose missing"
    )
    loaded = load_table(path, Schema(three, missing="drop"))
    assert rows(loaded.table) == [("25", "Private", "gout")]
    assert loaded.table.source_rows.tolist() == [1]
    assert loaded.report() == (
        "column 'age' has no value in 1 of 3 rows: this row was left out",
        "column 'work' has no value in 1 of 3 rows: this row was left out",
        "2 rows left out, 1 row read",
    )
    kept = load_table(path, Schema((Column("age", "ignored"), *three[1:]), missing="keep"))
    assert rows(kept.table)[0] == ("(missing)", "flu")
    assert kept.report()[0] == "column 'work' has no value in 1 of 3 rows: kept as the value '(missing)'"
    with pytest.raises(ParameterError, match="column 'age' holds numbers, so a missing one cannot be kept"):
        read_table(path, Schema(three, missing="keep"))


def test_a_kept_missing_value_joins_the_tree_below_its_root():
    frame = pa.table({"work": ["Private", None], "illness": ["flu", "gout"]})
    schema = Schema.of(["work"], ["illness"], trees={"work": WORK}, missing="keep")
    work = read_table(frame, schema).attributes[0]
    assert "(missing)" in work.values
    assert work.tree.path(work.values.index("(missing)"))[1:] == (work.tree.root,)


def test_nan_of_frames_is_missing():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [1.0, np.nan], "work": ["a", None]})
    loaded = load_table(frame, Schema.of(["age", "work"], missing="drop"))
    assert rows(loaded.table) == [("1", "a")]


BAD = {
    "no column": (Schema.of(["agee"]), r"no column 'agee'; the columns are 'age', 'work', 'zip', 'illness'"),
    "not a number": (
        Schema((Column("work", "quasi-identifier", kind="number"),)),
        r"row 0: column 'work' is said to hold numbers.*got 'Private'",
    ),
    "not in the tree": (
        Schema.of(["work"], trees={"work": {"*": ["Private"]}}),
        r"row 1: column 'work' has a value that its tree lacks, in 1 row; add it to the tree.*got 'State-gov'",
    ),
    "number not in the tree": (
        Schema.of(["age"], trees={"age": {"*": ["31", "25"]}}),
        r"row 2: column 'age' has a value that its tree lacks, in 1 row.*got '7'",
    ),
    "two parents": (
        Schema.of(["work"], trees={"work": {"*": {"a": ["Private"], "b": ["Private", "State-gov"]}}}),
        r"tree of column 'work'.*a value has two parents, 'a' and 'b'.*got 'Private'",
    ),
    "text in a tree of numbers": (
        Schema.of(["age"], trees={"age": {"*": ["31", "old"]}}),
        r"the tree of column 'age', which holds numbers, has another value.*got 'old'",
    ),
    "ranges of text": (
        Schema((Column("work", "quasi-identifier", tree="ranges"),)),
        r"column 'work': ranges are for numbers",
    ),
    "no tree file": (
        Schema.of(["work"], trees={"work": "nowhere.csv"}),
        r"tree of column 'work'.*nowhere.csv.*no such file",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    schema, message = BAD[name]
    with pytest.raises((InputError, ParameterError), match=message) as raised:
        read_table(pa.table(columns()), schema)
    assert "\n" not in str(raised.value)


def test_bad_files(tmp_path):
    path = tmp_path / "people.csv"
    for text, message in [
        ("", "is empty; a table begins with"),
        ("age,work,zip,illness\n", "no rows below the header"),
        ("age,work,zip,illness\n1,a,b\n", r"people.csv:2: 3 cells where the header has 4"),
        ("age,age,work,zip,illness\n1,1,a,b,c\n", "column 'age' stands twice in the header"),
        ('age,work,zip,illness\n1,"a"b,c,d\n', "people.csv:2: text stands behind the quote"),
        (
            'age,work,zip,illness\n1,a,b,c\n2,"a,b,c\n3,a,b,c\n',
            "people.csv:3: a quote that opens in this row",
        ),
        ("age,work,zip,illness\n,a,b,c\n", "has no value in 1 of 1 rows"),
    ]:
        path.write_text(text)
        with pytest.raises(InputError, match=message):
            read_table(path, SCHEMA)
    path.write_bytes(b"age,work\n1,\xff\n")
    with pytest.raises(InputError, match=r"people.csv:2: is not UTF-8"):
        read_table(path, SCHEMA)
    with pytest.raises(InputError, match="no such file"):
        read_table(tmp_path / "absent.csv", SCHEMA)
    with pytest.raises(InputError, match="not a table; pass a path"):
        read_table(7, SCHEMA)
    with pytest.raises(InputError, match=r"holds list<.*not one value per row"):
        read_table(pa.table({"age": [[1]]}), Schema.of(["age"]))
    path.write_text("age,work,zip,illness\n,a,b,c\n")
    with pytest.raises(InputError, match=r"the only row lacks a value \('age' in 1\)"):
        read_table(path, Schema(SCHEMA.columns, missing="drop"))


@pytest.mark.data
def test_adult_with_the_hierarchies_of_arx(data_dir):
    folder = data_dir / "relational" / "arx_adult"
    names = [
        "sex",
        "age",
        "race",
        "marital-status",
        "education",
        "native-country",
        "workclass",
        "salary-class",
    ]
    trees = {name: folder / f"adult_hierarchy_{name}.csv" for name in names}
    table = read_table(folder / "adult.csv.gz", Schema.of(names, ["occupation"], trees=trees))
    assert len(table) == 30_162
    assert [len(attribute) for attribute in table.attributes] == [2, 100, 5, 7, 16, 41, 8, 2, 14]
    assert table.row(0)[:3] == ("Male", "39", "White")
