"""The attacker who guesses by frequency: of the items of a generalised item, the commonest was there.

The random attack (RA, section 6.2 of Shao and Ong, ACM TOIT 2017) takes all items of a generalised item for equally
likely. Nobody has to: how common a disease or an article is, is known from elsewhere, and a release that merges a
common item with rare ones hides the rare ones alone. If items were in records independently of each other, item i with
probability f(i), a row that shows the generalised item B has

    P(i | B) = f(i) / (1 - product over j of B of (1 - f(j)))

No other reader than one who knows more of the row can do better, so this is what guessing means here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.generalised.guesses import Eliminations, RowAnswer, published_only, tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.compiled import Floats, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.generalised.release import SetGeneralised


UNSEEN = 0.5
"""Holders that every item has beside those who were counted: what nobody holds in a sample is not impossible."""


@dataclass(frozen=True, eq=False)
class Frequencies:
    """How common items are among people, as an attacker knows it.

    Attributes:
        holders: how many people were seen to hold each item; an item that is not there was seen with nobody.
        people: how many were asked.
    """

    holders: dict[str, int]
    people: int

    def __post_init__(self) -> None:
        if self.people < 0 or any(not 0 <= many <= self.people for many in self.holders.values()):
            message = f"holders must be between 0 and the {self.people:,} people who were asked; count again"
            raise ParameterError(message)

    @classmethod
    def of(cls, data: Transactions) -> Frequencies:
        """Counted on data, by persons where they are known.

        >>> import cloven as cv
        >>> Frequencies.of(cv.Transactions.from_records([["flu"], ["flu", "hiv"]])).holders
        {'flu': 2, 'hiv': 1}
        """
        people = len(data) if data.persons is None else len(np.unique(data.persons))
        return cls(dict(zip(data.vocabulary, data.holders.tolist(), strict=True)), people)

    def shares(self, vocabulary: tuple[str, ...]) -> Floats:
        """Probability that somebody holds each item, never 0 and never 1."""
        found = np.array([self.holders.get(name, 0) for name in vocabulary], np.float64)
        return (found + UNSEEN) / (self.people + 2 * UNSEEN)


def given_block(release: SetGeneralised, frequencies: Frequencies | None) -> Floats:
    """Probability of each item in a row that shows its block; one is expected and all are alike if nothing is known.

    >>> from cloven.kinds.generalised.release import SetGeneralised
    >>> release = SetGeneralised(2, {}, ("flu", "hiv"), ("",), np.array([0, 2]), np.array([0, 1]), np.array([0, 1]),
    ...                          np.array([0]))
    >>> given_block(release, None).tolist(), given_block(release, Frequencies({"flu": 8}, 9)).round(3).tolist()
    ([0.5, 0.5], [0.991, 0.058])
    """
    sizes, block = release.block_sizes, release.block_of_item
    if frequencies is None:
        return (1.0 / sizes)[block]
    share = frequencies.shares(release.vocabulary)
    none_held = np.bincount(block, np.log1p(-share), release.blocks)
    likely: Floats = np.minimum(1.0, share / -np.expm1(none_held)[block])
    likely[sizes[block] == 1] = 1.0  # not by frequency: a row that shows it has it
    return likely


@dataclass(frozen=True, eq=False)
class FrequencyElimination:
    """Keeps the commonest item of every generalised item of a row, and takes the others for added.

    Attributes:
        frequencies: how common items are elsewhere.
    """

    frequencies: Frequencies

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {"name": "frequency-elimination", "people": self.frequencies.people}

    def guess(
        self,
        release: SetGeneralised,
        rng: np.random.Generator | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Callable[[str, float], None] | None = None,
    ) -> Eliminations:
        """Answer every table of a release; all its rows get the same answer."""
        published_only(release)
        asked, likely = tables(release), given_block(release, self.frequencies)
        added, order = np.empty(asked.cells, np.float32), np.empty(asked.cells, np.int32)
        for table in range(len(asked)):
            here = slice(asked.cell_offsets[table], asked.cell_offsets[table + 1])
            rows, _ = asked.shape(table)
            chance = likely[asked.columns[asked.column_offsets[table] : asked.column_offsets[table + 1]]]
            added[here] = np.tile(1 - chance, rows)
            order[here] = _rarest_first(chance, rows).ravel()
            if progress is not None:
                progress("attack", (table + 1) / len(asked))
        answer = np.full(len(asked.rows), RowAnswer.INFORMED, np.int8)
        return Eliminations(asked, order >= 0, added, order, answer, self.parameters, {})


def _rarest_first(chance: Floats, rows: int) -> Longs:
    """When each cell of a table goes: rare items first, row by row; the commonest one stays."""
    turn = np.empty(len(chance), np.int64)
    turn[np.lexsort((-np.arange(len(chance)), chance))] = np.arange(len(chance))
    out = turn * rows + np.arange(rows)[:, None]
    out[:, turn == len(chance) - 1] = -1
    return out
