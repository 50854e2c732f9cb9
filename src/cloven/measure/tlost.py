"""tlost: frequent items that a release names without counting (Terrovitis et al., PVLDB 2012, section 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.model.disassociated import Kind

if TYPE_CHECKING:
    from cloven.model.disassociated import Disassociated
    from cloven.model.transactions import Transactions


class TermsLost(NamedTuple):
    """Shares of the items with support of at least ``k`` in the original.

    Attributes:
        only: in no record chunk and no shared chunk, so found only in term chunks (or suppressed everywhere).
        any: in the term chunk of at least one cluster (or suppressed everywhere).
        frequent: number of items with support of at least ``k``.
    """

    only: float
    any: float
    frequent: int


def terms_lost(original: Transactions, release: Disassociated) -> TermsLost:
    """Both readings of tlost.

    The paper counts items that are found only in term chunks; later work also reads it as items found in any
    term chunk. An item that was suppressed altogether is lost in both, so that suppressing never looks like
    a gain.
    """
    frequent = [
        name
        for name, support in zip(original.vocabulary, original.supports.tolist(), strict=True)
        if support >= release.k
    ]
    if not frequent:
        return TermsLost(0.0, 0.0, 0)
    in_term = np.repeat(release.row_kind == Kind.TERM, np.diff(release.row_offsets))
    names = release.vocabulary
    counted = {names[code] for code in np.unique(release.row_items[~in_term]).tolist()}
    hidden = {names[code] for code in np.unique(release.row_items[in_term]).tolist()}
    only = sum(name not in counted for name in frequent)
    some = sum(name in hidden or name not in counted for name in frequent)
    return TermsLost(only / len(frequent), some / len(frequent), len(frequent))
