"""People outside the release: what an attacker says of them is statistics, and no harm of this release.

Before anything is published, a part of the people is left out, and a release is made from the others by the same
method. The attacker reads it and is asked about those who were left out; then about the same people in the release
that has them. What is told of them only as members is what being in the release costs. Other people are left out each
time. Whoever tries an attack can ask for these releases.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.cores import WORTH_IT, side_by_side
from cloven.disclosure.risk import Estimate, Tail
from cloven.errors import ParameterError
from cloven.statistics.intervals import difference, paired_difference, wilson

if TYPE_CHECKING:
    from cloven.compiled import Flags, Floats, Longs
    from cloven.protocols import Anonymiser


SHARE = 0.2
"""Part of the people who are left out."""
MOST = 2_000
"""People who are left out at most."""
MOST_HELD = 12_000_000
"""Items, or cells, of all divisions together, where more are made than were asked for. Their releases are held in
memory, which takes some 100 bytes for each."""
FEWEST = 10
"""People below which a fifth of them is nobody to speak of."""


@dataclass(frozen=True, eq=False)
class Split:
    """One division of the people.

    Attributes:
        members: numbers of the records whose people are in the release.
        outsiders: numbers of the records whose people are not.
        result: what was made of the members alone; its ``release`` is read, and no key of it is needed.
        remade: whether the method made it; else rows were taken out of the release itself, and what is told of members
            is asked of that alone.
    """

    members: Longs
    outsiders: Longs
    result: Any
    remade: bool = True


@dataclass(frozen=True, eq=False)
class Released:
    """A release that was made without a key, by a method that can (``release_of``)."""

    release: Any


@dataclass(frozen=True, eq=False)
class Outsiders:
    """Divisions of the people behind data, made when they are first asked for.

    Attributes:
        data: anything with ``take``, ``codes`` and a length; ``persons`` tell who is behind several records.
        method: makes a release of the members. Lots that it draws come from ``seed``: none of these is published.
        count: divisions; each leaves other people out, as far as there are enough.
        seed: for the divisions and for the lots.
    """

    data: Any
    method: Anonymiser
    count: int = 3
    seed: int = 0
    _turn: Any = field(default_factory=Lock, repr=False)
    _begun: tuple[Split, ...] = field(default=(), repr=False)

    @property
    def splits(self) -> tuple[Split, ...]:
        """All divisions; attacks that ask at the same time wait for the same ones.

        Raises:
            ParameterError: there are too few people to leave some out, or the method cannot work without them.
        """
        with self._turn:
            return self._made

    def more(self) -> Outsiders | None:
        """The same divisions and as many again; None once they leave everybody out, or are too many to be held.

        Each leaves out as many people as before: what being in a release adds depends on who else is missing. Whoever
        asks at the same time gets the same ones.
        """
        with self._turn:
            return self._more

    @cached_property
    def _more(self) -> Outsiders | None:
        people = int(self._who.max(initial=-1)) + 1
        if people < FEWEST:
            return None
        most = min(people // _many(people), MOST_HELD // max(1, self.data.codes.size))
        count = min(2 * self.count, most)
        return replace(self, count=count, _turn=Lock(), _begun=self._made) if count > self.count else None

    @cached_property
    def _who(self) -> Longs:
        """Number of the person behind each record."""
        persons = getattr(self.data, "persons", None)
        return np.arange(len(self.data)) if persons is None else np.unique(persons, return_inverse=True)[1]

    @cached_property
    def _made(self) -> tuple[Split, ...]:
        who = self._who
        people = int(who.max(initial=-1)) + 1
        if people < FEWEST:
            message = (
                f"{people} people are too few to leave some out of the release; at least {FEWEST} are needed"
            )
            raise ParameterError(message)
        works = [
            partial(self._split, who, self._left_out(people, _many(people), number))
            for number in range(len(self._begun), self.count)
        ]
        made = side_by_side(works) if len(self.data) >= WORTH_IT else [work() for work in works]
        return (*self._begun, *made)

    def _left_out(self, people: int, many: int, number: int) -> Longs:
        """Who is left out of a division; once everybody was, it begins again in another order."""
        again, place = divmod(number, people // many)
        order = np.random.default_rng([self.seed, people, *([again] if again else [])]).permutation(people)
        return order[place * many : (place + 1) * many]

    def _split(self, who: Longs, left_out: Longs) -> Split:
        outside = np.zeros(int(who.max()) + 1, bool)
        outside[left_out] = True
        members, outsiders = np.flatnonzero(~outside[who]), np.flatnonzero(outside[who])
        method, data = repeatable(self.method, self.seed), self.data.take(members)
        alone = getattr(method, "release_of", None)
        return Split(members, outsiders, method.anonymise(data) if alone is None else Released(alone(data)))


def _many(people: int) -> int:
    """How many of the people a division leaves out."""
    return min(MOST, max(1, int(people * SHARE)))


def repeatable(method: Any, seed: int) -> Any:
    """A method whose lots come from a seed, for releases that are measured and never published."""
    has_seed = is_dataclass(method) and any(each.name == "seed" for each in fields(method))
    return replace(method, seed=seed) if has_seed and method.seed is None else method


def asked_about(
    data: Any, splits: tuple[Split, ...], most: int, rng: np.random.Generator
) -> tuple[Longs, Flags]:
    """Records to ask about, one of each person, and whether each division leaves the person out.

    With several divisions everybody asked about is left out of one at least. With one there are as many members beside
    the outsiders.
    """
    groups = [one_record_each(data, split.outsiders)[:most] for split in splits]
    if len(groups) == 1:
        members = rng.permutation(one_record_each(data, splits[0].members))[:most]
        groups.append(np.sort(members))
    records = np.unique(np.concatenate(groups))
    return records, np.array([np.isin(records, split.outsiders) for split in splits])


def one_record_each(data: Any, records: Longs) -> Longs:
    """One record of each person behind some records."""
    persons = getattr(data, "persons", None)
    return records if persons is None else records[np.unique(persons[records], return_index=True)[1]]


# Members beside outsiders: what is told of people who are in a release, and of the same people left out of one.
#
# With several divisions everybody asked about is left out of one release and is in the others, all of the same size, so
# that people are compared with themselves and what one release tells more than another cancels out.


ROUNDING = 1e-9
CREDIBLE = 0.8
"""A reader who is right less often than this part of what he says has told nothing."""
SURE = (0.8, 0.95)
"""Probabilities at which a reader has to be right."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """What somebody is told of people: a row for each division, a column for each person.

    Attributes:
        member: whether the person is in the release of the division.
        asked: whether there was enough to know of the person.
        told: the highest probability of a right claim.
        certain: whether an item follows by logic.
        best: whether the most likely claim was right.
        claims: probability and rightness of all claims on outsiders, then on members.
        paired: whether the same people stand on both sides; else, with a single division, all of them are compared.
    """

    member: Flags
    asked: Flags
    told: Floats
    certain: Flags
    best: Flags
    claims: tuple[tuple[Floats, Flags], tuple[Floats, Flags]]
    paired: bool = True

    def share(self, flags: Flags, *, member: bool) -> Estimate:
        """Share of the members, or of the outsiders; an interval over persons."""
        here = self.asked & (self.member == member)
        people = here.any(axis=0)
        value = float(flags[here].mean()) if here.any() else 0.0
        found, total = value * int(people.sum()), int(people.sum())
        return Estimate(value, *(wilson(round(found), total) if total else (0.0, 1.0)))

    def excess(self, flags: Flags) -> Estimate:
        """What being a member adds: of the same people on both sides, where there are such; else of all.

        Where nothing that is known of outsiders is published, nothing is told of them, and all that is told of members
        is added.
        """
        inside, outside = self.asked & self.member, self.asked & ~self.member
        if inside.any() and not outside.any():
            return self.share(flags, member=True)
        both = inside.any(axis=0) & outside.any(axis=0)
        if not self.paired or not both.any():
            sides = [(int(flags[here].sum()), int(here.sum())) for here in (inside, outside)]
            return Estimate(*difference(*sides[0], *sides[1]))
        member, outsider = (
            (here & flags).sum(axis=0)[both] / here.sum(axis=0)[both] for here in (inside, outside)
        )
        return Estimate(
            *paired_difference(
                float(np.maximum(member - outsider, 0).sum()),
                float(np.maximum(outsider - member, 0).sum()),
                int(both.sum()),
                self._contrasts(flags, inside, outside),
            )
        )

    def _contrasts(self, flags: Flags, inside: Flags, outside: Flags) -> list[float]:
        """What being a member adds by two releases each: those left out of one are in the other, and the other way.

        What one release tells more than the other, of whomever, cancels out.
        """
        found = []
        for one, two in combinations(range(len(flags)), 2):
            ways = ((one, two), (two, one))
            people = [outside[release] & inside[other] for release, other in ways]
            if all(each.any() for each in people):
                sides = [
                    np.mean(flags[other, here]) - np.mean(flags[release, here])
                    for (release, other), here in zip(ways, people, strict=True)
                ]
                found.append(float(np.mean(sides)))
        return found

    def tail(self, name: str, flags: Flags) -> Tail:
        """One figure, with both sides and the difference."""
        sides = (self.share(flags, member=True), self.share(flags, member=False))
        return Tail(name, *sides, self.excess(flags))

    def told_at(self, level: float) -> Tail:
        """Persons of whom a claim of this probability is made and right."""
        return self.tail(f"told at {level:g}", self.told >= level - ROUNDING)

    def certainly(self) -> Tail:
        """Persons of whom an item follows by logic."""
        return self.tail("certain", self.certain)

    def likeliest(self) -> Tail:
        """Persons of whom the most likely claim is right, which is judged as guesses are."""
        return replace(self.tail("likeliest claim right", self.best), guesses=True)

    @property
    def credible(self) -> bool:
        """Whether what is said of members is right about as often as it is said to be."""
        found = [(self.precision(level, member=True), level) for level in SURE]
        return all(right is None or right >= CREDIBLE * level for right, level in found)

    @property
    def people(self) -> int:
        """Persons asked about."""
        return int(self.asked.any(axis=0).sum())

    def precision(self, level: float, *, member: bool) -> float | None:
        """Share of the claims at a level that are right; None where none is made."""
        stated, right = self.claims[member]
        made = stated >= level - ROUNDING
        return float(right[made].mean()) if made.any() else None
