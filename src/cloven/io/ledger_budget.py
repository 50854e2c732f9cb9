"""What the differentially private releases of one data set cost together.

Runs add up (sequential composition; Dwork, McSherry, Nissim and Smith, TCC 2006, and McSherry, SIGMOD 2009, theorem 3):
releases of the same rows with eps 0.3 and 0.5 promise, together, what one with 0.8 promises. Sums are exact. A release
that was never published is not counted, which is right only if nobody saw it and no other was made because of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cloven.io.ledger import Earlier
    from cloven.io.ledger_entry import Entry

ONLY_IF = "which is right only if nobody saw it and nothing was run again because of what it showed"


@dataclass(frozen=True)
class Budget:
    """What was spent on one data set.

    Attributes:
        input_sha256: fingerprint of the data.
        spent: epsilon of each release that counts.
        discarded: epsilon of each release that was never published.
    """

    input_sha256: str
    spent: tuple[float, ...]
    discarded: tuple[float, ...] = ()

    @property
    def total(self) -> float:
        """The sum of what counts.

        >>> Budget("", (0.1, 0.2)).total
        0.3
        """
        return total(self.spent)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "input_sha256": self.input_sha256,
            "epsilon": self.total,
            "releases": len(self.spent),
            "discarded_epsilon": total(self.discarded),
            "discarded_releases": len(self.discarded),
        }

    def __str__(self) -> str:
        number = len(self.spent)
        some = (
            "1 differentially private release"
            if number == 1
            else f"{number:,} differentially private releases"
        )
        verb = "costs" if number == 1 else "cost"
        return f"{some} of the data {self.input_sha256[:8]} {verb} eps = {self.total:g} in total{self.left_out()}"

    def left_out(self) -> str:
        """What is not counted, as the end of a sentence; nothing if there is nothing."""
        number = len(self.discarded)
        if not number:
            return ""
        what = "1 that was never published is" if number == 1 else f"{number:,} that were never published are"
        return f"; {what} not counted (eps = {total(self.discarded):g}), {ONLY_IF}"


def total(spent: Iterable[float]) -> float:
    """The sum of decimal numbers as they are written.

    >>> total([0.1, 0.2]), sum([0.1, 0.2])
    (0.3, 0.30000000000000004)
    """
    return float(sum((Fraction(repr(float(each))) for each in spent), Fraction(0)))


def budgets(entries: Iterable[Entry]) -> tuple[Budget, ...]:
    """What was spent on each data set of which there is a differentially private release, in order of the data."""
    spent: dict[str, tuple[list[float], list[float]]] = {}
    for entry in entries:
        if entry.epsilon is not None and entry.input_sha256 is not None:
            spent.setdefault(entry.input_sha256, ([], []))[entry.discarded].append(entry.epsilon)
    return tuple(Budget(data, tuple(each[0]), tuple(each[1])) for data, each in sorted(spent.items()))


def adds_up(epsilon: float | None, earlier: Sequence[Earlier], discarded: Sequence[float] = ()) -> list[str]:
    """What a new release with this epsilon costs with the earlier ones of the same people; nothing if it has none.

    Args:
        epsilon: of the new release; None if it is not differentially private.
        earlier: releases that were not discarded.
        discarded: epsilon of each release of the very same data that was never published.
    """
    if epsilon is None:
        return []
    spent = [each.entry.epsilon for each in earlier if adds(each) and each.entry.epsilon is not None]
    if not spent and not discarded:
        return []
    same = all(each.same_data for each in earlier if adds(each))
    whose = "of this data" if same else "of people who are in all of them"
    sums = " + ".join(f"{each:g}" for each in (*spent, epsilon))
    shown = f" ({sums})" if spent else ""
    cost = f"with this the releases {whose} cost eps = {total((*spent, epsilon)):g} in total{shown}"
    return [f"{cost}{Budget('', (), tuple(discarded)).left_out()}"]


def adds(each: Earlier) -> bool:
    """Whether an earlier release is differentially private and adds to the cost of another one of the same people.

    Two runs may give the same bytes, such as two empty tables, and cost twice; only a seed makes them one run.
    """
    if each.entry.epsilon is None:
        return False
    again = each.same_release and bool(each.entry.parameters.get("seeded"))
    return not again and (each.composes or each.same_data)
