"""What a key says of every record, looked at in two passes.

The first goes from record to record: what it is given, and which rows that lies in. The second goes from cluster to
cluster, in the order of the walk over joints: which parts of its records lie in joints. The walk knows for every item
the innermost joint around that shares it, so nothing is looked up (see ``sharing``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import compiled
from cloven.cores import at_once
from cloven.data.arrays import ascend, offsets_of, places, read_only, stable_order, take_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.key import Key
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.verify.layout import JointTree, Layout
    from cloven.kinds.disassociated.verify.sharing import Published, Sharing


_AT_ONCE = 16
# Records whose memory is asked for together, so that one does not wait for the other.
_FEW = 64
# Parts of a record that are compared with each other.


class Parts(NamedTuple):
    """One entry for each part of the key, by record.

    Attributes:
        record: source position of its record, ascending.
        row: its row.
        offsets: where the items of each part start.
        items: item codes, by part and ascending.
    """

    record: Longs
    row: Longs
    offsets: Longs
    items: NDArray[np.int32]

    def place_of(self, entry: int) -> tuple[int, int]:
        """The part that an entry of ``items`` belongs to, and its item."""
        return int(np.searchsorted(self.offsets, entry, side="right")) - 1, int(self.items[entry])


def sorted_parts(key: Key) -> Parts:
    """Sort the parts of a key whose arrays are sound."""
    record, row = np.asarray(key.record, np.int64), np.asarray(key.release_row, np.int64)
    offsets, items = read_only(np.asarray(key.offsets, np.int64)), read_only(np.asarray(key.items, np.int32))
    if (record[1:] < record[:-1]).any() or not ascend(np.diff(offsets), items):
        order = stable_order(record)
        record, row = record[order], row[order]
        offsets, items = take_rows(offsets, items, order)
        items = items[np.lexsort((items, np.repeat(np.arange(len(record)), np.diff(offsets))))]
    return Parts(read_only(record), read_only(row), read_only(offsets), read_only(items))


def in_layout(layout: Layout, parts: Parts) -> Parts:
    """The same parts with the rows of the layout instead of those of the release."""
    if layout.row_source is None:
        return parts
    position = np.empty(layout.rows, np.int64)
    position[layout.row_source] = np.arange(layout.rows)
    return parts._replace(row=read_only(position[parts.row]))


class Truth(NamedTuple):
    """Records of the original, and what the key gives each of them.

    Attributes:
        offsets: where each record starts in ``codes``.
        codes: its items, numbers of words.
        parts: its first part, and one past the last.
        published: word of each item of the release.
        held: its first suppressed item, and one past the last.
        suppressed: words that were suppressed.
    """

    offsets: Longs
    codes: NDArray[np.int32]
    parts: Longs
    published: Longs
    held: Longs
    suppressed: Longs

    def told(self, parts: Parts, record: int) -> list[int]:
        """Every word that a record of the original is given."""
        first, last = parts.offsets[self.parts[record]].tolist()
        published = self.published[parts.items[first:last]]
        first, last = self.held[record].tolist()
        found: list[int] = [*published.tolist(), *self.suppressed[first:last].tolist()]
        return found


def join_truth(
    release: Disassociated, original: Transactions, key: Key, parts: Parts, code_of: dict[str, int]
) -> Truth:
    """Join records of the original with parts and suppressed items; ``code_of`` numbers all words."""
    order = stable_order(original.source_rows)
    position = original.source_rows[order]

    def bounds(records: Longs) -> Longs:
        """Where what was sorted by record starts for each record of the original, in its order, and where it ends."""
        spread = np.empty((len(order), 2), np.int64)
        spread[order, 0], spread[order, 1] = (
            np.searchsorted(records, position, end) for end in ("left", "right")
        )
        return spread

    published = np.array([code_of[word] for word in release.vocabulary], np.int64)
    lengths = np.array([len(items) for items in key.suppressed_items], np.int64)
    suppressed = np.array([code_of[word] for items in key.suppressed_items for word in items], np.int64)
    holder = np.repeat(np.asarray(key.suppressed_record, np.int64), lengths)
    by_holder = stable_order(holder)
    return Truth(
        read_only(original.offsets),
        read_only(original.codes),
        bounds(parts.record),
        published,
        bounds(holder[by_holder]),
        suppressed[by_holder],
    )


class _Walk(NamedTuple):
    """Clusters in the order of the walk, with their records, and the joints around (see ``Sharing``).

    ``start`` says which of ``members`` (records of the original) are the first of each cluster.
    """

    clusters: Longs
    start: Longs
    members: Longs
    visited: Longs
    entered: Longs
    left: Longs
    depth: Longs
    around: Longs
    innermost: Longs
    parent: Longs


class _Forms(NamedTuple):
    """Forms of the layout, of which row each is, and their chunks; joint 0 as owner of one is -1, joint 1 is -2, ..."""

    of_row: Ints
    offsets: Longs
    items: NDArray[np.int32]
    chunk: Ints
    owner: Longs


class _Found(NamedTuple):
    """Flags that are set: see ``Looked``."""

    broken: Flags
    differs: Flags
    astray: Flags
    again: Flags
    published: Flags


@dataclass(frozen=True)
class Looked:
    """What was found in the parts of a key.

    Attributes:
        taken: rows that a part lies in.
        broken: records of the original that are not what they are given, each item once.
        differs: rows that do not hold the items of a part in them; an item given twice counts once.
        astray: parts that lie neither in the cluster of their record nor in a joint above it.
        again: the second part of a record in a chunk.
        published: entries of parts in joints that the cluster of their record shows, or a joint further in shares.
        shared: entries of parts in joints.
    """

    taken: Flags
    broken: Flags
    differs: Flags
    astray: Flags
    again: Flags
    published: Flags
    shared: int


def look_at_parts(
    layout: Layout,
    tree: JointTree,
    sharing: Sharing,
    original: Transactions,
    key: Key,
    parts: Parts,
    truth: Truth,
    words: int,
) -> Looked:
    """Look at all records; ``words`` are those that original, release and key know."""
    cluster = np.full(len(original), -1, np.int64)  # not published
    order = stable_order(original.source_rows)
    cluster[order[places(original.source_rows[order], key.records)]] = key.record_cluster
    owner = np.where(layout.chunk_outside, -1 - layout.chunk_owner, layout.chunk_owner)
    forms = _Forms(layout.row_form, layout.form_offsets, layout.form_items, layout.form_chunk, owner)
    many = (len(original), layout.rows, len(parts.row), len(parts.row), len(parts.items))
    found = _Found(*(np.zeros(each, np.bool_) for each in many))
    lies = np.empty_like(parts.row, layout.row_form.dtype)
    given = (truth, parts, forms, cluster, words)
    counts = at_once(lambda first, last: _look(*given, first, last, lies, found), original.offsets)
    shared = sum(entries for _, entries, _ in counts)
    bits = np.bitwise_or.reduce([each for each, *_ in counts])
    taken = np.unpackbits(bits, count=layout.rows, bitorder="little").view(np.bool_)
    if shared:
        start, members = _members(cluster, sharing)
        walk = _Walk(
            sharing.clusters, start, members, sharing.visited, sharing.entered, sharing.left,
            sharing.depth, sharing.around, tree.cluster_joint, tree.parent,
        )  # fmt: skip
        about = (truth, parts, forms, walk, sharing.published, len(truth.published))
        steps = offsets_of(np.diff(original.offsets)[members])[start]
        at_once(lambda first, last: _look_above(*about, read_only(lies), first, last, found), steps)
    return Looked(taken, *found, shared)


def _members(cluster: Longs, sharing: Sharing) -> tuple[Longs, Longs]:
    """Records by cluster, in the order of the walk: where those of each start, and which they are."""
    clusters = len(sharing.clusters)
    turn_of = np.full(clusters + 1, clusters)  # the last stands for none
    turn_of[sharing.clusters] = np.arange(clusters)
    turn = turn_of[cluster]
    return offsets_of(np.bincount(turn, minlength=clusters))[: clusters + 1], stable_order(turn)


@compiled
def _most(bounds: Ints, first: int, last: int) -> int:
    """How many parts records have together that are looked at together."""
    most = 0
    for block in range(first, last, _AT_ONCE):
        many = 0
        for record in range(block, min(block + _AT_ONCE, last)):
            many += bounds[record, 1] - bounds[record, 0]
        most = max(most, many)
    return most


@compiled
def _look(
    truth: Truth, parts: Parts, forms: _Forms, clusters: Ints, words: int, first: int, last: int,
    lies: Ints, found: _Found,
) -> tuple[Ints, int, int]:  # fmt: skip
    """Look at some records; tells ``taken``, a bit for each row, ``shared``, and a number that nobody needs.

    Leaves in ``lies`` what each part gives a joint: the form it lies in; -1 if it is in a cluster, -2 if it is not what
    its row holds.
    """
    form, chunk = np.empty((2, _most(truth.parts, first, last)), np.int64)
    wanted, seen = np.full(words, -1, np.int64), np.empty(0, np.int64)
    taken, shared, read = np.zeros(len(forms.of_row) // 8 + 1, np.uint8), 0, 0
    for block in range(first, last, _AT_ONCE):
        behind, many = min(block + _AT_ONCE, last), 0
        for record in range(block, behind):
            for part in range(truth.parts[record, 0], truth.parts[record, 1]):
                form[many] = forms.of_row[parts.row[part]]
                many += 1
        for number in range(many):
            chunk[number] = forms.chunk[form[number]]
            read ^= forms.items[forms.offsets[form[number]]]
        many = 0
        for record in range(block, behind):
            begin, end, missing, broken = truth.parts[record, 0], truth.parts[record, 1], 0, False
            for at in range(truth.offsets[record], truth.offsets[record + 1]):
                wanted[truth.codes[at]] = record
                missing += 1
            if end - begin > _FEW and len(seen) == 0:
                seen = np.full(len(forms.owner), -1, np.int64)
            for part in range(begin, end):
                lie, before = chunk[many], 0
                if end - begin > _FEW:
                    before = seen[lie] - 2 * record + 1 if seen[lie] >= 2 * record else 0
                    seen[lie] = 2 * record + min(before, 1)
                else:
                    for other in range(many - part + begin, many):
                        before += chunk[other] == lie
                if before == 1:
                    found.again[part] = True
                here, there = forms.offsets[form[many]], forms.offsets[form[many] + 1]
                same, previous = True, -1
                for at in range(parts.offsets[part], parts.offsets[part + 1]):
                    item = parts.items[at]
                    if item != previous:
                        same = same and here < there and forms.items[here] == item
                        here += 1
                        previous = item
                    word = truth.published[item]
                    broken |= wanted[word] != record
                    wanted[word] = -1
                    missing -= 1
                same = same and here == there
                row, owner = parts.row[part], forms.owner[lie]
                taken[row >> 3] |= 1 << (row & 7)
                if not same:
                    found.differs[row] = True
                lies[part] = -1
                if owner < 0:
                    shared += parts.offsets[part + 1] - parts.offsets[part]
                    lies[part] = form[many] if same else -2
                elif owner != clusters[record]:
                    found.astray[part] = True
                many += 1
            for at in range(truth.held[record, 0], truth.held[record, 1]):
                word = truth.suppressed[at]
                broken |= wanted[word] != record
                wanted[word] = -1
                missing -= 1
            found.broken[record] = broken or missing != 0
    return taken, shared, read


@compiled
def _look_above(
    truth: Truth, parts: Parts, forms: _Forms, walk: _Walk, published: Published, items: int,
    lies: Ints, first: int, last: int, found: _Found,
) -> None:  # fmt: skip
    """Look at what the records of some clusters, by their turn in the walk, give joints."""
    shown, level = np.full(items, -1, np.int64), np.zeros(items, np.int64)
    joint, path, bounds = -1, np.empty(len(walk.parent), np.int64), np.empty((_AT_ONCE, 2), np.int64)
    given, room = np.empty((2, 0), np.int64), 0
    for turn in range(first, last):
        cluster = walk.clusters[turn]
        moment, joint = walk.visited[cluster], _move(walk, published, joint, cluster, level, path)
        for pair in range(published.shown[0, cluster], published.shown[1, cluster]):
            shown[published.item[pair]] = cluster
        for block in range(walk.start[turn], walk.start[turn + 1], _AT_ONCE):
            behind, many = min(block + _AT_ONCE, walk.start[turn + 1]), 0
            for number in range(block, behind):
                record = walk.members[number]
                bounds[number - block] = truth.parts[record]
            for number in range(behind - block):
                many += bounds[number, 1] - bounds[number, 0]
            if many > room:
                room = 2 * many
                given = np.empty((2, room), np.int64)
            many = 0
            for number in range(behind - block):
                for part in range(bounds[number, 0], bounds[number, 1]):
                    given[0, many], given[1, many] = part, lies[part]
                    many += lies[part] != -1
            for number in range(many):
                part, form = given[0, number], given[1, number]
                chunk = forms.chunk[form if form >= 0 else forms.of_row[parts.row[part]]]
                owner, limit = -1 - forms.owner[chunk], 0
                if walk.entered[owner] <= moment < walk.left[owner]:
                    limit = walk.depth[owner]
                else:  # all joints around the cluster are further in than one that lies elsewhere
                    found.astray[part] = True
                is_sound = form >= 0
                if is_sound:
                    for at in range(forms.offsets[form], forms.offsets[form + 1]):
                        item = forms.items[at]
                        is_sound &= shown[item] != cluster and level[item] <= limit
                if not is_sound:
                    for at in range(parts.offsets[part], parts.offsets[part + 1]):
                        item = parts.items[at]
                        found.published[at] = shown[item] == cluster or level[item] > limit


@compiled
def _move(walk: _Walk, published: Published, joint: int, cluster: int, level: Ints, path: Ints) -> int:
    """Leave a joint for that of a cluster; ``level`` is the depth of the innermost joint around that shares an item."""
    target, moment = walk.innermost[cluster], walk.visited[cluster]
    while joint >= 0 and not walk.entered[joint] <= moment < walk.left[joint]:
        for pair in range(published.shared[0, joint], published.shared[1, joint]):
            level[published.item[pair]] = walk.around[pair]
        joint = walk.parent[joint]
    deep, inner = 0, target
    while inner != joint:
        path[deep] = inner
        deep += 1
        inner = walk.parent[inner]
    while deep > 0:
        deep -= 1
        for pair in range(published.shared[0, path[deep]], published.shared[1, path[deep]]):
            level[published.item[pair]] = walk.depth[path[deep]]
    return int(target)
