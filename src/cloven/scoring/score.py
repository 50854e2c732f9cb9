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
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


def score(
    guesses: Guesses,
    release: Disassociated,
    key: Key,
    *,
    chance: Sequence[Guesses] = (),
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
        chance: runs of the random attack on the same release; the more, the steadier the mean.
        control: the same attack with shuffled relatedness.
        vectors: word vectors for the release's vocabulary and which items have one; needed for "movers".
        rng: random numbers for the bootstrap and for samples of records.
        measures: groups to compute, of "ranking", "rebuilt", "km", "movers"; by default all that can be.
        draws: bootstrap samples.
        limit: itemsets to look at in each k^m breakage, beyond which a sample of records is searched.

    Raises:
        ReleaseError: guesses, release and key do not belong together.
        ParameterError: something is of the wrong type, or a group of measures cannot be computed.
    """
    _check_types(guesses, release, key, chance, control)
    groups = _chosen(measures, vectors=vectors is not None)
    for other in (guesses, *chance, *(() if control is None else (control,))):
        check_guesses(other)
        check_same(guesses.questions, other.questions)
    known = None if vectors is None else check_vectors(Vectors(*vectors), len(release.vocabulary))
    answers = truth(guesses.questions, release, key)
    bench = Bench.of(guesses, release, answers, groups, known, rng, limit)
    measured = bench.measured(guesses)
    by_chance = bench.chance(chance)
    by_control = {} if control is None else bench.measured(control).tallies
    return Findings(
        findings=summarised(measured.tallies, by_chance, by_control, rng, draws),
        counts=counts(guesses, answers, bench.true),
        calibration=calibrations(guesses, answers, bench.asked) if "ranking" in groups else {},
        attack=guesses.attack,
        notes={"draws": draws, "chance_runs": len(chance), **bench.notes(measured)},
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


def _check_types(guesses: object, release: object, key: object, chance: object, control: object) -> None:
    runs = list(chance) if isinstance(chance, list | tuple) else [chance]
    expected: list[tuple[str, object, type]] = [
        ("guesses", guesses, Guesses),
        ("release", release, Disassociated),
        ("key", key, Key),
        *(("every run of chance", run, Guesses) for run in runs),
        *([] if control is None else [("control", control, Guesses)]),
    ]
    for name, value, kind in expected:
        if not isinstance(value, kind):
            message = f"{name} must be of type {kind.__name__} (got {type(value).__name__})"
            raise ParameterError(message)
