"""What each column of a table is: its role, its kind, how it is generalised, and what to do where it has no value."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NoReturn, get_args

import numpy as np

from cloven.data.table import Harm, Role
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray


Kind = Literal["number", "category", "date", "code"]
Missing = Literal["refuse", "drop", "keep"]
Outside = Literal["refuse", "clamp"]
PRECISIONS = ("day", "month", "quarter", "year", "decade")
"""How finely dates are read."""
YEARS = (1, 9999)
"""First and last year that a date can have."""


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        name: its name.
        role: ``quasi-identifier``, ``sensitive``, ``person`` (who a row is about, where somebody has several; never
            published) or ``ignored``.
        kind: ``number``, ``category``, ``date`` or ``code`` (postcodes, ICD: beginnings are groups); None looks at the
            values, and takes dates and codes for categories.
        tree: how values are generalised: a hierarchy file (a row for each value, leaf first, ``;``), nested
            dictionaries, or ``"ranges"`` for ranges of numbers. None is ranges for numbers, sets for categories.
        missing: where there is no value: ``refuse`` the table, ``drop`` the row, or ``keep`` it as a value of its own
            (categories only). None is the schema's.
        range: lowest and highest number that is possible, whatever the rows hold.
        step: how far two possible numbers lie apart; 1 if the others are whole numbers.
        cuts: the numbers at which ranges may begin, from the lowest that is possible, and the highest; for ``range``.
        round: ranges begin at multiples of this, so that their ends are nobody's numbers.
        values: the categories that are possible, whatever the rows hold.
        outside: a number that is not possible: ``refuse`` the table, or ``clamp`` it to the nearest one that is.
        harmless: sensitive values that everybody may know of somebody.
        precision: of a date ``day``, ``month``, ``quarter``, ``year`` (if None) or ``decade``; of a code the number of
            characters that are read, all if None. What is finer is not read, so that nobody can publish it.
        order: of dates with day and month in front, ``dmy`` or ``mdy``; None looks at the values.
        within: sensitive numbers that lie so near to each other are one value: a number, or a share such as ``"5 %"``.
    """

    name: str
    role: Role
    kind: Kind | None = None
    tree: str | Path | Mapping[str, Any] | None = None
    missing: Missing | None = None
    range: tuple[float, float] | None = None
    step: float | None = None
    cuts: tuple[float, ...] | None = None
    round: float | None = None
    values: tuple[str, ...] | None = None
    outside: Outside = "refuse"
    harmless: tuple[str, ...] | None = None
    within: float | str | None = None
    precision: str | int | None = None
    order: Literal["dmy", "mdy"] | None = None

    def __post_init__(self) -> None:
        _choice(f"the role of column {self.name!r}", self.role, get_args(Role))
        _choice(f"the kind of column {self.name!r}", self.kind, (*get_args(Kind), None))
        _choice(f"missing of column {self.name!r}", self.missing, (*get_args(Missing), None))
        _choice(f"outside of column {self.name!r}", self.outside, get_args(Outside))
        _choice(f"the order of column {self.name!r}", self.order, ("dmy", "mdy", None))
        settings = (
            "kind",
            "tree",
            "missing",
            "range",
            "step",
            "cuts",
            "round",
            "values",
            "precision",
            "order",
        )
        for name in settings if self.role == "person" else ():
            if getattr(self, name) is not None:
                message = f"column {self.name!r}: {name} says nothing of who a row is about; leave it out"
                raise ParameterError(message)
        if self.tree == "ranges" and self.kind in ("category", "code"):
            message = (
                f"column {self.name!r}: ranges are for numbers; give kind = 'number', or a hierarchy file"
            )
            raise ParameterError(message)
        for name, value in checked(self).items():
            object.__setattr__(self, name, value)
        _ = self.possible  # what cannot be is refused here

    @property
    def possible(self) -> Possible | None:
        """The numbers that are possible, if that is said."""
        return possible(self)


