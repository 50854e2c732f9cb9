"""An approximation of "composition" (Baig, Li, Liu, Ding, Wang, DASFAA 2012), which cannot be built from what is known.

Known is (BinJubier et al. 2022, section 2): it unites (rho, alpha)-anonymisation by sampling with a generalisation that
is chosen against intersections of independent releases. Here: rows are sampled with a probability of rho, and Mondrian
cuts only while the spread of sensitive values in both halves stays within alpha of the whole sample's (total
variation). Classes that all look like the whole have little to say about anybody, however they are intersected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cloven.data.given import expect_table
from cloven.kinds.tables.methods.assembly import check_complete, generalised
from cloven.kinds.tables.methods.constraints import TCloseness, described
from cloven.kinds.tables.methods.lots import Drawing
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.methods.parameters import (
    check_counts_rows,
    check_k,
    check_seed,
    check_share,
)
from experiments.stand_ins.hybrid import sampled_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.data.table import Table
    from cloven.kinds.tables.key import PublishedTable


@dataclass(frozen=True)
class CompositionLike:
    """Sample, and generalise against intersections.

    Attributes:
        k: rows of a class, at least.
        rho: each row is taken with this probability.
        alpha: how far the sensitive values of a class may be spread from those of all, from 0 to 1.
        seed: for the lots; experiments only, and marks the release.
    """

    k: int = 6
    rho: float = 0.8
    alpha: float = 0.5
    seed: int | None = None
    family: ClassVar[str] = "tables"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", check_k(self.k))
        check_share("rho", self.rho, 1, "share of the rows that is sampled")
        check_share("alpha", self.alpha, 1, "1 allows any spread")
        check_seed(self.seed)

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as plain JSON values."""
        return {
            "method": "composition-like",
            "approximates": "Baig et al. 2012",
            "seeded": self.seed is not None,
            "sampling_rate": self.rho,
            "alpha": self.alpha,
            "constraints": [TCloseness(self.alpha).parameters],
        }

    def anonymise(self, table: Table, progress: Callable[[str, float], None] | None = None) -> PublishedTable:
        """Anonymise; ``progress(step, share done)`` is called along the way."""
        expect_table(table, type(self).__name__)
        report = progress or (lambda _step, _share: None)
        check_counts_rows(table)
        check_complete(table)
        closeness = TCloseness(self.alpha)
        promised = described(closeness, table)
        report("sample", 0.0)
        sample = sampled_rows(table, {"rho": self.rho}, self.k, Drawing.of(self.seed))
        report("cut", 0.0)
        classes = np.full(len(table), -1, np.int64)
        classes[sample] = Mondrian(k=self.k, constraints=(closeness,)).classes(table.take(sample))
        report("assemble", 0.0)
        result = generalised(table, classes, k=self.k, parameters=self.parameters | {"constraints": promised})
        report("assemble", 1.0)
        return result
