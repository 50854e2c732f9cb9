"""What a search found: every setting that was tried, the front of the best, the chosen one, and what to say of it.

``Tune.run`` gives it; the command line and a study on disk speak of its trials.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from cloven.audit.decision import BESIDE
from cloven.audit.loop import Audit
from cloven.disclosure.outcome import Outcome
from cloven.figures import counted, many, percent
from cloven.threats import Effort

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cloven.audit.decision import Reason
    from cloven.audit.report import AuditReport
    from cloven.audit.run import Progress
    from cloven.protocols import Anonymiser
    from cloven.tuning.search import Varied
    from cloven.tuning.tune import Tune


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
        doubts: what was damaged of the study that it went on with, in words.
    """

    tune: Tune
    trials: tuple[Trial, ...]
    default_name: str
    records: int
    sample_records: int | None
    space: tuple[Varied, ...]
    exhausted: bool
    seed: int
    doubts: tuple[str, ...] = ()

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
        """Whether there is a setting that satisfies the limits; which it is, or what is nearest."""
        accepted = self.tune.limits
        limits = f"risk up to {percent(accepted.max_risk)}, {percent(accepted.max_tail)} of the people"
        limits += " told as good as certainly"
        if accepted.min_utility:
            limits += f" and at least {percent(accepted.min_utility)} of {self.score_words}"
        if self.chosen is None:
            return f"No setting of {self.tried} satisfies the limits ({limits}). {self._nearest()}"
        number = len(self.satisfying)
        return (
            f"{number} of {many(self.tried, 'setting')} {'satisfies' if number == 1 else 'satisfy'} the limits"
            f" ({limits}); the most useful is {self._named(self.chosen)}."
        )

    @property
    def comparison(self) -> str:
        """Whether anything that was tried beats the default."""
        default, number = self._figures(self.default), len(self.dominating)
        if number:
            return (
                f"{many(number, 'setting')} {'beats' if number == 1 else 'beat'} the default ({default}) on risk and"
                f" utility; the most useful is {self._named(self.dominating[0])}."
            )
        return (
            f"None of {many(self.tried, 'setting')} beats the default ({default}): it lies on the front, and whatever"
            " has less risk keeps less."
        )

    def _nearest(self) -> str:
        """The least risk there is with enough utility, and the most utility there is with a risk that is accepted."""
        limits, point = self.tune.limits, self.point
        useful = [t for t in self.finished if point(t).utility >= limits.min_utility]
        whole = [t for t in self.finished if not point(t).broken and point(t).risk <= limits.max_risk]
        out = []
        if useful:
            best = min(useful, key=lambda t: (point(t).broken, point(t).risk))
            out.append(f"With enough utility, least risk has {self._named(best)}.")
        if whole:
            best = max(whole, key=lambda t: point(t).utility)
            out.append(
                f"With a risk that is accepted, {best.name} is the most useful: {self._figures(best)}."
            )
        if all(point(t).broken for t in self.finished):
            out.append("All of them break promises.")
        return " ".join(out) or "None has enough utility, and none a risk that is accepted."

    def _named(self, trial: Trial) -> str:
        return f"{trial.name}: {self._figures(trial)}"

    def _figures(self, trial: Trial) -> str:
        """Risk and utility of a setting."""
        point = self.point(trial)
        broken = 0 if trial.outcome is None else trial.outcome.broken
        breaks = f", {counted(broken, 'promises')} broken" if broken else ""
        return f"risk {percent(point.risk)}{breaks}, {self.score_words} {percent(point.utility)}"

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
        for trial in self.satisfying:
            if trial.method is None:
                continue
            audit = Audit(
                trial.method,
                knowledge=self.tune.knowledge,
                limits=limits,
                effort=effort or Effort(),
                advise=False,
                seed=self.seed + 1,
                title=title,
            )
            report = audit.run(data, progress)
            alone = report.decision.sentence.startswith(BESIDE) and len(report.decision.reasons) == 1
            if report.decision.verdict == "publish" or alone:  # another setting is no way out
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


# Settings as points: broken promises, risk, utility; and which of them no other one beats.


class Point(NamedTuple):
    """Where a setting lies; no broken promise, little risk and much utility are good."""

    broken: bool
    risk: float
    utility: float

    def beats(self, other: Point, margin: float = 0.0) -> bool:
        """At least as good in everything and better in something; with a margin, better by it in risk and utility.

        >>> Point(False, 0.1, 0.9).beats(Point(False, 0.1, 0.8)), Point(True, 0.1, 0.9).beats(Point(False, 0.1, 0.8))
        (True, False)
        >>> Point(False, 0.1, 0.9).beats(Point(False, 0.11, 0.89), margin=0.05)
        False
        """
        if self.broken > other.broken:
            return False
        if margin > 0:
            return self.risk + margin < other.risk and self.utility > other.utility + margin
        return self.risk <= other.risk and self.utility >= other.utility and self != other


