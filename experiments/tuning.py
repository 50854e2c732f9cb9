"""``cloven reproduce tuning``: is there a setting that beats the default on risk and utility?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from experiments.harness.charts import coloured, library, seen
from experiments.harness.data import PUBLIC_DATA, first
from experiments.harness.figures import number
from experiments.harness.page import Experiment, Page, percent
from experiments.harness.runs import SEED, Report, part_of

if TYPE_CHECKING:
    from pathlib import Path

    from cloven.data.transactions import Transactions
    from cloven.disclosure.outcome import Outcome
    from cloven.tuning import Tuned
    from cloven.tuning.result import Trial
    from experiments.harness.figures import Row, Table, Tables

DATA = ("groceries", "What's Cooking", "BMS-WebView-1")
TRIALS = 30
AGAIN = 3
"""Settings that are measured again beside the default."""
DEFAULT, BEATS, FRONT, BEATEN, BREAKS = (
    "default", "beats the default", "front", "beaten", "breaks a promise",
)  # fmt: skip
COLOURS = {DEFAULT: "#d95f02", BEATS: "#1b9e77", FRONT: "#1f77b4", BEATEN: "#b0b0b0", BREAKS: "#c9a0dc"}


def run(folder: Path, report: Report, *, quick: bool = False) -> Tables:
    """Search each data set, and measure the default and what beats it again."""
    found: Tables = {"searches": [], "settings": [], "again": []}
    for place, name in enumerate(DATA):
        data = PUBLIC_DATA[name].load(folder)
        some = first(data, 1_000) if quick else data
        for table, rows in searched(name, some, part_of(report, name, place, len(DATA)), quick=quick).items():
            found[table] += rows
    return found


def searched(name: str, data: Transactions, report: Report, *, quick: bool = False) -> Tables:
    """One data set: the search, and the default and what beats it measured again."""
    from cloven.threats import Effort
    from cloven.tuning import Tune

    tune = Tune(("disassociation",), trials=5 if quick else TRIALS, seed=SEED)
    tuned = tune.run(data, progress=report)
    again: Table = []
    for trial in (tuned.default, *chosen_again(tuned)):
        report(f"again {trial.name}", 1.0)
        again.append({"data": name, **_again(tuned, data, trial, Effort().quick() if quick else Effort())})
    told = tuned.to_dict()
    search: Row = {
        "data": name,
        "records": told["records"],
        "sample": told["sample_records"],
        **told["counts"],
    }
    rows: Table = [{"data": name, **_setting(told, row)} for row in told["trials"] if row["risk"] is not None]
    return {"searches": [search], "settings": rows, "again": again}


def chosen_again(tuned: Tuned) -> list[Trial]:
    """What is worth a second look: the settings that beat the default by most in both."""
    default = tuned.point(tuned.default)

    def gain(trial: Trial) -> float:
        point = tuned.point(trial)
        return min((default.risk - point.risk) / max(default.risk, 1e-9), point.utility - default.utility)

    return sorted(tuned.dominating, key=gain, reverse=True)[:AGAIN]


def _again(tuned: Tuned, data: Transactions, trial: Trial, effort: Any) -> Row:
    """The same setting, in full, with other random numbers: the best of many measurements is often lucky."""
    from cloven.audit.loop import Audit
    from cloven.audit.run import Run

    if trial.method is None:
        raise ValueError(trial.name)
    audit = Audit(trial.method, effort=effort, advise=False)
    return {"setting": trial.name} | _measured(
        tuned, audit.evaluate(data, trial.method, Run(SEED + 1)).outcome
    )


def _measured(tuned: Tuned, outcome: Outcome) -> Row:
    point, worst = tuned.tune.point(outcome), outcome.worst
    kept = outcome.utility.get(tuned.tune.limits.measure)
    attacker = None if worst is None or worst.judged is None else worst.judged
    return {
        "attack": None if worst is None else worst.threat,
        "value": None if attacker is None else attacker.value,
        "low": None if attacker is None else attacker.low,
        "risk": point.risk,
        "broken": outcome.broken,
        "kept": point.utility,
        "kept_low": kept.low,
        "kept_high": kept.high,
    }


def _setting(found: dict[str, Any], row: dict[str, Any]) -> Row:
    name, broken = row["name"], row["outcome"]["broken"]
    kinds = {
        DEFAULT: name == found["default"], BEATS: name in found["dominating"], FRONT: name in found["front"],
        BREAKS: broken > 0, BEATEN: True,
    }  # fmt: skip
    kind = next(kind for kind, true in kinds.items() if true)
    return {"setting": name, "risk": row["risk"], "kept": row["utility"], "broken": broken, "kind": kind}


CLAIM = """`cloven tune` searches settings of disassociation (k from 5 to 20, m from 2 to 3), measures each by the
attacks that need nothing but the release, and shows which are best. Does it find settings that beat the default,
`k=5,m=2`? *Risk* is the upper end of the 95 % interval of the worst attack, *kept* the share of the most frequent
itemsets that are still frequent. A setting beats the default if it has no more risk, keeps no less, breaks no promise
that the default keeps, and is better in one of them. How to search your own data:
[tune the settings](../how-to/tune-the-settings.md).

