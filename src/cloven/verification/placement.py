"""Is an item in one place only? Chunks have disjoint sets of items (Terrovitis et al., PVLDB 2012)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import shorten
from cloven.model.arrays import among, counted
from cloven.model.disassociated import Kind
from cloven.verification.faults import Fault, conclude, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.verification.layout import Layout
    from cloven.verification.tree import JointTree
    from cloven.verification.verdict import Check


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


def _repeated(keys: NDArray[np.int64], words: tuple[str, ...], owner: str) -> Fault:
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
