"""What a set-generalised release is like beside its original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.kinds.generalised.guesses import contexts, published_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.data.transactions import Transactions
    from cloven.kinds.generalised.release import SetGeneralised


@dataclass(frozen=True)
class GeneralisedDescription:
    """Figures of a release and its original; private to the owner.

    Attributes:
        transactions: records of the original.
        length: mean number of items of a record.
        items: different items of the original.
        suppressed_items: items of the original that the release does not have.
        generalised_items: blocks of more than one item that some record shows; what can be attacked.
        items_in_them: items that they stand for.
        mean_size: mean number of items of a generalised item; ``largest_size`` likewise.
        mean_rows: mean number of records that show one.
        cells: questions, a record and an item each.
        density: mean share of original items in a generalised item, the mean taken over generalised items.
        base_rate: share of added items among all cells: the precision of random elimination.
        rows_without_context: records that show a generalised item and no item for certain.
        mean_context: mean number of certain items of the others.
    """

    transactions: int
    length: float
    items: int
    suppressed_items: int
    generalised_items: int
    items_in_them: int
    mean_size: float
    largest_size: int
    mean_rows: float
    cells: int
    density: float | None
    base_rate: float | None
    rows_without_context: int
    mean_context: float


def describe_generalised(release: SetGeneralised, original: Transactions) -> GeneralisedDescription:
    """Describe a release and the data that it was made from."""
    published_only(release)
    used = (release.block_sizes > 1) & (release.supports > 0)
    sizes, rows = release.block_sizes[used], release.supports[used]
    cells = int((sizes * rows).sum())
    held = _held(release, original)
    row = np.repeat(np.arange(release.records), np.diff(release.row_offsets))
    torn = np.zeros(release.records, bool)
    torn[row[used[release.row_blocks]]] = True
    context = np.diff(contexts(release).offsets)[torn]
    published = {release.vocabulary[item] for item in release.block_items.tolist()}
    return GeneralisedDescription(
        transactions=len(original),
        length=_mean(original.lengths),
        items=len(original.vocabulary),
        suppressed_items=sum(item not in published for item in original.vocabulary),
        generalised_items=len(sizes),
        items_in_them=int(sizes.sum()),
        mean_size=_mean(sizes),
        largest_size=int(sizes.max(initial=0)),
        mean_rows=_mean(rows),
        cells=cells,
        density=float((held[used] / (sizes * rows)).mean()) if cells else None,
        base_rate=1 - float(held[used].sum()) / cells if cells else None,
        rows_without_context=int((context == 0).sum()),
        mean_context=_mean(context[context > 0]),
    )


def _held(release: SetGeneralised, original: Transactions) -> NDArray[np.int64]:
    """How often the records of the original hold an item of each block."""
    code = {release.vocabulary[item]: item for item in release.block_items.tolist()}
    block = np.full(len(release.vocabulary), -1, np.int64)
    block[release.block_items] = np.repeat(np.arange(release.blocks), release.block_sizes)
    of_name = np.array([block[code[name]] if name in code else -1 for name in original.vocabulary], np.int64)
    held = of_name[original.codes] if len(original.codes) else np.empty(0, np.int64)
    return np.bincount(held[held >= 0], minlength=release.blocks)


def _mean(values: NDArray[np.int64]) -> float:
    return float(values.mean()) if len(values) else 0.0
