"""Does the key tell the truth: is every published part from the person it names?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import shorten
from cloven.model.published_table import Sliced
from cloven.verification.faults import Fault, conclude, spot
from cloven.verification.tables.exchanges import check_changed
from cloven.verification.tables.groups import group_of_row
from cloven.verification.tables.matched import holds_own

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.key_table import TableKey
    from cloven.model.published_table import GeneralisedTable
    from cloven.model.table import Table
    from cloven.verification.tables.promise import Promise
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
