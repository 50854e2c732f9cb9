"""Disassociation in plain Python on sets, straight from the pseudo-code: the oracle for the compiled kernels.

Slow, simple, and written apart from them: no arrays, no counts carried over, every test from scratch.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

Record = frozenset


def most_frequent(records, part, ignore):
    counts = Counter(t for r in part for t in records[r] if t not in ignore)
    return min(counts, key=lambda t: (-counts[t], t)) if counts else None


def horpart(records, k, maximum, strategy):
    """Clusters as lists of record numbers; records in no cluster are left out. Strategies as in the thesis."""
    saved, listed, added = [], [], set()
    stack = [(list(range(len(records))), frozenset())]

    def join_saved(record):
        for cluster in reversed(saved):
            if len(cluster) < maximum:
                cluster.append(record)
                return
        listed.append(record)

    while stack:
        part, ignore = stack.pop()
        term = most_frequent(records, part, ignore) if len(part) > maximum else None
        if term is None:
            if len(part) >= k or strategy == "keep":
                saved.append(list(part))
            elif strategy == "add":
                for record in sorted(part):
                    if not stack or record in added:
                        join_saved(record)
                    else:
                        added.add(record)
                        stack[-1][0].append(record)
            elif strategy == "remaining":
                listed.extend(part)
            continue
        with_term = [r for r in part if term in records[r]]
        without = [r for r in part if term not in records[r]]
        if strategy == "abandon" and (len(with_term) < k or 0 < len(without) < k):
            saved.append(list(part))
            continue
        if without:
            stack.append((without, ignore))
        stack.append((with_term, ignore | {term}))
    if strategy == "add" and listed:
        rest, listed = listed, []
        if len(rest) < k and saved:
            saved[-1] += rest
        else:
            pieces = -(-len(rest) // maximum)
            cuts = [len(rest) * i // pieces for i in range(pieces + 1)]
            saved += [rest[a:b] for a, b in pairwise(cuts)]
    return saved, listed


def is_km(rows, k, m, strict):
    """Every combination of up to m terms that occurs (strict: of the terms at all) occurs k times."""
    terms = sorted(set().union(*rows)) if rows else []
    for size in range(1, m + 1):
        for combination in combinations(terms, size):
            held = sum(1 for row in rows if row.issuperset(combination))
            if held < k and (held > 0 or strict):
                return False
    return True


def grow(rows, tried, k, m, strict):
    """Chunks of terms by greedy growth over the terms in order."""
    chunks, left = [], list(tried)
    while left:
        current = []
        for term in left:
            trial = {*current, term}
            if is_km([row & trial for row in rows if row & trial], k, m, strict):
                current.append(term)
        chunks.append(current)
        left = [term for term in left if term not in current]
    return chunks


def grow_k_anonymous(rows, tried, k):
    chunks, left = [], list(tried)
    while left:
        current = []
        for term in left:
            trial = frozenset({*current, term})
            counts = Counter(row & trial for row in rows if row & trial)
            if min(counts.values()) >= k:
                current.append(term)
        chunks.append(current)
        left = [term for term in left if term not in current]
    return chunks


def lemma(size, rows, chunks, k, m):
    parts = sum(1 for chunk in chunks for row in rows if row & set(chunk))
    return parts >= size + k * (max(1, min(m, len(chunks))) - 1)


def verpart(rows, k, m, strict=False):
    """(record chunks as lists of terms, term chunk as a set) of one cluster, lemma applied."""
    support = Counter(t for row in rows for t in row)
    order = sorted(support, key=lambda t: (-support[t], t))
    term_chunk = {t for t in order if support[t] < k}
    chunks = grow(rows, [t for t in order if support[t] >= k], k, m, strict)
    if not term_chunk and not lemma(len(rows), rows, chunks, k, m):
        last = max((t for t in order), key=lambda t: (-support[t], t))
        term_chunk = {last}
        chunks = [[t for t in chunk if t != last] for chunk in chunks]
        chunks = [chunk for chunk in chunks if chunk]
    return chunks, term_chunk


class Node:
    """A simple or joint cluster during refining."""

    def __init__(self, number, members, barred):
        self.number, self.members, self.barred = number, members, barred

    def barred_for(self, term):
        """Clusters that cannot take the term from a new shared chunk."""
        return self.barred.get(term, frozenset())


def refine(clusters, verparts, k, m, *, listed_too=False, strict=False):
    """Joints as (parent links, shared chunks); ``clusters`` are lists of records, in order.

    Returns the parent of every node (clusters 0..C-1, joints C..), the shared chunks of each joint as lists of terms,
    and what is left of the term chunks.
    """
    left = [set(term_chunk) for _, term_chunk in verparts]
    nodes = [
        Node(c, [c], {t: frozenset([c]) for chunk in verparts[c][0] for t in chunk})
        for c in range(len(clusters))
    ]
    parent, joints, idle, shift = {}, [], 0, 0
    while idle < 2 and len(nodes) > 1:
        virtual = {n.number: set().union(*(left[c] for c in n.members)) for n in nodes}
        spread = Counter(t for terms in virtual.values() for t in terms)
        place = {t: i for i, t in enumerate(sorted(spread, key=lambda t: (-spread[t], t)))}
        nodes.sort(key=lambda n: (not virtual[n.number], sorted(place[t] for t in virtual[n.number])))
        after, at, joined = [], 0, False
        while at < len(nodes):
            one = nodes[at]
            if at >= shift and at + 1 < len(nodes):
                two = nodes[at + 1]
                made = try_join(one, two, virtual, clusters, verparts, left, k, m, listed_too, strict)
                if made:
                    number = len(clusters) + len(joints)
                    parent[one.number] = parent[two.number] = number
                    joints.append(made)
                    moved = {t for chunk in made for t in chunk}
                    members = one.members + two.members
                    barred = {t: one.barred_for(t) | two.barred_for(t) for t in {*one.barred, *two.barred}}
                    barred |= {t: frozenset(members) for t in moved}
                    after.append(Node(number, members, barred))
                    joined = True
                else:
                    after += [one, two]
                at += 2
            else:
                after.append(one)
                at += 1
        nodes, idle, shift = after, 0 if joined else idle + 1, 1 - shift
    return parent, joints, left


def try_join(one, two, virtual, clusters, verparts, left, k, m, listed_too, strict):
    members = one.members + two.members
    refining = virtual[one.number] & virtual[two.number]
    support = {t: sum(t in row for c in members if t in left[c] for row in clusters[c]) for t in refining}
    taken, out = {t for t in refining if support[t] >= k}, set()

    def worth():
        counted = {t for t in refining - out if t in taken or listed_too}
        holding = [c for c in members if left[c] & counted]
        listed = sum(len(left[c] & counted) for c in members)
        size, spread = sum(len(clusters[c]) for c in members), sum(len(clusters[c]) for c in holding)
        gained = sum(support[t] for t in taken)
        return gained > 0 and gained * spread >= listed * size

    if not worth():
        return None
    # Members in the order of the refining terms they hold, as the kernel meets them.
    met = []
    for t in sorted(refining):
        met += [c for side in (one, two) for c in sorted(side.members) if t in left[c]]
    for c in dict.fromkeys(met):
        chunks = verparts[c][0]
        while left[c] and left[c] <= taken and not lemma(len(clusters[c]), clusters[c], chunks, k, m):
            worst = max((t for t in taken & left[c]), key=lambda t: (-support[t], t))
            taken.discard(worst)
            out.add(worst)
    if not worth():
        return None
    rows = [row & (left[c] & taken) for c in members for row in clusters[c]]
    rows = [row for row in rows if row]
    order = sorted(taken, key=lambda t: (-support[t], t))
    barred = {t: one.barred_for(t) | two.barred_for(t) for t in order}
    fresh = [t for t in order if not barred[t]]
    chunks = grow([row & set(fresh) for row in rows if row & set(fresh)], fresh, k, m, strict)
    for alike in dict.fromkeys(barred[t] for t in order if barred[t]):
        chunks += grow_k_anonymous(rows, [t for t in order if barred[t] == alike], k)
    for c in members:
        left[c] -= taken
    return chunks
