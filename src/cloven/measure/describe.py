"""What a data set is like, and how much its rare combinations tell."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.measure.uniqueness import SingledOut, singled_out

if TYPE_CHECKING:
    from cloven.model.transactions import Transactions


@dataclass(frozen=True)
class Description:
    """Figures of a data set; private to the owner, since rare items and shares are facts about persons.

    Attributes:
        records: number of records.
        items: number of different items.
        occurrences: number of items over all records.
        mean_length: mean number of items of a record.
        median_length: median of the same.
        max_length: maximum of the same.
        density: share of all (record, item) pairs that occur.
        type_token_ratio: different items per occurrence.
        k: an item held by fewer than ``k`` records (persons, if known) counts as rare.
        rare_items: number of rare items.
        rare_item_names: their names, those held by fewest first.
        persons: number of persons, None if every record is taken as one person's.
        empty_records: empty records that were dropped.
        singled_out: share of records that 1, 2, ... m known items can single out.
    """

    records: int
    items: int
    occurrences: int
    mean_length: float
    median_length: float
    max_length: int
    density: float
    type_token_ratio: float
    k: int
    rare_items: int
    rare_item_names: tuple[str, ...]
    persons: int | None
    empty_records: int
    singled_out: tuple[SingledOut, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**asdict(self), "rare_item_names": list(self.rare_item_names)} | {
            "singled_out": [found.to_dict() for found in self.singled_out]
        }


def describe(
    data: Transactions, *, m: int = 2, k: int = 5, rng: np.random.Generator | None = None
) -> Description:
    """Describe a data set; ``rng`` is used only where ``singled_out`` needs a sample.

    >>> from cloven.model.transactions import Transactions
    >>> found = describe(Transactions.from_records([["flu", "fever"], ["flu"], ["flu", "fever"]]), k=3)
    >>> found.records, found.items, found.rare_item_names, found.singled_out[1].share
    (3, 2, ('fever',), 0.0)
    """
    if k < 1:
        message = f"k must be at least 1 (got {k})"
        raise ParameterError(message)
    lengths, occurrences = data.lengths, len(data.codes)
    supports = data.holders
    rarest = np.argsort(supports, kind="stable")  # codes ascend by name, so ties are in order of names
    rare = rarest[: int(np.count_nonzero(supports < k))]
    return Description(
        records=len(data),
        items=len(data.vocabulary),
        occurrences=occurrences,
        mean_length=float(lengths.mean()) if len(data) else 0.0,
        median_length=float(np.median(lengths)) if len(data) else 0.0,
        max_length=int(lengths.max(initial=0)),
        density=occurrences / max(1, len(data) * len(data.vocabulary)),
        type_token_ratio=len(data.vocabulary) / max(1, occurrences),
        k=k,
        rare_items=len(rare),
        rare_item_names=tuple(data.vocabulary[code] for code in rare.tolist()),
        persons=None if data.persons is None else len(np.unique(data.persons)),
        empty_records=data.empty_records,
        singled_out=singled_out(data, m, rng=rng),
    )
