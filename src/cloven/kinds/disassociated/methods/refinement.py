"""REFINE: join clusters that share leftovers (Terrovitis et al., PVLDB 2012, section 5; Fig. 7).

Each pass orders the clusters by the contents of their (virtual) term chunks, the most widespread terms first, and tries
to join neighbours: (1, 2), (3, 4), ... in one pass, (2, 3), (4, 5), ... in the next. It stops after two passes without
a join.

A pass costs what has changed. Nodes (simple or joint clusters) stay where they are; a join merges two lists of terms
and links the leaves behind them. Two nodes that stay apart do so until one of them is joined, so they are not tried
again. Pairs of one pass have nothing in common, so each core takes some. Shared chunks are built when it is known which
terms moved to which joint (``joint_chunks.py``); later passes do not ask for them, and are too short for several cores,
so that the others build meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.compiled import Ints, compiled
from cloven.cores import WORTH_IT, Meanwhile, at_once, meanwhile, one_crew
from cloven.data.arrays import lexicographic_order, offsets_of, positions, read_only
from cloven.kinds.disassociated.methods.growth import popcount
from cloven.kinds.disassociated.methods.joins import (
    Candidate,
    Clusters,
    Entries,
    Leaves,
    Nodes,
    Refining,
    Rules,
    behind,
    between,
    desk_for,
    held_of,
    joinable,
    may_share,
    term_of,
)
from cloven.kinds.disassociated.methods.joint_chunks import Moves, share_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Longs
    from cloven.kinds.disassociated.methods.vertical import Vertical

_JOINING, _SHARING = 8, 8
# Steps that a term of a join takes, and an occurrence that moves, in steps of a term that is only looked at.
_SOME = 3_000
# Occurrences that move, from which on it is worth to have others build chunks of them.
_FEW = 16
# Words of bits for each term, from which on sorting is faster.
_ONE = np.uint64(1)
_LAST = 1 << 62
# Key of a node that has nothing left to share.


class Refined(NamedTuple):
    """Result of refining.

    Attributes:
        joint: joint of each occurrence that moved to a shared chunk, -1 otherwise.
        chunk: chunk of each occurrence: of its joint, of its cluster, or -1 for the term chunk.
        cluster_joint: innermost joint of each cluster, -1 for none.
        joint_parent: parent of each joint, -1 for none.
    """

    joint: NDArray[np.int32]
    chunk: NDArray[np.int32]
    cluster_joint: Longs
    joint_parent: Longs


class Grouped(NamedTuple):
    """Records as rows of terms, and cluster by cluster: which they are, and where each cluster starts."""

    offsets: Longs
    terms: NDArray[np.int32]
    members: Longs
    start: Longs


def cluster_marks(n_clusters: int) -> Longs:
    """A well-mixed number for each cluster, so that sets of clusters can be told apart by exclusive or (splitmix64)."""
    mixed = np.arange(1, n_clusters + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return (mixed ^ (mixed >> np.uint64(31))).view(np.int64)


@one_crew()
def refine(
    vertical: Vertical,
    records: Grouped,
    group: Longs,
    barred: Flags,
    person: Longs,
    *,
    k: int,
    m: int,
    strict: bool,
    listed_too: bool = False,
    lemma: bool = True,
) -> Refined:
    """Join clusters to the fixpoint.

    Args:
        vertical: result of the vertical step.
        records: all records, and those of each cluster.
        group: utility group of each term.
        barred: terms that must stay in term chunks.
        person: person of each record, or empty.
        k: least support.
        m: size of the combinations that must hold.
        strict: combinations that do not occur fail too.
        listed_too: Equation 1 over all terms that both nodes list, not only over those that move.
        lemma: no record may be empty, so every member has to keep the lemma.
    """
    n_clusters = len(vertical.chunks)
    rules = Rules(k, m, strict, listed_too, lemma, group)
    work, occurrence = _beginning(vertical, records, barred, person, rules)
    passes = _Passes(work)
    parent = np.full(2 * n_clusters, -1, np.int64)
    joints, idle, shift = 0, 0, 0
    try:
        while idle < 2 and len(passes.order) > 1:
            if idle == 0:  # else nothing has changed
                passes.sort()
            one, two = passes.tried(shift, joints)
            parent[one] = parent[two] = joints + np.arange(len(one))
            joints += len(one)
            idle = 0 if len(one) else idle + 1
            shift = 1 - shift
        goes = passes.goes()
    finally:
        passes.drop()
    joint, chunk = np.full(len(records.terms), -1, np.int32), vertical.chunk.copy()
    moved = np.flatnonzero(goes[0] >= 0)
    held = work.leaves.held[moved]
    at = occurrence[positions(work.leaves.start[moved], held)]
    joint[at], chunk[at] = (np.repeat(each[moved], held) for each in goes)
    return Refined(joint, chunk, parent[:n_clusters], parent[n_clusters : n_clusters + joints])


# What the vertical step leaves: for each cluster the terms of its term chunk, and those it shows.


def _beginning(
    vertical: Vertical, records: Grouped, barred: Flags, person: Longs, rules: Rules
) -> tuple[Refining, Longs]:
    """Every cluster as a node of its own; and the occurrences, where those of a leaf stand together."""
    n = len(vertical.chunks)
    steps = offsets_of(np.diff(records.offsets)[records.members])[records.start]
    occurrence, member = np.empty(steps[-1], np.int64), np.empty(steps[-1], np.int32)

    def some(first: int, last: int) -> tuple[Ints, ...]:
        return _leaves(records, vertical.chunk, barred, steps, first, last, occurrence, member)

    parts = zip(*at_once(some, steps), strict=True)
    term, start, held, listed, terms_left, shown, shows = (np.concatenate(each) for each in parts)
    count, marks = len(term), cluster_marks(n)
    numbers, cluster = np.arange(count), np.repeat(np.arange(n), listed)
    cluster, start, leaf_held, following = _side_by_side(cluster, start, held, numbers)
    leaves = Leaves(cluster, start, leaf_held, member, following)
    leaf, many = _with_room(_side_by_side(numbers, np.ones_like(numbers)).T, count).T
    entries = Entries(_with_room(term.astype(np.int64) << 32 | held, count), leaf, many)
    at, shown_at = offsets_of(listed), offsets_of(shows)
    sizes = np.diff(records.start)
    nodes = Nodes(
        _with_room(sizes, n),
        _with_room(at[:-1], n),
        _with_room(at[1:], n),
        _with_room(shown_at[:-1], n),
        _with_room(shown_at[1:], n),
        _with_room(marks, n),
        # A joined node also shows the terms that moved: never more than the leaves that left.
        _with_room(shown, len(shown) + 2 * count),
        _with_room(np.repeat(marks, shows), len(shown) + 2 * count),
    )
    of_members = person[records.members] if len(person) else person
    clusters = Clusters(
        sizes, records.start, vertical.subrecords, vertical.chunks, terms_left, read_only(of_members)
    )
    return Refining(nodes, entries, leaves, clusters, rules), occurrence


def _side_by_side(*columns: NDArray[np.integer]) -> NDArray[np.integer]:
    """Lists of equal length, such that what stands at one place of all is one piece of memory."""
    narrow = all(each.max(initial=0) < 1 << 31 for each in columns)
    table = np.empty((len(columns[0]), len(columns)), np.int32 if narrow else np.int64)
    for number, column in enumerate(columns):
        table[:, number] = column
    return table.T


def _with_room(values: NDArray[np.integer], more: int) -> NDArray[np.integer]:
    """The same numbers, and room behind them."""
    larger = np.empty((len(values) + more, *values.shape[1:]), values.dtype)
    larger[: len(values)] = values
    return larger


@compiled
def _sort_terms(terms: Ints, flags: Any) -> None:
    """Sort distinct terms in place; a bit for each of all terms is faster, unless there are few of very many."""
    if len(flags) > _FEW * len(terms):
        terms.sort()
        return
    for term in terms:
        flags[term >> 6] |= _ONE << np.uint64(term & 63)
    at = 0
    for w in range(len(flags)):
        word = flags[w]
        flags[w] = 0
        while word:
            low = word & (~word + _ONE)
            terms[at] = w * 64 + popcount(low - _ONE)
            word ^= low
            at += 1


@compiled
def _leaves(
    records: Grouped,
    chunk: Ints,
    barred: Flags,
    steps: Ints,
    first: int,
    last: int,
    occurrence: Ints,
    member: Ints,
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints, Ints]:
    """Leaves of some clusters by term: term, start, occurrences; how many a cluster has, and how many terms are left.

    Then the terms that clusters show in record chunks, ascending, and how many. Occurrences of a cluster are put behind
    those of the clusters before it, with their members.
    """
    offsets, terms, n_terms, size = records.offsets, records.terms, len(barred), steps[last] - steps[first]
    leaf_term, leaf_held, shown = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int32)
    leaf_start = np.empty(size, np.int64)
    listed, left = np.zeros(last - first, np.int64), np.zeros(last - first, np.int64)
    shows = np.zeros(last - first, np.int64)
    held, fill = np.zeros(n_terms, np.int32), np.empty(n_terms, np.int64)
    showing, staying = np.full(n_terms, -1, np.int64), np.full(n_terms, -1, np.int64)
    leaf, sight, flags = 0, 0, np.zeros((n_terms + 63) // 64, np.uint64)
    most = 0
    for c in range(first, last):
        most = max(most, steps[c + 1] - steps[c])
    over, at_place = np.empty(most, np.int64), np.empty(most, np.int32)
    for c in range(first, last):
        begin, look, many = leaf, sight, 0
        for place in range(records.start[c], records.start[c + 1]):
            record = records.members[place]
            for e in range(offsets[record], offsets[record + 1]):
                t = terms[e]
                if chunk[e] >= 0:
                    if showing[t] != c:
                        showing[t], shown[sight] = c, t
                        sight += 1
                elif chunk[e] == -1:
                    if barred[t]:
                        left[c - first] += int(staying[t] != c)
                        staying[t] = c
                        continue
                    if held[t] == 0:
                        leaf_term[leaf] = t
                        leaf += 1
                    held[t] += 1
                    over[many], at_place[many] = e, place
                    many += 1
        _sort_terms(leaf_term[begin:leaf], flags)
        _sort_terms(shown[look:sight], flags)
        listed[c - first], shows[c - first] = leaf - begin, sight - look
        left[c - first] += leaf - begin
        at = steps[c]
        for i in range(begin, leaf):
            t = leaf_term[i]
            leaf_start[i], leaf_held[i], fill[t] = at, held[t], at
            at += held[t]
            held[t] = 0
        for i in range(many):
            t = terms[over[i]]
            occurrence[fill[t]], member[fill[t]] = over[i], at_place[i]
            fill[t] += 1
    return (
        leaf_term[:leaf].copy(), leaf_start[:leaf].copy(), leaf_held[:leaf].copy(), listed, left,
        shown[:sight].copy(), shows,
    )  # fmt: skip


# Passes.


class _Passes:
    """Nodes that are left, in their order, and pairs that stayed apart."""

    def __init__(self, work: Refining) -> None:
        self.work = work
        self.clusters, n_terms = len(work.clusters.size), len(work.rules.group)
        self.order = np.arange(self.clusters)
        self.used = len(work.leaves.cluster)
        self.spread = np.bincount(work.entries.key[: self.used] >> 32, minlength=n_terms)
        self.used_shown = int(work.nodes.last_shown[self.clusters - 1]) if self.clusters else 0
        self._bits = max(1, n_terms.bit_length())
        # Whatever is forgotten here, as other pairs take its place, is tried once more.
        self._apart = np.full(1 << (8 * self.clusters).bit_length(), -1, np.int64)
        self._moves: list[Moves] = []
        self._moved: list[Longs] = []
        self._moving, self._handed = 0, 0
        self._building: list[Meanwhile[None]] = []
        self._goes = np.full((self.used, 2), -1, np.int32).T

    def sort(self) -> None:
        """Order nodes by their terms, the most widespread first; those with nothing left to share come last."""
        position = np.empty(len(self.spread), np.int32)
        position[np.argsort(-self.spread, kind="stable")] = np.arange(len(position), dtype=np.int32)
        keys = self._ranked(self.order, np.full(len(self.order), -1), position)
        by_key = np.argsort(keys, kind="stable")
        self.order, keys = self.order[by_key], keys[by_key]
        last = (1 << self._bits) - 1  # of a key: 0 if there are no more terms
        tied = _neighbours((keys[1:] == keys[:-1]) & (keys[1:] & last != 0))
        if len(tied):
            further = self._ranked(self.order[tied], (keys[tied] & last) - 1, position)
            by_key = np.lexsort((further, keys[tied]))
            self.order[tied], further = self.order[tied[by_key]], further[by_key]
            same = (further[1:] == further[:-1]) & (further[1:] & last != 0)
            self._sort_all(tied[_neighbours(same & (keys[tied[1:]] == keys[tied[:-1]]))], position)

    def _ranked(self, order: Longs, after: Longs, position: Ints) -> Longs:
        """Keys of nodes from their terms behind a position."""
        nodes, entries, keys = self.work.nodes, self.work.entries, np.empty(len(order), np.int64)

        def some(begin: int, end: int) -> None:
            _ranking(nodes, order, entries.key, position, self._bits, after, begin, end, keys)

        at_once(some, offsets_of(nodes.last[order] - nodes.first[order]))
        return keys

    def _sort_all(self, tied: Longs, position: Ints) -> None:
        """Order nodes at some places by all of their terms."""
        if len(tied):
            nodes, tied_nodes = self.work.nodes, self.order[tied]
            many = nodes.last[tied_nodes] - nodes.first[tied_nodes]
            terms = self.work.entries.key[positions(nodes.first[tied_nodes], many)] >> 32
            bounds = offsets_of(many)
            values = _by_position(bounds, terms, position, np.bincount(terms, minlength=len(position)))
            self.order[tied] = tied_nodes[lexicographic_order(bounds, values)]

    def tried(self, shift: int, joints: int) -> tuple[Longs, Longs]:
        """Try neighbours and join those worth it, numbered from ``joints`` on; returns which were joined."""
        order, nodes = self.order, self.work.nodes
        place, slot, steps = _fresh(order, nodes, shift, self._apart)
        one, two = order[place], order[place + 1]
        common, moved = np.zeros((2, len(place)), np.int64)
        if steps[-1] < 2 * WORTH_IT and self._moving >= _SOME:  # too little for two: somebody is idle
            self._build()
        found = at_once(lambda first, last: _decide(self.work, one, two, first, last, common, moved), steps)
        apart, joined = np.flatnonzero(moved == 0), np.flatnonzero(moved)
        self._apart[slot[apart]] = one[apart] * len(nodes.size) + two[apart]
        if not len(joined):
            return joined, joined
        one, two, place = one[joined], two[joined], place[joined]
        candidates = Candidate(*map(np.concatenate, zip(*found, strict=True)))
        self._join(one, two, joints, candidates, common[joined], moved[joined])
        stays = np.ones(len(order), bool)
        stays[place + 1] = False
        order[place] = self.clusters + joints + np.arange(len(place))
        self.order = order[stays]
        return one, two

    def _join(
        self, one: Longs, two: Longs, joints: int, found: Candidate, common: Longs, moved: Longs
    ) -> None:
        nodes = self.work.nodes
        left = nodes.last[one] - nodes.first[one] + nodes.last[two] - nodes.first[two] - common - moved
        shown = (
            nodes.last_shown[one] - nodes.first_shown[one] + nodes.last_shown[two] - nodes.first_shown[two]
        )
        was = nodes.first[one], nodes.first[two]
        self._make_room(int(left.sum()), int((shown + moved).sum()))
        for places, node, before in zip((found.one, found.two), (one, two), was, strict=True):
            places += np.repeat(nodes.first[node] - before, common)
        first = self.clusters + joints
        at, at_shown = self.used + offsets_of(left), self.used_shown + offsets_of(shown + moved)
        nodes.first[first : first + len(one)] = at[:-1]
        nodes.first_shown[first : first + len(one)] = at_shown[:-1]
        starts, begin = offsets_of(moved), offsets_of(common)
        moves = Moves(np.empty(starts[-1], np.int32), *np.empty((4, starts[-1]), np.int64))

        def some(start: int, end: int) -> Ints:
            return _join_pairs(self.work, one, two, joints, start, end, found, begin, moves, starts)

        self.spread -= np.sum(at_once(some, offsets_of(_JOINING * (left + shown))), axis=0)
        self.used, self.used_shown = int(at[-1]), int(at_shown[-1])
        self._moves.append(moves)
        self._moved.append(moved)
        self._moving += int(moves.holders.sum())

    def _build(self) -> None:
        """Have the shared chunks of joints that are new built by whoever is idle.

        They get views: a kernel that fails, and is tried again, puts back all that it may write to.
        """
        moves = Moves(*map(np.concatenate, zip(*self._moves, strict=True)))
        starts, joints, rules = offsets_of(np.concatenate(self._moved)), self._handed, self.work.rules
        leaves, clusters = (
            Leaves(*map(read_only, self.work.leaves)),
            Clusters(*map(read_only, self.work.clusters)),
        )

        def some(first: int, last: int) -> None:
            share_out(moves, starts, first, last, joints, leaves, clusters, rules, *self._goes)

        self._building.append(meanwhile(some, offsets_of(_SHARING * moves.holders)[starts]))
        self._moves, self._moved, self._moving = [], [], 0
        self._handed += len(starts) - 1

    def goes(self) -> tuple[Ints, Ints]:
        """Joint and chunk of each leaf, -1 where it stays, when all shared chunks are built."""
        if self._moves:
            self._build()
        for each in self._building:
            each.results()
        joint, chunk = self._goes
        return joint, chunk

    def drop(self) -> None:
        """Have nothing more built."""
        for each in self._building:
            each.drop()

    def _make_room(self, more: int, more_shown: int) -> None:
        """Close the gaps that joined nodes left, if there is no room behind all."""
        nodes, order = self.work.nodes, self.order
        if self.used + more > len(self.work.entries.key):
            self.used = _closed(nodes.first, nodes.last, order, *self.work.entries)
        if self.used_shown + more_shown > len(nodes.shown):
            self.used_shown = _closed(nodes.first_shown, nodes.last_shown, order, nodes.shown, nodes.bars)


def _neighbours(same: Flags) -> Longs:
    """Places of things that are the same as the one before or behind; of each but the first it is told."""
    return np.flatnonzero(np.append(same, False) | np.append(False, same))


def _closed(first: Longs, last: Longs, order: Longs, *lists: NDArray[np.integer]) -> int:
    """Put the parts of these nodes one behind the other in all lists; returns where the last ends."""
    many = last[order] - first[order]
    kept, bounds = positions(first[order], many), offsets_of(many)
    for each in lists:
        each[: len(kept)] = each[kept]
    first[order], last[order] = bounds[:-1], bounds[1:]
    return int(bounds[-1])


@compiled
def _ranking(
    nodes: Nodes,
    order: Ints,
    key: Ints,
    position: Ints,
    bits: int,
    after: Ints,
    begin: int,
    end: int,
    ranks: Ints,
) -> None:
    """A number for each of some nodes: the least positions of its terms ``after`` one, as many as fit into a number."""
    most, last = 0, len(position)
    for i in range(begin, end):
        most = max(most, nodes.last[order[i]] - nodes.first[order[i]])
    here = np.empty(most, np.int32)
    for i in range(begin, end):
        first, many = nodes.first[order[i]], nodes.last[order[i]] - nodes.first[order[i]]
        for e in range(many):
            here[e] = position[term_of(key[first + e])]
        rank, before = 0, after[i]
        for _ in range(62 // bits):
            least = last
            for e in range(many):  # without a branch, so that several are compared at once
                least = min(least, here[e] if here[e] > before else last)
            rank = (rank << bits) | (int(least) + 1 if least < last else 0)
            before = least
        ranks[i] = rank if many > 0 else _LAST


@compiled
def _by_position(offsets: Ints, terms: Ints, position: Ints, spread: Ints) -> Ints:
    """Terms of each node as positions, ascending: all nodes are listed under each position, then dealt out in order."""
    starts = np.zeros(len(position) + 1, np.int64)
    for term in range(len(position)):
        starts[position[term] + 1] = spread[term]
    for place in range(len(position)):
        starts[place + 1] += starts[place]
    fill, nodes = starts[:-1].copy(), np.empty(len(terms), np.int64)
    for node in range(len(offsets) - 1):
        for i in range(offsets[node], offsets[node + 1]):
            nodes[fill[position[terms[i]]]] = node
            fill[position[terms[i]]] += 1
    at, values = offsets[:-1].copy(), np.empty(len(terms), np.int32)
    for place in range(len(position)):
        for i in range(starts[place], starts[place + 1]):
            values[at[nodes[i]]] = place
            at[nodes[i]] += 1
    return values


@compiled
def _fresh(order: Ints, nodes: Nodes, shift: int, apart: Ints) -> tuple[Ints, Ints, Ints]:
    """Neighbours that may share something and did not stay apart before.

    Told are the place of the first of each two, where they are noted in ``apart``, and the entries before each pair.
    """
    most, n = max(0, (len(order) - shift) // 2), 0
    place, slot, steps = np.empty(most, np.int64), np.empty(most, np.int64), np.zeros(most + 1, np.int64)
    for pair in range(most):
        at = shift + 2 * pair
        one, two = order[at], order[at + 1]
        entries, others = nodes.last[one] - nodes.first[one], nodes.last[two] - nodes.first[two]
        mixed = one * 73856093 ^ two * 19349663
        note = (mixed ^ (mixed >> 15)) & (len(apart) - 1)
        if entries > 0 and others > 0 and apart[note] != one * len(nodes.size) + two:
            place[n], slot[n], steps[n + 1] = at, note, steps[n] + entries + others
            n += 1
    return place[:n], slot[:n], steps[: n + 1]


@compiled
def _terms_in_common(nodes: Nodes, one: Ints, two: Ints, first: int, last: int) -> tuple[int, int]:
    """Some pairs have no more terms in common, each, and taken together."""
    most, total = 0, 0
    for pair in range(first, last):
        a, b = one[pair], two[pair]
        common = min(nodes.last[a] - nodes.first[a], nodes.last[b] - nodes.first[b])
        most, total = max(most, common), total + common
    return most, total


@compiled
def _decide(
    work: Refining, one: Ints, two: Ints, first: int, last: int, common: Ints, moved: Ints
) -> Candidate:
    """What some pairs would share, of those that are worth joining, one behind the other.

    For each of these it is noted how many terms both have, and how many of them move: 0 where it is not worth it.
    """
    nodes, entries, many = work.nodes, work.entries, len(work.clusters.size)
    most, total = _terms_in_common(nodes, one, two, first, last)
    desk = desk_for(most, total, many)
    leaving, at = np.zeros(many if work.rules.lemma else 0, np.int64), 0
    for pair in range(first, last):
        a, b = one[pair], two[pair]
        if not may_share(
            entries.key, nodes.first[a], nodes.last[a], nodes.first[b], nodes.last[b], work.rules.k
        ):
            continue
        found, worth = joinable(work, a, b, behind(desk, at), leaving, 2 * pair)
        if worth:
            for t in range(len(found.taken)):
                moved[pair] += int(found.taken[t])
            common[pair] = len(found.taken)
            at += len(found.taken)
    return between(desk.room, 0, at)


@compiled
def _join_pairs(
    work: Refining, one: Ints, two: Ints, joints: int, first: int, last: int,
    found: Candidate, begin: Ints, moves: Moves, starts: Ints,
) -> Ints:  # fmt: skip
    """Join some pairs that are worth it; returns of how many nodes fewer each term is now."""
    nodes, clusters = work.nodes, len(work.clusters.size)
    lost = np.zeros(len(work.rules.group), np.int64)
    for pair in range(first, last):
        a, b, joined = one[pair], two[pair], clusters + joints + pair
        here = between(found, begin[pair], begin[pair + 1])
        _link(work, here, moves, starts[pair])
        nodes.size[joined] = nodes.size[a] + nodes.size[b]
        nodes.whole[joined] = nodes.whole[a] ^ nodes.whole[b]
        for t in range(len(here.taken)):
            lost[term_of(work.entries.key[here.one[t]])] += 2 if here.taken[t] else 1
        nodes.last[joined] = _merge_entries(work, here, a, b, nodes.first[joined])
        nodes.last_shown[joined] = _merge_shown(
            nodes, a, b, moves, starts[pair], starts[pair + 1], nodes.first_shown[joined]
        )
    return lost


# One join.


@compiled
def _link(work: Refining, found: Candidate, moves: Moves, at: int) -> None:
    """Link the leaves of the terms that both nodes have; those of terms that move leave their clusters."""
    entries, leaves, terms_left = work.entries, work.leaves, work.clusters.terms_left
    for t in range(len(found.taken)):
        i, j = found.one[t], found.two[t]
        one, two = entries.leaf[i], entries.leaf[j]
        leaves.following[one], leaves.following[two] = leaves.following[two], leaves.following[one]
        if found.taken[t]:
            moves.term[at], moves.holders[at] = term_of(entries.key[i]), found.holders[t]
            moves.leaf[at], moves.leaves[at] = one, entries.leaves[i] + entries.leaves[j]
            for _ in range(moves.leaves[at] if work.rules.lemma else 0):
                terms_left[leaves.cluster[one]] -= 1
                one = leaves.following[one]
            at += 1


@compiled
def _merge_entries(work: Refining, found: Candidate, a: int, b: int, at: int) -> int:
    """Entries of the joined node: both lists merged by term, without the terms that moved; returns the new end."""
    nodes, (key, leaf, leaves) = work.nodes, work.entries
    i, j, t = nodes.first[a], nodes.first[b], 0
    while i < nodes.last[a] or j < nodes.last[b]:
        if t < len(found.taken) and found.one[t] == i and found.two[t] == j:
            if not found.taken[t]:
                key[at], leaf[at], leaves[at] = key[i] + held_of(key[j]), leaf[i], leaves[i] + leaves[j]
                at += 1
            i, j, t = i + 1, j + 1, t + 1
            continue
        if j == nodes.last[b] or (i < nodes.last[a] and key[i] < key[j]):
            here, i = i, i + 1
        else:
            here, j = j, j + 1
        key[at], leaf[at], leaves[at] = key[here], leaf[here], leaves[here]
        at += 1
    return at


@compiled
def _merge_shown(nodes: Nodes, a: int, b: int, moves: Moves, n: int, last: int, at: int) -> int:
    """Terms that the joined node shows, with the clusters barred for each; returns the new end.

    The terms that move, ``n`` to ``last``, were barred from some clusters, and are from all of them now.
    """
    i, j = nodes.first_shown[a], nodes.first_shown[b]
    end, behind, whole = nodes.last_shown[a], nodes.last_shown[b], nodes.whole[a] ^ nodes.whole[b]
    shown, bars = nodes.shown, nodes.bars
    while i < end or j < behind or n < last:
        term, bar = 1 << 62, 0
        if i < end:
            term = min(term, shown[i])
        if j < behind:
            term = min(term, shown[j])
        if n < last:
            term = min(term, moves.term[n])
        if i < end and shown[i] == term:
            bar ^= bars[i]
            i += 1
        if j < behind and shown[j] == term:
            bar ^= bars[j]
            j += 1
        if n < last and moves.term[n] == term:
            moves.barred[n], bar = bar, whole
            n += 1
        shown[at], bars[at] = term, bar
        at += 1
    return at