@dataclass(frozen=True)
class Schema:
    """All columns that matter. Columns it does not name are ignored.

    Attributes:
        columns: the columns.
        missing: what to do where a column has no value, unless the column says otherwise.
        missing_values: texts that stand for no value.
        header: names of the columns of a text file that has no header line.
        delimiter: what separates the cells of a text file; None looks at the file.

    >>> schema = Schema.of(quasi_identifiers=["age", "sex"], sensitive=["illness"])
    >>> [(column.name, column.role) for column in schema.columns]
    [('age', 'quasi-identifier'), ('sex', 'quasi-identifier'), ('illness', 'sensitive')]
    """

    columns: tuple[Column, ...]
    missing: Missing = "refuse"
    missing_values: tuple[str, ...] = ("", "?")
    header: tuple[str, ...] | None = None
    delimiter: str | None = None

    def __post_init__(self) -> None:
        _choice("missing", self.missing, get_args(Missing))
        _check_texts(self.missing_values, self.delimiter)
        names = Counter(column.name for column in self.columns)
        twice = sorted(name for name, times in names.items() if times > 1)
        if twice:
            message = f"column {twice[0]!r} stands twice in the schema; name it once"
            raise ParameterError(message)
        persons = [column.name for column in self.columns if column.role == "person"]
        if len(persons) > 1:
            message = f"columns {persons[0]!r} and {persons[1]!r} both have the role person; give it to one"
            raise ParameterError(message)
        if "quasi-identifier" not in {column.role for column in self.columns}:
            message = 'no column has the role "quasi-identifier"; give it to what others may know of a person'
            raise ParameterError(message)

    @classmethod
    def of(
        cls,
        quasi_identifiers: list[str] | tuple[str, ...],
        sensitive: list[str] | tuple[str, ...] = (),
        *,
        trees: Mapping[str, str | Path | Mapping[str, Any]] | None = None,
        missing: Missing = "refuse",
    ) -> Schema:
        """A schema from lists of names, and trees by name."""
        known = dict(trees or {})
        columns = [Column(name, "quasi-identifier", tree=known.pop(name, None)) for name in quasi_identifiers]
        columns += [Column(name, "sensitive", tree=known.pop(name, None)) for name in sensitive]
        if known:
            message = f"a tree is given for {next(iter(known))!r}, which has no role; give it one"
            raise ParameterError(message)
        return cls(tuple(columns), missing)

    @property
    def used(self) -> tuple[Column, ...]:
        """Columns that are attributes of the table."""
        return tuple(column for column in self.columns if column.role not in ("ignored", "person"))

    @property
    def read(self) -> tuple[Column, ...]:
        """Columns that are read: the attributes, and who a row is about."""
        return tuple(column for column in self.columns if column.role != "ignored")

    @property
    def person(self) -> str | None:
        """The column that says who a row is about, if there is one."""
        return next((column.name for column in self.columns if column.role == "person"), None)


def _check_texts(missing_values: object, delimiter: object) -> None:
    if not isinstance(missing_values, tuple | list) or not all(
        isinstance(text, str) for text in missing_values
    ):
        message = f"missing_values must be texts in a list, got {missing_values!r}"
        raise ParameterError(message)
    one = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter not in '"\r\n'
    if delimiter is not None and not one:
        message = f"delimiter must be one character, such as ';' (no quote, no line break), got {delimiter!r}"
        raise ParameterError(message)


def _choice(what: str, value: object, possible: tuple[object, ...]) -> None:
    if value not in possible:
        named = ", ".join(repr(each) for each in possible if each is not None)
        message = f"{what} must be one of {named}, got {value!r}"
        raise ParameterError(message)


# What a column of a schema says about the values that are possible: checks, and the numbers it means.


NUMBERS = ("range", "step", "cuts", "round")


