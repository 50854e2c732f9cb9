"""Checks of the parameters of methods for tables; each message says what was wrong, what was got and what would do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from cloven.errors import ParameterError
from cloven.protocols import Whole

if TYPE_CHECKING:
    from cloven.data.table import Table

SEED = "Draw the same lots again (experiments); marks the release."
ROWS_ALIKE = "Rows that look alike, at least."
_LARGEST = float(np.finfo(np.float64).max)


def check_whole(name: str, value: object, least: int, why: str) -> int:
    """A whole number of at least ``least``, as a plain one."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        message = f"{name} must be a whole number of at least {least} ({why}), got {value!r}"
        raise ParameterError(message)
    return int(value)


def check_k(k: object) -> int:
    """Rows that look alike, at least."""
    return check_whole("k", k, 2, "with k = 1 nobody is protected")


def possible_k(table: Table) -> Whole:
    """Values of k that a search tries: each class may have up to a twentieth of the rows."""
    return Whole(2, max(2, min(100, len(table) // 20)))


def check_seed(seed: object) -> None:
    """A number that starts a random generator; None draws lots that nobody can draw again."""
    if seed is not None:
        check_whole("seed", seed, 0, "it starts a random generator")


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def check_share(name: str, value: object, most: float, why: str) -> float:
    """A number above 0 and at most ``most``."""
    if not _is_number(value) or not 0 < value <= most:
        message = f"{name} must be a number above 0 and at most {most:g} ({why}), got {value!r}"
        raise ParameterError(message)
    return float(value)


def check_within(name: str, value: object, least: float, most: float, why: str) -> float:
    """A finite number from ``least`` to ``most``."""
    if not _is_number(value) or not least <= value <= min(most, _LARGEST):
        upper = "" if most == np.inf else f" and at most {most:g}"
        message = f"{name} must be a number of at least {least:g}{upper} ({why}), got {value!r}"
        raise ParameterError(message)
    return float(value)


def check_choice(name: str, value: object, allowed: tuple[str | None, ...]) -> None:
    """One of some words; None leaves it open."""
    if value not in allowed:
        message = f"{name} must be one of {', '.join(filter(None, allowed))}, got {value!r}"
        raise ParameterError(message)


def check_names(name: str, value: object) -> tuple[str, ...]:
    """Names from any collection of texts; one text is no collection."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        message = f"{name} must be a collection of names of attributes, got {value!r}"
        raise ParameterError(message)
    names = tuple(value)
    if not all(isinstance(found, str) for found in names):
        message = f"{name} must hold names of attributes, got {names!r}"
        raise ParameterError(message)
    return names


def plain_columns(value: object) -> int | tuple[tuple[str, ...], ...] | None:
    """Number of columns, or the columns as names, or None."""
    if value is None:
        return None
    if isinstance(value, Iterable) and not isinstance(value, str):
        return tuple(check_names("a column", column) for column in value)
    return check_whole("columns", value, 1, "or None, or the columns themselves as names")


def check_counts_rows(table: Table, *, values: bool = True) -> None:
    """Refuse what a method cannot count that counts rows, and (``values``) each sensitive value for itself."""
    if table.several_each:
        message = (
            f"{len(table):,} rows are of {table.people:,} persons, and this method counts rows, not persons; take"
            " mondrian, or one row of each person"
        )
        raise ParameterError(message)
    near = [
        table.attributes[place].name
        for place in table.positions("sensitive")
        if table.attributes[place].harm.within
    ]
    if near and values:
        message = (
            f"numbers of {near[0]!r} that lie near to each other are one value, and this method counts each for"
            " itself; take mondrian, or leave within out of the schema"
        )
        raise ParameterError(message)


def check_rows(table: Table, k: int) -> None:
    """Refuse a k above the number of rows, or of persons where somebody has several rows."""
    people, noun = table.people, "persons" if table.several_each else "rows"
    if people < k:
        remedy = f"choose k of at most {people:,}" if people > 1 else "nobody can be hidden among so few"
        message = f"k = {k} needs at least {k} {noun}, got {people:,}; {remedy}"
        raise ParameterError(message)


def one_sensitive(table: Table, method: str) -> int:
    """Position of the only sensitive attribute, for methods that handle one."""
    check_counts_rows(table)
    found = table.positions("sensitive")
    if len(found) == 1:
        return found[0]
    names = ", ".join(table.names("sensitive"))
    what = (
        f"the table has {len(found)}: {names}; change the roles, or use slicing"
        if found
        else "the table has none; give one that role in the schema"
    )
    message = f"{method} needs exactly one sensitive attribute, {what}"
    raise ParameterError(message)
