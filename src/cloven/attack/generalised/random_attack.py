"""RA, the random attack: the baseline of every other one (section 6.2 of the paper on attacks).

The paper says of it that its precision is the share of added items but its recall very low, which a fair coin for
each cell would not give: so it eliminates one random cell of each table unless told otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.attack.generalised.confidence import confidence, expected_originals
from cloven.attack.generalised.largest_first_kernel import largest_first
from cloven.attack.generalised.tables import tables
from cloven.errors import ParameterError
from cloven.model.added import Eliminations, RowAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.model.set_generalised import SetGeneralised


@dataclass(frozen=True)
class RandomElimination:
    """Eliminates cells at random, but never the last one of a row or column.

    Attributes:
        share: probability with which each cell is eliminated; left out, one cell of each table is.
    """

    share: float | None = None

    def __post_init__(self) -> None:
        if self.share is not None and not 0 <= self.share <= 1:
            message = (
                f"share must lie between 0 and 1 (got {self.share}); leave it out for one cell of each table"
            )
            raise ParameterError(message)

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {"name": "random-elimination", "share": self.share}

    def guess(
        self,
        release: SetGeneralised,
        rng: np.random.Generator | None = None,
        progress: Callable[[str, float], None] | None = None,
    ) -> Eliminations:
        """Draw lots; the confidence is the base rate everywhere."""
        asked, rng = tables(release), rng or np.random.default_rng()
        sure, order = np.empty(asked.cells, np.float32), np.empty(asked.cells, np.int32)
        for table in range(len(asked)):
            here = slice(asked.cell_offsets[table], asked.cell_offsets[table + 1])
            rows, columns = shape = asked.shape(table)
            lots = rng.random(shape)
            above, most = (-np.inf, 1) if self.share is None else (1 - self.share, lots.size)
            drawn = largest_first(lots, above, most)
            order[here] = drawn.ravel()
            nothing, expected = np.full(shape, np.nan), expected_originals(columns, rows, release.records)
            sure[here] = confidence(nothing, np.full_like(drawn, -1), expected, 0.0, comparable=False).ravel()
            if progress is not None:
                progress("attack", (table + 1) / len(asked))
        answer = np.full(len(asked.rows), RowAnswer.INFORMED, np.int8)
        return Eliminations(asked, order >= 0, sure, order, answer, self.parameters, {})
