"""What a class of rows must keep to besides its size, so that sensitive values stay hidden.

- ``DistinctL``, ``EntropyL``, ``RecursiveL``: l-diversity (Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, ICDE
  2006).
- ``TCloseness``: values inside a class are spread as in the whole table (Li, Li, Venkatasubramanian, ICDE 2007).

``sensitive`` says of what: ``"each"`` sensitive attribute for itself, all ``"jointly"`` (their combinations are the
values), or the names of some, jointly.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from cloven.compiled import Flags, Floats, Ints, Longs, compiled
from cloven.data.table import Harm
from cloven.errors import ParameterError
from cloven.kinds.tables.methods.parameters import check_rows, check_share, check_whole, check_within
from cloven.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from cloven.data.table import Table


Sensitive = str | tuple[str, ...]
_WEAK = "below that every class keeps to it"


@dataclass(frozen=True)
class DistinctL:
    """At least ``l`` different sensitive values in every class."""

    l: int
    sensitive: Sensitive = "each"

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", check_whole("l", self.l, 2, _WEAK))

    @property
    def coded(self) -> tuple[int, float, float]:
        """Kind, level and factor, as the kernels read them."""
        return DISTINCT, float(self.l), 0.0

    @property
    def parameters(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"demand": "distinct-l", "l": self.l}


@dataclass(frozen=True)
class EntropyL:
    """The entropy of the sensitive values of every class is at least that of ``l`` equally frequent ones."""

    l: float
    sensitive: Sensitive = "each"

    def __post_init__(self) -> None:
        check_within("l", self.l, 1, np.inf, _WEAK)

    @property
    def coded(self) -> tuple[int, float, float]:
        """Kind, level and factor, as the kernels read them."""
        return ENTROPY, float(math.log(self.l)), 0.0

    @property
    def parameters(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"demand": "entropy-l", "l": self.l}


@dataclass(frozen=True)
class RecursiveL:
    """The most frequent value stands fewer than ``c`` times as often as those from the ``l``-th on, together."""

    c: float
    l: int
    sensitive: Sensitive = "each"

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", check_whole("l", self.l, 2, _WEAK))
        check_share("c", self.c, 1e6, "1 to 4 is usual")

    @property
    def coded(self) -> tuple[int, float, float]:
        """Kind, level and factor, as the kernels read them."""
        return RECURSIVE, float(self.l), float(self.c)

    @property
    def parameters(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"demand": "recursive-l", "c": self.c, "l": self.l}


@dataclass(frozen=True)
class TCloseness:
    """The spread of sensitive values of every class is within ``t`` of the table's, as earth mover's distance.

    ``distance`` between two values: ``"equal"`` (1 between any two) or ``"ordered"`` (by rank in the domain).
    """

    t: float
    distance: Literal["equal", "ordered"] = "equal"
    sensitive: Sensitive = "each"

    def __post_init__(self) -> None:
        check_within("t", self.t, 0, 1, "0 is spread as in the whole table")
        if self.distance not in ("equal", "ordered"):
            message = f"distance must be 'equal' or 'ordered', got {self.distance!r}"
            raise ParameterError(message)

    @property
    def coded(self) -> tuple[int, float, float]:
        """Kind, level and factor, as the kernels read them."""
        return (EQUAL if self.distance == "equal" else ORDERED), float(self.t), 0.0

    @property
    def parameters(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"demand": "t-closeness", "t": self.t, "distance": self.distance}


Constraint = DistinctL | EntropyL | RecursiveL | TCloseness


def described(constraint: Constraint, table: Table) -> list[dict[str, Any]]:
    """A constraint as plain JSON values, once for each group of attributes that it speaks of."""
    return [
        {
            **constraint.parameters,
            "attributes": [table.attributes[position].name for position in group],
            **harm_of(constraint, table, group).parameters,
        }
        for group in sensitive_groups(constraint, table)
    ]


def harm_of(constraint: Constraint, table: Table, group: tuple[int, ...]) -> Harm:
    """What of a group of attributes harms; combinations, and spreads of values, know no harmless ones.

    Raises:
        ParameterError: numbers that lie near to each other are to be one value, and the constraint cannot count so.
    """
    each = [table.attributes[position].harm for position in group]
    if isinstance(constraint, DistinctL) and len(group) == 1:
        return each[0]
    if any(harm.within for harm in each):
        what = constraint.parameters["demand"] if len(group) == 1 else "a combination of attributes"
        message = f"{what} cannot count numbers within a distance as one value; take l, of each attribute"
        raise ParameterError(message)
    return Harm()


def sensitive_groups(constraint: Constraint, table: Table) -> list[tuple[int, ...]]:
    """Positions of the sensitive attributes that a constraint speaks of, in groups that are taken jointly."""
    there = table.positions("sensitive")
    if not there:
        demand = constraint.parameters["demand"]
        message = f"{demand} needs a sensitive attribute, and the schema names none; give one that role, or do without"
        raise ParameterError(message)
    if constraint.sensitive == "each":
        return [(position,) for position in there]
    if constraint.sensitive == "jointly":
        groups = [there]
    else:
        names = (constraint.sensitive,) if isinstance(constraint.sensitive, str) else constraint.sensitive
        place = {table.attributes[position].name: position for position in there}
        for name in names:
            if name not in place:
                message = f"{name!r} is no sensitive attribute; those are {', '.join(map(repr, place))}"
                raise ParameterError(message)
        groups = [tuple(sorted(place[name] for name in names))]
    if len(groups[0]) > 1 and isinstance(constraint, TCloseness) and constraint.distance == "ordered":
        message = (
            "combinations of several attributes have no order; choose distance='equal' or sensitive='each'"
        )
        raise ParameterError(message)
    return groups


def sensitive_codes(table: Table, group: tuple[int, ...]) -> NDArray[np.int32]:
    """One number per row for the values of a group of attributes; numbers keep the order of the domain."""
    codes: Longs = np.zeros(len(table), np.int64)
    for position in group:
        # Made dense after each attribute, so that the products stay small.
        raw = codes * len(table.attributes[position]) + table.codes[:, position]
        codes = np.unique(raw, return_inverse=True)[1]
    return codes.astype(np.int32)


# Compiled checks of constraints on the counts of sensitive values, kept up to date row by row.


DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED = 0, 1, 2, 3, 4
"""Kinds of constraints."""
SLACK = 1e-9
"""How far sums of floating point numbers may miss a threshold that they meet exactly on paper."""


class Demands(NamedTuple):
    """Constraints in a form that compiled code reads.

    Attributes:
        kind: which of the five each is.
        level: l, log l or t.
        factor: c.
        start: where the sensitive values of each constraint start among those of all, and where the last ends.
        codes: rows x constraints: the sensitive value, counted from ``start``.
        shares: share of each sensitive value in the whole table.
        number: the number behind each sensitive value, or its place; ascending inside a constraint.
        upto: the largest number that counts as the same value.
        harmful: whether each sensitive value harms.
        near: of each constraint, whether some values count as the same.
    """

    kind: Longs
    level: Floats
    factor: Floats
    start: Longs
    codes: NDArray[np.int32]
    shares: Floats
    number: Floats
    upto: Floats
    harmful: Flags
    near: Flags


@compiled
def all_met(demands: Demands, counts: Ints, values: Ints, ends: Ints, size: int) -> bool:
    """Whether counts of sensitive values keep to every constraint.

    ``values[ends[d]:ends[d + 1]]`` lists the values of constraint d that can have a count above 0, ascending where
    some count as the same.
    """
    for number in range(len(demands.kind)):
        if not _met(demands, number, counts, values[ends[number] : ends[number + 1]], size):
            return False
    return True


@compiled
def _met(demands: Demands, number: int, counts: Ints, values: Ints, size: int) -> bool:
    kind, level = demands.kind[number], demands.level[number]
    if kind == DISTINCT:
        return _distinct(demands, number, counts, values)
    if kind == ENTROPY:
        return bool(_entropy(counts, values, size) >= level - SLACK)
    if kind == RECURSIVE:
        return _recursive(counts, values, size, level, demands.factor[number])
    if kind == EQUAL:
        return bool(_equal_distance(counts, values, size, demands.shares) <= level + SLACK)
    first, last = demands.start[number], demands.start[number + 1]
    return bool(_ordered_distance(counts[first:last], size, demands.shares[first:last]) <= level + SLACK)


@compiled
def _distinct(demands: Demands, constraint: int, counts: Ints, values: Ints) -> bool:
    """Enough values that are all different from each other; nobody has to be hidden whose value does no harm."""
    found, same, harms, near = 0, -np.inf, False, demands.near[constraint]
    for value in values:
        if counts[value] == 0:
            continue
        harms = harms or demands.harmful[value]
        # From the smallest on, each value that is not the same as the last one taken: nothing gets more of them.
        if not near or demands.number[value] > same:
            found += 1
            same = demands.upto[value]
        if found >= demands.level[constraint]:
            return True
    return not harms


@compiled
def _entropy(counts: Ints, values: Ints, size: int) -> float:
    total = 0.0
    for value in values:
        if counts[value] > 0:
            total += counts[value] * math.log(counts[value])
    return float(math.log(size) - total / size)


@compiled
def _recursive(counts: Ints, values: Ints, size: int, level: float, factor: float) -> bool:
    """r1 < c (r_l + ... + r_m): the tail is all but the l - 1 largest counts."""
    ordered = np.sort(counts[values])
    tail, least = size, len(ordered) - (int(level) - 1)
    for position in range(max(0, least), len(ordered)):
        tail -= ordered[position]
    return bool(ordered[-1] < factor * tail)


@compiled
def _equal_distance(counts: Ints, values: Ints, size: int, shares: Floats) -> float:
    """What has to move is what a class has too much of; of all other values it has too little."""
    moved = 0.0
    for value in values:
        moved += max(0.0, counts[value] / size - shares[value])
    return moved


@compiled
def _ordered_distance(counts: Ints, size: int, shares: Floats) -> float:
    if len(counts) < 2:
        return 0.0
    carried, moved = 0.0, 0.0
    for value in range(len(counts)):
        carried += counts[value] / size - shares[value]
        moved += abs(carried)
    return moved / (len(counts) - 1)


# Parameters that are more than a word, written as one: what a setting such as ``ul:columns=age+sex/work`` says.
#
# ``settings`` looks for ``WORDED`` in a method. Names stand between ``+``, columns between ``/``; names with other
# signs than letters, digits, ``_``, ``-`` and ``.`` cannot be written this way, and are counted instead.


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
    if text.lower() == "none":
        return None
    if re.fullmatch("-?[0-9]{1,9}", text):
        return int(text)
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
COLUMNS = Value(object, "N|NAMES", read_columns)
ABOUT_COLUMNS = (
    "Columns: how many for the quasi-identifiers, or which: age+sex/work/illness; default: two in each."
)
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


def _fault(constraint: Constraint, counts: Longs, kinds: int | None) -> str | None:
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


def _too_uneven(counts: Longs, l: float) -> str | None:
    shares = counts / counts.sum()
    most = float(np.exp(-(shares * np.log(shares)).sum()))
    if most >= l - 1e-9:
        return None
    possible = f"choose l up to {most - 0.005:.2f}"
    return f"is as varied as {most:.2f} equally frequent values, l = {l:g} needs more; {possible}"


def _too_frequent(counts: Longs, c: float, l: int) -> str | None:
    most, tail = int(counts[0]), int(counts[l - 1 :].sum())
    if most < c * tail:
        return None
    return (
        f"has its most frequent value {most:,} times, and {tail:,} rows with the values from rank {l} on;"
        f" choose c above {most / tail:.3g}, or a smaller l"
    )
