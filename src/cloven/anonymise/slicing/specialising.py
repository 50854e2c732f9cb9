"""Cuts that become finer under differential privacy: the search of DiffGen.

Every attribute starts as one piece, all of its domain. Pieces of values with a taxonomy fall apart into the children of
their node, pieces without one into their values, pieces of numbers into two ranges at a point that is itself drawn.
Which piece falls apart next is drawn by the exponential mechanism (McSherry, Talwar, FOCS 2007): likelier, the better
the parts tell the class. The score of a piece needs nothing but how often each value goes with each class.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from cloven.anonymise.slicing.cells import lowest_equal, members_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.anonymise.slicing.drawing import Drawing
    from cloven.model.table import Attribute
    from cloven.model.value_tree import ValueTree

Score = Literal["max", "gain"]


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
    counts: tuple[NDArray[np.int64], ...]
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

    def _score(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """How well parts tell the class; ``counts`` is parts x candidates x classes."""
        if self.score == "max":
            told: NDArray[np.float64] = counts.max(axis=2).sum(axis=0).astype(float)
            return told
        sizes = counts.sum(axis=2)
        total = np.maximum(1, sizes.sum(axis=0))
        inside = (sizes / total * _entropy(counts)).sum(axis=0)
        gain: NDArray[np.float64] = _entropy(counts.sum(axis=0)) - inside
        return gain

    def _log_weights(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Logarithms of the weights of the exponential mechanism.

        One row more or less changes ``max`` by at most 1. ``gain`` lies between 0 and log2 of the number of classes, so
        it cannot change by more.
        """
        classes = self.counts[0].shape[1]
        change = 1.0 if self.score == "max" else max(1.0, float(np.log2(classes)))
        weights: NDArray[np.float64] = self.budget * scores / (2.0 * change)
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


def _entropy(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Entropy in bits over the last axis; 0 where there is nothing."""
    total = np.maximum(1, counts.sum(axis=-1, keepdims=True))
    shares = counts / total
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    out: NDArray[np.float64] = -(shares * logs).sum(axis=-1)
    return out
