"""How many records hold all of some items, as far as a release of any kind tells."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError, shorten
from cloven.figures import interval, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.compiled import Longs

COVERED = 0.95
"""How often the interval of what is likely is to hold the true count."""
WITHHELD = "what too few people hold is withheld"
MEASURED = f"holds the true count in {percent(COVERED, 0)} of all cases, as the owner measured"
ELSEWHERE = (
    f"held the true count in {percent(COVERED, 0)} of all cases or more on other data; not measured on this"
)
POSSIBLE = "all that is possible"


@dataclass(frozen=True)
class Count:
    """How many records of the data hold all of some items.

    Attributes:
        items: the items asked for.
        certain: so many hold them for certain.
        likely: the middle of what is likely.
        low: lower end of the interval of what is likely; what is certain, unless the owner measured.
        high: its upper end.
        at_most: more cannot hold them.
        basis: what is known of the interval.

    >>> print(Count(("asthma", "cough"), 9, 14, 10, 22, 29, ELSEWHERE))
    9 certain, 14 likely [10 - 22], 29 at most
    """

    items: tuple[str, ...]
    certain: int
    likely: int
    low: int
    high: int
    at_most: int
    basis: str

    def __str__(self) -> str:
        likely = f"{self.likely:,} likely {interval(self.low, self.high, 0)}"
        return f"{self.certain:,} certain, {likely}, {self.at_most:,} at most"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "items": list(self.items)}


def asked_items(items: Any) -> str | tuple[Any, ...]:
    """What a count is asked for; what is no list of items is a ``ParameterError``.

    >>> asked_items(None)
    Traceback (most recent call last):
    ...
    cloven.errors.ParameterError: a count is of a list of items; got NoneType: name one or more, such as ['a', 'b']
    """
    if isinstance(items, str):
        return items
    if not isinstance(items, Iterable):
        got = f"got {type(items).__name__}"
        message = f"a count is of a list of items; {got}: name one or more, such as ['a', 'b']"
        raise ParameterError(message)
    return tuple(items)


def codes_of(vocabulary: Sequence[str], items: Iterable[str]) -> Longs:
    """Positions of items in a sorted vocabulary; what cannot be asked for is a ``ParameterError``.

    >>> codes_of(("asthma", "cough"), ["cough"]).tolist()
    [1]
    >>> codes_of(("asthma", "cough"), ["coughs"])
    Traceback (most recent call last):
    ...
    cloven.errors.ParameterError: no item 'coughs' in this release; did you mean 'cough'?
    """
    wanted: list[Any] = [items] if isinstance(items, str) else list(items)
    if isinstance(items, str) or not wanted:
        what = f"got the text {shorten(items)}" if isinstance(items, str) else "got none"
        message = f"a count is of a list of items; {what}: name one or more, such as ['a', 'b']"
        raise ParameterError(message)
    for number, item in enumerate(wanted):
        if not isinstance(item, str):
            message = f"an item is a text; got {shorten(repr(item))}: write it as it stands in the release"
            raise ParameterError(message)
        if item in wanted[:number]:
            message = f"item {shorten(item)} is named twice; name it once"
            raise ParameterError(message)
    return np.array([_code(vocabulary, item) for item in wanted], np.int64)


def _code(vocabulary: Sequence[str], item: str) -> int:
    code = bisect_left(vocabulary, item)
    if code < len(vocabulary) and vocabulary[code] == item:
        return code
    message = f"no item {shorten(item)} in this release; {near(item, vocabulary, WITHHELD)}"
    raise ParameterError(message)


def near(name: str, known: Sequence[str], otherwise: str) -> str:
    """What to do about a name that is not known: a similar one, or something else.

    >>> near("coughs", ["cough", "flu"], "look it up"), near("gout", ["cough"], "look it up")
    ("did you mean 'cough'?", 'look it up')
    """
    from difflib import get_close_matches

    found = get_close_matches(name, known, 1)
    return f"did you mean {shorten(found[0])}?" if found else otherwise
