"""Columns that name persons: no method hides whom a name, an address, a telephone or a record number belongs to.

A column is looked at by its name and by what it holds: of the people, not of their rows, and as it would be published.
What names persons is left out of a proposed schema, and refused where a schema would publish it.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.figures import many

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

ENOUGH = 50
"""Rows from which on a column can be said to be different for everybody; small tables are examples."""
MOSTLY = 0.8
"""Share of the different values that look like something, so that the column holds it."""
NEARLY_ALL = 0.9
"""Share of the rows that have a value of their own, where the name of the column speaks of numbers of persons."""
HALF = 0.5
"""The same, where nothing but the values speaks: half of the people are told apart by it alone."""
MANY = 0.1
"""The same, where the name of the column speaks of names or places of persons."""
_SEEN = 1000
_ONE_EACH = 1.05
"""Values of people for each of them, up to which everybody has one but for a few slips."""
_DIGITS = 7
"""Whole numbers of as many digits as each other, and of so many at least, are numbers of something."""
_FORMS = {
    "e-mail addresses": re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}"),
    "telephone numbers": re.compile(r"\+\d[\d ()./-]{6,18}|\(?0?\d{2,4}\)?[ /-]\d{3,4}[ -]\d{3,4}"),
    "social security numbers": re.compile(r"\d{3}-\d{2}-\d{4}"),
    "universal identifiers": re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    "addresses of computers": re.compile(r"\d{1,3}(\.\d{1,3}){3}"),
    "bank accounts": re.compile(r"[A-Z]{2}\d{2}[A-Z0-9 ]{11,32}"),
}
_WORD = re.compile(r"[A-ZÀ-Þ]?[a-zß-ÿ]+|[A-ZÀ-Þ]+(?![a-zß-ÿ])|\d+")
_FULL_NAME = re.compile(r"[A-ZÀ-Þ][\w'.-]*(,? [A-ZÀ-Þ][\w'.-]*){1,3}")
WORDS = tomllib.loads(files("cloven.reading").joinpath("words.toml").read_text(encoding="utf-8"))
"""Words in names of columns, by what they tell."""


@dataclass(frozen=True)
class Held:
    """What a column holds, as far as it is looked at.

    Attributes:
        name: its name.
        rows: rows that have a value.
        values: the different values, or the first of them.
        different: how many different values there are.
        numbers: whether all of them are numbers.
        people: how many people have one of their own, where somebody has several rows; None where rows are people.
    """

    name: str
    rows: int
    values: Sequence[str]
    different: int
    numbers: bool
    people: int | None = None

    def called(self, words: Collection[str]) -> bool:
        """Whether one of these words is in its name; ``patientId`` and ``patient_id`` are alike."""
        return any(word.lower() in words for word in _WORD.findall(self.name))


def naming(held: Held) -> str | None:
    """Why a column names persons; None if it does not seem to.

    >>> naming(Held("contact", 60, ["a@b.org", "c@d.org"], 2, False))
    'holds e-mail addresses'
    >>> naming(Held("sex", 60, ["f", "m"], 2, False))
    """
    seen = [value for value in held.values[:_SEEN] if value]
    if (form := form_of(held)) is not None:
        return form
    people = held.people or held.rows
    if people < ENOUGH:
        return None
    own = held.different / people
    whose = f"of {many(people, 'person')}" if held.people else f"in {many(people, 'row')}"
    told = f"{many(held.different, 'different value')} {whose}"
    if held.called(WORDS["naming"]["numbered"]) and own >= NEARLY_ALL and not _measured(seen):
        return f"numbers persons: {told}"
    if held.called(WORDS["naming"]["placed"]) and own >= MANY:
        return f"says who or where somebody is: {told}"
    if own >= MANY and held.different >= ENOUGH and _mostly(_FULL_NAME, seen):
        return f"holds what looks like names: {told}"
    if own >= HALF and _numbered(seen):
        return f"holds numbers of as many digits as each other: {told}"
    if not held.numbers and own >= HALF:
        return f"is different for nearly everybody: {told}"
    return None


def form_of(held: Held) -> str | None:
    """What values show by their form alone, of whomever they are: addresses, telephones."""
    seen = [value for value in held.values[:_SEEN] if value]
    return next((f"holds {what}" for what, form in _FORMS.items() if _mostly(form, seen)), None)


def people_with_one_each(codes: NDArray[Any], persons: NDArray[Any]) -> int | None:
    """How many people there are, where nearly all of them have one value in all of their rows; else None.

    >>> people_with_one_each(np.array([4, 4, 7]), np.array([0, 0, 1]))
    2
    >>> people_with_one_each(np.array([4, 5, 7]), np.array([0, 0, 1]))
    """
    everybody = len(np.unique(persons))
    pairs = len(np.unique(np.column_stack([persons, codes]), axis=0))
    return everybody if pairs <= _ONE_EACH * everybody else None


def _mostly(form: re.Pattern[str], values: Sequence[str]) -> bool:
    return bool(values) and sum(form.fullmatch(value) is not None for value in values) >= MOSTLY * len(values)


def _numbered(values: Sequence[str]) -> bool:
    """Whether values are whole numbers of one length, as telephones and record numbers are."""
    length = len(values[0]) if values else 0
    alike = sum(value.isdigit() and len(value) == length for value in values)
    return length >= _DIGITS and alike >= NEARLY_ALL * len(values)


def _measured(values: Sequence[str]) -> bool:
    """Whether values are measured rather than numbered: some have decimals."""
    return any(
        "." in value and not value.endswith(".0") and value.replace(".", "", 1).lstrip("-").isdigit()
        for value in values
    )
