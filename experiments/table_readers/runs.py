"""What is measured: every attack that infers a sensitive value from a table, for people in it and left out of it."""

from __future__ import annotations

import csv
import gzip
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ClovenError
from experiments.harness.page import percent
from experiments.harness.runs import SEED, Report

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cloven.audit.report import AuditReport
    from cloven.data.schema import Schema
    from cloven.data.table import Table
    from cloven.disclosure.risk import Risk, Tail
    from experiments.harness.figures import Row, Tables

ADULT, SMOKING, PRESSURE, SYNTHEA = "Adult, occupation", "stroke, smoking", "stroke, hypertension", "Synthea"
MANY = (
    "mondrian:k=5", "mondrian:k=5,l=3", "mondrian:k=10,l=3", "mondrian:k=10,l=3,partition=replay-proof",
    "mondrian:k=20,l=6", "slicing:k=3,l=3", "slicing:k=6,l=6", "slicing:k=6,l=6,partition=adaptive",
    "slicing:k=6,l=6,partition=stratified", "ul:k=6,l=6", "ul:k=6,l=6,partition=adaptive", "anatomy:l=2",
    "anatomy:l=3", "anatomy:l=6", "diffgen:eps=1,specialisations=4,domains=from-data", "hybrid:k=6",
    "merging-like:k=6,l=6", "composition-like:k=6", "probabilistic-like:k=6",
)  # fmt: skip
"""Settings for a sensitive attribute of many values, none of them common."""
SOME = tuple(text.replace("l=6", "l=4") for text in MANY)
"""The same for one of which a value is held by 23 %."""
FEW = (
    "mondrian:k=5", "mondrian:k=5,l=2", "mondrian:k=10,l=2", "mondrian:k=10,l=2,partition=replay-proof",
    "mondrian:k=20,l=3", "slicing:k=6,l=2", "slicing:k=6,l=2,partition=adaptive",
    "slicing:k=6,l=2,partition=stratified", "ul:k=6,l=2", "ul:k=6,l=2,partition=adaptive", "anatomy:l=2",
    "diffgen:eps=1,specialisations=4,domains=from-data", "hybrid:k=6", "merging-like:k=6,l=2",
    "composition-like:k=6", "probabilistic-like:k=6",
)  # fmt: skip
"""Settings for one of few values."""
TWO = (
    "mondrian:k=5", "mondrian:k=5,l=2", "mondrian:k=10,l=2", "mondrian:k=20,l=2", "mondrian:k=50,l=2",
    "mondrian:k=20,l=2,partition=replay-proof", "slicing:k=6,l=2", "ul:k=6,l=2", "anatomy:l=2",
    "diffgen:eps=1,specialisations=4,domains=from-data", "hybrid:k=20", "merging-like:k=6,l=2",
    "composition-like:k=20", "probabilistic-like:k=20,d=2",
)  # fmt: skip
"""Settings for one of two values, of which one is common and harmless."""
SETTINGS = {ADULT: MANY, SMOKING: FEW, PRESSURE: TWO, SYNTHEA: SOME}
LIMITS = {"told at 0.8": 0.05, "told at 0.95": 0.01, "certain": 0.01, "likeliest claim right": 0.2}
"""What being in the table may add to claims with 80 % and 95 % confidence, to what is certain, and to the likeliest."""
IMPOSSIBLE = "cannot be made"


