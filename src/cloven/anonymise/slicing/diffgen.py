"""DiffGen: coarse cells and noisy counts under differential privacy (Mohammed, Chen, Fung, Yu, KDD 2011).

From fully generalised attributes, h specialisations are drawn (``specialising``); then every combination of pieces and
classes, empty ones included, gets its count plus noise (``noisy_counts``). Half of the budget goes to the #numeric + 2h
draws, half to the counts.

**What it gives.** Pure epsilon-differential privacy for one row more or less (not: one row changed, which is twice
epsilon), for everything that is published, if what the method starts from is public: the values of all attributes, the
points where numbers may be split, and the taxonomies. So the owner has to state them in the schema (``stated``), from
what is known without the table; domains that are read off the rows are refused, or the release promises nothing. Noise
is drawn exactly; the draws of the exponential mechanism are right to the precision of double numbers. Two releases
about the same people add up: with epsilon each they give two epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from cloven.anonymise.slicing.drawing import LEAST_EPS, Drawing
from cloven.anonymise.slicing.noisy_counts import Classes, Counts, NoisyCounts
from cloven.anonymise.slicing.parameters import check_choice, check_whole, check_within
from cloven.anonymise.slicing.specialising import Score, Specialising
from cloven.anonymise.slicing.stated import check_stated, in_blocks
from cloven.errors import ParameterError
from cloven.model.key_table import PublishedTable, TableKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.anonymise.slicing.specialising import Piece
    from cloven.model.space import Dimension
    from cloven.model.table import Table

Domains = Literal["stated", "from-data"]
MOST_SCORED = 10_000_000
"""Values of an attribute times classes that are counted to find where to specialise."""


@dataclass(frozen=True)
class DiffGen:
    """Differentially private generalisation.

    Attributes:
        eps: the privacy budget.
        specialisations: h, how often a piece of an attribute falls apart.
        score: what makes a specialisation good: ``max`` (rows of the most common class in each part) or ``gain``
            (information gain). The class is the sensitive attribute; several are one, jointly.
        counts: what becomes of noisy counts, which may be negative: ``clip`` sets those to 0, so that noise adds up to
            many rows that nobody stands behind; ``consistent`` spends a twentieth of their budget on the number of all
            rows, and lowers all counts alike until there are no more than that.
        seed: for the lots; experiments only, and marks the release: whoever knows it takes the noise away.
        domains: ``stated``: the schema states what values there can be, and a table without that is refused;
            ``from-data``: what the rows hold is what there can be, and nothing is promised.
    """

    eps: float = 0.3
    specialisations: int = 10
    score: Score = "max"
    counts: Counts = "consistent"
    seed: int | None = None
    domains: Domains = "stated"
    SEARCHED_UNASKED: ClassVar[bool] = False  # a budget is the owner's to spend: a search must name it

    def __post_init__(self) -> None:
        check_within("eps", self.eps, LEAST_EPS, 100, "it is the privacy budget; above 1 it says little")
        whole = check_whole("specialisations", self.specialisations, 0, "0 keeps everything in one piece")
        object.__setattr__(self, "specialisations", whole)
        check_choice("score", self.score, get_args(Score))
        check_choice("counts", self.counts, get_args(Counts))
        check_choice("domains", self.domains, get_args(Domains))
        if self.seed is not None:
            check_whole("seed", self.seed, 0, "it starts a random generator")

    @property
    def k(self) -> int:
        """Rows that look alike, at least: not what this method promises."""
        return 1

    @property
    def family(self) -> str:
        """How its releases are attacked and measured."""
        return "tables"

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as plain JSON values."""
        promise = {
            "kind": "differential privacy",
            "epsilon": self.eps,
            "neighbours": "one row more or less",
            "holds_if": "the domains that the schema states are public, not read off the data",
        }
        return {
            "method": "diffgen",
            "seeded": self.seed is not None,
            "eps": self.eps,
            "specialisations": self.specialisations,
            "score": self.score,
            "counts": self.counts,
            "domains": self.domains,
            "invented_rows": True,
            "constraints": [],
            "promise": promise if self.domains == "stated" else None,
        }

    @classmethod
    def space(cls, data: Table) -> dict[str, Dimension]:
        """What a search for good settings varies; a search spends the budget again with every trial."""
        from cloven.model.space import Choice, Real, Whole

        return {
            "eps": Real(0.05, 5.0, log=True),
            "specialisations": Whole(0, 4 * len(data.positions("quasi-identifier"))),
            "score": Choice(get_args(Score)),
            "counts": Choice(get_args(Counts)),
        }

    def anonymise(self, table: Table, progress: Callable[[str, float], None] | None = None) -> PublishedTable:
        """Anonymise; ``progress(step, share done)`` is called along the way."""
        from cloven.anonymise.slicing.assembling import check_complete
        from cloven.anonymise.slicing.feasible import check_counts_rows

        report = progress or (lambda _step, _share: None)
        check_counts_rows(table, values=False)
        check_complete(table)
        looks, secret = table.positions("quasi-identifier"), table.positions("sensitive")
        if not looks or not secret:
            missing = "quasi-identifier" if not looks else "sensitive attribute"
            message = f"diffgen needs at least one {missing}; name one in the schema"
            raise ParameterError(message)
        if self.domains == "stated":
            check_stated(table, "diffgen")
        coarse = in_blocks(table)
        drawing, classes = Drawing.of(self.seed), Classes.of(coarse)
        report("specialise", 0.0)
        counted = NoisyCounts(coarse, classes, looks, self._cuts(coarse, looks, classes, drawing))
        report("noise", 0.0)
        leaves = counted.drawn(Fraction(repr(float(self.eps))) / 2, self.counts, drawing)
        report("assemble", 0.0)
        release = counted.release(leaves, self.parameters)
        report("assemble", 1.0)
        nobody = np.full((len(release), 1), -1, np.int64)
        return PublishedTable(release, TableKey(nobody, None, np.sort(table.source_rows)))

    def _cuts(
        self, table: Table, looks: tuple[int, ...], classes: Classes, drawing: Drawing
    ) -> list[list[Piece]]:
        """Pieces of each quasi-identifier."""
        attributes = tuple(table.attributes[place] for place in looks)
        for attribute in attributes:
            if len(attribute) * classes.number > MOST_SCORED:
                message = (
                    f"diffgen counts each of {len(attribute):,} values of {attribute.name!r} with each of"
                    f" {classes.number:,} sensitive ones, more than {MOST_SCORED:,}; make either coarser (of numbers by"
                    " round or cuts in the schema)"
                )
                raise ParameterError(message)
        ranges = sum(attribute.numbers is not None and attribute.tree is None for attribute in attributes)
        draws = ranges + 2 * self.specialisations
        counts = tuple(
            _by_class(table.codes[:, place], len(attribute), classes)
            for place, attribute in zip(looks, attributes, strict=True)
        )
        budget = self.eps / (2 * max(1, draws))
        return Specialising(attributes, counts, self.score, budget, drawing).cuts(self.specialisations)


def _by_class(codes: NDArray[np.int32], values: int, classes: Classes) -> NDArray[np.int64]:
    """Values x classes: number of rows."""
    both = codes.astype(np.int64) * classes.number + classes.of_row
    return np.bincount(both, minlength=values * classes.number).reshape(-1, classes.number)