def undominated(points: Sequence[Point]) -> list[int]:
    """Positions of the points that no other one beats, by rising risk; of equal points all.

    >>> undominated([Point(False, 0.3, 0.9), Point(False, 0.1, 0.8), Point(False, 0.2, 0.7)])
    [1, 0]
    """
    best = [here for here, point in enumerate(points) if not any(other.beats(point) for other in points)]
    return sorted(best, key=lambda here: (points[here].risk, -points[here].utility, here))


# One setting of a search: what it was, and what became of it.


State = Literal["finished", "pruned", "impossible"]


@dataclass(frozen=True)
class Trial:
    """One setting that was tried.

    Attributes:
        name: the setting in a few words.
        method: the method with this setting; None where the parameters exclude each other.
        state: ``finished`` on all records, ``pruned`` after the sample, or ``impossible``.
        outcome: figures on all records; None unless finished.
        sample: figures on the sample; None if none was tried.
        why: why it was pruned or is impossible.
    """

    name: str
    method: Anonymiser | None
    state: State
    outcome: Outcome | None = None
    sample: Outcome | None = None
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; what the attacks found in detail is left out."""
        return {
            "name": self.name,
            "state": self.state,
            "why": self.why,
            "outcome": _plain(self.outcome),
            "sample": _plain(self.sample),
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any], method: Anonymiser | None) -> Trial:
        """Back from plain values."""
        outcome, sample = (
            None if plain[name] is None else Outcome.from_dict(plain[name]) for name in ("outcome", "sample")
        )
        return cls(plain["name"], method, plain["state"], outcome, sample, plain["why"])


def headline(outcome: Outcome) -> Outcome:
    """An outcome without the details of its risks: they hold guesses, and a search keeps many outcomes."""
    return replace(outcome, risks=tuple(replace(risk, details={}) for risk in outcome.risks))


def impossible(name: str, why: str) -> Trial:
    """A setting whose parameters exclude each other, or that this data does not allow."""
    return Trial(name, None, "impossible", why=why)


def _plain(outcome: Outcome | None) -> dict[str, Any] | None:
    return None if outcome is None else outcome.to_dict()


# When a search ends, and what it says on the way: which setting, how many, the best so far, how long it may take.


@dataclass
class Watching:
    """The clock of one run of a search.

    Attributes:
        wanted: settings to try, with those of earlier runs.
        seconds: time after which no further one is begun; None for no limit.
        begun: when this run began.
        progress: called with words and the share of the search that is done.
    """

    wanted: int
    seconds: float | None
    begun: float
    progress: Progress | None = None
    _before: int | None = field(default=None)

    def goes_on(self, trials: Iterable[Trial]) -> bool:
        """Whether another setting is to be tried; the first one, the default, always is."""
        tried = count(trials)
        if self._before is None:
            self._before = tried
        late = self.seconds is not None and monotonic() - self.begun >= self.seconds
        return tried == 0 or (tried < self.wanted and not late)

    def report(self, trials: Iterable[Trial], best: str) -> Progress | None:
        """Progress of the next setting as progress of the search."""
        progress, tried = self.progress, count(trials)
        if progress is None:
            return None
        head = f"setting {tried + 1} of {self.wanted} ({best}{self._left(tried)})"
        return lambda step, share: progress(f"{head}: {step}", (tried + min(share, 0.99)) / self.wanted)

    def _left(self, tried: int) -> str:
        """How long it may take, judged by the settings of this run."""
        here = tried - (self._before or 0)
        if here < 2:
            return ""
        spent = monotonic() - self.begun
        left = spent / here * (self.wanted - tried)
        if self.seconds is not None:
            left = min(left, self.seconds - spent)
        return f", {_duration(left)} left"


def count(trials: Iterable[Trial]) -> int:
    """Settings that were tried; impossible ones cost nothing and do not count."""
    return sum(trial.state != "impossible" for trial in trials)


def _duration(seconds: float) -> str:
    """A time that may be wrong by a half, said so.

    >>> _duration(42.0), _duration(200.0), _duration(9000.0)
    ('about 40 s', 'about 3 min', 'about 2.5 h')
    """
    if seconds < 90:
        return f"about {max(10, round(seconds, -1)):.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"
