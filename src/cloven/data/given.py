"""What callers hand over, looked at once: the wrong thing is told at the door, not from deep inside."""

from __future__ import annotations

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
    if not hasattr(method, "anonymise"):
        message = (
            f"an audit takes a method, got {type(method).__name__}; the data go to run:"
            " Audit(Disassociation(k=5)).run(data)"
        )
        raise ParameterError(message)


def expect_kind(value: Any, kind: type, what: str) -> None:
    """Raise unless a value is of a class."""
    if not isinstance(value, kind):
        message = f"{what} must be a {kind.__name__}, got {type(value).__name__}"
        raise ParameterError(message)
