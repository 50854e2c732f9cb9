"""People outside the release: what an attacker says of them is statistics, and no harm of this release.

Before anything is published, a part of the people is left out, and a release is made from the others by the same
method. The attacker reads it and is asked about those who were left out; then about the same people in the release
that has them. What is told of them only as members is what being in the release costs. Other people are left out each
time. Whoever tries an attack can ask for these releases.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.protocols import Anonymiser

SHARE = 0.2
"""Part of the people who are left out."""
MOST = 2_000
"""People who are left out at most."""
FEWEST = 10
"""People below which a fifth of them is nobody to speak of."""


@dataclass(frozen=True, eq=False)
class Split:
    """One division of the people.

    Attributes:
        members: numbers of the records whose people are in the release.
        outsiders: numbers of the records whose people are not.
        result: what was made of the members alone, with its key.
    """

    members: NDArray[np.int64]
    outsiders: NDArray[np.int64]
    result: Any


@dataclass(frozen=True, eq=False)
class Outsiders:
    """Divisions of the people behind data, made when they are first asked for.

    Attributes:
        data: anything with ``take`` and a length; ``persons`` tell who is behind several records.
        method: makes a release of the members. Lots that it draws come from ``seed``: none of these is published.
        count: divisions; each leaves other people out, as far as there are enough.
        seed: for the divisions and for the lots.
    """

    data: Any
    method: Anonymiser
    count: int = 3
    seed: int = 0

    @cached_property
    def splits(self) -> tuple[Split, ...]:
        """All divisions.

        Raises:
            ParameterError: there are too few people to leave some out, or the method cannot work without them.
        """
        persons = getattr(self.data, "persons", None)
        who = np.arange(len(self.data)) if persons is None else np.unique(persons, return_inverse=True)[1]
        people = int(who.max(initial=-1)) + 1
        if people < FEWEST:
            message = (
                f"{people} people are too few to leave some out of the release; at least {FEWEST} are needed"
            )
            raise ParameterError(message)
        many = min(MOST, max(1, int(people * SHARE)))
        return tuple(self._split(who, self._left_out(people, many, number)) for number in range(self.count))

    def _left_out(self, people: int, many: int, number: int) -> NDArray[np.int64]:
        """Who is left out of a division; once everybody was, it begins again in another order."""
        again, place = divmod(number, people // many)
        order = np.random.default_rng([self.seed, people, *([again] if again else [])]).permutation(people)
        return order[place * many : (place + 1) * many]

    def _split(self, who: NDArray[np.int64], left_out: NDArray[np.int64]) -> Split:
        outside = np.zeros(int(who.max()) + 1, bool)
        outside[left_out] = True
        members, outsiders = np.flatnonzero(~outside[who]), np.flatnonzero(outside[who])
        result = repeatable(self.method, self.seed).anonymise(self.data.take(members))
        return Split(members, outsiders, result)


def repeatable(method: Any, seed: int) -> Any:
    """A method whose lots come from a seed, for releases that are measured and never published."""
    has_seed = is_dataclass(method) and any(each.name == "seed" for each in fields(method))
    return replace(method, seed=seed) if has_seed and method.seed is None else method


def asked_about(
    data: Any, splits: tuple[Split, ...], most: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
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


def one_record_each(data: Any, records: NDArray[np.int64]) -> NDArray[np.int64]:
    """One record of each person behind some records."""
    persons = getattr(data, "persons", None)
    return records if persons is None else records[np.unique(persons[records], return_index=True)[1]]
