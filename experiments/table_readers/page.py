"""The page on attribute inference from tables: which method may be published, and what speaks against the others."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from experiments.harness.charts import library, seen
from experiments.harness.figures import number
from experiments.harness.page import Page, listed, percent
from experiments.table_readers.runs import IMPOSSIBLE, LIMITS

if TYPE_CHECKING:
    from experiments.harness.figures import Row, Table, Tables

NEARLY, LEARNS = "told at 0.95", "learns from the table"
READERS = {
    "known person": "attribute inference",
    LEARNS: "model-based inference",
    "replays the method": "the algorithm-aware attack",
}
FIGURES = {
    "told at 0.8": "inferred with 80 %",
    NEARLY: "near-certain",
    "certain": "certain",
    "likeliest claim right": "the likeliest right",
}


def verdict(kept: Tables) -> list[str]:
    """How many releases may be published, what they are worth, and what speaks against the others."""
    names = list(dict.fromkeys(str(row["data"]) for row in kept["settings"]))
    return [_counted(kept), _against(kept), _population(kept), *(_best(kept, name) for name in names)]


def published(table: Table) -> Table:
    """Settings that may be published, the best answers to queries first."""
    good = [row for row in table if row["verdict"] == "publish"]
    return sorted(good, key=lambda row: 9.0 if row["query_error"] is None else number(row["query_error"]))


def _made(kept: Tables) -> Table:
    return [row for row in kept["settings"] if row["verdict"] != IMPOSSIBLE]


def most(kept: Tables, run: Row, figure: str) -> Row:
    """Of all readers of a release the one to whom being in the table adds most."""
    mine = [row for row in kept["readers"] if all(row[name] == run[name] for name in ("data", "setting"))]
    return max((row for row in mine if row["figure"] == figure), key=lambda row: number(row["added"]))


def _counted(kept: Tables) -> str:
    made, good = _made(kept), published(kept["settings"])
    beyond = [row for row in good if number(most(kept, row, NEARLY)["added"]) > LIMITS[NEARLY]]
    told = (
        "In none of these near-certain inference is more than 1 point above the control group."
        if not beyond
        else "Near-certain inference is more than 1 point above the control group in "
        + listed([f"{row['data']}, `{row['setting']}`" for row in beyond])
        + "."
    )
    return f"**Of {len(made)} releases {len(good)} may be published.** {told}"


def _against(kept: Tables) -> str:
    """Which reader learns most of people in the table, where a release may not be published."""
    bad = [row for row in _made(kept) if row["verdict"] != "publish"]
    worst = Counter(str(most(kept, row, NEARLY)["reader"]) for row in bad)
    shown = listed([f"{READERS[name]} in {count}" for name, count in worst.most_common()])
    top = max(bad, key=lambda row: number(most(kept, row, "told at 0.8")["added"]))
    figures = most(kept, top, "told at 0.8")
    return (
        f"**Of the {len(bad)} others being in the table adds most to {shown}.** Most is inferred by"
        f" {READERS[str(figures['reader'])]} from `{top['setting']}` on {top['data']}:"
        f" {percent(number(figures['release']))} of the people with 80 % confidence, rightly, against"
        f" {percent(number(figures['control']))} in the control group."
    )


def _population(kept: Tables) -> str:
    """Where the control group is nearly as well known: from population statistics alone."""
    rows = [row for row in kept["readers"] if row["figure"] == NEARLY and row["reader"] == LEARNS]
    high = [row for row in rows if number(row["control"]) >= 0.1]
    data = listed(list(dict.fromkeys(str(row["data"]) for row in high)))
    return (
        "**High inference is not yet harm.** From"
        f" {len(high)} releases ({data}) at least 10 % of the control group are inferred near-certainly, whose rows are"
        " not in the table: that follows from population statistics."
    )


def _best(kept: Tables, name: str) -> str:
    good = published([row for row in kept["settings"] if row["data"] == name])
    if not good:
        return f"**{name}:** no setting may be published."
    best = good[0]
    return (
        f"**{name}:** {len(good)} settings may be published; of these `{short(best)}` answers queries best (error"
        f" {number(best['query_error']):.2f}; a model is right for {percent(number(best['accuracy']), 0)}, naming the"
        f" commonest for {percent(number(best['commonest']), 0)})."
    )


def short(row: Row) -> str:
    """A setting without what all of its kind have."""
    return str(row["setting"]).replace(",specialisations=4,domains=from-data", "").replace("partition=", "")


def cell(kept: Tables, data: str, method: str) -> str:
    """The best setting of a method that may be published, or what speaks against the least bad."""
    mine = [
        row
        for row in kept["settings"]
        if row["data"] == data and str(row["setting"]).partition(":")[0] == method
    ]
    good = published(mine)
    if good:
        return f"`{short(good[0]).partition(':')[2]}` {number(good[0]['query_error']):.2f}"
    if all(row["verdict"] == IMPOSSIBLE for row in mine):
        return "cannot be made"
    return reworded(str(mine[-1]["against"]))


def reworded(against: str) -> str:
    """What speaks against a release, in a few words.

    >>> reworded("learns from the table: told at 0.8 adds 5.5 %"), reworded("k = 1 is little: publish nothing")
    ('**no:** model-based inference, inferred with 80 % +5.5 points', '**no:** k = 1 is little')
    """
    reader, _, rest = against.partition(": ")
    figure, _, added = rest.partition(" adds ")
    if reader not in READERS or not added:
        return f"**no:** {reader}"
    return f"**no:** {READERS[reader]}, {FIGURES[figure]} +{added.removesuffix(' %')} points"


def page(kept: Tables) -> Page:
    """Which method may be published on which table."""
    names = list(dict.fromkeys(str(row["data"]) for row in kept["settings"]))
    methods = list(dict.fromkeys(str(row["setting"]).partition(":")[0] for row in kept["settings"]))
    return Page(
        title="What can be inferred of people in and out of tables",
        claim=CLAIM,
        verdict=verdict(kept),
        caption=CAPTION,
        heads=("method", *names),
        rows=[(method, *(cell(kept, name, method) for name in names)) for method in methods],
        picture="Near-certain inference caused by the release, against the query error",
        notes=NOTES,
    )


CLAIM = """A method may promise k or l and still let an intruder infer the sensitive value of a person. Nine methods
on four tables are audited with three attacks, which all know the quasi-identifiers of a person: *attribute inference*
by the rows that fit, *model-based inference* by what goes together elsewhere in the table, and the *algorithm-aware
attack*, which asks why classes were not cut further. The control group are the same people in tables without them.

