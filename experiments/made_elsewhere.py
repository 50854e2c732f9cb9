"""``cloven reproduce made-elsewhere``: the tables that ARX made for pyCANON's examples, audited."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.schema import Column, Schema, number_text
from cloven.intake.packing import MAX_BYTES
from cloven.reading.cells import read_every_column
from experiments.harness.page import filled, grid, percent, points, section
from experiments.harness.runs import SEED, Plain, Report, as_json, files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from cloven.audit.report import AuditReport
    from cloven.disclosure.risk import Risk

HEADER = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race",
    "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "salary-class",
)  # fmt: skip
"""Columns of Adult, whose file has no header line."""


@dataclass(frozen=True)
class Source:
    """What tables were made from, and the roles that pyCANON's examples give its columns.

    Attributes:
        file: the original, below the folder of tables.
        known: quasi-identifiers.
        sensitive: the sensitive column.
        given: what else its schema says: harmless values, or how near numbers are one.
        header: columns of a file without a header line, and then missing values are kept.
        months: a column of ages in years, those of small children as parts of a year, which were published as 0.
    """

    file: str
    known: tuple[str, ...]
    sensitive: str
    given: Mapping[str, Any] = field(default_factory=dict)
    header: tuple[str, ...] | None = None
    months: str = ""

    def schema(self, folder: Path) -> Schema:
        """The roles, as an owner would give them."""
        columns = [
            Column(name, "quasi-identifier", tree=self._ages(folder) if name == self.months else None)
            for name in self.known
        ]
        secret = Column(self.sensitive, "sensitive", **self.given)
        return Schema((*columns, secret), "keep" if self.header else "refuse", header=self.header)

    def _ages(self, folder: Path) -> dict[str, Any]:
        """What 0 stands for among ages."""
        cells: Any = read_every_column(folder / self.file, MAX_BYTES).cells[self.months]
        ages = sorted({number_text(float(cells.values[code])) for code in np.unique(cells.codes).tolist()})
        young = [age for age in ages if "." in age and float(age) < 2]
        return {"any age": {"0": young, "1 or more": [age for age in ages if age not in young]}}


STROKE = Source(
    "arx_made/healthcare-dataset-stroke-data.csv.gz",
    (
        "gender",
        "age",
        "hypertension",
        "heart_disease",
        "ever_married",
        "work_type",
        "Residence_type",
        "smoking_status",
    ),
    "stroke",
    {"harmless": ("0",)},
    months="age",
)
STUDENTS = Source(
    "arx_made/StudentsMath_Score.csv.gz",
    ("Teacher", "Gender", "Ethnic", "Freeredu", "wesson"),
    "Score",
    {"within": "5 %"},
)
DRUGS = Source("arx_made/drug_type.csv.gz", ("Age", "Sex", "BP", "Cholesterol", "Na_to_K"), "Drug")
ADULT = Source(
    "uci_adult/adult.data.gz",
    ("age", "education", "occupation", "relationship", "sex", "native-country"),
    "salary-class",
    header=HEADER,
)
MADE = {
    "drugs_k5": DRUGS,
    "StudentsMath_Score_k2": STUDENTS,
    "StudentsMath_Score_k5": STUDENTS,
    "StudentsMath_Score_k5_anonymized_l5": STUDENTS,
    "StudentsMath_Score_k7": STUDENTS,
    "stroke_k2": STROKE,
    "stroke_k5": STROKE,
    "stroke_k5_anonymized_l2": STROKE,
    "stroke_k10": STROKE,
    "adult_anonymized_3": ADULT,
    "adult_anonymized_10": ADULT,
}
"""The tables by name; the number is the k that was asked for."""
ALONE, GIVEN = "as it is", "names out, roles given"


def made_elsewhere(folder: Path, report: Report, *, quick: bool = False) -> dict[str, str]:
    """The page and its figures, as files by name."""
    runs: list[Plain] = []
    some = list(MADE)[:2] if quick else list(MADE)
    for number, name in enumerate(some):
        report(name, number / len(some))
        runs += audited(folder / "relational", name, MADE[name], quick=quick)
    return files("made-elsewhere", page(runs), as_json(runs), {})


def audited(folder: Path, name: str, source: Source, *, quick: bool = False) -> list[Plain]:
    """A table as it is, with roles found where its original has a header; and without names, with roles given."""
    import pyarrow as pa

    from cloven.audit.foreign import audit_published
    from cloven.threats import Effort

    published, original = folder / "arx_made" / f"{name}.csv.gz", folder / source.file
    raw = read_every_column(published, MAX_BYTES)
    out, schema = [], source.schema(folder)
    for way, table, roles in (
        (ALONE, published, schema if source.header else None),
        (GIVEN, pa.table(_wanted(raw, source)), schema),
    ):
        start = perf_counter()
        effort = Effort().quick() if quick else Effort()
        found = audit_published(table, original, roles, effort=effort, seed=SEED)
        out.append(plain(name, way, found) | {"seconds": round(perf_counter() - start, 1)})
    return [each | {"pycanon": measured(published, source)} for each in out]


def _wanted(raw: Any, source: Source) -> dict[str, list[str]]:
    """The columns that have a role, as plain texts."""
    wanted = (*source.known, source.sensitive)
    texts = {name: raw.cells[name].values for name in wanted}
    return {name: [texts[name][code] for code in raw.cells[name].codes.tolist()] for name in wanted}


def plain(name: str, way: str, found: AuditReport) -> Plain:
    """One audit as plain figures."""
    method: Any = found.audit.method
    risks = {risk.threat: risk for risk in found.risks}
    return {
        "table": name,
        "way": way,
        "rows": len(found.result.release),
        "of": len(found.data),
        "k": method.k,
        "l": method.l,
        "entropy_l": round(method.table.diversities[0].entropy, 4),
        "t": round(method.table.diversities[0].t, 4),
        "names": list(method.table.names),
        "row": _value(risks["a person's row"]),
        "told": {name: _told(risks[name]) for name in ("known person", "learns from the table")},
        "verdict": found.decision.verdict,
        "reasons": [str(reason) for reason in found.decision.reasons],
        "remarks": [str(caution) for caution in found.cautions],
    }


def _value(risk: Risk) -> float | None:
    return None if risk.attacker is None else round(risk.attacker.value, 4)


def _told(risk: Risk) -> list[float] | None:
    """Members, outsiders and the upper end of what being in it adds, of what is told at 0.95."""
    tail = next((tail for tail in risk.tails if tail.name == "told at 0.95"), None)
    if tail is None:
        return None
    return [round(value, 4) for value in (tail.members.value, tail.outsiders.value, tail.excess.upper)]


def measured(published: Path, source: Source) -> Plain | None:
    """k, l and t as pyCANON measures them; None where it is not installed."""
    try:
        pandas, anonymity = import_module("pandas"), import_module("pycanon.anonymity")
    except ImportError:
        return None
    frame, known, secret = pandas.read_csv(published), list(source.known), [source.sensitive]
    return {
        "k": int(anonymity.k_anonymity(frame, known)),
        "l": int(anonymity.l_diversity(frame, known, secret)),
        "t": round(float(anonymity.t_closeness(frame, known, secret)), 4),
    }


# The page.


INTRO = """
Made by `cloven reproduce made-elsewhere`; the figures behind every line are in `made-elsewhere.json`. The authors of
pyCANON made these tables with ARX for the examples of their library; the number after k is what they asked for. Each
is audited twice by `cloven audit --release TABLE --original FILE`: *as it is*, with roles found (of Adult, which has no
header line, given); and without the columns that name people, with the roles of pyCANON's examples given, "no stroke"
called harmless, scores within 5 % taken as one, and said what age 0 stands for.
*Told at 0.95*: people in the table / the same people without
their rows, of whom the right value is claimed with 0.95 or more by the reader who tells most more of members; in
brackets the upper end of what being in the table adds, of which 1 % is accepted.
"""
SHORT = {
    "finds the rows of the people on it": "names left in",
    "is certain;": "a class with one value",
    "is little:": "k below 3",
    "which cannot be read": "cells that cannot be read",
    "nearly known": "numbers nearly known",
    "picks the right one": "a person's row",
    "(known person": "a known person is told",
    "(learns from the table": "learned from the table",
    "was found, not given": "roles were not given",
}
"""What reasons say, in a few words."""


def page(runs: list[Plain]) -> str:
    """The page that shows some runs."""
    alone = [run for run in runs if run["way"] == ALONE]
    given = [run for run in runs if run["way"] == GIVEN]
    parts = [
        "# Tables that ARX made, audited\n",
        filled(INTRO) + "\n",
        section("The answer", *points(answers(alone, given)), ""),
        section("As they are", grid(HEADS, map(line, alone))),
        section("Names out, roles given", grid(HEADS, map(line, given))),
        section("What is odd in the files", *points(oddities(alone)), ""),
    ]
    return "\n".join(parts)


HEADS = (
    "table", "rows, of", "k, l, t", "pyCANON", "names left in", "a person's row", "told at 0.95", "verdict",
    "because of", "s",
)  # fmt: skip


def line(run: Plain) -> tuple[str, ...]:
    """One audit as a line of a table."""
    theirs = run["pycanon"]
    told = max((each for each in run["told"].values() if each), key=lambda each: each[2], default=None)
    return (
        f"`{run['table']}`",
        f"{run['rows']:,}, {run['of']:,}",
        f"{run['k']}, {run['l']}, {run['t']:.4f}",
        "-" if theirs is None else f"{theirs['k']}, {theirs['l']}, {theirs['t']:.4f}",
        ", ".join(f"`{name}`" for name in run["names"]) or "none",
        "-" if run["row"] is None else percent(run["row"]),
        "-" if told is None else f"{percent(told[0])} / {percent(told[1])} [{percent(told[2])}]",
        run["verdict"],
        ", ".join(because(run["reasons"])) or "-",
        f"{run['seconds']:.0f}",
    )


def because(reasons: list[str]) -> list[str]:
    """Reasons in a few words, each once.

    >>> because(["Whoever has a list with id finds the rows of the people on it.", "k = 2 is little: publish nothing"])
    ['names left in', 'k below 3']
    """
    found = [next((short for text, short in SHORT.items() if text in reason), reason) for reason in reasons]
    return list(dict.fromkeys(found))


def answers(alone: list[Plain], given: list[Plain]) -> list[str]:
    """What follows from the figures."""
    compared = [run for run in alone if run["pycanon"] is not None]
    same = [run for run in compared if all(run[name] == run["pycanon"][name] for name in ("k", "l", "t"))]
    named = [run for run in alone if run["names"]]
    single = [run for run in alone if run["l"] == 1]
    holding = [f"`{run['table']}`" for run in given if run["verdict"] == "publish"]
    return [
        f"k, l and t of {len(same)} of {len(compared)} tables are those of pyCANON to four places.",
        f"{sum(run['verdict'] == 'publish' for run in alone)} of {len(alone)} may be published as they are."
        f" {len(named)} still hold the column that names people, and {len(single)} have classes in which everybody has"
        " the same value, whatever k is.",
        f"Without these columns, with roles given, {len(holding)} of {len(given)} may be published"
        + (f": {', '.join(holding)}." if holding else "."),
    ]


def oddities(runs: list[Plain]) -> list[str]:
    """What was told of cells, each once."""
    told = [remark for run in runs for remark in run["remarks"] if " of " in remark and "taken for" in remark]
    odd = [remark for remark in told if not remark.startswith("roles")]
    return list(dict.fromkeys(odd)) or ["Nothing."]
