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
from experiments.harness.figures import number
from experiments.harness.page import Experiment, Page, listed, percent
from experiments.harness.runs import SEED, Report

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from cloven.audit.report import AuditReport
    from cloven.disclosure.risk import Risk
    from experiments.harness.figures import Row, Table, Tables

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
SHORT = {
    "finds the rows of the people on it": "direct identifiers present",
    "is certain;": "logically implied",
    "is little:": "k below 3",
    "which cannot be read": "cells that cannot be read",
    "nearly known": "numbers nearly known",
    "picks the right one": "re-identification",
    "(known person": "attribute inference",
    "(learns from the table": "model-based inference",
    "was found, not given": "roles unclear",
}
"""What reasons say, in a few words."""


def run(folder: Path, report: Report, *, quick: bool = False) -> Tables:
    """Every table, audited twice."""
    found: Tables = {"audits": [], "cells": []}
    some = list(MADE)[:2] if quick else list(MADE)
    for place, name in enumerate(some):
        report(name, place / len(some))
        for table, rows in audited(folder / "relational", name, MADE[name], quick=quick).items():
            found[table] += rows
    return found


def audited(folder: Path, name: str, source: Source, *, quick: bool = False) -> Tables:
    """A table as it is, with roles found where its original has a header; and without names, with roles given."""
    import pyarrow as pa

    from cloven.audit.foreign import audit_published
    from cloven.threats import Effort

    published, original = folder / "arx_made" / f"{name}.csv.gz", folder / source.file
    raw = read_every_column(published, MAX_BYTES)
    schema, measures = source.schema(folder), measured(published, source)
    out: Tables = {"audits": [], "cells": []}
    for way, table, roles in (
        (ALONE, published, schema if source.header else None),
        (GIVEN, pa.table(_wanted(raw, source)), schema),
    ):
        start = perf_counter()
        effort = Effort().quick() if quick else Effort()
        found = audit_published(table, original, roles, effort=effort, seed=SEED)
        out["audits"].append(
            {
                "table": name,
                "way": way,
                **plain(found),
                **measures,
                "seconds": round(perf_counter() - start, 1),
            }
        )
        if way == ALONE:
            out["cells"] = [{"table": name, "remark": remark} for remark in odd(found)]
    return out


def _wanted(raw: Any, source: Source) -> dict[str, list[str]]:
    """The columns that have a role, as plain texts."""
    wanted = (*source.known, source.sensitive)
    texts = {name: raw.cells[name].values for name in wanted}
    return {name: [texts[name][code] for code in raw.cells[name].codes.tolist()] for name in wanted}


def plain(found: AuditReport) -> Row:
    """One audit as plain figures."""
    method: Any = found.audit.method
    risks = {risk.threat: risk for risk in found.risks}
    diversity, row = method.table.diversities[0], risks["a person's row"].attacker
    return {
        "rows": len(found.result.release),
        "of": len(found.data),
        "k": method.k,
        "l": method.l,
        "t": round(diversity.t, 4),
        "names": ", ".join(method.table.names) or None,
        "row": None if row is None else round(row.value, 4),
        **near_certain([risks[name] for name in ("known person", "learns from the table")]),
        "verdict": found.decision.verdict,
        "against": ", ".join(because([str(reason) for reason in found.decision.reasons])) or None,
    }


def near_certain(risks: list[Risk]) -> Row:
    """Near-certain inference in the release and in the control group, by the attack to which the release adds most."""
    tails = [tail for risk in risks for tail in risk.tails if tail.name == "told at 0.95"]
    tail = max(tails, key=lambda tail: tail.excess.upper, default=None)
    values = (None,) * 3 if tail is None else (tail.members.value, tail.outsiders.value, tail.excess.upper)
    names = ("near_certain", "near_certain_control", "near_certain_added_high")
    return {
        name: None if value is None else round(value, 4) for name, value in zip(names, values, strict=True)
    }


def because(reasons: list[str]) -> list[str]:
    """Reasons in a few words, each once.

    >>> because(["Whoever has a list with id finds the rows of the people on it.", "k = 2 is little: publish nothing"])
    ['direct identifiers present', 'k below 3']
    """
    found = [next((short for text, short in SHORT.items() if text in reason), reason) for reason in reasons]
    return list(dict.fromkeys(found))


