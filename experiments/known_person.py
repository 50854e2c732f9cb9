"""``cloven reproduce known-person``: what is told of somebody in a release by setting, and the verdicts on it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from experiments.known_person_cases import audited, cases, lowered, sampled
from experiments.known_person_charts import all_charts
from experiments.known_person_page import page
from experiments.known_person_runs import DATA, WAYS, Thorough, first, loaded, measured, settings
from experiments.thesis_charts import svg

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cloven.data.transactions import Transactions

Plain = dict[str, Any]

FULL = Thorough(people=2_000, reconstructions=8)
TRIED = Thorough(records=3_000, people=500, reconstructions=2, linking=True)
SMALL = Thorough(records=400, people=50, divisions=1, reconstructions=1, linking=True)


def known_person(
    folder: Path, report: Callable[[str, float], None], *, quick: bool = False
) -> dict[str, str]:
    """Files: the page, the figures behind it, and charts."""
    from cloven.threats import Effort

    found: dict[str, list[Plain]] = {"ways": [], "settings": [], "cases": [], "lowered": []}
    names = DATA[:2] if quick else DATA
    for number, name in enumerate(names):

        def tell(step: str, name: str = name, number: int = number) -> None:
            report(f"{name}: {step}", 0.9 * number / len(names))

        data = loaded(folder, name, SMALL.records if quick else None)
        ways, tried, verdicts = of_data(name, data, tell, quick=quick)
        found["ways"] += ways
        found["settings"] += tried
        found["lowered"] += verdicts
    effort = Effort().quick() if quick else Effort()
    for name, words, data, method in cases(folder, quick=quick):
        report(f"case {name}: {words}", 0.95)
        found["cases"].append({"case": name, "setting": words, **audited(data, method, effort)})
    return shown(found)


def of_data(
    name: str, data: Transactions, tell: Callable[[str], None], *, quick: bool = False
) -> tuple[list[Plain], list[Plain], list[Plain]]:
    """One data set: the three ways on all records, the settings on a part, and verdicts for k and m."""
    from cloven.threats import Effort

    full, part = (SMALL, SMALL) if quick else (FULL, TRIED)
    ways, tried = [], []
    for words, method in WAYS.items():
        tell(words)
        ways.append({"setting": words, **measured(name, data, method, full)})
    some = first(data, part.records or len(data))
    for words, method in settings(len(some)).items():
        tell(words)
        tried.append({"setting": words, **measured(name, some, method, part)})
    tell("k and m")
    return ways, tried, lowered(name, sampled(data), Effort())


def shown(found: dict[str, list[Plain]]) -> dict[str, str]:
    """What was measured as files."""
    texts = {"known-person.md": page(found), "known-person.json": json.dumps(found, indent=1) + "\n"}
    return texts | {f"known-person/{name}.svg": svg(chart) for name, chart in all_charts(found).items()}
