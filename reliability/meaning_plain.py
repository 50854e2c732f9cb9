"""Small disassociated releases in a plain form: put into canonical order, judged over all worlds."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.disassociated.key import Key
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
    from collections.abc import Iterator

    from cloven.kinds.disassociated.key import Anonymised


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


def tidy(plain: Plain) -> None:
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
    tidy(plain)
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


def joints_above(group: Group) -> list[Group]:
    """The joints that a cluster or joint stands below, innermost first."""
    found: list[Group] = []
    while group.above is not None:
        group = group.above
        found.append(group)
    return found


def shown_in(groups: list[Group]) -> set[str]:
    """Items in chunks of these."""
    return {item for group in groups for chunk in group.chunks for row in chunk for item in row.items}


def facts_of(plain: Plain, bit: dict[str, int]) -> Facts:
    """What the worlds depend on."""

    def mask(items: set[str] | frozenset[str]) -> int:
        return sum(bit[item] for item in items)

    way = plain.parameters.get("rare_items", "cluster")
    published = [shown_in([group, *joints_above(group)]) for group in plain.clusters]
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
            above = joints_above(group)
            if joint in above:
                barred[number] = mask(shown_in([group, *above[: above.index(joint)]]))
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
