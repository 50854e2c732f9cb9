"""A published disassociated release: all that the world sees.

A cluster is a group of records. Its *record chunks* are bags of sub-records over disjoint sets of items; its *term
chunk* is one set of items whose multiplicities are not told. Clusters may be joined: a *shared chunk* belongs to a
joint and spans every cluster below it (Terrovitis et al., PVLDB 2012, sections 3 and 5). The *root* is a last joint
above all clusters: what is rare is published there once, or withheld, so that it tells nothing of any cluster.

The arrays mirror the tables on disk. One row is one published sub-record; a term chunk is one row. All orders are
canonical: a function of content alone (see docs/reference/release-format.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from cloven.compiled import compiled
from cloven.data.arrays import distinct, freeze, offsets_of, positions
from cloven.errors import ParameterError, ReleaseError
from cloven.intake.files import MOST_TIMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints, Longs
    from cloven.kinds.counts import Count
    from cloven.kinds.disassociated.counts import Shown
    from cloven.kinds.disassociated.patterns import Rule


Row = tuple[str, ...]
NOT_ENUMERATED = "clusters_not_enumerated"
"""Parameter of a release that ``exact`` repaired: clusters with too many arrangements to look at all of them."""
RareItems = Literal["withhold", "list", "cluster"]
"""Where leftovers held by fewer than k go: nowhere; into one list for the whole release; into the term chunk of their
cluster, which is the papers' way."""


class Kind(IntEnum):
    """What a published row belongs to."""

    RECORD = 0
    TERM = 1
    SHARED = 2


@dataclass(frozen=True)
class Cluster:
    """One cluster in plain Python, for reading and printing.

    Attributes:
        size: number of records.
        joint: innermost joint it belongs to, or None.
        record_chunks: each a tuple of sub-records, in canonical order; a sub-record is a tuple of items.
        term_chunk: items of the term chunk, empty if there is none.
    """

    size: int
    joint: int | None
    record_chunks: tuple[tuple[Row, ...], ...]
    term_chunk: Row


@dataclass(frozen=True)
class Joint:
    """One joint in plain Python: its parent joint, if any, its shared chunks, and the list of terms (of a root)."""

    parent: int | None
    shared_chunks: tuple[tuple[Row, ...], ...]
    term_chunk: Row = ()


