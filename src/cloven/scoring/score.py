"""Score an attack: guesses meet the key.

Every value stands beside chance (guessing, exact where a formula exists, else the mean over runs of the random
attack) and control (the same attack with shuffled relatedness), with intervals over clusters. An attack that does
not beat both has not used what words mean.

Guesses may answer a random sample of the targets. The measures of ranking are means over targets, so their values on
a sample are estimates of the values on all. Rebuilt records need every part, so the other groups are left out there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.errors import ParameterError
from cloven.model.disassociated import Disassociated
from cloven.model.guesses import Guesses
from cloven.model.key import Key
from cloven.scoring.belonging import check_asked, check_guesses, check_same, check_sample
from cloven.scoring.bench import Bench
from cloven.scoring.breakage import LIMIT
from cloven.scoring.calibration import calibrations
from cloven.scoring.counting import counts
from cloven.scoring.definitions import GROUPS
from cloven.scoring.findings import Findings
from cloven.scoring.movers import Vectors, check_vectors
from cloven.scoring.summary import summarised
from cloven.scoring.truth import Truth, truth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cloven.model.guesses import Questions
    from cloven.scoring.bench import Measured
    from cloven.scoring.tally import Tallies


def score(
    guesses: Guesses,
    release: Disassociated,
    key: Key | Truth,
    *,
    chance: Iterable[Guesses] = (),
    control: Guesses | None = None,
    vectors: Vectors | tuple[NDArray[Any], NDArray[np.bool_]] | None = None,
    rng: np.random.Generator,
    measures: Sequence[str] | None = None,
    draws: int = 1000,
    limit: int = LIMIT,
    asked: Questions | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Findings:
    """Measure guesses against the key.

    Args:
        guesses: what the attack answered: all targets, or a sample of them that says so.
        release: what it attacked.
        key: the owner's key to that release, or the truth that was read from it about the same questions.
        chance: runs of the random attack on the same release, taken one after the other; the more, the steadier the
            mean.
        control: the same attack with shuffled relatedness.
        vectors: word vectors for the release's vocabulary and which items have one; needed for "movers".
        rng: random numbers for the bootstrap and for samples of records.
        measures: groups to compute, of "ranking", "rebuilt", "km", "movers"; by default all that can be. On a sample
            of the targets only "ranking" can be; the notes name what was left out.
        draws: bootstrap samples.
        limit: itemsets to look at in each k^m breakage, beyond which a sample of records is searched.
        asked: what the attack was asked; if it is given, other answers are refused. Whoever draws the sample should
            give it: a sample that an attack has drawn for itself may be what it finds easy.
        progress: called with "measure" and the share done.

    Raises:
        ReleaseError: guesses, release and key do not belong together, or the attack left out targets.
        ParameterError: something is of the wrong type, or a group of measures cannot be computed.

    >>> import cloven as cv, numpy as np
    >>> made = cv.Disassociation(k=5, m=2).anonymise(cv.sample("clinic"))
    >>> guesses = cv.Semantic(cv.Vectors.sample()).guess(made.release)
    >>> found = score(guesses, made.release, made.key, rng=np.random.default_rng(1), measures=["ranking"])
    >>> found.get("hit").value > found.get("hit").chance
    True
    """
    _check_types(guesses, release, key)
    groups, left_out = _chosen(measures, vectors=vectors is not None, sample=guesses.questions.is_sample)
    check_guesses(guesses)
    if asked is not None:
        check_asked(guesses.questions, asked)
    elif guesses.questions.is_sample:
        check_sample(guesses.questions, release)
    runs = _Checked(guesses, "every run of chance", chance)
    known = None if vectors is None else check_vectors(Vectors(*vectors), len(release.vocabulary))
    report = progress or (lambda _step, _share: None)
    report("measure", 0.0)
    answers = _answers(key, guesses, release)
    bench = Bench.of(guesses, release, answers, groups, known, rng, limit)
    measured, by_chance, by_control = _measured(bench, guesses, runs, control, report)
    notes = {"draws": draws, "chance_runs": runs.taken, **bench.notes(measured)}
    found = Findings(
        findings=summarised(measured.tallies, by_chance, by_control, rng, draws),
        counts=counts(guesses, answers, bench.true, bench.asked),
        calibration=calibrations(guesses, answers, bench.asked) if "ranking" in groups else {},
        attack=guesses.attack,
        notes=notes | _sample(guesses.questions, left_out),
    )
    report("measure", 1.0)
    return found


def _measured(
    bench: Bench,
    guesses: Guesses,
    runs: _Checked,
    control: Guesses | None,
    report: Callable[[str, float], None],
) -> tuple[Measured, Tallies, Tallies]:
    """The attack, chance and control on the same bench."""
    report("measure", 0.2)
    measured = bench.measured(guesses)
    report("measure", 0.4)
    by_chance = bench.chance(runs)
    report("measure", 0.6)
    controls = _Checked(guesses, "control", () if control is None else (control,))
    by_control: Tallies = next((bench.measured(other).tallies for other in controls), {})
    report("measure", 0.8)
    return measured, by_chance, by_control


def _answers(key: Key | Truth, guesses: Guesses, release: Disassociated) -> Truth:
    if isinstance(key, Key):
        return truth(guesses.questions, release, key)
    check_asked(guesses.questions, key.questions)
    return key


def _sample(questions: Questions, left_out: Sequence[str]) -> dict[str, Any]:
    """What to say about a sample; nothing if all targets were asked about."""
    if not questions.is_sample:
        return {}
    told = {
        "targets": len(questions),
        "targets_in_all": questions.targets_in_all,
        "candidates": len(questions.slots),
        "candidates_in_all": questions.candidates_in_all,
        "left_out": list(left_out),
    }
    return {"sample": told}


def _chosen(
    measures: Sequence[str] | None, *, vectors: bool, sample: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Groups of measures in their usual order, and those that a sample of the targets does not allow."""
    if measures is not None and (not measures or not set(measures) <= set(GROUPS)):
        message = (
            f"measures must be some of {', '.join(GROUPS)} (got {', '.join(map(str, measures)) or 'none'})"
        )
        raise ParameterError(message)
    if measures is not None and "movers" in measures and not vectors:
        message = (
            "word mover's distance needs word vectors; give vectors=, or leave out the measures 'movers'"
        )
        raise ParameterError(message)
    wanted = tuple(
        group
        for group in GROUPS
        if (group in measures if measures is not None else group != "movers" or vectors)
    )
    if not sample:
        return wanted, ()
    if "ranking" not in wanted:
        message = f"{', '.join(wanted)} need all targets, but the guesses answer a sample of them; measure 'ranking'"
        raise ParameterError(message)
    return ("ranking",), wanted[1:]


def _check_types(guesses: object, release: object, key: object) -> None:
    for name, value, kind in (
        ("guesses", guesses, Guesses),
        ("release", release, Disassociated),
    ):
        _check_type(name, value, kind)
    if not isinstance(key, Truth):
        _check_type("key", key, Key)


def _check_type(name: str, value: object, kind: type) -> None:
    if not isinstance(value, kind):
        message = f"{name} must be of type {kind.__name__} (got {type(value).__name__})"
        raise ParameterError(message)


class _Checked:
    """Other guesses about the same questions, checked as they come; ``taken`` counts them."""

    def __init__(self, guesses: Guesses, name: str, others: Iterable[Guesses]) -> None:
        self._guesses, self._name, self._others = guesses, name, others
        self.taken = 0

    def __iter__(self) -> Iterator[Guesses]:
        if isinstance(self._others, Guesses):
            message = f"{self._name} must stand in a list, even if there is one"
            raise ParameterError(message)
        for other in self._others:
            _check_type(self._name, other, Guesses)
            check_guesses(other)
            check_same(self._guesses.questions, other.questions)
            self.taken += 1
            yield other
