"""Plausible data sets and certain supports, from a published release of any kind alone.

What an analyst works with who has no original; utility is measured on it. How it is done stands in the rooms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.errors import ParameterError
from cloven.kinds.disassociated.evidence import chunk_records, lower_bound_supports
from cloven.kinds.tables.reconstruction import reconstruct_table
from cloven.registry import part

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.release import SetGeneralised

__all__ = ["chunk_records", "lower_bound_supports", "reconstruct", "reconstruct_many", "reconstruct_table"]


def reconstruct(release: Disassociated | SetGeneralised, rng: np.random.Generator) -> Transactions:
    """One plausible data set; its records stand cluster by cluster, or row by row if the release is set-generalised.

    Records that nothing published can fill are dropped and counted in ``empty_records``; a release that
    keeps its promise has none. Where random stacking leaves a record empty in a cluster without a term
    chunk, doubled sub-records are moved there in random order, so the choice among the possible stackings is
    fair between records and between sub-records, though not exactly uniform when there are more than two
    chunks.

    >>> import cloven as cv
    >>> import numpy as np
    >>> data = cv.Transactions.from_records([["a", "b"], ["a", "b"], ["a", "c"]])
    >>> release = cv.Disassociation(k=2, m=2).anonymise(data).release
    >>> world = reconstruct(release, np.random.default_rng(1))
    >>> len(world), sorted(world.vocabulary)
    (3, ['a', 'b'])
    """
    return next(reconstruct_many(release, 1, rng))


def reconstruct_many(
    release: Disassociated | SetGeneralised, count: int, rng: np.random.Generator
) -> Iterator[Transactions]:
    """Several independent plausible data sets, one at a time."""
    if count < 1:
        message = f"the number of reconstructions must be at least 1, got {count}"
        raise ParameterError(message)
    worlds: Iterator[Transactions] = part(release, "reconstruction").worlds_of(release, count, rng)
    return worlds
