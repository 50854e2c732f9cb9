"""Split a part of the records that is in memory until all parts are small: what ``splits`` finds by counting.

Who holds a term is known from an index, and the counts of the rest are those of the part without them. So every split
costs the records that hold its term, however many parts were split off before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Ints, compiled
from cloven.kinds.disassociated.blocks.splits import Node

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Longs

PER_OCCURRENCE = 20
"""Bytes that it takes for each item of the records: terms and index, and what they are made from."""
PER_RECORD = 60


class Index(NamedTuple):
    """Records that hold each term, ascending."""

    starts: Longs
    records: NDArray[np.int32]


def divided(
    nodes: list[Node], root: int, offsets: Longs, terms: NDArray[np.int32], barred: Longs, n_terms: int,
    block_records: int,
) -> NDArray[np.int32]:  # fmt: skip
    """Split a leaf until its parts have at most ``block_records`` records; the leaf of each record.

    Args:
        nodes: the tree; new nodes are appended.
        root: the leaf; its records are given.
        offsets: row starts of these records.
        terms: their terms.
        barred: terms that nothing is split by.
        n_terms: how many terms there are.
        block_records: parts of so many records are not split further.
    """
    label_of = np.zeros(len(offsets) - 1, np.int32)  # the rest of a part keeps its label
    leaf_of = [root]
    index = _index(offsets, terms, n_terms)
    counts = np.bincount(terms, minlength=n_terms).astype(np.int64)
    counts[barred] = 0
    counts[list(nodes[root].spent)] = 0
    waiting = [(root, 0, counts)]
    while waiting:
        at, label, counts = waiting.pop()
        node, best = nodes[at], int(counts.argmax())
        if node.size <= block_records or not counts[best]:
            node.settled, leaf_of[label] = True, at
            continue
        node.settled, node.term, node.having = False, best, len(nodes)
        holders = index.records[index.starts[best] : index.starts[best + 1]]
        found = np.zeros(n_terms, np.int64)
        move(holders, label, len(leaf_of), label_of, offsets, terms, found)
        found[counts == 0] = 0  # barred or spent
        inner = Node(int(counts[best]), node.spent | {best})
        nodes.append(inner)
        if inner.size < node.size:
            node.rest = len(nodes)
            nodes.append(Node(node.size - inner.size, node.spent))
            waiting.append((node.rest, label, counts - found))
        found[best] = 0
        waiting.append((node.having, len(leaf_of), found))
        leaf_of.append(node.having)
    return np.array(leaf_of, np.int32)[label_of]


def _index(offsets: Longs, terms: NDArray[np.int32], n_terms: int) -> Index:
    starts = np.concatenate(([0], np.cumsum(np.bincount(terms, minlength=n_terms)))).astype(np.int64)
    records = np.empty(len(terms), np.int32)
    fill_index(offsets, terms, starts[:-1].copy(), records)
    return Index(starts, records)


@compiled
def fill_index(offsets: Ints, terms: Ints, free: Ints, records: Ints) -> None:
    """Put every record to each of its terms; ``free`` is where the next one of a term goes."""
    for record in range(len(offsets) - 1):
        for e in range(offsets[record], offsets[record + 1]):
            records[free[terms[e]]] = record
            free[terms[e]] += 1


@compiled
def move(
    holders: Ints, label: int, to: int, label_of: Ints, offsets: Ints, terms: Ints, counts: Ints
) -> None:
    """Give those of the holders with a label another one, and count their terms."""
    for record in holders:
        if label_of[record] == label:
            label_of[record] = to
            for e in range(offsets[record], offsets[record + 1]):
                counts[terms[e]] += 1
