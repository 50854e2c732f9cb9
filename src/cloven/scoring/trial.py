"""One attack tried out: its guesses, guesswork and the control beside it, scored against the key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.scoring.control import guesswork_of
from cloven.scoring.score import score

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    from cloven.model.disassociated import Disassociated
    from cloven.model.key import Key
    from cloven.protocols import Attack
    from cloven.scoring.findings import Findings

STEADY = 10_000_000
"""Candidates above which one run of guesswork is as good as five."""


def trial(
    attack: Attack,
    release: Disassociated,
    key: Key,
    *,
    rng: np.random.Generator,
    control: Attack | None = None,
    chance_runs: int | None = None,
    vectors: Any = None,
    measures: Sequence[str] | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Findings:
    """Attack a release, and measure what came of it.

    Args:
        attack: sees the release alone.
        release: what is attacked.
        key: the owner's, for the measures.
        rng: random numbers for guesswork and intervals.
        control: the same attack without its knowledge; see ``scoring.control``.
        chance_runs: runs of guesswork; left out, five, or one where many candidates make one run steady enough.
        vectors: for word mover's distance; see ``score``.
        measures: groups of measures; see ``score``.
        progress: called with the step and the share done.

    >>> import cloven as cv, numpy as np
    >>> from cloven.attack.disassociated.guesswork import Guesswork
    >>> made = cv.Disassociation(k=5, m=2).anonymise(cv.sample("clinic"))
    >>> found = trial(Guesswork(), made.release, made.key, rng=np.random.default_rng(1), measures=["ranking"])
    >>> abs(found.get("auc").value - 0.5) < 0.03
    True
    """
    guesses = attack.guess(release, rng, progress)
    if chance_runs is None:
        chance_runs = 5 if len(guesses.questions.slots) <= STEADY else 1
    baseline = guesswork_of(guesses.attack)
    return score(
        guesses,
        release,
        key,
        # One after the other: the guesses of a large release fill memory.
        chance=(baseline.among(guesses.questions, release, rng) for _ in range(chance_runs)),
        control=None if control is None else control.guess(release, rng, progress),
        vectors=vectors,
        rng=rng,
        measures=measures,
    )
