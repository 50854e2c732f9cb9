"""What is left of the worlds of one class once those are ruled out in which it would have been cut further.

Where there are few enough ways to deal, all are looked at. Else worlds are drawn by lot; where lots hardly find one
that is left, a walk goes from one to the next. What was not met that way is still possible, unless a search that was
brought to its end found no world with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.attack.sliced.replayed_kernel import (
    BY_HARM,
    DISTINCT,
    ENTROPY,
    EQUAL,
    ORDERED,
    RECURSIVE,
    Deal,
    Rules,
    drawn,
    searched,
    walked,
)
from cloven.errors import ParameterError, shorten
from cloven.model.harm import Harm, slack
from cloven.model.row_numbers import row_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from cloven.attack.sliced.replayed_cuts import Cuts
    from cloven.model.buckets import Buckets

    Longs = NDArray[np.int64]

_ALL, _ONE = False, True  # worlds to search for
ENOUGH = 0.05
"""Share of drawn worlds that must be left, or a walk is taken."""
_WORK = 4_000_000
"""Steps times cuts that the searches in one class may take in all."""
_MANY = 20
"""Ways to deal kinds one by one, as if there were room for all, for each step of a search."""


@dataclass(frozen=True, eq=False)
class Demands:
    """What a release demands of its classes, and which value of each demand every row has.

    Attributes:
        rules: the demands.
        values: rows x demands.
    """

    rules: Rules
    values: Longs

    @classmethod
    def of(cls, view: Buckets, constraints: Any) -> Demands:
        """Read the constraints of a release; rows in the order of its buckets."""
        coded, columns, harms = [], [], []
        for entry in constraints:
            coded.append(_coded(entry))
            columns.append(_column(view, entry["attributes"]))
            harms.append(_harm(view, entry, int(columns[-1].max(initial=-1)) + 1))
        counts = [np.bincount(column) for column in columns]
        start = np.concatenate([[0], np.cumsum([len(count) for count in counts])]).astype(np.int64)
        kinds, levels, factors = zip(*coded, strict=True)
        rules = Rules(
            np.array(kinds, np.int64),
            np.array(levels, np.float64),
            np.array(factors, np.float64),
            start,
            np.concatenate(counts) / len(view.cells),
            *(np.concatenate(parts) for parts in zip(*harms, strict=True)),
        )
        values = np.column_stack([column + first for column, first in zip(columns, start, strict=False)])
        return cls(rules, values.astype(np.int64))


def _coded(entry: Mapping[str, Any]) -> tuple[int, float, float]:
    """Demand, level and factor, as the kernels read them."""
    try:
        match entry["demand"]:
            case "distinct-l":
                counted = BY_HARM if "harmless" in entry or "within" in entry else DISTINCT
                return counted, float(entry["l"]), 0.0
            case "entropy-l":
                return ENTROPY, float(np.log(entry["l"])), 0.0
            case "recursive-l":
                return RECURSIVE, float(entry["l"]), float(entry["c"])
            case "t-closeness":
                return (EQUAL if entry["distance"] == "equal" else ORDERED), float(entry["t"]), 0.0
    except (KeyError, TypeError, ValueError):
        pass
    message = (
        f"the constraint {shorten(str(entry))} of the release cannot be understood; get the release again"
    )
    raise ParameterError(message)


def _harm(
    view: Buckets, entry: Mapping[str, Any], values: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Of the values that a demand speaks of: a number, the largest that is as good as the same, and which harm."""
    place = np.arange(values, dtype=np.float64)
    if len(entry["attributes"]) != 1 or not {"harmless", "within"} & set(entry):
        return place, place, np.ones(values, bool)
    harm = Harm.of(entry.get("harmless"), entry.get("within"))
    domain = view.domains[view.position(entry["attributes"][0])]
    codes = np.unique(domain.members[domain.member_offsets[view.cells[:, view.position(domain.name)]]])
    texts = [domain.values[code] for code in codes.tolist()]
    number = np.array([float(text) for text in texts]) if harm.within else place
    upto = harm.upto(number) + slack(number) if harm.within else place
    return number, upto, harm.harmful(texts)


def _column(view: Buckets, names: Any) -> Longs:
    """A number for the values that each row has of some attributes, ascending with them."""
    found = []
    for name in names:
        place = view.position(name)
        domain = view.domains[place]
        found.append(domain.members[domain.member_offsets[view.cells[:, place]]])
    return row_numbers(np.column_stack(found))


@dataclass(frozen=True, eq=False)
class Worlds:
    """What is left of one class.

    Attributes:
        chances: cells x kinds: how likely a row of the cell has the kind.
        possible: cells x kinds: not proved impossible.
        kept: share of all worlds that is left, as far as it is known.
        worlds: how many worlds were drawn or walked to that are left; 0 if all were looked at.
        known: whether anything could be told.
    """

    chances: NDArray[np.float64]
    possible: NDArray[np.bool_]
    kept: float = 1.0
    worlds: int = 0
    known: bool = True


