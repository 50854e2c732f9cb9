"""k^m-anonymity of chunks (Terrovitis et al., PVLDB 2012): whoever knows m items of a row finds k such rows.

Reading "occurring": every combination of up to m items that occurs in a row occurs in at least k rows.
Reading "strict": every combination of up to m items of the chunk does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.cores import at_once
from cloven.data.arrays import among, distinct, offsets_of, positions
from cloven.kinds.disassociated.release import Kind
from cloven.verification.verdict import Check, Fault, conclude, named, spot

if TYPE_CHECKING:
    from cloven.compiled import Flags, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.key import Key
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.verify.layout import JointTree, Layout
    from cloven.kinds.disassociated.verify.parts import Parts


@dataclass(frozen=True)
class Rare:
    """Chunks with a rare combination: how many, the first, its combination, and how many hold that."""

    chunks: int
    chunk: int
    items: tuple[int, ...]
    holders: int


def check_record_chunks(release: Disassociated, layout: Layout) -> Check:
    """Every record chunk is k^m-anonymous."""
    chunks = np.flatnonzero(layout.chunk_kind == Kind.RECORD)
    rare = rare_in_rows(layout, chunks, release.k, release.m, strict=reads_strictly(release))
    faults = [] if rare is None else [describe(release, layout, rare, "rows")]
    otherwise = f"{len(chunks):,} record chunks are {release.k}^{release.m}-anonymous"
    return conclude("k^m of record chunks", "release", len(chunks), faults, otherwise)


def reads_strictly(release: Disassociated) -> bool:
    """Whether the release promises the strict reading."""
    return bool(release.parameters.get("reading") == "strict")


def describe(release: Disassociated, layout: Layout, rare: Rare, holders: str) -> Fault:
    """Put a rare combination into words."""
    items = named(release.vocabulary, rare.items)
    held = f"{items} is held by {rare.holders} {holders}, k is {release.k}"
    return Fault(rare.chunks, f"{layout.place(rare.chunk)}: {held}")


def rare_in_rows(layout: Layout, chunks: Longs, k: int, m: int, *, strict: bool) -> Rare | None:
    """Look for combinations that fewer than k rows of a chunk hold; equal rows are looked at once."""
    forms = np.arange(len(layout.form_chunk))
    return _search(layout, chunks, layout.chunk_form, forms, forms, layout.copies, k, m, strict=strict)


def rare_among_owners(layout: Layout, chunks: Longs, row_owner: Longs, k: int, m: int) -> Rare | None:
    """Look for combinations that occur, but in rows of fewer than k owners (numbers from 0)."""
    chunk = layout.form_chunk[layout.row_form]
    order = np.lexsort((row_owner, chunk))
    once = np.ones(len(order), np.int64)
    forms = layout.row_form[order].astype(np.int64)
    return _search(layout, chunks, layout.chunk_start, forms, row_owner[order], once, k, m, strict=False)


def _search(
    layout: Layout,
    chunks: Longs,
    start: Longs,
    forms: Longs,
    owner: Longs,
    weight: Longs,
    k: int,
    m: int,
    *,
    strict: bool,
) -> Rare | None:
    """Search the given chunks; rows of each from ``start`` on, each a form with an owner (or its own) and a weight."""
    from cloven.verification.km import Rows, scan  # numba takes long to import

    bounds = np.stack((start[chunks], start[chunks + 1]))
    items = np.diff(layout.pair_start)[chunks]
    offsets = layout.form_offsets
    searched = Rows(offsets[forms], offsets[forms + 1], owner, weight, layout.form_local)

    def look(begin: int, end: int) -> tuple[int, int, Longs]:
        here = bounds[:, begin:end].copy(), items[begin:end]
        many, first, found = scan(*here, searched, int(k), int(m), strict, owner is forms)
        return many, begin + first, found

    told = [each for each in at_once(look, offsets_of(bounds[1] - bounds[0])) if each[0]]
    if not told:
        return None
    _, first, found = told[0]
    faulty = sum(many for many, *_ in told)
    chunk = int(chunks[first])
    codes = layout.pair_item[layout.pair_start[chunk] + found[:-1]]
    return Rare(faulty, chunk, tuple(codes.tolist()), int(found[-1]))


# Can the rows be dealt out to the records: not more rows than records, and no record left empty?


def check_row_counts(layout: Layout, room: Longs) -> Check:
    """No chunk has more rows than there are records that may hold them, told by ``room``."""
    rows = layout.chunk_rows
    faults = [spot(rows > room, lambda at: f"{layout.place(at)} has {rows[at]} rows for {room[at]} records")]
    count = layout.chunks
    return conclude("row counts", "release", count, faults, f"{count:,} chunks, none longer than its records")


def check_no_empty_record(release: Disassociated, layout: Layout, tree: JointTree) -> Check:
    """Every record can hold at least one item.

    A cluster without a term chunk needs as many rows as it has records; what its record chunks lack must
    come from the shared chunks above it. The lowest joint is used first: its rows can serve nobody outside.
    Where rare items may have been withheld, any record may be empty.
    """
    if release.may_be_empty:
        detail = "records may be empty: rare items may have been withheld"
        return Check("no empty record", "release", passed=True, examined=0, detail=detail)
    missing = np.maximum(0, np.asarray(release.cluster_size, np.int64) - record_rows(release, layout))
    missing[has_fillers(release, layout, tree)] = 0
    on_joint = np.zeros(release.joints, np.int64)
    shared = layout.chunk_kind == Kind.SHARED
    np.add.at(on_joint, layout.chunk_owner[shared], layout.chunk_rows[shared])
    alone = tree.cluster_joint < 0
    need = np.bincount(tree.cluster_joint[~alone], missing[~alone], release.joints).astype(np.int64)
    depth = tree.depth()
    for level in range(int(depth.max(initial=-1)), -1, -1):
        joint = np.flatnonzero(depth == level)
        need[joint] = np.maximum(0, need[joint] - on_joint[joint])
        if level > 0:
            np.add.at(need, tree.parent[joint], need[joint])
    faults = [
        spot(alone & (missing > 0), lambda at: f"cluster {at}: {missing[at]} records would be empty"),
        spot(
            (tree.parent < 0) & (need > 0),
            lambda at: f"joint {at}: {need[at]} records of clusters below it would be empty",
        ),
    ]
    count = release.clusters
    return conclude("no empty record", "release", count, faults, f"{count:,} clusters can fill every record")


def record_rows(release: Disassociated, layout: Layout) -> Longs:
    """Number of rows in all record chunks of each cluster."""
    record = layout.chunk_kind == Kind.RECORD
    owner, rows = layout.chunk_owner[record], layout.chunk_rows[record]
    return np.bincount(owner, rows, release.clusters).astype(np.int64)


def has_fillers(release: Disassociated, layout: Layout, tree: JointTree) -> Flags:
    """Which clusters have items without a count, that any number of their records may hold.

    That is a term chunk of their own, or an item of the list of the root that they neither show in record chunks nor
    have in a shared chunk.
    """
    owner, _ = layout.pairs_of(Kind.TERM)
    found = np.zeros(release.clusters, bool)
    found[owner] = True
    listed, words = layout.listed, max(1, len(release.vocabulary))
    keys = published_for_clusters(release, layout, tree)
    barred = np.bincount(keys[among(keys % words, listed)] // words, minlength=release.clusters)
    return found | (barred < len(listed))


def published_for_clusters(release: Disassociated, layout: Layout, tree: JointTree) -> Longs:
    """Keys ``cluster * items + item``, ascending: shown in a record chunk, or in a shared chunk above."""
    words = max(1, len(release.vocabulary))
    cluster, shown = layout.pairs_of(Kind.RECORD)
    joint, shared = layout.pairs_of(Kind.SHARED)
    told = [cluster * words + shown]
    for index, above in tree.climb(tree.cluster_joint):
        first, last = np.searchsorted(joint, above), np.searchsorted(joint, above, side="right")
        told.append(np.repeat(index, last - first) * words + shared[positions(first, last - first)])
    return distinct(np.concatenate(told))


# Lemma on sub-record counts (Terrovitis et al., PVLDB 2012): is a cluster of safe chunks safe as a whole?
#
# Knowledge may spread over h = max(1, min(m, v)) of the v record chunks. To give it k candidates, k sub-records of each
# of the h chunks are stacked on the same k records, and the other records must still not be empty. Items of a term
# chunk, or of the list of the root, can fill such holes, because their number is not told; without one the sub-records
# must suffice: sum of |C_i| >= |P| + k (h - 1). Rows of shared chunks do not count: they may belong to others. Where
# rare items may have been withheld, records may be empty, and there is nothing to fill.


def check_lemma(release: Disassociated, layout: Layout, tree: JointTree) -> Check:
    """Every cluster without a term chunk has enough sub-records, also with one record chunk or none."""
    if release.may_be_empty:
        detail = "not needed: records may be empty, rare items may have been withheld"
        return Check("lemma", "release", passed=True, examined=0, detail=detail)
    size = np.asarray(release.cluster_size, np.int64)
    rows = record_rows(release, layout)
    owner = layout.chunk_owner[layout.chunk_kind == Kind.RECORD]
    chunks = np.bincount(owner, minlength=release.clusters)
    stacked = np.maximum(1, np.minimum(release.m, chunks))
    needed = size + release.k * (stacked - 1)
    bare = ~has_fillers(release, layout, tree)
    faults = [
        spot(
            bare & (rows < needed),
            lambda at: (
                f"cluster {at} of {size[at]} records has no term chunk and {rows[at]} rows in {chunks[at]}"
                f" record chunks; {needed[at]} are needed"
            ),
        )
    ]
    count = int(np.count_nonzero(bare))
    return conclude(
        "lemma", "release", count, faults, f"{count:,} clusters without a term chunk, enough rows"
    )


# Where one person may have several records: k distinct persons, not only k records or rows.


def persons_of_records(original: Transactions, key: Key) -> Longs | None:
    """Person of each published record: from the original if it knows, else from the key."""
    if original.persons is None:
        return key.persons
    order = np.argsort(original.source_rows)
    return np.asarray(original.persons[order[np.searchsorted(original.source_rows[order], key.records)]])


def check_persons(
    release: Disassociated, layout: Layout, key: Key, parts: Parts, person: Longs, telling: Flags
) -> list[Check]:
    """Persons in clusters, in record chunks and in shared chunks; ``telling`` chunks must be k-anonymous."""
    row_person = _person_of_rows(layout, key, parts, person)
    return [
        _agreement(key, person),
        _clusters(release, key, person),
        _record_chunks(release, layout, row_person),
        _shared_chunks(release, layout, row_person, telling),
    ]


def _person_of_rows(layout: Layout, key: Key, parts: Parts, person: Longs) -> Longs:
    """Number of the person behind each row, from 1; 0 where nobody claims the row."""
    _, number = np.unique(person, return_inverse=True)
    rows = np.zeros(layout.rows, np.int64)
    rows[parts.row] = number[np.searchsorted(key.records, parts.record)] + 1
    return rows


def _agreement(key: Key, person: Longs) -> Check:
    said = person if key.persons is None else key.persons
    faults = [
        spot(
            said != person,
            lambda at: f"record {key.records[at]} is of person {person[at]}, the key says {said[at]}",
        )
    ]
    return conclude("persons agree", "key", len(person), faults, f"{len(distinct(person)):,} persons")


def _clusters(release: Disassociated, key: Key, person: Longs) -> Check:
    members = np.unique(np.stack((key.record_cluster, person)), axis=1)[0]
    persons = np.bincount(members, minlength=release.clusters)
    faults = [
        spot(persons < release.k, lambda at: f"cluster {at} has {persons[at]} persons, k is {release.k}")
    ]
    otherwise = f"every cluster has at least {release.k} persons"
    return conclude("persons in clusters", "key", release.clusters, faults, otherwise)


def _record_chunks(release: Disassociated, layout: Layout, row_person: Longs) -> Check:
    chunks = np.flatnonzero(layout.chunk_kind == Kind.RECORD)
    rare = rare_among_owners(layout, chunks, row_person, release.k, release.m)
    faults = [] if rare is None else [describe(release, layout, rare, "persons")]
    otherwise = f"{len(chunks):,} record chunks, every combination is held by {release.k} persons"
    return conclude("persons in record chunks", "key", len(chunks), faults, otherwise)


def _shared_chunks(release: Disassociated, layout: Layout, row_person: Longs, telling: Flags) -> Check:
    chunks = np.flatnonzero(layout.chunk_kind == Kind.SHARED)
    rare = rare_among_owners(layout, chunks[~telling[chunks]], row_person, release.k, release.m)
    faults = [] if rare is None else [describe(release, layout, rare, "persons")]
    faults.append(_rows_of_few(release, layout, row_person, telling))
    otherwise = f"{len(chunks):,} shared chunks, held by {release.k} persons"
    return conclude("persons in shared chunks", "key", len(chunks), faults, otherwise)


def _rows_of_few(release: Disassociated, layout: Layout, row_person: Longs, telling: Flags) -> Fault:
    """Distinct rows of telling chunks that fewer than k persons hold."""
    held = np.bincount(np.unique(np.stack((layout.row_form, row_person)), axis=1)[0])

    def place(form: int) -> str:
        items = named(release.vocabulary, layout.items_of(form))
        return (
            f"{layout.place(int(layout.form_chunk[form]))}: row {items} is held by {held[form]} persons,"
            f" k is {release.k}"
        )

    return spot(telling[layout.form_chunk] & (held < release.k), place)