@dataclass(frozen=True, eq=False, repr=False)
class Disassociated:
    """A disassociated release.

    Attributes:
        k: every combination of up to ``m`` items that somebody may know has at least ``k`` candidate records.
        m: how many items of one record the assumed attacker knows.
        parameters: method and parameters that made it, as plain JSON values.
        vocabulary: published items, ascending by code point.
        cluster_size: number of records of each cluster.
        cluster_joint: innermost joint of each cluster, -1 for none.
        joint_parent: parent joint of each joint, -1 for none.
        row_cluster: cluster of each row, -1 for rows of shared chunks and for the list of terms of the root.
        row_joint: joint of each row without a cluster, -1 otherwise.
        row_chunk: number of the chunk inside its cluster (record chunks) or joint (shared chunks); 0 for term chunks.
        row_kind: a ``Kind`` for each row.
        row_offsets: where each row starts in ``row_items``.
        row_items: item codes (positions in ``vocabulary``), ascending inside a row.

    Rows are sorted by cluster, kind, chunk and items; rows of joints come last, by joint, kind, chunk and items.
    """

    k: int
    m: int
    parameters: Mapping[str, Any]
    vocabulary: tuple[str, ...]
    cluster_size: Longs
    cluster_joint: Longs
    joint_parent: Longs
    row_cluster: Longs
    row_joint: Longs
    row_chunk: NDArray[np.int32]
    row_kind: NDArray[np.int8]
    row_offsets: Longs
    row_items: NDArray[np.int32]
    family: ClassVar[str] = "disassociation"
    ARRAYS: ClassVar[tuple[str, ...]] = (
        "cluster_size",
        "cluster_joint",
        "joint_parent",
        "row_cluster",
        "row_joint",
        "row_chunk",
        "row_kind",
        "row_offsets",
        "row_items",
    )

    def __post_init__(self) -> None:
        freeze(self, self.ARRAYS)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Disassociated):
            return NotImplemented
        return (
            (self.k, self.m, dict(self.parameters)) == (other.k, other.m, dict(other.parameters))
            and self.vocabulary == other.vocabulary
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in self.ARRAYS)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"Disassociated(k={self.k}, m={self.m}, {self.records:,} records in {self.clusters:,} clusters,"
            f" {self.joints:,} joints, {len(self.vocabulary):,} items)"
        )

    def _repr_html_(self) -> str:
        from cloven.data.cards import card

        promised = f"{self.k} candidates for who knows up to {self.m} items"
        figures = {"records": self.records, "items": len(self.vocabulary), "clusters": self.clusters}
        return card("Disassociated release", {**figures, "promised": promised, "rare items": self.rare_items})

    @property
    def clusters(self) -> int:
        """Number of clusters."""
        return len(self.cluster_size)

    @property
    def joints(self) -> int:
        """Number of joints."""
        return len(self.joint_parent)

    @property
    def records(self) -> int:
        """Number of records published."""
        return int(self.cluster_size.sum())

    @property
    def rows(self) -> int:
        """Number of published rows."""
        return len(self.row_kind)

    @property
    def rare_items(self) -> RareItems:
        """Where leftovers held by fewer than k are; the papers' way where nothing is said of it."""
        found: RareItems = self.parameters.get("rare_items", "cluster")
        return found

    @property
    def may_be_empty(self) -> bool:
        """Whether a record may have nothing published: all that it holds may have been withheld."""
        return self.rare_items == "withhold"

    @cached_property
    def root(self) -> int:
        """The joint above all clusters, -1 for none; the papers' way has none, even if one joint spans everything."""
        top = np.flatnonzero(self.joint_parent < 0)
        return -1 if self.rare_items == "cluster" or len(top) == 0 else int(top[0])

    @cached_property
    def at_root(self) -> Flags:
        """Whether each row stands at the root, and so tells of no cluster."""
        found: Flags = (self.row_joint == self.root) & (self.root >= 0)
        return found

    def row(self, number: int) -> Row:
        """Items of one published row."""
        start, end = self.row_offsets[number], self.row_offsets[number + 1]
        return tuple(self.vocabulary[code] for code in self.row_items[start:end].tolist())

    def items_of(self, rows: Longs) -> tuple[Longs, NDArray[np.int32]]:
        """Items of some published rows, one after the other, and where each row starts among them."""
        lengths = self.row_offsets[rows + 1] - self.row_offsets[rows]
        return offsets_of(lengths), self.row_items[positions(self.row_offsets[rows], lengths)]

    def cluster(self, number: int) -> Cluster:
        """One cluster in plain Python."""
        first, last = np.searchsorted(self.row_cluster[: self._joint_start], [number, number + 1])
        joint = int(self.cluster_joint[number])
        return Cluster(
            int(self.cluster_size[number]), None if joint < 0 else joint, *self._chunks(int(first), int(last))
        )

    def joint(self, number: int) -> Joint:
        """One joint in plain Python."""
        if not 0 <= number < self.joints:
            root = " (what is rare stands in clusters here: there is no root)"
            message = f"no joint {number}{root if number == self.root else ''}; there are {self.joints} joints, from 0"
            raise ParameterError(message)
        start = self._joint_start
        first, last = np.searchsorted(self.row_joint[start:], [number, number + 1]) + start
        parent = int(self.joint_parent[number])
        return Joint(None if parent < 0 else parent, *self._chunks(int(first), int(last)))

    def _chunks(self, first: int, last: int) -> tuple[tuple[tuple[Row, ...], ...], Row]:
        """Chunks and term chunk that some rows are."""
        term: Row = ()
        chunks: list[list[Row]] = []
        for index in range(first, last):
            if self.row_kind[index] == Kind.TERM:
                term = self.row(index)
                continue
            if len(chunks) == self.row_chunk[index]:
                chunks.append([])
            chunks[-1].append(self.row(index))
        return tuple(map(tuple, chunks)), term

    def iter_clusters(self) -> Iterator[Cluster]:
        """All clusters in plain Python, in canonical order."""
        return (self.cluster(number) for number in range(self.clusters))

    def iter_joints(self) -> Iterator[Joint]:
        """All joints in plain Python, in canonical order."""
        return (self.joint(number) for number in range(self.joints))

    def count(self, items: Iterable[str]) -> Count:
        """How many records hold all of these items: for certain, likely with an interval, at most.

        >>> import cloven as cv
        >>> release = cv.Disassociation().anonymise(cv.sample("clinic")).release
        >>> print(release.count(["asthma", "pneumonia"]))
        9 certain, 17 likely [9 - 29], 29 at most
        """
        from cloven.kinds.disassociated.counts import count

        return count(self, items)

    def top_itemsets(self, many: int = 20, *, min_size: int = 2, max_size: int = 3) -> tuple[Count, ...]:
        """The sets of items that most records are likely to hold, most first."""
        from cloven.kinds.disassociated.patterns import top_itemsets

        return top_itemsets(self, many, min_size=min_size, max_size=max_size)

    def rules(self, many: int = 20, *, min_share: float = 0.5, among: int = 100) -> tuple[Rule, ...]:
        """Rules ``among`` the most frequent sets: who holds some items likely holds another; highest lift first."""
        from cloven.kinds.disassociated.patterns import rules

        return rules(self, many, min_share=min_share, among=among)

    def places(self, code: int) -> Longs:
        """Positions of one item in ``row_items``, ascending."""
        order, starts = self._by_item
        return order[starts[code] : starts[code + 1]]

    def rows_with(self, code: int) -> Longs:
        """Published rows that hold one item, ascending."""
        starts = self._by_item[1]
        return self._rows_by_item[starts[code] : starts[code + 1]]

    @cached_property
    def record_rows(self) -> Longs:
        """Number of sub-records in the record chunks of each cluster."""
        rows = self.row_cluster[self.row_kind == Kind.RECORD]
        return np.bincount(rows, minlength=self.clusters).astype(np.int64)

    @cached_property
    def record_items(self) -> Longs:
        """Clusters and the items of their record chunks, each pair as ``cluster * items + item``; ascending."""
        in_record = np.repeat(self.row_kind == Kind.RECORD, np.diff(self.row_offsets))
        cluster = np.repeat(self.row_cluster, np.diff(self.row_offsets))[in_record]
        return distinct(cluster * len(self.vocabulary) + self.row_items[in_record])

    @cached_property
    def has_terms(self) -> Flags:
        """Whether each cluster has a term chunk: its own, or the list of terms of the root."""
        found = np.zeros(self.clusters + 1, bool)  # the last stands for no cluster
        found[self.row_cluster[self.row_kind == Kind.TERM]] = True
        own: Flags = found[:-1] | found[-1]
        return own

    @cached_property
    def shown(self) -> Shown:
        """Arranged for counting; made when first asked for."""
        from cloven.kinds.disassociated.counts import Shown

        return Shown.of(self)

    @cached_property
    def _by_item(self) -> tuple[Longs, Longs]:
        """Positions in ``row_items`` sorted by item, and where each item starts; made when first asked for."""
        order = np.argsort(self.row_items, kind="stable")
        counts = np.bincount(self.row_items, minlength=len(self.vocabulary))
        return order, offsets_of(counts)

    @cached_property
    def _rows_by_item(self) -> Longs:
        """Rows of all occurrences, sorted by item."""
        return np.repeat(np.arange(self.rows), np.diff(self.row_offsets))[self._by_item[0]]

    @cached_property
    def _joint_start(self) -> int:
        """First row that belongs to a joint; they stand at the end."""
        return int(np.count_nonzero(self.row_cluster >= 0))


