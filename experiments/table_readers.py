"""``cloven reproduce table-readers``: what every reader tells of people in and out of tables, by nine methods."""

from __future__ import annotations

import csv
import gzip
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ClovenError
from experiments.harness.charts import library, seen
from experiments.harness.page import grid, percent, picture, points, section
from experiments.harness.runs import SEED, Plain, Report, as_json, files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cloven.data.schema import Schema
    from cloven.data.table import Table
    from cloven.disclosure.risk import Risk, Tail

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


def table_readers(folder: Path, report: Report, *, quick: bool = False) -> dict[str, str]:
    """The page, its figures and its chart, as files by name."""
    runs: list[Plain] = []
    for name, data in tables(folder):
        some = SETTINGS[name][:2] if quick else SETTINGS[name]
        chosen = data.take(np.arange(0, len(data), max(1, len(data) // 600))) if quick else data
        for number, text in enumerate(some):
            report(f"{name}: {text}", number / len(some))
            runs.append(measured(name, chosen, text, quick=quick))
    return shown(runs)


def shown(runs: list[Plain]) -> dict[str, str]:
    """The files that show some runs."""
    return files("table-readers", page(runs), as_json(runs), {"adds": adds(runs)})


def tables(folder: Path) -> Iterator[tuple[str, Table]]:
    """The tables, by a few words."""
    from cloven.reading.tables import read_table

    for name, (frame, schema) in _frames(folder).items():
        yield name, read_table(frame, schema)


def measured(name: str, data: Table, text: str, *, quick: bool = False) -> Plain:
    """One audit as plain figures."""
    from cloven.audit.loop import Audit
    from cloven.settings import parse_setting
    from cloven.threats import Effort

    method = parse_setting(text)
    audit = Audit(method, effort=Effort().quick() if quick else Effort(), advise=False, seed=SEED)
    run: Plain = {"data": name, "rows": len(data), "setting": text}
    try:
        found = audit.run(data)
    except ClovenError as error:
        return run | {"error": str(error)}
    kept = {each.name: each.value for each in found.outcome.utility.measures}
    return run | {
        "verdict": found.decision.verdict,
        "reasons": [str(reason) for reason in found.decision.reasons],
        "readers": {risk.threat: _plain(risk) for risk in found.risks if risk.excess is not None},
        "row": _row(found.risks),
        "query_error": kept.get("query error with sensitive values"),
        "classification": _classified(data, found.result.release),
        "seconds": round(sum(found.seconds.values()), 2),
    }


def _plain(risk: Risk) -> Plain:
    """Members, outsiders, what being in it adds and its upper end, of every figure that is judged."""
    first = {} if risk.attacker is None else {"told at 0.8": _of(risk.attacker, risk.outsiders, risk.excess)}
    return first | {tail.name: _tail(tail) for tail in risk.tails}


def _tail(tail: Tail) -> list[float]:
    return _of(tail.members, tail.outsiders, tail.excess)


def _of(members: Any, outsiders: Any, excess: Any) -> list[float]:
    return [round(value, 5) for value in (members.value, outsiders.value, excess.value, excess.upper)]


def _row(risks: tuple[Risk, ...]) -> float | None:
    """How often somebody's row is picked."""
    found = next((risk for risk in risks if risk.threat == "a person's row"), None)
    return None if found is None or found.attacker is None else round(found.attacker.value, 5)


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


TAIL = 0.01
FIGURES = ("told at 0.8", "told at 0.95", "certain")

_HEAD = """# What readers tell of people in and out of tables

Made by `cloven reproduce table-readers`; the figures behind every line are in `table-readers.json`. Nine methods, four
tables. Every reader knows the quasi-identifiers of a person and looks for one sensitive value: *known person* by the
rows that fit, *learns from the table* by what goes together elsewhere in it, *replays the method* by asking why classes
were not cut further. *Told* is the share of people of whom the right value is claimed with 0.8 or 0.95 or more,
*certain* the share of whom it alone is left; of stroke, hypertension, only claims of *yes* count. Members / outsiders:
the same people in tables with and without them. **What being in the table adds is the harm.** A table is published if
that is at most 5 % at 0.8, 1 % at 0.95 and for what is certain (the upper end of its interval), if the likeliest guess
is right at most 20 % more often for members, and if nothing else speaks against it.

*Query error*: mean relative error of counts by one to three quasi-identifiers and the sensitive value. *Model*: how
often naive Bayes that is trained on the release tells the sensitive value of the people, beside naming the commonest.
`diffgen` takes its domains from the data here, so its promise is none: it stands here for what noise does to readers.
"""


def adds(runs: list[Plain]) -> Any:
    """A chart: what being in the table adds at 0.95 by the reader that tells most, against the query error."""
    altair = library()
    rows = [
        {
            "data": run["data"],
            "setting": run["setting"].split(",partition")[0].replace("domains=from-data", "").rstrip(","),
            "method": run["setting"].partition(":")[0],
            "adds": most[2],
            "upper": most[3],
            "error": run["query_error"],
            "verdict": "publish" if run["verdict"] == "publish" else "not",
        }
        for run in runs
        if "error" not in run and run["query_error"] is not None
        for most in (_most(run, "told at 0.95"),)
    ]
    panels = []
    for name in dict.fromkeys(row["data"] for row in rows):
        mine = seen(row for row in rows if row["data"] == name)
        x = altair.X("error:Q", title="query error", scale=altair.Scale(type="symlog", constant=0.1))
        y = altair.Y(
            "adds:Q",
            title="told at 0.95: members less outsiders",
            scale=altair.Scale(type="symlog", constant=0.01),
        ).axis(format="%")
        points = mine.mark_point(filled=True, size=70).encode(
            x=x,
            y=y,
            color=altair.Color("method:N", legend=altair.Legend(title=None, orient="bottom", columns=5)),
            shape=altair.Shape(
                "verdict:N",
                scale=altair.Scale(domain=["publish", "not"], range=["circle", "cross"]),
                legend=altair.Legend(title=None, orient="bottom"),
            ),
        )
        limit = seen([{"y": TAIL}]).mark_rule(strokeDash=[4, 3], color="#555555")
        panels.append((points + limit.encode(y="y:Q")).properties(width=330, height=230, title=name))
    return altair.concat(*panels, columns=2)


def page(runs: list[Plain]) -> str:
    """The page."""
    names = list(dict.fromkeys(run["data"] for run in runs))
    parts = [
        _HEAD,
        section("The answer", *points(_answers(runs, names)), ""),
        picture("table-readers/adds", "What being in the table adds at 0.95, beside the query error"),
        *(section(name, _table([run for run in runs if run["data"] == name])) for name in names),
        section("Why not", *_why_not(runs)),
    ]
    return "\n".join(parts).rstrip() + "\n"


def _answers(runs: list[Plain], names: list[str]) -> list[str]:
    made = [run for run in runs if "error" not in run]
    beyond = [run for run in made if run["verdict"] == "publish" and _most(run, "told at 0.95")[2] > TAIL]
    out = [
        f"Of {len(made)} releases {sum(run['verdict'] == 'publish' for run in made)} may be published. "
        + (
            "In none of them members are told more than 1 % above outsiders at 0.95."
            if not beyond
            else "Members are told more than 1 % above outsiders at 0.95 in: "
            + ", ".join(f"{run['data']}, {run['setting']}" for run in beyond)
            + "."
        )
    ]
    for name in names:
        good = [run for run in made if run["data"] == name and run["verdict"] == "publish"]
        if not good:
            reasons = sorted({_short(run) for run in made if run["data"] == name})
            out.append(f"{name}: no setting holds ({'; '.join(reasons)}).")
            continue
        best = min(good, key=lambda run: run["query_error"] if run["query_error"] is not None else 9.0)
        out.append(
            f"{name}: {len(good)} settings hold; of these `{best['setting']}` answers queries best (error"
            f" {_number(best['query_error'])}, model {_model(best)})."
        )
    return out


def _table(runs: list[Plain]) -> str:
    heads = (
        "setting",
        "reader",
        "at 0.8",
        "at 0.95",
        "certain",
        "likeliest right",
        "query error",
        "model",
        "verdict",
    )
    rows = []
    for run in runs:
        if "error" in run:
            rows.append((f"`{run['setting']}`", "-", "-", "-", "-", "-", "-", "-", "cannot be made"))
            continue
        for number, (reader, found) in enumerate(run["readers"].items()):
            first = number == 0
            rows.append(
                (
                    f"`{run['setting']}`" if first else "",
                    reader,
                    *(_sides(found.get(name)) for name in (*FIGURES, "likeliest claim right")),
                    _number(run["query_error"]) if first else "",
                    _model(run) if first else "",
                    f"**{run['verdict']}**"
                    if first and run["verdict"] == "publish"
                    else run["verdict"]
                    if first
                    else "",
                )
            )
    return grid(heads, rows)


def _why_not(runs: list[Plain]) -> list[str]:
    """What could not be made, and what spoke against each release, in its first words."""
    lines = []
    for run in runs:
        if "error" in run:
            lines.append(f"{run['data']}, `{run['setting']}`: {run['error']}")
        elif run["verdict"] != "publish":
            lines.append(f"{run['data']}, `{run['setting']}`: {_short(run)}")
    return [*points(lines), ""]


def _short(run: Plain) -> str:
    """The first reason, without its figures."""
    if not run["reasons"]:
        return str(run["verdict"])
    first = str(run["reasons"][0])
    if first.startswith("An attacker ("):
        name = first[len("An attacker (") :].split(")")[0].split(",")[0]
        figure = _past(run, name)
        return f"{name}: {figure}" if figure else name
    return first.split(";")[0].rstrip(".")


def _past(run: Plain, reader: str) -> str:
    """Which figure of a reader is past its limit, and by how much."""
    limits = {"told at 0.8": 0.05, "told at 0.95": TAIL, "certain": TAIL, "likeliest claim right": 0.2}
    found = run["readers"].get(reader, {})
    past = [
        f"{name} adds {percent(found[name][2])}"
        for name, most in limits.items()
        if name in found and found[name][3] > most
    ]
    return past[0] if past else ""


def _most(run: Plain, figure: str) -> list[float]:
    """Of all readers the one that adds most."""
    found = [each[figure] for each in run["readers"].values() if figure in each]
    return max(found, key=lambda sides: sides[2], default=[0.0, 0.0, 0.0, 0.0])


def _sides(sides: list[float] | None) -> str:
    return "-" if sides is None else f"{percent(sides[0])} / {percent(sides[1])}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _model(run: Plain) -> str:
    found = run["classification"]
    return "-" if found is None else f"{found[0]:.2f} / {found[1]:.2f}"
