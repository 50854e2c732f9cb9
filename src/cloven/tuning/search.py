"""What is searched and where settings are proposed: a study of Optuna, of risk (less) and utility (more).

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

import inspect
import math
import warnings
from dataclasses import dataclass, field, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from cloven.data.defaults import K, L, M
from cloven.errors import ParameterError
from cloven.protocols import Choice, Real, Whole
from cloven.registry import anonymiser, anonymisers_of
from cloven.tuning.result import Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from cloven.disclosure.outcome import Outcome
    from cloven.protocols import Anonymiser, Dimension
    from cloven.storage.journal import Journal
    from cloven.tuning.result import Point


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
        journal: where it is kept; None for memory alone.
        trials: what is known, by name of the setting, in the order of trying.
    """

    space: tuple[Varied, ...]
    point: Callable[[Outcome], Point]
    seed: int
    journal: Journal | None = None
    trials: dict[str, Trial] = field(default_factory=dict)
    _study: Any = None
    _told: int = 0

    def __post_init__(self) -> None:
        self._study = optuna().create_study(directions=("minimize", "maximize"))
        if self.journal is not None:
            self.journal.recall(self._recall)

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
        if trial.state == "impossible":
            asked.set_constraint("possible", IMPOSSIBLE)
        if trial.outcome is None:
            told = self._study.tell(asked, state=optuna().trial.TrialState.PRUNED)
        else:
            point = self.point(trial.outcome)
            asked.set_constraint("promises", math.log1p(trial.outcome.broken))
            told = self._study.tell(asked, (point.risk, point.utility))
        if self.journal is not None:
            self.journal.add({**_plain(told), "trial": trial.to_dict() if new else trial.name})
        self._told += 1
        if new:
            self.trials[trial.name] = trial

    def _recall(self, entry: Mapping[str, Any]) -> None:
        """Take up what an earlier run was told, as if this one had been told it."""
        told, plain = _from_plain(entry), entry["trial"]
        if not isinstance(plain, str):
            chosen = self._chosen_in(entry["params"])
            values = {
                name: _short(entry["params"][f"{chosen.name}.{name}"], dimension)
                for name, dimension in chosen.dimensions.items()
            }
            method = None if plain["state"] == "impossible" else chosen.method(values)
            self.trials[plain["name"]] = Trial.from_dict(plain, method)
        self._study.add_trial(told)
        self._told += 1

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


def _plain(told: Any) -> dict[str, Any]:
    """A trial of the study as JSON."""
    to_json = optuna().distributions.distribution_to_json
    return {
        "params": told.params,
        "distributions": {name: to_json(each) for name, each in told.distributions.items()},
        "state": told.state.name,
        "values": told.values,
        "system": told.system_attrs,
    }


def _from_plain(entry: Mapping[str, Any]) -> Any:
    library = optuna()
    from_json = library.distributions.json_to_distribution
    told = library.trial.create_trial(
        state=library.trial.TrialState[entry["state"]],
        values=entry["values"],
        params=entry["params"],
        distributions={name: from_json(each) for name, each in entry["distributions"].items()},
        system_attrs=entry["system"],
    )
    if not all(math.isfinite(broken) for broken in told.constraints.values()):
        message = "a promise is broken by a number"
        raise ValueError(message)
    return told


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


# What is searched: for each method the parameters that vary, with their ranges, and those that stay.
#
# A method declares its ranges by ``space(data)``. The promise is the owner's: k, m and l never fall below what was
# asked for. A search may raise them, k up to fourfold, where that lowers the risk for little utility. Where groups are
# as large as l and k is no parameter (Anatomy), l is not below k either.


MOST_TIMES_K = 4


@dataclass(frozen=True)
class Varied:
    """One method of a search.

    Attributes:
        name: as it is registered.
        fixed: parameters that stay.
        dimensions: parameters that vary, each with its range.
    """

    name: str
    fixed: Mapping[str, Any]
    dimensions: Mapping[str, Dimension]

    def method(self, values: Mapping[str, Any] | None = None) -> Anonymiser:
        """The method with these values; without any, its default setting."""
        return anonymiser(self.name, **{**self.fixed, **(values or {})})  # type: ignore[no-any-return]

    def values_of(self, method: Anonymiser) -> dict[str, Any] | None:
        """The values that give this very method; None if it lies outside of what is searched."""
        try:
            values = {name: getattr(method, name) for name in self.dimensions}
            inside = all(_holds(self.dimensions[name], value) for name, value in values.items())
            return values if inside and self.method(values) == method else None
        except (AttributeError, ParameterError):
            return None

    def name_of(self, values: Mapping[str, Any]) -> str:
        """A name for values that need not make a method."""
        told = {name: value for name, value in {**self.fixed, **values}.items() if not is_dataclass(value)}
        return f"{self.name}:{','.join(f'{name}={_said(value)}' for name, value in told.items())}"

    def words(self) -> str:
        """What varies, in one line."""
        return (
            ", ".join(f"{name} {_range(dimension)}" for name, dimension in self.dimensions.items())
            or "nothing"
        )


