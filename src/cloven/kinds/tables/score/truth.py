"""What a reader of a published table tells of persons: how sure it is of a right value, and whether it is certain.

Only values that harm count, and numbers that lie near to each other are one value, as the schema says.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from cloven.data.table import NEARLY, Harm
from cloven.errors import ParameterError
from cloven.kinds.tables.buckets import places_of, positions_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.compiled import Flags, Floats, Longs
    from cloven.data.table import Table
    from cloven.kinds.tables.guesses import ValueGuesses
    from cloven.kinds.tables.key import TableKey


@dataclass(frozen=True, eq=False)
class Truth:
    """The true values of some persons; somebody with several rows may have several.

    Attributes:
        people: how many persons there are.
        person: the person of each value.
        values: the values.
        harm: which of them harm, and which are as good as one.
    """

    people: int
    person: Longs
    values: tuple[str, ...]
    harm: Harm = field(default_factory=Harm)

    @classmethod
    def of(cls, data: Table, attribute: str, rows: Longs, *, nearly: bool = True) -> Truth:
        """The owner's knowledge of the persons behind some rows, one row of each.

        Numbers are told if they are ``nearly`` told, where the schema does not say what is near.
        """
        column = next(each for each in data.attributes if each.name == attribute)
        harm = column.harm
        if nearly and column.numbers is not None and not harm.within:
            harm = replace(harm, within=NEARLY, relative=True)
        if data.persons is None:
            return cls(len(rows), np.arange(len(rows)), true_values(data, attribute, rows), harm)
        asked = np.full(int(data.persons.max(initial=-1)) + 1, -1)
        asked[data.persons[rows]] = np.arange(len(rows))
        theirs = np.flatnonzero(asked[data.persons] >= 0)
        return cls(len(rows), asked[data.persons[theirs]], true_values(data, attribute, theirs), harm)


@dataclass(frozen=True, eq=False)
class ValueTelling:
    """What is told of the sensitive value of persons, one entry each.

    Attributes:
        told: the highest probability of a right claim that harms.
        value: number of the claimed value among those of the truth; -1 for none.
        certain: whether a harmful value follows by logic, and is right.
        stated: the probability of the likeliest claim.
        right: whether the likeliest claim is right.
        best: whether it is right and harms.
    """

    told: Floats
    value: Longs
    certain: Flags
    stated: Floats
    right: Flags
    best: Flags


def nothing_told(people: int) -> ValueTelling:
    """What a table without rows tells: noise may leave none."""
    no, never = np.zeros(people), np.zeros(people, bool)
    return ValueTelling(no, np.full(people, -1), never, no, never, never)


def value_telling(guesses: ValueGuesses, truth: Truth) -> ValueTelling:
    """Hold guessed values against the true ones.

    A claim is a stretch of values that are as good as one (a single value, unless the schema says otherwise), with the
    probability of all of them; it is right if the true value lies in it.
    """
    at = value_places(truth.values, guesses)
    ends = truth.harm.reach(guesses.values)
    chance = np.concatenate((np.zeros((len(guesses), 1)), np.cumsum(guesses.confidence, axis=1)), axis=1)
    claims = chance[:, ends] - chance[:, :-1] if truth.harm.within else guesses.confidence
    claims = np.clip(claims, 0.0, 1.0)  # sums of many shares end a hair above 1
    likeliest = claims.argmax(axis=1)
    here = (at >= 0) & (guesses.confidence[truth.person, np.maximum(at, 0)] > 0)
    told = np.where(here, _highest(claims, truth.person, np.maximum(at, 0), ends), 0.0)
    hit = here & (likeliest[truth.person] <= at) & (at < ends[likeliest[truth.person]])
    sure = here & _follows(guesses, ends)[truth.person] & guesses.candidate[truth.person, np.maximum(at, 0)]
    harmful = truth.harm.harmful(truth.values)
    return ValueTelling(
        *_most(truth, np.where(harmful, told, 0.0)),
        _any(truth, sure & harmful),
        claims[np.arange(len(claims)), likeliest],
        _any(truth, hit),
        _any(truth, hit & harmful),
    )


def _highest(claims: Floats, person: Longs, at: Longs, ends: Longs) -> Floats:
    """The likeliest claim on a person that holds the value at a place: stretches that begin no later, and reach it."""
    first = np.searchsorted(ends, at, side="right")
    if (first == at).all():
        return claims[person, at]
    return np.array(
        [
            claims[who, start : place + 1].max()
            for who, start, place in zip(person.tolist(), first.tolist(), at.tolist(), strict=True)
        ]
    )


def _follows(guesses: ValueGuesses, ends: Longs) -> Flags:
    """Of whom all values that are left are as good as one."""
    width = guesses.candidate.shape[1]
    some = guesses.candidate.any(axis=1)
    first = guesses.candidate.argmax(axis=1)
    last = width - 1 - guesses.candidate[:, ::-1].argmax(axis=1)
    follows: Flags = some & (last < ends[first])
    return follows


def _most(truth: Truth, told: Floats) -> tuple[Floats, Longs]:
    """Of each person the claim that is most probable, with its probability."""
    most, which = np.zeros(truth.people), np.full(truth.people, -1)
    order = np.lexsort((np.arange(len(told)), -told, truth.person))
    first = order[np.flatnonzero(np.diff(truth.person[order], prepend=-1))]
    most[truth.person[first]], which[truth.person[first]] = told[first], first
    return most, np.where(most > 0, which, -1)


def _any(truth: Truth, flags: Flags) -> Flags:
    found = np.zeros(truth.people, bool)
    found[truth.person[flags]] = True
    return found


def true_values(table: Table, attribute: str, rows: Longs | None = None) -> tuple[str, ...]:
    """The owner's knowledge: an attribute of some rows of a table, as text."""
    names = [each.name for each in table.attributes]
    if attribute not in names:
        message = f"the table has no attribute {attribute!r}; it has {', '.join(names)}"
        raise ParameterError(message)
    place = names.index(attribute)
    codes = table.codes[:, place] if rows is None else table.codes[rows, place]
    return tuple(table.attributes[place].values[code] for code in codes.tolist())


def value_places(truth: Sequence[str], guesses: ValueGuesses) -> Longs:
    """Where each true value stands among the guessed ones; a number is found however it is written."""
    at = positions_of(tuple(truth), guesses.values)
    lost = at < 0
    if not lost.any() or not all(map(_is_plain_number, {*truth, *guesses.values})):
        return at
    return places_of(tuple(truth), guesses.values, numbers=True)


def _is_plain_number(text: str) -> bool:
    """No code such as 01234, which would be another one as a number."""
    try:
        return not (len(text) > 1 and text[0] == "0" and text[1].isdigit()) and float(text) is not None
    except ValueError:
        return False


def own_rows(key: TableKey, persons: Longs) -> Longs:
    """The owner's knowledge: persons (source positions) x columns: row that holds their part; -1 if none does."""
    rows = np.full((len(persons), key.records.shape[1]), -1, np.int64)
    for column, records in enumerate(key.records.T):
        order = np.argsort(records, kind="stable")
        place = np.minimum(np.searchsorted(records[order], persons), len(order) - 1)
        found = order[place] if len(order) else np.zeros(len(persons), np.int64)
        there = (records[found] == persons) & (persons >= 0) if len(order) else np.zeros(len(persons), bool)
        rows[:, column] = np.where(there, found, -1)
    return rows
