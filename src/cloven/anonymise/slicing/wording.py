"""Parameters that are more than a word, written as one: what a setting such as ``ul:columns=age+sex/work`` says.

``settings`` looks for ``WORDED`` in a method. Names stand between ``+``, columns between ``/``; names with other signs
than letters, digits, ``_``, ``-`` and ``.`` cannot be written this way, and are counted instead.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from cloven.anonymise.slicing.constraints import (
    Constraint,
    DistinctL,
    EntropyL,
    RecursiveL,
    Sensitive,
    TCloseness,
)
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FORMS = "distinct-l:L, entropy-l:L, recursive-l:C:L, t-closeness:T, t-closeness:T:ordered"
_PLAIN = re.compile(r"[\w.-]+")


class Worded(NamedTuple):
    """How a parameter is read from a word, and written as one."""

    read: Callable[[str], Any]
    write: Callable[[Any], str]


def read_names(text: str) -> tuple[str, ...] | None:
    """Names of attributes.

    >>> read_names("work+sex")
    ('work', 'sex')
    """
    return None if text.lower() == "none" else tuple(name for name in text.split("+") if name)


def write_names(names: tuple[str, ...] | None) -> str:
    """The same as a word; how many there are if they cannot be written as one."""
    if names is None:
        return "none"
    return "+".join(names) if _plain(names) else f"[{len(names)}]"


def read_columns(text: str) -> int | tuple[tuple[str, ...], ...] | None:
    """Number of columns, or the columns themselves.

    >>> read_columns("2"), read_columns("age+sex/work")
    (2, (('age', 'sex'), ('work',)))
    """
    if text.lower() == "none" or text.lstrip("-").isdigit():
        return None if text.lower() == "none" else int(text)
    return tuple(tuple(name for name in column.split("+") if name) for column in text.split("/"))


def write_columns(columns: int | tuple[tuple[str, ...], ...] | None) -> str:
    """The same as a word."""
    if not isinstance(columns, tuple):
        return "none" if columns is None else str(columns)
    plain = all(map(_plain, columns))
    return "/".join("+".join(column) for column in columns) if plain else f"[{len(columns)}]"


def read_constraints(text: str) -> tuple[Constraint, ...]:
    """Constraints, each with what it speaks of after ``@`` unless that is each sensitive attribute.

    >>> read_constraints("entropy-l:2.5+t-closeness:0.3@jointly")
    (EntropyL(l=2.5, sensitive='each'), TCloseness(t=0.3, distance='equal', sensitive='jointly'))
    """
    return tuple(_constraint(word) for word in text.split("+") if word and text.lower() != "none")


def write_constraints(constraints: Iterable[Constraint]) -> str:
    """The same as a word.

    >>> write_constraints((RecursiveL(3, 2), DistinctL(4, ("illness", "income"))))
    'recursive-l:3:2+distinct-l:4@illness&income'
    """
    return "+".join(map(_word, constraints)) or "none"


WORDED_COLUMNS = Worded(read_columns, write_columns)
WORDED_NAMES = Worded(read_names, write_names)
WORDED_CONSTRAINTS = Worded(read_constraints, write_constraints)


def _constraint(word: str) -> Constraint:
    form, _, about = word.partition("@")
    name, *values = form.split(":")
    of: Sensitive = tuple(about.split("&")) if about not in ("", "each", "jointly") else about or "each"
    try:
        match name, values:
            case "distinct-l", [l]:
                return DistinctL(int(l), of)
            case "entropy-l", [l]:
                return EntropyL(float(l), of)
            case "recursive-l", [c, l]:
                return RecursiveL(float(c), int(l), of)
            case "t-closeness", [t]:
                return TCloseness(float(t), "equal", of)
            case "t-closeness", [t, ("equal" | "ordered") as distance]:
                return TCloseness(float(t), "ordered" if distance == "ordered" else "equal", of)
    except ValueError as error:
        message = f"constraint {word!r} holds no number where one should be; write one of {FORMS}"
        raise ParameterError(message) from error
    message = f"constraint {word!r} is not known; write one of {FORMS}"
    raise ParameterError(message)


def _word(constraint: Constraint) -> str:
    match constraint:
        case DistinctL(l):
            word = f"distinct-l:{l}"
        case EntropyL(l):
            word = f"entropy-l:{l:g}"
        case RecursiveL(c, l):
            word = f"recursive-l:{c:g}:{l}"
        case TCloseness(t, distance):
            word = f"t-closeness:{t:g}{':ordered' if distance == 'ordered' else ''}"
    of = constraint.sensitive
    if of == "each":
        return word
    return f"{word}@{of if isinstance(of, str) else '&'.join(of)}"


def _plain(names: Iterable[str]) -> bool:
    return all(_PLAIN.fullmatch(name) for name in names)
