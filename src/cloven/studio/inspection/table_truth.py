"""The truth behind a published table, for its owner's eyes: joined to guesses that were made without it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from cloven.kinds.tables.key import TableKey
    from cloven.studio.inspection.tables import OpenedTable, Whose


@dataclass(frozen=True)
class TrueValues:
    """What is true of the people of a bucket who look alike.

    Attributes:
        counts: for each of its values how many of them have it.
        right: how many have the value that is likeliest for them; ties count in part.
        records: source positions of their records.
        unknown: parts that belong to nobody, or whose value is another one than the published.
    """

    counts: tuple[int, ...]
    right: float
    records: tuple[int, ...]
    unknown: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def true_values(opened: OpenedTable, key: TableKey, number: int, guessed: Whose) -> tuple[TrueValues, ...]:
    """Hold guessed values against the key: for all people who look alike which values are really theirs."""
    here, buckets = opened.places_of(number), opened.buckets
    place = buckets.position(guessed.attribute)
    own = buckets.column_of(place)
    rows = opened.rows[here]
    values = [buckets.domains[place].labels[cell] for cell in buckets.cells[here, place].tolist()]
    changed = np.zeros(len(rows), bool) if key.changed is None else key.changed[rows, place]
    value_of = {
        record: "" if swapped else value
        for record, value, swapped in zip(
            key.records[rows, own].tolist(), values, changed.tolist(), strict=True
        )
        if record >= 0
    }
    column = max(guessed.column, 0)
    attributes = [each for each in buckets.columns[column] if not buckets.domains[each].sensitive]
    cells, records = buckets.cells[here][:, attributes], key.records[rows, column]
    out = []
    for line, chances in zip(guessed.people, guessed.chances, strict=True):
        alike = records[(cells == cells[line.place]).all(axis=1)].tolist()
        theirs = [value_of.get(record, "") for record in alike]
        counts = tuple(theirs.count(value) for value in guessed.values)
        best = [at for at, chance in enumerate(chances) if chance >= max(chances) - 1e-12]
        right = sum(counts[at] for at in best) / max(1, len(best))
        out.append(
            TrueValues(
                counts, right, tuple(record for record in alike if record >= 0), len(alike) - sum(counts)
            )
        )
    return tuple(out)
