"""Where settings are proposed: a study of Optuna with two objectives, risk (less) and utility (more).

Broken promises are a constraint, not a third objective: no number of useful itemsets makes up for a person who was
promised k candidates and has fewer. Parameters of a method are only asked for when the method was chosen. The sampler
is made anew for each proposal, its random numbers depend on the seed and on the number of settings told so far alone:
a search that was interrupted goes on as if it had not been.

The sampler is TPE (multivariate, grouped by method; Ozaki et al., GECCO 2020), after 5 random settings. Six samplers
were compared by the mean hypervolume of eight searches, on models (extremely randomised trees) of 41 settings of the
clinic sample and 43 of 2,000 groceries records, where no promise is broken and the risk is below 0.3:

====================  ====================  =======================
 sampler               clinic, 20 / 40       groceries, 20 / 40
====================  ====================  =======================
 TPE, 5 random         0.602 / 0.613         0.603 / 0.615
 TPE, 10 random        0.601 / 0.610         0.601 / 0.609
 TPE, univariate       0.600 / 0.610         0.601 / 0.605
 NSGA-II of 10         0.581 / 0.598         0.583 / 0.599
 NSGA-II of 20         0.579 / 0.592         0.586 / 0.596
 random                0.579 / 0.592         0.586 / 0.593
====================  ====================  =======================

A search has tens of settings, not thousands: 20 settings of TPE are worth more than 40 of NSGA-II, which needs
generations before it differs from chance.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cloven.errors import ParameterError
from cloven.model.space import Choice, Real, Whole
from cloven.tuning.trial import Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cloven.model.outcome import Outcome
    from cloven.model.space import Dimension
    from cloven.tuning.points import Point
    from cloven.tuning.varied import Varied

STUDY = "cloven"
RANDOM_TRIALS = 5
IMPOSSIBLE = 100.0
"""More than any number of broken promises on the scale of the constraint: exp(100) statements."""


def optuna() -> Any:
    """The library, told to be silent."""
    try:
        import optuna as library
    except ImportError as error:
        message = 'a search needs Optuna; install it with: pip install "cloven[tune]"'
        raise ParameterError(message) from error
    library.logging.set_verbosity(library.logging.ERROR)
    return library


def sampler(seed: int) -> Any:
    """What proposes settings."""
    return optuna().samplers.TPESampler(
        n_startup_trials=RANDOM_TRIALS, multivariate=True, group=True, seed=seed
    )


@dataclass
class Proposal:
    """A setting to try: the trial of the study, the method it is of, and its values."""

    asked: Any
    varied: Varied
    values: dict[str, Any]


@dataclass
class Searching:
    """A study that proposes settings and is told what they came to.

    Attributes:
        space: the methods and what is varied of each.
        point: places an outcome by risk and utility.
        seed: for the proposals.
        storage: where the study is kept; None for memory alone.
        trials: what is known, by name of the setting, in the order of trying.
    """

    space: tuple[Varied, ...]
    point: Callable[[Outcome], Point]
    seed: int
    storage: Any = None
    trials: dict[str, Trial] = field(default_factory=dict)
    _study: Any = None
    _told: int = 0

    def __post_init__(self) -> None:
        library = optuna()
        self._study = library.create_study(
            storage=self.storage, study_name=STUDY, directions=("minimize", "maximize"), load_if_exists=True
        )
        states = library.trial.TrialState
        for old in self._study.get_trials(deepcopy=False):
            if old.state in (states.COMPLETE, states.PRUNED):
                self._told += 1
                self._recall(old)
            else:  # left behind when the run before this one was interrupted
                self._study.tell(old.number, state=states.FAIL)

    def propose(self, varied: Varied | None = None, values: Mapping[str, Any] | None = None) -> Proposal:
        """The next setting; a certain one if it is named."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # parts of the sampler are marked as experimental
            self._study.sampler = sampler((self.seed + 7919 * self._told) % 2**32)
            if varied is not None:
                self._study.enqueue_trial(self._named(varied, values or {}))
            asked = self._study.ask()
            chosen = self._chosen(asked)
            wanted = {
                name: _suggest(asked, f"{chosen.name}.{name}", dimension)
                for name, dimension in chosen.dimensions.items()
            }
        return Proposal(asked, chosen, wanted)

    def tell(self, proposal: Proposal, trial: Trial) -> None:
        """What became of a proposal; a setting that was known already is told again but not kept twice."""
        asked, new = proposal.asked, trial.name not in self.trials
        asked.set_user_attr("trial", trial.to_dict() if new else trial.name)
        if trial.state == "impossible":
            asked.set_constraint("possible", IMPOSSIBLE)
        if trial.outcome is None:
            self._study.tell(asked, state=optuna().trial.TrialState.PRUNED)
        else:
            point = self.point(trial.outcome)
            asked.set_constraint("promises", math.log1p(trial.outcome.broken))
            self._study.tell(asked, (point.risk, point.utility))
        self._told += 1
        if new:
            self.trials[trial.name] = trial

    def _recall(self, old: Any) -> None:
        plain = old.user_attrs["trial"]
        if isinstance(plain, str):
            return
        chosen = self._chosen_in(old.params)
        values = {
            name: _short(old.params[f"{chosen.name}.{name}"], dimension)
            for name, dimension in chosen.dimensions.items()
        }
        method = None if plain["state"] == "impossible" else chosen.method(values)
        self.trials[plain["name"]] = Trial.from_dict(plain, method)

    def _named(self, varied: Varied, values: Mapping[str, Any]) -> dict[str, Any]:
        method = {"method": varied.name} if len(self.space) > 1 else {}
        return {**method, **{f"{varied.name}.{name}": value for name, value in values.items()}}

    def _chosen(self, asked: Any) -> Varied:
        if len(self.space) > 1:
            asked.suggest_categorical("method", [each.name for each in self.space])
        return self._chosen_in(asked.params)

    def _chosen_in(self, params: Mapping[str, Any]) -> Varied:
        name = params.get("method", self.space[0].name)
        return next(each for each in self.space if each.name == name)


def _suggest(asked: Any, name: str, dimension: Dimension) -> Any:
    if isinstance(dimension, Choice):
        return asked.suggest_categorical(name, dimension.values)
    if isinstance(dimension, Whole):
        return asked.suggest_int(name, dimension.low, dimension.high, log=dimension.log)
    return _short(asked.suggest_float(name, dimension.low, dimension.high, log=dimension.log), dimension)


def _short(value: Any, dimension: Dimension) -> Any:
    """A number with three digits, as somebody would type it, inside its range; other values as they are."""
    if not isinstance(dimension, Real):
        return value
    return min(max(float(f"{value:.3g}"), dimension.low), dimension.high)
