"""``cloven reproduce disassociation``: what parameters cost and bring.

It follows the experiments of Terrovitis et al. (PVLDB 2012, section 7), AlShuhail 2021 (section 3.4, Fig. 3.2)
and the MSc dissertation on disassociation in Python (chapters 5 and 6), as far as their text says what was run.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.taxonomy import Taxonomy, read_taxonomy
from cloven.datasets import shaped
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.methods.horizontal import HorPart
from experiments.harness.charts import coloured, library, seen, styled
from experiments.harness.claims import Claim, above, below, each, judged, measured, near, sentence, within
from experiments.harness.data import PUBLIC_DATA, first
from experiments.harness.figures import Estimate, number
from experiments.harness.page import Experiment, Page
from experiments.harness.runs import SEED, Plain, Report
from experiments.hierarchical import Hierarchical

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.methods.horizontal import SmallClusters
    from experiments.harness.claims import Named
    from experiments.harness.figures import Row, Table, Tables, Value

STRATEGIES: tuple[SmallClusters, ...] = ("add", "abandon", "suppress", "remaining", "keep")
SIZES = (10, 20, 30, 60, 120, 250, 1_000, 10_000, None)
ANCHOR = Disassociation(k=5, m=2, max_cluster_size=10, rare_items="cluster", refine=True)
SETTINGS = (
    "k", "m", "max_cluster_size", "refine", "small_clusters", "reading", "join_terms", "horizontal",
)  # fmt: skip
"""What is varied."""
MEASURES = (
    "items_kept", "pairs_kept", "tlost_only", "tlost_any", "tkd", "tkd_chunks", "tkd_ml2", "re", "re_chunks",
    "suppressed_records",
)  # fmt: skip


def run(
    name: str,
    data: Transactions,
    method: Disassociation,
    *,
    taxonomy: Taxonomy | None = None,
    reconstructions: int = 5,
    repeats: int = 1,
) -> Row:
    """Anonymise (median time of ``repeats``), verify at release level, measure."""
    from cloven.kinds.transactions import utility
    from cloven.verification import verify

    times = []
    for _ in range(repeats):
        start = perf_counter()
        result = method.anonymise(data)
        times.append(perf_counter() - start)
    release = result.release
    verify(release, allow_unsafe=True).raise_if_broken()
    sizes, limit = release.cluster_size, method.max_cluster_size
    large = sizes[:0] if limit is None else sizes[sizes > limit]
    told: Plain = utility(
        data,
        release,
        rng=np.random.default_rng(SEED),
        reconstructions=reconstructions,
        taxonomy=taxonomy,
        suppressed_records=len(data) - release.records,
    ).to_dict()
    parameters: Plain = {"k": method.k, "m": method.m, **method.parameters}
    return {
        "data": name,
        **{setting: _word(parameters[setting]) for setting in SETTINGS},
        **{cell: value for figure in MEASURES for cell, value in _cells(figure, told[figure]).items()},
        "clusters": release.clusters,
        "oversize": len(large),
        "largest": int(sizes.max()),
        "seconds": float(np.median(times)),
    }


def _word(value: Any) -> Value:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if value is None or isinstance(value, int) else str(value).lower()


def _cells(name: str, value: Plain | float | None) -> Row:
    """A figure, and the ends of its interval if it is drawn."""
    if isinstance(value, dict):
        return {name: value["mean"], f"{name}_low": value["low"], f"{name}_high": value["high"]}
    return {name: value}


def even_taxonomy(data: Transactions, fan_out: int = 5) -> Taxonomy:
    """A hierarchy of even ranges over the sorted items, for data without one (as the public one of BMS-WebView-2)."""
    rows = []
    for place, name in enumerate(data.vocabulary):
        row, width = [name], fan_out
        while width < len(data.vocabulary):
            row.append(f"range {place // width} of {width}")
            width *= fan_out
        rows.append([*row, "*"])
    return Taxonomy.from_rows(rows)


def sources(folder: Path, *, quick: bool) -> Iterator[tuple[str, Transactions, Taxonomy]]:
    """The four data sets of the experiment; POS is generated, at an eighth of its size for the sweeps."""
    for name in ("BMS-WebView-1", "BMS-WebView-2", "groceries"):
        source = PUBLIC_DATA[name]
        data = source.load(folder)
        data = first(data, 5_000) if quick else data
        even = source.taxonomy is None or quick
        yield name, data, even_taxonomy(data) if even else read_taxonomy(folder / str(source.taxonomy))
    data = shaped("pos", scale=0.02 if quick else 0.125)
    yield "POS shape", data, even_taxonomy(data)


def experiments() -> dict[str, list[Disassociation]]:
    """Settings of each experiment."""
    base = Disassociation(k=5, m=2, max_cluster_size=30, rare_items="cluster", refine=True)
    return {
        "anchor": [ANCHOR, replace(ANCHOR, refine=False)],
        "k": [
            replace(base, k=k, max_cluster_size=max(30, 2 * k - 1), refine=refine)
            for refine in (True, False)
            for k in (2, 3, 5, 10, 20)
        ],
        "m": [replace(base, m=m, refine=refine) for refine in (True, False) for m in (1, 2, 3, 4)],
        "size": [
            replace(base, max_cluster_size=size, refine=refine) for refine in (True, False) for size in SIZES
        ],
        "strategy": [
            replace(base, k=k, small_clusters=small, refine=refine)
            for k in (2, 5, 10)
            for refine in (True, False)
            for small in STRATEGIES
        ],
        "reading": [replace(base, reading=reading) for reading in ("occurring", "strict")],
        "join": [replace(base, join_terms=terms) for terms in ("moved", "listed")],
        "horizontal": [
            replace(base, horizontal=step, max_cluster_size=size, refine=refine)
            for size in (30, 250)
            for refine in (True, False)
            for step in (HorPart(), Hierarchical())
        ],
    }


def run_all(folder: Path, report: Report, *, quick: bool = False) -> Tables:
    """Every setting on every data set."""
    plan = experiments()
    rows: Table = []
    total, done, count = 4 * sum(map(len, plan.values())), 0, 2 if quick else 5
    for name, data, taxonomy in sources(folder, quick=quick):
        for title, settings in plan.items():
            for method in settings:
                report(f"{name}: {title}", done / total)
                done += 1
                repeats = 5 if title == "anchor" else 1
                found = run(name, data, method, taxonomy=taxonomy, repeats=repeats, reconstructions=count)
                rows.append({"varied": title, **found})
    return {"runs": rows, "claims": measured(CLAIMS, rows)}


def at(rows: Table, varied: str, data: str, **settings: Value) -> Row:
    """The run with these settings, among those of one experiment."""
    fitting = (
        row
        for row in rows
        if (row["varied"], row["data"]) == (varied, data)
        and all(row[name] == value for name, value in settings.items())
    )
    return next(fitting)


def _names(rows: Table) -> list[str]:
    return [str(name) for name in dict.fromkeys(row["data"] for row in rows)]


def _clicks(rows: Table) -> list[str]:
    """The two click streams of the papers."""
    return [name for name in _names(rows) if name.startswith("BMS")]


def _gap(figure: str, one: Row, other: Row) -> Estimate:
    return Estimate.exact(number(one[figure]) - number(other[figure]))


def _refined(rows: Table, varied: str = "k", **settings: Value) -> Named:
    """Items kept by refining, as far as they would not have been kept without it."""
    plain = {name: at(rows, "k", name, k=5, refine="no") for name in _names(rows)}
    wanted: Row = {"k": 5, "refine": "yes", **settings}
    return {name: _gap("items_kept", at(rows, varied, name, **wanted), plain[name]) for name in _names(rows)}


def _oversize(rows: Table, strategy: str) -> dict[str, Row]:
    return {
        name: at(rows, "strategy", name, k=5, refine="no", small_clusters=strategy) for name in _names(rows)
    }


def _kept_within(rows: Table) -> Named:
    """Clusters above the maximum with each strategy that is said to keep to it."""
    name = _clicks(rows)[0]
    return {
        strategy: Estimate.exact(number(_oversize(rows, strategy)[name]["oversize"]))
        for strategy in ("suppress", "add", "remaining")
    }


def _adding(rows: Table) -> Named:
    return {
        f"{name}, add minus {other}": _gap(
            "tlost_only", _oversize(rows, "add")[name], _oversize(rows, other)[name]
        )
        for name in _clicks(rows)
        for other in ("abandon", "suppress", "remaining")
    }


def _pos(rows: Table) -> list[float]:
    """Tlost of every strategy on data of the shape of POS."""
    name = _names(rows)[-1]
    return [
        number(_oversize(rows, strategy)[name]["tlost_only"])
        for strategy in ("add", "abandon", "suppress", "remaining")
    ]


def _against_pos(rows: Table) -> Named:
    runs = {name: at(rows, "anchor", name, refine="yes") for name in _names(rows)}
    pos = _names(rows)[-1]
    return {name: _gap("tkd", runs[name], runs[pos]) for name in _clicks(rows)}


PAPER, THESIS, DISSERTATION = "Terrovitis et al. 2012, 7", "thesis", "dissertation"
CLAIMS: tuple[Claim[Table], ...] = (
    Claim(
        "refining",
        PAPER,
        "refining brings items back from term chunks",
        _refined,
        each(above(0.05)),
        lambda rows: {
            f"{name}, all listed terms": gap
            for name, gap in _refined(rows, "join", join_terms="listed").items()
        },
        why="these items are kept and would not be without refining, if Equation 1 is taken over the items that"
        " move; over all listed items it hardly ever joins"
        " ([decision 3](../decisions/0003-equation-1-over-moved-terms.md))",
    ),
    Claim(
        "abandon",
        f"{THESIS} 3.3.1",
        "giving a split up when one half is below k makes clusters above the maximum",
        lambda rows: {
            name: _gap("oversize", _oversize(rows, "abandon")[name], row)
            for name, row in _oversize(rows, "add").items()
        },
        each(above(0)),
        form=",.0f",
        why="so many more clusters are above the maximum than with `add`",
    ),
    Claim(
        "maximum",
        f"{THESIS} 3.5",
        "clusters do not exceed the maximum with `suppress`, `add` and `remaining`",
        _kept_within,
        each(within(0, 0)),
        form=",.0f",
        why="so many clusters of BMS-WebView-1 do: equal records have no item left to split by, where the"
        " pseudo-code would recurse for ever; they are kept together and counted",
    ),
    Claim(
        "adding",
        f"{THESIS}, Fig. 3.2",
        "`add` has the lowest tlost on both click streams",
        _adding,
        each(below(0)),
        why="with k=5, not refined, items in term chunks only",
    ),
    Claim(
        "pos",
        f"{THESIS}, Fig. 3.2",
        "on POS all strategies have the same high tlost",
        lambda rows: {"highest minus lowest": Estimate.exact(max(_pos(rows)) - min(_pos(rows)))},
        each(near(0.01)),
        lambda rows: {"lowest": Estimate.exact(min(_pos(rows)))},
        form=".3f",
    ),
    Claim(
        "tkd",
        f"{DISSERTATION}, 5",
        "tKd is higher on the click streams than on POS",
        _against_pos,
        each(above(0)),
        why="the dissertation does not refine, and its split looks for item ids as parts of words, so that 12 also"
        " matches 123: a slip. Its figures of re cannot be compared",
    ),
)


def _extreme(rows: Table, figure: str, one: Row, other: Row, varied: str) -> tuple[float, float]:
    """Smallest and largest quotient of a figure of two settings, over data sets."""
    found = [
        number(at(rows, varied, name, **one)[figure]) / number(at(rows, varied, name, **other)[figure])
        for name in _names(rows)
    ]
    return min(found), max(found)


def _also(rows: Table) -> list[str]:
    """What else the figures show; the numbers are looked up."""
    yes: Row = {"refine": "yes"}
    m = _extreme(rows, "pairs_kept", {"m": 4, **yes}, {"m": 2, **yes}, "m")
    k = _extreme(rows, "items_kept", {"k": 20, **yes}, {"k": 5, **yes}, "k")
    strict = _extreme(rows, "pairs_kept", {"reading": "strict"}, {"reading": "occurring"}, "reading")
    wide = [
        _extreme(rows, figure, {"max_cluster_size": 120, **yes}, {"max_cluster_size": 30, **yes}, "size")
        for figure in ("items_kept", "pairs_kept", "re")
    ]
    step = [
        _extreme(
            rows, figure,
            {"horizontal": "hierarchical", "max_cluster_size": 30, **yes},
            {"horizontal": "horpart", "max_cluster_size": 30, **yes}, "horizontal",
        )
        for figure in ("items_kept", "pairs_kept")
    ]  # fmt: skip
    found = [number(row["tlost_any"]) for row in rows if row["varied"] == "k"]
    return [
        f"**m hardly matters beyond 2.** m=4 keeps {_times(m)} times the pairs of m=2.",
        f"**What k costs depends on the data.** k=20 keeps {_times(k)} times the items of k=5.",
        f"**The strict reading of k^m** keeps {_times(strict)} times the pairs.",
        f"**Larger clusters keep more.** At most 120 records instead of 30 keep {_times(wide[0])} times the items and"
        f" {_times(wide[1])} times the pairs, and re is {_times(wide[2])} times as high"
        " ([decision 6](../decisions/0006-default-cluster-size.md)).",
        f"**Hierarchical clustering**, at most 30 records, keeps {_times(step[0])} times the items of HORPART and"
        f" {_times(step[1])} times the pairs; it never exceeds the maximum.",
        "**tlost says little** if an item in *any* term chunk counts: it is at least"
        f" {min(found):.3f} for every k, as nearly every frequent item is rare in some cluster.",
    ]


def _times(ends: tuple[float, float]) -> str:
    return f"{ends[0]:.2f} to {ends[1]:.2f}"


CLAIM = """Terrovitis et al. (PVLDB 2012, section 7), AlShuhail (2021, section 3.4 and Fig. 3.2) and the MSc
dissertation on disassociation in Python (chapters 5 and 6) say what its parameters cost and bring. Their figures are
plots without numbers, so only what the texts say can be compared. Each parameter was varied by itself: k=5, m=2, at
most 30 records in a cluster, `add`, rare items in clusters, refined, unless a column says otherwise. Every release
passed `verify` (`keep` as allowed). What the figures mean: [measures](../reference/measures.md)."""
CAPTION = """The papers' setting (k=5, m=2, at most 10 records in a cluster, the median time of five runs), then 30
and the default maximum of 120; ± is half a 95 % interval over 5 reconstructions."""
NOTES = (
    "POS could not be had: the data has an eighth of its records, and its items and lengths, from a seeded generator,"
    " so its times mean something and its utility little.",
    "The maximum is inclusive here; the papers' is not.",
    "`runs.csv` has all figures of k, m, the maximum, small clusters, the reading of k^m, Equation 1 and the"
    " horizontal step, with and without refining. It takes about half an hour.",
)
SHOWN = ("items_kept", "pairs_kept", "tlost_only", "tkd", "re")


def page(kept: Tables) -> Page:
    """What the papers say of parameters, and what they cost and bring here."""
    rows = kept["runs"]
    verdicts = judged(CLAIMS, kept["claims"])
    chosen = [
        row
        for name in _names(rows)
        for row in (
            at(rows, "anchor", name, refine="no"),
            at(rows, "anchor", name, refine="yes"),
            at(rows, "size", name, refine="yes", max_cluster_size=30),
            at(rows, "size", name, refine="yes", max_cluster_size=120),
        )
    ]
    return Page(
        title="Disassociation: what the parameters cost and bring",
        claim=CLAIM,
        verdict=[*map(sentence, verdicts), *_also(rows)],
        caption=CAPTION,
        heads=("data", "max", "refined", "items kept", "pairs kept", "tlost only", "tKd", "re", "clusters", "largest",
               "time s"),
        rows=[_line(row) for row in chosen],
        picture="Items kept, pairs kept and re against the maximum cluster size; dashed: not refined",
        notes=NOTES,
    )  # fmt: skip


def _line(row: Row) -> tuple[str, ...]:
    return (
        str(row["data"]), str(row["max_cluster_size"]), str(row["refine"]), *(_shown(row, name) for name in SHOWN),
        f"{row['clusters']:,}", f"{row['largest']:,}", f"{row['seconds']:.2f}",
    )  # fmt: skip


def _shown(row: Row, name: str) -> str:
    if row.get(f"{name}_low") is None:
        return f"{number(row[name]):.3f}"
    return f"{number(row[name]):.3f} ±{(number(row[f'{name}_high']) - number(row[f'{name}_low'])) / 2:.3f}"


PANELS = {"items_kept": "items kept", "pairs_kept": "pairs kept", "re": "re"}
PALETTE = ("#d95f02", "#1b9e77", "#1f77b4", "#7570b3")


def picture(kept: Tables) -> Any:
    """Figures against the maximum cluster size."""
    altair = library()
    rows = [
        {"data": row["data"], "max": row["max_cluster_size"], "refined": row["refine"]}
        | {name: row[name] for name in PANELS}
        for row in kept["runs"]
        if row["varied"] == "size" and row["max_cluster_size"] is not None
    ]
    colours = dict(zip(_names(kept["runs"]), PALETTE, strict=False))
    dash = altair.StrokeDash(
        "refined:N", scale=altair.Scale(domain=["yes", "no"], range=[[1, 0], [4, 3]]), legend=None
    )
    x = altair.X("max:Q", title="at most so many records", scale=altair.Scale(type="log"))
    charts = [
        seen(rows)
        .mark_line(strokeWidth=1.8)
        .encode(x=x, y=altair.Y(f"{name}:Q", title=title), color=coloured("data", colours), strokeDash=dash)
        .properties(width=220, height=190)
        for name, title in PANELS.items()
    ]
    return styled(altair.hconcat(*charts))


EXPERIMENT = Experiment("disassociation", run_all, page, picture)