def climb(joint: Longs, parent: Longs) -> Iterator[tuple[Longs, Longs]]:
    """From each joint (-1 for none) to the outermost above it, step by step: positions in ``joint``, joints reached.

    Raises:
        ReleaseError: joints form a cycle.
    """
    index = np.flatnonzero(joint >= 0)
    here = joint[index]
    for _ in range(len(parent)):
        if not len(index):
            return
        yield index, here
        here = parent[here]
        index, here = index[here >= 0], here[here >= 0]
    if len(index):
        message = "joints form a cycle, so this is no release; run `cloven verify` on it"
        raise ReleaseError(message)


class Members(NamedTuple):
    """Clusters below each joint ``j``: ``clusters[starts[j]:starts[j + 1]]``, ascending."""

    starts: Longs
    clusters: Longs


def members(release: Disassociated) -> Members:
    """All clusters below each joint, at any depth."""
    clusters, joints = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for cluster, joint in climb(release.cluster_joint, release.joint_parent):
        clusters.append(cluster)
        joints.append(joint)
    below, above = np.concatenate(clusters), np.concatenate(joints)
    order = np.lexsort((below, above))
    starts = np.searchsorted(above[order], np.arange(release.joints + 1))
    return Members(starts.astype(np.int64), below[order].astype(np.int64))


def depths(release: Disassociated) -> Longs:
    """Number of joints above each joint."""
    depth = np.zeros(release.joints, np.int64)
    for joint, _ in climb(release.joint_parent, release.joint_parent):
        depth[joint] += 1
    return depth


def first_of_equal(release: Disassociated) -> Longs:
    """First of the rows that have the same items in the same chunk; in canonical order they stand side by side."""
    head = release.row_cluster, release.row_joint, release.row_kind, release.row_chunk
    return _first_of_equal(release.row_offsets, release.row_items, *head)


@compiled
def _first_of_equal(offsets: Ints, items: Ints, cluster: Ints, joint: Ints, kind: Ints, chunk: Ints) -> Ints:
    first = np.zeros(len(cluster), np.int64)
    for row in range(1, len(cluster)):
        before, start, end = offsets[row - 1], offsets[row], offsets[row + 1]
        same = (
            cluster[row] == cluster[row - 1]
            and joint[row] == joint[row - 1]
            and kind[row] == kind[row - 1]
            and chunk[row] == chunk[row - 1]
            and end - start == start - before
        )
        at = start
        while same and at < end:
            same = items[at] == items[at - start + before]
            at += 1
        first[row] = first[row - 1] if same else row
    return first


FEW_RECORDS = 1_000_000
"""Records that nobody doubts; of more, each row stands for ``MOST_TIMES`` at most."""


def most_records(rows: int) -> int:
    """Records that so many rows can be of: a few bytes can say that there are billions."""
    return max(FEW_RECORDS, MOST_TIMES * rows)


KINDS = tuple(kind.name.lower() for kind in Kind)
