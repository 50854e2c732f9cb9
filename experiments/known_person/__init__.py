"""``cloven reproduce known-person``: what is told of somebody in a release by setting, and the verdicts on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.harness.data import first
from experiments.harness.runs import Plain, Report, as_json, files
from experiments.known_person.page import charts, page
from experiments.known_person.runs import (
    DATA,
    WAYS,
    Thorough,
    audited,
    cases,
    loaded,
    lowered,
    measured,
    sampled,
    settings,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cloven.data.transactions import Transactions

FULL = Thorough(people=2_000, reconstructions=8)
TRIED = Thorough(records=3_000, people=500, reconstructions=2, linking=True)
SMALL = Thorough(records=400, people=50, divisions=1, reconstructions=1, linking=True)


def known_person(folder: Path, report: Report, *, quick: bool = False) -> dict[str, str]:
    """Files: the page, the figures behind it, and charts."""
    from cloven.threats import Effort

    found: dict[str, list[Plain]] = {"ways": [], "settings": [], "cases": [], "lowered": []}
    names = DATA[:2] if quick else DATA
    for number, name in enumerate(names):

        def tell(step: str, name: str = name, number: int = number) -> None:
            report(f"{name}: {step}", 0.9 * number / len(names))

        data = loaded(folder, name, SMALL.records if quick else None)
        for part, rows in of_data(name, data, tell, quick=quick).items():
            found[part] += rows
    effort = Effort().quick() if quick else Effort()
    for name, words, data, method in cases(folder, quick=quick):
        report(f"case {name}: {words}", 0.95)
        found["cases"].append({"case": name, "setting": words, **audited(data, method, effort)})
    return shown(found)


def of_data(
    name: str, data: Transactions, tell: Callable[[str], None], *, quick: bool = False
) -> dict[str, list[Plain]]:
    """One data set: the ways to publish on all records, the settings on a part, and verdicts for k and m."""
    from cloven.threats import Effort

    full, part = (SMALL, SMALL) if quick else (FULL, TRIED)
    some = first(data, part.records or len(data))
    found: dict[str, list[Plain]] = {"ways": [], "settings": []}
    for kind, chosen, thorough, methods in (
        ("ways", data, full, WAYS),
        ("settings", some, part, settings(len(some))),
    ):
        for words, method in methods.items():
            tell(words)
            found[kind].append({"setting": words, **measured(name, chosen, method, thorough)})
    tell("k and m")
    return found | {"lowered": lowered(name, sampled(data), Effort())}


def shown(found: dict[str, list[Plain]]) -> dict[str, str]:
    """What was measured as files."""
    return files("known-person", page(found), as_json(found), charts(found))
