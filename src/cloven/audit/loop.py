"""START HERE: the loop that Cloven is about, readable in one go.

    data -> anonymise -> verify -> attack -> measure -> decide -> report

The release is what the world sees; the key, which says where every part came from, stays with the owner. They are
different types, and only this file and the measures of truth hold both. What is special to one kind of release
(disassociated, generalised, sliced) stands in the room of its kind; see ``kinds``.

>>> import cloven as cv
>>> report = cv.Audit(cv.Disassociation(k=5, m=2), effort=cv.Effort().quick(), seed=1).run(cv.sample("clinic"))
>>> report.verified.ok, report.decision.verdict
(True, 'do not publish')
>>> report.result.release.records
1000
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.audit.decision import EMPTY, Compared, Evaluated, Limits, decide, not_covered, subtracted
from cloven.audit.report import AuditReport
from cloven.audit.run import Forgetful, Run
from cloven.cores import WORTH_IT, cores
from cloven.data.defaults import SEED
from cloven.data.given import expect_kind, expect_method
from cloven.disclosure.audience import Said
from cloven.disclosure.outcome import GIVEN_UP, Outcome, Utility
from cloven.disclosure.risk import Risk
from cloven.kinds.disassociated.methods import Disassociation
from cloven.registry import family_of
from cloven.settings import named, published_setting, setting, told
from cloven.statistics.outsiders import Outsiders, repeatable
from cloven.threats import Effort, Knowledge

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.audit.decision import Decision
    from cloven.audit.run import Memory, Progress
    from cloven.protocols import Anonymiser
    from cloven.threats import Threat


@dataclass(frozen=True)
class Audit:
    """One audit: how to anonymise, whom to fear, what to accept, and how thoroughly to measure.

    Attributes:
        method: the anonymiser.
        knowledge: what attackers may have, beside the release.
        limits: what the owner accepts.
        effort: how thoroughly to measure.
        rivals: other methods or settings to compare with.
        threats: attackers to try; None for all that apply, an empty tuple for none. Nothing is published unless all
            were tried that need nothing but the release.
        advise: where the verdict is not to publish, try what the family proposes instead.
        seed: for measurements, and for lots of what is compared and not published. The release never depends on it:
            where its method draws lots, they come from the operating system, and its figures move a little.
        title: what the owner calls the data; it stays in the owner's papers.
    """

    method: Anonymiser = field(default_factory=Disassociation)
    knowledge: Knowledge = field(default_factory=Knowledge)
    limits: Limits = field(default_factory=Limits)
    effort: Effort = field(default_factory=Effort)
    rivals: tuple[Anonymiser, ...] = ()
    threats: tuple[Threat, ...] | None = None
    advise: bool = True
    seed: int = SEED
    title: str = ""

    def __post_init__(self) -> None:
        expect_method(self.method)
        for name, kind in (("knowledge", Knowledge), ("limits", Limits), ("effort", Effort)):
            expect_kind(getattr(self, name), kind, f"{name} of an audit")

    def run(self, data: Any, progress: Progress | None = None, memory: Memory | None = None) -> AuditReport:
        """Anonymise, verify, attack, measure, compare, decide. A release that fails verification raises."""
        run = Run(self.seed, progress, memory or Forgetful())
        family, rivals = family_of(self.method), named(self.rivals)
        run.plan({"describe": 1.0})
        tried_on = self._sample(data, run)
        description = run.step(
            "describe", lambda _: family.describe(tried_on, self.method, run.rng("describe"))
        )
        main = self.evaluate(tried_on, self.method, run, published=True)
        others = Compared(lambda method, stop: self.evaluate(tried_on, method, run, stop=stop))
        for name, rival in rivals.items():
            others.attempt(name, rival)
        decision = self._decide(main, others)
        beside = subtracted(main.result.release, self.knowledge)
        advisable = self.advise and not beside and main.outcome.worst is not None
        if advisable and decision.verdict == "do not publish":
            limit = self.limits.max_risk
            for words, remedy in family.remedies(self.method, main.outcome.risks, limit, tried_on).items():
                others.attempt(words, remedy, stop=True)
                decision = self._decide(main, others)
                if decision.verdict != "do not publish":
                    break
        decision = decision.beside(beside, not_covered(self.method, self.knowledge))
        return AuditReport(
            audit=self,
            family=family,
            data=tried_on,
            records_in_all=len(data),
            description=description,
            result=main.result,
            verified=main.verified,
            outcome=main.outcome,
            others=others.outcomes,
            failed=others.failed,
            decision=decision if len(tried_on) == len(data) else decision.of_a_sample(data.noun),
            cautions=tuple(map(Said.of, family.cautions(tried_on, self.method, main.result))),
            seconds=run.seconds,
        )

    def evaluate(
        self,
        data: Any,
        method: Anonymiser,
        run: Run,
        *,
        published: bool = False,
        stop: bool = False,
    ) -> Evaluated:
        """The loop itself, for one method: anonymise -> verify -> attack -> measure.

        What is ``published`` draws its lots from the operating system, the rest
        from the seed. With ``stop``, no further attack is tried once one gets past the limits: what does not hold is
        no remedy.
        """
        family, name, start = family_of(method), setting(method), perf_counter()
        prefix = "" if method == self.method else f"{name} "
        threats = family.threats(method, self.knowledge) if self.threats is None else self.threats
        attacks = {f"{prefix}attack ({threat.name})": threat for threat in threats}
        costs = {f"{prefix}anonymise": 3, f"{prefix}verify": 1, **dict.fromkeys(attacks, 5)}
        run.plan(costs | {f"{prefix}measure": 3})

        made_by = method if published else repeatable(method, self.seed)
        result = run.result(f"{prefix}anonymise", family, lambda report: made_by.anonymise(data, report))

        verified = run.step(f"{prefix}verify", lambda _: family.verify(data, result))
        verified.raise_if_broken()

        outsiders = Outsiders(data, method, self.effort.splits, int(run.rng("outsiders").integers(2**32)))
        found: dict[str, Risk] = {}

        def attack(step: str) -> None:
            def attempt(report: Progress) -> Risk:
                asked, held_by = (data, result, run.rng(step)), partial(self.limits.held_by, k=method.k)
                return attacks[step].try_on(*asked, self.effort, report, outsiders, held_by)

            if stop and (past := self.limits.passed_at(tuple(found.values()), method.k)):
                found[step] = attacks[step].risk(not_tried=f"{GIVEN_UP}{past}")
            else:
                found[step] = run.step(step, attempt, Risk.to_dict, Risk.from_dict)

        def measure(_: Progress) -> Utility:
            return family.utility(data, result, self.effort, run.rng(f"{prefix}measure"))

        # Every step has random numbers of its own, so nothing depends on which ones run at the same time.
        works: dict[str, Callable[[], Any]] = {step: partial(attack, step) for step in attacks}
        works["measure"] = lambda: run.step(f"{prefix}measure", measure, Utility.to_dict, Utility.from_dict)
        utility = run.beside(works, 1 if stop or len(data) < WORTH_IT else cores())["measure"]
        risks = tuple(found[step] for step in attacks)

        spent = round(perf_counter() - start, 3)
        groups, shown = len(family.sizes(result.release)), published_setting(method)
        doubts = family.doubts(data, method, result)
        outcome = Outcome(name, family.name, told(method), risks, utility, spent, groups, shown, doubts)
        return Evaluated(result, verified, outcome)

    def _decide(self, main: Evaluated, others: Compared) -> Decision:
        every = family_of(self.method).threats(self.method, self.knowledge)
        tried = {threat.name for threat in (every if self.threats is None else self.threats)}
        untried = [each for each in every if each.counts and not each.outside and each.name not in tried]
        uncovered = not_covered(self.method, self.knowledge)
        found = decide(main.outcome, self.limits, self.method.k, others.made, uncovered, untried)
        # That nobody could be attacked in an empty release is no merit of it.
        return found if main.outcome.groups else replace(found, verdict="do not publish", sentence=EMPTY)

    def _sample(self, data: Any, run: Run) -> Any:
        """All records, or a random part of them where the effort is limited."""
        most = self.effort.most_records
        if most is None or len(data) <= most:
            return data
        return data.take(np.sort(run.rng("sample").permutation(len(data))[:most]))
