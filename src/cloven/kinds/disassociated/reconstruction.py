"""Rebuild a plausible data set from a disassociated release (Terrovitis et al., PVLDB 2012, section 6).

Sub-records of a record chunk go to distinct random records of their cluster, those of a shared chunk to records of
all clusters below the joint, and every term-chunk item to one random record, empty records first. Rows of the root
move to records that are empty. No record stays empty where that can be avoided. A data set made so agrees with
everything published; averages over several of them estimate what a reader can learn.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import Ints, Longs, compiled
from cloven.data.arrays import distinct, offsets_of, positions, run_starts
from cloven.data.transactions import Transactions
from cloven.errors import ReleaseError
from cloven.intake.files import room
from cloven.kinds.disassociated.release import Kind, Members, depths, members, most_records

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from cloven.compiled import Flags
    from cloven.kinds.disassociated.release import Disassociated

    Shown = tuple[Longs, Ints, Longs]
    Inner = tuple[Longs, Longs, Longs, Ints]
    Told = tuple[Shown, Inner, int]
    Lists = tuple[Ints, Ints, Flags]

PER_RECORD = 64
"""Bytes that arrays take for each record, at least."""


def worlds_of(release: Disassociated, count: int, rng: np.random.Generator) -> Iterator[Transactions]:
    """So many plausible data sets, one at a time."""
    layout = Layout.of(release)
    return (_rebuild(layout, rng) for _ in range(count))


def _rebuild(layout: Layout, rng: np.random.Generator) -> Transactions:

    place = np.full(len(layout.chunk), -1, layout.number)
    cover = np.zeros(int(layout.bounds[-1]), layout.number)
    place_record_chunks(rng, layout.bounds, layout.starts, layout.chunk, place, cover)
    # With a root, what a record lacks in its cluster comes from there.
    has_term = (np.diff(layout.terms[0]) > 0) | (layout.release.root >= 0)
    left = cover_all(rng, layout.bounds, layout.starts, has_term, place, cover)
    needy = np.zeros(len(cover), bool)
    if left:
        needy = (cover == 0) & ~np.repeat(has_term, layout.release.cluster_size)
    _place_shared(layout, rng, place, cover, needy)
    term_records, term_items = _place_terms(layout, rng, place, cover)
    lengths, codes = assembled(place, layout.table, term_records, term_items, len(cover))
    return Transactions.from_arrays(lengths, codes, layout.release.vocabulary)


def _place_shared(layout: Layout, rng: np.random.Generator, place: Ints, cover: Ints, needy: Flags) -> None:
    if not layout.shared:
        return

    chunks = np.array(layout.shared, np.int64)
    repeated = repeated_items(chunks, layout.table, len(layout.release.vocabulary))
    followed, number = repeated.any(), layout.number
    lists = np.full(len(cover) * followed, -1, number), np.full(len(place) * followed, -1, number), repeated
    owner = np.full(len(cover), -1, number)
    failed = place_shared_chunks(
        rng, chunks, layout.members, layout.bounds, layout.homes, layout.table, layout.told, lists, place, cover,
        needy, owner,
    )  # fmt: skip
    if failed >= 0:
        message = f"a shared chunk of joint {chunks[failed, 2]} does not fit on the records below it"
        raise ReleaseError(message + "; run `cloven verify` on the release")


def _place_terms(
    layout: Layout, rng: np.random.Generator, place: Ints, cover: Ints
) -> tuple[Longs, NDArray[np.int32]]:
    """Records and items of what has no count, after rows of the root have filled empty records."""
    root, told = layout.release.root, layout.told
    if root < 0:
        return place_terms(rng, layout.bounds, *layout.terms, cover)

    fill_from_root(rng, layout.root_rows, root, layout.bounds, layout.table, told, place, cover)
    return place_listed(rng, layout.listed, root, layout.bounds, told, cover)


# A release arranged for rebuilding data sets: computed once, used for every reconstruction.


@dataclass(frozen=True)
class Layout:
    """What all reconstructions of a release have in common.

    Attributes:
        bounds: first record of each cluster, and the number of records.
        starts: first row (in ``table``) of the record chunks of each cluster.
        table: offsets and items of the rows of record chunks, then of shared chunks.
        chunk: number of the chunk of each of those rows.
        terms: offsets and items of the term chunk of each cluster.
        listed: items of the list of the root.
        root_rows: first row (in ``table``) of the root, and the row after its last.
        shown: offsets and items of what the record chunks of each cluster show.
        inner: innermost joint of each cluster, parent of each joint, and offsets and items of what each joint shares.
        shared: first row, end and joint of each shared chunk, innermost joints first.
        members: clusters below each joint.
    """

    release: Disassociated
    bounds: Longs
    starts: Longs
    table: tuple[Longs, NDArray[np.int32]]
    chunk: NDArray[np.int32]
    terms: tuple[Longs, NDArray[np.int32]]
    listed: NDArray[np.int32]
    root_rows: tuple[int, int]
    shown: tuple[Longs, NDArray[np.int32]]
    inner: tuple[Longs, Longs, Longs, NDArray[np.int32]]
    shared: list[tuple[int, int, int]]
    members: Members

    @classmethod
    def of(cls, release: Disassociated) -> Layout:
        """Arrange a release.

        Raises:
            ReleaseError: it says that it has more records than memory has room for, or than its rows could be of; a
                few bytes can say so.
        """
        check_sizes(release)
        record = np.flatnonzero(release.row_kind == Kind.RECORD)
        term = np.flatnonzero((release.row_kind == Kind.TERM) & (release.row_cluster >= 0))
        listed = np.flatnonzero((release.row_kind == Kind.TERM) & (release.row_cluster < 0))
        shared = np.flatnonzero(release.row_kind == Kind.SHARED)
        edges = np.arange(release.clusters + 1)
        record_cluster, term_cluster = release.row_cluster[record], release.row_cluster[term]
        rows = np.concatenate((record, shared))
        term_offsets, term_items = release.items_of(term)
        return cls(
            release,
            offsets_of(release.cluster_size),
            np.searchsorted(record_cluster, edges).astype(np.int64),
            release.items_of(rows),
            release.row_chunk[rows],
            (term_offsets[np.searchsorted(term_cluster, edges)], term_items),
            release.items_of(listed)[1],
            _root_rows(release.at_root[rows]),
            _shown(release, record, release.row_cluster, release.clusters),
            (
                np.array(release.cluster_joint),
                np.array(release.joint_parent),
                *_shown(release, shared, release.row_joint, release.joints),
            ),
            _shared_chunks(release, shared, len(record)),
            members(release),
        )

    @cached_property
    def number(self) -> np.dtype[Any]:
        """Wide enough for numbers of records and rows: half as wide, twice as many stay near the processor."""
        most = max(int(self.bounds[-1]), len(self.chunk))
        return np.dtype(np.int32 if most <= np.iinfo(np.int32).max else np.int64)

    @cached_property
    def homes(self) -> Ints:
        """Cluster of each record."""
        return np.repeat(np.arange(self.release.clusters, dtype=np.int32), self.release.cluster_size)

    @cached_property
    def told(self) -> tuple[Shown, Inner]:
        """What clusters and joints show, with a bit for each remainder of an item by 64: most are not there."""
        starts, items = self.shown
        marks = np.zeros(len(starts) - 1, np.int64)
        np.bitwise_or.at(
            marks, np.repeat(np.arange(len(marks)), np.diff(starts)), np.int64(1) << (items & 63)
        )
        return (starts, items, marks), self.inner


def _root_rows(at_root: Flags) -> tuple[int, int]:
    """Rows of a joint stand together."""
    found = np.flatnonzero(at_root)
    return (int(found[0]), int(found[-1]) + 1) if len(found) else (0, 0)


def _shown(release: Disassociated, rows: Longs, owner: Longs, owners: int) -> tuple[Longs, NDArray[np.int32]]:
    """Items that some rows show of each owner (cluster or joint), ascending."""
    offsets, items = release.items_of(rows)
    width = max(1, len(release.vocabulary))
    keys = distinct(np.repeat(owner[rows], np.diff(offsets)) * width + items)
    starts = np.searchsorted(keys, np.arange(owners + 1) * width)
    return starts.astype(np.int64), (keys % width).astype(np.int32)


def _shared_chunks(release: Disassociated, shared: Longs, shift: int) -> list[tuple[int, int, int]]:
    joint, chunk = release.row_joint[shared], release.row_chunk[shared]
    edges = np.append(run_starts(joint, chunk), len(shared))
    first, last = edges[:-1], edges[1:]
    order = np.argsort(-depths(release)[joint[first]], kind="stable")
    return [(int(first[at]) + shift, int(last[at]) + shift, int(joint[first[at]])) for at in order]


def check_sizes(release: Disassociated) -> None:
    """Raise ``ReleaseError`` if memory has no room for the records, or rows cannot be of so many or so few of them."""
    if release.records > most_records(release.rows):
        message = (
            f"it says that it has {release.records:,} records, and holds {release.rows:,} rows; get it again"
        )
        raise ReleaseError(message)
    if release.records * PER_RECORD > room():
        message = (
            f"it says that it has {release.records:,} records, more than memory has room for; get it again"
        )
        raise ReleaseError(message)
    record = release.row_kind == Kind.RECORD
    cluster = release.row_cluster[record]
    first = run_starts(cluster, release.row_chunk[record])
    size = np.diff(np.append(first, len(cluster)))
    bad = np.flatnonzero(size > release.cluster_size[cluster[first]])
    if len(bad):
        where, many = cluster[first[bad[0]]], size[bad[0]]
        message = (
            f"cluster {where} has a chunk of {many} sub-records, more than records; run `cloven verify` on it"
        )
        raise ReleaseError(message)


# What a release shows together, as documents.


def documents(release: Disassociated, *, clusters: bool) -> tuple[Transactions, str]:
    """What the release shows together, as documents, and what they are."""
    what = "sub-records and clusters" if clusters else "sub-records"
    return documents_of_release(release, clusters=clusters), what


def documents_of_release(release: Disassociated, *, clusters: bool = False) -> Transactions:
    """Sub-records of a release as documents; with ``clusters``, also all items of each cluster as one document."""
    lengths, items, whole = np.diff(release.row_offsets), release.row_items, release.row_kind != Kind.TERM
    if not whole.all():
        lengths, items = lengths[whole], items[np.repeat(whole, lengths)]
    if clusters:
        cluster = np.repeat(release.row_cluster, np.diff(release.row_offsets))
        there, width = cluster >= 0, len(release.vocabulary)
        of_cluster, shown = divmod(np.unique(cluster[there] * width + release.row_items[there]), width)
        lengths = np.concatenate((lengths, np.bincount(of_cluster, minlength=release.clusters)))
        items = np.concatenate((items, shown.astype(np.int32)))
    return Transactions.from_arrays(lengths, items, release.vocabulary)


# Compiled loops that put published sub-records on records; imported only when a data set is rebuilt.
#
# Records are numbered cluster by cluster: cluster ``c`` has the records ``bounds[c]`` to ``bounds[c + 1] - 1``.


@compiled
def _shuffle(rng: np.random.Generator, values: Ints) -> None:
    """Bring numbers into random order; of none, Numba would look at the first."""
    if len(values):
        rng.shuffle(values)


@compiled
def place_record_chunks(
    rng: np.random.Generator, bounds: Longs, starts: Longs, row_chunk: Ints, place: Ints, cover: Ints
) -> None:
    """Give the sub-records of every record chunk distinct random records of their cluster.

    Rows ``starts[c]`` to ``starts[c + 1] - 1`` are the record chunks of cluster ``c``. Writes ``place``
    (record of each row) and ``cover`` (number of rows on each record).
    """
    for cluster in range(len(bounds) - 1):
        size = bounds[cluster + 1] - bounds[cluster]
        order = np.arange(size)
        drawn = 0
        for row in range(starts[cluster], starts[cluster + 1]):
            if row == starts[cluster] or row_chunk[row] != row_chunk[row - 1]:
                drawn = 0
            pick = drawn + int(rng.random() * (size - drawn))
            order[drawn], order[pick] = order[pick], order[drawn]
            place[row] = bounds[cluster] + order[drawn]
            cover[place[row]] += 1
            drawn += 1


@compiled
def cover_all(
    rng: np.random.Generator, bounds: Longs, starts: Longs, has_term: Flags, place: Ints, cover: Ints
) -> int:
    """Fill the empty records of clusters without a term chunk; returns how many could not be filled.

    Sub-records are visited in random order; one that shares its record with another moves to an empty
    record. One round is enough: a record stays empty only if every other holds a single sub-record, that is
    if there are fewer sub-records than records.
    """
    left = 0
    for cluster in range(len(bounds) - 1):
        if has_term[cluster]:
            continue
        empty = bounds[cluster] + np.flatnonzero(cover[bounds[cluster] : bounds[cluster + 1]] == 0)
        if len(empty) == 0:
            continue
        _shuffle(rng, empty)
        rows = np.arange(starts[cluster], starts[cluster + 1])
        _shuffle(rng, rows)
        filled = 0
        for row in rows:
            if filled == len(empty):
                break
            if cover[place[row]] > 1:
                cover[place[row]] -= 1
                place[row] = empty[filled]
                cover[place[row]] = 1
                filled += 1
        left += len(empty) - filled
    return left


@compiled
def place_terms(
    rng: np.random.Generator, bounds: Longs, term_starts: Longs, term_items: Ints, cover: Ints
) -> tuple[Longs, Ints]:
    """Put every term-chunk item on one random record, empty records first; then fill what is still empty.

    Returns records and items, one pair per occurrence.
    """
    records = np.empty(len(term_items) + len(cover), np.int64)
    items = np.empty(len(records), np.int32)
    used = 0
    for cluster in range(len(bounds) - 1):
        terms = term_items[term_starts[cluster] : term_starts[cluster + 1]].copy()
        if len(terms) == 0:
            continue
        first = bounds[cluster]
        size = bounds[cluster + 1] - first
        empty = first + np.flatnonzero(cover[first : first + size] == 0)
        _shuffle(rng, empty)
        _shuffle(rng, terms)
        for number in range(max(len(terms), len(empty))):
            record = empty[number] if number < len(empty) else first + int(rng.random() * size)
            term = terms[number] if number < len(terms) else terms[int(rng.random() * len(terms))]
            records[used], items[used] = record, term
            cover[record] += 1
            used += 1
    return records[:used], items[:used]


LONG = 64
"""Items of a record that are sorted before they are put in their place."""


@compiled
def assembled(
    place: Ints, table: tuple[Longs, Ints], term_records: Longs, term_items: Ints, records: int
) -> tuple[Longs, Ints]:
    """Lengths and items (ascending, without repeats) of the records that rows and terms were placed on."""
    offsets, items = table
    starts = np.zeros(records + 1, np.int64)
    for row in range(len(place)):
        starts[place[row] + 1] += offsets[row + 1] - offsets[row]
    for record in term_records:
        starts[record + 1] += 1
    for record in range(records):
        starts[record + 1] += starts[record]
    ends, found, many = starts[:-1].copy(), np.empty(starts[records], np.int32), 0
    for row in range(len(place)):
        for at in range(offsets[row], offsets[row + 1]):
            found[ends[place[row]]] = items[at]
            ends[place[row]] += 1
    for at in range(len(term_records)):
        found[ends[term_records[at]]] = term_items[at]
        ends[term_records[at]] += 1
    lengths = np.zeros(records, np.int64)
    for record in range(records):
        first, begin, last = many, starts[record], starts[record + 1]
        if last - begin > LONG:
            found[begin:last].sort()
        for at in range(begin, last):
            # Sorted into what stands before it; what is kept never overtakes what is read.
            item, here = found[at], many
            while here > first and found[here - 1] > item:
                here -= 1
            if here > first and found[here - 1] == item:
                continue
            for moved in range(many, here, -1):
                found[moved] = found[moved - 1]
            found[here] = item
            many += 1
        lengths[record] = many - first
    return lengths, found[:many]


# Compiled placement of shared chunks.
#
# A shared sub-record may go to any record below its joint, except where the cluster shows one of its items in its
# record chunks, or a joint between the two shares one (all its occurrences are published there), and where the record
# has one of its items already. Random draws mostly succeed; where few clusters are left to draw from, all records of
# them are listed once, in random order. A sub-record that still finds no place moves others along an augmenting path,
# so that a placement is found whenever the chunk has one.


DRAWS = 24
"""Random draws before the exhaustive search."""


@compiled
def _among(item: int, owner: int, offsets: Longs, items: Ints) -> bool:
    low, end = offsets[owner], offsets[owner + 1]
    high = end
    while low < high:
        middle = (low + high) // 2
        if items[middle] < item:
            low = middle + 1
        else:
            high = middle
    return bool(low < end and items[low] == item)


@compiled
def is_told(item: int, cluster: int, told: Told) -> bool:
    """Whether the occurrences of an item in a cluster are published elsewhere: in its record chunks, or further in."""
    shown, inner, outer = told
    if shown[2][cluster] >> (item & 63) & 1 and _among(item, cluster, shown[0], shown[1]):
        return True
    joint = inner[0][cluster]
    while joint >= 0 and joint != outer:
        if _among(item, joint, inner[2], inner[3]):
            return True
        joint = inner[1][joint]
    return False


@compiled
def _fits(row: int, record: int, cluster: int, table: tuple[Longs, Ints], told: Told, lists: Lists) -> bool:
    """Whether a shared row may go to a record of this cluster.

    ``table`` holds the published rows, ``told`` what record chunks and inner joints show, and ``lists`` the
    shared rows that a record has already (the first of each record, and the one after each row) with the items
    that several shared chunks have: the others it cannot have twice. Where there are none, there are no lists.
    """
    row_offsets, row_items = table
    head, following, repeated = lists
    for at in range(row_offsets[row], row_offsets[row + 1]):
        if is_told(row_items[at], cluster, told):
            return False
        other = head[record] if repeated[row_items[at]] else -1
        while other >= 0:
            for there in range(row_offsets[other], row_offsets[other + 1]):
                if row_items[there] == row_items[at]:
                    return False
            other = following[other]
    return True


@compiled
def place_shared_chunk(
    rng: np.random.Generator,
    rows: tuple[int, int],
    clusters: Longs,
    ends: Longs,
    bounds: Longs,
    homes: Ints,
    table: tuple[Longs, Ints],
    told: Told,
    lists: Lists,
    place: Ints,
    cover: Ints,
    needy: Flags,
    owner: Ints,
    any_needy: bool,
) -> int:
    """Place the shared chunk of rows ``rows[0]`` to ``rows[1] - 1`` over clusters; -1, or the row that fails.

    The records below the joint are numbered through its clusters, up to ``ends`` of each; ``owner`` says for every
    record of the release which row it had last, be it of this chunk or of another. ``needy`` marks empty records that
    nothing else can fill; they come first.
    """
    first, last = rows
    # Taken apart once: each call that hands on so many arrays takes longer than what it looks up.
    (row_offsets, row_items), (shown, inner, joint), (head, following, repeated) = table, told, lists
    (shown_starts, shown_items, marks), joint_of = shown, inner[0]
    total, everywhere = ends[-1] if len(ends) else 0, len(clusters) == len(bounds) - 1
    wanting = _needy_below(clusters, bounds, ends, homes, needy) if any_needy else np.empty(0, np.int64)
    _shuffle(rng, wanting)
    waiting, following_one, listed = wanting[:0], 0, False
    for row in range(first, last):
        found: int = np.int64(-1)  # type: ignore[assignment]  # one type for the compiler
        for candidate in wanting:
            cluster, record = _at(candidate, clusters, bounds, ends, homes)
            if not first <= owner[record] < last and _fits(row, record, cluster, table, told, lists):
                found = record
                break
        draws = 0
        while found < 0 and draws < DRAWS and total > 0 and not listed:
            draws += 1
            record = int(rng.random() * total)
            if everywhere:
                cluster = int(homes[record])
            else:
                cluster, record = _at(record, clusters, bounds, ends, homes)
            if first <= owner[record] < last:
                continue
            shows, further = False, joint_of[cluster] != joint
            for at in range(row_offsets[row], row_offsets[row + 1]):
                item = row_items[at]
                further = further or repeated[item]
                if marks[cluster] >> (item & 63) & 1 and _among(item, cluster, shown_starts, shown_items):
                    shows = True
            if not shows and not (further and not _fits(row, record, cluster, table, told, lists)):
                found = record
        if found < 0 and not listed:
            waiting, listed = _allowed(rng, row, clusters, ends, table, told), True
        while found < 0 and following_one < len(waiting):
            cluster, record = _at(waiting[following_one], clusters, bounds, ends, homes)
            following_one += 1
            if not first <= owner[record] < last and _fits(row, record, cluster, table, told, lists):
                found = record
        if found >= 0:
            owner[found] = row
            place[row] = found
        elif not _make_room(
            rng, row, first, last, clusters, bounds, ends, homes, table, told, lists, owner, place
        ):
            return row
    for row in range(first, last):
        record = place[row]
        cover[record] += 1
        if any_needy:
            needy[record] = False
        for at in range(row_offsets[row], row_offsets[row + 1]):
            if repeated[row_items[at]]:
                following[row], head[record] = head[record], row
                break
    return -1


@compiled
def _at(number: int, clusters: Longs, bounds: Longs, ends: Longs, homes: Ints) -> tuple[int, int]:
    """Cluster and record with this number below a joint; ``homes`` are the clusters of all records."""
    if len(clusters) == len(bounds) - 1:
        return homes[number], number
    place = np.searchsorted(ends, number, side="right")
    cluster = clusters[place]
    return cluster, bounds[cluster + 1] - (ends[place] - number)


@compiled
def _allowed(
    rng: np.random.Generator, row: int, clusters: Longs, ends: Longs, table: tuple[Longs, Ints], told: Told
) -> Longs:
    """Numbers of all records below a joint in clusters that may have this row, in random order."""
    found = np.empty(ends[-1] if len(ends) else 0, np.int64)
    count, number = 0, 0
    for place in range(len(clusters)):
        free = True
        for at in range(table[0][row], table[0][row + 1]):
            free = free and not is_told(table[1][at], clusters[place], told)
        for each in range(number, ends[place]):
            if free:
                found[count] = each
                count += 1
        number = ends[place]
    _shuffle(rng, found[:count])
    return found[:count]


@compiled
def _needy_below(clusters: Longs, bounds: Longs, ends: Longs, homes: Ints, needy: Flags) -> Longs:
    """Numbers of the records below a joint that nothing else can fill."""
    found = np.empty(ends[-1] if len(ends) else 0, np.int64)
    count = 0
    for number in range(len(found)):
        _, record = _at(number, clusters, bounds, ends, homes)
        if needy[record]:
            found[count] = number
            count += 1
    return found[:count]


@compiled
def _make_room(
    rng: np.random.Generator, row: int, first: int, last: int, clusters: Longs, bounds: Longs, ends: Longs,
    homes: Ints, table: tuple[Longs, Ints], told: Told, lists: Lists, owner: Ints, place: Ints,
) -> bool:  # fmt: skip
    """Find a place for one more row by moving others of its chunk; lists all records below the joint, so it is rare."""
    total = ends[-1] if len(ends) else 0
    cluster_of = np.empty(total, np.int64)
    record_of = np.empty(total, np.int64)
    owned = np.empty(total, np.int64)
    for number in range(total):
        cluster_of[number], record_of[number] = _at(number, clusters, bounds, ends, homes)
        owned[number] = owner[record_of[number]] if first <= owner[record_of[number]] < last else -1
    if not _augment(rng, row, first, last, owned, cluster_of, record_of, table, told, lists):
        return False
    for number in range(total):
        owner[record_of[number]] = owned[number]
        if owned[number] >= 0:
            place[owned[number]] = record_of[number]
    return True


@compiled
def _augment(
    rng: np.random.Generator, row: int, first: int, last: int, owner: Longs, cluster_of: Longs, record_of: Longs,
    table: tuple[Longs, Ints], told: Told, lists: Lists,
) -> bool:  # fmt: skip
    """Find a place for one more row, moving others of its chunk if need be (an augmenting path)."""
    total = len(owner)
    reached_by = np.full(total, -1, np.int64)
    slot_of = np.full(last - first, -1, np.int64)
    for slot in range(total):
        if owner[slot] >= 0:
            slot_of[owner[slot] - first] = slot
    waiting = np.empty(last - first, np.int64)
    waiting[0] = row
    taken, put = 0, 1
    shift = int(rng.random() * total)
    while taken < put:
        mover = waiting[taken]
        taken += 1
        for step in range(total):
            slot = (step + shift) % total
            if reached_by[slot] >= 0 or not _fits(
                mover, record_of[slot], cluster_of[slot], table, told, lists
            ):
                continue
            reached_by[slot] = mover
            if owner[slot] >= 0:
                waiting[put] = owner[slot]
                put += 1
                continue
            while slot >= 0:
                mover = reached_by[slot]
                owner[slot] = mover
                slot, slot_of[mover - first] = slot_of[mover - first], slot
            return True
    return False


@compiled
def fill_from_root(
    rng: np.random.Generator,
    rows: tuple[int, int],
    joint: int,
    bounds: Longs,
    table: tuple[Longs, Ints],
    told: tuple[Shown, Inner],
    place: Ints,
    cover: Ints,
) -> None:
    """Move rows of the root from records that hold more to empty ones, as far as a few draws find some.

    Nearly every record of the original holds something that is published, but chance leaves more of them empty.
    """
    first, last = rows
    if last <= first:
        return
    for cluster in range(len(bounds) - 1):
        for record in range(bounds[cluster], bounds[cluster + 1]):
            if cover[record] > 0:
                continue
            for _ in range(DRAWS):
                row = first + int(rng.random() * (last - first))
                if cover[place[row]] < 2:
                    continue
                fits = True
                for at in range(table[0][row], table[0][row + 1]):
                    fits = fits and not is_told(table[1][at], cluster, (told[0], told[1], joint))
                if fits:
                    cover[place[row]] -= 1
                    place[row] = record
                    cover[record] = 1
                    break


@compiled
def place_listed(
    rng: np.random.Generator, listed: Ints, joint: int, bounds: Longs, told: tuple[Shown, Inner], cover: Ints
) -> tuple[Longs, Ints]:
    """Put every item of the list of the root on a record that may have it, then fill what is still empty.

    Returns records and items, one pair per occurrence.
    """
    records, items = (
        np.empty(len(listed) + len(cover), np.int64),
        np.empty(len(listed) + len(cover), np.int32),
    )
    used = 0
    for item in listed:
        start = int(rng.random() * len(cover))
        for draw in range(DRAWS + len(cover)):
            # Where few may have it, lots miss them all: then everybody is asked in turn.
            record = int(rng.random() * len(cover)) if draw < DRAWS else (start + draw) % len(cover)
            home = int(np.searchsorted(bounds, record, side="right")) - 1
            if not is_told(item, home, (told[0], told[1], joint)):
                records[used], items[used] = record, item
                cover[record] += 1
                used += 1
                break
    for cluster in range(len(bounds) - 1):
        for record in range(bounds[cluster], bounds[cluster + 1]):
            start = int(rng.random() * len(listed))
            for step in range(len(listed) if cover[record] == 0 else 0):
                item = listed[(start + step) % len(listed)]
                if not is_told(item, cluster, (told[0], told[1], joint)):
                    records[used], items[used] = record, item
                    cover[record] += 1
                    used += 1
                    break
    return records[:used], items[:used]


def repeated_items(chunks: Longs, table: tuple[Longs, Ints], items: int) -> Flags:
    """Items that several shared chunks (first row, row after the last, joint) have."""
    first, last = table[0][chunks[:, 0]], table[0][chunks[:, 1]]
    number = np.repeat(np.arange(len(chunks)), last - first)
    once = np.unique(number * items + table[1][positions(first, last - first)])
    return np.bincount(once % items, minlength=items) > 1


@compiled
def place_shared_chunks(
    rng: np.random.Generator,
    chunks: Longs,
    members: tuple[Longs, Longs],
    bounds: Longs,
    homes: Ints,
    table: tuple[Longs, Ints],
    told: tuple[Shown, Inner],
    lists: Lists,
    place: Ints,
    cover: Ints,
    needy: Flags,
    owner: Ints,
) -> int:
    """Place all shared chunks (first row, row after the last, joint); -1, or the number of the one that fails."""
    starts, clusters = members
    shown, inner = told
    any_needy = bool(needy.any())
    before = np.int64(-1)
    below = clusters[:0]
    ends = clusters[:0]
    for number in range(len(chunks)):
        first, last, joint = chunks[number, 0], chunks[number, 1], chunks[number, 2]
        if joint != before:  # the chunks of a joint stand together
            below = clusters[starts[joint] : starts[joint + 1]]
            ends = np.cumsum(bounds[below + 1] - bounds[below])
            before = joint
        failed = place_shared_chunk(
            rng, (first, last), below, ends, bounds, homes, table, (shown, inner, joint), lists, place, cover, needy,
            owner, any_needy,
        )  # fmt: skip
        if failed >= 0:
            return number
    return -1
