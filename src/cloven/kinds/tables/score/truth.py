"""What a reader of a published table tells of persons: how sure it is of a right value, and whether it is certain.

Only values that harm count, and numbers that lie near to each other are one value, as the schema says.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from cloven.data.table import NEARLY, Harm, slack
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
    probability of all of them; it is right if the true value is as good as the same. So it is for people outside the
    table too, whose exact number need not be in it.
    """
    ends = truth.harm.reach(guesses.values)
    chance = np.concatenate((np.zeros((len(guesses), 1)), np.cumsum(guesses.confidence, axis=1)), axis=1)
    claims = chance[:, ends] - chance[:, :-1] if truth.harm.within else guesses.confidence
    claims = np.clip(claims, 0.0, 1.0)  # sums of many shares end a hair above 1
    likeliest = claims.argmax(axis=1)
    held = (
        _hold_nearly(guesses, truth, chance, ends, likeliest)
        if truth.harm.within
        else _hold_exactly(guesses, truth, likeliest)
    )
    harmful = truth.harm.harmful(truth.values)
    return ValueTelling(
        *_most(truth, np.where(harmful, held.told, 0.0)),
        _any(truth, held.certain & harmful),
        claims[np.arange(len(claims)), likeliest],
        _any(truth, held.hit),
        _any(truth, held.hit & harmful),
    )


@dataclass(frozen=True, eq=False)
class _Held:
    """What is claimed of each true value.

    Attributes:
        told: the highest probability of a claim that holds it.
        hit: whether the likeliest claim holds it.
        certain: whether it follows by logic.
    """

    told: Floats
    hit: Flags
    certain: Flags


def _hold_exactly(guesses: ValueGuesses, truth: Truth, likeliest: Longs) -> _Held:
    """Every value is one of its own."""
    at = value_places(truth.values, guesses)
    place, there = np.maximum(at, 0), at >= 0
    told = np.where(there, guesses.confidence[truth.person, place], 0.0)
    single = guesses.candidate.sum(axis=1) == 1
    return _Held(
        told,
        (told > 0) & (likeliest[truth.person] == at),
        (told > 0) & single[truth.person] & guesses.candidate[truth.person, place],
    )


def _hold_nearly(guesses: ValueGuesses, truth: Truth, chance: Floats, ends: Longs, likeliest: Longs) -> _Held:
    """Numbers that lie near to each other are one value, whether or not the true one was guessed."""
    numbers = np.array([float(value) for value in guesses.values])
    true = np.array([float(value) for value in truth.values])
    start, end, person = likeliest[:, None], ends[likeliest][:, None], truth.person
    place = np.arange(len(numbers))
    claimed = (guesses.confidence > 0) & (start <= place) & (place < end)
    return _Held(
        _likeliest_around(numbers, true, chance, person, truth.harm),
        _near(numbers, claimed, true, person, truth.harm),
        _near(numbers, guesses.candidate, true, person, truth.harm),
    )


def _likeliest_around(numbers: Floats, true: Floats, chance: Floats, person: Longs, harm: Harm) -> Floats:
    """The probability of the likeliest claim around each true number; ``chance`` sums up those of the numbers.

    The stretch of such a claim begins at a number below the true one that is as good as the same, or at the true one.
    """
    tops = harm.upto(numbers) + slack(numbers)
    ends = np.searchsorted(numbers, tops, side="right")
    own = np.searchsorted(numbers, true, side="left")
    own_end = np.searchsorted(numbers, harm.upto(true) + slack(true), side="right")
    first = np.searchsorted(tops, true, side="left")
    told = np.empty(len(true))
    for at, (who, low, mine, end) in enumerate(
        zip(person.tolist(), first.tolist(), own.tolist(), own_end.tolist(), strict=True)
    ):
        sums = chance[who]
        below = sums[ends[low:mine]] - sums[low:mine]
        told[at] = max(sums[end] - sums[mine], below.max(initial=0.0))
    return np.clip(told, 0.0, 1.0)


def _near(numbers: Floats, chosen: Flags, true: Floats, person: Longs, harm: Harm) -> Flags:
    """Whether each true number and all numbers that are chosen for its person are as good as one."""
    width = len(numbers)
    first, last = chosen.argmax(axis=1), width - 1 - chosen[:, ::-1].argmax(axis=1)
    low = np.minimum(numbers[first][person], true)
    high = np.maximum(numbers[last][person], true)
    somebody = np.flatnonzero(chosen.any(axis=1))
    found: Flags = np.isin(person, somebody) & (high <= harm.upto(low) + slack(low))
    return found


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