The best of many measurements looks better than it is. So the default, and the settings that beat it by most, were
measured again, in full and with other random numbers."""
CAPTION = """The default and what beat it in the search, found in the search and measured again. Risk measured again
with its 95 % interval, which ends at the risk."""


def page(kept: Tables) -> Page:
    """Whether anything beats the default, and whether the second look agrees."""
    return Page(
        title="Does a search find settings that beat the default?",
        claim=CLAIM,
        verdict=[answer(kept, str(search["data"])) for search in kept["searches"]],
        caption=CAPTION,
        heads=("data", "setting", "risk", "kept", "risk again", "kept again", "measured again"),
        rows=[_line(kept, again) for again in kept["again"]],
        picture="Risk against what is kept, of every setting that was measured on all records",
        notes=["It takes about half an hour."],
    )


def answer(kept: Tables, name: str) -> str:
    """What came of the search on one data set."""
    search = _of(kept["searches"], name)[0]
    tried = f"{search['finished']} settings were measured on all {search['records']:,} records"
    beating = [row for row in _of(kept["settings"], name) if row["kind"] == BEATS]
    if not beating:
        return f"**{name}: no.** {tried}, and none beats the default."
    looked = [row for row in _of(kept["again"], name) if row["setting"] != _default(kept, name)["setting"]]
    held = sum(holds(row, _default(kept, name)) for row in looked)
    word = "yes" if held else "not for certain"
    second = f"{len(beating)} beat the default, and measured again {held} of {len(looked)} do"
    return f"**{name}: {word}.** {tried}; {second}."


def holds(mine: Row, default: Row) -> bool:
    """Whether a setting beats the default in the second measurement too."""
    risk, usual = number(mine["risk"]), number(default["risk"])
    kept, usually = number(mine["kept"]), number(default["kept"])
    no_worse = risk <= usual and kept >= usually
    return no_worse and (risk < usual or kept > usually) and not (mine["broken"] and not default["broken"])


def _of(table: Table, name: str) -> Table:
    return [row for row in table if row["data"] == name]


def _default(kept: Tables, name: str) -> Row:
    """The default, measured again."""
    usual = next(row["setting"] for row in _of(kept["settings"], name) if row["kind"] == DEFAULT)
    return next(row for row in _of(kept["again"], name) if row["setting"] == usual)


def _line(kept: Tables, again: Row) -> tuple[str, ...]:
    name = str(again["data"])
    first_look = next(row for row in _of(kept["settings"], name) if row["setting"] == again["setting"])
    default = _default(kept, name)
    said = "default" if again is default else "beats it" if holds(again, default) else "does not beat it"
    risk = percent(number(again["risk"]))
    if again["low"] is not None:
        risk = f"{percent(number(again['value']))} ({100 * number(again['low']):.1f} to {risk})"
    return (
        name,
        f"`{str(again['setting']).removeprefix('disassociation:')}`",
        percent(number(first_look["risk"])),
        percent(number(first_look["kept"])),
        risk,
        percent(number(again["kept"]), 2),
        said,
    )


def picture(kept: Tables) -> Any:
    """Risk against what is kept."""
    altair = library()
    near, share = altair.Scale(zero=False), altair.Axis(format="%")
    charts = []
    for name in dict.fromkeys(row["data"] for row in kept["settings"]):
        rows = sorted(
            _of(kept["settings"], str(name)), key=lambda row: -list(COLOURS).index(str(row["kind"]))
        )
        points = seen(rows).mark_point(filled=True, size=70, opacity=0.9)
        charts.append(
            points.encode(
                x=altair.X("risk:Q", title="risk", scale=near, axis=share),
                y=altair.Y("kept:Q", title="kept", scale=near, axis=share),
                color=coloured("kind", COLOURS, orient="bottom"),
            ).properties(width=230, height=200, title=name)
        )
    return altair.hconcat(*charts)


EXPERIMENT = Experiment("tuning", run, page, picture)
