"""Score an attack: guesses meet the key.

Every value stands beside chance (guessing, exact where a formula exists, else the mean over runs of the random
attack) and control (the same attack with shuffled relatedness), with intervals over clusters. An attack that does
not beat both has not used what words mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.errors import ParameterError
from cloven.model.disassociated import Disassociated
from cloven.model.guesses import Guesses
from cloven.model.key import Key
from cloven.scoring.belonging import check_guesses, check_same
from cloven.scoring.bench import Bench
from cloven.scoring.breakage import LIMIT
from cloven.scoring.calibration import calibrations
from cloven.scoring.counting import counts
from cloven.scoring.definitions import GROUPS
from cloven.scoring.findings import Findings
from cloven.scoring.movers import Vectors, check_vectors
from cloven.scoring.summary import summarised
from cloven.scoring.truth import truth

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray


def score(
    guesses: Guesses,
    release: Disassociated,
    key: Key,
    *,
    chance: Iterable[Guesses] = (),
    control: Guesses | None = None,
    vectors: Vectors | tuple[NDArray[Any], NDArray[np.bool_]] | None = None,
    rng: np.random.Generator,
    measures: Sequence[str] | None = None,
    draws: int = 1000,
    limit: int = LIMIT,
) -> Findings:
    """Measure guesses against the key.

    Args:
        guesses: what the attack answered.
        release: what it attacked.
        key: the owner's key to that release.
        chance: runs of the random attack on the same release, taken one after the other; the more, the steadier the
            mean.
        control: the same attack with shuffled relatedness.
        vectors: word vectors for the release's vocabulary and which items have one; needed for "movers".
        rng: random numbers for the bootstrap and for samples of records.
        measures: groups to compute, of "ranking", "rebuilt", "km", "movers"; by default all that can be.
        draws: bootstrap samples.
        limit: itemsets to look at in each k^m breakage, beyond which a sample of records is searched.

    Raises:
        ReleaseError: guesses, release and key do not belong together.
        ParameterError: something is of the wrong type, or a group of measures cannot be computed.

    >>> import cloven as cv, numpy as np
    >>> made = cv.Disassociation(k=5, m=2).anonymise(cv.sample("clinic"))
    >>> guesses = cv.Semantic(cv.Vectors.sample()).guess(made.release)
    >>> found = score(guesses, made.release, made.key, rng=np.random.default_rng(1), measures=["ranking"])
    >>> found.get("hit").value > found.get("hit").chance
    True
    """
    _check_types(guesses, release, key)
    groups = _chosen(measures, vectors=vectors is not None)
    check_guesses(guesses)
    runs = _Checked(guesses, "every run of chance", chance)
    known = None if vectors is None else check_vectors(Vectors(*vectors), len(release.vocabulary))
    answers = truth(guesses.questions, release, key)
    bench = Bench.of(guesses, release, answers, groups, known, rng, limit)
    measured = bench.measured(guesses)
    by_chance = bench.chance(runs)
    controls = _Checked(guesses, "control", () if control is None else (control,))
    by_control = next((bench.measured(other).tallies for other in controls), {})
    return Findings(
        findings=summarised(measured.tallies, by_chance, by_control, rng, draws),
        counts=counts(guesses, answers, bench.true, bench.asked),
        calibration=calibrations(guesses, answers, bench.asked) if "ranking" in groups else {},
        attack=guesses.attack,
        notes={"draws": draws, "chance_runs": runs.taken, **bench.notes(measured)},
    )


def _chosen(measures: Sequence[str] | None, *, vectors: bool) -> tuple[str, ...]:
    """Groups of measures in their usual order."""
    if measures is None:
        return GROUPS if vectors else GROUPS[:-1]
    if not measures or not set(measures) <= set(GROUPS):
        message = (
            f"measures must be some of {', '.join(GROUPS)} (got {', '.join(map(str, measures)) or 'none'})"
        )
        raise ParameterError(message)
    if "movers" in measures and not vectors:
        message = (
            "word mover's distance needs word vectors; give vectors=, or leave out the measures 'movers'"
        )
        raise ParameterError(message)
    return tuple(group for group in GROUPS if group in measures)


def _check_types(guesses: object, release: object, key: object) -> None:
    for name, value, kind in (
        ("guesses", guesses, Guesses),
        ("release", release, Disassociated),
        ("key", key, Key),
    ):
        _check_type(name, value, kind)


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
