"""Schema files: TOML or JSON, with one entry for each column.

::

    missing = "drop"                    # or "refuse", "keep"
    missing_values = ["?"]
    header = ["age", "work", "illness"] # only if the file has no header line

    [columns.age]
    role = "quasi-identifier"
    kind = "number"
    range = [0, 120]                    # what is possible, whatever the rows hold
    round = 10                          # ranges begin at multiples of this; or cuts = [0, 18, 65, 120]

    [columns.work]
    role = "quasi-identifier"
    tree = "work.csv"                   # beside this file; or "ranges"; or nested groups

    [columns.illness]
    role = "sensitive"
    values = ["cough", "flu", "gout"]   # what is possible
    harmless = ["cough"]                # everybody may know it; of numbers within = 500 or within = "5 %"

    [columns.patient]
    role = "person"                     # where somebody has several rows; never published
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from cloven.data.schema import Column, Schema
from cloven.errors import InputError, ParameterError
from cloven.intake.files import small_text

MOST_DOTS = 64
"""Parts of a name, at most: what reads TOML keeps every beginning of one."""
_TOP = ("columns", "missing", "missing_values", "header", "delimiter")
_COLUMN = tuple(field.name for field in fields(Column) if field.name != "name")


def read_schema(path: str | Path) -> Schema:
    r"""Read a schema file; hierarchy files that it names are looked for beside it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.toml")
    ...     _ = path.write_text('[columns]\nage = "quasi-identifier"\nillness = "sensitive"')
    ...     [column.name for column in read_schema(path).columns]
    ['age', 'illness']
    """
    path = Path(path)
    text = small_text(path)
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MOST_DOTS and line.partition("=")[0].count(".") > MOST_DOTS:
            message = f"a name of more than {MOST_DOTS} parts; quote names that have dots"
            raise InputError(message, source=str(path), line=number, value=line)
    try:
        content = (
            json.loads(text, object_pairs_hook=_once)
            if path.suffix.lower() == ".json"
            else tomllib.loads(text)
        )
    except RecursionError as error:
        message = "is nested too deeply to be a schema"
        raise InputError(message, source=str(path)) from error
    except ValueError as error:
        message = (
            f"cannot be read as a schema in {'JSON' if path.suffix.lower() == '.json' else 'TOML'}: {error}"
        )
        raise InputError(" ".join(message.split()), source=str(path)) from error
    return schema_of(content, source=str(path), beside=path.parent)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, whose names stand there once: of two entries for a column the last would win unseen."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            message = f"{name!r} stands twice; name it once"
            raise ValueError(message)
        found[name] = value
    return found


def schema_of(content: Any, *, source: str | None = None, beside: Path | None = None) -> Schema:
    """A schema from plain values, as a schema file holds them.

    >>> schema = schema_of({"columns": {"age": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}}})
    >>> schema.columns[1].role
    'sensitive'
    """
    _known(content, _TOP, "the schema", source)
    columns = content.get("columns")
    if not isinstance(columns, Mapping) or not columns:
        message = (
            'a schema needs an entry for each column, such as [columns.age] with role = "quasi-identifier"'
        )
        raise InputError(message, source=source)
    try:
        found = tuple(_column(name, entry, source, beside) for name, entry in columns.items())
        rest: dict[str, Any] = {name: content[name] for name in _TOP[1:] if name in content}
        for name in ("missing_values", "header"):
            if name in rest:
                rest[name] = _texts(rest[name], name, source)
        return Schema(found, **rest)
    except ParameterError as error:
        raise InputError(str(error), source=source) from error


def _column(name: str, entry: Any, source: str | None, beside: Path | None) -> Column:
    what = f"column {name!r}"
    if isinstance(entry, str):
        entry = {"role": entry}
    _known(entry, _COLUMN, what, source)
    if "role" not in entry:
        message = f"{what} has no role; give it quasi-identifier, sensitive, person or ignored"
        raise InputError(message, source=source)
    tree = entry.get("tree")
    if isinstance(tree, str) and tree != "ranges" and beside is not None:
        tree = beside / tree
    elif not isinstance(tree, str | Mapping | None):
        message = f"{what}: tree is the name of a file, 'ranges' or nested groups"
        raise InputError(message, source=source, value=str(tree))
    return Column(name, **{**entry, "tree": tree})


def _known(entry: Any, possible: tuple[str, ...], what: str, source: str | None) -> None:
    if not isinstance(entry, Mapping):
        message = f"{what} must be a table of settings"
        raise InputError(message, source=source, value=str(entry))
    for name in entry:
        if name not in possible:
            near = get_close_matches(str(name), possible, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(possible)}"
            message = f"{what} has an unknown setting {name!r}; {hint}"
            raise InputError(message, source=source)


def _texts(value: Any, name: str, source: str | None) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        message = f"{name} must be a list of texts"
        raise InputError(message, source=source, value=str(value))
    return tuple(value)


# Rules on values that cannot meet in one row, as a file that people write and read.


Rules: TypeAlias = tuple[dict[str, tuple[str, ...]], ...]
FORM = "write 'attribute=value, attribute=value|value'"
_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^",=|][^,=|]*|[,=|])')


def read_rules(path: str | Path) -> Rules:
    """Read a file of rules: for each line the values that cannot meet, by attribute.

    One rule on each line: what, taken together, cannot be. Lines that begin with ``#`` are comments::

        # a husband is not female, a wife is not male
        relationship=Husband, sex=Female
        relationship=Wife, sex=Male
        # several values of one attribute: any of them
        relationship=Husband|Wife, marital-status=Never-married|Divorced|Widowed

    A name or value that holds ``,``, ``=`` or ``|``, or begins with ``"``, is written as a JSON string.
    """
    path = Path(path)
    return parse_rules(small_text(path), str(path))


def parse_rules(text: str, source: str = "rules") -> Rules:
    r"""Rules of a text.

    >>> parse_rules('# nobody\nrelationship=Husband, sex=Female\nage=1|2, job=\"a, b\"')
    ({'relationship': ('Husband',), 'sex': ('Female',)}, {'age': ('1', '2'), 'job': ('a, b',)})
    """
    rules = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            rules.append(_rule(line, source, number))
    return tuple(rules)


def _rule(line: str, source: str, number: int) -> dict[str, tuple[str, ...]]:
    tokens = _tokens(line, source, number)
    rule: dict[str, tuple[str, ...]] = {}
    while tokens:
        name = _word(tokens, line, source, number)
        if not tokens or tokens.pop(0) != ("=", False):
            _wrong(f"{name!r} has no '='; {FORM}", line, source, number)
        values = [_word(tokens, line, source, number)]
        while tokens and tokens[0] == ("|", False):
            tokens.pop(0)
            values.append(_word(tokens, line, source, number))
        if name in rule:
            _wrong(f"{name!r} stands twice; separate its values by '|'", line, source, number)
        rule[name] = tuple(values)
        if tokens and (tokens.pop(0) != (",", False) or not tokens):
            _wrong(f"the rule does not end after a value; {FORM}", line, source, number)
    if len(rule) < 2:
        _wrong(f"a rule names at least two attributes that cannot meet; {FORM}", line, source, number)
    return rule


def _tokens(line: str, source: str, number: int) -> list[tuple[str, bool]]:
    """Words and signs of a line; the flag says which are words."""
    found: list[tuple[str, bool]] = []
    place = 0
    while place < len(line.rstrip()):
        token = _TOKEN.match(line, place)
        if token is None:
            _wrong("a quoted name does not end; close it with '\"'", line, source, number)
        place = token.end()
        text = token[1].strip()
        if text.startswith('"'):
            found.append((_unquoted(text, line, source, number), True))
        elif text:
            found.append((text, text not in (",", "=", "|")))
    return found


def _unquoted(text: str, line: str, source: str, number: int) -> str:
    try:
        return str(json.loads(text))
    except json.JSONDecodeError:
        _wrong(f"{text} is no JSON string", line, source, number)


def _word(tokens: list[tuple[str, bool]], line: str, source: str, number: int) -> str:
    if not tokens or not tokens[0][1]:
        _wrong(f"a name or a value is missing; {FORM}", line, source, number)
    return tokens.pop(0)[0]


def _wrong(message: str, line: str, source: str, number: int) -> NoReturn:
    raise InputError(message, source=source, line=number, value=line.strip())
