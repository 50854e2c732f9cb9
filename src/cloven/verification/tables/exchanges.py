"""Are values that were exchanged between persons exchanged as promised?

BinJubier et al. (2022, section 3.4.2): only quasi-identifiers, only between persons, only inside a rank group: the
values with the same parent in the taxonomy, or, of numbers without one, those of one bin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import shorten
from cloven.model.published_table import Sliced
from cloven.verification.faults import Fault, conclude, spot
from cloven.verification.tables.marginals import unplaced
from cloven.verification.tables.matched import holds_own

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.published_table import CellDomain, GeneralisedTable
    from cloven.model.table import Attribute, Table
    from cloven.verification.tables.promise import Promise
    from cloven.verification.verdict import Check


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
