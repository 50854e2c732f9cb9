"""Does the key tell the truth: is every published part from the person it names?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import shorten
from cloven.kinds.tables.release import Sliced
from cloven.kinds.tables.verify.demands import group_of_row
from cloven.kinds.tables.verify.original import holds_own, unplaced
from cloven.verification.verdict import Fault, conclude, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.data.table import Attribute, Table
    from cloven.kinds.tables.key import TableKey
    from cloven.kinds.tables.release import CellDomain, GeneralisedTable
    from cloven.kinds.tables.verify.promise import Promise
    from cloven.verification.verdict import Check


def check_key(
    release: GeneralisedTable | Sliced,
    promise: Promise,
    original: Table,
    codes: NDArray[np.int32],
    key: TableKey,
) -> list[Check]:
    """Shapes first; then who is published, who shares a bucket, and what each part shows."""
    shapes = _check_shapes(release, key)
    if not shapes.passed:
        return [shapes]
    persons = _persons(original, key)
    checks = [shapes, _check_persons(original, key, persons, invented=promise.invented)]
    if checks[-1].passed:
        checks += [_check_buckets(release, persons)] if isinstance(release, Sliced) else []
        checks.append(_check_content(release, codes, key, persons))
        if key.changed is not None:
            checks.append(check_changed(release, promise, original, codes, key.changed, persons))
    return checks


def columns_of(release: GeneralisedTable | Sliced) -> tuple[tuple[int, ...], ...]:
    """Attributes that stay together."""
    return release.columns if isinstance(release, Sliced) else (tuple(range(len(release.domains))),)


def _check_shapes(release: GeneralisedTable | Sliced, key: TableKey) -> Check:
    wanted = (len(release), len(columns_of(release)))
    faults = [
        Fault(int(key.records.shape != wanted), f"records have the shape {key.records.shape}, not {wanted}")
    ]
    if key.changed is not None:
        sound = key.changed.shape == release.cells.shape and key.changed.dtype == np.bool_
        faults.append(
            Fault(int(not sound), f"marks of changed values are not of the shape {release.cells.shape}")
        )
    return conclude("key arrays", "key", len(release), faults, f"{wanted[0]:,} rows of {wanted[1]} parts")


def _persons(original: Table, key: TableKey) -> NDArray[np.int64]:
    """Row of the original behind each part; -1 for nobody, -2 for a person who is not there."""
    order = np.argsort(original.source_rows)
    place = np.searchsorted(original.source_rows[order], key.records)
    found = order[np.minimum(place, len(order) - 1)]
    persons: NDArray[np.int64] = np.where(original.source_rows[found] == key.records, found, -2)
    return np.where(key.records == -1, -1, persons)


def _check_persons(original: Table, key: TableKey, persons: NDArray[np.int64], *, invented: bool) -> Check:
    """Everybody in the original is published once in each column, or suppressed."""
    unknown = (persons == -2).any(axis=1)
    nobody = (persons == -1).any(axis=1) & (not invented)
    faults = [
        spot(
            unknown, lambda at: f"a part of row {at} is from person {key.records[at].max()}, who is not there"
        ),
        spot(nobody, lambda at: f"a part of row {at} belongs to nobody, and invented rows are not told"),
        Fault(_not_among(key.suppressed, original.source_rows), "a suppressed person is not in the original"),
    ]
    hidden = np.isin(original.source_rows, key.suppressed)
    made_up = invented and (persons == -1).all()
    if not made_up:  # of a release without real persons nobody is published or suppressed
        faults += [_published_once(persons[:, column], hidden) for column in range(persons.shape[1])]
    otherwise = f"{len(original):,} persons, {int(hidden.sum()):,} of them suppressed"
    return conclude("persons", "key", len(original), faults, otherwise)


def _published_once(persons: NDArray[np.int64], hidden: NDArray[np.bool_]) -> Fault:
    times = np.bincount(persons[persons >= 0], minlength=len(hidden)) + hidden
    return spot(times != 1, lambda at: f"person {at} is published or suppressed {times[at]} times")


def _not_among(some: NDArray[np.int64], all_: NDArray[np.int64]) -> int:
    return int((~np.isin(some, all_)).sum())


def _check_buckets(release: Sliced, persons: NDArray[np.int64]) -> Check:
    """The parts of one person all stand in one bucket."""
    bucket = group_of_row(release)
    of_person = np.full((int(persons.max(initial=-1)) + 1, persons.shape[1]), -1, np.int64)
    for column in range(persons.shape[1]):
        real = persons[:, column] >= 0
        of_person[persons[real, column], column] = bucket[real]
    apart = (of_person != of_person[:, :1]).any(axis=1)
    fault = spot(apart, lambda at: f"parts of person {at} stand in several buckets")
    return conclude(
        "one bucket each", "key", len(of_person), [fault], "all parts of a person stand in one bucket"
    )


def _check_content(
    release: GeneralisedTable | Sliced, codes: NDArray[np.int32], key: TableKey, persons: NDArray[np.int64]
) -> Check:
    """Each cell holds the value of its person, unless it is marked as changed."""
    faults = []
    for number, column in enumerate(columns_of(release)):
        rows = np.flatnonzero(persons[:, number] >= 0)
        for attribute in column:
            domain = release.domains[attribute]
            own = holds_own(domain, release.cells[rows, attribute], codes[persons[rows, number], attribute])
            if key.changed is not None:
                own |= key.changed[rows, attribute]
            faults.append(_foreign(domain.name, rows, ~own))
    detail = "every unmarked cell holds the value of its person"
    return conclude("content", "key", release.cells.size, faults, detail)


def _foreign(name: str, rows: NDArray[np.int64], wrong: NDArray[np.bool_]) -> Fault:
    return spot(wrong, lambda at: f"{shorten(name)} of row {rows[at]} does not hold its person's value")


# Are values that were exchanged between persons exchanged as promised?
#
# BinJubier et al. (2022, section 3.4.2): only quasi-identifiers, only between persons, only inside a rank group: the
# values with the same parent in the taxonomy, or, of numbers without one, those of one bin.


def check_changed(
    release: GeneralisedTable | Sliced,
    promise: Promise,
    original: Table,
    codes: NDArray[np.int32],
    changed: NDArray[np.bool_],
    persons: NDArray[np.int64],
) -> Check:
    """Every marked cell shows the value of another marked person, of the same rank group; nothing else is marked."""
    described = {attribute.name: attribute for attribute in original.attributes}
    columns = release.columns if isinstance(release, Sliced) else (tuple(range(len(release.domains))),)
    marked = int(changed.sum())
    faults = [
        Fault(0 if promise.exchanged else marked, "cells are marked, and the release tells of no exchange")
    ]
    for number, column in enumerate(columns):
        for place in column:
            rows = np.flatnonzero(changed[:, place] & (persons[:, number] >= 0))
            domain, truth = release.domains[place], codes[persons[rows, number], place]
            shown = release.cells[rows, place]
            secret = int(domain.sensitive) * len(rows)
            faults += [
                Fault(secret, f"the sensitive {shorten(domain.name)} was exchanged"),
                _unmoved(domain, rows, shown, truth),
                _out_of_group(
                    domain, _groups(release, place, described[domain.name], codes), rows, shown, truth
                ),
                _not_theirs(domain, shown, truth),
            ]
    otherwise = f"{marked:,} cells show the value of somebody else of their rank group"
    return conclude("changed cells", "key", marked, faults, otherwise)


def _unmoved(
    domain: CellDomain, rows: NDArray[np.int64], shown: NDArray[np.int32], truth: NDArray[np.int32]
) -> Fault:
    """A marked cell of one value that is its person's own."""
    single = np.diff(domain.member_offsets)[shown] == 1
    wrong = holds_own(domain, shown, truth) & single
    return spot(wrong, lambda at: f"{shorten(domain.name)} of row {rows[at]} is marked, and its person's own")


