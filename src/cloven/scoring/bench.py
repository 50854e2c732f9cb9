"""What all guesses about one release are measured with: computed once for the attack, chance and control."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from cloven.scoring.breakage import breakages, protected_itemsets
from cloven.scoring.matching import best_places
from cloven.scoring.movers import movements
from cloven.scoring.ranking import answerable, chance_rankings, rankings
from cloven.scoring.rebuilt import anchors, attached, disassociated, reconstructions
from cloven.scoring.tally import Tallies, Tally
from cloven.scoring.units import units

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import numpy as np
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Guesses
    from cloven.scoring.breakage import Protected
    from cloven.scoring.movers import Vectors
    from cloven.scoring.rebuilt import Cells
    from cloven.scoring.truth import Truth
    from cloven.scoring.units import Units


class Measured(NamedTuple):
    """Tallies of one set of guesses, and what word mover's distance had to leave out."""

    tallies: Tallies
    left_out: dict[str, dict[str, int]]


@dataclass(frozen=True, eq=False)
class Bench:
    """Truth and release arranged for measuring.

    Attributes:
        truth: what the key says.
        units: what counts as one observation.
        asked: targets that an attack can answer; chance and control are asked the same ones.
        true: disassociated items where they truly lie.
        protected: protected itemsets, if they are asked for.
        vectors: word vectors, if word mover's distance is asked for.
        groups: groups of measures to compute.
    """

    release: Disassociated
    truth: Truth
    units: Units
    asked: NDArray[np.bool_]
    true: Cells
    protected: Protected | None
    vectors: Vectors | None
    groups: Collection[str]

    @classmethod
    def of(
        cls,
        guesses: Guesses,
        release: Disassociated,
        truth: Truth,
        groups: Collection[str],
        vectors: Vectors | None,
        rng: np.random.Generator,
        limit: int,
    ) -> Bench:
        """Arrange a release for one attack."""
        return cls(
            release,
            truth,
            units(truth.questions, release),
            answerable(guesses.questions),
            disassociated(truth, len(release.vocabulary)),
            protected_itemsets(truth, release, rng, limit) if "km" in groups else None,
            vectors if "movers" in groups else None,
            groups,
        )

    def measured(self, guesses: Guesses) -> Measured:
        """All measures of some guesses."""
        tallies: Tallies = {}
        if "ranking" in self.groups:
            tallies |= rankings(guesses, self.truth, self.units, self.asked)
        if set(self.groups) <= {"ranking"}:
            return Measured(tallies, {})
        given = attached(guesses, self.release)
        place = best_places(self.truth.questions, self.release, given, self.true)
        best = given.moved(place)
        if "rebuilt" in self.groups:
            tallies |= reconstructions(given, self.true, self.units)
            tallies |= reconstructions(best, self.true, self.units, "_best")
        if self.protected is not None:
            tallies |= breakages(self.protected, self.truth, self.release, given, place, self.units)
        left_out: dict[str, dict[str, int]] = {}
        if self.vectors is not None:
            shown = anchors(self.truth.questions, self.release)
            moved, left_out = movements(given, self.true, shown, self.vectors, self.units)
            tallies |= moved
            tallies |= movements(best, self.true, shown, self.vectors, self.units, "_best")[0]
        return Measured(tallies, left_out)

    def chance(self, runs: Iterable[Guesses]) -> Tallies:
        """Chance: the mean over runs of the random attack, and the exact expectation where there is a formula."""
        without = replace(self, groups=[group for group in self.groups if group != "ranking"])
        every = [without.measured(run).tallies for run in runs]
        tallies = {name: Tally.mean([each[name] for each in every]) for name in (every[0] if every else ())}
        if "ranking" in self.groups:
            tallies |= chance_rankings(self.truth, self.units, self.asked)
        return tallies

    def notes(self, measured: Measured) -> dict[str, Any]:
        """How it was measured, as plain JSON values."""
        notes: dict[str, Any] = {"bootstrap_units": self.units.total}
        if self.protected is not None:
            notes["records_searched_for_itemsets"] = self.protected.searched
        if self.vectors is not None:
            notes["movers"] = measured.left_out
        return notes
