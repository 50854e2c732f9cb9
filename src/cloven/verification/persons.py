"""Where one person may have several records: k distinct persons, not only k records or rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.arrays import distinct
from cloven.model.disassociated import Kind
from cloven.verification.faults import Fault, conclude, named, spot
from cloven.verification.km import describe, rare_among_owners

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.key import Key
    from cloven.model.transactions import Transactions
    from cloven.verification.layout import Layout
    from cloven.verification.parts import Parts
    from cloven.verification.verdict import Check


def persons_of_records(original: Transactions, key: Key) -> NDArray[np.int64] | None:
    """Person of each published record: from the original if it knows, else from the key."""
    if original.persons is None:
        return key.persons
    order = np.argsort(original.source_rows)
    return np.asarray(original.persons[order[np.searchsorted(original.source_rows[order], key.records)]])


def check_persons(
    release: Disassociated,
    layout: Layout,
    key: Key,
    parts: Parts,
    person: NDArray[np.int64],
    telling: NDArray[np.bool_],
) -> list[Check]:
    """Persons in clusters, in record chunks and in shared chunks; ``telling`` chunks must be k-anonymous."""
    row_person = _person_of_rows(layout, key, parts, person)
    return [
        _agreement(key, person),
        _clusters(release, key, person),
        _record_chunks(release, layout, row_person),
        _shared_chunks(release, layout, row_person, telling),
    ]


def _person_of_rows(layout: Layout, key: Key, parts: Parts, person: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of the person behind each row, from 1; 0 where nobody claims the row."""
    _, number = np.unique(person, return_inverse=True)
    rows = np.zeros(len(layout.row_chunk), np.int64)
    rows[parts.row] = number[np.searchsorted(key.records, parts.record)] + 1
    return rows


def _agreement(key: Key, person: NDArray[np.int64]) -> Check:
    said = person if key.persons is None else key.persons
    faults = [
        spot(
            said != person,
            lambda at: f"record {key.records[at]} is of person {person[at]}, the key says {said[at]}",
        )
    ]
    return conclude("persons agree", "key", len(person), faults, f"{len(distinct(person)):,} persons")


def _clusters(release: Disassociated, key: Key, person: NDArray[np.int64]) -> Check:
    members = np.unique(np.stack((key.record_cluster, person)), axis=1)[0]
    persons = np.bincount(members, minlength=release.clusters)
    faults = [
        spot(persons < release.k, lambda at: f"cluster {at} has {persons[at]} persons, k is {release.k}")
    ]
    otherwise = f"every cluster has at least {release.k} persons"
    return conclude("persons in clusters", "key", release.clusters, faults, otherwise)


def _record_chunks(release: Disassociated, layout: Layout, row_person: NDArray[np.int64]) -> Check:
    chunks = np.flatnonzero(layout.chunk_kind == Kind.RECORD)
    rare = rare_among_owners(layout, chunks, row_person, release.k, release.m)
    faults = [] if rare is None else [describe(release, layout, rare, "persons")]
    otherwise = f"{len(chunks):,} record chunks, every combination is held by {release.k} persons"
    return conclude("persons in record chunks", "key", len(chunks), faults, otherwise)


def _shared_chunks(
    release: Disassociated, layout: Layout, row_person: NDArray[np.int64], telling: NDArray[np.bool_]
) -> Check:
    chunks = np.flatnonzero(layout.chunk_kind == Kind.SHARED)
    rare = rare_among_owners(layout, chunks[~telling[chunks]], row_person, release.k, release.m)
    faults = [] if rare is None else [describe(release, layout, rare, "persons")]
    faults.append(_rows_of_few(release, layout, row_person, telling))
    otherwise = f"{len(chunks):,} shared chunks, held by {release.k} persons"
    return conclude("persons in shared chunks", "key", len(chunks), faults, otherwise)


def _rows_of_few(
    release: Disassociated, layout: Layout, row_person: NDArray[np.int64], telling: NDArray[np.bool_]
) -> Fault:
    """Distinct rows of telling chunks that fewer than k persons hold."""
    distinct = np.cumsum(~layout.row_repeats) - 1
    first = np.flatnonzero(~layout.row_repeats)
    held = np.bincount(np.unique(np.stack((distinct, row_person)), axis=1)[0], minlength=len(first))

    def place(at: int) -> str:
        row = first[at]
        items = named(
            release.vocabulary, layout.items[layout.offsets[row] : layout.offsets[row + 1]].tolist()
        )
        return (
            f"{layout.place(int(layout.row_chunk[row]))}: row {items} is held by {held[at]} persons,"
            f" k is {release.k}"
        )

    return spot(telling[layout.row_chunk[first]] & (held < release.k), place)
