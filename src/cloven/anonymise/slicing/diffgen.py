"""DiffGen: coarse cells and noisy counts under differential privacy (Mohammed, Chen, Fung, Yu, KDD 2011).

From fully generalised attributes, h specialisations are drawn (``specialising``); then every combination of pieces and
classes, empty ones included, gets its count plus noise. Half of the budget goes to the #numeric + 2h draws, half to the
counts.

**What it gives.** Pure epsilon-differential privacy for one row more or less (not: one row changed, which is twice
epsilon), for everything that is published, if what the method starts from is public and not read off the data: the
domains of all attributes, the range of the numbers and the list of sensitive values among them, and the taxonomies. A
table that was read from a file has its domains from its own rows, so whoever publishes has to know that nobody minds
them; the release says so (``holds_if``). Noise is drawn exactly; the draws of the exponential mechanism are right to
the precision of double numbers. Two releases about the same people add up: with epsilon each they give two epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from cloven.anonymise.slicing.cells import smallest_covers, value_cells
from cloven.anonymise.slicing.drawing import Drawing, noise_scale
from cloven.anonymise.slicing.parameters import check_choice, check_share, check_whole
from cloven.anonymise.slicing.specialising import Piece, Score, Specialising
from cloven.errors import ParameterError
from cloven.model.key_table import PublishedTable, TableKey
from cloven.model.published_table import GeneralisedTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.anonymise.slicing.cells import Cells
    from cloven.model.space import Dimension
    from cloven.model.table import Attribute, Table

Counts = Literal["consistent", "clip"]
TOTAL_SHARE = 0.05
"""Share of the budget of counts that buys the number of rows."""
MOST_COUNTS = 2_000_000
"""Noisy counts that are worth drawing; where there are more, noise buries the data."""


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
    """

    eps: float = 0.3
    specialisations: int = 10
    score: Score = "max"
    counts: Counts = "consistent"
    seed: int | None = None

    def __post_init__(self) -> None:
        check_share("eps", self.eps, 100, "it is the privacy budget; above 1 it says little")
        whole = check_whole("specialisations", self.specialisations, 0, "0 keeps everything in one piece")
        object.__setattr__(self, "specialisations", whole)
        check_choice("score", self.score, get_args(Score))
        check_choice("counts", self.counts, get_args(Counts))
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
        return {
            "method": "diffgen",
            "seeded": self.seed is not None,
            "eps": self.eps,
            "specialisations": self.specialisations,
            "score": self.score,
            "counts": self.counts,
            "invented_rows": True,
            "constraints": [],
            "promise": {
                "kind": "differential privacy",
                "epsilon": self.eps,
                "neighbours": "one row more or less",
                "holds_if": "domains, ranges and taxonomies are public, not read off the data",
            },
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

        report = progress or (lambda _step, _share: None)
        check_complete(table)
        looks, secret = table.positions("quasi-identifier"), table.positions("sensitive")
        if not looks or not secret:
            missing = "quasi-identifier" if not looks else "sensitive attribute"
            message = f"diffgen needs at least one {missing}; name one in the schema"
            raise ParameterError(message)
        drawing = Drawing.of(self.seed)
        classes = np.ravel_multi_index(
            [table.codes[:, place] for place in secret], [len(table.attributes[place]) for place in secret]
        )
        number = prod(len(table.attributes[place]) for place in secret)
        report("specialise", 0.0)
        cuts = self._cuts(table, looks, classes, number, drawing)
        report("noise", 0.0)
        leaves, shape = self._noisy(table, looks, cuts, classes, number, drawing)
        report("assemble", 0.0)
        release = self._assembled(table, looks, secret, cuts, leaves, shape)
        report("assemble", 1.0)
        nobody = np.full((len(release), 1), -1, np.int64)
        return PublishedTable(release, TableKey(nobody, None, np.sort(table.source_rows)))

    def _cuts(
        self, table: Table, looks: tuple[int, ...], classes: NDArray[np.int64], number: int, drawing: Drawing
    ) -> list[list[Piece]]:
        attributes = tuple(table.attributes[place] for place in looks)
        numeric = sum(attribute.numbers is not None for attribute in attributes)
        draws = numeric + 2 * self.specialisations
        counts = tuple(
            np.bincount(table.codes[:, place] * number + classes, minlength=len(attribute) * number).reshape(
                -1, number
            )
            for place, attribute in zip(looks, attributes, strict=True)
        )
        budget = self.eps / (2 * max(1, draws))
        return Specialising(attributes, counts, self.score, budget, drawing).cuts(self.specialisations)

    def _noisy(
        self,
        table: Table,
        looks: tuple[int, ...],
        cuts: list[list[Piece]],
        classes: NDArray[np.int64],
        number: int,
        drawing: Drawing,
    ) -> tuple[NDArray[np.int64], tuple[int, ...]]:
        """Leaf of each row to publish: a combination of pieces and a class, as often as its noisy count says."""
        shape = (*(len(cut) for cut in cuts), number)
        if prod(shape) > MOST_COUNTS:
            message = (
                f"{self.specialisations} specialisations make {prod(shape):,} counts, most of them empty but for noise;"
                f" choose fewer specialisations (at most {MOST_COUNTS:,} counts)"
            )
            raise ParameterError(message)
        pieces = [
            _piece_of_value(table.attributes[place], cut)[table.codes[:, place]]
            for place, cut in zip(looks, cuts, strict=True)
        ]
        counts = np.bincount(np.ravel_multi_index([*pieces, classes], shape), minlength=prod(shape))
        total_share = TOTAL_SHARE if self.counts == "consistent" else 0.0
        each = noise_scale(1, self.eps / 2 * (1 - total_share))
        shown = counts + drawing.noise(len(counts), each)
        if total_share:
            total = len(table) + int(drawing.noise(1, noise_scale(1, self.eps / 2 * total_share))[0])
            shown = consistent(shown, total)
        shown = np.maximum(0, shown)
        return np.repeat(np.arange(len(shown)), shown), shape

    def _assembled(
        self,
        table: Table,
        looks: tuple[int, ...],
        secret: tuple[int, ...],
        cuts: list[list[Piece]],
        leaves: NDArray[np.int64],
        shape: tuple[int, ...],
    ) -> GeneralisedTable:
        found = np.unravel_index(leaves, shape)
        widths = [len(table.attributes[place]) for place in secret]
        values = dict(zip(secret, np.unravel_index(found[-1], widths), strict=True))
        pieces = dict(zip(looks, zip(found[:-1], cuts, strict=True), strict=True))
        shown: list[Cells] = []
        columns: list[NDArray[np.int32]] = []
        for place in sorted((*looks, *secret)):
            attribute = table.attributes[place]
            if place in values:
                shown.append(value_cells(attribute, values[place].astype(np.int32)))
                columns.append(shown[-1].of_group)
            else:
                piece, cut = pieces[place]
                shown.append(_covers(attribute, cut))
                columns.append(shown[-1].of_group[piece])
        cells = np.column_stack(columns).astype(np.int32)
        cells = cells[np.lexsort(cells.T[::-1])]
        return GeneralisedTable(1, self.parameters, tuple(each.domain for each in shown), cells)


def consistent(noisy: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Noisy counts lowered alike, as little as possible, until the positive ones are no more than a total.

    >>> np.maximum(0, consistent(np.array([10, 3, -2, -3]), 8)).tolist()
    [7, 0, 0, 0]
    """
    total = max(0, total)
    ordered = np.sort(noisy)[::-1]
    # Lowered by the size of the next one, the first few together have so many.
    levels = np.cumsum(ordered) - ordered * np.arange(1, len(ordered) + 1)
    first = int(np.searchsorted(levels, total, side="right"))
    above = int(ordered[:first].sum()) - total
    return noisy - max(0, -(-above // max(1, first)))


def _piece_of_value(attribute: Attribute, cut: list[Piece]) -> NDArray[np.int64]:
    piece = np.empty(len(attribute), np.int64)
    for number, each in enumerate(cut):
        piece[each.values] = number
    return piece


def _covers(attribute: Attribute, cut: list[Piece]) -> Cells:
    offsets = np.concatenate(([0], np.cumsum([len(piece.values) for piece in cut]))).astype(np.int64)
    return smallest_covers(attribute, np.concatenate([piece.values for piece in cut]), offsets)
