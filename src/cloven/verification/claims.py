"""What a release says of itself: marks of experiments, its parameters, the persons it counts; and orders of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import compiled
from cloven.data.arrays import distinct, read_only
from cloven.errors import shorten
from cloven.figures import counted
from cloven.verification.verdict import NOT_CHECKED, Check, Fault, conclude

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import TypeAlias

    from cloven.compiled import Ints, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.key import Key
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.key import GeneralisedKey
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.kinds.tables.release import GeneralisedTable, Sliced
    from cloven.verification.verdict import Given, Level


if TYPE_CHECKING:
    Allowed: TypeAlias = Mapping[str, Callable[[Any], bool]]


# Is the release marked as made for experiments: unsafe parameters, or random numbers from a seed?


def check_marks(
    release: Disassociated | SetGeneralised | GeneralisedTable | Sliced, given: Given[Any, Any]
) -> list[Check]:
    """Fail a release that carries a mark, unless the caller allows it."""
    return [
        _check_mark(release.parameters, "unsafe", allowed=given.allow_unsafe),
        _check_mark(release.parameters, "seeded", allowed=given.allow_seeded),
    ]


def _check_mark(parameters: Mapping[str, Any], mark: str, *, allowed: bool) -> Check:
    marked = bool(parameters.get(mark))
    if not marked:
        detail = f"not marked {mark}"
    elif allowed:
        detail = f"information: marked {mark}, which was allowed"
    else:
        detail = f"the release is marked {mark}: for experiments only, not for publishing"
    return Check(f"not {mark}", "release", passed=allowed or not marked, examined=1, detail=detail)


# Published parameters tell the method and nothing else: no path, note, seed or item.


def strange_parameters(given: Mapping[str, Any], allowed: Allowed) -> Iterator[Fault]:
    """Parameters that the method does not have, or not with such a value."""
    for name, value in given.items():
        if name == "method":
            continue
        if name not in allowed:
            yield Fault(1, f"{shorten(name)} is no parameter of {given['method']}")
        elif not allowed[name](value):
            yield Fault(1, f"{name} cannot be {shorten(str(value))}")


def conclude_parameters(given: Mapping[str, Any], faults: list[Fault], *, known: bool) -> Check:
    """The check of parameters; of a method that is not ``known`` here nobody can say what they may be."""
    if known or "method" not in given or any(fault.count for fault in faults):
        return conclude("parameters", "release", len(given), faults, f"{len(given)} parameters, all known")
    detail = (
        f"{NOT_CHECKED}, nor at any other: {shorten(str(given['method']))} is no method of Cloven, so its name and"
        " its parameters may say anything; read them"
    )
    return Check("parameters", "release", passed=True, examined=len(given), detail=detail, decided=False)


def is_flag(value: Any) -> bool:
    """Whether a parameter is true or false."""
    return isinstance(value, bool)


def is_count(value: Any) -> bool:
    """Whether a parameter is a whole number from 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def one_of(*words: Any) -> Callable[[Any], bool]:
    """Whether a parameter is one of some words."""
    return lambda value: value in words


# Does a release that says it counts persons know any, and one that counts records have none to count?
#
# What a release says about persons cannot be seen in it: whose records its rows are is not published. The original
# tells whether there are persons at all; whether k of them stand behind each count is a matter of the other checks.


NAME = "persons counted"


def check_persons_claim(
    release: Disassociated | SetGeneralised,
    given: Given[Transactions, Key] | Given[Transactions, GeneralisedKey],
    *,
    counted_at: Level,
) -> list[Check]:
    """The claim against original and key; no check where neither it nor they speak of persons.

    ``counted_at`` is the level at which other checks count persons.
    """
    claimed, original, key = release.parameters.get("persons") is True, given.original, given.key
    if original is None:
        return [
            _undecided("release", 0, f"give the original with its persons (level {counted_at})")
        ] * claimed
    told = {"the original": original.persons} | ({} if key is None else {"the key": key.persons})
    known = [persons for persons in told.values() if persons is not None]
    if claimed:
        missing = [where for where, persons in told.items() if persons is None]
        return [_where_claimed(release, given.level, known, missing, counted_at)]
    return [_where_not_claimed(release, given.level, known[0])] if known else []


def _where_claimed(
    release: Disassociated | SetGeneralised,
    level: Level,
    known: list[Longs],
    missing: list[str],
    counted_at: Level,
) -> Check:
    """The key must know persons; the original too, unless the key does."""
    if not known or "the key" in missing:
        said = "the release says that persons were counted, and " + " and ".join(missing)
        detail = f"{said} names none; tell their column with --person if there is one"
        return Check(NAME, level, passed=False, examined=release.records, detail=detail)
    persons = len(distinct(known[0]))
    if level == "original" and counted_at == "key":
        return _undecided(
            level, persons, f"the original names {counted(persons, 'persons')}; give the key too"
        )
    return Check(NAME, level, passed=True, examined=persons, detail=counted(persons, "persons are known"))


def _where_not_claimed(release: Disassociated | SetGeneralised, level: Level, persons: Longs) -> Check:
    """Counting records will do if nobody has two of them."""
    count = len(distinct(persons))
    wrong = count < len(persons)
    detail = f"{count:,} persons with one record each: records may be counted"
    if wrong:
        detail = (
            f"the release counts records, but the {len(persons):,} records are of {count:,} persons;"
            " anonymise with --person"
        )
    return Check(NAME, level, passed=not wrong, examined=release.records, detail=detail)


def _undecided(level: Level, examined: int, how: str) -> Check:
    detail = f"{NOT_CHECKED}: that k persons, not only k records, stand behind each count; {how}"
    return Check(NAME, level, passed=True, examined=examined, detail=detail, decided=False)


# Comparing neighbours in a list of rows, all at once.


def compare_neighbours(offsets: Longs, items: Ints, rows: Longs) -> Longs:
    """Compare the items of each given row with those of the row after it, like Python lists.

    >>> offsets, items = np.array([0, 1, 3, 4]), np.array([7, 7, 8, 2])
    >>> compare_neighbours(offsets, items, np.array([0, 1]))
    array([-1,  1])
    """
    return _compared(read_only(offsets), read_only(items), read_only(rows))


@compiled
def _compared(offsets: Ints, items: Ints, rows: Ints) -> Ints:
    result = np.zeros(len(rows), np.int64)
    for number in range(len(rows)):
        left, last, end = offsets[rows[number]], offsets[rows[number] + 1], offsets[rows[number] + 2]
        right = last
        while left < last and right < end and items[left] == items[right]:
            left += 1
            right += 1
        if left < last and right < end:
            result[number] = 1 if items[left] > items[right] else -1
        elif left < last:
            result[number] = 1
        elif right < end:
            result[number] = -1
    return result
