"""Can anybody's sensitive value be told from a sliced table with a chance above 1/l?

Li, Li, Zhang, Molloy: Slicing, IEEE TKDE 24(3), 2012, section 3, computed here from the published table by its
formula. A bucket matches a person if every column has a part that fits; p(t, B) is the product of the shares of such
parts, normalised over all buckets; p(s | t, B) the share of a sensitive value among the parts of its column that fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import shorten
from cloven.verification.faults import Fault, conclude, spot
from cloven.verification.tables.covering_kernel import pairs_covered
from cloven.verification.tables.groups import group_of_row, number_rows
from cloven.verification.tables.matched import distinct, held

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.published_table import Sliced
    from cloven.verification.verdict import Check

ROUNDING = 1e-9
BATCH = 1024
"""Persons that are looked at together; bounds the memory."""


def secrets(release: Sliced) -> list[tuple[list[int], list[int]]]:
    """What must stay hidden: sensitive attributes that are one secret, and the known ones beside them."""
    found = []
    jointly = release.parameters.get("together") == "jointly"
    for column in release.columns:
        hidden = [place for place in column if release.domains[place].sensitive]
        beside = [place for place in column if not release.domains[place].sensitive]
        found += [(hidden, beside)] if jointly and hidden else [([place], beside) for place in hidden]
    return found


def check_buckets(release: Sliced) -> Check:
    """In each bucket, no sensitive value has more than 1/l of the parts that look alike."""
    limit, faults, worst, examined = _limit(release), [], 0.0, 0
    for hidden, beside in secrets(release):
        together = number_rows(
            np.column_stack([group_of_row(release), release.cells[:, beside]]).astype(np.int32)
        )
        value = number_rows(release.cells[:, hidden])
        pair, times = np.unique(together * (value.max() + 1) + value, return_counts=True)
        share = times / np.bincount(together)[pair // (value.max() + 1)]
        name = ", ".join(release.domains[place].name for place in hidden)
        faults.append(_fault(name, share, limit))
        worst, examined = max(worst, float(share.max())), examined + len(pair)
    return conclude("l-diversity of buckets", "release", examined, faults, _said(worst, limit))


def check_matching(release: Sliced, persons: NDArray[np.int32]) -> Check:
    """For everybody in the original, over all buckets that match."""
    limit, faults, worst = _limit(release), [], 0.0
    known = [place for place, domain in enumerate(release.domains) if not domain.sensitive]
    people = distinct(persons[:, known])[0]
    of_place = {place: number for number, place in enumerate(known)}
    columns = [[place for place in column if place in of_place] for column in release.columns]
    fits = [
        _fitting(release, column, people[:, [of_place[place] for place in column]])
        for column in columns
        if column
    ]
    for hidden, beside in secrets(release):
        looks = people[:, [of_place[place] for place in beside]]
        most = np.concatenate(
            [
                _most_likely(release, hidden, beside, looks[start : start + BATCH], _chances(fits, start))
                for start in range(0, len(people), BATCH)
            ]
        )
        name = ", ".join(release.domains[place].name for place in hidden)
        faults.append(_fault(name, most, limit))
        worst = max(worst, float(most.max()))
    return conclude("l-diversity by matching buckets", "original", len(people), faults, _said(worst, limit))


def _limit(release: Sliced) -> float:
    return 1 / float(release.parameters["l"]) + ROUNDING


def _fault(name: str, chances: NDArray[np.float64], limit: float) -> Fault:
    told = f"a value of {shorten(name)} is told with chance"
    return spot(chances > limit, lambda at: f"{told} {chances[at]:.4g}, promised is at most {limit:.4g}")


def _said(worst: float, limit: float) -> str:
    return f"no sensitive value is told with a chance above {worst:.4g}, promised is {limit:.4g}"


def _fitting(release: Sliced, column: list[int], looks: NDArray[np.int32]) -> tuple[Any, NDArray[np.int64]]:
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


def _chances(fits: list[tuple[Any, NDArray[np.int64]]], start: int) -> NDArray[np.float64]:
    """p(t, B) of a batch of persons; rows of 0 for those whom no bucket matches."""
    product: NDArray[np.float64] | None = None
    for shares, look_of in fits:
        mine = shares[look_of[start : start + BATCH]].toarray()
        product = mine if product is None else product * mine
    if product is None:
        return np.empty((0, 0))
    total = product.sum(axis=1, keepdims=True)
    chances: NDArray[np.float64] = np.divide(product, total, out=np.zeros_like(product), where=total > 0)
    return chances


def _most_likely(
    release: Sliced,
    hidden: list[int],
    beside: list[int],
    looks: NDArray[np.int32],
    chances: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The highest p(t, s) of each person of a batch."""
    value, bucket = number_rows(release.cells[:, hidden]), group_of_row(release)
    most = np.zeros(len(looks))
    seen, look_of, _ = distinct(looks)
    for number in range(len(seen)):
        rows = np.arange(len(release))
        if beside:
            pairs = pairs_covered(
                held([release.domains[place] for place in beside]),
                release.cells[:, beside],
                seen[number : number + 1],
            )
            rows = pairs[:, 1]
        counts = np.zeros((release.buckets, int(value.max()) + 1))
        np.add.at(counts, (bucket[rows], value[rows]), 1)
        total = counts.sum(axis=1, keepdims=True)
        shares = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
        mine = look_of == number
        most[mine] = (chances[mine] @ shares).max(axis=1)
    return most


def check_chances(release: Sliced, persons: NDArray[np.int32] | None) -> list[Check]:
    """The check that the parameters promise; matching buckets need the original."""
    promised, how = release.parameters.get("l"), release.parameters.get("check")
    if promised is None or not secrets(release) or (how is None and release.parameters.get("constraints")):
        return []
    number = isinstance(promised, int | float) and not isinstance(promised, bool) and promised >= 1
    if not number or how not in ("bucket", "matching"):
        fault = Fault(1, f"the promise l = {promised!r}, checked by {how!r}, cannot be understood")
        return [conclude("l-diversity", "release", 0, [fault], "")]
    if how == "bucket":
        return [check_buckets(release)]
    return [] if persons is None else [check_matching(release, persons)]
