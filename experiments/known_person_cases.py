"""Constructed cases of ``cloven reproduce known-person``, and what a smaller k or m does to the verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.transactions import Transactions
from cloven.kinds.disassociated.methods import Disassociation
from experiments.known_person_runs import BEFORE, DEFAULT, PAPERS, Plain, first
from experiments.runs import SEED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cloven.disclosure.outcome import Outcome
    from cloven.threats import Effort

DIAGNOSES = ("asthma", "flu", "gout", "ulcer")
KS, MS = (10, 5, 3, 2), (2, 1)
SAMPLE = 3_000
MOST_ITEMS = 35_000
"""Items in all records of a sample at most: attackers who link parts take long where records are."""
CASES = {
    "papers": PAPERS,
    "before": BEFORE,
    "default": DEFAULT,
    "whole data": Disassociation(max_cluster_size=None),
}
"""Ways to publish that constructed cases are tried with."""


def names(people: int = 1_000) -> Transactions:
    """Records of a name, which nobody else has, and one of four diagnoses."""
    rng = np.random.default_rng(SEED)
    return Transactions.from_records(
        [[f"name {number:04}", DIAGNOSES[which]] for number, which in enumerate(rng.integers(4, size=people))]
    )


def shop(people: int = 1_000) -> Transactions:
    """Records of one of four diagnoses and four articles of 600, each independent of the others."""
    rng = np.random.default_rng(SEED)
    return Transactions.from_records(
        [
            [
                DIAGNOSES[rng.integers(4)],
                *(f"article {number:03}" for number in rng.choice(600, 4, replace=False)),
            ]
            for _ in range(people)
        ]
    )


def visits(people: int = 200, *, told: bool) -> Transactions:
    """Five equal records of each person, 6 items of 100; ``told`` says whose they are."""
    rng = np.random.default_rng(SEED)
    sets = [[f"item {number:02}" for number in rng.choice(100, 6, replace=False)] for _ in range(people)]
    data = Transactions.from_records([items for items in sets for _ in range(5)])
    return replace(data, persons=np.repeat(np.arange(people), 5)) if told else data


def adult(folder: Path, rows: int = SAMPLE) -> Any:
    """Random rows of Adult; the occupation is sensitive."""
    from experiments.slicing_data import OCCUPATION, sources

    table = next(source.table for source in sources(folder) if source.name == OCCUPATION)
    return table.take(np.sort(np.random.default_rng(SEED).permutation(len(table))[:rows]))


def cases(folder: Path, *, quick: bool = False) -> Iterator[tuple[str, str, Any, Any]]:
    """Name of the case, setting in words, data and method."""
    from cloven.kinds.tables.methods.mondrian import Mondrian

    people = 200 if quick else 1_000
    for name, data in (
        ("names", names(people)),
        ("shop", shop(people)),
        ("five records a person, not told", visits(people // 5, told=False)),
        ("five records a person, told", visits(people // 5, told=True)),
    ):
        for way, method in CASES.items():
            yield name, way, data, method
    table = adult(folder, 500 if quick else SAMPLE)
    for k, l in ((2, None), (5, None), (5, 4)):
        yield "Adult, occupation", f"mondrian k={k}{f', l={l}' if l else ''}", table, Mondrian(k=k, l=l)


def audited(data: Any, method: Any, effort: Effort) -> Plain:
    """Verdict of an audit that tries no other settings, and what it rests on."""
    from cloven.audit.loop import Audit

    report = Audit(method, effort=effort, advise=False, seed=SEED).run(data)
    return {
        "verdict": report.decision.verdict,
        "reasons": [str(reason) for reason in report.decision.reasons],
        "tails": tails(report.outcome),
        "told": told(report.outcome),
    }


def tails(outcome: Outcome) -> dict[str, list[float]]:
    """Of each kind the longest tail that is judged: members, outsiders, what being in adds, its upper end, attacker."""
    found: dict[str, list[Any]] = {}
    for risk in outcome.risks:
        for tail in risk.tails if risk.counts else ():
            row = [
                tail.members.value,
                tail.outsiders.value,
                tail.excess.value,
                tail.excess.upper,
                risk.threat,
            ]
            if tail.name not in found or row[3] > found[tail.name][3]:
                found[tail.name] = row
    return found


def told(outcome: Outcome) -> list[Any] | None:
    """The attacker that is compared with outsiders and gains most: members, outsiders, gain, its upper end, name."""
    compared: list[list[Any]] = [
        [risk.attacker.value, risk.outsiders.value, risk.excess.value, risk.excess.upper, risk.threat]
        for risk in outcome.risks
        if risk.counts
        and risk.linkage == "attribute"
        and risk.excess is not None
        and risk.attacker is not None
        and risk.outsiders is not None
    ]
    return max(compared, key=lambda row: row[3], default=None)


def sampled(data: Transactions) -> Transactions:
    """The first records, as many as may be."""
    fitting = int(np.searchsorted(data.offsets, MOST_ITEMS, "right")) - 1
    return first(data, max(1, min(SAMPLE, fitting)))


def lowered(name: str, data: Transactions, effort: Effort) -> list[Plain]:
    """Verdicts for every k and m, of the default method."""
    return [
        {"data": name, "k": k, "m": m, **audited(data, Disassociation(k=k, m=m), effort)}
        for k in KS
        for m in MS
    ]


def turned(rows: list[Plain]) -> list[tuple[Plain, Plain]]:
    """Pairs of settings where the weaker promise is published and the stronger one is not."""
    return [
        (strong, weak)
        for strong in rows
        for weak in rows
        if strong["data"] == weak["data"]
        and weak["k"] <= strong["k"]
        and weak["m"] <= strong["m"]
        and strong["verdict"] != "publish"
        and weak["verdict"] == "publish"
    ]
