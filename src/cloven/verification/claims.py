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
    owner, shared = layout.chunk_owner[parts.chunk], parts.kind == Kind.SHARED
    joints = max(1, len(tree.parent))
    above = [cluster * joints + joint for cluster, joint in tree.climb(tree.cluster_joint)]
    reachable = np.concatenate(above) if above else np.empty(0, np.int64)
    at_home = np.where(shared, among(parts.cluster * joints + owner, reachable), parts.cluster == owner)
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


def check_shared_origin(release: Disassociated, layout: Layout, parts: Parts) -> Check:
    """In a shared chunk a record contributes nothing that its own cluster shows in record chunks."""
    words = release.vocabulary
    cluster, shown = layout.pairs_of(Kind.RECORD)
    shared = parts.kind[parts.part] == Kind.SHARED
    part, items = parts.part[shared], parts.items[shared]
    bad = among(parts.cluster[part] * len(words) + items, cluster * len(words) + shown)
    faults = [
        spot(
            bad,
            lambda at: (
                f"record {parts.record[part[at]]} contributes {shorten(words[items[at]])} to"
                f" {layout.place(int(parts.chunk[part[at]]))}, but cluster {parts.cluster[part[at]]} shows it"
            ),
        )
    ]
    count = len(items)
    return conclude(
        "shared origin", "key", count, faults, f"{count:,} shared items come from clusters that hide them"
    )


def _keys(layout: Layout, words: int) -> NDArray[np.int64]:
    """All ``row * words + item`` of the release, ascending."""
    row = np.repeat(np.arange(len(layout.row_chunk)), np.diff(layout.offsets))
    return row * words + layout.items


def _row(layout: Layout, row: int) -> str:
    chunk = int(layout.row_chunk[row])
    return f"row {layout.row_source[row]} ({layout.place(chunk)})"
