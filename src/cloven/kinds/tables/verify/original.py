"""Does a published table say nothing but what the original says?"""

from __future__ import annotations

import heapq
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import shorten
from cloven.kinds.tables.release import Sliced
from cloven.kinds.tables.verify.covering import Held, count_covered
from cloven.kinds.tables.verify.demands import number_rows
from cloven.verification.verdict import Fault, conclude, spot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.data.table import Table
    from cloven.kinds.tables.release import CellDomain, GeneralisedTable
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


# Can published cells of one attribute be filled with the values that persons have, one person each?


def unplaced(domain: CellDomain, times: NDArray[np.int64], there: NDArray[np.int64]) -> int:
    """Cells that stay without a value in the best filling.

    Args:
        domain: the cells.
        times: how often each cell is published.
        there: how many persons have each value.
    """
    first, last = domain.members[domain.member_offsets[:-1]], domain.members[domain.member_offsets[1:] - 1]
    if (last - first + 1 == np.diff(domain.member_offsets)).all():
        return _unplaced_ranges(first, last, times, there)
    return _unplaced_sets(domain, times, there)


def _unplaced_ranges(
    first: NDArray[np.int32], last: NDArray[np.int32], times: NDArray[np.int64], there: NDArray[np.int64]
) -> int:
    """Ranges: value by value, the range that ends first is filled first; no order does better."""
    order = np.argsort(first, kind="stable").tolist()
    waiting: list[list[int]] = []
    left, at = 0, 0
    for value, persons in enumerate(there.tolist()):
        while at < len(order) and first[order[at]] == value:
            heapq.heappush(waiting, [int(last[order[at]]), int(times[order[at]])])
            at += 1
        while waiting and persons:
            filled = min(persons, waiting[0][1])
            persons -= filled
            waiting[0][1] -= filled
            if not waiting[0][1]:
                heapq.heappop(waiting)
        while waiting and waiting[0][0] <= value:
            left += heapq.heappop(waiting)[1]
    return left


def _unplaced_sets(domain: CellDomain, times: NDArray[np.int64], there: NDArray[np.int64]) -> int:
    """Other sets: a maximum flow from cells to values."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    cells, values = len(domain.labels), len(domain.values)
    source, sink = cells + values, cells + values + 1
    edges = [(source, cell, int(count)) for cell, count in enumerate(times)]
    edges += [(cells + value, sink, int(count)) for value, count in enumerate(there) if count]
    for cell, (start, end) in enumerate(pairwise(domain.member_offsets.tolist())):
        edges += [(cell, cells + int(value), int(times[cell])) for value in domain.members[start:end]]
    begins, ends, room = np.array(edges, np.int32).T
    graph = csr_array((room, (begins, ends)), shape=(sink + 1, sink + 1))
    return int(times.sum() - maximum_flow(graph, source, sink).flow_value)


# The original in the terms of a release: values as positions in its domains, cells as the values they hold.


def in_terms_of(release: GeneralisedTable | Sliced, original: Table) -> tuple[NDArray[np.int32], list[str]]:
    """Rows x published attributes: value as position in the domain, -1 if it is not there; attributes not found."""
    place = {attribute.name: number for number, attribute in enumerate(original.attributes)}
    codes = np.full((len(original), len(release.domains)), -1, np.int32)
    lost = []
    for number, domain in enumerate(release.domains):
        if domain.name not in place:
            lost.append(domain.name)
            continue
        attribute = original.attributes[place[domain.name]]
        known = {value: code for code, value in enumerate(domain.values)}
        mapped = np.array([known.get(value, -1) for value in attribute.values] + [-1], np.int32)
        codes[:, number] = mapped[original.codes[:, place[domain.name]]]
    return codes, lost


def held(domains: Sequence[CellDomain]) -> Held:
    """The cells of some attributes, for compiled code."""
    first, offsets, base = [0], [], 0
    for domain in domains:
        offsets.append(domain.member_offsets + base)
        base += len(domain.members)
        first.append(first[-1] + len(domain.member_offsets))
    return Held(
        np.array(first, np.int64),
        np.concatenate(offsets).astype(np.int64),
        np.concatenate([domain.members for domain in domains]).astype(np.int32),
    )


def distinct(rows: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Distinct rows, which of them each row is, and how often each stands."""
    _, first, which, times = np.unique(
        number_rows(rows), return_index=True, return_inverse=True, return_counts=True
    )
    return rows[first].astype(np.int32), which.ravel(), times.astype(np.int64)


def holds_own(domain: CellDomain, cells: NDArray[np.int32], values: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether each cell holds each value: members ascend inside cells, so pairs of cell and value ascend."""
    offsets, width = domain.member_offsets, len(domain.values)
    listed = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)) * width + domain.members
    asked = cells.astype(np.int64) * width + values
    place = np.minimum(np.searchsorted(listed, asked), len(listed) - 1)
    found: NDArray[np.bool_] = (listed[place] == asked) & (values >= 0)
    return found
