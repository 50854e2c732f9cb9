"""Schema files in TOML and JSON, and what is wrong with bad ones."""

from __future__ import annotations

import json

import pytest

from cloven.data.schema import Column, Schema
from cloven.data.taxonomy import balanced_ranges, nested_taxonomy
from cloven.errors import InputError, ParameterError
from cloven.reading.schema_file import read_schema, schema_of

TOML = """
missing = "drop"
missing_values = ["?", "-"]
header = ["age", "work", "illness"]

[columns]
name = "ignored"

[columns.age]
role = "quasi-identifier"
kind = "number"
tree = "ranges"

[columns.work]
role = "quasi-identifier"
tree = "work.csv"
missing = "keep"

[columns.illness]
role = "sensitive"
[columns.illness.tree."*"]
skin = ["rash"]
lung = ["flu"]
"""


def test_toml_and_json_say_the_same(tmp_path):
    import tomllib

    (tmp_path / "schema.toml").write_text(TOML)
    (tmp_path / "schema.json").write_text(json.dumps(tomllib.loads(TOML)))
    for name in ("schema.toml", "schema.json"):
        schema = read_schema(tmp_path / name)
        assert schema == Schema(
            (
                Column("name", "ignored"),
                Column("age", "quasi-identifier", "number", "ranges"),
                Column("work", "quasi-identifier", None, tmp_path / "work.csv", "keep"),
                Column("illness", "sensitive", None, {"*": {"skin": ["rash"], "lung": ["flu"]}}),
            ),
            missing="drop",
            missing_values=("?", "-"),
            header=("age", "work", "illness"),
        )


AGE = {"age": {"role": "quasi-identifier"}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            {"columns": {"age": {"role": "quasi"}}},
            "role of column 'age' must be one of 'quasi-identifier', 'sensitive'",
        ),
        ({"columns": {"age": {"kind": "number"}}}, "column 'age' has no role"),
        (
            {"columns": {"age": {"roles": "x"}}},
            "column 'age' has an unknown setting 'roles'; did you mean 'role'?",
        ),
        (
            {"columns": AGE, "mising": "drop"},
            "the schema has an unknown setting 'mising'; did you mean 'missing'?",
        ),
        ({"columns": AGE, "missing": "skip"}, "missing must be one of 'refuse', 'drop', 'keep', got 'skip'"),
        ({"columns": AGE, "header": "age"}, "header must be a list of texts"),
        ({"columns": {"age": {"role": "sensitive"}}}, 'no column has the role "quasi-identifier"'),
        ({"columns": {"age": {"role": "sensitive", "tree": 7}}}, "column 'age': tree is the name of a file"),
        ({"columns": {"age": 7}}, "column 'age' must be a table of settings"),
        (
            {"columns": {"age": {"role": "quasi-identifier", "kind": "category", "tree": "ranges"}}},
            "ranges are for num",
        ),
        ({}, "a schema needs an entry for each column"),
        ([], "the schema must be a table of settings"),
    ],
)
def test_bad_schema(content, message):
    with pytest.raises(InputError) as raised:
        schema_of(content, source="schema.toml")
    assert message in str(raised.value)
    assert str(raised.value).startswith("schema.toml: ")


def test_bad_files(tmp_path):
    (tmp_path / "schema.toml").write_text("columns = [")
    with pytest.raises(InputError, match="cannot be read as a schema in TOML"):
        read_schema(tmp_path / "schema.toml")
    with pytest.raises(InputError, match="no such file"):
        read_schema(tmp_path / "absent.toml")


def test_bad_python_schema():
    with pytest.raises(ParameterError, match="column 'age' stands twice in the schema"):
        Schema.of(["age", "age"])
    with pytest.raises(ParameterError, match="a tree is given for 'work', which has no role"):
        Schema.of(["age"], trees={"work": {"*": ["a"]}})


def test_nested_trees():
    flat = nested_taxonomy({"gov": ["a", "b"], "c": None})
    assert flat.root == "*"
    assert flat.ancestors("a") == ("gov",)
    assert flat.ancestors("c") == ()
    for nested, message in [
        ({}, "a tree is a dictionary"),
        ({"*": {"gov": 7}}, "group 'gov' must hold a dictionary or a list"),
        ({"*": {"gov": [["a"]]}}, "the list of group 'gov' holds values only"),
    ]:
        with pytest.raises(InputError, match=message):
            nested_taxonomy(nested)


@pytest.mark.parametrize("size", [1, 2, 4, 5, 16, 17, 100])
def test_balanced_ranges_cover_neighbours(size):
    tree = balanced_ranges(tuple(map(str, range(size))))
    assert tree.leaves == size
    assert tree.sizes[tree.root] == size
    assert len({len(tree.path(leaf)) for leaf in range(size)}) == 1, "all leaves are equally deep"
    children = [(tree.parent[:-1] == node).sum() for node in range(size, len(tree.labels))]
    assert max(children) <= 4
    for node in range(size, len(tree.labels)):
        below = [leaf for leaf in range(size) if node in tree.path(leaf)]
        assert below == list(range(below[0], below[-1] + 1))
        assert tree.labels[node] == (f"{below[0]}..{below[-1]}" if len(below) > 1 else str(below[0]))
