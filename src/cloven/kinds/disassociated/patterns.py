"""What goes together in a disassociated release: the sets of items that most people are likely to hold, and rules.

Sets are looked for where the release shows them, and in one reconstruction, for what it has torn apart; each is then
counted as every other question is. The reconstruction only proposes, so its seed decides nothing that is told as a
count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.data.defaults import SEED
from cloven.data.given import expect_whole
from cloven.errors import ParameterError
from cloven.figures import interval, percent
from cloven.kinds.disassociated.counts import count
from cloven.kinds.disassociated.evidence import chunk_records
from cloven.kinds.disassociated.reconstruction import worlds_of
from cloven.statistics.mining import top_itemsets as mined

if TYPE_CHECKING:
    from cloven.kinds.counts import Count
    from cloven.kinds.disassociated.release import Disassociated

MOST = 10_000
"""Sets of items that are looked for at most."""
LARGEST = 3
"""Items of a set, unless more are asked for: how well likely counts of larger ones hold was not measured."""


@dataclass(frozen=True)
class Rule:
    """Who holds some items is likely to hold another.

    Attributes:
        given: the items that are known.
        then: the item that follows.
        share: likely share of the holders of ``given`` that hold ``then`` too.
        low: lower end, from the intervals of both counts.
        high: its upper end.
        lift: how many times the share among all records.
        count: how many hold all of them.

    >>> from cloven.kinds.counts import ELSEWHERE, Count
    >>> found = Count(("asthma", "cough"), 9, 14, 10, 22, 29, ELSEWHERE)
    >>> print(Rule(("cough",), "asthma", 0.7, 0.5, 1.0, 3.1, found))
    cough -> asthma  70 % [50 - 100], 3.1 times the usual
    """

    given: tuple[str, ...]
    then: str
    share: float
    low: float
    high: float
    lift: float
    count: Count

    def __str__(self) -> str:
        told = f"{percent(self.share, 0)} {interval(100 * self.low, 100 * self.high, 0)}"
        return f"{', '.join(self.given)} -> {self.then}  {told}, {self.lift:.1f} times the usual"


def top_itemsets(
    release: Disassociated, many: int = 20, *, min_size: int = 2, max_size: int = LARGEST
) -> tuple[Count, ...]:
    """The sets of items that most records are likely to hold, most first."""
    expect_whole("many", many, MOST)
    expect_whole("min_size", min_size)
    expect_whole("max_size", max_size)
    proposed = dict.fromkeys(
        itemset
        for data in (chunk_records(release), next(worlds_of(release, 1, np.random.default_rng(SEED))))
        for itemset, _ in mined(data, 2 * many, min_size=min_size, max_size=max_size)
    )
    found = [count(release, itemset) for itemset in proposed]
    return tuple(sorted(found, key=lambda each: (-each.likely, -each.certain, each.items))[:many])


def rules(
    release: Disassociated, many: int = 20, *, min_share: float = 0.5, among: int = 100
) -> tuple[Rule, ...]:
    """Rules ``among`` the most frequent sets of items, of at least this likely share, highest lift first."""
    expect_whole("many", many)
    expect_whole("among", among, MOST)
    if not isinstance(min_share, int | float) or not 0 <= min_share <= 1:
        message = f"min_share must lie between 0 and 1, got {min_share!r}"
        raise ParameterError(message)
    found = [
        rule
        for together in top_itemsets(release, among)
        for then in together.items
        if (rule := _rule(release, together, then)).share >= min_share
    ]
    return tuple(sorted(found, key=lambda rule: (-rule.lift, rule.given, rule.then))[:many])


def _rule(release: Disassociated, together: Count, then: str) -> Rule:
    given = tuple(item for item in together.items if item != then)
    base, usual = count(release, given), count(release, [then])
    share = min(1.0, together.likely / max(1, base.likely))
    return Rule(
        given,
        then,
        share,
        min(1.0, together.low / max(1, base.high)),
        min(1.0, together.high / max(1, base.low)),
        share * release.records / max(1, usual.likely),
        together,
    )
