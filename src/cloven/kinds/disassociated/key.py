"""The owner's key: which original record each published part came from.

The key never leaves the owner's private folder. No attack, relatedness or reader of a release may import this module
(``tests/test_architecture.py`` enforces it).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.release import Disassociated


@dataclass(frozen=True, eq=False, repr=False)
class Key:
    """Truth about a disassociated release; one entry is what one record contributes to one published row.

    Attributes:
        record: source position of the record (``Transactions.source_rows``) of each entry, ascending.
        release_row: number of the published row it contributed to. Equal rows of a chunk are interchangeable; each
            is given to exactly one record. Several records may share the one row of a term chunk.
        offsets: where each entry starts in ``items``.
        items: item codes (positions in the release's vocabulary) that this record contributes to that row.
        record_cluster: cluster of each published record, in the order of ``records``.
        records: source positions of the published records, ascending.
        persons: person of each published record, or None.
        suppressed_record: source position for each suppressed part.
        suppressed_reason: why it was suppressed ("small cluster", "rare item").
        suppressed_items: names of the items taken from that record.
    """

    record: Longs
    release_row: Longs
    offsets: Longs
    items: NDArray[np.int32]
    records: Longs
    record_cluster: Longs
    persons: Longs | None
    suppressed_record: Longs
    suppressed_reason: tuple[str, ...]
    suppressed_items: tuple[tuple[str, ...], ...]

    def __repr__(self) -> str:
        return f"Key({len(self.records):,} records, {len(self.record):,} parts)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Key):
            return NotImplemented
        names = (
            "record",
            "release_row",
            "offsets",
            "items",
            "records",
            "record_cluster",
            "suppressed_record",
        )
        persons = (self.persons is None) == (other.persons is None) and (
            self.persons is None or np.array_equal(self.persons, other.persons)  # type: ignore[arg-type]
        )
        return (
            persons
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)
            and self.suppressed_reason == other.suppressed_reason
            and self.suppressed_items == other.suppressed_items
        )

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Anonymised:
    """What an anonymiser returns: the release for the world, and the key for the owner."""

    release: Disassociated
    key: Key
