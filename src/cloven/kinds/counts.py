"""How many records hold all of some items, as far as a release of any kind tells."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError, shorten
from cloven.figures import interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cloven.compiled import Longs

COVERED = 0.95
"""How often the interval of what is likely is to hold the true count."""


@dataclass(frozen=True)
class Count:
    """How many records of the data hold all of some items.

    Attributes:
        items: the items asked for.
        certain: so many hold them for certain.
        likely: as likely too low as too high.
        low: lower end of the interval of what is likely.
        high: its upper end.
        at_most: more cannot hold them.
        measured: whether the owner measured how often such intervals hold the true count; if not, what was measured on
            other data is taken.

    >>> print(Count(("asthma", "cough"), 9, 14, 10, 22, 29, False))
    9 certain, 14 likely [10 - 22], 29 at most
    """

    items: tuple[str, ...]
    certain: int
    likely: int
    low: int
    high: int
    at_most: int
    measured: bool

    def __str__(self) -> str:
        likely = f"{self.likely:,} likely {interval(self.low, self.high, 0)}"
        return f"{self.certain:,} certain, {likely}, {self.at_most:,} at most"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "items": list(self.items)}


def codes_of(vocabulary: Sequence[str], items: Iterable[str]) -> Longs:
    """Positions of items in a sorted vocabulary; what cannot be asked for is a ``ParameterError``.

    >>> codes_of(("asthma", "cough"), ["cough"]).tolist()
    [1]
    >>> codes_of(("asthma", "cough"), ["coughs"])
    Traceback (most recent call last):
    ...
    cloven.errors.ParameterError: no item 'coughs' in this release; did you mean 'cough'?
    """
    wanted = [items] if isinstance(items, str) else list(items)
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
    from difflib import get_close_matches

    near = get_close_matches(item, vocabulary, 1)
    advice = f"did you mean {shorten(near[0])}?" if near else "what too few people hold is withheld"
    message = f"no item {shorten(item)} in this release; {advice}"
    raise ParameterError(message)
