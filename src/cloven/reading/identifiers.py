"""Columns that name persons: no method hides whom a name, an address, a telephone or a record number belongs to.

A column is looked at by its name and by what it holds. What names persons is left out of a proposed schema, and
refused where a schema would publish it.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from cloven.figures import many

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

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
_FORMS = {
    "e-mail addresses": re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}"),
    "telephone numbers": re.compile(r"\+\d[\d ()./-]{6,18}|\(?0?\d{2,4}\)?[ /-]\d{3,4}[ -]\d{3,4}"),
    "social security numbers": re.compile(r"\d{3}-\d{2}-\d{4}"),
    "universal identifiers": re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    "addresses of computers": re.compile(r"\d{1,3}(\.\d{1,3}){3}"),
    "bank accounts": re.compile(r"[A-Z]{2}\d{2}[A-Z0-9 ]{11,32}"),
}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
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
    """

    name: str
    rows: int
    values: Sequence[str]
    different: int
    numbers: bool

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
    for what, form in _FORMS.items():
        if seen and sum(form.fullmatch(value) is not None for value in seen) >= MOSTLY * len(seen):
            return f"holds {what}"
    if held.rows < ENOUGH:
        return None
    own = held.different / held.rows
    told = f"{many(held.different, 'different value')} in {many(held.rows, 'row')}"
    if held.called(WORDS["naming"]["numbered"]) and own >= NEARLY_ALL and not _measured(seen):
        return f"numbers persons: {told}"
    if held.called(WORDS["naming"]["placed"]) and own >= MANY:
        return f"says who or where somebody is: {told}"
    if not held.numbers and own >= HALF:
        return f"is different for nearly everybody: {told}"
    return None


def _measured(values: Sequence[str]) -> bool:
    """Whether values are measured rather than numbered: some have decimals."""
    return any(
        "." in value and not value.endswith(".0") and value.replace(".", "", 1).lstrip("-").isdigit()
        for value in values
    )
