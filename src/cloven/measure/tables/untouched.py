"""The original table in the shape of a release, so that every measure has a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.model.published_table import CellDomain, GeneralisedTable

if TYPE_CHECKING:
    from cloven.model.table import Attribute, Table


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
