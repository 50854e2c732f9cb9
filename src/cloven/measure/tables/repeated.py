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

GROWTH, PAIRS, GROUPS = 2.0, 10, 30
"""How much the odds grow, at least, for rows to be taken for those of one person; and how many pairs agree.

On real tables of different people they grow by 0.7 to 1.3."""


def rows_repeated(table: Table) -> float:
    """Share of the rows that agree with another one on everything known, if that is more than people do; else 0.

    What changes between visits hides a person: so rows are compared by all quasi-identifiers, by all with numbers in
    thirty groups, and by all but one, and the comparison that shows most counts. Where two quasi-identifiers are left
    they may be a town and its district, so that fewer say nothing.
    """
    places = list(table.positions("quasi-identifier"))
    exact = table.codes[:, places]
    exact = exact[:, [len(np.unique(column)) > 1 for column in exact.T]]
    coarse = np.column_stack([_grouped(table, place) for place in places]) if places else exact
    coarse = coarse[:, [len(np.unique(column)) > 1 for column in coarse.T]]
    ways = [exact, coarse, *(np.delete(exact, place, axis=1) for place in range(exact.shape[1]))]
    found = [
        _shared(codes)
        for number, codes in enumerate(ways)
        if codes.shape[1] >= (2 if number < 2 else 3) and len(codes) > 1 and _growth(codes) >= GROWTH
    ]
    return max(found, default=0.0)


def _grouped(table: Table, place: int) -> NDArray[np.int32]:
    """Codes of an attribute; of numbers that take many values, the thirtieth that they are in."""
    codes = table.codes[:, place]
    if table.attributes[place].numbers is None or len(np.unique(codes)) <= GROUPS:
        return codes
    edges = np.quantile(codes, np.arange(1, GROUPS) / GROUPS)
    return np.searchsorted(edges, codes, side="right").astype(np.int32)


def _shared(codes: NDArray[np.int32]) -> float:
    """Share of the rows that agree with another one."""
    look = row_numbers(np.ascontiguousarray(codes))
    return float((np.bincount(look) > 1)[look].mean())


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
