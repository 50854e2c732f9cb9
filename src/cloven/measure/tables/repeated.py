"""Rows that look like several of one person, in a table that does not say whose they are.

Different people who agree on all quasi-identifiers but one agree on the last about as often as any two do, or a few
times as often. Rows of one person always do. So every quasi-identifier is asked: how much do the odds grow that two
rows agree on it, once they agree on all others? Where all of them answer with very much, rows repeat persons; where a
single one does not (age, beside a town and its district), people are merely alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.row_numbers import row_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.table import Table

GROWTH, PAIRS = 2.0, 10
"""How much the odds grow, at least, for rows to be taken for those of one person; and how many pairs agree.

On real tables of different people they grow by 0.7 to 1.3."""


def rows_repeated(table: Table) -> float:
    """Share of the rows that agree with another one on everything known and differ in a sensitive value.

    0 where that is as may be with different people, and where a single quasi-identifier leaves nothing to compare.
    """
    codes = table.codes[:, list(table.positions("quasi-identifier"))]
    codes = codes[:, [len(np.unique(column)) > 1 for column in codes.T]]
    if codes.shape[1] < 2 or len(codes) < 2 or _growth(codes) < GROWTH:
        return 0.0
    look = row_numbers(np.ascontiguousarray(codes))
    secret = table.codes[:, list(table.positions("sensitive"))]
    whole = row_numbers(np.ascontiguousarray(np.column_stack([look, secret]).astype(np.int32)))
    kinds = np.zeros(int(look.max()) + 1, np.int64)
    np.add.at(kinds, look[np.unique(whole, return_index=True)[1]], 1)
    return float((kinds > 1)[look].mean())


def _growth(codes: NDArray[np.int32]) -> float:
    """The least growth of the odds of agreeing, over all quasi-identifiers."""
    every, pairs = _pairs(codes), len(codes) * (len(codes) - 1) / 2
    if every < PAIRS:
        return 0.0
    found = []
    for place in range(codes.shape[1]):
        alone = _pairs(codes[:, [place]])
        others = _pairs(np.delete(codes, place, axis=1))
        found.append(_odds(every, others) / max(_odds(alone, pairs), 1e-12))
    return min(found)


def _odds(agree: float, of: float) -> float:
    """Odds of agreeing, with half a pair more on each side."""
    return (agree + 0.5) / (of - agree + 0.5)


def _pairs(codes: NDArray[np.int32]) -> float:
    """Pairs of rows that agree on everything."""
    sizes = np.bincount(row_numbers(np.ascontiguousarray(codes))).astype(np.float64)
    return float((sizes * (sizes - 1) / 2).sum())
