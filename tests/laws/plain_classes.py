"""Plain Python on classes of rows: what they keep to, and which cuts of them would still be allowed."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import exp, log
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def distinct(values: Sequence[Any], whole: Sequence[Any]) -> int:
    return len(set(values))


def entropy(values: Sequence[Any], whole: Sequence[Any]) -> float:
    counts = Counter(values).values()
    return exp(-sum(c / len(values) * log(c / len(values)) for c in counts))


def recursive(values: Sequence[Any], c: float, l: int) -> bool:
    counts = sorted(Counter(values).values(), reverse=True)
    return counts[0] < Fraction(c) * sum(counts[l - 1 :])


def equal_distance(values: Sequence[Any], whole: Sequence[Any]) -> Fraction | float:
    domain, inside, outside = sorted(set(whole)), Counter(values), Counter(whole)
    return sum(abs(Fraction(inside[v], len(values)) - Fraction(outside[v], len(whole))) for v in domain) / 2


def ordered_distance(values: Sequence[Any], whole: Sequence[Any]) -> Fraction:
    domain, inside, outside = sorted(set(whole)), Counter(values), Counter(whole)
    carried, moved = Fraction(0), Fraction(0)
    for v in domain:
        carried += Fraction(inside[v], len(values)) - Fraction(outside[v], len(whole))
        moved += abs(carried)
    return moved / max(1, len(domain) - 1)


def strict_cuts(rows: list[Any], orders: int) -> Iterator[tuple[list[Any], list[Any]]]:
    """All ways to part rows (lists of positions in each order) between two different values of one attribute."""
    for attribute in range(orders):
        for value in sorted({row[attribute] for row in rows})[1:]:
            yield (
                [row for row in rows if row[attribute] < value],
                [row for row in rows if row[attribute] >= value],
            )
