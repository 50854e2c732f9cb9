"""Readers who know the quasi-identifiers of a person: by the rows that fit, and by what the table teaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.kinds.tables.attack.definetti import Learned, Start
from cloven.kinds.tables.attack.values import AttributeDisclosure
from cloven.kinds.tables.release import GeneralisedTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.compiled import Flags
    from cloven.kinds.tables.guesses import Known, ValueGuesses
    from cloven.kinds.tables.release import TableRelease

    Reader = Callable[[TableRelease, Known, str, Flags | None], ValueGuesses]
    """Guesses a sensitive attribute of persons; may know who of them is left out of the release."""

WAYS: tuple[tuple[Start, int], ...] = (("shares", 1), ("shares", 512))
"""Ways to learn: what is believed to begin with, and up to how many states all deals of a bucket are summed.

To begin with a regression tells as much as the second to half a per cent (Adult, stroke, Synthea), and takes as long.
"""


def readers(release: TableRelease) -> dict[str, Reader]:
    """Everybody who reads a table: by the rows that fit; and those who learn from it."""
    return {"plain": plain, **learners(release)}


def plain(release: TableRelease, known: Known, attribute: str, _away: Flags | None = None) -> ValueGuesses:
    """By the rows that fit, whoever is left out."""
    return AttributeDisclosure(attribute, "rows").guess(release, known)


def learners(release: TableRelease) -> dict[str, Reader]:
    """All ways to learn; where values stand beside coarse quasi-identifiers they are one."""
    ways = WAYS[:1] if isinstance(release, GeneralisedTable) else WAYS
    return {_named(*way): _learning(*way) for way in ways}


def _named(start: Start, ways: int) -> str:
    """A way to learn in a few words.

    >>> _named("shares", 1), _named("regression", 512)
    ('begins with shares', 'begins with regression, exact deals')
    """
    return f"begins with {start}{', exact deals' if ways > 1 else ''}"


def _learning(start: Start, ways: int) -> Reader:
    """One way to learn; whoever is left out has no bucket."""

    def guess(release: TableRelease, known: Known, attribute: str, away: Flags | None) -> ValueGuesses:
        return Learned(attribute, start, most_ways=ways).guess(release, known, away)

    return guess
