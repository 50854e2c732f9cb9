"""How well were the generalised items guessed where a release does not mark them?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.attack.generalised.tables import tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.added import Tables
    from cloven.model.set_generalised import SetGeneralised


def marking(guessed: Tables, release: SetGeneralised) -> dict[str, Any]:
    """Guessed generalised items against the true ones, as plain JSON values.

    ``found``: share of the generalised items that were guessed exactly. ``item_recall`` and ``item_precision``: of the
    items that are generalised, and of those taken for it. ``pair_recall`` and ``pair_precision``: the same for pairs of
    items of one generalised item. None where there is nothing to divide by.
    """
    true = tables(release)
    ours, theirs = _label(guessed, len(release.vocabulary)), _label(true, len(release.vocabulary))
    both = (ours >= 0) & (theirs >= 0)
    meeting = np.unique(np.stack((ours[both], theirs[both])), axis=1, return_counts=True)
    shared = _pairs(meeting[1])
    guessed_pairs, true_pairs = (_pairs(np.diff(each.column_offsets)) for each in (guessed, true))
    sizes = np.diff(guessed.column_offsets)[meeting[0][0]], np.diff(true.column_offsets)[meeting[0][1]]
    exact = int(np.sum((meeting[1] == sizes[0]) & (meeting[1] == sizes[1])))
    return {
        "guessed": len(guessed),
        "generalised_items": len(true),
        "found": _share(exact, len(true)),
        "item_recall": _share(int(both.sum()), int((theirs >= 0).sum())),
        "item_precision": _share(int(both.sum()), int((ours >= 0).sum())),
        "pair_recall": _share(shared, true_pairs),
        "pair_precision": _share(shared, guessed_pairs),
    }


def _label(found: Tables, items: int) -> NDArray[np.int64]:
    """Table of each item, -1 for those in none."""
    label = np.full(items, -1, np.int64)
    label[found.columns] = np.repeat(np.arange(len(found)), np.diff(found.column_offsets))
    return label


def _pairs(sizes: NDArray[np.int64]) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
