"""How coarse the cells are: distortion, certainty penalty, discernibility.

- ``distortion``: generalised distortion ratio (BinJubier et al. 2022, equations 2 and 3). A value that was exchanged
  inside its rank group costs nothing, so a method that only exchanges values keeps 100 % by this measure whatever it
  destroys; that is why query error and pair distance stand beside it.
- ``certainty_penalty``: normalised certainty penalty (Xu, Wang, Pei, Wang, Shi, Fu, KDD 2006).
- ``discernibility``: each row costs the number of rows it cannot be told from (Bayardo, Agrawal, ICDE 2005).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.buckets import Buckets, cell_sizes
from cloven.model.shown_cells import understood_by

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from cloven.model.published_table import CellDomain, GeneralisedTable, Sliced
    from cloven.model.table import Table


def distortion(
    table: Table,
    release: GeneralisedTable | Sliced,
    suppressed: int = 0,
    attributes: Sequence[str] | None = None,
) -> float:
    """Share of values that cells of several values stand for: sum of |cell| / |domain| by the number of cells.

    Args:
        table: the original. A release that was read from a file knows only the values that it shows; how many numbers
            lie inside its ranges, and in the domain, only the original tells.
        release: what was published of it.
        suppressed: rows that are not published; they count as fully generalised.
        attributes: quasi-identifiers to count; left out, all.
    """
    return _mean_penalty(understood_by(release, table), suppressed, attributes, _leaves)


def data_utility(
    table: Table,
    release: GeneralisedTable | Sliced,
    suppressed: int = 0,
    attributes: Sequence[str] | None = None,
) -> float:
    """Data utility in per cent as printed: 100 - 100 x distortion."""
    return 100.0 - 100.0 * distortion(table, release, suppressed, attributes)


def certainty_penalty(
    table: Table,
    release: GeneralisedTable | Sliced,
    suppressed: int = 0,
    attributes: Sequence[str] | None = None,
) -> float:
    """Mean over cells of the share of the domain they span: by width for numbers, by values for others."""
    return _mean_penalty(understood_by(release, table), suppressed, attributes, _span)


def discernibility(release: GeneralisedTable | Sliced, suppressed: int = 0) -> int:
    """Sum over classes (or buckets) of their squared size; a suppressed row costs as much as there are rows.

    It goes by the sizes of groups alone, so that it needs no original.
    """
    sizes = Buckets.of(release).sizes
    rows = int(sizes.sum()) + suppressed
    return int((sizes * sizes).sum()) + suppressed * rows


def _leaves(domain: CellDomain) -> NDArray[np.float64]:
    sizes = cell_sizes(domain)
    return np.where(sizes > 1, sizes / len(domain.values), 0.0)


def _span(domain: CellDomain) -> NDArray[np.float64]:
    if domain.numbers is None or len(domain.numbers) < 2:
        return _leaves(domain)
    first, last = domain.member_offsets[:-1], domain.member_offsets[1:] - 1
    width = domain.numbers[domain.members[last]] - domain.numbers[domain.members[first]]
    out: NDArray[np.float64] = width / (domain.numbers[-1] - domain.numbers[0])
    return out


def _mean_penalty(
    release: GeneralisedTable | Sliced,
    suppressed: int,
    attributes: Sequence[str] | None,
    penalty: Callable[[CellDomain], NDArray[np.float64]],
) -> float:
    buckets = Buckets.of(release)
    places = (
        buckets.quasi_identifiers
        if attributes is None
        else tuple(buckets.position(name) for name in attributes)
    )
    cells = (len(buckets.cells) + suppressed) * len(places)
    if not cells:
        return 0.0
    total = sum(float(penalty(buckets.domains[place])[buckets.cells[:, place]].sum()) for place in places)
    return (total + suppressed * len(places)) / cells
