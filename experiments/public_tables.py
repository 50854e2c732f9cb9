"""``cloven reproduce datasets``: every public data set anonymised, verified and measured with the defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.kinds.disassociated.methods import Disassociation
from cloven.statistics.uniqueness import describe
from experiments.public_data import PUBLIC_DATA
from experiments.runs import FIGURES, even_taxonomy, markdown, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from experiments.runs import Run

_HEAD = """# Public data sets, anonymised with the defaults

Made by `cloven reproduce datasets`. Every release passed `verify`. tKd over the top 1,000 itemsets of any size; re over
the pairs of the 200th to 220th most frequent items (the middle 20 when there are fewer than 220); ± is half a 95 %
interval over 5 reconstructions; tKd-ML2 over the hierarchy of BMS-WebView-2 and, for the others, over even ranges of
the sorted items (fan-out 5). "singled out" is the share of records that an item, or a pair, identifies in the original.
"""


def datasets(folder: Path, report: Callable[[str, float], None]) -> tuple[str, list[Run]]:
    """The page and the runs behind it."""
    from cloven.data.taxonomy import read_taxonomy

    runs, shapes = [], []
    for number, (name, source) in enumerate(PUBLIC_DATA.items()):
        report(name, number / len(PUBLIC_DATA))
        data = source.load(folder)
        taxonomy = even_taxonomy(data) if source.taxonomy is None else read_taxonomy(folder / source.taxonomy)
        figures = describe(data)
        alone, pair = (100 * found.share for found in figures.singled_out)
        shapes.append(
            f"| {name} | {figures.records:,} | {figures.items:,} | {figures.mean_length:.2f} | {figures.max_length}"
            f" | {alone:.1f} % | {pair:.1f} % |"
        )
        runs.append(run(name, data, Disassociation(rare_items="cluster", refine=True), taxonomy=taxonomy))
    names = ("data", "records", "items", "mean length", "max", "singled out by 1", "by 2")
    shape_head = "| " + " | ".join(names) + " |\n" + "|---" * len(names) + "|\n"
    setting = runs[0].setting
    words = (
        f"k={setting['k']}, m={setting['m']}, max {setting['max_cluster_size']}, {setting['small_clusters']}"
    )
    page = "\n".join(
        [
            _HEAD,
            "## The data\n",
            shape_head + "\n".join(shapes) + "\n",
            f"## The releases ({words}, refined)\n",
            markdown(runs, (("data", lambda r: r.data), *FIGURES)),
        ]
    )
    return page, runs
