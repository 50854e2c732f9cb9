"""Condition on shared chunks (Terrovitis et al., PVLDB 2012, joint clusters).

A shared row with an item that a cluster below shows in its record chunks cannot come from that cluster: the
item gives away more than itself. So a chunk that uses an item of record chunks below its joint, or of shared
chunks of joints below, must be k-anonymous: every distinct row at least k times, and its rows must be possible in the
same clusters (see below). Any other must be k^m-anonymous.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.data.arrays import among, counted, distinct
from cloven.errors import shorten
from cloven.kinds.disassociated.release import Kind
from cloven.kinds.disassociated.verify.promise import (
    describe,
    published_for_clusters,
    rare_in_rows,
    reads_strictly,
)
from cloven.verification.verdict import Fault, conclude, named, spot

if TYPE_CHECKING:
    from cloven.compiled import Flags, Longs
    from cloven.kinds.disassociated.key import Key
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.verify.layout import JointTree, Layout
    from cloven.verification.verdict import Check


def check_shared_chunks(release: Disassociated, layout: Layout, tree: JointTree, telling: Flags) -> Check:
    """Shared chunks are k^m-anonymous or, if they are ``telling``, k-anonymous."""
    shared = np.flatnonzero(layout.chunk_kind == Kind.SHARED)
    plain = shared[~telling[shared]]
    rare = rare_in_rows(layout, plain, release.k, release.m, strict=reads_strictly(release))
    faults = [] if rare is None else [describe(release, layout, rare, "rows")]
    faults.append(_rare_rows(release, layout, telling))
    faults.append(check_same_clusters(release, layout, tree, telling))
    otherwise = f"{len(plain):,} k^m-anonymous, {len(shared) - len(plain):,} k-anonymous"
    return conclude("shared chunks", "release", len(shared), faults, otherwise)


def uses_items_shown_below(release: Disassociated, layout: Layout, tree: JointTree) -> Flags:
    """Which shared chunks use an item of a record chunk, or of an older shared chunk, below their joint."""
    words = len(release.vocabulary)
    joint, item = layout.pairs_of(Kind.SHARED)
    cluster, shown = layout.pairs_of(Kind.RECORD)
    in_shared = np.zeros(words, bool)
    in_shared[item] = True
    cluster, shown = cluster[in_shared[shown]], shown[in_shared[shown]]
    start = np.concatenate((tree.cluster_joint[cluster], tree.parent[joint]))
    below = tree.keys_above(start, np.concatenate((shown, item)), words)
    pairs = np.flatnonzero(layout.chunk_kind[layout.pair_chunk] == Kind.SHARED)
    telling = np.zeros(layout.chunks, bool)
    telling[layout.pair_chunk[pairs[among(joint * words + item, below)]]] = True
    return telling


def _rare_rows(release: Disassociated, layout: Layout, telling: Flags) -> Fault:
    distinct = np.flatnonzero(~layout.row_repeats)
    copies = np.diff(np.append(distinct, len(layout.row_repeats)))

    def place(at: int) -> str:
        row = distinct[at]
        items = named(release.vocabulary, layout.items_of(row))
        return (
            f"{layout.place(int(layout.row_chunk[row]))} uses items shown below its joint,"
            f" and its row {items} occurs {copies[at]} times, k is {release.k}"
        )

    return spot(telling[layout.row_chunk[distinct]] & (copies < release.k), place)


# Which clusters cannot have a row of a shared chunk, and whether that is the same for all its items.
#
# A cluster cannot take an item from a shared chunk if it shows it in its record chunks, or if a joint between the two
# shares it: all its occurrences are published there. In a chunk that uses such items, every row must be possible in the
# same clusters; otherwise few places for some rows can pin down others, and k equal rows need not be k candidates.
#
# Sets of clusters are compared by 128-bit fingerprints, joined by exclusive or along the tree.


def check_same_clusters(release: Disassociated, layout: Layout, tree: JointTree, telling: Flags) -> Fault:
    """All items of a telling chunk are barred from the same clusters below its joint."""
    several = np.bincount(layout.pair_chunk, minlength=layout.chunks) > 1
    fingerprints = np.random.Generator(np.random.Philox(key=1)).integers(
        np.iinfo(np.int64).max, size=(len(tree.cluster_joint), 2)
    )
    found, marks = _barred(release, layout, tree, telling & several, fingerprints, np.bitwise_xor)
    order = np.argsort(found, kind="stable")
    chunks, marks = found[order], marks[order]
    first = np.searchsorted(chunks, chunks)
    differs = np.zeros(layout.chunks, bool)
    differs[chunks[(marks != marks[first]).any(axis=1)]] = True
    return spot(
        differs,
        lambda at: f"{layout.place(at)} mixes items that different clusters below its joint cannot have",
    )


def records_for_chunks(release: Disassociated, layout: Layout, tree: JointTree, telling: Flags) -> Longs:
    """Records that may hold the rows of each chunk: of its cluster, or of the clusters below that are not barred.

    Where different clusters are barred from the items of a chunk, which is a fault of its own, those of any item.
    """
    sizes = np.asarray(release.cluster_size, np.int64)
    outside, owner = layout.chunk_outside, layout.chunk_owner
    room = np.zeros(layout.chunks, np.int64)
    room[outside] = tree.sum_below(sizes)[owner[outside]]
    room[~outside] = sizes[owner[~outside]]
    chunk, barred = _barred(release, layout, tree, telling, sizes[:, None], np.add)
    free = np.zeros(layout.chunks, np.int64)
    np.maximum.at(free, chunk, room[chunk] - barred[:, 0])
    return np.where(telling, free, room)


def _barred(
    release: Disassociated,
    layout: Layout,
    tree: JointTree,
    asked: Flags,
    marks: Longs,
    join: np.ufunc,
) -> tuple[Longs, Longs]:
    """For each item of the shared chunks asked for: its chunk, and the marks of the clusters barred from it."""
    words = len(release.vocabulary)
    chunk = layout.pair_chunk[layout.chunk_kind[layout.pair_chunk] == Kind.SHARED]
    joint, item = layout.pairs_of(Kind.SHARED)
    use = asked[chunk]
    keys, found = _barred_below(layout, tree, words, item[use], marks, join)
    wanted = joint[use] * words + item[use]
    place = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
    known = keys[place] == wanted if len(keys) else np.zeros(len(wanted), bool)
    told = np.zeros((len(wanted), marks.shape[1]), np.int64)
    told[known] = found[place[known]]
    return chunk[use], told


def _barred_below(
    layout: Layout,
    tree: JointTree,
    words: int,
    wanted: Longs,
    marks: Longs,
    join: np.ufunc,
) -> tuple[Longs, Longs]:
    """Keys ``joint * words + item``, ascending, and the ``marks`` of the clusters below that are barred, joined."""
    whole = np.zeros((len(tree.parent), marks.shape[1]), np.int64)
    for cluster, above in tree.climb(tree.cluster_joint):
        join.at(whole, above, marks[cluster])
    interesting = np.zeros(words, bool)
    interesting[wanted] = True
    cluster, shown = layout.pairs_of(Kind.RECORD)
    use = interesting[shown] & (tree.cluster_joint[cluster] >= 0)
    # Each once: a faulty release may show an item twice, and exclusive or would take it back.
    cluster, shown = np.divmod(distinct(cluster[use] * words + shown[use]), max(1, words))
    keys = tree.cluster_joint[cluster] * words + shown
    joint, item = layout.pairs_of(Kind.SHARED)
    shared = distinct((joint * words + item)[interesting[item]])
    return _climb_levels(tree, words, keys, marks[cluster], shared, whole, join)


def _climb_levels(
    tree: JointTree,
    words: int,
    keys: Longs,
    marks: Longs,
    shared: Longs,
    whole: Longs,
    join: np.ufunc,
) -> tuple[Longs, Longs]:
    """Carry marks from the innermost joints outwards; a joint that shares an item bars all its clusters."""
    depth = tree.depth()
    done_keys, done_marks = [], []
    for level in range(int(depth.max(initial=-1)), -1, -1):
        here = depth[keys // words] == level
        below_keys, below_marks = _joined(keys[here], marks[here], join)
        done_keys.append(below_keys)
        done_marks.append(below_marks)
        own = shared[depth[shared // words] == level]
        kept = ~among(below_keys, own)
        up_keys = np.concatenate((below_keys[kept], own))
        up_marks = np.concatenate((below_marks[kept], whole[own // words]))
        parent = tree.parent[up_keys // words]
        rise = parent >= 0
        keys = np.concatenate((keys[~here], parent[rise] * words + up_keys[rise] % words))
        marks = np.concatenate((marks[~here], up_marks[rise]))
    if not done_keys:
        return np.empty(0, np.int64), np.empty((0, marks.shape[1]), np.int64)
    every = np.concatenate(done_keys)
    order = np.argsort(every)
    return every[order], np.concatenate(done_marks)[order]


def _joined(keys: Longs, marks: Longs, join: np.ufunc) -> tuple[Longs, Longs]:
    """One entry for each key, marks joined."""
    if not len(keys):
        return keys, marks
    order = np.argsort(keys, kind="stable")
    keys, marks = keys[order], marks[order]
    start = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return keys[start], join.reduceat(marks, start, axis=0)


# Is an item in one place only? Chunks have disjoint sets of items (Terrovitis et al., PVLDB 2012).


def check_placement(release: Disassociated, layout: Layout, tree: JointTree) -> Check:
    """An item is in one chunk of a cluster, one chunk of a joint, and in no term chunk below that."""
    words = release.vocabulary
    outside = layout.chunk_outside[layout.pair_chunk]
    keys = layout.chunk_owner[layout.pair_chunk] * len(words) + layout.pair_item
    faults = [
        _repeated(keys[~outside], words, "cluster"),
        _repeated(keys[outside], words, "joint"),
        _still_in_term_chunks(layout, tree, words),
    ]
    count = len(keys)
    return conclude(
        "item placement", "release", count, faults, f"{count:,} items of chunks, each in one place"
    )


def _repeated(keys: Longs, words: tuple[str, ...], owner: str) -> Fault:
    found, times = counted(keys)

    def describe(at: int) -> str:
        number, item = divmod(int(found[at]), len(words))
        return f"item {shorten(words[item])} is in {times[at]} chunks of {owner} {number}"

    return spot(times > 1, describe)


def _still_in_term_chunks(layout: Layout, tree: JointTree, words: tuple[str, ...]) -> Fault:
    """An item that reached a shared chunk must have left all term chunks below its joint."""
    joint, item = layout.pairs_of(Kind.SHARED)
    cluster, listed = layout.pairs_of(Kind.TERM)
    in_shared = np.zeros(len(words), bool)
    in_shared[item] = True
    cluster, listed = cluster[in_shared[listed]], listed[in_shared[listed]]
    above = tree.keys_above(tree.cluster_joint[cluster], listed, len(words))
    return spot(
        among(joint * len(words) + item, above),
        lambda at: (
            f"item {shorten(words[item[at]])} is in a shared chunk of joint {joint[at]}"
            " and in a term chunk of a cluster below it"
        ),
    )


# The root: one joint above everything, and nothing rare that only one cluster names.
#
# What was left over in clusters is published at the root or withheld (docs/explanation/disassociation.md). So there is
# exactly one outermost joint, every cluster lies below it, and no cluster has a term chunk of its own. With the key,
# only what fewer than k hold may have been withheld, and only where it is not published.


RARE = "rare"
"""Why the key says that an occurrence was withheld."""


def check_root(release: Disassociated, layout: Layout, tree: JointTree) -> Check:
    """One root above all clusters, and term chunks nowhere else; or, the papers' way, no root at all."""
    listed = layout.chunk_outside & (layout.chunk_kind == Kind.TERM)
    if release.rare_items == "cluster":
        otherwise = "none: rare items stand in the term chunks of their clusters"
        fault = Fault(
            int(listed.any()), "there is a list of terms, but rare items are said to stand in clusters"
        )
        return conclude("root", "release", 0, [fault], otherwise)
    tops = int(np.count_nonzero(tree.parent < 0))
    own = (layout.chunk_kind == Kind.TERM) & ~listed
    items, everywhere = layout.listed, _published_everywhere(release, layout, tree)
    faults = [
        Fault(int(tops != 1), f"{tops} joints are outermost instead of one, the root"),
        spot(tree.cluster_joint < 0, lambda at: f"cluster {at} is not below the root"),
        spot(own, lambda at: f"{layout.place(at)}: rare items are said to stand in no cluster"),
        spot(
            listed & (layout.chunk_owner != release.root),
            lambda at: f"{layout.place(at)} does not belong to the root",
        ),
        spot(
            everywhere,
            lambda at: (
                f"item {shorten(release.vocabulary[items[at]])} is in the list of terms, and every cluster publishes it"
                " with a count"
            ),
        ),
    ]
    what = "named in one list" if listed.any() else "listed nowhere"
    return conclude("root", "release", release.clusters, faults, f"above all clusters; rare items {what}")