def checked(column: Column) -> dict[str, Any]:
    """Settings of a column about its domain as plain values, with the kind that they mean."""
    found: dict[str, Any] = {
        name: None if getattr(column, name) is None else _numbers(column, name) for name in ("range", "cuts")
    }
    found |= {name: _positive(column, name) for name in ("step", "round")}
    numeric = [name for name in NUMBERS if getattr(column, name) is not None]
    _agree(column, numeric)
    _agree_on_precision(column, numeric)
    if column.values is not None:
        found["values"] = _texts(column)
    found |= _harm(column)
    kind: Kind | None = (
        "number"
        if numeric and column.kind != "date"
        else "category"
        if column.values is not None
        else column.kind
    )
    return found | {"kind": kind}


def _harm(column: Column) -> dict[str, Any]:
    """Settings about what harms; they are for sensitive values, nearness for numbers."""
    for name in ("harmless", "within"):
        if getattr(column, name) is not None and column.role != "sensitive":
            _refuse(column, f"{name} is for sensitive values, and its role is {column.role}; leave it out")
    if column.within is not None and (column.kind in ("category", "code") or column.values is not None):
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
    if numeric and (column.kind in ("category", "code") or column.values is not None):
        _refuse(column, f"{numeric[0]} is for numbers, and it holds categories; give values alone")
    if column.values is not None and column.kind in ("number", "date"):
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


def _agree_on_precision(column: Column, numeric: list[str]) -> None:
    """Refuse what says nothing of dates and codes, and what only these have."""
    levels = column.kind in ("date", "code")
    for name in ("precision", "order"):
        if getattr(column, name) is not None and not (
            column.kind == "date" or (levels and name == "precision")
        ):
            _refuse(
                column,
                f"{name} is for dates{' and codes' * (name == 'precision')}; give kind too, or leave it out",
            )
    if not levels:
        return
    if column.tree is not None or column.values is not None:
        _refuse(
            column, f"the groups of a {column.kind} are known, so tree and values say nothing; leave them out"
        )
    if column.kind == "code" and not (column.precision is None or _is_count(column.precision)):
        _refuse(
            column,
            f"precision of a code is how many characters are read, such as 3, got {column.precision!r}",
        )
    if column.kind == "date":
        _choice(f"the precision of column {column.name!r}", column.precision, (*PRECISIONS, None))
    if numeric and (column.kind == "code" or column.precision not in (None, "year")):
        _refuse(
            column,
            f'{numeric[0]} is for numbers, and years are some; leave it out, or write precision = "year"',
        )
    for name in ("range", "cuts") if column.kind == "date" else ():
        _within_years(column, name)


def _within_years(column: Column, name: str) -> None:
    """Refuse years that no date has."""
    given = () if getattr(column, name) is None else _numbers(column, name)
    wrong = [year for year in given if not YEARS[0] <= year <= YEARS[1]]
    if wrong:
        _refuse(
            column,
            f"{name} of a date is of years from {YEARS[0]} to {YEARS[1]}, got {wrong[0]:.15g}; write years within that",
        )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


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


# Numbers that ranges never part, and which numbers are possible at all, as an owner states them.
#
# A range that ends at the smallest and largest number of its rows shows these two to the digit. Where an owner states
# *blocks*, ranges are runs of whole blocks, and their ends say nothing about anybody.


