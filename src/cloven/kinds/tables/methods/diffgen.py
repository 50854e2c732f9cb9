"""DiffGen: coarse cells and noisy counts under differential privacy (Mohammed, Chen, Fung, Yu, KDD 2011).

From fully generalised attributes, h specialisations are drawn; then every combination of pieces and
classes, empty ones included, gets its count plus noise. Half of the budget goes to the #numeric + 2h
draws, half to the counts.

**What it gives.** Pure epsilon-differential privacy for one row more or less (not: one row changed, which is twice
epsilon), for everything that is published, if what the method starts from is public: the values of all attributes, the
points where numbers may be split, and the taxonomies. So the owner has to state them in the schema, from
what is known without the table; domains that are read off the rows are refused, or the release promises nothing. Noise
is drawn exactly; the draws of the exponential mechanism are right to the precision of double numbers. Two releases
about the same people add up: with epsilon each they give two epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from cloven.data.given import expect_table
from cloven.data.schema import number_text
from cloven.errors import ParameterError
from cloven.kinds.tables.key import PublishedTable, TableKey
from cloven.kinds.tables.methods.assembly import (
    Cells,
    check_complete,
    lowest_equal,
    members_of,
    smallest_covers,
    value_cells,
)
from cloven.kinds.tables.methods.lots import LEAST_EPS, Drawing, noise_scale
from cloven.kinds.tables.methods.parameters import (
    SEED,
    check_choice,
    check_counts_rows,
    check_seed,
    check_whole,
    check_within,
)
from cloven.kinds.tables.release import GeneralisedTable
from cloven.protocols import Choice, Dimension, Real, Whole
from cloven.values import choice, option, real, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from cloven.compiled import Floats, Longs
    from cloven.data.table import Attribute, Table, ValueTree


Score = Literal["max", "gain"]
Counts = Literal["consistent", "clip"]
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

    eps: float = option(0.3, real(0, above=True), "Budget of differential privacy: less hides more.")
    specialisations: int = option(10, whole(0), "How often the table is refined.")
    score: Score = choice("max", Score, "What makes a refinement good")
    counts: Counts = choice("consistent", Counts, "What becomes of noisy counts")
    seed: int | None = option(None, whole(0), SEED, last=True)
    domains: Domains = choice(
        "stated", Domains, "Which values are possible: by the schema, or (promising nothing) by the rows"
    )
    SEARCHED_UNASKED: ClassVar[bool] = False  # a budget is the owner's to spend: a search must name it
    family: ClassVar[str] = "tables"

    def __post_init__(self) -> None:
        check_within("eps", self.eps, LEAST_EPS, 100, "it is the privacy budget; above 1 it says little")
        whole = check_whole("specialisations", self.specialisations, 0, "0 keeps everything in one piece")
        object.__setattr__(self, "specialisations", whole)
        check_choice("score", self.score, get_args(Score))
        check_choice("counts", self.counts, get_args(Counts))
        check_choice("domains", self.domains, get_args(Domains))
        check_seed(self.seed)

    @property
    def k(self) -> int:
        """Rows that look alike, at least: not what this method promises."""
        return 1

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
        return {
            "eps": Real(0.05, 5.0, log=True),
            "specialisations": Whole(0, 4 * len(data.positions("quasi-identifier"))),
            "score": Choice(get_args(Score)),
            "counts": Choice(get_args(Counts)),
        }

    def anonymise(self, table: Table, progress: Callable[[str, float], None] | None = None) -> PublishedTable:
        """Anonymise; ``progress(step, share done)`` is called along the way."""
        expect_table(table, type(self).__name__)
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


def _by_class(codes: NDArray[np.int32], values: int, classes: Classes) -> Longs:
    """Values x classes: number of rows."""
    both = codes.astype(np.int64) * classes.number + classes.of_row
    return np.bincount(both, minlength=values * classes.number).reshape(-1, classes.number)


# What is possible must be stated, not read off the rows: else one person's value shows in what is published.
#
# Differential privacy speaks of what is drawn from the rows. A domain that is read off them (the largest income, an
# illness that one person has) is told for certain, whatever noise is added.


def check_stated(table: Table, method: str) -> None:
    """Refuse a table of which the owner does not state what values there can be, and say what to write."""
    lines = [line for attribute in table.attributes if (line := _missing(attribute))]
    if lines:
        message = (
            f"{method} promises nothing if possible values are read off the rows, as one person's may be among them;"
            f" write into the schema, from what is known without this table: {'; '.join(lines)}; or do without the"
            ' promise: domains = "from-data" (--domains from-data)'
        )
        raise ParameterError(message)


def _missing(attribute: Attribute) -> str:
    """What to write for an attribute; nothing if enough is said."""
    section = f"[columns.{_quoted(attribute.name)}]"
    if attribute.role == "ignored":
        return ""
    if attribute.numbers is None:
        return "" if attribute.stated else f'{section} values = ["...", "..."]'
    if not attribute.stated:
        return f"{section} range = [LOWEST, HIGHEST]"
    if attribute.role == "sensitive" and attribute.blocks is not None and not attribute.blocks.single:
        return f"{section} range = [LOWEST, HIGHEST] without round or cuts, as it is shown number by number"
    return ""


def _quoted(name: str) -> str:
    plain = name.replace("-", "").replace("_", "")
    return name if plain.isascii() and plain.isalnum() else '"' + name + '"'


def in_blocks(table: Table) -> Table:
    """The table with numbers by block where there are blocks: a number is the first one of its block."""
    codes = table.codes.copy()
    attributes = list(table.attributes)
    for place, attribute in enumerate(table.attributes):
        if attribute.numbers is not None and attribute.blocks is not None and attribute.tree is None:
            codes[:, place] = attribute.blocks.of(attribute.numbers)[codes[:, place]]
            lows = attribute.blocks.lows
            attributes[place] = replace(
                attribute, values=tuple(map(number_text, lows.tolist())), numbers=lows
            )
    return replace(table, attributes=tuple(attributes), codes=codes)


# Cuts that become finer under differential privacy: the search of DiffGen.
#
# Every attribute starts as one piece, all of its domain. Pieces of values with a taxonomy fall apart into the children
# of their node, pieces without one into their values, pieces of numbers into two ranges at a point that is itself
# drawn. Which piece falls apart next is drawn by the exponential mechanism (McSherry, Talwar, FOCS 2007): likelier, the
# better the parts tell the class. The score of a piece needs nothing but how often each value goes with each class.


@dataclass(frozen=True, eq=False)
class Piece:
    """A set of values of one attribute, and what it would fall apart into.

    Attributes:
        values: positions in the domain, ascending.
        children: the parts, none if it stays whole.
        node: its node, if the attribute has a taxonomy; else -1.
    """

    values: NDArray[np.int32]
    children: tuple[Piece, ...]
    node: int = -1


@dataclass(frozen=True, eq=False)
class Specialising:
    """What a search knows.

    Attributes:
        attributes: the quasi-identifiers.
        counts: for each of them values x classes.
        score: ``max`` or ``gain``.
        budget: epsilon of every single draw.
        drawing: lots.
    """

    attributes: tuple[Attribute, ...]
    counts: tuple[Longs, ...]
    score: Score
    budget: float
    drawing: Drawing

    def cuts(self, steps: int) -> list[list[Piece]]:
        """Pieces of each attribute after so many steps, or when nothing can fall apart any more."""
        cuts = [[self._whole(number)] for number in range(len(self.attributes))]
        known: dict[Piece, float] = {}
        for _ in range(steps):
            open_pieces = [
                (number, place)
                for number, cut in enumerate(cuts)
                for place, piece in enumerate(cut)
                if piece.children
            ]
            if not open_pieces:
                break
            for number, place in open_pieces:
                piece = cuts[number][place]
                if piece not in known:
                    known[piece] = self._scored(number, piece.children)
            scores = [known[cuts[number][place]] for number, place in open_pieces]
            number, place = open_pieces[self.drawing.weighted(self._log_weights(np.array(scores)))]
            parts = cuts[number][place].children
            if self._has_ranges(number):
                parts = tuple(self._range(number, part.values) for part in parts)
            cuts[number][place : place + 1] = parts
        return cuts

    def _whole(self, number: int) -> Piece:
        attribute = self.attributes[number]
        every = np.arange(len(attribute), dtype=np.int32)
        if self._has_ranges(number):
            return self._range(number, every)
        if attribute.tree is not None:
            return _subtree(attribute.tree)
        return Piece(every, _singles(every) if len(every) > 1 else ())

    def _has_ranges(self, number: int) -> bool:
        """Numbers without a taxonomy, whose ranges are drawn."""
        attribute = self.attributes[number]
        return attribute.numbers is not None and attribute.tree is None

    def _range(self, number: int, values: NDArray[np.int32]) -> Piece:
        """Numbers with a point to split at, drawn in proportion to the gap there."""
        if len(values) < 2:
            return Piece(values, ())
        numbers = self.attributes[number].numbers
        gaps = np.ones(len(values) - 1) if numbers is None else np.diff(numbers[values])
        below = np.cumsum(self.counts[number][values], axis=0)
        scores = self._score(np.stack([below[:-1], below[-1] - below[:-1]]))
        at = 1 + self.drawing.weighted(self._log_weights(scores) + np.log(gaps))
        return Piece(values, (Piece(values[:at], ()), Piece(values[at:], ())))

    def _scored(self, number: int, parts: tuple[Piece, ...]) -> float:
        counts = [self.counts[number][part.values].sum(axis=0)[None] for part in parts]
        return float(self._score(np.stack(counts))[0])

    def _score(self, counts: Longs) -> Floats:
        """How well parts tell the class; ``counts`` is parts x candidates x classes."""
        if self.score == "max":
            told: Floats = counts.max(axis=2).sum(axis=0).astype(float)
            return told
        sizes = counts.sum(axis=2)
        total = np.maximum(1, sizes.sum(axis=0))
        inside = (sizes / total * _entropy(counts)).sum(axis=0)
        gain: Floats = _entropy(counts.sum(axis=0)) - inside
        return gain

    def _log_weights(self, scores: Floats) -> Floats:
        """Logarithms of the weights of the exponential mechanism.

        One row more or less changes ``max`` by at most 1. ``gain`` lies between 0 and log2 of the number of classes, so
        it cannot change by more.
        """
        classes = self.counts[0].shape[1]
        change = 1.0 if self.score == "max" else max(1.0, float(np.log2(classes)))
        weights: Floats = self.budget * scores / (2.0 * change)
        return weights


def _subtree(tree: ValueTree) -> Piece:
    """A taxonomy as pieces; nodes that cover no more than one below them are left out."""
    same = lowest_equal(tree)
    below: dict[int, set[int]] = {}
    for leaf in range(tree.leaves):
        path = list(dict.fromkeys(int(same[node]) for node in tree.path(leaf)))
        for child, parent in pairwise(path):
            below.setdefault(parent, set()).add(child)

    nodes = sorted({int(node) for node in same})
    members = dict(zip(nodes, members_of(tree, nodes), strict=True))

    def piece(node: int) -> Piece:
        children = tuple(piece(child) for child in sorted(below.get(node, ())))
        return Piece(members[node], children, node)

    return piece(int(same[tree.root]))


def _singles(values: NDArray[np.int32]) -> tuple[Piece, ...]:
    return tuple(Piece(values[place : place + 1], ()) for place in range(len(values)))


def _entropy(counts: Longs) -> Floats:
    """Entropy in bits over the last axis; 0 where there is nothing."""
    total = np.maximum(1, counts.sum(axis=-1, keepdims=True))
    shares = counts / total
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    out: Floats = -(shares * logs).sum(axis=-1)
    return out


# Noisy counts of all combinations of pieces and classes, and the table that they make: the second half of DiffGen.


TOTAL_SHARE = Fraction(1, 20)
"""Share of the budget of counts that buys the number of rows."""
MOST_COUNTS = 2_000_000
"""Noisy counts that are worth drawing; where there are more, noise buries the data."""
MOST_ROWS = 50_000_000
"""Rows of noise alone that are worth making up."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The class of each row: the sensitive attributes, jointly.

    Attributes:
        places: the sensitive attributes.
        widths: number of values of each.
        of_row: class of each row.
    """

    places: tuple[int, ...]
    widths: tuple[int, ...]
    of_row: Longs

    @classmethod
    def of(cls, table: Table) -> Classes:
        """Classes of a table; more than can be counted are refused."""
        places = table.positions("sensitive")
        widths = tuple(len(table.attributes[place]) for place in places)
        if prod(widths) > MOST_COUNTS:
            named = " x ".join(
                f"{width:,} of {table.attributes[place].name}"
                for place, width in zip(places, widths, strict=True)
            )
            message = (
                f"the sensitive values ({named}) have {prod(widths):,} combinations, and diffgen counts them all (at"
                f" most {MOST_COUNTS:,}); make fewer columns sensitive, or coarser ones"
            )
            raise ParameterError(message)
        codes = [table.codes[:, place] for place in places]
        return cls(places, widths, np.ravel_multi_index(codes, widths).astype(np.int64))

    @property
    def number(self) -> int:
        """How many there are."""
        return prod(self.widths)


@dataclass(frozen=True, eq=False)
class NoisyCounts:
    """Counts of one table.

    Attributes:
        table: the rows, numbers by block.
        classes: class of each row.
        looks: the quasi-identifiers.
        cuts: pieces of each of them.
    """

    table: Table
    classes: Classes
    looks: tuple[int, ...]
    cuts: list[list[Piece]]

    @property
    def shape(self) -> tuple[int, ...]:
        """Pieces of each quasi-identifier, and classes."""
        return (*(len(cut) for cut in self.cuts), self.classes.number)

    def drawn(self, budget: Fraction, how: Counts, drawing: Drawing) -> Longs:
        """Leaf of each row to publish: a combination of pieces and a class, as often as its noisy count says."""
        self._check(budget, how)
        pieces = [
            _piece_of_value(self.table.attributes[place], cut)[self.table.codes[:, place]]
            for place, cut in zip(self.looks, self.cuts, strict=True)
        ]
        leaf = np.ravel_multi_index([*pieces, self.classes.of_row], self.shape)
        counts = np.bincount(leaf, minlength=prod(self.shape))
        for_total = TOTAL_SHARE if how == "consistent" else Fraction(0)
        shown = counts + drawing.noise(len(counts), noise_scale(1, budget * (1 - for_total)))
        if for_total:
            noise = drawing.noise(1, noise_scale(1, budget * for_total))
            shown = consistent(shown, len(self.table) + int(noise[0]))
        # Where nothing is left, nothing is what is published: whoever sees a refusal, or knows of another try, learns
        # that the noise was low here, which the budget does not pay for.
        return np.repeat(np.arange(len(shown)), np.maximum(0, shown))

    def _check(self, budget: Fraction, how: Counts) -> None:
        """Refuse more counts, or more rows of noise, than are worth drawing. Neither depends on the rows."""
        counts = prod(self.shape)
        if counts > MOST_COUNTS:
            message = (
                f"the specialisations make {counts:,} counts, most of them empty but for noise; choose fewer"
                f" specialisations (at most {MOST_COUNTS:,} counts)"
            )
            raise ParameterError(message)
        rows = float(counts / budget / 2)
        if how == "clip" and rows > MOST_ROWS:
            message = (
                f"{counts:,} clipped counts would make up about {rows:,.0f} rows of noise; choose counts ="
                " 'consistent', fewer specialisations or a larger eps"
            )
            raise ParameterError(message)

    def release(self, leaves: Longs, parameters: Mapping[str, Any]) -> GeneralisedTable:
        """The table that shows these leaves; without any, a table without rows that shows no cell."""
        found = np.unravel_index(leaves, self.shape)
        values = dict(zip(self.classes.places, np.unravel_index(found[-1], self.classes.widths), strict=True))
        pieces = dict(zip(self.looks, zip(found[:-1], self.cuts, strict=True), strict=True))
        shown: list[Cells] = []
        columns: list[NDArray[np.int32]] = []
        for place in sorted((*values, *pieces)):
            attribute = self.table.attributes[place]
            if place in values:
                shown.append(value_cells(attribute, values[place].astype(np.int32)))
                columns.append(shown[-1].of_group)
            else:
                piece, cut = pieces[place]
                used, number = np.unique(piece, return_inverse=True)
                kept = [cut[each] for each in used.tolist()]  # no cell that noise has emptied
                nothing = value_cells(attribute, np.empty(0, np.int32))
                shown.append(_covers(attribute, kept) if kept else nothing)
                columns.append(shown[-1].of_group[number])
        cells = np.column_stack(columns).astype(np.int32)
        cells = cells[np.lexsort(cells.T[::-1])]
        return GeneralisedTable(1, dict(parameters), tuple(each.domain for each in shown), cells)


def consistent(noisy: Longs, total: int) -> Longs:
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


def _piece_of_value(attribute: Attribute, cut: list[Piece]) -> Longs:
    piece = np.empty(len(attribute), np.int64)
    for number, each in enumerate(cut):
        piece[each.values] = number
    return piece


def _covers(attribute: Attribute, cut: list[Piece]) -> Cells:
    """The cell of each piece; numbers from the first of its first block to the last of its last one."""
    if attribute.blocks is None or attribute.tree is not None:
        offsets = np.concatenate(([0], np.cumsum([len(piece.values) for piece in cut]))).astype(np.int64)
        return smallest_covers(attribute, np.concatenate([piece.values for piece in cut]), offsets)
    ends = np.array([(attribute.blocks.lows[p.values[0]], attribute.blocks.highs[p.values[-1]]) for p in cut])
    numbers = np.unique(ends)
    shown = replace(attribute, values=tuple(map(number_text, numbers.tolist())), numbers=numbers, blocks=None)
    codes = np.searchsorted(numbers, ends.ravel()).astype(np.int32)
    return smallest_covers(shown, codes, np.arange(0, len(codes) + 1, 2))
