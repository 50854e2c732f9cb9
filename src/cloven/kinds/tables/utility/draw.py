"""Read a release as somebody who works with it: draw a table that it may stand for.

The parts of each bucket are paired at random, and each cell becomes one of its values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.tables.buckets import Buckets, cell_sizes
from cloven.kinds.tables.release import CellDomain, GeneralisedTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.data.table import Attribute, Table
    from cloven.kinds.tables.release import Sliced


def drawn_rows(release: GeneralisedTable | Sliced, rng: np.random.Generator) -> NDArray[np.int32]:
    """Rows x attributes: values (positions in the domains) of one table that the release may stand for."""
    cells = paired_cells(release, rng)
    rows = np.empty_like(cells)
    for place, domain in enumerate(release.domains):
        rows[:, place] = drawn_values(domain, cells[:, place], rng)
    return rows


def paired_cells(release: GeneralisedTable | Sliced, rng: np.random.Generator) -> NDArray[np.int32]:
    """Rows x attributes: cells, with the parts of each bucket paired at random."""
    buckets = Buckets.of(release)
    cells = np.empty_like(buckets.cells)
    for column in buckets.columns:
        order = np.lexsort((rng.random(len(cells)), buckets.bucket_of_row))
        cells[:, column] = buckets.cells[order][:, column]
    return cells


def drawn_values(domain: CellDomain, cells: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
    """One of the values of each cell, all as likely."""
    picked = domain.member_offsets[cells] + rng.integers(0, cell_sizes(domain)[cells])
    values: NDArray[np.int32] = domain.members[picked]
    return values


# The original table in the shape of a release, so that every measure has a reference.


def untouched(table: Table) -> GeneralisedTable:
    """All rows as they are: each cell is one value. For measuring only: this protects nobody."""
    places = [place for place, attribute in enumerate(table.attributes) if attribute.role != "ignored"]
    cells = table.codes[:, places]
    if (cells < 0).any():
        message = f"{int((cells < 0).sum()):,} values are missing; measure rows that have all values"
        raise ParameterError(message)
    order = np.lexsort(cells.T[::-1])
    domains = tuple(_domain(table.attributes[place]) for place in places)
    return GeneralisedTable(1, {"method": "original", "unsafe": True}, domains, cells[order])


def _domain(attribute: Attribute) -> CellDomain:
    each = np.arange(len(attribute.values))
    return CellDomain(
        name=attribute.name,
        sensitive=attribute.role == "sensitive",
        values=attribute.values,
        numbers=attribute.numbers,
        labels=attribute.values,
        member_offsets=np.arange(len(each) + 1, dtype=np.int64),
        members=each.astype(np.int32),
    )
