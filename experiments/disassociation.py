"""``cloven reproduce disassociation``: what parameters cost and bring.

It follows the experiments of Terrovitis et al. (PVLDB 2012, section 7), AlShuhail 2021 (section 3.4, Fig. 3.2)
and the MSc dissertation on disassociation in Python (chapters 5 and 6), as far as their text says what was run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.taxonomy import Taxonomy, read_taxonomy
from cloven.datasets import shaped
from cloven.kinds.disassociated.methods import Disassociation
from experiments.harness.data import PUBLIC_DATA, first
from experiments.harness.page import grid, section
from experiments.harness.runs import SEED, Plain, Report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.methods.horizontal import SmallClusters

STRATEGIES: tuple[SmallClusters, ...] = ("add", "abandon", "suppress", "remaining", "keep")
SIZES = (10, 20, 30, 60, 120, 250, 1_000, 10_000, None)
ANCHOR = Disassociation(k=5, m=2, max_cluster_size=10, rare_items="cluster", refine=True)
_FIXED = {
    "method", "unsafe", "seeded", "utility_groups", "sensitive", "min_item_support", "block_records", "tie_order",
}  # fmt: skip
"""Parameters of a release that no experiment varies."""


@dataclass(frozen=True)
class Run:
    """One run: what was run, and what came out."""

    data: str
    setting: Plain
    found: Plain

    def to_dict(self) -> Plain:
        """Plain JSON values."""
        return asdict(self)


def run(
    name: str,
    data: Transactions,
    method: Disassociation,
    *,
    taxonomy: Taxonomy | None = None,
    reconstructions: int = 5,
    repeats: int = 1,
) -> Run:
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
    measured = utility(
        data,
        release,
        rng=np.random.default_rng(SEED),
        reconstructions=reconstructions,
        taxonomy=taxonomy,
        suppressed_records=len(data) - release.records,
    ).to_dict()
    found = {
        "seconds": float(np.median(times)),
        "clusters": release.clusters,
        "joints": release.joints,
        "smallest": int(sizes.min()),
        "largest": int(sizes.max()),
        "oversize": len(large),
        "records_oversize": int(large.sum()),
        **measured,
    }
    varied = {name: value for name, value in method.parameters.items() if name not in _FIXED}
    return Run(name, {"k": method.k, "m": method.m, **varied}, found)


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


def mean(value: Plain | float | None) -> str:
    """A figure for a table: a mean with half its interval, or a number, or a dash."""
    if value is None:
        return "-"
    if isinstance(value, dict):
        spread = "" if value["low"] is None else f" ±{(value['high'] - value['low']) / 2:.3f}"
        return f"{value['mean']:.3f}{spread}"
    return f"{value:.3f}"


Column = tuple[str, Callable[[Run], str]]


def _measured(title: str, name: str) -> Column:
    return title, lambda one: mean(one.found[name])


def _counted(title: str, name: str) -> Column:
    return title, lambda one: f"{one.found[name]:,}"


def _setting(name: str, title: str | None = None) -> Column:
    return title or name, lambda one: _word(one.setting[name])


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "unlimited" if value is None else str(value)


FIGURES: tuple[Column, ...] = (
    _measured("items kept", "items_kept"),
    _measured("pairs kept", "pairs_kept"),
    _measured("tlost only", "tlost_only"),
    _measured("tlost any", "tlost_any"),
    _measured("tKd", "tkd"),
    _measured("tKd chunks", "tkd_chunks"),
    _measured("tKd-ML2", "tkd_ml2"),
    _measured("re", "re"),
    _measured("re chunks", "re_chunks"),
    _counted("suppressed", "suppressed_records"),
    _counted("clusters", "clusters"),
    _counted("oversize", "oversize"),
    _counted("largest", "largest"),
    ("time s", lambda one: f"{one.found['seconds']:.2f}"),
)


def table(runs: Sequence[Run], columns: Sequence[Column] = ()) -> str:
    """A line for each run: data, what was varied, and all figures."""
    shown: list[Column] = [("data", lambda one: one.data), *columns, *FIGURES]
    return grid([title for title, _ in shown], [[cell(one) for _, cell in shown] for one in runs])


def sources(folder: Path, *, quick: bool) -> Iterator[tuple[str, Transactions, Taxonomy]]:
    """The four data sets of the experiment; POS is generated, at an eighth of its size for the sweeps."""
    for name in ("BMS-WebView-1", "BMS-WebView-2", "groceries"):
        source = PUBLIC_DATA[name]
        data = source.load(folder)
        data = first(data, 5_000) if quick else data
        even = source.taxonomy is None or quick
        yield name, data, even_taxonomy(data) if even else read_taxonomy(folder / str(source.taxonomy))
    data = shaped("pos", scale=0.02 if quick else 0.125)
    yield f"POS shape, {len(data):,} records", data, even_taxonomy(data)


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
            for step in ("horpart", "hierarchical")
        ],
    }


def disassociation(folder: Path, report: Report, *, quick: bool = False) -> tuple[str, dict[str, list[Run]]]:
    """The page and the runs behind it."""
    plan = experiments()
    runs: dict[str, list[Run]] = {name: [] for name in plan}
    total, done, count = 4 * sum(map(len, plan.values())), 0, 2 if quick else 5
    for name, data, taxonomy in sources(folder, quick=quick):
        for title, settings in plan.items():
            for method in settings:
                report(f"{name}: {title}", done / total)
                done += 1
                repeats = 5 if title == "anchor" else 1
                runs[title].append(
                    run(name, data, method, taxonomy=taxonomy, repeats=repeats, reconstructions=count)
                )
    return page(runs), runs


_REFINE, _MAX = _setting("refine"), _setting("max_cluster_size", "max")
_SECTIONS: dict[str, tuple[str, tuple[Column, ...]]] = {
    "anchor": (
        "The papers' setting: k=5, m=2, fewer than 11 records in a cluster, five runs",
        (_REFINE,),
    ),
    "k": ("k", (_REFINE, _setting("k"), _MAX)),
    "m": ("m", (_REFINE, _setting("m"))),
    "size": ("Maximum cluster size", (_REFINE, _MAX)),
    "strategy": ("Small clusters", (_setting("k"), _REFINE, _setting("small_clusters", "strategy"))),
    "reading": ("Reading of k^m", (_setting("reading"),)),
    "join": (
        "Equation 1 of refining: terms that move, or all that are listed",
        (_setting("join_terms", "terms"),),
    ),
    "horizontal": (
        "Horizontal step, at equal k, m and maximum",
        (_MAX, _REFINE, _setting("horizontal")),
    ),
}

_HEAD = """# Disassociation: what the parameters cost and bring

Made by `cloven reproduce disassociation`; the figures behind every line are in `disassociation.json`. Unless a column
says otherwise: k=5, m=2, at most 30 records in a cluster, `add`, rare items in clusters, refined. Every release
passed `verify` (`keep` as allowed). What the figures mean: [measures](../reference/measures.md). POS could not be
had: the data has its published shape (records, items, lengths) from a seeded generator, so its times mean something
and its utility figures little. The maximum here is inclusive; the papers' is not. What they say and why we differ:
[papers](papers.md).

"""


def page(runs: dict[str, list[Run]]) -> str:
    """The page of ``disassociation``: a table for each thing that was varied."""
    return "\n".join(
        [_HEAD, *(section(title, table(runs[key], columns)) for key, (title, columns) in _SECTIONS.items())]
    )
