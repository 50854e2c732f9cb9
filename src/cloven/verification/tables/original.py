"""Does a published table say nothing but what the original says?"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import shorten
from cloven.model.published_table import Sliced
from cloven.verification.faults import Fault, conclude, spot
from cloven.verification.tables.covering_kernel import count_covered
from cloven.verification.tables.marginals import unplaced
from cloven.verification.tables.matched import distinct, held

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.published_table import CellDomain, GeneralisedTable
    from cloven.model.table import Table
    from cloven.verification.verdict import Check

MOST_COMPARED = 1 << 34
"""Comparisons of a part with a row that are made at most."""


def check_known(
    release: GeneralisedTable | Sliced, original: Table, codes: NDArray[np.int32], lost: list[str]
) -> Check:
    """Published attributes are those of the original, with their roles, and so are their values."""
    faults = [Fault(len(lost), f"the original has no attribute {shorten(lost[0]) if lost else ''}")]
    roles = {attribute.name: attribute.role for attribute in original.attributes}
    for number, domain in enumerate(release.domains):
        if domain.name not in lost:
            shown = "sensitive" if domain.sensitive else "quasi-identifier"
            told = (
                f"{shorten(domain.name)} is published as {shown}, the original has it as {roles[domain.name]}"
            )
            faults += [
                Fault(int(roles[domain.name] != shown), told),
                _strange(domain.name, codes[:, number]),
            ]
    otherwise = f"{len(release.domains)} attributes with the values of the original"
    return conclude("attributes", "original", len(release.domains), faults, otherwise)


def check_rows(release: GeneralisedTable | Sliced, persons: int, *, partly: bool) -> Check:
    """As many rows as persons; fewer only where the parameters say that not everybody is published."""
    wrong = len(release) > persons or (len(release) < persons and not partly)
    said = f"{len(release):,} rows of {persons:,} persons"
    return conclude("number of rows", "original", len(release), [Fault(int(wrong), said)], said)


def _strange(name: str, codes: NDArray[np.int32]) -> Fault:
    return spot(codes < 0, lambda at: f"{shorten(name)} of row {at} is not among the values of the release")


def check_marginals(release: GeneralisedTable | Sliced, codes: NDArray[np.int32]) -> Check:
    """Each attribute for itself: its cells can be filled with the values that persons have, one each."""
    faults = []
    for number, domain in enumerate(release.domains):
        times = np.bincount(release.cells[:, number], minlength=len(domain.labels))
        there = np.bincount(codes[:, number], minlength=len(domain.values))
        left = unplaced(domain, times, there)
        faults.append(
            Fault(left, f"{left:,} cells of {shorten(domain.name)} belong to no value of the original")
        )
    otherwise = "every cell of every attribute belongs to a value of the original"
    return conclude("marginals", "original", len(release.domains), faults, otherwise)


def check_parts(release: GeneralisedTable | Sliced, codes: NDArray[np.int32], *, exchanged: bool) -> Check:
    """Nothing is invented: each part covers at least as many persons as it stands for.

    Where values were exchanged between persons a whole part may be new; then every pair of its values must be known,
    numbers apart: almost every exchange of numbers makes a pair that is new to the digit.
    """
    columns = list(release.columns) if isinstance(release, Sliced) else [tuple(range(len(release.domains)))]
    if exchanged:
        named = [place for place, domain in enumerate(release.domains) if domain.numbers is None]
        columns = [pair for column in columns for pair in combinations(sorted({*column} & {*named}), 2)]
    faults, examined, all_seen = [], 0, True
    for column in columns:
        places = list(column)
        parts, _, times = distinct(release.cells[:, places])
        rows, _, weights = distinct(codes[:, places])
        few = parts[: max(1, MOST_COMPARED // max(1, len(rows)))]
        all_seen &= len(few) == len(parts)
        domains = [release.domains[place] for place in places]
        found = count_covered(held(domains), few, rows, weights, np.zeros(len(rows), np.int64))
        bad = found < (1 if exchanged else times[: len(few)])
        faults.append(_invented(domains, few, bad))
        examined += len(few)
    good = (
        "no new pair of values, numbers apart"
        if exchanged
        else "all parts cover as many persons as they stand for"
    )
    good += "" if all_seen else ", as far as looked"
    return conclude("nothing invented", "original", examined, faults, good)


def _invented(domains: list[CellDomain], parts: NDArray[np.int32], bad: NDArray[np.bool_]) -> Fault:
    def told(at: int) -> str:
        labels = [domain.labels[cell] for domain, cell in zip(domains, parts[at].tolist(), strict=True)]
        return f"{shorten(str(labels))} covers fewer persons than it stands for"

    return spot(bad, told)


def check_covered(release: GeneralisedTable | Sliced, codes: NDArray[np.int32]) -> Check:
    """Everybody is covered by some published row; only where nobody was left out."""
    columns = list(release.columns) if isinstance(release, Sliced) else [tuple(range(len(release.domains)))]
    faults = []
    for column in columns:
        places = list(column)
        parts = distinct(release.cells[:, places])[0]
        rows, which, weights = distinct(codes[:, places])
        few = parts[: max(1, MOST_COMPARED // max(1, len(rows)))]
        covered = np.zeros(len(rows), np.int64)
        count_covered(held([release.domains[place] for place in places]), few, rows, weights, covered)
        if len(few) == len(parts):
            bare = covered[which] == 0
            faults.append(spot(bare, lambda at: f"row {at} of the original is covered by nothing published"))
    return conclude(
        "everybody covered", "original", len(codes), faults, "everybody is covered by what is published"
    )
