"""How much of a vocabulary a measure of relatedness knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Coverage:
    """How the items of a vocabulary were found.

    Attributes:
        rungs: how many items each way of looking them up served, the most direct way first.
        unknown: items that have no score, in the order of the vocabulary.

    >>> Coverage({"exact": 3, "lemma": 1}, ("zzyzx",)).share
    0.8
    """

    rungs: Mapping[str, int]
    unknown: tuple[str, ...] = ()

    @property
    def known(self) -> int:
        """Items that have scores."""
        return sum(self.rungs.values())

    @property
    def items(self) -> int:
        """All items asked for."""
        return self.known + len(self.unknown)

    @property
    def share(self) -> float:
        """Known items among all; 1 for an empty vocabulary."""
        return self.known / self.items if self.items else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Counts as plain JSON values; the unknown items are counted, not named."""
        return {"items": self.items, "rungs": dict(self.rungs), "unknown": len(self.unknown)}
