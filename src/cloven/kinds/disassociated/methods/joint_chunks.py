"""Shared chunks of joints, once it is known which terms move there (Terrovitis et al., PVLDB 2012, section 5).

Whether nodes are joined follows from their leaves alone (``joins.py``), so chunks may be built while others are joined.
Joints do not need each other, and each core takes some.

Terms that no member cluster shows in a record chunk (nor an older shared chunk of the members) grow under the k^m test.
A term that some member already shows gives its cluster away: its occurrence cannot come from there. Chunks of such
terms must be k-anonymous: every distinct non-empty sub-record occurs k times. That alone is not enough: rows that are
allowed in different clusters can pin each other down. So all terms of such a chunk must be barred from the same
clusters; then any k copies of a row may stand in any cluster that may have one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Ints, compiled
from cloven.kinds.disassociated.methods.growth import columns
from cloven.kinds.disassociated.methods.vertical import grow

if TYPE_CHECKING:
    from cloven.kinds.disassociated.methods.joins import Clusters, Leaves, Rules


class Moves(NamedTuple):
    """Terms that move to joints, joint by joint and ascending there.

    For each its holders, a fingerprint of the clusters that cannot have it from there (0 for none), one of its leaves,
    which leads to all others, and how many leaves there are.
    """

    term: Ints
    holders: Ints
    barred: Ints
    leaf: Ints
    leaves: Ints


@compiled
def _tried(moves: Moves, first: int, last: int, group: Ints) -> Ints:
    """Moves of a joint as they are tried: by utility group, holders descending, tie order."""
    keys = np.empty(last - first, np.int64)
    for i in range(first, last):
        keys[i - first] = (np.int64(group[moves.term[i]]) << 32) - moves.holders[i]
    return first + np.argsort(keys, kind="mergesort")


@compiled
def _leaves_of(moves: Moves, order: Ints, following: Ints) -> tuple[Ints, Ints]:
    """Leaves of each term, and where those of each start.

    Each leads to the next, and lies anywhere in memory: all terms go on together, so that none waits for another.
    """
    start, going = np.zeros(len(order) + 1, np.int64), np.empty((2, len(order)), np.int64)
    for i in range(len(order)):
        start[i + 1] = start[i] + moves.leaves[order[i]]
        going[0, i], going[1, i] = i, moves.leaf[order[i]]
    found, step, many = np.empty(start[-1], np.int64), 0, len(order)
    while many > 0:
        still = 0
        for g in range(many):
            i, leaf = going[0, g], going[1, g]
            found[start[i] + step] = leaf
            going[0, still], going[1, still] = i, following[leaf]
            still += int(start[i] + step + 1 < start[i + 1])
        many, step = still, step + 1
    return start, found


@compiled
def _places(
    listed: Ints, leaves: Leaves, clusters: Clusters, met: Ints, place: Ints, mark: int
) -> tuple[int, int]:
    """Give each cluster that leaves come from places for its members; returns how many, and all occurrences."""
    room, total = 0, 0
    for leaf in listed:
        c = leaves.cluster[leaf]
        total += leaves.held[leaf]
        if met[c] != mark:
            met[c], place[c] = mark, room - clusters.start[c]
            room += clusters.size[c]
    return room, total


@compiled
def _holding(
    begin: Ints, listed: Ints, leaves: Leaves, clusters: Clusters, met: Ints, place: Ints, mark: int
) -> tuple[Ints, Ints, Ints]:
    """For each term the records that hold it, as rows 0, 1, ...: where they start, and which; and whose rows these are.

    Rows are numbered as terms meet them, or by person, if any are told.
    """
    room, total = _places(listed, leaves, clusters, met, place, mark)
    number, who = np.full(room, -1, np.int32), np.empty(min(room, total), np.int64)
    start, row, at, n = np.zeros(len(begin), np.int64), np.empty(total, np.int64), 0, 0
    named = len(clusters.person) > 0
    for i in range(len(begin) - 1):
        for leaf in listed[begin[i] : begin[i + 1]]:
            shift = place[leaves.cluster[leaf]]
            for e in range(leaves.start[leaf], leaves.start[leaf] + leaves.held[leaf]):
                member = leaves.member[e]
                if number[shift + member] < 0:
                    number[shift + member] = n
                    who[n] = clusters.person[member] if named else n
                    n += 1
                row[at] = number[shift + member]
                at += 1
        start[i + 1] = at
    who = who[:n]
    if named:
        by_person, rank = np.argsort(who, kind="mergesort"), np.empty(n, np.int64)
        rank[by_person] = np.arange(n)
        row, who = rank[row], who[by_person]
    return start, row, who


@compiled
def share_out(
    moves: Moves, starts: Ints, first: int, last: int, joints: int,
    leaves: Leaves, clusters: Clusters, rules: Rules, joint: Ints, chunk: Ints,
) -> None:  # fmt: skip
    """Build the shared chunks of some joints, numbered from ``joints``; joint and chunk of every leaf that moved."""
    met, place = np.full(len(clusters.size), -1, np.int64), np.empty(len(clusters.size), np.int64)
    named = len(clusters.person) > 0
    for number in range(first, last):
        order = _tried(moves, starts[number], starts[number + 1], rules.group)
        begin, listed = _leaves_of(moves, order, leaves.following)
        start, row, who = _holding(begin, listed, leaves, clusters, met, place, number)
        groups, barred = rules.group[moves.term[order]], moves.barred[order]
        chunk_of = shared_chunks(start, row, groups, barred, rules, who, named)
        for i in range(len(order)):
            for leaf in listed[begin[i] : begin[i + 1]]:
                joint[leaf], chunk[leaf] = joints + number, chunk_of[i]


@compiled
def _alike(group: Ints, barred: Ints) -> Ints:
    """A number for each pair of utility group and barred clusters, by first appearance."""
    number, count = np.empty(len(group), np.int64), 0
    for t in range(len(group)):
        number[t] = -1
        for earlier in range(t):
            if group[earlier] == group[t] and barred[earlier] == barred[t]:
                number[t] = number[earlier]
                break
        if number[t] < 0:
            number[t] = count
            count += 1
    return number


@compiled
def _picked(start: Ints, row: Ints, picked: Ints) -> tuple[Ints, Ints]:
    """The rows of some terms."""
    starts, total = np.zeros(len(picked) + 1, np.int64), 0
    for i in range(len(picked)):
        total += start[picked[i] + 1] - start[picked[i]]
        starts[i + 1] = total
    rows = np.empty(total, np.int64)
    for i in range(len(picked)):
        rows[starts[i] : starts[i + 1]] = row[start[picked[i]] : start[picked[i] + 1]]
    return starts, rows


@compiled
def shared_chunks(
    start: Ints, row: Ints, group: Ints, barred: Ints, rules: Rules, who: Ints, named: bool
) -> Ints:
    """Chunk of each refining term: first those no member shows (k^m), then the shown ones (k-anonymous).

    ``barred`` is the fingerprint of the clusters that cannot take a term, 0 for none. Shown terms share a chunk only if
    the same clusters are barred for them, so that all rows of a chunk may be swapped freely among the others.
    """
    chunk_of, chunks = np.zeros(len(group), np.int64), 0
    if len(group) == 1:
        return chunk_of
    for phase in range(2):
        picked = np.flatnonzero((barred != 0) == (phase == 1))
        if len(picked) == 0:
            continue
        groups = group[picked] if phase == 0 else _alike(group[picked], barred[picked])
        order = np.argsort(groups, kind="mergesort")
        picked, groups = picked[order], groups[order]
        starts, rows = _picked(start, row, picked)
        if phase == 0:
            row_start, row_term = columns(starts, rows, len(who))
            found = grow(row_start, row_term, len(groups), groups, rules.k, rules.m, rules.strict, who, named)
        else:
            found = grow_k_anonymous(starts, rows, groups, rules.k, who, named)
        for i in range(len(picked)):
            chunk_of[picked[i]] = chunks + found[i]
        chunks += found.max() + 1
    return chunk_of


@compiled
def _splits_well(column: Ints, class_of: Ints, class_size: Ints, k: int, inside: Ints, touched: Ints) -> bool:
    """May this term join? Each class of equal sub-records must split into parts of at least k holders, or not at all.

    Class 0 is the empty sub-record: its other part is free. Rows are counted; when persons are told, the caller counts
    them again in persons.
    """
    n_touched, fine = 0, True
    for i in range(len(column)):
        c = class_of[column[i]]
        if inside[c] == 0:
            touched[n_touched] = c
            n_touched += 1
        inside[c] += 1
    for i in range(n_touched):
        c = touched[i]
        outside = class_size[c] - inside[c]
        fine = fine and inside[c] >= k and (c == 0 or outside == 0 or outside >= k)
        inside[c] = 0
    return fine


@compiled
def _holders_fine(class_of: Ints, n_rows: int, n_classes: int, who: Ints, k: int) -> bool:
    """Every class but the empty one has k persons."""
    held, last = np.zeros(n_classes, np.int64), np.full(n_classes, -1, np.int64)
    for row in range(n_rows):
        if last[class_of[row]] != who[row]:
            last[class_of[row]] = who[row]
            held[class_of[row]] += 1
    for c in range(1, n_classes):
        if 0 < held[c] < k:
            return False
    return True


@compiled
def _split(column: Ints, class_of: Ints, class_size: Ints, n_classes: int, renamed: Ints) -> int:
    """Give the rows of a column new classes; returns the new number of classes."""
    before = n_classes
    for i in range(len(column)):
        c = class_of[column[i]]
        if renamed[c] < 0:
            renamed[c] = n_classes
            n_classes += 1
        class_size[c] -= 1
        class_size[renamed[c]] += 1
        class_of[column[i]] = renamed[c]
    renamed[:before] = -1
    return n_classes


@compiled
def grow_k_anonymous(start: Ints, row: Ints, group: Ints, k: int, who: Ints, named: bool) -> Ints:
    """Chunk of each term, from its rows, such that every chunk is k-anonymous; -1 for one that fits nowhere."""
    n_terms, n_rows, most = len(group), len(who), len(row) + 2
    chunk_of = np.full(n_terms, -1, np.int64)
    class_of, class_size = np.zeros(n_rows, np.int64), np.zeros(most, np.int64)
    inside = np.zeros(most, np.int64)
    touched, renamed = np.empty(most, np.int64), np.full(most, -1, np.int64)
    chunk = 0
    for first in range(n_terms):
        if chunk_of[first] >= 0:
            continue
        class_size[0], n_classes = n_rows, 1
        for t in range(first, n_terms):
            if group[t] != group[first]:
                break
            if chunk_of[t] >= 0:
                continue
            column = row[start[t] : start[t + 1]]
            if not _splits_well(column, class_of, class_size, k, inside, touched):
                continue
            if named:
                trial, sizes = class_of.copy(), class_size.copy()
                n_trial = _split(column, trial, sizes, n_classes, renamed)
                if not _holders_fine(trial, n_rows, n_trial, who, k):
                    continue
            n_classes = _split(column, class_of, class_size, n_classes, renamed)
            chunk_of[t] = chunk
        for t in range(first, n_terms):  # only what this chunk touched: there may be very many chunks
            if group[t] != group[first]:
                break
            if chunk_of[t] == chunk:
                for i in range(start[t], start[t + 1]):
                    class_of[row[i]] = 0
        class_size[:n_classes] = 0
        chunk += 1
    return chunk_of
