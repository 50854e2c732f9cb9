"""``Tune``: search the settings of all methods for those with little risk and much utility.

>>> import cloven as cv
>>> tuned = Tune(k=3, trials=3, vary=("max_cluster_size",), seed=1).run(cv.sample("clinic"))
>>> len(tuned.outcomes), tuned.default.name
(3, 'disassociation:k=3,m=2')
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven._version import __version__
from cloven.audit.decision import Limits
from cloven.audit.loop import Audit
from cloven.audit.run import Run
from cloven.data.defaults import SEED, K, L, M
from cloven.errors import ParameterError
from cloven.figures import percent
from cloven.registry import family_of
from cloven.settings import setting
from cloven.storage.fingerprint import release_fingerprint
from cloven.threats import Effort, Knowledge
from cloven.tuning.objectives import RiskObjective, Worst
from cloven.tuning.result import Point, Trial, Tuned, Watching, headline, impossible
from cloven.tuning.search import Proposal, Searching, Varied, optuna, varied
from cloven.tuning.study import study_folder

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

    from cloven.audit.run import Progress
    from cloven.data.taxonomy import Taxonomy
    from cloven.disclosure.outcome import Outcome
    from cloven.protocols import Anonymiser


NOTHING_NEW = 50
"""Proposals in a row that are known or impossible, after which everything counts as tried."""


def trial_effort(taxonomy: Taxonomy | None = None) -> Effort:
    """Attacks as quick as at first look; utility on as many itemsets as an audit counts, or its figures would differ.

    >>> trial_effort().top == Effort().top, trial_effort().known_sets < Effort().known_sets
    (True, True)
    """
    return replace(Effort().quick(), top=Effort().top, taxonomy=taxonomy)


@dataclass(frozen=True)
class Tune:
    """One search: what to vary, what to fear, what to accept, how long.

    Attributes:
        methods: names of the methods to search; None for all that need nothing of the owner.
        k: least number of candidates that the owner promises; settings below are not tried.
        m: least number of known items that the promise covers.
        l: of tables, how well sensitive values are hidden at least: a chance of 1/l, or l different ones.
        limits: what the owner accepts, of every setting.
        knowledge: what attackers may have, beside the release.
        effort: how thoroughly to measure each setting; the chosen one is audited in full afterwards.
        objective: makes one number of all risks.
        trials: settings to try, with those of earlier runs of the same study.
        seconds: time after which no further setting is begun; None for no limit.
        fix: parameters that stay, with their values.
        vary: parameters to vary; None for all that the methods declare.
        margin: by how much another setting must be better on the sample, in risk and utility, for giving one up.
        seed: for all that is tried, lots of methods too: nothing of it is published. None for that of the study, or the
            usual one.
    """

    methods: tuple[str, ...] | None = None
    k: int = K
    m: int = M
    l: int = L
    limits: Limits = field(default_factory=Limits)
    knowledge: Knowledge = field(default_factory=Knowledge)
    effort: Effort = field(default_factory=trial_effort)
    objective: RiskObjective = field(default_factory=Worst)
    trials: int = 40
    seconds: float | None = None
    fix: Mapping[str, Any] = field(default_factory=dict)
    vary: tuple[str, ...] | None = None
    margin: float = 0.02
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.trials < 1:
            message = f"trials must be at least 1, the default setting (got {self.trials})"
            raise ParameterError(message)
        for name in ("k", "m", "l"):  # what is fixed is what is promised
            object.__setattr__(self, name, self.fix.get(name, getattr(self, name)))

    def run(
        self, data: Any, study: str | os.PathLike[str] | None = None, progress: Progress | None = None
    ) -> Tuned:
        """Search; a study on disk goes on where an earlier run of the same search ended, even by Ctrl-C."""
        optuna()  # said before any work is done if it is missing
        space = varied(data, methods=self.methods, k=self.k, m=self.m, l=self.l, fix=self.fix, vary=self.vary)
        with self._study(study, data, space) as (searching, seed):
            measuring = self._measuring(data, seed)
            watching = Watching(self.trials, self.seconds, monotonic(), progress)
            default = space[0].method()
            exhausted = not self._search(searching, measuring, watching, default)
            trials = tuple(searching.trials.values())
            doubts = () if searching.journal is None else searching.journal.doubts
        rung = None if measuring.sample is None else len(measuring.sample)
        return Tuned(
            self, trials, setting(default), len(measuring.data), rung, space, exhausted, seed, doubts
        )

    def point(self, outcome: Outcome) -> Point:
        """Where an outcome lies, by the objective and the wanted measure of utility."""
        return Point(outcome.broken > 0, self.objective(outcome), outcome.utility.score(self.limits.measure))

    def _search(
        self, searching: Searching, measuring: Measuring, watching: Watching, default: Anonymiser
    ) -> bool:
        """Try settings until there are enough or time is up; False if there is nothing new to propose."""
        stale = 0
        while watching.goes_on(searching.trials.values()):
            if stale >= NOTHING_NEW:
                return False
            proposal = self._propose(searching, default)
            trial = self._try(proposal, searching, measuring, watching, default)
            new = trial.name not in searching.trials and trial.state != "impossible"
            stale = 0 if new else stale + 1
            searching.tell(proposal, trial)
        return True

    def _propose(self, searching: Searching, default: Anonymiser) -> Proposal:
        """The first settings are the defaults and what the family of the first would try instead; then the study's."""
        for one, values in self._starts(searching, default):
            if setting(one.method(values)) not in searching.trials:
                return searching.propose(one, values)
        return searching.propose()

    def _starts(self, searching: Searching, default: Anonymiser) -> Iterator[tuple[Varied, dict[str, Any]]]:
        for one in searching.space:
            values = one.values_of(one.method())
            if values is not None:
                yield one, values
        first = searching.trials.get(setting(default))
        if first is not None and first.outcome is not None:
            limit = self.limits.max_risk
            for remedy in family_of(default).remedies(default, first.outcome.risks, limit).values():
                values = searching.space[0].values_of(remedy)
                if values is not None:
                    yield searching.space[0], values

    def _try(
        self,
        proposal: Proposal,
        searching: Searching,
        measuring: Measuring,
        watching: Watching,
        default: Anonymiser,
    ) -> Trial:
        try:
            method = proposal.varied.method(proposal.values)
        except ParameterError as error:
            return impossible(proposal.varied.name_of(proposal.values), str(error))
        known = searching.trials.get(setting(method))
        if known is not None:
            return known
        report = watching.report(searching.trials.values(), self.best_words(searching.trials.values()))
        trial = measuring.trial(method, searching.trials.values(), report, keep=method == default)
        if method == default and trial.state == "impossible":
            raise ParameterError(trial.why)
        return trial

    def best_words(self, trials: Any) -> str:
        """The best setting so far, in a few words."""
        good = [t.outcome for t in trials if t.outcome and not self.limits.faults(t.outcome, self.k)]
        if not good:
            return "none holds yet"
        best = max((self.point(outcome) for outcome in good), key=lambda point: (point.utility, -point.risk))
        return f"best {percent(best.utility)} kept at risk {percent(best.risk)}"

    def _measuring(self, data: Any, seed: int) -> Measuring:
        most, rng = self.effort.most_records, Run(seed).rng("sample")
        everything = data if most is None or len(data) <= most else some(data, most, rng)
        sample = sample_of(everything, rng)
        return Measuring(self, everything, sample, seed)

    @contextmanager
    def _study(
        self, place: str | os.PathLike[str] | None, data: Any, space: tuple[Varied, ...]
    ) -> Iterator[tuple[Searching, int]]:
        if place is None:
            seed = SEED if self.seed is None else self.seed
            yield Searching(space, self.point, seed), seed
            return
        with study_folder(place, self._asked(data, space), self.seed) as (journal, seed):
            yield Searching(space, self.point, seed, journal), seed

    def _asked(self, data: Any, space: tuple[Varied, ...]) -> dict[str, Any]:
        """What makes two searches the same; the limits do not: what was measured serves for others too."""
        return {
            "data": family_of(space[0].method()).fingerprint(data),
            "version": __version__,
            "space": {one.name: one.words() for one in space},
            "fixed": {one.name: one.name_of({}) for one in space},
            "objective": self.objective.name,
            "utility_measure": self.limits.measure,
            "knowledge": repr(self.knowledge),
            "releases": [release_fingerprint(release) for release in self.knowledge.releases],
            "effort": repr(self.effort),
            "margin": self.margin,
        }


