"""Can anybody's sensitive value be told from a sliced table with a chance above 1/l?

Li, Li, Zhang, Molloy: Slicing, IEEE TKDE 24(3), 2012, section 3, computed here from the published table by its
formula. A bucket matches a person if every column has a part that fits; p(t, B) is the product of the shares of such
parts, normalised over all buckets; p(s | t, B) the share of a sensitive value among the parts of its column that fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.errors import shorten
from cloven.kinds.tables.verify.original import distinct, held, pairs_covered
from cloven.kinds.tables.verify.promise import group_of_row, number_rows
from cloven.verification.verdict import Fault, conclude, spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.kinds.tables.release import Sliced
    from cloven.kinds.tables.verify.promise import Promise
    from cloven.verification.verdict import Check


ROUNDING = 1e-9
BATCH = 1024
"""Persons that are looked at together; bounds the memory."""
NOT_SINGLE = "of single attributes nothing is promised"


def secrets(release: Sliced, *, jointly: bool) -> list[tuple[list[int], list[int]]]:
    """What must stay hidden: sensitive attributes that are one secret, and the known ones beside them."""
    found = []
    for column in release.columns:
        hidden = [place for place in column if release.domains[place].sensitive]
        beside = [place for place in column if not release.domains[place].sensitive]
        found += [(hidden, beside)] if jointly and hidden else [([place], beside) for place in hidden]
    return found


def check_buckets(release: Sliced, promise: Promise) -> Check:
    """In each bucket, no sensitive value has more than 1/l of the parts that look alike."""
    limit, faults, worst, examined = limit_of(promise), [], 0.0, 0
    for hidden, beside in secrets(release, jointly=promise.jointly):
        together = number_rows(
            np.column_stack([group_of_row(release), release.cells[:, beside]]).astype(np.int32)
        )
        value = number_rows(release.cells[:, hidden])
        pair, times = np.unique(together * (value.max() + 1) + value, return_counts=True)
        share = times / np.bincount(together)[pair // (value.max() + 1)]
        name = ", ".join(release.domains[place].name for place in hidden)
        faults.append(_fault(name, share, limit))
        worst, examined = max(worst, float(share.max())), examined + len(pair)
    return conclude("l-diversity of buckets", "release", examined, faults, _said(release, promise, worst))


def check_matching(release: Sliced, promise: Promise, persons: NDArray[np.int32]) -> Check:
    """For everybody in the original, over all buckets that match."""
    limit, faults, worst = limit_of(promise), [], 0.0
    known = [place for place, domain in enumerate(release.domains) if not domain.sensitive]
    people = distinct(persons[:, known])[0]
    for name, most in highest_chances(release, promise, people):
        faults.append(_fault(name, most, limit))
        worst = max(worst, float(most.max()))
    told = _said(release, promise, worst)
    return conclude("l-diversity by matching buckets", "original", len(people), faults, told)


def highest_chances(
    release: Sliced, promise: Promise, people: NDArray[np.int32]
) -> Iterator[tuple[str, Floats]]:
    """For each secret its name, and for each person the chance of the likeliest value over all buckets that match.

    Args:
        release: the release.
        promise: whether sensitive attributes are one secret.
        people: distinct persons x attributes that are not sensitive: values as positions in the domains.
    """
    known = [place for place, domain in enumerate(release.domains) if not domain.sensitive]
    of_place = {place: number for number, place in enumerate(known)}
    columns = [[place for place in column if place in of_place] for column in release.columns]
    fits = [
        _fitting(release, column, people[:, [of_place[place] for place in column]])
        for column in columns
        if column
    ] or [_everywhere(release, len(people))]
    for hidden, beside in secrets(release, jointly=promise.jointly):
        most, value = np.zeros(len(people)), number_rows(release.cells[:, hidden])
        seen, look_of, times = distinct(people[:, [of_place[place] for place in beside]])
        by_look = np.split(np.argsort(look_of, kind="stable"), np.cumsum(times)[:-1])
        for look, alike in zip(seen, by_look, strict=True):
            shares = _shares(release, value, beside, look)
            for start in range(0, len(alike), BATCH):
                batch = alike[start : start + BATCH]
                most[batch] = (_chances(fits, batch) @ shares).toarray().max(axis=1)
        yield ", ".join(release.domains[place].name for place in hidden), most


def limit_of(promise: Promise) -> float:
    """The chance that is promised, with room for rounding."""
    return 1 / (promise.l or 1.0) + ROUNDING


def _fault(name: str, chances: Floats, limit: float) -> Fault:
    told = f"a value of {shorten(name)} is told with chance"
    return spot(chances > limit, lambda at: f"{told} {chances[at]:.4g}, promised is at most {limit:.4g}")


def combination(release: Sliced, promise: Promise) -> str:
    """Sensitive attributes that are hidden as a combination alone, in words; empty if each is hidden for itself."""
    together = [hidden for hidden, _ in secrets(release, jointly=promise.jointly) if len(hidden) > 1]
    return ", ".join(
        " and ".join(shorten(release.domains[place].name)[1:-1] for place in hidden) for hidden in together
    )


def _said(release: Sliced, promise: Promise, worst: float) -> str:
    joint = combination(release, promise)
    what = f"combination of {joint}" if joint else "sensitive value"
    told = f"no {what} is told with a chance above {worst:.4g}, promised is {limit_of(promise):.4g}"
    return f"{told}; {NOT_SINGLE}" if joint else told


def _fitting(release: Sliced, column: list[int], looks: NDArray[np.int32]) -> tuple[Any, Longs]:
    """Share of each bucket's parts that fit each distinct look (sparse), and the look of each person."""
    from scipy.sparse import csr_array

    parts, part_of_row, _ = distinct(release.cells[:, column])
    seen, look_of, _ = distinct(looks)
    pairs = pairs_covered(held([release.domains[place] for place in column]), parts, seen)
    fits = csr_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(seen), len(parts)))
    bucket = group_of_row(release)
    share = 1 / np.diff(release.bucket_offsets)[bucket]
    shown = csr_array((share, (part_of_row, bucket)), shape=(len(parts), release.buckets))
    return (fits @ shown).tocsr(), look_of


