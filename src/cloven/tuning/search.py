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
import json
import math
import os
import secrets
import warnings
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.data.defaults import K, L, M
from cloven.errors import OutputError, ParameterError, ReleaseError
from cloven.protocols import Choice, Real, Whole
from cloven.registry import anonymiser, anonymisers_of
from cloven.storage.atomic import PRIVATE_FILE, PRIVATE_FOLDER, refuse_inside_release, write_bytes
from cloven.tuning.result import Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from cloven.disclosure.outcome import Outcome
    from cloven.protocols import Anonymiser, Dimension
    from cloven.tuning.result import Point


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


# A search on disk: a private folder with Optuna's journal and a note of what is searched, in which data.
#
# It knows what attacks reach on the owner's data, so it is the owner's alone (mode 0700) and is refused inside a
# release. The note binds it: other data, another space or another seed are another search.


FORMAT = "cloven.study/1"
NOTE, JOURNAL, LOCK = "study.json", "journal.log", "lock"
MOST_BYTES = 1_000_000


@contextmanager
def study_folder(
    path: str | os.PathLike[str], asked: Mapping[str, Any], seed: int | None
) -> Iterator[tuple[Path, int]]:
    """Open a study, or make it; gives its journal and the seed that it was begun with.

    Args:
        path: the folder.
        asked: what is searched and in which data, as plain JSON values.
        seed: the seed that was asked for; None takes the one of the study, or a new one.

    Raises:
        ReleaseError: it is a study of something else, or another run works on it.
        OutputError: it cannot be written.
    """
    folder = Path(path)
    refuse_inside_release(folder / NOTE)
    with ExitStack() as held:
        try:
            folder.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
            held.enter_context(_alone(folder))
            known = (folder / NOTE).exists()
            used = _checked(folder, asked, seed) if known else _begin(folder, asked, seed)
            _mend(folder / JOURNAL)
        except OSError as error:
            message = f"{folder}: the study cannot be written ({error.strerror or error}); name another place"
            raise OutputError(message) from error
        try:
            yield folder / JOURNAL, used
        except ParameterError:
            if not known:  # a search that cannot be begun leaves nothing in the way of the next
                _remove(folder)
            raise


def new_seed() -> int:
    """A seed from the operating system."""
    return secrets.randbelow(2**31)


def storage(journal: Path) -> Any:
    """Optuna's storage in a journal."""
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

    try:
        return JournalStorage(JournalFileBackend(str(journal), JournalFileOpenLock(str(journal))))
    except (ValueError, KeyError) as error:
        message = f"{journal}: cannot be read ({error}); remove the folder and search again"
        raise ReleaseError(message) from error


def _begin(folder: Path, asked: Mapping[str, Any], seed: int | None) -> int:
    others = [each.name for each in folder.iterdir() if each.name != LOCK]
    if others:
        message = f"{folder}: is no study, but holds {others[0]!r}; name a new folder"
        raise ReleaseError(message)
    folder.chmod(PRIVATE_FOLDER)
    used = new_seed() if seed is None else seed
    note = {"format": FORMAT, "seed": used, **asked}
    write_bytes(folder / JOURNAL, b"", PRIVATE_FILE)
    write_bytes(folder / NOTE, (json.dumps(note, indent=1, ensure_ascii=False) + "\n").encode(), PRIVATE_FILE)
    return used


def _remove(folder: Path) -> None:
    """Take a study away again; what is not part of it stays."""
    with suppress(OSError):
        for name in (JOURNAL, NOTE, LOCK):
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()


def _checked(folder: Path, asked: Mapping[str, Any], seed: int | None) -> int:
    known = _note(folder / NOTE)
    if known.get("data") != asked["data"]:
        prints = f"fingerprint {str(known.get('data'))[:8]}..., this file has {asked['data'][:8]}..."
        message = f"{folder}: is the study of another data set ({prints}); name another one, or remove it"
        raise ReleaseError(message)
    wanted = asked if seed is None else {**asked, "seed": seed}
    for name, value in wanted.items():
        if known.get(name) != value:
            message = (
                f"{folder}: is the study of another search: {name} was {_shown(known.get(name))} and is now"
                f" {_shown(value)}; name another one, or remove it"
            )
            raise ReleaseError(message)
    return int(known["seed"])


def _note(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError
        note = json.loads(path.read_bytes())
        if note["format"] != FORMAT or not isinstance(note["seed"], int):
            raise ValueError
    except (ValueError, TypeError, KeyError) as error:
        message = f"{path}: is no note of a study ({FORMAT}); name another folder"
        raise ReleaseError(message) from error
    return dict(note)


def _mend(journal: Path) -> None:
    """Take back a last line that a killed run did not finish, and the lock that it held."""
    with suppress(FileNotFoundError):
        Path(f"{journal}.lock").unlink()
    content = journal.read_bytes() if journal.exists() else b""
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(journal, whole)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Refuse a study that another run works on. Windows cannot lock so, and goes without."""
    if os.name == "nt":
        yield
        return
    from fcntl import LOCK_EX, LOCK_NB, flock

    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    try:
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
        except BlockingIOError as error:
            message = f"{folder}: another run works on this study; wait for it, or name another one"
            raise ReleaseError(message) from error
        yield
    finally:
        os.close(descriptor)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


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
