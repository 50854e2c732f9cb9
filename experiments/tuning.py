"""``cloven reproduce tuning``: is there a setting that beats the default on risk and utility?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.public_data import PUBLIC_DATA
from experiments.runs import SEED
from experiments.thesis_charts import svg
from experiments.tuning_charts import chart
from experiments.tuning_page import page, slug

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cloven.data.transactions import Transactions
    from cloven.disclosure.outcome import Outcome
    from cloven.tuning import Tuned
    from cloven.tuning.tuned import Trial

DATA = ("groceries", "What's Cooking", "BMS-WebView-1")
TRIALS = 30
AGAIN = 3
"""Settings that are measured again beside the default."""


def tuning(folder: Path, report: Callable[[str, float], None], *, quick: bool = False) -> dict[str, str]:
    """Files: the page, the figures behind it, and charts."""
    found = []
    for number, name in enumerate(DATA):
        data = PUBLIC_DATA[name].load(folder)
        if quick:
            data = data.take(np.arange(1_000))

        def tell(step: str, share: float, name: str = name, number: int = number) -> None:
            report(f"{name}: {step}", (number + share) / len(DATA))

        found.append(searched(name, data, tell, quick=quick))
    return shown(found)


def searched(
    name: str, data: Transactions, report: Callable[[str, float], None], *, quick: bool = False
) -> dict[str, Any]:
    """One data set as plain figures: the search, and the default and what beats it measured again."""
    from cloven.threats import Effort
    from cloven.tuning import Tune

    tune = Tune(("disassociation",), trials=5 if quick else TRIALS, seed=SEED)
    tuned = tune.run(data, progress=report)
    again = {}
    for trial in (tuned.default, *chosen_again(tuned)):
        report(f"again {trial.name}", 1.0)
        again[trial.name] = _again(data, trial, Effort().quick() if quick else Effort())
    return {
        "data": name,
        "records_in_all": len(data),
        **tuned.to_dict(),
        "again": {setting: _figures(tuned, outcome) for setting, outcome in again.items()},
    }


def chosen_again(tuned: Tuned) -> list[Trial]:
    """What is worth a second look: the settings that beat the default by most in both."""
    default = tuned.point(tuned.default)

    def gain(trial: Trial) -> float:
        point = tuned.point(trial)
        return min((default.risk - point.risk) / max(default.risk, 1e-9), point.utility - default.utility)

    return sorted(tuned.dominating, key=gain, reverse=True)[:AGAIN]


def shown(found: list[dict[str, Any]]) -> dict[str, str]:
    """What was measured as files."""
    files = {"tuning.md": page(found), "tuning.json": json.dumps(found, indent=1) + "\n"}
    return files | {f"tuning/{slug(one['data'])}.svg": svg(chart(one)) for one in found}


def _again(data: Transactions, trial: Trial, effort: Any) -> Outcome:
    """The same setting, in full, with other random numbers: the best of many measurements is often lucky."""
    from cloven.audit.loop import Audit
    from cloven.audit.run import Run

    if trial.method is None:
        raise ValueError(trial.name)
    audit = Audit(trial.method, effort=effort, advise=False)
    return audit.evaluate(data, trial.method, Run(SEED + 1)).outcome


def _figures(tuned: Tuned, outcome: Outcome) -> dict[str, Any]:
    point, worst, kept = (
        tuned.tune.point(outcome),
        outcome.worst,
        outcome.utility.get(tuned.tune.limits.measure),
    )
    attacker = None if worst is None or worst.judged is None else worst.judged
    return {
        "risk": point.risk,
        "value": None if attacker is None else attacker.value,
        "low": None if attacker is None else attacker.low,
        "threat": None if worst is None else worst.threat,
        "broken": outcome.broken,
        "utility": point.utility,
        "utility_low": kept.low,
        "utility_high": kept.high,
    }