def run(folder: Path, report: Report, *, quick: bool = False) -> Tables:
    """Every setting on every table."""
    found: Tables = {"settings": [], "readers": []}
    for name, data in tables(folder):
        some = SETTINGS[name][:2] if quick else SETTINGS[name]
        chosen = data.take(np.arange(0, len(data), max(1, len(data) // 600))) if quick else data
        for number, text in enumerate(some):
            report(f"{name}: {text}", number / len(some))
            for table, rows in measured(name, chosen, text, quick=quick).items():
                found[table] += rows
    return found


def tables(folder: Path) -> Iterator[tuple[str, Table]]:
    """The tables, by a few words."""
    from cloven.reading.tables import read_table

    for name, (frame, schema) in _frames(folder).items():
        yield name, read_table(frame, schema)


def measured(name: str, data: Table, text: str, *, quick: bool = False) -> Tables:
    """One audit: the release, and what each reader infers from it."""
    from cloven.audit.loop import Audit
    from cloven.threats import Effort
    from experiments.stand_ins import method_from

    audit = Audit(method_from(text), effort=Effort().quick() if quick else Effort(), advise=False, seed=SEED)
    place: Row = {"data": name, "setting": text}
    setting: Row = dict.fromkeys(
        ("query_error", "accuracy", "commonest", "row", "verdict", "against", "seconds")
    )
    try:
        found = audit.run(data)
    except ClovenError as error:
        return {"settings": [place | setting | {"verdict": IMPOSSIBLE, "against": str(error)}], "readers": []}
    readers = [
        row
        for risk in found.risks
        if risk.excess is not None
        for row in _figures(place | {"reader": risk.threat}, risk)
    ]
    kept = {each.name: each.value for each in found.outcome.utility.measures}
    accuracy, commonest = _classified(data, found.result.release) or (None, None)
    setting |= {
        "query_error": kept.get("query error with sensitive values"),
        "accuracy": accuracy,
        "commonest": commonest,
        "row": _row(found.risks),
        "verdict": found.decision.verdict,
        "against": against(found, readers),
        "seconds": round(sum(found.seconds.values()), 2),
    }
    return {"settings": [place | setting], "readers": readers}


def _figures(place: Row, risk: Risk) -> Iterator[Row]:
    """Every figure that is judged: people in the table, the same left out of it, and what being in it adds."""
    if risk.attacker is not None:
        yield place | {"figure": "told at 0.8"} | _sides(risk.attacker, risk.outsiders, risk.excess)
    for tail in risk.tails:
        yield place | {"figure": tail.name} | _of_tail(tail)


def _of_tail(tail: Tail) -> Row:
    return _sides(tail.members, tail.outsiders, tail.excess)


def _sides(members: Any, outsiders: Any, excess: Any) -> Row:
    return {
        "release": members.value,
        "control": outsiders.value,
        "added": excess.value,
        "added_high": excess.upper,
    }


def _row(risks: tuple[Risk, ...]) -> float | None:
    """How often somebody's row is picked."""
    found = next((risk for risk in risks if risk.threat == "a person's row"), None)
    return None if found is None or found.attacker is None else round(found.attacker.value, 5)


def against(found: AuditReport, readers: list[Row]) -> str | None:
    """The first reason not to publish, in short."""
    if not found.decision.reasons:
        return None
    first = str(found.decision.reasons[0])
    if first.startswith("An attacker ("):
        reader = first[len("An attacker (") :].split(")")[0].split(",")[0]
        return past(reader, [row for row in readers if row["reader"] == reader])
    return first.split(";")[0].rstrip(".")


def past(reader: str, rows: list[Row]) -> str:
    """A reader, and the first figure of it that is past its limit."""
    found = {row["figure"]: row for row in rows}
    for figure, most in LIMITS.items():
        high, added = (found[figure][name] if figure in found else None for name in ("added_high", "added"))
        if isinstance(high, float) and isinstance(added, float) and high > most:
            return f"{reader}: {figure} adds {percent(added)}"
    return reader


def _classified(data: Table, release: Any) -> list[float] | None:
    """Accuracy of a model that is trained on the release to tell the sensitive value, and of naming the commonest."""
    from cloven.kinds.tables.utility import classification

    secret = data.names("sensitive")[0]
    if not len(release) or len(np.unique(data.codes[:, data.positions("sensitive")[0]])) < 2:
        return None
    found = classification(release, data, secret, "bayes")
    return [round(found.accuracy, 4), round(found.majority, 4)]


def _frames(folder: Path) -> dict[str, tuple[Any, Schema]]:
    from pyarrow import table as frame

    adult = _columns(folder / "relational/arx_adult/adult.csv.gz", ";")
    stroke = _columns(folder / "relational/arx_made/healthcare-dataset-stroke-data.csv.gz")
    looks = {"gender": None, "age": "number", "ever_married": None, "work_type": None, "Residence_type": None}
    ages = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass"]
    return {
        ADULT: (
            frame(adult),
            _schema({name: "number" if name == "age" else None for name in ages}, "occupation"),
        ),
        SMOKING: (frame(stroke), _schema(looks, "smoking_status")),
        PRESSURE: (frame(stroke), _schema(looks, "hypertension", harmless=("0",), kind="category")),
        SYNTHEA: (
            frame(_patients(folder / "named")),
            _schema({"age": "number", "sex": None, "race": None, "county": None}, "condition", person="Id"),
        ),
    }


def _schema(looks: dict[str, str | None], secret: str, person: str | None = None, **of_secret: Any) -> Schema:
    from cloven.data.schema import Column, Schema

    known = [Column(name, "quasi-identifier", kind=kind) for name, kind in looks.items()]  # type: ignore[arg-type]
    who = [] if person is None else [Column(person, "person")]
    return Schema((*who, *known, Column(secret, "sensitive", **of_secret)), missing="drop")


def _columns(path: Path, delimiter: str = ",") -> dict[str, list[str]]:
    rows = list(csv.reader(io.StringIO(gzip.decompress(path.read_bytes()).decode()), delimiter=delimiter))
    names, cells = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    return {name.strip(): list(column) for name, column in zip(names, zip(*cells, strict=True), strict=True)}


def _patients(folder: Path) -> dict[str, list[str]]:
    """Synthetic patients with the last condition that was noted of each; conditions of fewer than ten are one.

    Each is a person of their own, and many look alike: who dies is made again with the same looks.
    """
    people, noted = (_columns(folder / f"synthea_{part}.csv.gz") for part in ("patients", "conditions"))
    last: dict[str, tuple[str, str]] = {}
    for patient, start, what in zip(noted["PATIENT"], noted["START"], noted["DESCRIPTION"], strict=True):
        last[patient] = max(last.get(patient, ("", "")), (start, what))
    held = [last.get(patient, ("", ""))[1] for patient in people["Id"]]
    common = {what for what in set(held) if what and held.count(what) >= 10}
    there = [place for place, what in enumerate(held) if what]
    columns = {
        "Id": people["Id"],
        "age": [str(2020 - int(born[:4])) for born in people["BIRTHDATE"]],
        "sex": people["GENDER"],
        "race": people["RACE"],
        "county": people["COUNTY"],
        "condition": [what if what in common else "another one" for what in held],
    }
    return {name: [column[place] for place in there] for name, column in columns.items()}