def _out_of_group(
    domain: CellDomain,
    group: NDArray[np.int64],
    rows: NDArray[np.int64],
    shown: NDArray[np.int32],
    truth: NDArray[np.int32],
) -> Fault:
    """A value from another rank group; ``group`` is that of each value."""
    held = domain.members[domain.member_offsets[shown]]
    # A group that covers the exchanged value covers all of its rank group, so it holds the person's own value too.
    wrong = (group[held] != group[truth]) & ~holds_own(domain, shown, truth)
    return spot(wrong, lambda at: f"{shorten(domain.name)} of row {rows[at]} is from another rank group")


def _groups(
    release: GeneralisedTable | Sliced, place: int, attribute: Attribute, codes: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Rank group of each value: its parent in the owner's taxonomy, its bin if it is a number, else one for all."""
    domain = release.domains[place]
    if attribute.tree is not None:
        leaf = {value: code for code, value in enumerate(attribute.values)}
        parent = [attribute.tree.parent[leaf[value]] if value in leaf else -1 for value in domain.values]
        return np.array(parent, np.int64)
    bins, by = release.parameters.get("bins"), release.parameters.get("bins_by")
    rows_of = np.bincount(codes[:, place], minlength=len(domain.values))
    there = np.flatnonzero(rows_of)
    if domain.numbers is None or not isinstance(bins, int) or not 0 < bins < len(there):
        return np.zeros(len(domain.values), np.int64)
    if by == "frequency":
        middle = np.cumsum(rows_of) - rows_of / 2
        by_rank: NDArray[np.int64] = np.minimum(middle * bins / rows_of.sum(), bins - 1).astype(np.int64)
        return by_rank
    edges = np.linspace(domain.numbers[there[0]], domain.numbers[there[-1]], bins + 1)
    return np.searchsorted(edges[1:-1], domain.numbers, "right").astype(np.int64)


def _not_theirs(domain: CellDomain, shown: NDArray[np.int32], truth: NDArray[np.int32]) -> Fault:
    """Marked cells cannot be filled with the values of the marked persons: then somebody else's were taken."""
    times = np.bincount(shown, minlength=len(domain.labels))
    left = unplaced(domain, times, np.bincount(truth, minlength=len(domain.values)))
    return Fault(
        left, f"{left:,} marked cells of {shorten(domain.name)} show values that no marked person has"
    )
