"""Wrong tables, schemas and wishes: one line that says which column, which value, what would work; nothing written."""

from __future__ import annotations

import pytest

SCHEMAS = {
    "no such column": ('[columns]\nheight = "quasi-identifier"\n', 3, ("no column 'height'", "'age', 'sex'")),
    "unreadable": ("[columns\n", 3, ("cannot be read as a schema in TOML", "line 1")),
    "value without a place": (
        '[columns]\nage = "quasi-identifier"\nillness = "sensitive"\n'
        '[columns.work]\nrole = "quasi-identifier"\ntree = { public = ["Federal", "State"] }\n',
        3,
        ("column 'work'", "its tree lacks", "got 'Private'"),
    ),
    "nothing sensitive": ('[columns]\nage = "quasi-identifier"\n', 2, ("sensitive", "give")),
}
TABLES = {
    "empty": ("", "is empty"),
    "no value": ("age,sex,work,illness\n1,f,State,\n", "column 'illness' has no value in 1 of 1 rows"),
}


@pytest.fixture
def refusing(cloven, tmp_path):
    """Run a command that must be refused, and look that it wrote nothing."""

    def run(*arguments, code, words):
        before = sorted(tmp_path.rglob("*"))
        cloven(*arguments).refused(code, *words)
        assert sorted(tmp_path.rglob("*")) == before

    return run


@pytest.mark.parametrize("fault", SCHEMAS)
def test_schemas(refusing, people, tmp_path, fault):
    content, code, words = SCHEMAS[fault]
    bad = tmp_path / "bad.toml"
    bad.write_text(content)
    given = ("anonymise", "mondrian", people, "--schema", bad, "-l", 2, "-o", tmp_path / "out")
    refusing(*given, code=code, words=words)


@pytest.mark.parametrize("method", ["slicing", "ul", "anatomy", "diffgen"])
def test_methods_that_need_something_sensitive(refusing, people, tmp_path, method):
    bad = tmp_path / "bad.toml"
    bad.write_text(SCHEMAS["nothing sensitive"][0])
    refusing(
        "anonymise", method, people, "--schema", bad, "-o", tmp_path / "out", code=2, words=("sensitive",)
    )


@pytest.mark.parametrize("fault", TABLES)
def test_tables(refusing, schema, tmp_path, fault):
    content, words = TABLES[fault]
    bad = tmp_path / "bad.csv"
    bad.write_text(content)
    for command in (("anonymise", "ul"), ("tune",), ("audit",)):
        refusing(*command, bad, "--schema", schema, "-o", tmp_path / "out", code=3, words=("bad.csv", words))


def test_sets_of_items_are_no_table(refusing, clinic, schema, tmp_path):
    for command in (("anonymise", "slicing"), ("tune",), ("audit",)):
        given = (clinic, "--schema", schema, "-o", tmp_path / "out")
        refusing(*command, *given, code=3, words=("no column 'age'", "the columns are"))


@pytest.mark.parametrize(
    ("method", "given", "words"),
    [
        ("mondrian", ("-k", 500), "k = 500 needs at least 500 rows, got 240; choose k of at most 240"),
        ("mondrian", ("-l", 9), "has 5 different values, l = 9 needs 9; choose l up to 5"),
        ("slicing", (), "l = 6, the default, cannot be met"),
        ("slicing", ("-l", 9), "rows have illness = 'mumps'; choose l of at most 4"),
        ("mondrian", ("--recursive-l", "3"), "--recursive-l must be a number and a whole number, such as 3,2; got '3'"),
        ("mondrian", ("--t-distance", "ordered"), "--t-distance says how --t-closeness is measured"),
        ("mondrian", ("--together", "jointly"), "--together says"),
        ("mondrian", ("-l", 2, "--together", "income"), "'income' is no sensitive attribute; those are 'illness'"),
        ("slicing", ("-l", 2, "--columns", "age/wage"), "'wage', which is not published; choose from age, sex"),
        ("ul", ("-l", 2, "--swap-rate", "60%"), "must be above 0 % and of at most 50 %, got '60%'"),
    ],
)  # fmt: skip
def test_wishes_that_cannot_be_met(refusing, people, schema, tmp_path, method, given, words):
    arguments = ("anonymise", method, people, "--schema", schema, *given, "-o", tmp_path / "out")
    refusing(*arguments, code=2, words=(words,))


def test_rules(refusing, people, schema, tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_text("sex=f\n")
    for command in (("anonymise", "ul"), ("tune",), ("audit", "--methods", "ul:l=2")):
        given = (people, "--schema", schema, "--rules", bad, "-o", tmp_path / "out")
        refusing(*command, *given, code=3, words=("bad.txt:1", "at least two attributes"))


def test_one_file_of_rules_serves_several_tables(cloven, people, schema, tmp_path):
    rules = tmp_path / "rules.txt"
    rules.write_text("sex=f, work=State\nsex=x, work=State\n")
    given = (people, "--schema", schema, "-l", 2, "--rules", rules, "-o", tmp_path / "out")
    ended = cloven("anonymise", "ul", *given)
    assert ended.code == 0
    assert "rule 2 names 'x', a value that column 'sex' lacks (it has f, m)" in ended.err
    assert "rule 1" not in ended.err


@pytest.mark.parametrize(
    ("command", "given", "words"),
    [
        ("tune", ("-m", 2), "-m is for sets of items"),
        ("tune", ("--format", "long"), "the schema says how it is read"),
        ("tune", ("--methods", "coat"), "'coat' is not for tables"),
        ("audit", ("-m", 2), "-m is for sets of items"),
        ("audit", ("--methods", "foo:k=5"), "method 'foo' is not for tables"),
        ("audit", ("--person", "x"), "--person is for sets of items"),
        ("describe", ("--rare", 2), "--rare is for sets of items"),
        ("cells", ("--rates", "1%,x"), "--rates"),
    ],
)
def test_options_that_do_not_fit(refusing, people, schema, command, given, words):
    refusing(command, people, "--schema", schema, *given, code=2, words=(words,))


def test_options_for_tables_need_a_schema(refusing, people, clinic, tmp_path):
    nothing = tmp_path / "nothing.toml"
    nothing.write_text('[columns]\nage = "quasi-identifier"\n')
    for arguments, words in (
        (("tune", people, "--schema", nothing), 'the role "sensitive"'),
        (("tune", clinic, "-l", 3), "-l is for tables; give --schema"),
        (("audit", clinic, "--rules", nothing), "--rules is for tables"),
        (("tune", "--schema", nothing), "give the file too"),
        (("audit", "--schema", nothing), "give the file too"),
    ):
        refusing(*arguments, "-o", tmp_path / "out", code=2, words=(words,))
    refusing("utility", clinic, tmp_path, "--queries", 3, code=2, words=("--queries is for tables",))