# One setting tried out: first on a sample of the records, and on all of them only if it may be worth it.
#
# Successive halving (Jamieson and Talwalkar, AISTATS 2016) with two rungs and two objectives: a setting is given up
# when the sample shows another one that is better by a margin in risk and in utility. Every setting sees the same
# sample, and every attack draws the same random numbers, so that settings differ by what they do and not by their luck.


FEWEST_RECORDS = 2_000
SHARE = 0.15


@dataclass(frozen=True)
class Measuring:
    """Tries settings on one data set.

    Attributes:
        tune: the search.
        data: all records.
        sample: a part of them; None where all are few.
        seed: for the measurements.
    """

    tune: Tune
    data: Any
    sample: Any
    seed: int

    def trial(
        self,
        method: Anonymiser,
        known: Iterable[Trial],
        progress: Progress | None = None,
        *,
        keep: bool = False,
    ) -> Trial:
        """Try a setting beside those that are known; ``keep`` tries it on all records in any case."""
        name, first = setting(method), self._on_sample(method, progress)
        better = "" if first is None or keep else self._better(first, known)
        if better:
            return Trial(name, method, "pruned", sample=first, why=f"on the sample {better} is better")
        start = 0.0 if self.sample is None else self._sample_share
        try:
            outcome = self._measure(self.data, method, _part(progress, start, 1.0))
        except ParameterError as error:
            return impossible(name, str(error))
        return Trial(name, method, "finished", outcome, first)

    def _on_sample(self, method: Anonymiser, progress: Progress | None) -> Outcome | None:
        """Figures on the sample; None without one, or if it does not allow what all records may."""
        if self.sample is None:
            return None
        try:
            return self._measure(self.sample, method, _part(progress, 0.0, self._sample_share))
        except ParameterError:
            return None

    @property
    def _sample_share(self) -> float:
        return len(self.sample) / (len(self.sample) + len(self.data))

    def _measure(self, data: Any, method: Anonymiser, progress: Progress | None) -> Outcome:
        tune = self.tune
        audit = Audit(method, knowledge=tune.knowledge, effort=tune.effort, advise=False, seed=self.seed)
        return headline(audit.evaluate(data, method, Run(self.seed, progress)).outcome)

    def _better(self, outcome: Outcome, known: Iterable[Trial]) -> str:
        """Name of a setting that is better by the margin on the sample; empty if there is none."""
        point, margin = self.tune.point, self.tune.margin
        here, samples = point(outcome), ((trial.name, trial.sample) for trial in known)
        found = (name for name, other in samples if other and point(other).beats(here, margin))
        return next(found, "")


def sample_of(data: Any, rng: np.random.Generator, fewest: int = FEWEST_RECORDS) -> Any:
    """A random part of the records for the first rung; None if all are so few that it would save little."""
    size = max(fewest, round(SHARE * len(data)))
    return None if 2 * size > len(data) else some(data, size, rng)


def some(data: Any, size: int, rng: np.random.Generator) -> Any:
    """So many random records, in their order."""
    return data.take(np.sort(rng.permutation(len(data))[:size]))


def _part(progress: Progress | None, start: float, end: float) -> Progress | None:
    """Progress of a part that lasts from one share of the whole to another."""
    if progress is None:
        return None
    return lambda step, share: progress(step, start + (end - start) * share)
