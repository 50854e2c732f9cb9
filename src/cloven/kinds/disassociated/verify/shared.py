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
    from cloven.kinds.disassociated.verify.sharing import Sharing
    from cloven.verification.verdict import Check


def check_shared_chunks(release: Disassociated, layout: Layout, sharing: Sharing, telling: Flags) -> Check:
    """Shared chunks are k^m-anonymous or, if they are ``telling``, k-anonymous."""
    shared = np.flatnonzero(layout.chunk_kind == Kind.SHARED)
    plain = shared[~telling[shared]]
    rare = rare_in_rows(layout, plain, release.k, release.m, strict=reads_strictly(release))
    faults = [] if rare is None else [describe(release, layout, rare, "rows")]
    faults.append(_rare_rows(release, layout, telling))
    faults.append(check_same_clusters(layout, sharing, telling))
    otherwise = f"{len(plain):,} k^m-anonymous, {len(shared) - len(plain):,} k-anonymous"
    return conclude("shared chunks", "release", len(shared), faults, otherwise)


def uses_items_shown_below(layout: Layout, sharing: Sharing) -> Flags:
    """Which shared chunks use an item of a record chunk, or of an older shared chunk, below their joint."""
    telling = np.zeros(layout.chunks, bool)
    telling[layout.pair_chunk[sharing.is_told[sharing.place]]] = True
    return telling


def _rare_rows(release: Disassociated, layout: Layout, telling: Flags) -> Fault:
    copies = layout.copies

    def place(form: int) -> str:
        items = named(release.vocabulary, layout.items_of(form))
        return (
            f"{layout.place(int(layout.form_chunk[form]))} uses items shown below its joint,"
            f" and its row {items} occurs {copies[form]} times, k is {release.k}"
        )

    return spot(telling[layout.form_chunk] & (copies < release.k), place)


# Which clusters cannot have a row of a shared chunk, and whether that is the same for all its items.
#
# In a chunk that uses items which clusters below cannot have, every row must be possible in the same clusters;
# otherwise few places for some rows can pin down others, and k equal rows need not be k candidates.


def check_same_clusters(layout: Layout, sharing: Sharing, telling: Flags) -> Fault:
    """All items of a telling chunk are barred from the same clusters below its joint."""
    marks = sharing.marks[sharing.place]
    first = marks[layout.pair_start[:-1]]  # every chunk has an item
    differs = np.zeros(layout.chunks, bool)
    differs[layout.pair_chunk[(marks != first[layout.pair_chunk]).any(axis=1)]] = True
    return spot(
        differs & telling,
        lambda at: f"{layout.place(at)} mixes items that different clusters below its joint cannot have",
    )


def records_for_chunks(release: Disassociated, layout: Layout, sharing: Sharing, telling: Flags) -> Longs:
    """Records that may hold the rows of each chunk: of its cluster, or of the clusters below that are not barred.

    Where different clusters are barred from the items of a chunk, which is a fault of its own, those of any item.
    """
    sizes = np.asarray(release.cluster_size, np.int64)
    outside, owner = layout.chunk_outside, layout.chunk_owner
    room = np.zeros(layout.chunks, np.int64)
    room[outside] = sharing.records[owner[outside]]
    room[~outside] = sizes[owner[~outside]]
    least = np.minimum.reduceat(
        sharing.barred[sharing.place], layout.pair_start[:-1]
    )  # every chunk has an item
    return np.where(telling, np.maximum(0, room - least), room)


# Is an item in one place only? Chunks have disjoint sets of items (Terrovitis et al., PVLDB 2012).


def check_placement(release: Disassociated, layout: Layout, sharing: Sharing) -> Check:
    """An item is in one chunk of a cluster, one chunk of a joint, and in no term chunk below that."""
    words = release.vocabulary
    count = len(layout.pair_item)
    faults = [_still_in_term_chunks(layout, sharing, words)]
    outside = layout.chunk_outside[layout.pair_chunk]
    keys = layout.chunk_owner[layout.pair_chunk] * len(words) + layout.pair_item
    faults = [
        _repeated(keys[~outside], words, "cluster"),
        _repeated(keys[outside], words, "joint"),
        *faults,
    ]
    return conclude(
        "item placement", "release", count, faults, f"{count:,} items of chunks, each in one place"
    )


def _repeated(keys: Longs, words: tuple[str, ...], owner: str) -> Fault:
    found, times = counted(keys)

    def describe(at: int) -> str:
        number, item = divmod(int(found[at]), len(words))
        return f"item {shorten(words[item])} is in {times[at]} chunks of {owner} {number}"

    return spot(times > 1, describe)


def _still_in_term_chunks(layout: Layout, sharing: Sharing, words: tuple[str, ...]) -> Fault:
    """An item that reached a shared chunk must have left all term chunks below its joint."""
    return spot(
        sharing.is_listed[sharing.place],
        lambda at: (
            f"item {shorten(words[layout.pair_item[at]])} is in a shared chunk of joint"
            f" {layout.chunk_owner[layout.pair_chunk[at]]} and in a term chunk of a cluster below it"
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
    told = [
        (record, word)
        for record, reason, words in zip(
            key.suppressed_record.tolist(), key.suppressed_reason, key.suppressed_items, strict=True
        )
        if reason == RARE
        for word in words
    ]
    strays = ~among(np.array([record for record, _ in told], np.int64), key.records)
    pairs = [pair for pair, stray in zip(told, strays.tolist(), strict=True) if not stray]
    place = np.searchsorted(key.records, np.array([record for record, _ in pairs], np.int64))
    words, item = np.unique(np.array([word for _, word in pairs], object), return_inverse=True)
    # Persons may have any numbers: they get others, so that those of one item never pass for another's.
    who = place if person is None else np.unique(person, return_inverse=True)[1][place]
    width = len(key.records) + 1
    holders = np.bincount(distinct(item * width + who) // width, minlength=len(words))
    cluster = key.record_cluster[place]
    code = np.array([code_of.get(word, -1) for _, word in pairs], np.int64)
    faults = [
        Fault(
            int(bool(told)) if release.rare_items != "withhold" else 0,
            "the key withholds rare items, but the release says that none are",
        ),
        spot(
            strays, lambda at: f"record {told[at][0]} is not published, and an item of it is withheld as rare"
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
    return conclude("withheld", "key", len(told), faults, f"{len(told):,} occurrences of rare items withheld")


def _published_for(
    release: Disassociated, layout: Layout, tree: JointTree, cluster: Longs, code: Longs
) -> Flags:
    """Whether the item (-1 for none) stands in a record chunk of the cluster, or in a shared chunk above it."""
    found = np.zeros(len(code), bool)
    if len(code):
        width = len(release.vocabulary) + 1
        owner, shown = layout.pairs_of(Kind.RECORD)
        joint, shared = layout.pairs_of(Kind.SHARED)
        found, keys = among(cluster * width + code, owner * width + shown), distinct(joint * width + shared)
        for index, above in tree.climb(tree.cluster_joint[cluster]):
            found[index] |= among(above * width + code[index], keys)
    return found & (code >= 0)
