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
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.kinds.disassociated.release import Kind
from cloven.kinds.disassociated.score.definitions import SCOPES
from cloven.statistics.tally import Tallies, Tally
from experiments.thesis.rebuilt import anchors, matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.score.definitions import Units
    from cloven.kinds.disassociated.score.precision import Cells
    from cloven.kinds.disassociated.score.truth import Truth

    Bits = NDArray[np.uint8]


class Itemsets(NamedTuple):
    """Protected itemsets of one cluster.

    Attributes:
        first, last: slots of the cluster.
        items: the items of the cluster.
        members: places in ``items`` of the members of each itemset; a short one repeats its first.
        held: slots that hold each itemset, as bits.
        scope: a ``Kind``: which scope it belongs to.
        rare: whether fewer than k records of all data hold it.
    """

    first: int
    last: int
    items: Longs
    members: Longs
    held: Bits
    scope: NDArray[np.int8]
    rare: Flags


@dataclass(frozen=True, eq=False)
class Protected:
    """The protected itemsets of a release, cluster by cluster, and what each slot shows."""

    clusters: tuple[Itemsets, ...]
    shown: Cells


def protected_itemsets(truth: Truth, release: Disassociated) -> Protected:
    """Find the protected itemsets of all records."""
    held, slots, width = truth.held, len(truth.slot_record), max(1, len(release.vocabulary))
    whole = np.zeros((slots, width), bool)
    whole[held.slot, held.item] = True
    kind, part = np.zeros((slots, width), np.int8), np.zeros((slots, width), np.int32)
    kind[held.slot, held.item], part[held.slot, held.item] = held.kind, held.part
    everywhere = np.packbits(whole, axis=0)
    found = []
    for first, last in zip(truth.questions.slot_offsets[:-1], truth.questions.slot_offsets[1:], strict=True):
        items = np.flatnonzero(whole[first:last].any(axis=0))
        here = np.s_[first:last], items
        members, holder = _listed(whole[first:last][:, items], release.m)
        scope = _scopes(kind[here][holder[:, None], members], part[here][holder[:, None], members])
        shared = _shared(np.packbits(whole[first:last][:, items], axis=0), members)
        kept = (np.bitwise_count(shared).sum(axis=0) < release.k) & (scope >= 0)
        members = members[kept]
        rare = np.bitwise_count(_shared(everywhere, items[members])).sum(axis=0) < release.k
        found.append(Itemsets(int(first), int(last), items, members, shared[:, kept], scope[kept], rare))
    return Protected(tuple(found), anchors(truth.questions, release))


def _listed(records: Flags, m: int) -> tuple[Longs, Longs]:
    """Every set of 2 to m items of some record, and the first record that holds it."""
    first: dict[tuple[int, ...], int] = {}
    for number, record in enumerate(records):
        items = np.flatnonzero(record).tolist()
        for size in range(2, m + 1):
            for picked in combinations(items, size):
                first.setdefault(picked + picked[:1] * (m - size), number)
    members = np.array(list(first), np.int64).reshape(-1, max(1, m))
    return members, np.array(list(first.values()), np.int64)


def _scopes(kind: NDArray[np.int8], part: NDArray[np.int32]) -> NDArray[np.int8]:
    """Scope of each itemset from kinds and parts of its members; -1 if one part shows all."""
    term, shared = (kind == Kind.TERM).any(axis=1), (kind == Kind.SHARED).any(axis=1)
    scope = np.where(term, Kind.TERM, np.where(shared, Kind.SHARED, Kind.RECORD))
    together = (part == part[:, :1]).all(axis=1)
    return np.where(together & ~term, -1, scope).astype(np.int8)


def _shared(bits: Bits, members: Longs) -> Bits:
    """Slots, as bits, that hold all members of each itemset; ``bits`` are slots that hold each item."""
    found = bits[:, members[:, 0]]
    for column in members.T[1:]:
        found = found & bits[:, column]
    return found


def breakages(protected: Protected, given: Cells, place: Longs, units: Units) -> Tallies:
    """Shares of the protected itemsets that are broken, for each scope; ``place`` is the best match of the slots."""
    rebuilt = (matrix(given, len(place)) + matrix(protected.shown, len(place))).toarray() > 0
    best = np.empty_like(rebuilt)
    best[place] = rebuilt
    sums = np.zeros((2, 4, len(Kind), units.total))
    for cluster, (first, last, items, members, held, scope, rare) in enumerate(protected.clusters):
        found, better = (
            _shared(np.packbits(each[first:last][:, items], axis=0), members) for each in (rebuilt, best)
        )
        versions = (
            np.ones(len(members), bool),
            found.any(axis=0),
            (found & held).any(axis=0),
            (better & held).any(axis=0) & found.any(axis=0),
        )
        for data, counted in enumerate((np.ones(len(members), bool), rare)):
            for version, broken in enumerate(versions):
                sums[data, version, :, cluster] = np.bincount(scope[counted & broken], minlength=len(Kind))
    return _tallies(sums)


def _tallies(sums: Floats) -> Tallies:
    """Tallies from how many there are and how many are broken, by definition, version, kind and unit."""
    tallies: Tallies = {}
    for name, (below, *broken) in zip(("km", "km_data"), sums, strict=True):
        for version, above in zip(("any", "own", "own_best"), broken, strict=True):
            for scope, kinds in SCOPES.items():
                kind = list(kinds)
                tallies[f"{name}_{version}", scope] = Tally(above[kind].sum(axis=0), below[kind].sum(axis=0))
    return tallies
