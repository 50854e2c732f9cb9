"""The blocks of HORPART, found by counting (Terrovitis et al., PVLDB 2012, Fig. 4; ``methods/labelling.blocks``).

Data of more than ``block_records`` records is split by its most frequent term, each part again, until all are small
enough. Nobody needs to see a record for that: counts tell. To pass over the data once for every split would take as
many passes as the tree is deep, so one round counts two things: the most frequent terms of every part that is too
large, and how many of its records hold which of them (its *profiles*). Profiles answer every later split by one of
these terms exactly; where a term that was not among them might be more frequent, the part waits for the next round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from cloven.compiled import Ints, compiled
from cloven.kinds.disassociated.methods.labelling import joined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cloven.compiled import Longs

MOST_PROFILES = 1 << 17
"""Profiles of all open parts that a round may bring to the driver."""
MOST_TERMS = 20
"""Terms of a profile."""


class Tree(NamedTuple):
    """Splits so far: the term of each node, -1 for a leaf, and the nodes of those who hold it and of the rest."""

    term: Longs
    having: Longs
    rest: Longs


class Top(NamedTuple):
    """The most frequent terms of a part that were not split by above it, most frequent first, and their counts."""

    terms: tuple[int, ...]
    counts: tuple[int, ...]


class Profiles(NamedTuple):
    """How many records hold which of some terms: bit *i* of a mask stands for the i-th of them."""

    masks: Longs
    counts: Longs


class Counting(Protocol):
    """What is asked of the data: two passes a round."""

    def narrow(self, tree: Tree, leaves: Sequence[int], records: int) -> None:
        """From now on these leaves alone are asked about, and what they are split into; they have so many records."""
        ...

    def top(self, tree: Tree, spent: Mapping[int, frozenset[int]], many: int) -> dict[int, Top]:
        """The ``many`` most frequent terms of each leaf named, but those spent there; of equals the smallest."""
        ...

    def profiles(self, tree: Tree, terms: Mapping[int, Sequence[int]]) -> dict[int, Profiles]:
        """Profiles of each leaf named over its terms."""
        ...


class Leaf(NamedTuple):
    """Leaves that make one block, how many records it has, and the terms its path has used up."""

    nodes: tuple[int, ...]
    size: int
    spent: frozenset[int]


@dataclass
class Node:
    """A part of the records: how many, the terms its path has used up, and how it is split, if it is.

    Attributes:
        size: how many records it has.
        spent: terms that the splits above it were by.
        settled: whether it is not to be split.
        term: what it is split by, or -1.
        having: node of those who hold the term.
        rest: node of those who do not.
    """

    size: int
    spent: frozenset[int]
    settled: bool = False
    term: int = -1
    having: int = -1
    rest: int = -1


def found_blocks(counting: Counting, records: int, block_records: int, k: int) -> tuple[Tree, list[Leaf]]:
    """Tree of splits, and the blocks in its order; the same as ``labelling.blocks`` finds with all records at hand."""
    nodes = grown(counting, records, block_records)
    return tree_of(nodes), blocks_of(nodes, k)


def grown(counting: Counting, records: int, block_records: int) -> list[Node]:
    """Nodes of the tree of splits, until parts have at most ``block_records`` records; the first is the root."""
    nodes = [Node(records, frozenset(), records <= block_records)]
    while waiting := [at for at, node in enumerate(nodes) if not node.settled and node.term < 0]:
        tree = tree_of(nodes)
        counting.narrow(tree, waiting, sum(nodes[at].size for at in waiting))
        bits = _bits(len(waiting))
        top = counting.top(tree, {at: nodes[at].spent for at in waiting}, bits + 1)
        asked = {at: found.terms[:bits] for at, found in top.items() if found.terms}
        profiles = counting.profiles(tree, asked) if asked else {}
        for at in waiting:
            if at in profiles:
                _split(nodes, at, top[at], bits, profiles[at], block_records)
            else:
                nodes[at].settled = True  # no term is left to split by
    return nodes


def blocks_of(nodes: list[Node], k: int) -> list[Leaf]:
    """The blocks that the leaves of a tree make, in its order; those that are too small join others."""
    leaves = [Leaf((at,), nodes[at].size, nodes[at].spent) for at in in_order(nodes)]
    return joined(leaves, lambda leaf: leaf.size < k, _union)


def _bits(parts: int) -> int:
    """How many terms a profile of so many parts may have."""
    return max(1, min(MOST_TERMS, (MOST_PROFILES // parts).bit_length() - 1))


def tree_of(nodes: list[Node]) -> Tree:
    """Nodes as arrays."""
    return Tree(*(np.array([getattr(node, name) for node in nodes], np.int64) for name in Tree._fields))


def _union(one: Leaf, two: Leaf) -> Leaf:
    return Leaf((*one.nodes, *two.nodes), one.size + two.size, one.spent & two.spent)


def in_order(nodes: list[Node]) -> list[int]:
    """Leaves in the order of the tree: those who hold a term before the rest."""
    waiting, out = [0], []
    while waiting:
        at = waiting.pop()
        if nodes[at].term < 0:
            out.append(at)
            continue
        waiting += [child for child in (nodes[at].rest, nodes[at].having) if child >= 0]
    return out


def _split(
    nodes: list[Node], start: int, top: Top, bits: int, profiles: Profiles, block_records: int
) -> None:
    """Split a part as far as its profiles tell."""
    terms = np.array(top.terms[:bits], np.int64)
    holds = (profiles.masks[:, None] >> np.arange(len(terms))) & 1 == 1
    outside = list(zip(top.counts[bits:], top.terms[bits:], strict=True))  # the most frequent one, if any
    waiting = [(start, np.arange(len(profiles.masks)))]
    while waiting:
        at, rows = waiting.pop()
        node = nodes[at]
        if node.size <= block_records:
            node.settled = True
            continue
        held = profiles.counts[rows] @ holds[rows]
        held[np.isin(terms, list(node.spent))] = 0
        most = int(held.max())
        term = int(terms[held == most].min())
        if outside and (most, -term) < (outside[0][0], -outside[0][1]):
            continue  # another term may be more frequent here: the next round tells
        if most == 0:
            node.settled = True
            continue
        inside = holds[rows, int(np.flatnonzero(terms == term)[0])]
        node.term, node.having = term, len(nodes)
        nodes.append(Node(most, node.spent | {term}))
        waiting.append((node.having, rows[inside]))
        if most < node.size:
            node.rest = len(nodes)
            nodes.append(Node(node.size - most, node.spent))
            waiting.append((node.rest, rows[~inside]))


@compiled
def descend(offsets: Ints, terms: Ints, n_terms: int, split: Ints, having: Ints, rest: Ints) -> Ints:
    """Leaf of each record."""
    last = np.full(n_terms, -1, np.int64)
    leaf = np.zeros(len(offsets) - 1, np.int64)
    for record in range(len(offsets) - 1):
        for e in range(offsets[record], offsets[record + 1]):
            last[terms[e]] = record
        node = 0
        while split[node] >= 0:
            node = having[node] if last[split[node]] == record else rest[node]
        leaf[record] = node
    return leaf
