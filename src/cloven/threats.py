"""Threat models: what an attacker may know beyond the release, and how hard to try.

The attacks themselves belong to the families: what knowing words is worth depends on what was published.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cloven.errors import ParameterError
from cloven.model.audience import Audience, Wording
from cloven.model.risk import Linkage, Risk

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import numpy as np

    from cloven.model.taxonomy import Taxonomy
    from cloven.protocols import Relatedness

Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class Knowledge:
    """What the owner fears that attackers have, beside the release.

    Attributes:
        relatedness: what words mean; None if nothing is at hand to try it with.
        releases: other releases about the same people.
    """

    relatedness: Relatedness | None = None
    releases: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Effort:
    """How thoroughly to measure.

    Attributes:
        reconstructions: plausible data sets drawn from the release to measure utility on.
        top: how many frequent itemsets are compared.
        taxonomy: item hierarchy for measures on several levels, if there is one.
        rules: of tables, values that cannot meet in one row, by attribute; rows that break one are counted.
        most_candidates: links that an attack weighs; above it, it is tried on a sample of what is hidden.
        most_pairs: pairs of items that an attacker counts who learns what goes together from a release.
        most_records: records above which a random sample of the data is audited instead; None for all.
        tries: arrangements of one chunk that an attacker tries who replays the method.
        known_sets: sets of known items that are tried on a person.
    """

    reconstructions: int = 5
    top: int = 1000
    taxonomy: Taxonomy | None = None
    most_candidates: int = 20_000_000
    most_pairs: int = 100_000_000
    most_records: int | None = None
    tries: int = 200
    known_sets: int = 400
    rules: tuple[Mapping[str, Collection[str]], ...] = ()

    def quick(self) -> Effort:
        """Less of everything, with wider intervals: a first look.

        >>> Effort().quick().reconstructions
        2
        """
        return replace(
            self,
            reconstructions=min(2, self.reconstructions),
            top=min(300, self.top),
            most_candidates=min(3_000_000, self.most_candidates),
            most_pairs=min(10_000_000, self.most_pairs),
            tries=min(40, self.tries),
            known_sets=min(60, self.known_sets),
        )


@dataclass(frozen=True)
class Threat:
    """An attacker.

    Attributes:
        name: a few words for tables.
        knows: what the attacker knows, in a sentence.
        linkage: what is linked to a person; see ``Risk``.
        measure: what is measured, in a sentence.
        attempt: tries it: ``attempt(threat, data, result, effort, rng, progress)``. The attack inside it gets the
            release; data and key are there to judge what it guessed.
        public: what the public reads of this attacker; None, the owner alone knows of it. See ``publicly``.
    """

    name: str
    knows: str
    linkage: Linkage
    measure: str
    attempt: Callable[[Threat, Any, Any, Effort, np.random.Generator, Progress | None], Risk]
    public: Wording | None = None

    @property
    def audience(self) -> Audience:
        """Who may know of this attacker: the owner alone, unless there are words for the public."""
        return "owner" if self.public is None else "public"

    def publicly(self, *, knows: str = "") -> Threat:
        """The same attacker for everybody to know: name, knowledge (or other words for it) and measure are public.

        Figures become public with it, sentences about them do not: those the attack says by ``Risk.saying``.
        """
        return replace(self, public=Wording(self.name, knows or self.knows, self.measure))

    def try_on(
        self,
        data: Any,
        result: Any,
        rng: np.random.Generator,
        effort: Effort | None = None,
        progress: Progress | None = None,
    ) -> Risk:
        """What the attack reached, or why there was nothing to try."""
        try:
            return self.attempt(self, data, result, effort or Effort(), rng, progress)
        except ParameterError as error:
            return self.risk(not_tried=str(error))

    def risk(self, **figures: Any) -> Risk:
        """A risk with these figures and what is known of the threat."""
        return Risk(
            threat=self.name,
            knows=self.knows,
            linkage=self.linkage,
            measure=self.measure,
            public=self.public,
            **figures,
        )