What the release causes is the harm: it may be published if inference with 80 % confidence is at most 5 points above
the control group, near-certain inference (95 %) and what is certain at most 1 point (upper 95 % bounds), the likeliest
value right at most 20 points more often, and nothing else speaks against it. How to read an audit:
[tables](../explanation/tables.md)."""
CAPTION = """Of each method the setting that may be published and answers queries best, with the mean relative error of
counts by one to three quasi-identifiers and the sensitive value; else what speaks against it, the caused inference in
points."""
NOTES = (
    """Of stroke, hypertension, only inference of *yes* counts; no method that promises l = 2 can be made, as 90 % have
    no hypertension.""",
    """`diffgen` takes its domains from the data here, so it promises nothing: it stands for what noise does.
    `readers.csv` has the figures of every attack, `settings.csv` what speaks against every release. It takes about half
    an hour.""",
)


def picture(kept: Tables) -> Any:
    """What being in the table adds to near-certain inference by the reader who learns most, against the query error."""
    altair = library()
    rows = [
        {
            "data": row["data"],
            "method": str(row["setting"]).partition(":")[0],
            "added": most(kept, row, NEARLY)["added"],
            "error": row["query_error"],
            "verdict": "publish" if row["verdict"] == "publish" else "do not publish",
        }
        for row in _made(kept)
        if row["query_error"] is not None
    ]
    panels = []
    for name in dict.fromkeys(row["data"] for row in rows):
        mine = seen(row for row in rows if row["data"] == name)
        x = altair.X("error:Q", title="query error", scale=altair.Scale(type="symlog", constant=0.1))
        y = altair.Y(
            "added:Q", title="near-certain inference caused", scale=altair.Scale(type="symlog", constant=0.01)
        ).axis(format="%")
        points = mine.mark_point(filled=True, size=70).encode(
            x=x,
            y=y,
            color=altair.Color("method:N", legend=altair.Legend(title=None, orient="bottom", columns=5)),
            shape=altair.Shape(
                "verdict:N",
                scale=altair.Scale(domain=["publish", "do not publish"], range=["circle", "cross"]),
                legend=altair.Legend(title=None, orient="bottom"),
            ),
        )
        limit = seen([{"y": LIMITS[NEARLY]}]).mark_rule(strokeDash=[4, 3], color="#555555")
        panels.append((points + limit.encode(y="y:Q")).properties(width=330, height=230, title=name))
    return altair.concat(*panels, columns=2)