@dataclass(frozen=True, eq=False)
class ClassWorlds:
    """The worlds of one class.

    Attributes:
        rules: what is demanded.
        cuts: those that were not made.
        deal: kinds and cells.
        draws: worlds that are drawn, at most, where not all can be looked at.
        most: steps of a search, at most.
    """

    rules: Rules
    cuts: Cuts
    deal: Deal
    draws: int
    most: int

    @classmethod
    def of(cls, rules: Rules, cuts: Cuts, values: Longs, copies: Longs, draws: int, most: int) -> ClassWorlds:
        """For kinds (the last one the most frequent) with these values and copies."""
        sizes = np.bincount(cuts.cell_of_row).astype(np.int64)
        right = cuts.sides @ sizes
        beyond = np.column_stack([sizes.sum() - right, right]).astype(np.int64)
        deal = Deal(np.ascontiguousarray(values.T), copies, sizes, np.ascontiguousarray(cuts.sides), beyond)
        steps = min(most, max(1_000, _WORK // max(1, len(cuts.sides))))
        return cls(rules, cuts, deal, draws, steps)

    @property
    def never_cut(self) -> bool:
        """Whether no deal at all gives both sides the different values they need: then nothing is ruled out."""
        for number, demand in enumerate(self.rules.demand.tolist()):
            if demand == DISTINCT:
                counts = np.bincount(self.deal.values[number], self.deal.copies)
                if np.minimum(counts, 2).sum() < 2 * self.rules.level[number]:
                    return True
        return False

    @property
    def _hopeless(self) -> bool:
        """Whether there are far too many worlds to look at, and no part of a world says that it is ruled out."""
        if (self.rules.demand == DISTINCT).all():
            return False
        cells = len(self.deal.sizes)
        ways = (comb(int(copies) + cells - 1, cells - 1) for copies in self.deal.copies[:-1])
        return prod(ways) > _MANY * self.most

    def left(self, rng: np.random.Generator) -> Worlds:
        """Rule out worlds."""
        shape = (len(self.deal.sizes), len(self.deal.copies))
        plain = np.tile(self.deal.copies / self.deal.copies.sum(), (shape[0], 1))
        if self.never_cut:
            return Worlds(plain, np.ones(shape, bool))
        if self._hopeless:
            return self._sampled(plain, rng)
        shares = np.zeros(shape)
        steps, kept, _ = searched(self.rules, self.deal, -1, -1, _ALL, self.most, shares)
        if steps >= 0 and kept > 0:
            return Worlds(shares / kept, shares > 0, min(1.0, kept))
        if steps >= 0:  # no world leaves the class as it is: it was not made in this way
            return Worlds(plain, np.ones(shape, bool), 0.0, known=False)
        return self._sampled(plain, rng)

    def _sampled(self, plain: NDArray[np.float64], rng: np.random.Generator) -> Worlds:
        counts = np.zeros(plain.shape, np.int64)
        cuts = self.cuts
        given = (self.rules, self.deal, cuts.orders, cuts.allowed, cuts.cell_of_row)
        left = drawn(rng, *given, self.draws, counts)
        share, worlds = left / self.draws, left
        if share == 1.0:
            return Worlds(counts / counts.sum(axis=1, keepdims=True), np.ones(plain.shape, bool), 1.0, left)
        if share < ENOUGH:
            start = self._some_world(rng)
            if start is None:
                return Worlds(plain, np.ones(plain.shape, bool), share, left, known=False)
            worlds = max(1, self.draws // 4)
            counts[:] = 0
            walked(rng, *given, start, worlds, counts)
        possible = self._possible(counts > 0)
        return Worlds(counts / counts.sum(axis=1, keepdims=True), possible, share, worlds)

    def _some_world(self, rng: np.random.Generator) -> Longs | None:
        """A kind for each row under which no cut was possible, if the search finds one."""
        empty = np.zeros((len(self.deal.sizes), len(self.deal.copies)))
        steps, kept, found = searched(self.rules, self.deal, -1, -1, _ONE, self.most, empty)
        if steps < 0 or kept == 0:
            return None
        world = np.empty(len(self.cuts.cell_of_row), np.int64)
        for cell, counts in enumerate(found):
            hand = np.repeat(np.arange(len(counts)), counts)
            world[self.cuts.cell_of_row == cell] = rng.permutation(hand)
        return world

    def _possible(self, met: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Kinds that were met in a cell, or of which no search to its end shows that they cannot be there."""
        possible, budget = np.ones_like(met), self.most
        empty = np.zeros(met.shape)
        for cell, kind in np.argwhere(~met).tolist():
            if budget <= 0:
                break
            steps, kept, _ = searched(self.rules, self.deal, cell, kind, _ONE, budget, empty)
            budget -= budget if steps < 0 else steps
            possible[cell, kind] = steps < 0 or kept > 0
        return possible