MOST_BLOCKS = 1_000_000
_NEAR = 1e-6
"""Share of a step by which a number may miss it: rounding of binary numbers, no more."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """Ascending blocks of numbers that do not touch.

    Attributes:
        lows: first number of each block.
        highs: last number of each block.
    """

    lows: NDArray[np.float64]
    highs: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.lows)

    @property
    def single(self) -> bool:
        """Whether every block is one number."""
        return bool((self.lows == self.highs).all())

    def of(self, numbers: NDArray[np.float64]) -> NDArray[np.int64]:
        """Block of each number."""
        return np.searchsorted(self.lows, numbers, "right").astype(np.int64) - 1


@dataclass(frozen=True)
class Possible:
    """The numbers that are possible: from the first start up to ``high`` in steps.

    Attributes:
        starts: first number of each block.
        high: the largest number, end of the last block.
        step: how far two possible numbers lie apart.

    >>> ages = Possible((0, 20, 65), 120).blocks
    >>> ages.lows.tolist(), ages.highs.tolist()
    ([0.0, 20.0, 65.0], [19.0, 64.0, 120.0])
    """

    starts: tuple[float, ...]
    high: float
    step: float = 1.0

    @classmethod
    def between(cls, low: float, high: float, step: float, round_to: float | None) -> Possible:
        """All numbers of a range; blocks begin at the multiples of a number, or at every step."""
        width = step if round_to is None else round_to
        count = (high - low) / width
        if count > MOST_BLOCKS:
            message = (
                f"range from {low:g} to {high:g} in steps of {width:g} is more than {MOST_BLOCKS:,} numbers; give a"
                " larger step, or round or cuts"
            )
            raise ParameterError(message)
        places = _decimals((low, step, width))
        top = float(np.round(low + step * np.floor((high - low) / step + _NEAR), places))
        if round_to is None:
            starts = low + step * np.arange(1, int(count + _NEAR) + 1)
        else:
            starts = round_to * (np.floor(low / round_to + _NEAR) + np.arange(1, int(count) + 2))
        starts = np.round(starts, places)
        # The end of the range belongs to the last block, unless every number is a block of its own.
        last = top if round_to is None else top - step * _NEAR
        inner = starts[(starts > low) & (starts <= last)]
        return cls((low, *inner.tolist()), top, step)

    @property
    def blocks(self) -> Blocks:
        """The blocks, one after the other."""
        lows = np.array(self.starts, np.float64)
        highs = np.round(lows[1:] - self.step, _decimals((self.starts[0], self.step)))
        return Blocks(lows, np.append(highs, self.high))

    def nearest(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """The possible number nearest to each."""
        low = self.starts[0]
        most = np.floor((self.high - low) / self.step + _NEAR)
        steps = np.clip(np.rint((numbers - low) / self.step), 0, most)
        return np.asarray(np.round(low + steps * self.step, _decimals((low, self.step))) + 0.0)

    def holds(self, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which numbers are possible."""
        near: NDArray[np.bool_] = np.abs(self.nearest(numbers) - numbers) <= _NEAR * self.step
        return near


def rounded_blocks(numbers: NDArray[np.float64], round_to: float, step: float | None) -> Blocks:
    """Blocks that begin at the multiples of a number, where there is somebody.

    Without a step, it is that of the last decimal of any of the numbers.

    >>> rounded_blocks(np.array([17.0, 23.0, 29.0, 41.0]), 10, None).highs.tolist()
    [19.0, 29.0, 49.0]
    """
    fine = 10.0 ** -_decimals(numbers.tolist()) if step is None else step
    lows = np.unique(np.floor(numbers / round_to + _NEAR * fine / round_to)) * round_to
    places = _decimals((round_to, fine))
    return Blocks(np.round(lows, places) + 0.0, np.round(lows + round_to - fine, places) + 0.0)


def number_text(number: float) -> str:
    """A number as short as it can be written.

    >>> number_text(17.0), number_text(0.5)
    ('17', '0.5')
    """
    return str(int(number)) if np.isfinite(number) and number == int(number) else repr(float(number))


def default_step(given: Iterable[float]) -> float | None:
    """The step of numbers that are stated as whole ones; None if some are not."""
    return 1.0 if all(float(number).is_integer() for number in given) else None


def _decimals(numbers: Iterable[float]) -> int:
    """Decimals that numbers are written with, at most."""
    return max((_decimals_of(float(number)) for number in numbers), default=0)


def _decimals_of(number: float) -> int:
    if number.is_integer():
        return 0
    text, _, power = repr(number).partition("e")
    return max(0, len(text.partition(".")[2]) - int(power or 0))
