"""Rules on values that cannot meet in one row, as a file that people write and read.

One rule on each line: what, taken together, cannot be. Lines that begin with ``#`` are comments::

    # a husband is not female, a wife is not male
    relationship=Husband, sex=Female
    relationship=Wife, sex=Male
    # several values of one attribute: any of them
    relationship=Husband|Wife, marital-status=Never-married|Divorced|Widowed

A name or value that holds ``,``, ``=`` or ``|``, or begins with ``"``, is written as a JSON string.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NoReturn, TypeAlias

from cloven.errors import InputError

Rules: TypeAlias = tuple[dict[str, tuple[str, ...]], ...]
FORM = "write 'attribute=value, attribute=value|value'"
_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^",=|][^,=|]*|[,=|])')


def read_rules(path: str | Path) -> Rules:
    """Read a file of rules: for each line the values that cannot meet, by attribute."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        message = f"cannot be read ({error.strerror}); name a file of rules"
        raise InputError(message, source=str(path)) from error
    except UnicodeDecodeError as error:
        message = "is not UTF-8 text; save it as UTF-8"
        raise InputError(message, source=str(path)) from error
    return parse_rules(text, str(path))


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
