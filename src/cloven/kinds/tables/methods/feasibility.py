"""Whether slicing can keep its promise for a table at all; if not, what would work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.tables.methods.constraints import (
    DistinctL,
    EntropyL,
    RecursiveL,
    harm_of,
    sensitive_codes,
    sensitive_groups,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.data.table import Table
    from cloven.kinds.tables.methods.coding import Coded
    from cloven.kinds.tables.methods.columns import Columns, Together
    from cloven.kinds.tables.methods.constraints import Constraint


MOST_MEMORY = 4 << 30
"""Bytes that the sums of the matching check may take."""


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


def check_roles(table: Table) -> None:
    """A table to slice needs attributes of both roles, and no value may be missing."""
    from cloven.kinds.tables.methods.assembly import check_complete

    for found, words in (
        (table.names("quasi-identifier"), "a quasi-identifier"),
        (table.names("sensitive"), "sensitive"),
    ):
        if not found:
            message = f"no attribute is {words}; give at least one that role in the schema"
            raise ParameterError(message)
    check_counts_rows(table)
    check_complete(table)


def check_feasible(table: Table, columns: Columns, data: Coded, k: int, l: int, together: Together) -> None:
    """The whole table as one bucket must have k rows and be l-diverse: splitting starts from there."""
    check_rows(table, k)
    for number, column in enumerate(data.sensitive_column.tolist()):
        values = data.sensitive[:, number] - data.value_offsets[number]
        part = data.part_of_signature[data.signature_of_row, column]
        beside = data.beside[part]
        held = np.zeros((int(beside.max()) + 1, int(values.max()) + 1), np.int64)
        np.add.at(held, (beside, values), 1)
        worst, value = np.unravel_index(
            (held / np.maximum(held.sum(axis=1), 1)[:, None]).argmax(), held.shape
        )
        total, most = int(held[worst].sum()), int(held[worst, value])
        if most * l > total:
            row = int(np.flatnonzero((beside == worst) & (values == value))[0])
            raise _too_common(table, columns.all[column], number, row, most, total, l, together)


def _too_common(
    table: Table,
    column: tuple[int, ...],
    number: int,
    row: int,
    most: int,
    total: int,
    l: int,
    together: Together,
) -> ParameterError:
    secret = table.positions("sensitive")
    places = secret if together == "jointly" else (secret[number],)
    shown = table.row(row)
    name = " and ".join(table.attributes[place].name for place in places)
    value = ", ".join(repr(shown[place]) for place in places)
    beside = [place for place in column if place not in secret]
    where = ", ".join(f"{table.attributes[place].name} = {shown[place]!r}" for place in beside)
    some = f" of the {total:,} rows with {where}" if beside else f" of {total:,} rows"
    who = f"{most:,}{some} {'has' if most == 1 else 'have'}"
    if total == 1:
        who = f"the only row{f' with {where}' if beside else ''} has"
    reachable = total // most
    wanted = [f"l of at most {reachable}"] if reachable >= 2 else []
    if beside:
        wanted.append("nothing beside the sensitive attribute (companions = 0)")
    remedy = " or ".join(wanted) or "another sensitive attribute, or more varied data"
    return ParameterError(f"l = {l} cannot be met: {who} {name} = {value}; choose {remedy}")


def check_memory(data: Coded, *, matching: bool) -> None:
    """The matching check keeps two sums for every person and sensitive value."""
    values = int(data.value_offsets[-1])
    wanted = 16 * len(data.part_of_signature) * values if matching else 0
    wanted += 8 * (int(data.beside.max()) + 1) * values
    if wanted > MOST_MEMORY:
        remedy = "check = 'bucket'" if matching else "companions = 0"
        message = (
            f"{values:,} sensitive values for {len(data.part_of_signature):,} distinct persons need"
            f" {wanted / 2**30:,.1f} GB; take {remedy}, or coarser sensitive values"
        )
        raise ParameterError(message)


# Whether a promise can be kept at all: the whole table as one class is the most that any method can hide in.


def check_reachable(table: Table, k: int, constraints: Sequence[Constraint] = ()) -> None:
    """Refuse what not even one class of all rows keeps to, and say what would work."""
    if not table.positions("quasi-identifier"):
        message = 'no column is a quasi-identifier; give a role "quasi-identifier" to what others may know'
        raise ParameterError(message)
    check_rows(table, k)
    for constraint in constraints:
        for group in sensitive_groups(constraint, table):
            counts = np.bincount(sensitive_codes(table, group))
            fault = _fault(constraint, np.sort(counts)[::-1], _kinds(constraint, table, group))
            if fault:
                names = ", ".join(table.attributes[position].name for position in group)
                message = f"sensitive column {names!r} {fault}"
                raise ParameterError(message)


def check_rows(table: Table, k: int) -> None:
    """Refuse a k above the number of rows, or of persons where somebody has several rows."""
    people, noun = table.people, "persons" if table.several_each else "rows"
    if people < k:
        remedy = f"choose k of at most {people:,}" if people > 1 else "nobody can be hidden among so few"
        message = f"k = {k} needs at least {k} {noun}, got {people:,}; {remedy}"
        raise ParameterError(message)


def _kinds(constraint: Constraint, table: Table, group: tuple[int, ...]) -> int | None:
    """How many values there are that are not as good as one; None where a single number cannot say it."""
    harm = harm_of(constraint, table, group)
    attribute = table.attributes[group[0]]
    if not harm.within or attribute.numbers is None:
        return None
    found, same = 0, -np.inf
    for number in attribute.numbers[np.unique(table.codes[:, group[0]])].tolist():
        if number > same:
            found, same = found + 1, float(harm.upto(np.array([number]))[0])
    return found


def _fault(constraint: Constraint, counts: NDArray[np.int64], kinds: int | None) -> str | None:
    """Why the whole table (counts descending) does not keep to a constraint, and what it would keep to."""
    if isinstance(constraint, DistinctL):
        return _too_few(len(counts) if kinds is None else kinds, constraint.l)
    if isinstance(constraint, EntropyL):
        return _too_uneven(counts, constraint.l)
    if isinstance(constraint, RecursiveL):
        return _too_few(len(counts), constraint.l) or _too_frequent(counts, constraint.c, constraint.l)
    return None


def _too_few(values: int, l: int) -> str | None:
    if values >= l:
        return None
    possible = f"choose l up to {values}" if values > 1 else "it hides nothing, so leave l out"
    return f"has {values} different value{'s' * (values > 1)}, l = {l} needs {l}; {possible}"


def _too_uneven(counts: NDArray[np.int64], l: float) -> str | None:
    shares = counts / counts.sum()
    most = float(np.exp(-(shares * np.log(shares)).sum()))
    if most >= l - 1e-9:
        return None
    possible = f"choose l up to {most - 0.005:.2f}"
    return f"is as varied as {most:.2f} equally frequent values, l = {l:g} needs more; {possible}"


def _too_frequent(counts: NDArray[np.int64], c: float, l: int) -> str | None:
    most, tail = int(counts[0]), int(counts[l - 1 :].sum())
    if most < c * tail:
        return None
    return (
        f"has its most frequent value {most:,} times, and {tail:,} rows with the values from rank {l} on;"
        f" choose c above {most / tail:.3g}, or a smaller l"
    )
