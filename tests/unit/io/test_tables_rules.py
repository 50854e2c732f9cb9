"""Files of rules on values that cannot meet."""

from __future__ import annotations

import pytest

from cloven.errors import InputError
from cloven.reading.schema_file import parse_rules, read_rules


def test_rules_are_read(tmp_path):
    path = tmp_path / "adult.rules"
    path.write_text(
        '# nobody is\n\nrelationship=Husband, sex=Female\n  "a, b" = "x|y" | z ,c=1|2|3\n', encoding="utf-8"
    )
    assert read_rules(path) == (
        {"relationship": ("Husband",), "sex": ("Female",)},
        {"a, b": ("x|y", "z"), "c": ("1", "2", "3")},
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("sex=Female", "rules:2: a rule names at least two attributes that cannot meet"),
        ("sex, age=3", "rules:2: 'sex' has no '='"),
        ("sex=, age=3", "rules:2: a name or a value is missing"),
        ("sex=a=b, age=3", "rules:2: the rule does not end after a value"),
        ("sex=a, age=3,", "rules:2: the rule does not end after a value"),
        ("sex=a, sex=b", "rules:2: 'sex' stands twice; separate its values by '|'"),
        ('sex="a, age=3', "rules:2: a quoted name does not end"),
        ('sex="\\x", age=3', "rules:2: .* is no JSON string"),
    ],
)
def test_wrong_lines_are_named(line, message):
    with pytest.raises(InputError, match=message):
        parse_rules(f"# comment\n{line}\n")


def test_file_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_rules(tmp_path / "none.rules")
    (tmp_path / "bytes.rules").write_bytes(b"a=\xff, b=1")
    with pytest.raises(InputError, match="not UTF-8; save the file as UTF-8"):
        read_rules(tmp_path / "bytes.rules")
