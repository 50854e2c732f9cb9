"""``cloven reproduce datasets``: every public data set, anonymised the papers' way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.data.taxonomy import read_taxonomy
from cloven.kinds.disassociated.methods import Disassociation
from cloven.statistics.uniqueness import describe
from experiments.disassociation import even_taxonomy
from experiments.harness.data import PUBLIC_DATA
from experiments.harness.former import Run, run, table
from experiments.harness.page import grid, section

if TYPE_CHECKING:
    from pathlib import Path

    from experiments.harness.runs import Report

AS_PAPERS = Disassociation(rare_items="cluster", refine=True)
"""The defaults apart from two: rare items stay in the term chunk of their cluster, and clusters are refined."""
_HEAD = """# Public data sets, anonymised the papers' way

Made by `cloven reproduce datasets`. These are not the defaults: rare items stay in the term chunks of their clusters
(`rare_items="cluster"`) and clusters are refined, as in the papers; [the default](known-person.md) withholds rare
items, does not refine, and publishes other leftovers once for the whole release. Every release passed `verify`. tKd
over the top 1,000 itemsets of any size; re over the pairs of the 200th to 220th most frequent items (the middle 20
when there are fewer than 220); ± is half a 95 % interval over 5 reconstructions; tKd-ML2 over the hierarchy of
BMS-WebView-2 and, for the others, over even ranges of the sorted items (fan-out 5). "singled out" is the share of
records that an item, or a pair, identifies in the original.
"""


def datasets(folder: Path, report: Report) -> tuple[str, list[Run]]:
    """Every public data set anonymised the papers' way, verified and measured: the page and the runs behind it."""
    runs, shapes = [], []
    for number, (name, source) in enumerate(PUBLIC_DATA.items()):
        report(name, number / len(PUBLIC_DATA))
        data = source.load(folder)
        taxonomy = even_taxonomy(data) if source.taxonomy is None else read_taxonomy(folder / source.taxonomy)
        shape = describe(data)
        shapes.append(
            (
                name, f"{shape.records:,}", f"{shape.items:,}", f"{shape.mean_length:.2f}", f"{shape.max_length}",
                *(f"{100 * found.share:.1f} %" for found in shape.singled_out),
            )
        )  # fmt: skip
        runs.append(run(name, data, AS_PAPERS, taxonomy=taxonomy))
    heads = ("data", "records", "items", "mean length", "max", "singled out by 1", "by 2")
    parts = [
        section("The data", grid(heads, shapes)),
        section(f"The releases ({in_words(AS_PAPERS)})", table(runs)),
    ]
    return "\n".join([_HEAD, *parts]), runs


def in_words(method: Disassociation) -> str:
    """How releases were made.

    >>> in_words(AS_PAPERS), in_words(Disassociation(max_cluster_size=None))
    ('k=5, m=2, max 120, add, rare items: cluster, refined', 'k=5, m=2, no max, add, rare items: withhold, not refined')
    """
    limit = "no max" if method.max_cluster_size is None else f"max {method.max_cluster_size}"
    refined = "refined" if method.refine else "not refined"
    return f"k={method.k}, m={method.m}, {limit}, {method.small_clusters}, rare items: {method.rare_items}, {refined}"
