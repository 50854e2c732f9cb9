"""Runs of ``cloven reproduce known-person``: one data set, one setting, what is told of people and what is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.transactions import Transactions
from cloven.kinds.disassociated.methods import Disassociation
from experiments.harness.data import PEOPLE, PUBLIC_DATA, first
from experiments.harness.runs import SEED, Plain
from experiments.hierarchical import Hierarchical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from cloven.disclosure.outcome import Outcome
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.threats import Effort, Threat

DATA = (
    "What's Cooking", "groceries", "BMS-WebView-1", "BMS-WebView-2", "ICD-9", "Synthea", "MovieLens", "disease-symptom",
)  # fmt: skip
FIRST = {"What's Cooking": 12_000}
"""Records of a data set that are used, where not all are."""
LONG = 10.0
"""Items of a record, on average, from which on there are too many links to try in an experiment."""
COMMON = 0.3
"""Only claims on items that fewer people hold count here, at every probability."""
FEW = 3_000
"""Below as many people fifteen divisions leave everybody out three times; else there are three."""
PAPERS = Disassociation(rare_items="cluster", refine=True, max_cluster_size=30)
BEFORE = Disassociation(rare_items="cluster", refine=True, max_cluster_size=120)
DEFAULT = Disassociation()
WAYS: dict[str, Disassociation] = {
    "papers": PAPERS,
    "before": BEFORE,
    "default": DEFAULT,
    "refined": Disassociation(refine=True),
}
"""The papers' way, the default before what is rare was withheld, the default, and the default refined."""
SIZES = (30, 120, 500, None)


def settings(people: int) -> dict[str, Disassociation]:
    """Settings to choose a default from, by a few words; the slow horizontal step only where there are few people."""
    found = {"before": BEFORE}
    for size in SIZES:
        for refine in (False, True):
            name = f"{'whole data' if size is None else f'max {size}'}{', refined' if refine else ''}"
            found[name] = Disassociation(max_cluster_size=size, refine=refine)
    for refine in (False, True):
        words = f"max 120{', refined' if refine else ''}, root of several"
        found[words] = Disassociation(refine=refine, root_chunks="several")
    if people < FEW:
        found["max 120, hierarchical"] = Disassociation(horizontal=Hierarchical())
    return found


@dataclass(frozen=True)
class Thorough:
    """How thoroughly one part of the experiment measures.

    Attributes:
        records: records of a data set at most.
        people: people of each division who are asked about at most.
        divisions: divisions of the people; 0 takes three, or fifteen where there are few.
        reconstructions: for the measures of utility.
        linking: whether attackers who link parts are tried too, where records are short.
    """

    records: int | None = None
    people: int = 2_000
    divisions: int = 0
    reconstructions: int = 3
    linking: bool = False


def loaded(folder: Path, name: str, most: int | None = None) -> Transactions:
    """A data set, or its first records."""
    data = (PUBLIC_DATA | PEOPLE)[name].load(folder)
    return first(data, min(FIRST.get(name, len(data)), len(data) if most is None else most))


def measured(name: str, data: Transactions, method: Disassociation, thorough: Thorough) -> Plain:
    """One run as plain figures: told of members and outsiders, linked, and kept."""
    from cloven.audit.loop import Audit
    from cloven.audit.run import Run

    audit = Audit(
        method, effort=_effort(data, thorough), threats=_threats(data, method, thorough), advise=False
    )
    method.anonymise(first(data, 100))  # what is compiled at first use is not timed
    run = Run(SEED)
    found = audit.evaluate(data, method, run)
    release: Disassociated = found.result.release
    kept = {each.name: each.value for each in found.outcome.utility.measures}
    risks = {risk.threat: risk for risk in found.outcome.risks}
    told = risks["a known person"]
    return {
        "data": name,
        "records": len(data),
        "clusters": release.clusters,
        "told": {way["known"]: _plain(way) for way in told.details.get("ways", ())},
        "linked": {
            threat: None if risk.attacker is None else [risk.attacker.value, risk.attacker.upper]
            for threat, risk in risks.items()
            if threat != told.threat
        },
        "items_kept": kept["items kept"],
        "ceiling": ceiling(data, method.k),
        "pairs_kept": kept["pairs kept"],
        "tkd": kept["tKd"],
        "tkd_sets": tkd_of_sets(data, release, audit.effort),
        "re": kept.get("re"),
        "seconds": run.seconds["anonymise"],
    }


def _plain(way: Plain) -> Plain:
    """One way of knowing: members, outsiders, and what being in the release adds with the upper end of it."""
    found = way["same_size"]
    tails = {"told": found["0.8"], "told_95": found["0.95"], "certain": found["certain"]}
    return {
        "people": way["people"],
        "precision": way["precision"]["members"]["0.8"],
        **{
            name: [tail["members"][0], tail["outsiders"][0], tail["excess"][0], _upper(tail["excess"])]
            for name, tail in tails.items()
        },
    }


def _upper(estimate: list[float | None]) -> float | None:
    return estimate[0] if estimate[2] is None else estimate[2]


def ceiling(data: Transactions, k: int) -> float:
    """Share of the occurrences whose item k or more people hold: no promise of k candidates lets more be kept.

    >>> from cloven.data.transactions import Transactions
    >>> ceiling(Transactions.from_records([["a", "b"], ["a"], ["a"]]), 3)
    0.75
    """
    return float(data.supports[data.holders >= k].sum() / max(1, len(data.codes)))


def tkd_of_sets(data: Transactions, release: Disassociated, effort: Effort) -> float:
    """Deviation (tKd) of the most frequent sets of two and more items: single items cannot hide in it."""
    from cloven.reconstruction import reconstruct_many
    from cloven.statistics.mining import top_itemsets
    from cloven.statistics.yardstick import top_k_deviation

    wanted = top_itemsets(data, effort.top, min_size=2)
    worlds = reconstruct_many(release, effort.reconstructions, np.random.default_rng(SEED))
    found = [top_k_deviation(wanted, top_itemsets(world, effort.top, min_size=2)) for world in worlds]
    return float(np.mean(found))


def _effort(data: Transactions, thorough: Thorough) -> Effort:
    from cloven.threats import Effort

    effort = Effort().quick()
    return replace(
        effort,
        most_candidates=500_000,
        tries=10,
        top=1_000,
        reconstructions=thorough.reconstructions,
        splits=thorough.divisions or (15 if len(data) < FEW else 3),
        most_people=thorough.people,
    )


def _threats(data: Transactions, method: Disassociation, thorough: Thorough) -> tuple[Threat, ...]:
    """The known person, read by the reader that counts every place; and who links parts."""
    from cloven.kinds.disassociated.attack.known_person import KnownPerson
    from cloven.kinds.disassociated.threats import release_alone, the_method
    from cloven.kinds.known_person import known_person, ways
    from cloven.statistics.telling import News

    def everywhere(release: Disassociated) -> Callable[[Any, float], dict[str, Any]]:
        found = {"everywhere": KnownPerson.of(release, "everywhere")}
        return lambda _known, _floor: found

    judged = tuple(way for way in ways(method.m) if way.counts and way.which != "worst")
    short = len(data.codes) < LONG * len(data)
    linking = (release_alone(), the_method()) if thorough.linking and short else ()
    rare = News(levels=((COMMON, 0.0),))
    return (known_person(method.m, everywhere, rare, known=judged), *linking)


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
    from experiments.slicing.data import OCCUPATION, sources

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
