"""What a column of a schema says about the values that are possible: checks, and the numbers it means."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

from cloven.errors import ParameterError
from cloven.model.harm import Harm
from cloven.model.number_blocks import Possible, default_step

if TYPE_CHECKING:
    from cloven.model.schema import Column, Kind

NUMBERS = ("range", "step", "cuts", "round")


def checked(column: Column) -> dict[str, Any]:
    """Settings of a column about its domain as plain values, with the kind that they mean."""
    found: dict[str, Any] = {
        name: None if getattr(column, name) is None else _numbers(column, name) for name in ("range", "cuts")
    }
    found |= {name: _positive(column, name) for name in ("step", "round")}
    numeric = [name for name in NUMBERS if getattr(column, name) is not None]
    _agree(column, numeric)
    if column.values is not None:
        found["values"] = _texts(column)
    found |= _harm(column)
    kind: Kind | None = "number" if numeric else "category" if column.values is not None else column.kind
    return found | {"kind": kind}


def _harm(column: Column) -> dict[str, Any]:
    """Settings about what harms; they are for sensitive values, nearness for numbers."""
    for name in ("harmless", "within"):
        if getattr(column, name) is not None and column.role != "sensitive":
            _refuse(column, f"{name} is for sensitive values, and its role is {column.role}; leave it out")
    if column.within is not None and (column.kind == "category" or column.values is not None):
        _refuse(
            column, "within is for numbers, and it holds categories; leave it out, or give kind = 'number'"
        )
    try:
        Harm.of(within=column.within)
    except ParameterError as error:
        _refuse(column, str(error))
    return {} if column.harmless is None else {"harmless": _texts(column, "harmless")}


def possible(column: Column) -> Possible | None:
    """The numbers that are possible, if the column says it; its settings are checked ones."""
    if column.cuts is None and column.range is None:
        return None
    given = [*(column.cuts or column.range or ()), *([] if column.round is None else [column.round])]
    step = column.step or default_step(given)
    if step is None:
        _refuse(
            column, f"numbers such as {next(n for n in given if n % 1):g} need a step, such as step = 0.1"
        )
    if column.range is not None:
        try:
            return Possible.between(column.range[0], column.range[1], step, column.round)
        except ParameterError as error:
            _refuse(column, str(error))
    cuts = column.cuts or ()
    return Possible(cuts[:-1], cuts[-1], step)


def _agree(column: Column, numeric: list[str]) -> None:
    """Refuse settings that say two things."""
    tree = column.tree is not None and column.tree != "ranges"
    if numeric and (column.kind == "category" or column.values is not None):
        _refuse(column, f"{numeric[0]} is for numbers, and it holds categories; give values alone")
    if column.values is not None and column.kind == "number":
        _refuse(column, "values is for categories; of numbers give range and step, or a tree")
    for name in (*numeric, *(["values"] if column.values is not None else [])):
        if tree:
            _refuse(column, f"its tree lists all values, so {name} says nothing; leave one of them out")
    if column.cuts is not None and (column.range is not None or column.round is not None):
        _refuse(column, "cuts says where ranges may end, and so do range and round; leave one out")
    if column.step is not None and numeric == ["step"]:
        _refuse(column, "step goes with range, cuts or round; give one of them too")
    if column.outside == "clamp" and column.range is None and column.cuts is None:
        _refuse(column, "outside = 'clamp' goes with range or cuts; give one of them too")


def _numbers(column: Column, name: str) -> tuple[float, ...]:
    value = getattr(column, name)
    wanted = "two numbers, [lowest, highest]" if name == "range" else "two or more ascending numbers"
    plain = isinstance(value, list | tuple) and all(map(_is_number, value))
    ascending = plain and all(a < b for a, b in pairwise(value))
    if not ascending or len(value) < 2 or (name == "range" and len(value) != 2):
        _refuse(column, f"{name} must be {wanted}, got {value!r}")
    return tuple(float(number) for number in value)


def _positive(column: Column, name: str) -> float | None:
    value = getattr(column, name)
    if value is not None and (not _is_number(value) or value <= 0):
        _refuse(column, f"{name} must be a number above 0, got {value!r}")
    return None if value is None else float(value)


def _texts(column: Column, name: str = "values") -> tuple[str, ...]:
    values = getattr(column, name)
    good = isinstance(values, list | tuple) and values and all(isinstance(v, str | int) for v in values)
    if not good or len({str(value) for value in values or ()}) < len(values or ()):
        _refuse(column, f"{name} must be a list of different texts, got {values!r}")
    return tuple(str(value) for value in values or ())


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2.0**53


def _refuse(column: Column, why: str) -> NoReturn:
    message = f"column {column.name!r}: {why}"
    raise ParameterError(message)
