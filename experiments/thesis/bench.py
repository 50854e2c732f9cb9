"""What all guesses about one release are measured with in the thesis: computed once for attack, chance and control.

To the ranking and the precision of `cloven score` come what was rebuilt, and the k^m breakage. A name that ends in
``_best`` lets slots of a cluster with identical anchors be exchanged, so that most re-attachments are correct.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cloven.kinds.disassociated.score.precision import attached, disassociated
from cloven.kinds.disassociated.score.score import Bench as Ranked
from cloven.kinds.disassociated.score.truth import truth
from cloven.statistics.tally import Tallies, Tally
from experiments.thesis.breakage import breakages, protected_itemsets
from experiments.thesis.rebuilt import best_places, moved, reconstructions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.kinds.disassociated.guesses import Guesses
    from cloven.kinds.disassociated.key import Key
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.score.precision import Cells
    from experiments.thesis.breakage import Protected


@dataclass(frozen=True, eq=False)
class Bench:
    """Truth and release arranged for measuring.

    Attributes:
        ranked: the same for the measures of the package.
        true: disassociated items where they truly lie.
        protected: protected itemsets.
    """

    ranked: Ranked
    true: Cells
    protected: Protected

    @classmethod
    def of(cls, guesses: Guesses, release: Disassociated, key: Key) -> Bench:
        """Arrange a release for one attack, which answered all targets."""
        answers = truth(guesses.questions, release, key)
        true = disassociated(answers, len(release.vocabulary))
        return cls(Ranked.of(guesses, release, answers), true, protected_itemsets(answers, release))

    def measured(self, guesses: Guesses) -> Tallies:
        """All measures of some guesses."""
        return self.ranked.measured(guesses) | self._rebuilt(guesses)

    def chance(self, runs: Sequence[Guesses]) -> Tallies:
        """Chance: the mean over runs of the random attack, and the exact expectation where there is a formula."""
        every = [self._rebuilt(run) for run in runs]
        means = {name: Tally.mean([each[name] for each in every]) for name in every[0]}
        return means | self.ranked.chance(runs)

    def _rebuilt(self, guesses: Guesses) -> Tallies:
        release, units = self.ranked.release, self.ranked.units
        given = attached(guesses, release)
        place = best_places(self.ranked.truth.questions, release, given, self.true)
        return (
            reconstructions(given, self.true, units)
            | reconstructions(moved(given, place), self.true, units, "_best")
            | breakages(self.protected, given, place, units)
        )
