"""The root: one joint above everything, and nothing rare that only one cluster names.

What was left over in clusters is published at the root or withheld (docs/explanation/disassociation.md). So there is
exactly one outermost joint, every cluster lies below it, and no cluster has a term chunk of its own. With the key, only
what fewer than k hold may have been withheld, and only where it is not published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import shorten
from cloven.model.arrays import among, distinct
from cloven.model.disassociated import Kind
from cloven.verification.faults import Fault, conclude, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.key import Key
    from cloven.verification.layout import Layout
    from cloven.verification.tree import JointTree
    from cloven.verification.verdict import Check

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
    faults = [
        Fault(int(tops != 1), f"{tops} joints are outermost instead of one, the root"),
        spot(tree.cluster_joint < 0, lambda at: f"cluster {at} is not below the root"),
        spot(own, lambda at: f"{layout.place(at)}: rare items are said to stand in no cluster"),
        spot(
            listed & (layout.chunk_owner != release.root),
            lambda at: f"{layout.place(at)} does not belong to the root",
        ),
    ]
    what = "named in one list" if listed.any() else "listed nowhere"
    return conclude("root", "release", release.clusters, faults, f"above all clusters; rare items {what}")


def check_withheld(
    release: Disassociated, layout: Layout, tree: JointTree, key: Key, person: NDArray[np.int64] | None
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
    release: Disassociated,
    layout: Layout,
    tree: JointTree,
    cluster: NDArray[np.int64],
    code: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Whether the item (-1 for none) stands in a record chunk of the cluster, or in a shared chunk above it."""
    width = len(release.vocabulary) + 1
    owner, shown = layout.pairs_of(Kind.RECORD)
    joint, shared = layout.pairs_of(Kind.SHARED)
    found = among(cluster * width + code, owner * width + shown)
    for index, above in tree.climb(tree.cluster_joint[cluster]):
        found[index] |= among(above * width + code[index], joint * width + shared)
    return found & (code >= 0)
