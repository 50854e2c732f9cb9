"""k^m breakage: itemsets that the release tears apart because fewer than k records hold them, found again.

Thesis, section 5.2.1. *Protected* is a set of 2 to m items of one original record (without what was suppressed) that
fewer than k records of its cluster hold and that no record or shared chunk shows together; the second variant counts
holders in all data. An itemset counts once in each cluster. It is broken if some rebuilt record of the cluster
contains it; more strictly, if the rebuilt record of one of its true holders does.

Scopes part the itemsets: "term" has at least one item of a term chunk, "shared" has none of those but one of a shared
chunk, "record" has items of record chunks alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from cloven.model.arrays import distinct
from cloven.scoring.breakage_kernel import Holders, Records, find_broken, find_protected
from cloven.scoring.definitions import SCOPES
from cloven.scoring.rebuilt import anchors
from cloven.scoring.tally import Tallies, Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.scoring.rebuilt import Cells
    from cloven.scoring.truth import Truth
    from cloven.scoring.units import Units

LIMIT = 10_000_000
"""Itemsets that are looked at; where records have more of them, a random sample of the records is searched."""


@dataclass(frozen=True, eq=False)
class Protected:
    """Protected itemsets, once for every searched record that holds them.

    Attributes:
        slot: slot of that record.
        weight: 1 divided by the number of holders in the cluster: the weights of one itemset add up to 1.
        scope: a ``Kind``: which scope it belongs to.
        rare: whether fewer than k records of all data hold it.
        searched: share of the records that were searched; 1 means exact.
    """

    slot: NDArray[np.int64]
    weight: NDArray[np.float64]
    scope: NDArray[np.int8]
    rare: NDArray[np.bool_]
    searched: float
    members: NDArray[np.int64]
    true: Records
    in_cluster: Holders


def protected_itemsets(
    truth: Truth, release: Disassociated, rng: np.random.Generator, limit: int = LIMIT
) -> Protected:
    """Find the protected itemsets, in all records or in as many random ones as stay below the limit."""
    held, slots, width = truth.held, len(truth.slot_record), max(1, len(release.vocabulary))
    order = np.argsort(held.slot * width + held.item)
    slot, item = held.slot[order], held.item[order]
    true = Records(np.searchsorted(slot, np.arange(slots + 1)), item)
    cluster = np.repeat(np.arange(release.clusters), release.cluster_size)
    in_cluster = _holders(cluster[slot] * width + item, slot)
    searched, most = _searched(np.diff(true.offsets), release.m, limit, rng)
    members, support, scope, rare = find_protected(
        searched,
        most,
        release.k,
        release.m,
        true,
        held.part[order],
        held.kind[order],
        in_cluster,
        _holders(item, slot),
    )
    return Protected(
        slot=slot[members[:, 0]],
        weight=1 / support,
        scope=scope,
        rare=rare,
        searched=len(searched) / slots if slots else 1.0,
        members=members,
        true=true,
        in_cluster=in_cluster,
    )


def breakages(
    protected: Protected,
    truth: Truth,
    release: Disassociated,
    given: Cells,
    place: NDArray[np.int64],
    units: Units,
) -> Tallies:
    """Shares of the protected itemsets that are broken, for each scope; ``place`` is the best match of the slots."""
    width = max(1, given.width)
    cells = distinct(
        np.concatenate(
            (given.numbers(SCOPES["all"]), anchors(truth.questions, release).numbers(SCOPES["all"]))
        )
    )
    rebuilt = Records(np.searchsorted(cells, np.arange(given.slots + 1) * width), cells % width)
    cluster = np.repeat(np.arange(release.clusters), release.cluster_size)
    read = np.empty_like(place)
    read[place] = np.arange(len(place))
    names, lists = _named(protected, cluster, width)
    rebuilt_lists = _holders(cluster[cells // width] * width + cells % width, cells // width, names, lists)
    broken = find_broken(
        protected.members, protected.true, protected.in_cluster, rebuilt, rebuilt_lists, read
    )
    return _tallies(protected, broken, units)


def _tallies(protected: Protected, broken: NDArray[np.bool_], units: Units) -> Tallies:
    tallies: Tallies = {}
    for name, counted in (("km", np.ones_like(protected.rare)), ("km_data", protected.rare)):
        weight = np.where(counted, protected.weight, 0.0)
        below = _weighed(protected, weight, units)
        for column, version in enumerate(("any", "own", "own_best")):
            above = _weighed(protected, np.where(broken[:, column], weight, 0.0), units)
            for scope, kinds in SCOPES.items():
                kind = list(kinds)
                tallies[f"{name}_{version}", scope] = Tally(above[kind].sum(axis=0), below[kind].sum(axis=0))
    return tallies


def _weighed(protected: Protected, weight: NDArray[np.float64], units: Units) -> NDArray[np.float64]:
    """Sum of weights for each kind of itemset and unit: how many itemsets these are."""
    cell = protected.scope.astype(np.int64) * units.total + units.of_slot[protected.slot]
    sums = np.bincount(cell, weight, 3 * units.total).reshape(3, units.total).astype(float)
    # Thirds that add up to one are whole numbers, but for rounding.
    return np.rint(sums) if protected.searched == 1 else sums


def _searched(
    lengths: NDArray[np.int64], m: int, limit: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], int]:
    """Slots to search, ascending, and how many itemsets they have."""
    sizes = range(2, m + 1)
    table = [sum(comb(length, size) for size in sizes) for length in range(int(lengths.max(initial=0)) + 1)]
    if sum(table[length] for length in lengths.tolist()) <= limit:
        chosen = np.arange(len(lengths))
    else:
        order = rng.permutation(len(lengths))
        many = np.cumsum([float(table[length]) for length in lengths[order].tolist()])
        chosen = np.sort(order[: max(1, int(np.searchsorted(many, limit, "right")))])
    return chosen, sum(table[length] for length in lengths[chosen].tolist())


def _holders(
    names: NDArray[np.int64],
    slot: NDArray[np.int64],
    known: NDArray[np.int64] | None = None,
    of: NDArray[np.int64] | None = None,
) -> Holders:
    """Slots listed by name; by default all names that occur, and the list of each entry."""
    order = np.argsort(names, kind="stable")
    ordered = names[order]
    if known is None or of is None:
        known = distinct(ordered)
        of = np.searchsorted(known, names)
    return Holders(
        of, np.searchsorted(ordered, known, "left"), np.searchsorted(ordered, known, "right"), slot[order]
    )


def _named(
    protected: Protected, cluster: NDArray[np.int64], width: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Names (cluster and item) of the lists of the true records, and the list of each entry."""
    lists = protected.in_cluster
    slot = np.repeat(np.arange(len(cluster)), np.diff(protected.true.offsets))
    names = np.empty(len(lists.starts), np.int64)
    names[lists.of] = cluster[slot] * width + protected.true.items
    return names, lists.of
