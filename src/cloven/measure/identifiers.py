"""Items that are names rather than facts: held by one person alone, or written like an address, a number or a sentence.

An item that one person holds is a name until shown otherwise; published, it points at its owner whatever it is joined
with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from cloven.model.transactions import Transactions

LOOKS = {
    "an e-mail address": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"),
    "a phone number": re.compile(r"\+?\(?\d[\d ()/.-]{5,}\d"),
    "a date": re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}"),
    "free text": re.compile(r"(?:\S+\s+){11,}\S+|.{120,}", re.DOTALL),
}
"""What identifiers look like. Whole numbers without any sign are codes more often than telephone numbers."""
MOST = 0.5
"""Share of the people above which items that one person holds are names."""


@dataclass(frozen=True)
class Identifiers:
    """What looks like names.

    Attributes:
        alone: share of the people who hold an item that nobody else holds.
        written: items held by fewer than k that are written like identifiers: what like, how many, the first.
    """

    alone: float
    written: tuple[tuple[str, int, str], ...]

    @property
    def sentence(self) -> str:
        """What was found, in a sentence; empty if nothing was."""
        parts = []
        if self.alone > MOST:
            parts.append(f"{100 * self.alone:.0f} % of the people hold an item that nobody else holds")
        parts += [
            f"{number:,} rare item{'s look' if number > 1 else ' looks'} like {what}, such as {first!r}"
            for what, number, first in self.written
        ]
        return "; ".join(parts)


def identifiers(data: Transactions, k: int) -> Identifiers:
    """Look for names among the items that fewer than k hold.

    >>> from cloven.model.transactions import Transactions
    >>> identifiers(Transactions.from_records([["flu", "ann@x.org"], ["flu"], ["flu"]]), 2).sentence
    "1 rare item looks like an e-mail address, such as 'ann@x.org'"
    """
    holders = data.holders
    rare = [data.vocabulary[code] for code in np.flatnonzero(holders < k).tolist()]
    written = []
    for what, pattern in LOOKS.items():
        like = [name for name in rare if pattern.fullmatch(name.strip()) and not name.strip().isdigit()]
        if like:
            written.append((what, len(like), like[0]))
    single = np.add.reduceat(holders[data.codes] == 1, data.offsets[:-1]) > 0 if len(data) else np.zeros(0)
    if data.persons is not None:
        alone = len(np.unique(data.persons[single])) / max(1, len(np.unique(data.persons)))
    else:
        alone = float(single.mean()) if len(single) else 0.0
    return Identifiers(alone, tuple(written))


def repeated_records(data: Transactions) -> float:
    """Share of the records that equal another one though chance would hardly make two of them.

    By chance, were items independent, n times the product of their shares records look like this one. Longer records
    that come twice all the same are likely to be of one person.
    """
    if not len(data):
        return 0.0
    log_share = np.log(np.maximum(1, data.supports) / len(data))
    expected = np.log(len(data)) + np.add.reduceat(log_share[data.codes], data.offsets[:-1])
    mixed = np.random.default_rng(1).integers(2**63, size=len(data.vocabulary), dtype=np.int64)
    look = np.bitwise_xor.reduceat(mixed[data.codes], data.offsets[:-1])
    _, number, times = np.unique(look, return_inverse=True, return_counts=True)
    surprising = (times[number] > 1) & (expected < np.log(SURPRISING))
    return float(surprising.mean())


SURPRISING = 0.05
"""Equal records expected by chance, below which having some is a surprise."""