def odd(found: AuditReport) -> list[str]:
    """What was said of cells that mean nothing, or something else than they say."""
    remarks = [str(caution) for caution in found.cautions]
    return [one for one in remarks if " of " in one and "taken for" in one and not one.startswith("roles")]


def measured(published: Path, source: Source) -> Row:
    """k, l and t as pyCANON measures them; nothing where it is not installed."""
    try:
        pandas, anonymity = import_module("pandas"), import_module("pycanon.anonymity")
    except ImportError:
        return {"pycanon_k": None, "pycanon_l": None, "pycanon_t": None}
    frame, known, secret = pandas.read_csv(published), list(source.known), [source.sensitive]
    return {
        "pycanon_k": int(anonymity.k_anonymity(frame, known)),
        "pycanon_l": int(anonymity.l_diversity(frame, known, secret)),
        "pycanon_t": round(float(anonymity.t_closeness(frame, known, secret)), 4),
    }


# The page.


def verdict(kept: Tables) -> list[str]:
    """What follows from the figures."""
    alone, given = ([row for row in kept["audits"] if row["way"] == way] for way in (ALONE, GIVEN))
    compared = [row for row in alone if row["pycanon_k"] is not None]
    same = [row for row in compared if all(row[name] == row[f"pycanon_{name}"] for name in ("k", "l", "t"))]
    named, single = [row for row in alone if row["names"]], [row for row in alone if row["l"] == 1]
    holding = [f"`{row['table']}`" for row in given if row["verdict"] == "publish"]
    remarks = list(dict.fromkeys(str(row["remark"]) for row in kept["cells"]))
    return [
        f"**k, l and t of {len(same)} of {len(compared)} tables are those of pyCANON**, to four places.",
        f"**{sum(row['verdict'] == 'publish' for row in alone) or 'None'} of {len(alone)} may be published as they"
        f" are.** {len(named)} still hold the column that names people, and in {len(single)} there are classes in which"
        " everybody has the same value, whatever k is.",
        f"**Without these columns, with roles given, {len(holding)} of {len(given)} may be published**"
        + (f": {listed(holding)}." if holding else "."),
        f"**Cells that do not say what they mean:** {'; '.join(remarks) or 'none'}.",
    ]


HEADS = (
    "table", "rows, of", "k, l, t", "as it is, against it", "re-identification", "near-certain inference",
    "names out, roles given",
)  # fmt: skip


def page(kept: Tables) -> Page:
    """What speaks against each table, and what is left once names are out and roles are given."""
    return Page(
        title="Tables that ARX made, audited",
        claim=CLAIM,
        verdict=verdict(kept),
        caption=CAPTION,
        heads=HEADS,
        rows=[
            line(kept["audits"], name) for name in dict.fromkeys(str(row["table"]) for row in kept["audits"])
        ],
        notes=["It takes some minutes; pyCANON is compared where it is installed."],
    )


def line(table: Table, name: str) -> tuple[str, ...]:
    """Both audits of a table."""
    ways = {row["way"]: row for row in table if row["table"] == name}
    alone, given = ways[ALONE], ways[GIVEN]
    inferred = "-"
    if given["near_certain"] is not None:
        found = [percent(number(given[f"near_certain{side}"])) for side in ("", "_control", "_added_high")]
        inferred = f"{found[0]} / {found[1]} (up to +{found[2].removesuffix(' %')})"
    return (
        f"`{name}`",
        f"{given['rows']:,}, {given['of']:,}",
        f"{given['k']}, {given['l']}, {number(given['t']):.4f}",
        str(alone["against"] or "-"),
        "-" if given["row"] is None else percent(number(given["row"])),
        inferred,
        "**publish**" if given["verdict"] == "publish" else str(given["against"]),
    )


CLAIM = """The authors of pyCANON made these tables with ARX for the examples of their library; the number after k in a
name is what they asked for. Each is audited twice by `cloven audit --release TABLE --original FILE`: as it is, with
roles found (of Adult, which has no header line, given); and without the columns that name people, with the roles of
pyCANON's examples given, "no stroke" called harmless, scores within 5 % taken as one, and said what age 0 stands for.
How to do it: [audit what others made](../how-to/audit-what-others-made.md)."""
CAPTION = """Figures with names out and roles given. *re-identification*: share of people whose row is picked.
*near-certain inference*: people in the table / the same people in the control group, whose rows are left out, and the
upper 95 % bound of what the release causes, in points; 1 is accepted."""
EXPERIMENT = Experiment("made-elsewhere", run, page)
