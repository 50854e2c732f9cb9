"""The owner's key to a set-generalised release: which items each published record really had.

Like ``model.key`` it never leaves the owner's private folder, and no attack may import it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.kinds.generalised.policy import Policy
    from cloven.kinds.generalised.release import SetGeneralised


@dataclass(frozen=True, eq=False, repr=False)
class GeneralisedKey:
    """Truth about a set-generalised release, one entry for each published row, in the order of the rows.

    Attributes:
        records: source position (``Transactions.source_rows``) of the record of each row; equal rows are
            interchangeable.
        offsets: where each row starts in ``items``.
        items: item codes (positions in the release's vocabulary) that the record really has, ascending in a row.
        suppressed_record: source position for each record that lost items.
        suppressed_items: names of the items it lost.
        persons: person of each row, or None.
    """

    records: Longs
    offsets: Longs
    items: NDArray[np.int32]
    suppressed_record: Longs
    suppressed_items: tuple[tuple[str, ...], ...]
    persons: Longs | None = None
    ARRAYS: ClassVar[tuple[str, ...]] = ("records", "offsets", "items", "suppressed_record")

    def __repr__(self) -> str:
        return f"GeneralisedKey({len(self.records):,} records)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GeneralisedKey):
            return NotImplemented
        return self.suppressed_items == other.suppressed_items and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in self.ARRAYS
        )

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Generalised:
    """What a generalising anonymiser returns: the release for the world, and the key for the owner.

    Attributes:
        release: to publish.
        key: to keep.
        policy: what was to be protected and merged, to keep as well: it may name suppressed items. None for methods
            that take none.
    """

    release: SetGeneralised
    key: GeneralisedKey
    policy: Policy | None = None
