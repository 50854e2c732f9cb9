"""Find the cover problems of a release, from the release alone (Barakat et al. 2016, Definition 3, made precise).

Take an item x of a record chunk and an earlier record chunk of its cluster, and let I be the items of the earlier chunk
that have at least the support of x. When the method tried x there, exactly I was in the chunk. If the rarest y of I
is *covered*, that is, if every row with y holds all of I, then x and y cannot meet in k records: they would meet all of
I in these k records too, and x would have been let in. So a reader who knows the method knows that x and y meet in
fewer than k records of the cluster, although the release promises that k cannot be excluded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.breach.chunk_items import ChunkItems
from cloven.breach.covers_kernel import find_covers
from cloven.model.disassociated import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated

    Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Cover:
    """One cover problem in plain Python.

    Attributes:
        cluster: where.
        chunk: record chunk of the item.
        earlier: record chunk that it was not let into.
        item: the item x.
        covered: the items y that x meets fewer than k times.
        covering: the other items of I; empty if y is alone.
    """

    cluster: int
    chunk: int
    earlier: int
    item: str
    covered: tuple[str, ...]
    covering: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Covers:
    """All cover problems of a release; one entry is one item and one earlier chunk.

    Attributes:
        release: the release.
        cluster: cluster of each.
        chunk: record chunk of the item.
        earlier: the earlier record chunk.
        item: the item.
        covering: how many items of the earlier chunk have its support or more (the set I).
        covered: how many of these are covered.
        undecided: where the inference does not hold, and how many items or clusters that concerns.
    """

    release: Disassociated
    cluster: Longs
    chunk: Longs
    earlier: Longs
    item: Longs
    covering: Longs
    covered: Longs
    undecided: dict[str, int]

    def __len__(self) -> int:
        return len(self.cluster)

    def __repr__(self) -> str:
        return f"Covers({len(self):,} in {len(np.unique(self.cluster)):,} clusters)"

    @property
    def single(self) -> NDArray[np.bool_]:
        """Those with one item in I: nothing but y itself covers y."""
        return np.equal(self.covering, 1)

    def __iter__(self) -> Iterator[Cover]:
        return (self[number] for number in range(len(self)))

    def __getitem__(self, number: int) -> Cover:
        inside = self.prefix(number)
        names = self.release.vocabulary
        covered = int(self.covered[number])
        return Cover(
            int(self.cluster[number]),
            int(self.chunk[number]),
            int(self.earlier[number]),
            names[self.item[number]],
            tuple(names[y] for y in inside[len(inside) - covered :]),
            tuple(names[y] for y in inside[: len(inside) - covered]),
        )

    @cached_property
    def chunk_items(self) -> ChunkItems:
        """Items of every record chunk by support."""
        return ChunkItems.of(self.release)

    def prefix(self, number: int) -> list[int]:
        """The set I of an entry by support, descending: the covered items come last."""
        listed = self.chunk_items
        at = listed.start[
            listed.find(self.cluster[number : number + 1], self.earlier[number : number + 1])[0]
        ]
        inside: list[int] = listed.item[at : at + self.covering[number]].tolist()
        return inside

    @cached_property
    def leaks(self) -> tuple[Longs, Longs]:
        """Every covered item of every entry: number of the entry, and the item. No pair of a cluster comes twice."""
        listed = self.chunk_items
        end = listed.start[listed.find(self.cluster, self.earlier)] + self.covering
        number = np.repeat(np.arange(len(self)), self.covered)
        first = np.cumsum(self.covered) - self.covered
        at = np.repeat(end - self.covered - first, self.covered) + np.arange(len(number))
        return number, listed.item[at]

    @cached_property
    def everywhere(self) -> NDArray[np.bool_]:
        """For each of ``leaks``: whether no other cluster provides the candidates that its cluster lacks."""
        from cloven.breach.everywhere import leaked_everywhere

        return leaked_everywhere(self)

    def pairs(self) -> tuple[Longs, Longs, Longs]:
        """Every leaked pair once for its cluster, sorted: cluster, item, covered item."""
        number, covered = self.leaks
        cluster, item = self.cluster[number], self.item[number]
        order = np.lexsort((covered, item, cluster))
        return cluster[order], item[order], covered[order]


def covers(release: Disassociated) -> Covers:
    """Find all cover problems.

    Nothing is said where the inference does not hold: in shared chunks, whose items were tried in two phases; with
    utility groups, whose items were not tried against each other; and where persons were counted, whose supports are
    not published. A repaired release is not asked either: its supports are lower bounds.

    >>> import cloven as cv
    >>> data = cv.Transactions.from_records([["a", "b", "c"], ["a", "b", "c", "e"], ["a", "e"], ["b"]])
    >>> release = cv.Disassociation(k=2, m=2, refine=False).anonymise(data).release
    >>> [(found.item, found.covered, found.covering) for found in covers(release)]
    [('e', ('c',), ('a', 'b'))]
    """
    undecided = _undecided(release)
    rows = np.flatnonzero(release.row_kind == Kind.RECORD)
    if not len(rows) or any(reason != "items of shared chunks" for reason in undecided):
        none = np.empty(0, np.int64)
        return Covers(release, none, none, none, none, none, none, undecided)
    cluster, chunk = release.row_cluster[rows], release.row_chunk[rows]
    first = np.flatnonzero(np.concatenate(([True], (np.diff(cluster) != 0) | (np.diff(chunk) != 0))))
    last = np.append(first[1:], len(rows))
    found = find_covers(
        rows[first], rows[last - 1] + 1, cluster[first], np.array(release.row_offsets), np.array(release.row_items),
        len(release.vocabulary),
    )  # fmt: skip
    later, earlier, item, covering, covered = found
    number = chunk[first]
    return Covers(
        release, cluster[first][later], number[later].astype(np.int64), number[earlier].astype(np.int64), item,
        covering, covered, undecided,
    )  # fmt: skip


def _undecided(release: Disassociated) -> dict[str, int]:
    """Reasons for which nothing can be concluded, and how much each concerns."""
    parameters: dict[str, Any] = dict(release.parameters)
    out = {}
    several = int((_chunks(release) > 1).sum())
    for reason, holds in (
        ("clusters with utility groups", bool(parameters.get("utility_groups"))),
        ("clusters that count persons", bool(parameters.get("persons"))),
        ("clusters repaired by suppression", bool(parameters.get("safe"))),
    ):
        if holds:
            out[reason] = several
    shared = release.row_kind == Kind.SHARED
    if shared.any():
        at = np.repeat(shared, np.diff(release.row_offsets))
        owner = np.repeat(release.row_joint, np.diff(release.row_offsets))[at]
        out["items of shared chunks"] = len(
            np.unique(owner * len(release.vocabulary) + release.row_items[at])
        )
    return out


def _chunks(release: Disassociated) -> Longs:
    """Number of record chunks of each cluster."""
    many = np.zeros(release.clusters, np.int64)
    record = release.row_kind == Kind.RECORD
    np.maximum.at(many, release.row_cluster[record], release.row_chunk[record] + 1)
    return many
