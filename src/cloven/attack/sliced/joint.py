"""Several attributes as one: for releases that promise to hide a combination of sensitive values, not each of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.model.buckets import cell_sizes
from cloven.model.published_table import CellDomain, GeneralisedTable, Sliced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

BETWEEN = " + "


def combined_name(parts: Sequence[str]) -> str:
    """Name of a combination, of attributes or of their values.

    >>> combined_name(["flu", "poor"])
    'flu + poor'
    """
    return BETWEEN.join(parts)


def joint_release(release: GeneralisedTable | Sliced, names: Sequence[str]) -> GeneralisedTable | Sliced:
    """The same release with some sensitive attributes as a single one, the last; its values are their combinations.

    Raises:
        ParameterError: the attributes do not stand in one column, or show more than one value in a cell.
    """
    places = [place for place, domain in enumerate(release.domains) if domain.name in names]
    columns = release.columns if isinstance(release, Sliced) else (tuple(range(len(release.domains))),)
    own = next((column for column in columns if set(places) <= set(column)), None)
    if len(places) != len(names) or own is None:
        message = f"{' and '.join(names)} do not stand in one column, so which of their values go together is hidden"
        raise ParameterError(message)
    if any((cell_sizes(release.domains[place]) != 1).any() for place in places):
        message = f"cells of {' and '.join(names)} stand for several values, which cannot be combined"
        raise ParameterError(message)
    together, number = np.unique(release.cells[:, places], axis=0, return_inverse=True)
    left = [place for place in range(len(release.domains)) if place not in places]
    domains = (
        *(release.domains[place] for place in left),
        _domain([release.domains[place] for place in places], together),
    )
    cells = np.column_stack([release.cells[:, left], number.reshape(-1)]).astype(np.int32)
    if not isinstance(release, Sliced):
        return replace(release, domains=domains, cells=cells)
    place_of = {place: new for new, place in enumerate(left)}
    kept = [[place_of[place] for place in column if place in place_of] for column in columns]
    kept[columns.index(own)].append(len(left))
    return replace(
        release, domains=domains, columns=tuple(tuple(column) for column in kept if column), cells=cells
    )


def _domain(domains: list[CellDomain], together: NDArray[np.int32]) -> CellDomain:
    values = tuple(
        combined_name([
            domain.values[domain.members[domain.member_offsets[cell]]]
            for domain, cell in zip(domains, row, strict=True)
        ])
        for row in together.tolist()
    )  # fmt: skip
    return CellDomain(
        combined_name([domain.name for domain in domains]),
        sensitive=True,
        values=values,
        numbers=None,
        labels=values,
        member_offsets=np.arange(len(values) + 1, dtype=np.int64),
        members=np.arange(len(values), dtype=np.int32),
    )
