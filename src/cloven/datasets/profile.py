"""The conditions of the clinic sample (``profiles.toml``): words of each, most usual first."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

# Weight of a word by its place in its list: the first is usual, the last is rare.
PLACES = (64, 28, 12, 5, 2, 1)
# How much each kind of word is written down; symptoms and treatments fill most of a record.
SHARES = {"symptoms": 5, "treatments": 4, "tests": 2, "organs": 3, "complications": 1, "background": 2}


@dataclass(frozen=True, kw_only=True)
class Profile:
    """One condition, written as lists of words separated by blanks, most usual first.

    Attributes:
        name: name of the profile, for the table of comorbidities; not an item.
        weight: how many patients come for it, against the other profiles.
        ages: weights of children, adults and the elderly among these patients.
        heads: words that nearly every record of this condition holds.
        symptoms: what the patient complains of.
        organs: parts of the body.
        tests: how it is found, and by whom.
        treatments: drugs, operations, aids.
        complications: what it may lead to.
        background: risk factors and circumstances.
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


@cache
def profiles() -> tuple[Profile, ...]:
    """All conditions of the clinic sample."""
    text = files("cloven.datasets").joinpath("profiles.toml").read_text(encoding="utf-8")
    return tuple(
        Profile(**{**entry, "ages": tuple(entry["ages"])}) for entry in tomllib.loads(text)["profile"]
    )
