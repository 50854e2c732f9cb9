"""One attack on a set-generalised release tried out: its eliminations and the control, scored against the key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.scoring.generalised.score import score_eliminations

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from cloven.attack.generalised.elimination import Elimination
    from cloven.attack.generalised.frequency import FrequencyElimination
    from cloven.attack.generalised.random_attack import RandomElimination
    from cloven.model.key_generalised import GeneralisedKey
    from cloven.model.set_generalised import SetGeneralised
    from cloven.scoring.findings import Findings


def trial_eliminations(
    attack: Elimination | RandomElimination | FrequencyElimination,
    release: SetGeneralised,
    key: GeneralisedKey,
    *,
    rng: np.random.Generator,
    control: Elimination | None = None,
    baselines: bool = True,
    draws: int = 1000,
    progress: Callable[[str, float], None] | None = None,
) -> Findings:
    """Attack a release, and measure what came of it.

    ``attack`` and ``control`` see the release alone; ``scoring.control.control_of`` makes the control.

    >>> import cloven as cv, numpy as np
    >>> made = cv.Coat(k=5, m=1).anonymise(cv.sample("clinic"))
    >>> found = trial_eliminations(cv.RandomElimination(), made.release, made.key, rng=np.random.default_rng(1))
    >>> found.get("auc").value
    0.5
    """
    report = progress or (lambda _step, _share: None)
    eliminations = attack.guess(release, rng, progress)
    shuffled = None if control is None else control.guess(release, rng, progress)
    report("measure", 0.0)
    found = score_eliminations(
        eliminations, release, key, rng=rng, control=shuffled, baselines=baselines, draws=draws
    )
    report("measure", 1.0)
    return found