def varied(
    data: Any,
    *,
    methods: Sequence[str] | None = None,
    k: int = K,
    m: int = M,
    l: int = L,
    fix: Mapping[str, Any] | None = None,
    vary: Sequence[str] | None = None,
) -> tuple[Varied, ...]:
    """What a search on this data varies; ``methods`` None for all that need nothing else, ``vary`` None for all of it.

    >>> import cloven as cv
    >>> print(varied(cv.sample("clinic"), k=3, vary=["k", "refine"])[0].words())
    k 3 to 12, refine yes or no
    """
    chosen = _methods(methods, data)
    fixed = dict(fix or {})
    _refuse_unknown(chosen, data, fixed, vary)
    out = []
    for name, maker in chosen.items():
        accepted, declared = inspect.signature(maker).parameters, maker.space(data)
        promise = {"k": k, "m": m, "l": l if "k" in accepted else max(k, l)}
        if "l" not in declared:  # the data have nothing that l is about
            del promise["l"]
        base = {key: value for key, value in {**promise, **fixed}.items() if key in accepted}
        base |= _started(anonymiser(name, **base), declared, vary)
        default = anonymiser(name, **base)
        space = {
            key: _with(
                _promised(dimension, promise[key], key) if key in promise else dimension,
                getattr(default, key),
            )
            for key, dimension in declared.items()
            if key not in fixed and (vary is None or key in vary)
        }
        if (
            space or vary is None or methods is not None
        ):  # whoever names parameters means the methods that have them
            out.append(Varied(name, base, space))
    return tuple(out)


def _methods(names: Sequence[str] | None, data: Any) -> dict[str, Any]:
    """Methods to search, of those for this kind of data."""
    known = {name: maker for name, maker in anonymisers_of(data).items() if hasattr(maker, "space")}
    for name in names or ():
        if name not in known:
            message = f"method {name!r} cannot be searched; those that can are {', '.join(sorted(known))}"
            raise ParameterError(message)
    if names is None:
        return {name: maker for name, maker in known.items() if getattr(maker, "SEARCHED_UNASKED", True)}
    return {name: known[name] for name in dict.fromkeys(names)}


def _started(default: Any, space: Mapping[str, Dimension], vary: Sequence[str] | None) -> dict[str, Any]:
    """Numbers that are left out by default and yet searched start where their range does."""
    return {
        key: dimension.low
        for key, dimension in space.items()
        if not isinstance(dimension, Choice)
        and getattr(default, key) is None
        and (vary is None or key in vary)
    }


def _refuse_unknown(
    chosen: Mapping[str, Any], data: Any, fix: Mapping[str, Any], vary: Sequence[str] | None
) -> None:
    accepted = sorted({name for maker in chosen.values() for name in inspect.signature(maker).parameters})
    declared = sorted({name for maker in chosen.values() for name in maker.space(data)})
    for what, names, known in (("fix", fix, accepted), ("vary", vary or (), declared)):
        for name in names:
            if name not in known:
                message = (
                    f"cannot {what} {name!r}: no parameter of what is searched; there are {', '.join(known)}"
                )
                raise ParameterError(message)
    both = sorted(set(fix) & set(vary or ()))
    if both:
        message = f"{both[0]!r} cannot be fixed and varied at once; leave it out of one of them"
        raise ParameterError(message)


def _promised(dimension: Dimension, least: int, name: str) -> Dimension:
    """The part of a range that keeps what was promised."""
    if isinstance(dimension, Choice):
        return Choice(tuple(value for value in dimension.values if value >= least) or (least,))
    high = min(dimension.high, MOST_TIMES_K * least) if name == "k" else dimension.high
    return type(dimension)(least, max(least, high), dimension.log)  # type: ignore[arg-type]  # whole stays whole


def _with(dimension: Dimension, value: Any) -> Dimension:
    """The range, widened so that it holds the default: it is always part of the comparison."""
    if isinstance(dimension, Choice):
        return dimension if value in dimension.values else Choice((value, *dimension.values))
    if value is None:
        return dimension
    return replace(dimension, low=min(dimension.low, value), high=max(dimension.high, value))


def _holds(dimension: Dimension, value: Any) -> bool:
    if isinstance(dimension, Choice):
        return value in dimension.values
    return isinstance(value, int | float) and dimension.low <= value <= dimension.high


def _range(dimension: Dimension) -> str:
    if isinstance(dimension, Whole | Real):
        return (
            f"{dimension.low} to {dimension.high}" if dimension.low < dimension.high else str(dimension.low)
        )
    words = [_said(value) for value in dimension.values]
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