def _everywhere(release: Sliced, people: int) -> tuple[Any, Longs]:
    """The same where nothing is known of anybody: every bucket matches."""
    from scipy.sparse import csr_array

    return csr_array(np.ones((1, release.buckets))), np.zeros(people, np.int64)


def _chances(fits: list[tuple[Any, Longs]], people: Longs) -> Any:
    """p(t, B) of some persons x buckets (sparse); nothing for those whom no bucket matches."""
    shares, look_of = fits[0]
    product = shares[look_of[people]]
    for shares, look_of in fits[1:]:
        product = (product * shares[look_of[people]]).tocsr()
    total = np.asarray(product.sum(axis=1)).ravel()
    product.data = product.data / np.repeat(total, np.diff(product.indptr))
    return product


def _shares(release: Sliced, value: Longs, beside: list[int], look: NDArray[np.int32]) -> Any:
    """p(s | t, B) of everybody with one look: buckets x values (sparse), among the parts that fit."""
    from scipy.sparse import csr_array

    rows = np.arange(len(release))
    if beside:
        domains = [release.domains[place] for place in beside]
        rows = pairs_covered(held(domains), release.cells[:, beside], look[None])[:, 1]
    bucket = group_of_row(release)[rows]
    share = 1 / np.bincount(bucket, minlength=release.buckets)[bucket]
    return csr_array((share, (bucket, value[rows])), shape=(release.buckets, int(value.max()) + 1))


# What a release alone tells about a promise over matching buckets: whoever it may be that has a part.
#
# Which parts of a bucket belong to one person is hidden, so of a person only some are possible: combinations of one
# part of each column. Each part is somebody's. If every possible person with this part can be told something with a
# chance above 1/l, the promise is broken, whoever it is. The opposite does not follow; that needs the original.


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
    slots: Longs
    bucket_of_slot: Longs
    buckets: int


def check_possible(release: Sliced, promise: Promise) -> Check:
    """No part whose every possible person can be told something with a chance above 1/l."""
    known = [place for place, domain in enumerate(release.domains) if not domain.sensitive]
    name, limit = "possible persons", limit_of(promise)
    if not known:
        everybody = highest_chances(release, promise, np.empty((1, 0), np.int32))
        faults = [_fault(about, most, limit) for about, most in everybody]
        return conclude(name, "release", 1, faults, "nothing is known of anybody")
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


def _values(release: Sliced, known: list[int], cells: NDArray[np.int32]) -> tuple[NDArray[np.int32], Flags]:
    """The first value of each cell, and who has a cell of several."""
    values, coarse = np.empty_like(cells), np.zeros(len(cells), np.bool_)
    for number, place in enumerate(known):
        domain, own = release.domains[place], cells[:, number]
        values[:, number] = domain.members[domain.member_offsets[own]]
        coarse |= np.diff(domain.member_offsets)[own] > 1
    return values, coarse
