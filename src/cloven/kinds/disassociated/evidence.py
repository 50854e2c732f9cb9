"""What a release says about a set of items: how many records of each cluster may hold them all, or must.

In a cluster an item has one place: a record chunk, else the term chunk, else a shared chunk of a joint above, else
the list of the root. What may have been withheld is not counted: fewer than k hold it. The items fall into one part
per chunk. A record holds them all only if it has a sub-record with the part in each of those chunks, so the scarcest
part is an upper bound. Parts with supports n1 .. nr in a cluster of size s overlap in at least n1 + .. + nr - (r - 1)
s records (the rest of each part leaves at most s - ni records out); a term-chunk item counts 1. No record of a
release is empty, which bounds it further.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Longs, compiled
from cloven.data.arrays import distinct, positions, repeats, run_starts, stable_order
from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.kinds.disassociated.release import Kind, climb

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cloven.compiled import Flags, Floats
    from cloven.kinds.disassociated.release import Disassociated


MOST_ITEMS = 62
"""Items are bits of one 64-bit number."""
_IN_PAIRS = 8
"""Items of which any two are counted together too."""
MOST_COUNTED = 1 << 10
"""Numbers below which it is quicker to count which of them occur than to sort."""


@dataclass(frozen=True)
class Evidence:
    """Bounds on the number of records that hold all items asked for.

    Attributes:
        at_most: upper bound for each cluster; 0 where the items cannot meet.
        at_least: lower bound for each cluster, from its own chunks.
        expected: records of each cluster that are expected to hold them: its size times the share of records that hold
            each part. A cluster that merely lists an item has few of them, whatever it might have.
        shared_at_least: shared sub-records that hold all the items; each is one more record, in some cluster. A single
            item of the list of the root is in one more.
        total_at_most: upper bound for the whole release: the sum of ``at_most``, except that a shared
        sub-record
            counts once, not once in every cluster it might belong to.
    """

    at_most: Longs
    at_least: Longs
    expected: Floats
    shared_at_least: int
    total_at_most: int

    @property
    def total_at_least(self) -> int:
        """Lower bound for the whole release."""
        return int(self.at_least.sum()) + self.shared_at_least


class Hits(NamedTuple):
    """Published rows with at least one item asked for, ascending, and which ones (bits)."""

    rows: Longs
    masks: Longs


def evidence(release: Disassociated, codes: Longs, root: Floats | None = None) -> Evidence:
    """Bounds for the items with these codes (positions in the vocabulary, no repeats).

    Of a part of a release, ``root`` says for each item which share of the records that may have it from the root do.
    """
    if not 0 < len(codes) <= MOST_ITEMS:
        message = f"between 1 and {MOST_ITEMS} items can be asked for at once, got {len(codes)}"
        raise ParameterError(message)
    wanted = (1 << len(codes)) - 1
    hits = _hits(release, codes)
    kind = release.row_kind[hits.rows]
    size = release.cluster_size
    held, at_most, at_least, share = _record_parts(
        release, Hits(*(column[kind == Kind.RECORD] for column in hits))
    )
    terms = _term_parts(release, Hits(*(column[kind == Kind.TERM] for column in hits))) & ~held
    if terms.any():
        at_least += np.bitwise_count(terms) * (1 - size)
        share /= size.astype(np.float64) ** np.bitwise_count(terms)
        held |= terms
    shared = Hits(*(column[kind == Kind.SHARED] for column in hits))
    parts = shared_parts(release, shared.rows, shared.masks, wanted & ~held)
    held |= parts.held
    drawn = parts.supply / _open_records(size, parts) if root is None else root[codes[_bit(parts.part)]]
    np.multiply.at(share, parts.cluster, drawn)
    listed = _listed(release, hits) & ~held
    if listed.any():
        share /= float(max(1, release.records)) ** np.bitwise_count(listed)
        held |= listed
    at_least[(parts.held | listed) != 0] = 0
    np.minimum.at(at_most, parts.cluster, parts.fitting)
    at_most[held != wanted] = 0
    at_least[(held != wanted) | (at_least < 0)] = 0
    surely = int((shared.masks == wanted).sum()) + int(len(codes) == 1 and bool(listed.any()))
    share[held != wanted] = 0
    return Evidence(at_most, at_least, share * size, surely, _total(at_most, parts, wanted))


def _hits(release: Disassociated, codes: Longs) -> Hits:
    found = [release.rows_with(code) for code in codes.tolist()]
    masks = np.repeat(1 << np.arange(len(codes), dtype=np.int64), [len(each) for each in found])
    rows = np.concatenate(found)
    order = np.argsort(rows, kind="stable")
    rows, masks = rows[order], masks[order]
    first = run_starts(rows)
    return Hits(rows[first], np.bitwise_or.reduceat(masks, first) if len(rows) else masks)


def _bit(single: Longs) -> Longs:
    """Which bit a number has, if it has one."""
    return np.bitwise_count(single - 1).astype(np.int64)


def _open_records(size: Longs, parts: SharedParts) -> Floats:
    """Records of all clusters that draw the same part from the same shared chunk."""
    if not len(parts.cluster):
        return np.empty(0)
    group = _numbered(parts.chunk, parts.part)
    total = np.bincount(group, size[parts.cluster]).astype(np.float64)
    return total[group]


def _record_parts(release: Disassociated, hits: Hits) -> tuple[Longs, Longs, Longs, Floats]:
    """Items in record chunks, upper and (possibly negative) lower bound, and share of records, for each cluster."""
    size = release.cluster_size
    share = np.ones(len(size))
    held, at_most, at_least = np.zeros(len(size), np.int64), size.copy(), size.copy()
    if len(hits.rows):
        cluster, chunk = release.row_cluster[hits.rows], release.row_chunk[hits.rows]
        first = run_starts(cluster, chunk)
        part = np.bitwise_or.reduceat(hits.masks, first)
        whole = hits.masks == np.repeat(part, np.diff(np.append(first, len(hits.rows))))
        support = np.add.reduceat(whole, first, dtype=np.int64)
        cluster = cluster[first]
        np.bitwise_or.at(held, cluster, part)
        np.minimum.at(at_most, cluster, support)
        _leave_none_empty(release, at_most, np.bincount(cluster, minlength=len(size)))
        np.add.at(at_least, cluster, support - size[cluster])
        np.multiply.at(share, cluster, support / np.maximum(size[cluster], 1))  # a damaged one may say 0
    return held, at_most, at_least, share


def _leave_none_empty(release: Disassociated, at_most: Longs, parts: Longs) -> None:
    """Tighten the bound where record chunks alone must fill every record of a cluster.

    If q records take a sub-record from each of r chunks, the other records still need one each, so the
    cluster has at least r q + size - q sub-records (the lemma of Terrovitis et al., PVLDB 2012, turned
    round).
    """
    alone = (parts > 1) & (release.cluster_joint < 0) & ~release.has_terms & ~np.bool_(release.may_be_empty)
    spare = release.record_rows - release.cluster_size
    at_most[alone] = np.minimum(at_most[alone], np.maximum(spare[alone] // (parts[alone] - 1), 0))


def _term_parts(release: Disassociated, hits: Hits) -> Longs:
    terms = np.zeros(release.clusters + 1, np.int64)  # the last is the list of the root, of no cluster
    terms[release.row_cluster[hits.rows]] = hits.masks
    return terms[:-1]


def _listed(release: Disassociated, hits: Hits) -> Longs:
    """Items asked for that stand in the list of the root: each cluster may have them, if it has them nowhere else."""
    found = release.at_root[hits.rows] & (release.row_kind[hits.rows] == Kind.TERM)
    return np.full(release.clusters, np.bitwise_or.reduce(hits.masks[found], initial=0))


def _total(at_most: Longs, parts: SharedParts, wanted: int) -> int:
    """Add up over clusters; those that draw from one shared chunk get no more than it has.

    Of the items drawn, all are counted together, each alone, and each two: more items never have more candidates.
    """
    total = int(at_most.sum())
    if not len(parts.cluster):
        return total
    items = [1 << bit for bit in range(wanted.bit_length())]
    several = (one | two for one, two in combinations(items[:_IN_PAIRS], 2))
    # What no cluster draws makes no difference.
    drawn = int(np.bitwise_or.reduce(parts.part))
    sets = {among & drawn for among in (wanted, *items, *several)} - {0}
    at_most, parts = _one_of_each(at_most, parts)
    return total - max((_too_many(at_most, parts, among) for among in sets), default=0)


@compiled
def total_below_root(at_most: Longs, copies: Longs) -> int:
    """``Evidence.total_at_most`` where clusters share nothing but a root of single items.

    ``at_most`` is summed up over clusters that draw the same items (bits) from the root, by what they draw; ``copies``
    are the rows that the root has of each item asked for.
    """
    most = _drawn_too_often(at_most, copies, len(at_most) - 1)
    for one in range(len(copies)):
        most = max(most, _drawn_too_often(at_most, copies, 1 << one))
    for one in range(min(len(copies), _IN_PAIRS)):
        for two in range(one):
            most = max(most, _drawn_too_often(at_most, copies, 1 << one | 1 << two))
    return int(at_most.sum()) - most


@compiled
def _drawn_too_often(at_most: Longs, copies: Longs, among: int) -> int:
    """How many more records than rows of the root there are, where some of these items (bits) are drawn."""
    drawn, found = np.zeros(len(copies), np.int64), 0
    for bits in range(len(at_most)):
        scarce = -1  # each cluster is limited by the scarcest item it needs
        for item in range(len(copies)):
            if (bits & among) >> item & 1 and (scarce < 0 or copies[item] < copies[scarce]):
                scarce = item
        if scarce >= 0:
            drawn[scarce] += at_most[bits]
    for item in range(len(copies)):
        found += max(0, drawn[item] - copies[item])
    return found


def _one_of_each(at_most: Longs, parts: SharedParts) -> tuple[Longs, SharedParts]:
    """One cluster for all that draw the same from the same chunks, with what all of them have at most."""
    drawing = np.zeros(len(at_most), bool)
    drawing[parts.cluster] = True
    clusters = np.flatnonzero(drawing)
    alike = parts.alike[clusters]
    order = stable_order(alike)
    starts = run_starts(alike[order])
    first = clusters[order[starts]]
    together = np.zeros(len(at_most), np.int64)
    together[first] = np.add.reduceat(at_most[clusters[order]], starts)
    drawing[:] = False
    drawing[first] = True
    here = np.flatnonzero(drawing[parts.cluster])
    return together, replace(
        parts, cluster=parts.cluster[here], chunk=parts.chunk[here], part=parts.part[here],
        fitting=parts.fitting[here], supply=parts.supply[here],
    )  # fmt: skip


def _too_many(at_most: Longs, parts: SharedParts, among: int) -> int:
    """How many more records than shared sub-records there are, where clusters draw some of these items."""
    part = parts.part & among
    here = np.flatnonzero(part)
    cluster, chunk, part = parts.cluster[here], parts.chunk[here], part[here]
    supply = parts.holding(chunk, part)
    # Each cluster is limited by the scarcest shared part it needs.
    order = _least_of_each(cluster, supply)
    drawn = at_most[cluster[order]]
    group = _numbered(chunk[order], part[order])
    sums = np.bincount(group, weights=drawn).astype(np.int64)
    limit = np.zeros(len(sums), np.int64)
    limit[group] = supply[order]
    return int(np.maximum(sums - limit, 0).sum())


def _numbered(chunk: Longs, part: Longs) -> Longs:
    """A number for each pair of a chunk and a part, the same for equal ones."""
    parts = _different(part)
    return chunk * len(parts) + np.searchsorted(parts, part)


def _least_of_each(owner: Longs, value: Longs) -> Longs:
    """Position of the least value of each owner, the first of equal ones; owners ascend."""
    if (owner[1:] > owner[:-1]).all():
        return np.arange(len(owner))
    order = stable_order(owner)
    starts = run_starts(owner[order])
    run = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(order))))
    least = np.flatnonzero(value[order] == np.minimum.reduceat(value[order], starts)[run])
    return order[least[run_starts(run[least])]]


def _different(parts: Longs) -> Longs:
    """Different sets of items (bits), ascending; few items have few."""
    if parts.max(initial=0) < MOST_COUNTED:
        return np.flatnonzero(np.bincount(parts))
    return distinct(parts)


# Which items a cluster can have from the shared chunks above it, and from how many sub-records.


@dataclass(frozen=True)
class SharedParts:
    """One entry is one cluster that needs some of the items from one shared chunk.

    Attributes:
        cluster: the cluster of each entry.
        chunk: the shared chunk (a running number) of each entry.
        part: the items (bits) needed from it.
        fitting: sub-records of the chunk that hold the part and may belong to this cluster.
        supply: sub-records of the chunk that hold the part at all.
        held: for every cluster of the release, the items it can have from shared chunks.
        rows: chunk, items asked for (bits), and copies of every different sub-record.
        alike: for every cluster a number, the same for clusters that need the same items from the same chunks.
    """

    cluster: Longs
    chunk: Longs
    part: Longs
    fitting: Longs
    supply: Longs
    held: Longs
    rows: tuple[Longs, Longs, Longs]
    alike: Longs

    def holding(self, chunk: Longs, part: Longs) -> Longs:
        """Sub-records of each chunk that hold all items of each part."""
        owner, masks, copies = self.rows
        many = int(owner.max(initial=-1)) + 1
        found = np.zeros(len(chunk), np.int64)
        for items in _different(part).tolist():
            held = np.bincount(owner, copies * ((masks & items) == items), many).astype(np.int64)
            here = part == items
            found[here] = held[chunk[here]]
        return found


def shared_parts(release: Disassociated, rows: Longs, masks: Longs, missing: Longs) -> SharedParts:
    """Look for what each cluster is missing (bits) in these rows of shared chunks, which hold ``masks``."""
    held = np.zeros(release.clusters, np.int64)
    none = np.empty(0, np.int64)
    if not len(rows) or not missing.any():
        return SharedParts(none, none, none, none, none, held, (none, none, none), missing)
    rows, masks, copies = _alike(release, rows, masks)
    joint, number = release.row_joint[rows], release.row_chunk[rows]
    starts = run_starts(joint, number)
    ends = np.append(starts[1:], len(rows))
    chunk_mask = np.bitwise_or.reduceat(masks, starts)
    cluster, chunk = _clusters_below(release, joint[starts], missing)
    part = chunk_mask[chunk] & missing[cluster]
    np.bitwise_or.at(held, cluster, part)
    # An item in shared chunks of two joints above one cluster may come from either: it limits nothing.
    part &= ~_twice(cluster, part, release.clusters)[cluster]
    cluster, chunk, part = cluster[part != 0], chunk[part != 0], part[part != 0]
    entry, at = _expand(starts[chunk], ends[chunk])
    whole = (masks[at] & part[entry]) == part[entry]
    entry, at = entry[whole], at[whole]
    # Where all items of a row are asked for, and missing, the cluster shows none of them.
    items = release.row_offsets[rows + 1] - release.row_offsets[rows]
    others = np.flatnonzero(
        (np.bitwise_count(masks) < items)[at] | (masks[at] & ~missing[cluster[entry]] != 0)
    )
    allowed = np.ones(len(at), bool)
    if len(others):
        allowed[others] = ~_shows_an_item(release, cluster[entry[others]], rows[at[others]])
    supply = np.bincount(entry, copies[at], len(cluster)).astype(np.int64)
    fitting = np.bincount(entry[allowed], copies[at[allowed]], len(cluster)).astype(np.int64)
    owner = np.repeat(np.arange(len(starts)), ends - starts)
    # Clusters of one innermost joint have the same chunks above them.
    alike = _numbered(release.cluster_joint, missing)
    return SharedParts(cluster, chunk, part, fitting, supply, held, (owner, masks, copies), alike)


def _alike(release: Disassociated, rows: Longs, masks: Longs) -> tuple[Longs, Longs, Longs]:
    """One of each run of equal rows of a chunk, which ones it holds, and how many there are: mostly of single items."""
    joint, number = release.row_joint[rows], release.row_chunk[rows]
    new = ~repeats(*release.items_of(rows))
    new[run_starts(joint, number)] = True
    first = np.flatnonzero(new)
    return rows[first], masks[first], np.diff(np.append(first, len(rows)))


def _clusters_below(release: Disassociated, chunk_joint: Longs, missing: Longs) -> tuple[Longs, Longs]:
    """All pairs of a cluster that misses something and a chunk of a joint above it."""
    relevant = np.zeros(release.joints, bool)
    relevant[chunk_joint] = True
    start = np.where(missing != 0, release.cluster_joint, -1)
    clusters, chunks = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for cluster, joint in climb(start, release.joint_parent):
        here, there = cluster[relevant[joint]], joint[relevant[joint]]
        first, last = np.searchsorted(chunk_joint, there), np.searchsorted(chunk_joint, there, side="right")
        entry, chunk = _expand(first, last)
        clusters.append(here[entry])
        chunks.append(chunk)
    return np.concatenate(clusters), np.concatenate(chunks)


def _twice(cluster: Longs, part: Longs, clusters: int) -> Longs:
    """Items (bits) that a cluster finds in more than one shared chunk."""
    once, twice = np.zeros(clusters, np.int64), np.zeros(clusters, np.int64)
    order = np.argsort(cluster, kind="stable")
    starts = np.flatnonzero(np.diff(cluster[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    for turn in range(int(rank.max(initial=-1)) + 1):
        now = order[rank == turn]
        twice[cluster[now]] |= once[cluster[now]] & part[now]
        once[cluster[now]] |= part[now]
    return twice


def _shows_an_item(release: Disassociated, cluster: Longs, rows: Longs) -> Flags:
    """Whether the cluster shows an item of the shared row in its record chunks, so cannot have the row."""
    entry, at = _expand(release.row_offsets[rows], release.row_offsets[rows + 1])
    shown = release.record_items
    keys = cluster[entry] * len(release.vocabulary) + release.row_items[at]
    place = np.minimum(np.searchsorted(shown, keys), len(shown) - 1)
    shows = np.zeros(len(rows), bool)
    if len(shown):
        shows[entry[shown[place] == keys]] = True
    return shows


def _expand(first: Longs, last: Longs) -> tuple[Longs, Longs]:
    """All numbers of the ranges ``first[i] .. last[i] - 1``: which range, and the number."""
    return np.repeat(np.arange(len(first)), last - first), positions(first, last - first)


# Supports that are certain, without sampling (Terrovitis et al., PVLDB 2012, section 6).


def lower_bound_supports(
    release: Disassociated, itemsets: Iterable[Sequence[str]], *, across_chunks: bool = False
) -> Longs:
    """Support that each itemset has for certain in the published records.

    The sum over all record and shared chunks of the sub-records that hold the whole itemset, and 1 for each
    term chunk that holds a single item. It is a lower bound because an item of a record is published in one
    place only: two sub-records that hold the same item belong to two records, so no record is counted twice.

    With ``across_chunks`` itemsets that fall into several chunks of a cluster count too: parts with supports
    n1 .. nr meet in at least n1 + .. + nr - (r - 1) size records, because part i is absent from size - ni of
    them. The bound is never lower than the plain one, and takes some milliseconds per itemset.

    >>> import cloven as cv
    >>> data = cv.Transactions.from_records([["a", "b"], ["a", "c"], ["a", "d"], ["b", "e"], ["b", "f"]])
    >>> release = cv.Disassociation(k=3, m=2, rare_items="cluster").anonymise(data).release
    >>> lower_bound_supports(release, [["a"], ["c"], ["a", "b"]]).tolist()
    [3, 1, 0]
    >>> lower_bound_supports(release, [["a", "b"]], across_chunks=True).tolist()
    [1]
    """
    from cloven.statistics.mining import supports

    wanted = [tuple(dict.fromkeys(itemset)) for itemset in itemsets]
    if not across_chunks:
        certain = supports(chunk_records(release), wanted)
        certain[[number for number, itemset in enumerate(wanted) if not itemset]] = release.records
        return certain
    code_of = {name: code for code, name in enumerate(release.vocabulary)}
    return np.array([_certain(release, itemset, code_of) for itemset in wanted], np.int64)


def _certain(release: Disassociated, itemset: tuple[str, ...], code_of: dict[str, int]) -> int:
    if not itemset:
        return release.records
    if any(item not in code_of for item in itemset):
        return 0
    return evidence(release, np.array([code_of[item] for item in itemset], np.int64)).total_at_least


# The published parts as records of their own: what is certain about a release.


def chunk_records(release: Disassociated) -> Transactions:
    """One record per published sub-record, and one of a single item per item of a term chunk.

    The support of an itemset in this data is its certain support (see ``lower_bound_supports``), so mining
    it gives the itemsets that a reader is sure of: the chunk-only variants (``-a``) of the measures of
    Terrovitis et al., PVLDB 2012, section 7.
    """
    lengths = np.diff(release.row_offsets)
    term = release.row_kind == Kind.TERM
    in_term = np.repeat(term, lengths)
    codes = np.concatenate((release.row_items[~in_term], release.row_items[in_term]))
    single = np.ones(int(in_term.sum()), np.int64)
    return Transactions.from_arrays(np.concatenate((lengths[~term], single)), codes, release.vocabulary)