def _published_everywhere(release: Disassociated, layout: Layout, tree: JointTree) -> Flags:
    """Which items of the list every cluster publishes with a count, so that no record is left to hold them."""
    if not len(layout.listed):
        return np.zeros(0, bool)
    told = published_for_clusters(release, layout, tree) % len(release.vocabulary)
    found: Flags = np.bincount(told, minlength=len(release.vocabulary))[layout.listed] == release.clusters
    return found


def check_withheld(
    release: Disassociated, layout: Layout, tree: JointTree, key: Key, person: Longs | None
) -> Check:
    """What was withheld as rare: fewer than k hold each such item, and no cluster or joint above publishes it."""
    code_of = {word: code for code, word in enumerate(release.vocabulary)}
    pairs = [
        (record, word)
        for record, reason, words in zip(
            key.suppressed_record.tolist(), key.suppressed_reason, key.suppressed_items, strict=True
        )
        if reason == RARE
        for word in words
    ]
    place = np.searchsorted(key.records, np.array([record for record, _ in pairs], np.int64))
    words, item = np.unique(np.array([word for _, word in pairs], object), return_inverse=True)
    who = place if person is None else person[place]
    width = int(who.max(initial=0)) + 1
    holders = np.bincount(distinct(item * width + who) // width, minlength=len(words))
    cluster = key.record_cluster[place]
    code = np.array([code_of.get(word, -1) for _, word in pairs], np.int64)
    faults = [
        Fault(
            int(bool(pairs)) if release.rare_items != "withhold" else 0,
            "the key withholds rare items, but the release says that none are",
        ),
        spot(
            holders >= release.k,
            lambda at: (
                f"item {shorten(str(words[at]))} of {holders[at]} holders is withheld, k is {release.k}"
            ),
        ),
        spot(
            _published_for(release, layout, tree, cluster, code),
            lambda at: (
                f"record {pairs[at][0]}: item {shorten(pairs[at][1])} is withheld, but published for its cluster"
            ),
        ),
    ]
    return conclude(
        "withheld", "key", len(pairs), faults, f"{len(pairs):,} occurrences of rare items withheld"
    )


def _published_for(
    release: Disassociated, layout: Layout, tree: JointTree, cluster: Longs, code: Longs
) -> Flags:
    """Whether the item (-1 for none) stands in a record chunk of the cluster, or in a shared chunk above it."""
    width = len(release.vocabulary) + 1
    owner, shown = layout.pairs_of(Kind.RECORD)
    joint, shared = layout.pairs_of(Kind.SHARED)
    found = among(cluster * width + code, owner * width + shown)
    for index, above in tree.climb(tree.cluster_joint[cluster]):
        found[index] |= among(above * width + code[index], joint * width + shared)
    return found & (code >= 0)
