"""Threat models: what an attacker may know beyond the release, and how hard to try.

The attacks themselves belong to the kinds: what knowing words is worth depends on what was published.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cloven.disclosure.audience import Audience, Wording
from cloven.disclosure.risk import NOTHING, Criterion, Linkage, Risk
from cloven.errors import ParameterError
from cloven.statistics.outsiders import asked_about

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from cloven.data.taxonomy import Taxonomy
    from cloven.protocols import Relatedness
    from cloven.statistics.outsiders import Outsiders, Split

Progress = Callable[[str, float], None]


@dataclass(frozen=True, eq=False)
class OtherRelease:
    """Another release, and who of the data at hand is in it too.

    Attributes:
        release: the release.
        shared: source positions of the records whose people are in both; None if nobody knows.
    """

    release: Any
    shared: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Knowledge:
    """What the owner fears that attackers have, beside the release.

    Attributes:
        relatedness: what words mean; None if nothing is at hand to try it with.
        releases: other releases about the same people; for tables, each may say who is in both (``OtherRelease``).
    """

    relatedness: Relatedness | None = None
    releases: tuple[Any, ...] = ()


def unusable_release(other: object, name: str = "another release") -> Threat:
    """Somebody who has a release of a kind that no attack here can use: named, so that nobody takes it for tried.

    >>> unusable_release("a table").name
    'another release'
    """
    kind = type(other).__name__

    def attempt(threat: Threat, _case: Case) -> Risk:
        return threat.risk(not_tried=f"no attack on this release uses another one of the kind {kind}")

    knows = f"the release, and another one about the same people ({kind})"
    return Threat(name, knows, "attribute", "what the two tell together", attempt)


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
        splits: divisions of the people into members and outsiders, each with a release of its own.
        most_people: people of each division who are asked about at most.
        most_searched: people for whom the worst known set is looked for, as some dozens are tried on each.
        until_decided: whether an audit asks more people, up to all there are, where a limit lies inside an interval.
    """

    reconstructions: int = 5
    top: int = 1000
    taxonomy: Taxonomy | None = None
    most_candidates: int = 20_000_000
    most_pairs: int = 100_000_000
    most_records: int | None = None
    tries: int = 200
    known_sets: int = 400
    splits: int = 3
    most_people: int = 2_000
    most_searched: int = 1_500
    until_decided: bool = True
    rules: tuple[Mapping[str, Collection[str]], ...] = ()

    @property
    def people(self) -> int:
        """People who are asked about at most, over all divisions."""
        return self.splits * self.most_people

    def quick(self) -> Effort:
        """Less of everything, with wider intervals: a first look.

        >>> Effort().quick().reconstructions
        2
        """
        return replace(
            self,
            reconstructions=min(2, self.reconstructions),
            most_candidates=min(3_000_000, self.most_candidates),
            most_pairs=min(10_000_000, self.most_pairs),
            tries=min(40, self.tries),
            known_sets=min(60, self.known_sets),
            splits=min(1, self.splits),
            most_people=min(1_000, self.most_people),
            until_decided=False,
        )


@dataclass(frozen=True, eq=False)
class Case:
    """One release on trial, and all that is at hand to try an attack on it.

    Attributes:
        data: what the release was made from.
        result: the release, and the owner's key.
        rng: random numbers for the trial.
        effort: how thoroughly to try.
        progress: called along the way.
        outsiders: releases of the same method with some of the people left out; see ``splits``.
    """

    data: Any
    result: Any
    rng: np.random.Generator
    effort: Effort
    progress: Progress | None = None
    outsiders: Outsiders | None = None

    @property
    def splits(self) -> tuple[Split, ...]:
        """Divisions of the people into members and outsiders, each with a release of the members."""
        if self.outsiders is None:
            message = "nobody outside the release is there to compare with; give outsiders, or audit the data"
            raise ParameterError(message)
        return self.outsiders.splits

    def asked(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """People to ask about: one record of each, and which of them each division leaves out."""
        return asked_about(self.data, self.splits, self.effort.most_people, self.rng)


@dataclass(frozen=True)
class Threat:
    """An attacker.

    Attributes:
        name: a few words for tables.
        knows: what the attacker knows, in a sentence.
        linkage: what is linked to a person; see ``Risk``.
        measure: what is measured, in a sentence.
        attempt: tries it on a ``Case``. The attack inside it gets the release; data and key are there to judge what it
            guessed, and people outside the release to compare with.
        outside: whether it needs knowledge from elsewhere, such as word vectors or another release.
        counts: whether it takes part in the verdict, tried or not.
        public: what the public reads of this attacker; None, the owner alone knows of it. See ``publicly``.
        criteria: what it tries, as officers ask for it, where its linkage does not say that.
    """

    name: str
    knows: str
    linkage: Linkage
    measure: str
    attempt: Callable[[Threat, Case], Risk]
    outside: bool = False
    counts: bool = True
    public: Wording | None = None
    criteria: tuple[Criterion, ...] = ()

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
        outsiders: Outsiders | None = None,
        held_by: Callable[[Risk], bool | None] | None = None,
        *,
        again: bool = False,
    ) -> Risk:
        """What the attack reached, or why there was nothing to try.

        Where it is not shown whether limits are kept (``held_by``), everybody is asked. On the way there it may end
        with a no alone: who ends at the first good look passes what is past a limit more often than one in 40.
        """
        case = Case(data, result, copy.deepcopy(rng), effort or Effort(), progress, outsiders)
        try:
            found = self.attempt(self, case)
        except ParameterError as error:
            return self.risk(not_tried=str(error))
        held = True if held_by is None or not case.effort.until_decided else held_by(found)
        asking = outsiders is not None and (held is None or (again and held))
        more = outsiders.more() if asking and outsiders is not None else None
        if more is not None:
            further = replace(case.effort, most_searched=2 * case.effort.most_searched)
            return self.try_on(data, result, rng, further, progress, more, held_by, again=True)
        return replace(found, criteria=self.criteria) if self.criteria else found

    def nothing(self, why: str, **figures: Any) -> Risk:
        """There is nothing that this attacker could do: that is no attack left out, so it is not missing.

        >>> unusable_release("a table").nothing("nothing is left").missing
        False
        """
        return self.risk(not_tried=f"{NOTHING}: {why}", counts=False, **figures)

    def risk(self, **figures: Any) -> Risk:
        """A risk with these figures and what is known of the threat."""
        return Risk(
            threat=self.name,
            knows=self.knows,
            linkage=self.linkage,
            measure=self.measure,
            **{
                "outside": self.outside,
                "counts": self.counts,
                "public": self.public,
                "criteria": self.criteria,
                **figures,
            },
        )
