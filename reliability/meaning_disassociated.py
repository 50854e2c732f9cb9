"""Small disassociated releases in a plain form: made, changed, put into canonical order, judged over all worlds."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.disassociated.key import Key
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.release import Disassociated
from cloven.kinds.disassociated.release import Kind as RowKind
from reliability.meaning_case import Case, Judgement
from reliability.meaning_generalised import data_of
from reliability.meaning_worlds import (
    Chunk,
    Facts,
    broken_set,
    holds_original,
    holds_some_of_original,
    states_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from cloven.kinds.disassociated.key import Anonymised

LETTERS = "abcdef"


@dataclass(eq=False)
class Row:
    """A published row: a sub-record, or a list of terms."""

    items: set[str]


@dataclass(eq=False)
class Group:
    """A cluster, or (size 0) a joint."""

    above: Group | None
    chunks: list[list[Row]]
    term: Row | None
    size: int = 0


@dataclass(eq=False)
class Part:
    """What a record gave to a row, by the key."""

    record: int
    row: Row
    items: set[str]


@dataclass
class Plain:
    """A release with original and key.

    Attributes:
        home: cluster of each published record.
        lost: what the key lists as suppressed: record, reason, items.
        follow: whether the key says what rows now hold, instead of what records gave to them.
    """

    k: int
    m: int
    parameters: dict[str, Any]
    clusters: list[Group]
    joints: list[Group]
    original: list[frozenset[str]]
    parts: list[Part] = field(default_factory=list)
    home: dict[int, Group] = field(default_factory=dict)
    lost: list[tuple[int, str, tuple[str, ...]]] = field(default_factory=list)
    follow: bool = True
    persons: list[int] | None = None

    @property
    def groups(self) -> list[Group]:
        """Clusters and joints."""
        return self.clusters + self.joints

    def rows(self) -> list[tuple[list[Row], Row]]:
        """Every counted row with its chunk."""
        return [(chunk, row) for group in self.groups for chunk in group.chunks for row in chunk]

    def items(self) -> list[str]:
        """Every published item."""
        terms = [group.term.items for group in self.groups if group.term is not None]
        return sorted(set().union(*terms, *(row.items for _, row in self.rows())))


def plain_of(result: Anonymised, original: list[frozenset[str]]) -> Plain:
    """The plain form of what an anonymiser made."""
    release, key = result.release, result.key
    joints = [Group(None, [], None) for _ in range(release.joints)]
    for joint, parent in zip(joints, release.joint_parent.tolist(), strict=True):
        joint.above = joints[parent] if parent >= 0 else None
    above = [joints[joint] if joint >= 0 else None for joint in release.cluster_joint.tolist()]
    clusters = [
        Group(up, [], None, size) for up, size in zip(above, release.cluster_size.tolist(), strict=True)
    ]
    rows = []
    for number in range(release.rows):
        row = Row(set(release.row(number)))
        rows.append(row)
        owner = int(release.row_cluster[number])
        group = clusters[owner] if owner >= 0 else joints[int(release.row_joint[number])]
        if release.row_kind[number] == RowKind.TERM:
            group.term = row
            continue
        while len(group.chunks) <= int(release.row_chunk[number]):
            group.chunks.append([])
        group.chunks[int(release.row_chunk[number])].append(row)
    parts = []
    for at, (record, number) in enumerate(zip(key.record.tolist(), key.release_row.tolist(), strict=True)):
        codes = key.items[key.offsets[at] : key.offsets[at + 1]].tolist()
        parts.append(Part(record, rows[number], {release.vocabulary[code] for code in codes}))
    home = {
        record: clusters[number]
        for record, number in zip(key.records.tolist(), key.record_cluster.tolist(), strict=True)
    }
    lost = list(zip(key.suppressed_record.tolist(), key.suppressed_reason, key.suppressed_items, strict=True))
    return Plain(
        release.k, release.m, dict(release.parameters), clusters, joints, original, parts, home, lost
    )


# Canonical order, as docs/reference/release-format.md tells it.


def _tidy(plain: Plain) -> None:
    """No empty row, chunk or list of terms; rows ascend."""
    for group in plain.groups:
        if group.term is not None and not group.term.items:
            group.term = None
        chunks = [[row for row in chunk if row.items] for chunk in group.chunks]
        group.chunks = [sorted(chunk, key=lambda row: sorted(row.items)) for chunk in chunks if chunk]


def _content(group: Group, code: dict[str, int], *, cluster: bool) -> bytes:
    tokens: list[int] = []
    for chunk in group.chunks:
        for row in chunk:
            tokens += [*(code[item] + 2 for item in sorted(row.items)), 1]
        tokens.append(0)
    tokens.append(0)
    if group.term is not None:
        tokens += [code[item] + 2 for item in sorted(group.term.items)]
    tokens += [1] * (cluster or group.term is not None)
    found = b"".join(token.to_bytes(4, "big") for token in tokens)
    return found + group.size.to_bytes(8, "big") if cluster else found


def _put_in_order(plain: Plain, code: dict[str, int]) -> None:
    """Clusters and joints by their content, ties by where they stand in the tree of joints."""
    content = {id(group): _content(group, code, cluster=True) for group in plain.clusters}
    content |= {id(group): _content(group, code, cluster=False) for group in plain.joints}
    digest: dict[int, str] = {}

    def digest_of(group: Group) -> str:
        if id(group) not in digest:
            below = [digest_of(other) for other in plain.groups if other.above is group]
            digest[id(group)] = hashlib.sha256(
                content[id(group)] + "".join(sorted(below)).encode()
            ).hexdigest()
        return digest[id(group)]

    def context(group: Group) -> str:
        if group.above is None:
            return digest_of(group)
        return hashlib.sha256((context(group.above) + digest_of(group)).encode()).hexdigest()

    for groups in (plain.clusters, plain.joints):
        groups.sort(key=lambda group: (content[id(group)], context(group)))


def build(plain: Plain) -> Case:
    """Release and key as ``verify`` takes them."""
    _tidy(plain)
    words = plain.items()
    code = {word: number for number, word in enumerate(words)}
    _put_in_order(plain, code)
    rows: list[tuple[int, int, int, int, Row]] = []
    for cluster, group in enumerate(plain.clusters):
        rows += [(cluster, -1, 0, n, row) for n, chunk in enumerate(group.chunks) for row in chunk]
        rows += [(cluster, -1, 1, 0, group.term)] if group.term is not None else []
    for joint, group in enumerate(plain.joints):
        rows += [(-1, joint, 1, 0, group.term)] if group.term is not None else []
        rows += [(-1, joint, 2, n, row) for n, chunk in enumerate(group.chunks) for row in chunk]
    joint_of: dict[int, int] = {id(group): number for number, group in enumerate(plain.joints)}
    release = Disassociated(
        k=plain.k,
        m=plain.m,
        parameters=plain.parameters,
        vocabulary=tuple(words),
        cluster_size=_longs(group.size for group in plain.clusters),
        cluster_joint=_longs(_number_of(group.above, joint_of) for group in plain.clusters),
        joint_parent=_longs(_number_of(group.above, joint_of) for group in plain.joints),
        row_cluster=_longs(row[0] for row in rows),
        row_joint=_longs(row[1] for row in rows),
        row_chunk=np.array([row[3] for row in rows], np.int32),
        row_kind=np.array([row[2] for row in rows], np.int8),
        row_offsets=np.cumsum([0] + [len(row[4].items) for row in rows]).astype(np.int64),
        row_items=np.array([code[item] for row in rows for item in sorted(row[4].items)], np.int32),
    )
    original = data_of(plain.original, plain.persons)
    return Case(release, original, _key(plain, [row[4] for row in rows], code) if plain.home else None)


def _longs(values: Iterator[int]) -> Any:
    return np.array(list(values), np.int64)


def _number_of(group: Group | None, number: dict[int, int]) -> int:
    return -1 if group is None else number.get(id(group), -1)


def _key(plain: Plain, rows: list[Row], code: dict[str, int]) -> Key:
    """The key in the order of its records; parts of rows that are gone are left out."""
    place = {id(row): number for number, row in enumerate(rows)}
    terms = {id(group.term) for group in plain.groups}
    entries = []
    for part in plain.parts:
        if id(part.row) not in place:
            continue
        items = part.row.items if plain.follow and id(part.row) not in terms else part.items
        codes = sorted(code[item] for item in items if item in code)
        if codes:
            entries.append((part.record, place[id(part.row)], codes))
    entries.sort()
    cluster = {id(group): number for number, group in enumerate(plain.clusters)}
    home = {
        record: cluster[id(group)] for record, group in sorted(plain.home.items()) if id(group) in cluster
    }
    return Key(
        record=_longs(entry[0] for entry in entries),
        release_row=_longs(entry[1] for entry in entries),
        offsets=np.cumsum([0] + [len(entry[2]) for entry in entries]).astype(np.int64),
        items=np.array([each for entry in entries for each in entry[2]], np.int32),
        records=_longs(iter(home)),
        record_cluster=_longs(iter(home.values())),
        persons=None if plain.persons is None else _longs(plain.persons[record] for record in home),
        suppressed_record=_longs(record for record, _, _ in plain.lost),
        suppressed_reason=tuple(reason for _, reason, _ in plain.lost),
        suppressed_items=tuple(items for _, _, items in plain.lost),
    )


# What brute force says.


def _above(group: Group) -> list[Group]:
    found: list[Group] = []
    while group.above is not None:
        group = group.above
        found.append(group)
    return found


def _shown(groups: list[Group]) -> set[str]:
    return {item for group in groups for chunk in group.chunks for row in chunk for item in row.items}


def facts_of(plain: Plain, bit: dict[str, int]) -> Facts:
    """What the worlds depend on."""

    def mask(items: set[str] | frozenset[str]) -> int:
        return sum(bit[item] for item in items)

    way = plain.parameters.get("rare_items", "cluster")
    published = [_shown([group, *_above(group)]) for group in plain.clusters]
    root = None if way == "cluster" else next((joint for joint in plain.joints if joint.above is None), None)
    listed = root.term.items if root is not None and root.term is not None else set()
    fillers = [
        (group.term.items if group.term is not None else set()) | (listed - told)
        for group, told in zip(plain.clusters, published, strict=True)
    ]
    chunks = []
    for number, group in enumerate(plain.clusters):
        chunks += [Chunk(tuple(mask(row.items) for row in chunk), {number: 0}) for chunk in group.chunks]
    for joint in plain.joints:
        barred = {}
        for number, group in enumerate(plain.clusters):
            above = _above(group)
            if joint in above:
                barred[number] = mask(_shown([group, *above[: above.index(joint)]]))
        chunks += [Chunk(tuple(mask(row.items) for row in chunk), barred) for chunk in joint.chunks]
    return Facts(
        tuple(group.size for group in plain.clusters),
        tuple(chunks),
        tuple(map(mask, published)),
        tuple(map(mask, fillers)),
        way == "withhold",
    )


def judge(plain: Plain) -> Judgement:
    """The promise over all worlds, what the original says of counts, and whether it is one of the worlds."""
    found = Judgement()
    names = sorted({*plain.items(), *(item for record in plain.original for item in record)})
    bit = {name: 1 << number for number, name in enumerate(names)}
    facts = facts_of(plain, bit)
    small = [group.size for group in plain.clusters if group.size < plain.k]
    if small:
        found.broken["release"] = f"a cluster of {small[0]} records"
    elif told := _not_strict(plain):
        found.broken["release"] = told
    if told := _counts(plain, facts, bit):
        found.broken["original"] = told
    states = None if sum(facts.sizes) > 12 else states_of(facts)
    if states is None:
        found.undecided |= {"release", "key"}
        return found
    bare = _listed_by_nobody(plain, facts, bit)
    if not states or bare:
        found.broken.setdefault("release", f"no world: {bare or 'rows that no record can hold'}")
    elif bad := broken_set(facts, states, plain.k, plain.m):
        told = "".join(name for name in names if bit[name] & bad)
        found.broken.setdefault("release", f"no world gives {told} to {plain.k} records")
    if plain.home:
        _from_original(plain, facts, states, bit, found)
        if plain.persons is not None and (told := _few_persons(plain, plain.persons)):
            found.broken.setdefault("key", told)
    return found


def _few_persons(plain: Plain, persons: list[int]) -> str:
    """By the key: clusters of fewer than k persons, and combinations that rows of fewer show."""
    for group in plain.clusters:
        if len({persons[record] for record, home in plain.home.items() if home is group}) < plain.k:
            return "a cluster of too few persons"
    owner = {id(part.row): persons[part.record] for part in plain.parts}
    for group in plain.groups:
        for chunk in group.chunks:
            known = {
                some
                for row in chunk
                for size in range(1, plain.m + 1)
                for some in combinations(sorted(row.items), size)
            }
            for some in known:
                rows = [row for row in chunk if row.items.issuperset(some)]
                if len({owner.get(id(row), -1) for row in rows}) < plain.k:
                    return f"{''.join(some)} is shown by rows of too few persons"
    return ""


def _from_original(
    plain: Plain, facts: Facts, states: set[Any], bit: dict[str, int], found: Judgement
) -> None:
    terms = [
        sum(bit[item] for item in group.term.items) if group.term is not None else 0
        for group in plain.clusters
    ]
    records = [sum(bit[item] for item in record) for record in plain.original]
    if _leaves_out(plain):
        if not holds_some_of_original(states, records):
            found.broken["key"] = found.unseen["original"] = "the original holds less than any of its worlds"
    elif not holds_original(facts, states, records, terms, plain.k if plain.persons is None else 99):
        found.broken["key"] = "the original is none of its worlds"
        found.unseen["original"] = "the original is none of its worlds"


def _not_strict(plain: Plain) -> str:
    """By the strict reading every combination of the items of a record chunk is in k rows."""
    if plain.parameters.get("reading") != "strict":
        return ""
    for group in plain.clusters:
        for chunk in group.chunks:
            items = sorted({item for row in chunk for item in row.items})
            for size in range(1, plain.m + 1):
                for some in combinations(items, size):
                    if sum(row.items.issuperset(some) for row in chunk) < plain.k:
                        return f"the strict reading asks for more rows of {''.join(some)}"
    return ""


def _listed_by_nobody(plain: Plain, facts: Facts, bit: dict[str, int]) -> str:
    """An item of the list of the root that no record can hold."""
    for joint in plain.joints:
        for item in joint.term.items if joint.term is not None else ():
            if not any(bit[item] & fillers for fillers in facts.fillers):
                return f"{item} is listed, and no record can hold it"
    return ""


def _leaves_out(plain: Plain) -> bool:
    """Whether the parameters tell of suppression, so that the original is more than what is published."""
    given = plain.parameters
    return bool(
        given.get("small_clusters") == "suppress"
        or given.get("min_item_support", 1) > 1
        or given.get("safe", "no") != "no"
    )


def _counts(plain: Plain, facts: Facts, bit: dict[str, int]) -> str:
    """Number of records and supports of items, as far as they can be told without the key."""
    truth = Counter(item for record in plain.original for item in record)
    shown = Counter(item for _, row in plain.rows() for item in row.items)
    several = plain.persons is not None and len(set(plain.persons)) < len(plain.persons)
    if plain.parameters.get("persons") and plain.persons is None:
        return "persons are said to be counted, and the original names none"
    if several and not plain.parameters.get("persons"):
        return "records are counted, and somebody has several"
    less, withheld = _leaves_out(plain), facts.empty
    records = sum(facts.sizes)
    if records > len(plain.original) or (records < len(plain.original) and not less):
        return f"{records} records of {len(plain.original)}"
    for item in sorted({*truth, *plain.items()}):
        room = sum(
            size for size, fillers in zip(facts.sizes, facts.fillers, strict=True) if fillers & bit[item]
        )
        lists = sum(item in group.term.items for group in plain.groups if group.term is not None)
        # Fewer than k persons may have any number of records.
        room += (len(plain.original) if plain.persons is not None else plain.k - 1) if withheld else 0
        if shown[item] + lists > truth[item] or (truth[item] > shown[item] + room and not less):
            return f"{item} is shown {shown[item]} times and held {truth[item]} times"
    return ""


# Changes of meaning. Each is done in one place, and says what it did; nothing where it was not possible.


def _two(rng: Random, some: list[Any]) -> tuple[Any, Any]:
    first, second = rng.sample(some, 2)
    return first, second


def move_item(plain: Plain, rng: Random) -> str:
    """An item of one row goes to another: of its chunk, or anywhere."""
    chunk, row = rng.choice(plain.rows())
    others = chunk if rng.random() < 0.6 else [other for _, other in plain.rows()]
    item, target = rng.choice(sorted(row.items)), rng.choice(others)
    row.items.discard(item)
    target.items.add(item)
    return f"{item} moved to another row"


def drop_item(plain: Plain, rng: Random) -> str:
    """An item leaves a row."""
    _, row = rng.choice(plain.rows())
    item = rng.choice(sorted(row.items))
    row.items.discard(item)
    return f"{item} left out of a row"


def add_item(plain: Plain, rng: Random) -> str:
    """A row gets an item, of its chunk or another."""
    chunk, row = rng.choice(plain.rows())
    near = sorted({item for other in chunk for item in other.items})
    item = rng.choice(near if rng.random() < 0.7 else [*plain.items(), "new"])
    row.items.add(item)
    return f"{item} put into a row"


def drop_row(plain: Plain, rng: Random) -> str:
    """A row leaves its chunk; at times all that are equal to it, and the key calls it withheld."""
    chunk, row = rng.choice(plain.rows())
    gone = [other for other in chunk if other.items == row.items] if rng.random() < 0.3 else [row]
    withhold = rng.random() < 0.5
    for other in gone:
        chunk.remove(other)
        if withhold:
            plain.lost += [(p.record, "rare", tuple(sorted(p.items))) for p in plain.parts if p.row is other]
    plain.lost.sort()
    return f"{len(gone)} rows {sorted(row.items)} left out"


def repeat_row(plain: Plain, rng: Random) -> str:
    """A row stands once or twice more."""
    chunk, row = rng.choice(plain.rows())
    chunk += [Row(set(row.items)) for _ in range(rng.choice((1, 1, 2)))]
    return f"row {sorted(row.items)} repeated"


def join_rows(plain: Plain, rng: Random) -> str:
    """Two rows of a chunk become one."""
    chunk, row = rng.choice(plain.rows())
    other = rng.choice(chunk)
    if other is row:
        return ""
    row.items |= other.items
    chunk.remove(other)
    return "two rows joined"


def part_row(plain: Plain, rng: Random) -> str:
    """A row becomes two of its chunk."""
    chunk, row = rng.choice(plain.rows())
    if len(row.items) < 2:
        return ""
    item = rng.choice(sorted(row.items))
    row.items.discard(item)
    chunk.append(Row({item}))
    return "a row parted"


def other_size(plain: Plain, rng: Random) -> str:
    """A cluster gets larger or smaller, at times at the cost of another."""
    cluster, step = rng.choice(plain.clusters), rng.choice((-2, -1, -1, 1, 1, 2))
    if cluster.size + step < 1:
        return ""
    cluster.size += step
    other = rng.choice(plain.clusters)
    if other is not cluster and other.size > step and rng.random() < 0.6:
        other.size -= step
    return "size of a cluster changed"


def move_row(plain: Plain, rng: Random) -> str:
    """A row goes to another chunk: of its cluster, of another, or of a joint."""
    chunk, row = rng.choice(plain.rows())
    group = rng.choice(plain.groups)
    target = rng.choice([*group.chunks, []])
    if target is chunk:
        return ""
    if not target:
        group.chunks.append(target)
    chunk.remove(row)
    target.append(row)
    return "a row moved to another chunk"


def exchange_rows(plain: Plain, rng: Random) -> str:
    """Two rows of different chunks change places; at times two whole chunks do."""
    groups = [group for group in plain.groups if group.chunks]
    one, two = _two(rng, groups) if len(groups) > 1 else (groups[0], groups[0])
    first, second = rng.choice(one.chunks), rng.choice(two.chunks)
    if first is second:
        return ""
    if rng.random() < 0.4:
        first[:], second[:] = second[:], first[:]
        return "two chunks changed places"
    here, there = rng.randrange(len(first)), rng.randrange(len(second))
    first[here], second[there] = second[there], first[here]
    return "two rows changed places"


def to_terms(plain: Plain, rng: Random) -> str:
    """An item leaves a chunk for the list of terms of its group, or of the root."""
    group = rng.choice(plain.groups)
    if not group.chunks:
        return ""
    chunk = rng.choice(group.chunks)
    item = rng.choice(sorted({item for row in chunk for item in row.items}))
    for row in chunk:
        row.items.discard(item)
    target = group if rng.random() < 0.7 else rng.choice(plain.groups)
    if target.term is None:
        target.term = Row(set())
    target.term.items.add(item)
    return f"{item} moved to a list of terms"


def from_terms(plain: Plain, rng: Random) -> str:
    """An item of a list of terms gets rows of its own, or goes without a trace."""
    groups = [(group, group.term) for group in plain.groups if group.term is not None]
    if not groups:
        return ""
    group, term = rng.choice(groups)
    item = rng.choice(sorted(term.items))
    term.items.discard(item)
    many = rng.choice((0, 1, plain.k, plain.k, plain.k + 1))
    if many:
        rng.choice([group, *_above(group)]).chunks.append([Row({item}) for _ in range(many)])
    return f"{item} taken from a list of terms, {many} rows made of it"


def more_terms(plain: Plain, rng: Random) -> str:
    """A list of terms gets an item that is published somewhere, or a new one."""
    group = rng.choice(plain.groups)
    if group.term is None:
        group.term = Row(set())
    item = rng.choice([*plain.items(), "new"])
    group.term.items.add(item)
    return f"{item} put into a list of terms"


def rename(plain: Plain, rng: Random) -> str:
    """An item is called otherwise: everywhere, or in one cluster or joint; it may be the name of another."""
    item = rng.choice(plain.items())
    other = rng.choice([*plain.items(), "new"])
    groups = plain.groups if rng.random() < 0.3 else [rng.choice(plain.groups)]
    swap = {item: other, other: item}
    for group in groups:
        rows = [row for chunk in group.chunks for row in chunk]
        for row in rows + ([group.term] if group.term is not None else []):
            row.items = {swap.get(each, each) for each in row.items}
    return f"{item} called {other}"


def join_chunks(plain: Plain, rng: Random) -> str:
    """Two chunks of a group become one: their rows side by side, or one after the other."""
    group = rng.choice(plain.groups)
    if len(group.chunks) < 2:
        return ""
    one, two = _two(rng, group.chunks)
    group.chunks = [chunk for chunk in group.chunks if chunk is not two]
    for at, row in enumerate(list(two)):
        if at < len(one) and rng.random() < 0.8:
            one[at].items |= row.items
        else:
            one.append(row)
    return "two chunks joined"


def part_chunk(plain: Plain, rng: Random) -> str:
    """An item leaves a chunk for one of its own."""
    group = rng.choice(plain.groups)
    if not group.chunks:
        return ""
    chunk = rng.choice(group.chunks)
    item = rng.choice(sorted({item for row in chunk for item in row.items}))
    having = [row for row in chunk if item in row.items]
    for row in having:
        row.items.discard(item)
    group.chunks.append([Row({item}) for _ in having])
    return f"{item} gets a chunk of its own"


def drop_chunk(plain: Plain, rng: Random) -> str:
    """A chunk goes; at times the key calls it withheld."""
    group = rng.choice(plain.groups)
    if not group.chunks or len(plain.rows()) < 4:
        return ""
    gone = rng.choice(group.chunks)
    group.chunks = [chunk for chunk in group.chunks if chunk is not gone]
    if rng.random() < 0.5:
        rows = {id(row) for row in gone}
        plain.lost += [(p.record, "rare", tuple(sorted(p.items))) for p in plain.parts if id(p.row) in rows]
        plain.lost.sort()
    return "a chunk left out"


def other_tree(plain: Plain, rng: Random) -> str:
    """Clusters and joints are joined otherwise."""
    if rng.random() < 0.5 and len(plain.clusters) > 1:
        above = rng.choice([None, *plain.joints])
        joint = Group(above, [], None)
        for group in rng.sample(plain.clusters, 2):
            group.above = joint
        item = rng.choice([*plain.items(), "new"])
        joint.chunks = [[Row({item}) for _ in range(rng.choice((plain.k, plain.k + 1)))]]
        plain.joints.append(joint)
        return f"two clusters joined, sharing {item}"
    group = rng.choice(plain.clusters)
    group.above = rng.choice([None, *plain.joints])
    return "a cluster moved to another joint"


def join_clusters(plain: Plain, rng: Random) -> str:
    """Two clusters become one, chunk by chunk."""
    if len(plain.clusters) < 2:
        return ""
    one, two = _two(rng, plain.clusters)
    plain.clusters = [group for group in plain.clusters if group is not two]
    one.size += two.size
    plain.home = {record: one if group is two else group for record, group in plain.home.items()}
    for at, chunk in enumerate(two.chunks):
        if at < len(one.chunks) and rng.random() < 0.8:
            one.chunks[at] += chunk
        else:
            one.chunks.append(chunk)
    if two.term is not None:
        gone, one.term = two.term, one.term or Row(set())
        one.term.items |= gone.items
        for part in plain.parts:
            part.row = one.term if part.row is gone else part.row
    return "two clusters joined"


def part_cluster(plain: Plain, rng: Random) -> str:
    """A cluster becomes two; its rows and records are dealt out."""
    group = rng.choice(plain.clusters)
    if group.size < 2:
        return ""
    other = Group(group.above, [[] for _ in group.chunks], None, rng.randint(1, group.size - 1))
    group.size -= other.size
    mine = [record for record, home in plain.home.items() if home is group]
    moved = set(rng.sample(mine, min(len(mine), other.size)))
    rows = {id(part.row) for part in plain.parts if part.record in moved}
    for here, there in zip(group.chunks, other.chunks, strict=True):
        for row in list(here):
            if id(row) in rows if plain.home else rng.random() < 0.5:
                here.remove(row)
                there.append(row)
    plain.home.update(dict.fromkeys(moved, other))
    if group.term is not None:
        other.term = Row(set(group.term.items))
    plain.clusters.append(other)
    return "a cluster parted"


def other_promise(plain: Plain, rng: Random) -> str:
    """The manifest promises something else."""
    name = rng.choice(
        (
            "persons",
            "k",
            "k",
            "m",
            "m",
            "rare_items",
            "rare_items",
            "reading",
            "small_clusters",
            "min_item_support",
        )
    )
    if name == "k":
        plain.k = max(1, plain.k + rng.choice((-1, 1, 1)))
        return f"k is {plain.k}"
    if name == "m":
        plain.m = max(1, plain.m + rng.choice((-1, 1, 1, 2)))
        return f"m is {plain.m}"
    choices: dict[str, tuple[Any, ...]] = {
        "rare_items": ("withhold", "list", "cluster"),
        "reading": ("strict", "occurring"),
        "small_clusters": ("add", "suppress"),
        "min_item_support": (1, 2),
        "persons": (True,),
    }
    plain.parameters[name] = rng.choice(choices[name])
    return f"{name} is {plain.parameters[name]}"


def other_key(plain: Plain, rng: Random) -> str:
    """The key gives a part to another record, or two records another cluster."""
    if not plain.parts:
        return ""
    if rng.random() < 0.5:
        one, two = _two(rng, sorted(plain.home))
        plain.home[one], plain.home[two] = plain.home[two], plain.home[one]
        return "two records changed clusters in the key"
    first, second = rng.choice(plain.parts), rng.choice(plain.parts)
    first.row, second.row = second.row, first.row
    return "two parts of the key changed places"


CHANGES: tuple[Callable[[Plain, Random], str], ...] = (
    move_item, move_item, drop_item, add_item, drop_row, repeat_row, join_rows, part_row, other_size, move_row,
    exchange_rows, exchange_rows, to_terms, from_terms, more_terms, rename, rename, join_chunks, part_chunk,
    drop_chunk, other_tree, join_clusters, part_cluster, other_promise, other_promise, other_key,
)  # fmt: skip


@dataclass(frozen=True)
class Made:
    """Releases of the anonymiser."""

    name: str
    rare: str
    several: bool = False

    def make(self, rng: Random) -> Plain:
        """Few records of few items, often with leftovers in common."""
        k = rng.choice((2, 2, 2, 3))
        items = LETTERS[: rng.choice((3, 4, 4, 5, 6))]
        count = rng.randint(max(4, 2 * k - 1), 7)
        original = [
            frozenset(rng.sample(items, min(len(items), rng.choice((1, 1, 2, 2, 3))))) for _ in range(count)
        ]
        method = Disassociation(
            k=k,
            m=rng.choice((1, 2, 2, 3)),
            max_cluster_size=rng.choice((2 * k - 1, 2 * k, 8)),
            rare_items=self.rare,  # type: ignore[arg-type]
            refine=rng.random() < 0.6,
            root_chunks=rng.choice(("single", "several")),
            reading=rng.choice(("occurring", "occurring", "strict")),
        )
        persons = [rng.randrange(max(k, count * 2 // 3)) for _ in range(count)] if self.several else None
        plain = plain_of(method.anonymise(data_of(original, persons)), original)
        plain.persons = persons
        return plain

    def change(self, plain: Plain, rng: Random) -> str:
        """One change; the key follows the rows, or stays as it was."""
        plain.follow = plain.follow and rng.random() < 0.9
        told = rng.choice(CHANGES)(plain, rng) if plain.rows() else ""
        _tidy(plain)
        return told

    build = staticmethod(build)
    judge = staticmethod(judge)


@dataclass(frozen=True)
class ByHand(Made):
    """Releases put together at random: rows that stand k times, joints, roots; there is no key."""

    def make(self, rng: Random) -> Plain:
        """Up to three clusters below up to two joints; the original is what a reader could guess."""
        for _ in range(15):
            plain = self._drawn(rng)
            if "release" not in judge(plain).broken:
                break
        return plain

    def _drawn(self, rng: Random) -> Plain:
        k, way = rng.choice((2, 2, 2, 3)), rng.choice(("withhold", "list", "cluster", "cluster"))
        items, clusters = list(LETTERS[: rng.choice((3, 4, 5))]), list[Group]()
        root = Group(None, [], None) if way != "cluster" or rng.random() < 0.6 else None
        inner = Group(root, [], None) if root is not None and rng.random() < 0.4 else None
        joints = [joint for joint in (root, inner) if joint is not None]
        for _ in range(rng.choice((1, 2, 2, 3))):
            size = rng.choice((k, k, k + 1, k + 2))
            clusters.append(Group(rng.choice(joints) if joints else None, [], None, size))
            clusters[-1].chunks = _random_chunks(items, k, size, rng)
            if way == "cluster" and rng.random() < 0.7:
                clusters[-1].term = Row(set(rng.sample(items, 1)) - _shown(clusters[-1:]) or {"t"})
        if inner is not None:
            for group in clusters[:2]:
                group.above = inner
        for joint in joints:
            below = sum(group.size for group in clusters if joint in _above(group))
            joint.chunks = _random_chunks(items, k, below, rng)[:2]
        if way == "list" and root is not None:
            root.term = Row(set(rng.sample(items, 1)))
        plain = Plain(
            k, rng.choice((1, 2, 3)), {"method": "disassociation", "rare_items": way}, clusters, joints, []
        )
        plain.original = _guessed(plain, rng)
        return plain


def _random_chunks(items: list[str], k: int, most: int, rng: Random) -> list[list[Row]]:
    """Chunks of disjoint items, most of whose rows stand k times or more."""
    left, chunks = rng.sample(items, len(items)), list[list[Row]]()
    while left and rng.random() < 0.75:
        some = {left.pop() for _ in range(min(len(left), rng.choice((1, 1, 2))))}
        chunk = [Row(set(some)) for _ in range(min(most, rng.choice((k, k, k + 1))))]
        chunk += [
            Row({rng.choice(sorted(some))}) for _ in range(rng.choice((0, 0, 1, k))) if len(chunk) < most
        ]
        chunks.append(chunk)
    return chunks


def _guessed(plain: Plain, rng: Random) -> list[frozenset[str]]:
    """Records that the rows of each cluster make when they are dealt out by lot."""
    found: list[frozenset[str]] = []
    places: dict[int, list[set[str]]] = {}
    for group in plain.clusters:
        listed = group.term.items if group.term is not None else set()
        records = [set(listed) for _ in range(group.size)]
        places[id(group)] = records
        for chunk in group.chunks:
            for row, record in zip(chunk, rng.sample(records, len(records)), strict=False):
                record |= row.items
    for joint in plain.joints:
        below = [r for group in plain.clusters if joint in _above(group) for r in places[id(group)]]
        for chunk in joint.chunks:
            for row, record in zip(chunk, rng.sample(below, len(below)), strict=False):
                record |= row.items
    for records in places.values():
        found += [frozenset(record or {"t"}) for record in records]
    return found


KINDS = (
    Made("disassociated, term chunks", "cluster"),
    Made("disassociated, root withholds", "withhold"),
    Made("disassociated, root lists", "list"),
    Made("disassociated, persons", "cluster", several=True),
    ByHand("disassociated, by hand", ""),
)
