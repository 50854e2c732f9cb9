"""What a search found: every setting that was tried, the front of the best, the chosen one, and what to say of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cloven.audit import Audit
from cloven.threats import Effort
from cloven.tuning.points import undominated
from cloven.tuning.tuned_words import comparison, sentence
from cloven.tuning.watching import count

if TYPE_CHECKING:
    from cloven.audit_report import AuditReport
    from cloven.model.outcome import Outcome
    from cloven.reasons import Reason
    from cloven.running import Progress
    from cloven.tuning.points import Point
    from cloven.tuning.trial import Trial
    from cloven.tuning.tune import Tune
    from cloven.tuning.varied import Varied

FORMAT = "cloven.tune/1"


@dataclass(frozen=True)
class Tuned:
    """What a search found. It knows the truth, so it belongs to the owner.

    Attributes:
        tune: what was asked for.
        trials: every setting, in the order of trying.
        default_name: name of the setting that all others are compared with.
        records: records that settings were measured on.
        sample_records: records of the sample that settings had to pass first; None if there was none.
        space: what was varied.
        exhausted: whether nothing new was left to propose.
        seed: what the measurements were drawn from.
    """

    tune: Tune
    trials: tuple[Trial, ...]
    default_name: str
    records: int
    sample_records: int | None
    space: tuple[Varied, ...]
    exhausted: bool
    seed: int

    @cached_property
    def finished(self) -> tuple[Trial, ...]:
        """Settings that were measured on all records."""
        return tuple(trial for trial in self.trials if trial.outcome is not None)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Their figures."""
        return tuple(trial.outcome for trial in self.finished if trial.outcome is not None)

    @property
    def tried(self) -> int:
        """Settings that were tried, those given up after the sample included."""
        return count(self.trials)

    @property
    def default(self) -> Trial:
        """The setting that all others are compared with."""
        return next(trial for trial in self.trials if trial.name == self.default_name)

    @cached_property
    def front(self) -> tuple[Trial, ...]:
        """Settings that no other one beats, by rising risk."""
        return tuple(
            self.finished[here] for here in undominated([self.point(trial) for trial in self.finished])
        )

    @cached_property
    def satisfying(self) -> tuple[Trial, ...]:
        """Settings that satisfy all limits, the most useful first."""
        good = [trial for trial in self.finished if not self.faults(trial)]
        return tuple(sorted(good, key=lambda trial: (-self.point(trial).utility, self.point(trial).risk)))

    @property
    def chosen(self) -> Trial | None:
        """The most useful setting that satisfies all limits."""
        return next(iter(self.satisfying), None)

    @property
    def satisfied(self) -> bool:
        """Whether any setting satisfies all limits."""
        return bool(self.satisfying)

    @cached_property
    def dominating(self) -> tuple[Trial, ...]:
        """Settings that beat the default: at least as good in risk, utility and promises, better in one; best first."""
        default = self.point(self.default)
        found = [trial for trial in self.finished if self.point(trial).beats(default)]
        return tuple(sorted(found, key=lambda trial: (-self.point(trial).utility, self.point(trial).risk)))

    @property
    def sentence(self) -> str:
        """What came of the search."""
        return sentence(self)

    @property
    def comparison(self) -> str:
        """How the default does beside all others."""
        return comparison(self)

    def point(self, trial: Trial) -> Point:
        """Where a finished setting lies."""
        if trial.outcome is None:
            raise ValueError(trial.name)
        return self.tune.point(trial.outcome)

    def faults(self, trial: Trial) -> tuple[Reason, ...]:
        """Why a finished setting is not good enough; the limit of risk is that of the wanted k for all."""
        if trial.outcome is None:
            raise ValueError(trial.name)
        return self.tune.limits.faults(trial.outcome, self.tune.k)

    def audit(
        self, data: Any, effort: Effort | None = None, progress: Progress | None = None, title: str = ""
    ) -> AuditReport | None:
        """Audit the chosen setting in full; None if no setting satisfies the limits.

        The best of many measurements looks better than it is. So the audit draws other random numbers, and a setting
        that does not hold then makes way for the next.
        """
        limits = self.tune.limits
        seed = None if self.tune.seed is None else self.tune.seed + 1
        for trial in self.satisfying:
            if trial.method is None:
                continue
            audit = Audit(
                trial.method,
                knowledge=self.tune.knowledge,
                limits=limits,
                effort=effort or Effort(),
                advise=False,
                seed=seed,
                title=title,
            )
            report = audit.run(data, progress)
            if report.decision.verdict == "publish":
                others = tuple(each.outcome for each in self.finished if each is not trial and each.outcome)
                return replace(report, others=others)
        return None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        states = [trial.state for trial in self.trials]
        chosen = self.chosen
        return {
            "format": FORMAT,
            "sentence": self.sentence,
            "comparison": self.comparison,
            "satisfied": self.satisfied,
            "chosen": None if chosen is None else chosen.name,
            "default": self.default_name,
            "front": [trial.name for trial in self.front],
            "dominating": [trial.name for trial in self.dominating],
            "objective": self.tune.objective.name,
            "limits": {
                "max_risk": self.tune.limits.max_risk,
                "min_utility": self.tune.limits.min_utility,
                "measure": self.measure,
            },
            "space": {one.name: {"varied": one.words(), "fixed": one.name_of({})} for one in self.space},
            "records": self.records,
            "sample_records": self.sample_records,
            "exhausted": self.exhausted,
            "seed": self.seed,
            "counts": {state: states.count(state) for state in ("finished", "pruned", "impossible")},
            "trials": [self._row(trial) for trial in self.trials],
        }

    @property
    def measure(self) -> str:
        """Name of the measure of utility."""
        return self.outcomes[0].utility.get(self.tune.limits.measure).name

    @property
    def score_words(self) -> str:
        """What the score of utility is, of which more is better: the measure, or what an error leaves."""
        found = self.outcomes[0].utility.get(self.tune.limits.measure)
        if found.best > found.worst:
            return found.name
        return f"1 - {found.name}" if found.worst == 1 else f"1 - {found.name}/{found.worst:g}"

    def _row(self, trial: Trial) -> dict[str, Any]:
        point = None if trial.outcome is None else self.point(trial)
        return {
            **trial.to_dict(),
            "risk": None if point is None else point.risk,
            "utility": None if point is None else point.utility,
            "faults": [] if point is None else [str(fault) for fault in self.faults(trial)],
        }
