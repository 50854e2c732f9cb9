"""The attacks on set-generalised releases: take added items out by what the rest of the record means.

Exploiting contextual information in attacking set-generalised transactions (Shao and Ong, ACM TOIT 2017): the distances
of section 4, then one of the eliminations of section 5 and of its predecessor, on every table of the release.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.attack.generalised.confidence import confidence, expected_originals
from cloven.attack.generalised.distances import CONTEXTS, WITHOUT_CONTEXT, Distances, DistanceTables
from cloven.attack.generalised.marking import guess_marks
from cloven.attack.generalised.methods import METHODS, ROWS_AT_ONCE, eliminated, finite
from cloven.attack.generalised.tables import published_only, tables
from cloven.errors import ParameterError
from cloven.model.added import Eliminations, RowAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from cloven.model.added import Tables
    from cloven.model.set_generalised import SetGeneralised
    from cloven.protocols import Relatedness


@dataclass(frozen=True)
class Elimination:
    """An attack that uses how related items are.

    Attributes:
        relatedness: what the attacker knows about words; may be left out where distances are handed in.
        method: ``mda``, ``tba``, ``wba``, ``gba`` or ``rba``.
        context: ``mean`` of the distances from all contextual items, or distance from their ``conjunction``.
        most_context: contextual items of a row to use at most, those in fewest rows; None for all.
        without_context: rows that show no item for certain get ``no-answer``, or distances from their other
            ``generalised`` items.
        threshold: the mean that a method takes as its threshold, times this.
        marked: whether the release tells which items are generalised; if not, it is guessed first (see ``marking``).
        rows_at_once: tables with more rows are attacked in parts of so many, by methods that go in rounds.
        sharpness: how fast confidence follows distance; see ``confidence``.
    """

    relatedness: Relatedness | None = None
    method: str = "rba"
    context: str = "mean"
    most_context: int | None = None
    without_context: str = "no-answer"
    threshold: float = 1.0
    marked: bool = True
    rows_at_once: int = ROWS_AT_ONCE
    sharpness: float = 1.0

    def __post_init__(self) -> None:
        for field, value, known in (
            ("method", self.method, tuple(METHODS)),
            ("context", self.context, CONTEXTS),
            ("without_context", self.without_context, WITHOUT_CONTEXT),
        ):
            if value not in known:
                message = f"{field} must be one of {', '.join(known)} (got {value!r})"
                raise ParameterError(message)
        if self.most_context is not None and self.most_context < 1:
            message = f"most_context must be at least 1 (got {self.most_context}); leave it out for all"
            raise ParameterError(message)
        if self.rows_at_once < 2:
            message = f"rows_at_once must be at least 2 (got {self.rows_at_once})"
            raise ParameterError(message)
        for field, number in (("threshold", self.threshold), ("sharpness", self.sharpness)):
            if not 0 <= number <= 20:
                message = f"{field} must lie between 0 and 20 (got {number})"
                raise ParameterError(message)

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {
            "name": "elimination",
            "method": self.method,
            "relatedness": None if self.relatedness is None else repr(self.relatedness),
            "context": self.context,
            "most_context": self.most_context,
            "without_context": self.without_context,
            "threshold": self.threshold,
            "marked": self.marked,
            "rows_at_once": self.rows_at_once,
            "sharpness": self.sharpness,
        }

    def guess(
        self,
        release: SetGeneralised,
        rng: np.random.Generator | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Callable[[str, float], None] | None = None,
        *,
        distances: Sequence[NDArray[np.float64]] | None = None,
    ) -> Eliminations:
        """Attack every table of a release.

        Args:
            release: what is attacked.
            rng: not needed.
            progress: called with "attack" and the share of the cells done.
            distances: distance tables to use instead of the relatedness, one for each of ``tables(release)``.
        """
        published_only(release)
        seen = release if self.marked else guess_marks(release)
        asked = tables(seen)
        given, notes = self._distances(seen, asked, distances)
        eliminations = Eliminations(
            asked,
            np.zeros(asked.cells, bool),
            np.empty(asked.cells, np.float32),
            np.full(asked.cells, -1, np.int32),
            np.empty(len(asked.rows), np.int8),
            self.parameters,
            notes,
        )
        for table, found in enumerate(given):
            self._attack(eliminations, table, found, release.records)
            if progress is not None:
                progress("attack", float(asked.cell_offsets[table + 1]) / asked.cells)
        return eliminations

    def _attack(self, into: Eliminations, table: int, found: Distances, records: int) -> None:
        """Write the answers about one table."""
        asked, (rows, columns) = into.tables, into.tables.shape(table)
        here = slice(asked.cell_offsets[table], asked.cell_offsets[table + 1])
        distance = finite(found.table)
        order = eliminated(distance, self.method, self.threshold, self.rows_at_once)
        into.order[here], into.eliminated[here] = order.ravel(), order.ravel() >= 0
        sure = confidence(
            distance,
            order,
            expected_originals(columns, rows, records),
            self.sharpness,
            comparable=METHODS[self.method].comparable,
        )
        into.confidence[here] = sure.ravel()
        into.answer[asked.row_offsets[table] : asked.row_offsets[table + 1]] = found.answer

    def _distances(
        self, release: SetGeneralised, asked: Tables, given: Sequence[NDArray[np.float64]] | None
    ) -> tuple[Iterator[Distances], dict[str, Any]]:
        """Distance tables one after the other, and what there is to say about them."""
        if given is not None:
            return iter(_checked(given, asked)), {}
        if self.relatedness is None:
            message = f"method {self.method!r} needs to know how related words are; give a relatedness"
            raise ParameterError(message)
        related = self.relatedness.relate(release.vocabulary)
        made = DistanceTables(release, asked, related, self.context, self.most_context, self.without_context)
        return (made.of(table) for table in range(len(asked))), {"coverage": related.coverage.to_dict()}


def _checked(given: Sequence[NDArray[np.float64]], asked: Tables) -> list[Distances]:
    """Distances that were handed in, if they fit."""
    shapes = [asked.shape(table) for table in range(len(asked))]
    found = [np.shape(each) for each in given]
    if found != shapes:
        at = next((i for i, (a, b) in enumerate(zip(found, shapes, strict=False)) if a != b), None)
        what = (
            f"{len(shapes)} tables (got {len(found)})"
            if at is None
            else f"table {at} with {shapes[at][0]} rows and {shapes[at][1]} columns (got {found[at]})"
        )
        message = f"the release needs distances for {what}"
        raise ParameterError(message)
    tables_given = [np.asarray(each, np.float64) for each in given]
    return [
        Distances(
            each,
            np.where(np.isnan(each).all(axis=1), RowAnswer.NO_SCORE, RowAnswer.INFORMED).astype(np.int8),
        )
        for each in tables_given
    ]
