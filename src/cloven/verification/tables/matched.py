"""The original in the terms of a release: values as positions in its domains, cells as the values they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.verification.tables.covering_kernel import Held
from cloven.verification.tables.groups import number_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.model.published_table import CellDomain, GeneralisedTable, Sliced
    from cloven.model.table import Table


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
