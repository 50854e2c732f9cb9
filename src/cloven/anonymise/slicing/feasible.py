"""Whether slicing can keep its promise for a table at all; if not, what would work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.anonymise.slicing.reachable import check_rows
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from cloven.anonymise.slicing.coding import Coded
    from cloven.anonymise.slicing.columns import Columns, Together
    from cloven.model.table import Table

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
    from cloven.anonymise.slicing.assembling import check_complete

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
