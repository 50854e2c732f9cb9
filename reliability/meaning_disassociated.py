"""Small disassociated releases, made and changed in what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cloven.kinds.disassociated.methods import Disassociation
from reliability.changes import Nesting
from reliability.meaning_generalised import data_of
from reliability.meaning_plain import Group, Plain, Row, build, joints_above, judge, plain_of, shown_in, tidy

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

LETTERS = "abcdef"

# Changes of meaning. Each is done in one place, and says what it did; nothing where it was not possible.


def _two(rng: Random, some: list[Any]) -> tuple[Any, Any]:
    first, second = rng.sample(some, 2)
    return first, second


def _withheld(plain: Plain, rows: list[Row]) -> None:
    """The key calls what records gave to rows that are gone withheld."""
    gone = {id(row) for row in rows}
    plain.lost += [(p.record, "rare", tuple(sorted(p.items))) for p in plain.parts if id(p.row) in gone]
    plain.lost.sort()


def other_items(plain: Plain, rng: Random) -> str:
    """Items of rows and of lists of terms; there is an empty row and an empty list for them to go to."""
    rng.choice([chunk for chunk, _ in plain.rows()]).append(Row(set()))
    rows = [[row.items for row in chunk] for group in plain.groups for chunk in group.chunks]
    group = rng.choice(plain.groups)
    group.term = group.term or Row(set())
    return Nesting("an item", [*rows, [each.term.items for each in plain.groups if each.term]]).change(rng)


def other_rows(plain: Plain, rng: Random) -> str:
    """Rows of chunks; there is an empty chunk for them to go to."""
    rng.choice(plain.groups).chunks.append([])

    def gone(rows: list[Row]) -> None:
        if rng.random() < 0.5:
            _withheld(plain, rows)

    families = [group.chunks for group in plain.groups]
    return Nesting("a row", families, lambda row: Row(set(row.items)), gone).change(rng)


def other_chunks(plain: Plain, rng: Random) -> str:
    """Chunks of clusters and joints."""

    def gone(chunks: list[list[Row]]) -> None:
        if rng.random() < 0.5:
            _withheld(plain, [row for chunk in chunks for row in chunk])

    def again(chunk: list[Row]) -> list[Row]:
        return [Row(set(row.items)) for row in chunk]

    return Nesting("a chunk", [[group.chunks for group in plain.groups]], again, gone).change(rng)


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


def other_column(plain: Plain, rng: Random) -> str:
    """An item leaves a chunk for one of its own, or for the list of terms of its group or of another."""
    groups = [group for group in plain.groups if group.chunks]
    group = rng.choice(groups)
    chunk = rng.choice(group.chunks)
    item = rng.choice(sorted({item for row in chunk for item in row.items}))
    having = [row for row in chunk if item in row.items]
    for row in having:
        row.items.discard(item)
    if rng.random() < 0.5:
        group.chunks.append([Row({item}) for _ in having])
        return f"{item} gets a chunk of its own"
    target = group if rng.random() < 0.7 else rng.choice(plain.groups)
    target.term = target.term or Row(set())
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
        rng.choice([group, *joints_above(group)]).chunks.append([Row({item}) for _ in range(many)])
    return f"{item} taken from a list of terms, {many} rows made of it"


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
    """Two chunks of a group become one, most of their rows side by side."""
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
    several = ("persons", "reading", "small_clusters", "min_item_support")
    name = rng.choice((*several, "k", "k", "m", "m", "rare_items", "rare_items"))
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
    *[other_items] * 6, *[other_rows] * 6, *[other_chunks] * 2, *[other_column] * 2, other_size, from_terms, rename,
    rename, join_chunks, other_tree, join_clusters, part_cluster, other_promise, other_promise, other_key,
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
        tidy(plain)
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
                clusters[-1].term = Row(set(rng.sample(items, 1)) - shown_in(clusters[-1:]) or {"t"})
        if inner is not None:
            for group in clusters[:2]:
                group.above = inner
        for joint in joints:
            below = sum(group.size for group in clusters if joint in joints_above(group))
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
        below = [r for group in plain.clusters if joint in joints_above(group) for r in places[id(group)]]
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
