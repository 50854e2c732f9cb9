"""Key against release: does every published row come from records, exactly once and from the right place?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import shorten
from cloven.model.arrays import among, distinct, without
from cloven.model.disassociated import Kind
from cloven.verification.faults import conclude, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.verification.layout import Layout
    from cloven.verification.parts import Parts
    from cloven.verification.tree import JointTree
    from cloven.verification.verdict import Check


def check_rows_claimed(release: Disassociated, layout: Layout, parts: Parts) -> Check:
    """Every row of a record or shared chunk is claimed by exactly one record, with exactly its items."""
    words = len(release.vocabulary)
    single = layout.chunk_kind[layout.row_chunk] != Kind.TERM
    claims = np.bincount(parts.row, minlength=len(single))
    published = _keys(layout, words)
    claimed = distinct(parts.row[parts.part] * words + parts.items)
    differs = np.zeros(len(single), bool)
    differs[np.setxor1d(published, claimed, assume_unique=True) // max(1, words)] = True
    faults = [
        spot(
            single & (claims != 1),
            lambda at: f"{_row(layout, at)} is claimed by {claims[at]} records instead of one",
        ),
        spot(
            single & (claims == 1) & differs,
            lambda at: f"{_row(layout, at)} does not hold what its record contributes",
        ),
    ]
    count = int(np.count_nonzero(single))
    return conclude("rows claimed", "key", count, faults, f"{count:,} rows, each claimed by one record")


def check_term_rows(release: Disassociated, layout: Layout, parts: Parts) -> Check:
    """A term chunk lists exactly what records of its cluster contribute to it."""
    words = release.vocabulary
    listed = _keys(layout, len(words))
    listed = listed[layout.chunk_kind[layout.row_chunk[listed // max(1, len(words))]] == Kind.TERM]
    in_term = parts.kind[parts.part] == Kind.TERM
    given = distinct(parts.row[parts.part[in_term]] * len(words) + parts.items[in_term])
    nobody, unlisted = without(listed, given), without(given, listed)

    def place(keys: NDArray[np.int64], at: int) -> str:
        row, item = divmod(int(keys[at]), len(words))
        return f"{layout.place(int(layout.row_chunk[row]))}: item {shorten(words[item])}"

    faults = [
        spot(
            np.ones(len(nobody), bool), lambda at: f"{place(nobody, at)} is listed but nobody contributes it"
        ),
        spot(np.ones(len(unlisted), bool), lambda at: f"{place(unlisted, at)} is contributed but not listed"),
    ]
    count = int(np.count_nonzero(layout.chunk_kind == Kind.TERM))
    return conclude(
        "term chunks claimed", "key", count, faults, f"{count:,} term chunks are what records give"
    )


def check_parts_in_place(layout: Layout, tree: JointTree, parts: Parts) -> Check:
    """Parts lie in the cluster of their record or in joints above it, at most one in a chunk."""
    owner, outside = layout.chunk_owner[parts.chunk], layout.chunk_outside[parts.chunk]
    joints = max(1, len(tree.parent))
    above = [cluster * joints + joint for cluster, joint in tree.climb(tree.cluster_joint)]
    reachable = np.concatenate(above) if above else np.empty(0, np.int64)
    at_home = np.where(outside, among(parts.cluster * joints + owner, reachable), parts.cluster == owner)
    pair = parts.record * (layout.chunks + 1) + parts.chunk
    _, first, times = np.unique(pair, return_index=True, return_counts=True)
    faults = [
        spot(
            ~at_home,
            lambda at: (
                f"record {parts.record[at]} of cluster {parts.cluster[at]}"
                f" has a part in {layout.place(int(parts.chunk[at]))}"
            ),
        ),
        spot(
            times > 1,
            lambda at: (
                f"record {parts.record[first[at]]} has {times[at]} parts"
                f" in {layout.place(int(parts.chunk[first[at]]))}"
            ),
        ),
    ]
    count = len(parts.record)
    return conclude("parts in place", "key", count, faults, f"{count:,} parts lie where their record is")


def check_shared_origin(release: Disassociated, layout: Layout, tree: JointTree, parts: Parts) -> Check:
    """In a chunk of a joint a record contributes nothing that its cluster shows, or that a joint further in shares."""
    words = release.vocabulary
    cluster, shown = layout.pairs_of(Kind.RECORD)
    outside = layout.chunk_outside[parts.chunk[parts.part]]
    part, items = parts.part[outside], parts.items[outside]
    bad = among(parts.cluster[part] * len(words) + items, cluster * len(words) + shown)
    joint, shared = layout.pairs_of(Kind.SHARED)
    below = np.ones(len(part), bool)
    for index, above in tree.climb(tree.cluster_joint[parts.cluster[part]]):
        below[index] &= above != layout.chunk_owner[parts.chunk[part[index]]]
        bad[index] |= below[index] & among(above * len(words) + items[index], joint * len(words) + shared)
    faults = [
        spot(
            bad,
            lambda at: (
                f"record {parts.record[part[at]]} contributes {shorten(words[items[at]])} to"
                f" {layout.place(int(parts.chunk[part[at]]))}, but it is published for cluster"
                f" {parts.cluster[part[at]]} already"
            ),
        )
    ]
    count = len(items)
    return conclude(
        "shared origin", "key", count, faults, f"{count:,} items of joints come from clusters that hide them"
    )


def _keys(layout: Layout, words: int) -> NDArray[np.int64]:
    """All ``row * words + item`` of the release, ascending."""
    row = np.repeat(np.arange(len(layout.row_chunk)), np.diff(layout.offsets))
    return row * words + layout.items


def _row(layout: Layout, row: int) -> str:
    chunk = int(layout.row_chunk[row])
    return f"row {layout.row_source[row]} ({layout.place(chunk)})"
