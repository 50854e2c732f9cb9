"""The page of ``cloven reproduce table-readers``, from the figures alone."""

from __future__ import annotations

from typing import Any

from experiments.page_parts import filled, grid, section
from experiments.thesis_charts import library

Plain = dict[str, Any]
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
        mine = altair.Chart(altair.Data(values=[row for row in rows if row["data"] == name]))
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
        limit = altair.Chart(altair.Data(values=[{"y": TAIL}])).mark_rule(strokeDash=[4, 3], color="#555555")
        panels.append((points + limit.encode(y="y:Q")).properties(width=330, height=230, title=name))
    return altair.concat(*panels, columns=2)


def page(runs: list[Plain]) -> str:
    """The page."""
    names = list(dict.fromkeys(run["data"] for run in runs))
    parts = [
        _HEAD,
        section("The answer", *[filled(f"- {each}", "  ") for each in _answers(runs, names)], ""),
        "![What being in the table adds at 0.95, beside the query error](table-readers/adds.svg)\n",
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
            lines.append(f"- {run['data']}, `{run['setting']}`: {run['error']}")
        elif run["verdict"] != "publish":
            lines.append(f"- {run['data']}, `{run['setting']}`: {_short(run)}")
    return [filled(line, "  ") for line in lines] + [""]


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
        f"{name} adds {_percent(found[name][2])}"
        for name, most in limits.items()
        if name in found and found[name][3] > most
    ]
    return past[0] if past else ""


def _most(run: Plain, figure: str) -> list[float]:
    """Of all readers the one that adds most."""
    found = [each[figure] for each in run["readers"].values() if figure in each]
    return max(found, key=lambda sides: sides[2], default=[0.0, 0.0, 0.0, 0.0])


def _sides(sides: list[float] | None) -> str:
    return "-" if sides is None else f"{_percent(sides[0])} / {_percent(sides[1])}"


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _model(run: Plain) -> str:
    found = run["classification"]
    return "-" if found is None else f"{found[0]:.2f} / {found[1]:.2f}"
