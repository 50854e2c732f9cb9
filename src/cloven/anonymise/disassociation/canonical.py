"""Number clusters and joints by content (docs/reference/release-format.md, *Canonical order*)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.anonymise.disassociation.ordering import lexicographic_order
from cloven.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints


class Rows(NamedTuple):
    """Sub-records of chunks, grouped by owner (cluster or joint), then chunk, sorted by items inside a chunk."""

    owner: NDArray[np.int64]
    chunk: NDArray[np.int64]
    offsets: NDArray[np.int64]
    items: NDArray[np.int32]


class Tokens(NamedTuple):
    """Content of nodes as compressed rows of 32-bit tokens."""

    offsets: NDArray[np.int64]
    values: NDArray[np.int64]

    def content(self, node: int) -> bytes:
        """Content of one node: its tokens, big-endian."""
        return self.values[self.offsets[node] : self.offsets[node + 1]].astype(">u4").tobytes()


@compiled
def _fill(
    n_owners: int,
    owner: Ints,
    chunk: Ints,
    offsets: Ints,
    items: Ints,
    tail_offsets: Ints,
    tail: Ints,
    out_offsets: Ints,
    out: Ints,
) -> None:
    at, row = 0, 0
    for node in range(n_owners):
        out_offsets[node] = at
        while row < len(owner) and owner[row] == node:
            for e in range(offsets[row], offsets[row + 1]):
                out[at] = items[e] + 2
                at += 1
            out[at] = 1
            at += 1
            row += 1
            if row == len(owner) or owner[row] != node or chunk[row] != chunk[row - 1]:
                out[at] = 0
                at += 1
        out[at] = 0
        at += 1
        for e in range(tail_offsets[node], tail_offsets[node + 1]):
            out[at] = tail[e]
            at += 1
    out_offsets[n_owners] = at


def tokens(n_owners: int, rows: Rows, tail_offsets: NDArray[np.int64], tail: NDArray[np.int64]) -> Tokens:
    """Content of each owner: tokens of its chunks, 0, then its tail (a cluster's term chunk and size)."""
    most = len(rows.items) + 2 * len(rows.owner) + n_owners + len(tail)
    offsets, values = np.empty(n_owners + 1, np.int64), np.empty(most, np.int64)
    _fill(n_owners, rows.owner, rows.chunk, rows.offsets, rows.items, tail_offsets, tail, offsets, values)
    return Tokens(offsets, values[: offsets[-1]])


def cluster_tails(
    sizes: NDArray[np.int64], term_offsets: NDArray[np.int64], term_items: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Term chunk and size of each cluster as tokens: items plus 2, then 1, then the size in two tokens."""
    offsets = term_offsets + 3 * np.arange(len(sizes) + 1)
    tail = np.empty(offsets[-1], np.int64)
    ends = offsets[1:]
    tail[ends - 3], tail[ends - 2], tail[ends - 1] = 1, sizes >> 32, sizes & 0xFFFFFFFF
    cluster = np.repeat(np.arange(len(sizes)), np.diff(term_offsets))
    tail[np.arange(len(term_items)) + 3 * cluster] = term_items + np.int64(2)
    return offsets, tail


def list_tail(n_joints: int, listed: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The list of terms as tokens of the root, the last joint: items plus 2, then 1; nothing where there is none."""
    offsets = np.zeros(n_joints + 1, np.int64)
    if not len(listed):
        return offsets, np.empty(0, np.int64)
    offsets[-1] = len(listed) + 1
    return offsets, np.append(listed.astype(np.int64) + 2, 1)


class _Contexts:
    """Contexts of nodes, computed when asked for. Clusters are 0..C-1, joints C..C+J-1."""

    def __init__(self, clusters: Tokens, joints: Tokens, parent: NDArray[np.int64]) -> None:
        self._clusters, self._joints, self._parent = clusters, joints, parent.tolist()
        self._n = len(clusters.offsets) - 1
        self._children: dict[int, list[int]] = {}
        for node, above in enumerate(self._parent):
            if above >= 0:
                self._children.setdefault(above + self._n, []).append(node)
        self._digest: dict[int, str] = {}
        self._context: dict[int, str] = {}

    def digest(self, node: int) -> str:
        stack = [node]
        while stack:
            top = stack[-1]
            waiting = [child for child in self._children.get(top, ()) if child not in self._digest]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            if top < self._n:
                content = self._clusters.content(top)
            else:
                below = sorted(self._digest[child] for child in self._children[top])
                content = self._joints.content(top - self._n) + "".join(below).encode()
            self._digest[top] = hashlib.sha256(content).hexdigest()
        return self._digest[node]

    def context(self, node: int) -> str:
        path = [node]
        while path[-1] not in self._context and self._parent[path[-1]] >= 0:
            path.append(self._parent[path[-1]] + self._n)
        for step in reversed(path):
            if step in self._context:
                continue
            above = self._parent[step]
            own = self.digest(step)
            if above >= 0:
                own = hashlib.sha256((self._context[above + self._n] + own).encode()).hexdigest()
            self._context[step] = own
        return self._context[node]


@compiled
def _equal_to_previous(offsets: Ints, values: Ints, order: Ints) -> Flags:
    equal = np.zeros(len(order), np.bool_)
    for i in range(1, len(order)):
        a, b = order[i - 1], order[i]
        size = offsets[a + 1] - offsets[a]
        if size == offsets[b + 1] - offsets[b]:
            same = True
            for e in range(size):
                if values[offsets[a] + e] != values[offsets[b] + e]:
                    same = False
                    break
            equal[i] = same
    return equal


def _order(nodes: Tokens, parent: NDArray[np.int64], contexts: _Contexts, first: int) -> NDArray[np.int64]:
    order = lexicographic_order(nodes.offsets, nodes.values)
    equal = _equal_to_previous(nodes.offsets, nodes.values, order)
    starts = np.flatnonzero(~equal & np.concatenate((equal[1:], [False])))
    for start in starts.tolist():
        end = start + 1
        while end < len(order) and equal[end]:
            end += 1
        # Equal clusters that stand alone are interchangeable; equal joints may still hold different clusters.
        if first > 0 or (parent[order[start:end]] >= 0).any():
            run = sorted(order[start:end].tolist(), key=lambda node: contexts.context(node + first))
            order[start:end] = run
    return order


def canonical_numbers(
    clusters: Tokens, joints: Tokens, cluster_joint: NDArray[np.int64], joint_parent: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """New number of each cluster and of each joint."""
    contexts = _Contexts(clusters, joints, np.concatenate((cluster_joint, joint_parent)))
    numbers = []
    for nodes, parent, first in ((clusters, cluster_joint, 0), (joints, joint_parent, len(cluster_joint))):
        number = np.empty(len(parent), np.int64)
        number[_order(nodes, parent, contexts, first)] = np.arange(len(parent))
        numbers.append(number)
    return numbers[0], numbers[1]
