"""What the project asks of its speed, and whether the figures keep it; every sentence is made from them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Row = Mapping[str, Any]
    Parts = Mapping[str, list[Row]]

READING, CORES, EIGHTFOLD, PLAIN, OTHERS = 3.0, 1.6, 10.0, 100.0, 50.0
DIVIDED = 0.75
"""Of the work of a stage: with less of it on two cores, no stage becomes 1.6 times as fast."""
LARGE, GIGABYTES, SECONDS = 10_000_000, 8.0, 600.0
AUDITED, MINUTE = 10_000_000, 60.0
STEPS = ("sort", "horizontal", "vertical", "refine", "root", "verify")
PLAIN_ON = "T10I4D100K"
WORKS = {"split_s": "H + V", "anonymise_s": "default", "refined_s": "refining"}
"""What grows, by its figure."""


@dataclass(frozen=True)
class Judged:
    """A limit, whether it is kept (None: not measured), and the figures that say so."""

    limit: str
    kept: bool | None
    figures: str

    def __str__(self) -> str:
        verdict = {True: "kept", False: "not kept", None: "not measured"}[self.kept]
        return f"**{verdict}**: {self.limit}. {self.figures}"


def judged(parts: Parts) -> list[Judged]:
    """All limits, in the order of the page."""
    return [
        _between(parts.get("stages", [])),
        _two_cores(parts.get("stages", [])),
        _large(parts.get("growth", [])),
        _audit(parts.get("audits", [])),
        _eightfold(parts.get("scale", []), parts.get("growth", [])),
        _plain(parts.get("ratio", [])),
        _others(parts.get("mondrian", [])),
    ]


def _judged(limit: str, figures: Iterable[tuple[bool, str]], absent: str) -> Judged:
    """A limit is kept if every figure keeps it."""
    found = list(figures)
    if not found:
        return Judged(limit, None, absent)
    return Judged(limit, all(good for good, _ in found), "; ".join(text for _, text in found) + ".")


def of_reading(row: Row) -> float:
    """Times of reading that the steps and the check take; sorting is the beginning of H."""
    return float(sum(row[stage] for stage in STEPS) / row["read"])


def _between(rows: list[Row]) -> Judged:
    """All cores count, one core stands beside."""
    most = max((row["cores"] for row in rows), default=1)
    alone = {(row["data"], row["setting"]): of_reading(row) for row in rows if row["cores"] == 1}
    return _judged(
        f"H (with sorting) + V + R + root + verify take at most {READING:g} times as long as reading",
        (
            (
                of_reading(row) <= READING,
                f"{row['data']}, {row['setting']}, {of_reading(row):.1f} times ({row['ratio']:.1f} with assembling,"
                f" {alone[row['data'], row['setting']]:.1f} on one core)",
            )
            for row in rows
            if row["cores"] == most
        ),
        "No stage was timed.",
    )


@dataclass(frozen=True)
class Speedup:
    """How many times as fast a stage is on all cores, and the share of its work on one core that is divided."""

    times: float
    divided: float

    @classmethod
    def of(cls, stage: str, one: Row, many: Row) -> Speedup:
        """Whatever no thread does on all cores takes as long on one."""
        alone = many[stage] - many["threaded"][stage]
        return cls(one[stage] / many[stage], min(1.0, max(0.0, 1 - alone / one[stage])))


def speedups(rows: list[Row]) -> dict[tuple[str, str, str], Speedup]:
    """By data, setting and stage, where a stage started threads."""
    found: dict[tuple[str, str, str], Speedup] = {}
    by_cores: dict[tuple[str, str], dict[int, Row]] = defaultdict(dict)
    for row in rows:
        by_cores[row["data"], row["setting"]][row["cores"]] = row
    for (data, setting), each in by_cores.items():
        if len(each) > 1:
            one, many = each[1], each[max(each)]
            found |= {(data, setting, stage): Speedup.of(stage, one, many) for stage in many["threaded"]}
    return found


def _two_cores(rows: list[Row]) -> Judged:
    return _judged(
        f"stages that divide at least {DIVIDED:.0%} of their work are {CORES:g} times as fast on two cores as on one"
        " or more; with less that is not possible",
        (
            (found.times >= CORES, f"{stage} of {data} ({setting}) {found.times:.2f} times")
            for (data, setting, stage), found in speedups(rows).items()
            if found.divided >= DIVIDED
        ),
        "No stage that does so was timed on one core and on more.",
    )


def _large(rows: list[Row]) -> Judged:
    return _judged(
        f"10^7 records of the POS shape take at most {SECONDS / 60:g} minutes and {GIGABYTES:g} GB in memory",
        (
            (
                row["seconds"] <= SECONDS and row["peak_gb"] <= GIGABYTES,
                f"{row['seconds'] / 60:.1f} minutes, {row['peak_gb']:.2f} GB",
            )
            for row in rows
            if row["records"] >= LARGE
        ),
        "10^7 records were not run (`--large`).",
    )


def _audit(rows: list[Row]) -> Judged:
    return _judged(
        "an audit of 10^7 occurrences, nothing sampled, takes at most a minute",
        (
            (row["seconds"] <= MINUTE, f"{row['seconds']:.0f} seconds, {row['peak_gb']:.1f} GB")
            for row in rows
            if row["occurrences"] >= 0.99 * AUDITED
        ),
        "No audit of so many was run.",
    )


def eightfold(rows: list[Row]) -> list[tuple[str, int, int, float]]:
    """For each work and step from one size to the next: from, to, and the times of time for eight times the data."""
    return [
        (work, before["records"], after["records"], per_eight(before, after, work))
        for work in WORKS
        for before, after in pairwise(rows)
    ]


def per_eight(before: Row, after: Row, work: str) -> float:
    """Times of time for eight times the records, whatever the step between two rows is.

    >>> round(per_eight({"records": 10, "s": 1.0}, {"records": 100, "s": 10.0}, "s"), 6)
    8.0
    """
    power = log(after[work] / before[work]) / log(after["records"] / before["records"])
    return float(8**power)


def _eightfold(rows: list[Row], runs: list[Row]) -> Judged:
    """Steps in one process, and whole runs of the command."""
    grown = [(WORKS[work], *step) for work, *step in eightfold(rows)]
    for before, after in pairwise(runs):
        grown.append(("whole runs", before["records"], after["records"], per_eight(before, after, "seconds")))
    return _judged(
        f"eight times the data takes at most {EIGHTFOLD:g} times the time",
        (
            (times <= EIGHTFOLD, f"{work} from {before:,} to {after:,} records {times:.1f} times")
            for work, before, after, times in grown
        ),
        "No growth was timed.",
    )


def _plain(rows: list[Row]) -> Judged:
    return _judged(
        f"H + V is at least {PLAIN:g} times as fast as plain Python on {PLAIN_ON}",
        ((row["ratio"] >= PLAIN, f"{row['ratio']:.0f} times") for row in rows if row["data"] == PLAIN_ON),
        "The plain reference was not run.",
    )


def _others(rows: list[Row]) -> Judged:
    """Each table against whatever other package ran on it."""
    others: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if "missing" not in row and not row["program"].startswith("cloven"):
            others[row["data"]].append(row)
    figures = []
    for row in rows:
        if row["program"].startswith("cloven") and others[row["data"]]:
            least = min(other["discernibility"] for other in others[row["data"]])
            share = row["discernibility"] / least
            text = f"{row['data']}, {row['program']} {row['ratio']:.0f} times, {share:.2f} of the least discernibility"
            figures.append((row["ratio"] >= OTHERS and share <= 1, text))
    return _judged(
        f"Mondrian is at least {OTHERS:g} times as fast as the fastest package of others, and loses no more",
        figures,
        "No package of others was run.",
    )
