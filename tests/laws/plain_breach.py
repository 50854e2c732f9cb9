"""Covers, Algorithm 1 and method-level worlds in plain Python, straight from their definitions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations, permutations, product

from tests.laws import plain_disassociation as plain


def supports(chunk):
    return Counter(item for row in chunk for item in row)


def covers(release):
    """(cluster, chunk, earlier, item) -> (I, covered items), by Definition 3 for all earlier chunks."""
    found = {}
    for c, cluster in enumerate(release.iter_clusters()):
        chunks = cluster.record_chunks
        for j, l in product(range(len(chunks)), repeat=2):
            if l >= j:
                continue
            for x, sx in supports(chunks[j]).items():
                inside = {y: s for y, s in supports(chunks[l]).items() if s >= sx}
                together = sum(set(row) >= set(inside) for row in chunks[l])
                if inside and together == min(inside.values()):
                    found[c, j, l, x] = (
                        frozenset(inside),
                        frozenset(y for y, s in inside.items() if s == together),
                    )
    return found


def algorithm_1(release, known, reading):
    """The score: ``item`` as the text means it, ``chunk`` with breaches counted by chunk, ``printed`` step by step."""
    found = covers(release)
    total = best = 0
    for c, cluster in enumerate(release.iter_clusters()):
        if reading != "printed":
            best = 0
        for j, chunk in enumerate(cluster.record_chunks):
            breach, l = 0, j - 1
            order = sorted(supports(chunk), key=lambda item: (-supports(chunk)[item], item))
            for x in order:
                if reading != "printed":
                    l = j - 1
                if reading == "item":
                    breach = 0
                while l >= 0:
                    _, covered = found.get((c, j, l, x), ((), ()))
                    breach += any(frozenset((x, y)) in known for y in covered)
                    l -= 1
                best = max(best, breach)
        total += best
    return total


def arrangements(cluster):
    """All record contents that the record chunks allow, slot by slot, each once."""
    empty = ((),) * cluster.size
    first, *later = cluster.record_chunks
    states = {tuple(frozenset(row) for row in (*first, *empty)[: cluster.size])}
    for chunk in later:
        placed = set(permutations((*chunk, *empty)[: cluster.size]))
        states = {
            tuple(held | set(row) for held, row in zip(state, rows, strict=True))
            for state in states
            for rows in placed
        }
    return states


def tie_orders(rows):
    """Every order of the items in which supports descend."""
    count = supports(rows)
    levels = [sorted(i for i in count if count[i] == s) for s in sorted(set(count.values()), reverse=True)]
    for orders in product(*(permutations(level) for level in levels)):
        yield [item for level in orders for item in level]


def method_worlds(cluster, k, m, ties="some"):
    """Arrangements that VERPART turns into these chunks again, for some order of ties or that of the names."""
    wanted = [set(supports(chunk)) for chunk in cluster.record_chunks]
    full = not cluster.term_chunk and cluster.joint is None
    out = set()
    for rows in arrangements(cluster):
        if full and not all(rows):
            continue
        orders = list(tie_orders(rows))
        for order in orders[:1] if ties == "text" else orders:
            if [set(chunk) for chunk in plain.grow(rows, order, k, m, strict=False)] == wanted:
                out.add(rows)
                break
    return out


@dataclass(frozen=True)
class Pair:
    """What all worlds of a cluster say about two items of different record chunks, that of the earlier chunk first.

    ``most``: most records in which they meet; ``certain``: items that every record with both holds in every world;
    ``possible``: items that some record with both holds in some world.
    """

    items: tuple[str, str]
    most: int
    certain: frozenset[str]
    possible: frozenset[str]


def pairs(worlds):
    """All pairs of items of different record chunks, with what follows about each."""
    for earlier, later in combinations(worlds.chunks, 2):
        for y, x in product(sorted(earlier), sorted(later)):
            yield pair(worlds, y, x)


def pair(worlds, first, second):
    meet = [world[first] & world[second] for world in worlds.worlds]
    items = set().union(*worlds.chunks)
    both = list(zip(meet, worlds.worlds, strict=True))
    certain = {item for item in items if all(not held & ~world[item] for held, world in both)}
    possible = {item for item in items if any(held & world[item] for held, world in both)}
    most = max((held.bit_count() for held in meet), default=0)
    return Pair((first, second), most, frozenset(certain if most else ()), frozenset(possible))


def broken(worlds, k):
    """Pairs that no world joins in k records."""
    return [found for found in pairs(worlds) if worlds.worlds and found.most < k]
