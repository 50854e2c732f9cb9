"""``cloven reproduce known-person``: what is told of somebody in a release by setting, and the verdicts on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.harness.claims import measured as figures_of
from experiments.harness.data import first
from experiments.harness.page import Experiment
from experiments.known_person.page import CLAIMS, page, picture
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
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from cloven.data.transactions import Transactions
    from experiments.harness.figures import Row, Tables
    from experiments.harness.runs import Plain, Report

FULL = Thorough(people=2_000, reconstructions=8)
TRIED = Thorough(records=3_000, people=500, reconstructions=2, linking=True)
SMALL = Thorough(records=400, people=50, divisions=1, reconstructions=1, linking=True)


def run(folder: Path, report: Report, *, quick: bool = False) -> Tables:
    """The ways to publish, the settings, constructed cases, and verdicts for k and m."""
    from cloven.threats import Effort

    kept: Tables = {"runs": [], "told": [], "cases": [], "verdicts": []}
    names = DATA[:2] if quick else DATA
    for number, name in enumerate(names):

        def tell(step: str, name: str = name, number: int = number) -> None:
            report(f"{name}: {step}", 0.9 * number / len(names))

        data = loaded(folder, name, SMALL.records if quick else None)
        for table, rows in of_data(name, data, tell, quick=quick).items():
            kept[table] += rows
    effort = Effort().quick() if quick else Effort()
    for name, words, data, method in cases(folder, quick=quick):
        report(f"case {name}: {words}", 0.95)
        kept["cases"].append({"case": name, "setting": words, **case_row(audited(data, method, effort))})
    return kept | {"claims": figures_of(CLAIMS, kept)}


def of_data(name: str, data: Transactions, tell: Callable[[str], None], *, quick: bool = False) -> Tables:
    """One data set: the ways to publish on all records, the settings on a part, and verdicts for k and m."""
    from cloven.threats import Effort

    full, part = (SMALL, SMALL) if quick else (FULL, TRIED)
    some = first(data, part.records or len(data))
    kept: Tables = {"runs": [], "told": []}
    for kind, chosen, thorough, methods in (
        ("ways", data, full, WAYS),
        ("settings", some, part, settings(len(some))),
    ):
        for words, method in methods.items():
            tell(words)
            found = measured(name, chosen, method, thorough)
            kept["runs"].append({"part": kind, "data": name, "setting": words, **run_row(found)})
            if kind == "ways":
                kept["told"] += [
                    {"data": name, "setting": words, "known": known, **_sides("told", way["told"])}
                    for known, way in found["told"].items()
                ]
    tell("k and m")
    verdicts: list[Row] = [
        {"data": name, "k": row["k"], "m": row["m"], "verdict": row["verdict"]}
        for row in lowered(name, sampled(data), Effort())
    ]
    return kept | {"verdicts": verdicts}


def run_row(found: Plain) -> Row:
    """One run, with the way of knowing that tells most."""
    ways = list(found["told"].values())
    right = [way["precision"] for way in ways if way["precision"] is not None]
    linked = {name: found["linked"].get(threat) for name, threat in LINKED.items()}
    return {
        "records": found["records"],
        "told_adds": max((way["told"][2] for way in ways), default=0.0),
        "told_upper": max((way["told"][3] for way in ways), default=0.0),
        **_sides("certain", max((way["certain"] for way in ways), key=lambda tail: tail[2], default=None)),
        "precision_least": min(right, default=None),
        "precision_most": max(right, default=None),
        **{name: found[name] for name in KEPT},
        **{name: None if pair is None else pair[0] for name, pair in linked.items()},
        "clusters": found["clusters"],
        "seconds": found["seconds"],
    }


LINKED = {"release_alone": "release alone", "method": "method"}
KEPT = ("items_kept", "ceiling", "pairs_kept", "tkd", "tkd_sets", "re")


def case_row(found: Plain) -> Row:
    """One audit of a constructed case: its verdict, and what is told of members beyond outsiders."""
    told = found["told"]
    return {
        "verdict": found["verdict"],
        "attack": None if told is None else told[4],
        **_sides("told", told),
        **_sides("near_certain", found["tails"].get("told at 0.95")),
        **_sides("certain", found["tails"].get("certain")),
        "reasons": "; ".join(found["reasons"][:2]),
    }


def _sides(name: str, tail: Sequence[float | None] | None) -> Row:
    """Members, outsiders, what being in adds, and the upper end of it."""
    values = [None] * 4 if tail is None else tail[:4]
    return {f"{name}_{side}": value for side, value in zip(SIDES, values, strict=True)}


SIDES = ("members", "outsiders", "adds", "upper")
EXPERIMENT = Experiment("known-person", run, page, picture)
