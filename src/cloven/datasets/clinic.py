"""The clinic sample: patients who do not exist, written from condition profiles (``clinic.toml``).

Only ``Generator.random`` and integer weights are used, and no logarithm or power, so the same seed gives the
same records on every platform and with every NumPy from 2.0.
"""

from __future__ import annotations

import tomllib
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from cloven.data.transactions import Transactions
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


Thing = TypeVar("Thing")

# Weights of how many words (from 2 on) a record takes from the profile of its main condition.
MAIN_WORDS = (5, 13, 16, 15, 12, 8, 6, 5, 4, 3, 3, 2, 2, 2, 1, 1, 1)
# Weights of how many further conditions (from 0 on) a patient has.
COMORBIDITIES = (57, 31, 12)
# Weights of how many words (from 0 on) such a condition adds to its head words.
COMORBID_WORDS = (50, 33, 12, 5)
# Per cent of records with one word of the patient's age, of any visit, of an unrelated complaint.
CIRCUMSTANCE, ANY_VISIT, UNRELATED = 30, 16, 5
# Weight of a word by its place in its list: the first is usual, the last is rare.
PLACES = (64, 28, 12, 5, 2, 1)
# How much each kind of word is written down; symptoms and treatments fill most of a record.
SHARES = {"symptoms": 5, "treatments": 4, "tests": 2, "organs": 3, "complications": 1, "background": 2}
AGES = ("child", "adult", "elderly")


@dataclass(frozen=True, kw_only=True)
class Profile:
    """One condition, written as lists of words separated by blanks, most usual first.

    Attributes:
        name: name of the profile, by which others call it comorbid; not an item.
        weight: how many patients come for it, against the other profiles.
        ages: weights of children, adults and the elderly among these patients.
        heads: words that nearly every record of this condition holds.
        symptoms: what the patient complains of.
        organs: parts of the body.
        tests: how it is found, and by whom.
        treatments: drugs, operations, aids.
        complications: what it may lead to.
        background: risk factors and circumstances.
        comorbid: names of the conditions that come along with it.
        sex: "any", "female" or "male".

    >>> cold = Profile(name="cold", weight=9, ages=(3, 2, 2), heads="cold", symptoms="cough sneezing")
    >>> cold.weighted()
    (('cough', 320), ('sneezing', 140))
    """

    name: str
    weight: int
    ages: tuple[int, int, int]
    heads: str
    symptoms: str = ""
    organs: str = ""
    tests: str = ""
    treatments: str = ""
    complications: str = ""
    background: str = ""
    comorbid: str = ""
    sex: str = "any"

    def words(self) -> frozenset[str]:
        """Every word of the profile, heads included."""
        return frozenset(self.heads.split()) | {word for word, _ in self.weighted()}

    def weighted(self) -> tuple[tuple[str, int], ...]:
        """Every word but the heads, with its weight; a word of two lists gets both weights."""
        weights: dict[str, int] = {}
        for kind, share in SHARES.items():
            for place, word in enumerate(getattr(self, kind).split()):
                weights[word] = weights.get(word, 0) + share * PLACES[min(place, len(PLACES) - 1)]
        return tuple(weights.items())


_WRITTEN = tomllib.loads(files("cloven.datasets").joinpath("clinic.toml").read_text(encoding="utf-8"))
PROFILES = tuple(Profile(**{**entry, "ages": tuple(entry["ages"])}) for entry in _WRITTEN["profile"])
VISIT, COMPLAINTS = str(_WRITTEN["visit"]), str(_WRITTEN["complaints"])
CIRCUMSTANCES: Mapping[str, str] = MappingProxyType(_WRITTEN["circumstances"])
NEVER: Mapping[str, str] = MappingProxyType(_WRITTEN["never"])


@lru_cache(maxsize=8)  # it cannot be changed, and takes a while to make
def clinic(records: int = 1000, *, seed: int = 2024) -> Transactions:
    """Make the clinic sample; the first records are the same however many are asked for.

    Args:
        records: number of patients.
        seed: for repeatable experiments; the data are fictional.

    >>> sorted(clinic(9)[8])
    ['midwife', 'nausea', 'pregnancy', 'vomiting']
    """
    if records < 1:
        message = f"records must be at least 1, got {records}"
        raise ParameterError(message)
    rng = np.random.default_rng(seed)
    return Transactions.from_records([_patient(rng) for _ in range(records)])


def _patient(rng: np.random.Generator) -> set[str]:
    main = _pick(rng, PROFILES, [profile.weight for profile in PROFILES])
    age = _pick(rng, AGES, main.ages)
    sex = main.sex if main.sex != "any" else _pick(rng, ("female", "male"), (1, 1))
    never = frozenset(f"{NEVER[age]} {NEVER[sex]}".split())
    record = set(main.heads.split())
    record |= _some(rng, main.weighted(), 2 + _count(rng, MAIN_WORDS), record | never)
    for profile in _comorbid(rng, main, age, sex):
        record |= frozenset(profile.heads.split()) - never
        record |= _some(rng, profile.weighted(), _count(rng, COMORBID_WORDS), record | never)
    for words, percent in ((CIRCUMSTANCES[age], CIRCUMSTANCE), (VISIT, ANY_VISIT), (COMPLAINTS, UNRELATED)):
        if rng.random() * 100 < percent:
            record |= _some(rng, _ranked(words), 1, record | never)
    return record


def _comorbid(rng: np.random.Generator, main: Profile, age: str, sex: str) -> list[Profile]:
    """Draw up to two further conditions that a patient of this age and sex can have."""
    by_name = {profile.name: profile for profile in PROFILES}
    possible = [
        (by_name[name], weight)
        for name, weight in _ranked(main.comorbid)
        if by_name[name].ages[AGES.index(age)] and by_name[name].sex in ("any", sex)
    ]
    count = min(_count(rng, COMORBIDITIES), len(possible))
    return _without_replacement(rng, possible, count)


def _ranked(words: str) -> list[tuple[str, int]]:
    """Weigh words by their place in the list."""
    return list(zip(words.split(), PLACES, strict=False))


def _some(
    rng: np.random.Generator, weighted: Iterable[tuple[str, int]], count: int, without: Iterable[str]
) -> set[str]:
    """Draw ``count`` different words by weight, or all if there are fewer."""
    left = [(word, weight) for word, weight in weighted if word not in set(without)]
    return set(_without_replacement(rng, left, min(count, len(left))))


def _without_replacement(
    rng: np.random.Generator, weighted: Sequence[tuple[Thing, int]], count: int
) -> list[Thing]:
    left = list(weighted)
    taken = []
    for _ in range(count):
        place = _pick(rng, range(len(left)), [weight for _, weight in left])
        taken.append(left.pop(place)[0])
    return taken


def _count(rng: np.random.Generator, weights: Sequence[int]) -> int:
    """Draw a number from 0 on by weight."""
    return _pick(rng, range(len(weights)), weights)


def _pick(rng: np.random.Generator, things: Sequence[Thing], weights: Sequence[int]) -> Thing:
    """Draw one thing by integer weights."""
    sums = list(accumulate(weights))
    return things[bisect_right(sums, rng.random() * sums[-1], hi=len(sums) - 1)]
