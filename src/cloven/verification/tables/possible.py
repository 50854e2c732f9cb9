"""What a release alone tells about a promise over matching buckets: whoever it may be that has a part.

Which parts of a bucket belong to one person is hidden, so of a person only some are possible: combinations of one part
of each column. Each part is somebody's. If every possible person with this part can be told something with a chance
above 1/l, the promise is broken, whoever it is. The opposite does not follow; that needs the original.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.errors import shorten
from cloven.verification.faults import conclude, spot
from cloven.verification.tables.chances import NOT_SINGLE, combination, highest_chances, limit_of
from cloven.verification.tables.matched import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.published_table import Sliced
    from cloven.verification.tables.promise import Promise
    from cloven.verification.verdict import Check

MOST_POSSIBLE = 20_000
"""Possible persons that are looked at."""


class Possible(NamedTuple):
    """Possible persons.

    Attributes:
        cells: persons x known attributes: the cells of their parts.
        slots: persons x columns: a number for each part of each bucket.
        bucket_of_slot: bucket of each of these.
        buckets: buckets whose possible persons are all among them.
    """

    cells: NDArray[np.int32]
    slots: NDArray[np.int64]
    bucket_of_slot: NDArray[np.int64]
    buckets: int


def check_possible(release: Sliced, promise: Promise) -> Check:
    """No part whose every possible person can be told something with a chance above 1/l."""
    known = [place for place, domain in enumerate(release.domains) if not domain.sensitive]
    name, limit = "possible persons", limit_of(promise)
    found = possible_persons(release, known)
    if found is None:
        return conclude(
            name, "release", 0, [], "none were looked at: buckets have too many combinations of parts"
        )
    values, coarse = _values(release, known, found.cells)
    people, which, _ = distinct(values)
    faults = []
    for about, most in highest_chances(release, promise, people):
        least = np.full(len(found.bucket_of_slot), np.inf)
        for column in found.slots.T:
            np.minimum.at(least, column, np.where(coarse, 0.0, most[which]))
        told = f"whoever has a certain part is told a value of {shorten(about)} with a chance of at least"
        faults.append(
            spot(
                least > limit,
                lambda at, least=least, told=told: (  # type: ignore[misc]
                    f"bucket {found.bucket_of_slot[at]}: {told} {least[at]:.4g}, promised is at most {limit:.4g}"
                ),
            )
        )
    otherwise = (
        f"the parts of {found.buckets:,} of {release.buckets:,} buckets may belong to persons who are safe"
    )
    joint = combination(release, promise)
    if joint:
        otherwise += f" as to the combination of {joint}; {NOT_SINGLE}"
    return conclude(name, "release", len(people), faults, otherwise)


def possible_persons(release: Sliced, known: list[int]) -> Possible | None:
    """Combinations of parts of the same bucket, of as many buckets as there is room for."""
    of_place = {place: number for number, place in enumerate(known)}
    columns = [[place for place in column if place in of_place] for column in release.columns]
    columns = [column for column in columns if column]
    cells, slots, buckets, total, slot = [], [], [], 0, 0
    for bucket in range(release.buckets):
        rows = release.cells[release.bucket_offsets[bucket] : release.bucket_offsets[bucket + 1]]
        parts = [distinct(rows[:, column])[0] for column in columns]
        sizes = [len(each) for each in parts]
        if total + int(np.prod(sizes, dtype=np.float64)) > MOST_POSSIBLE:
            continue
        chosen = np.indices(sizes).reshape(len(sizes), -1)
        persons = np.empty((chosen.shape[1], len(known)), np.int32)
        for column, part, number in zip(columns, parts, chosen, strict=True):
            persons[:, [of_place[place] for place in column]] = part[number]
        starts = slot + np.cumsum([0, *sizes[:-1]])
        cells.append(persons)
        slots.append((chosen + starts[:, None]).T)
        buckets += [bucket] * sum(sizes)
        total, slot = total + len(persons), slot + sum(sizes)
    if not cells:
        return None
    return Possible(np.concatenate(cells), np.concatenate(slots), np.array(buckets, np.int64), len(cells))


def _values(
    release: Sliced, known: list[int], cells: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """The first value of each cell, and who has a cell of several."""
    values, coarse = np.empty_like(cells), np.zeros(len(cells), np.bool_)
    for number, place in enumerate(known):
        domain, own = release.domains[place], cells[:, number]
        values[:, number] = domain.members[domain.member_offsets[own]]
        coarse |= np.diff(domain.member_offsets)[own] > 1
    return values, coarse
