"""Whether a promise can be kept at all: the whole table as one class is the most that any method can hide in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.anonymise.slicing.constraints import (
    DistinctL,
    EntropyL,
    RecursiveL,
    harm_of,
    sensitive_codes,
    sensitive_groups,
)
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.anonymise.slicing.constraints import Constraint
    from cloven.model.table import Table


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
