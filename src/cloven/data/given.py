"""What callers hand over, looked at once: the wrong thing is told at the door, not from deep inside."""

from __future__ import annotations

from numbers import Integral
from os import PathLike
from typing import Any

from cloven.data.table import Table
from cloven.data.transactions import Transactions
from cloven.errors import ParameterError

SETS = "make them with read(file), from_frame(frame) or Transactions.from_records(lists)"
TABLE = "make one with read_table(file or frame, schema)"


def expect_sets(data: Any, who: str) -> None:
    """Raise unless these are sets of items.

    >>> expect_sets([["flu"]], "describe")
    Traceback (most recent call last):
    ...
    cloven.errors.ParameterError: describe takes sets of items (Transactions), got list; make them with read(file), ...
    """
    methods = getattr(data, "methods", None)
    if methods != Transactions.methods:
        hint = SETS if methods is None else "take a method for tables, such as Mondrian"
        message = f"{who} takes sets of items (Transactions), got {type(data).__name__}; {hint}"
        raise ParameterError(message)


def expect_table(data: Any, who: str) -> None:
    """Raise unless this is a table of persons."""
    methods = getattr(data, "methods", None)
    if methods != Table.methods:
        hint = TABLE if methods is None else "take a method for sets, such as Disassociation"
        message = f"{who} takes a table of persons (Table), got {type(data).__name__}; {hint}"
        raise ParameterError(message)


def expect_method(method: Any) -> None:
    """Raise unless an audit is given a method."""
    if isinstance(method, type):
        message = (
            f"an audit takes a method, got the class {method.__name__}; make one: {method.__name__}(...)"
        )
        raise ParameterError(message)
    if not hasattr(method, "anonymise"):
        message = (
            f"an audit takes a method, got {type(method).__name__}; the data go to run:"
            " Audit(Disassociation(k=5)).run(data)"
        )
        raise ParameterError(message)


def expect_path(path: Any, who: str) -> None:
    """Raise unless this names a file.

    >>> expect_path(3, "read")
    Traceback (most recent call last):
    ...
    cloven.errors.ParameterError: read takes the path of a file, got int; name one, such as 'data.csv'
    """
    if not isinstance(path, str | PathLike):
        frame = hasattr(path, "columns") or hasattr(path, "column_names")
        hint = "hand a frame to from_frame(frame)" if frame else "name one, such as 'data.csv'"
        message = f"{who} takes the path of a file, got {type(path).__name__}; {hint}"
        raise ParameterError(message)


def expect_whole(name: str, value: Any, most: int | None = None) -> None:
    """Raise unless a value is a whole number from 1 to the most that is sensible.

    >>> expect_whole("many", -1)
    Traceback (most recent call last):
    ...
    cloven.errors.ParameterError: many must be a whole number of at least 1, got -1
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < 1 or (most is not None and value > most):
        bounds = "of at least 1" if most is None else f"from 1 to {most:,}"
        message = f"{name} must be a whole number {bounds}, got {value!r}"
        raise ParameterError(message)


def expect_kind(value: Any, kind: type, what: str) -> None:
    """Raise unless a value is of a class."""
    if not isinstance(value, kind):
        message = f"{what} must be of the class {kind.__name__}, got {type(value).__name__}"
        raise ParameterError(message)
