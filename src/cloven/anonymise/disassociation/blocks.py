"""Blocks: HORPART subtrees that are small enough to be worked on apart.

Data of at most ``block_records`` records is one block. Larger data is split by the most frequent term, as HORPART
does, until every part fits. Small clusters and refining stay inside a block, so every engine, local or distributed,
gives the same answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.anonymise.disassociation.holding import holders
from cloven.compiled import Flags, Ints, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def _counts(offsets: Ints, terms: Ints, records: Ints, n_terms: int) -> Ints:
    """How many of the records hold each term."""
    counts = np.zeros(n_terms, np.int64)
    for record in records:
        for e in range(offsets[record], offsets[record + 1]):
            counts[terms[e]] += 1
    return counts


@compiled
def _having(offsets: Ints, terms: Ints, records: Ints, term: int) -> Flags:
    """Which of the records hold a term."""
    having = np.zeros(len(records), np.bool_)
    for i in range(len(records)):
        for e in range(offsets[records[i]], offsets[records[i] + 1]):
            if terms[e] == term:
                having[i] = True
                break
    return having


class Block(NamedTuple):
    """Records of a block (ascending) and the terms its path has used up."""

    records: NDArray[np.int64]
    spent: frozenset[int]


def blocks(
    offsets: NDArray[np.int64],
    terms: NDArray[np.int32],
    n_terms: int,
    person: NDArray[np.int64],
    k: int,
    block_records: int,
) -> list[Block]:
    """Split records into blocks, in the order of the HORPART tree; one with too few records joins the next."""
    everything = Block(np.arange(len(offsets) - 1), frozenset())
    waiting, done = [everything], []
    while waiting:
        block = waiting.pop()
        if len(block.records) <= block_records:
            done.append(block)
            continue
        counts = _counts(offsets, terms, block.records, n_terms)
        counts[list(block.spent)] = 0
        best = int(counts.argmax())
        if counts[best] == 0:
            done.append(block)
            continue
        having = _having(offsets, terms, block.records, best)
        if not having.all():
            waiting.append(Block(block.records[~having], block.spent))
        waiting.append(Block(block.records[having], block.spent | {best}))
    return _joined(done, person, k)


def _joined(found: list[Block], person: NDArray[np.int64], k: int) -> list[Block]:
    """Blocks with fewer than k records (or persons) join the next one; the last joins the one before."""
    out: list[Block] = []
    for block in found:
        if out and holders(person, out[-1].records) < k:
            block = _union(out.pop(), block)
        out.append(block)
    if len(out) > 1 and holders(person, out[-1].records) < k:
        last = out.pop()
        out.append(_union(out.pop(), last))
    return out


def _union(one: Block, two: Block) -> Block:
    return Block(np.sort(np.concatenate((one.records, two.records))), one.spent & two.spent)
