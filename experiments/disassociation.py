"""``cloven reproduce disassociation``: what the parameters of disassociation cost and bring.

Follows the experiments of Terrovitis et al. (PVLDB 2012, section 7), AlShuhail 2021 (section 3.4, Fig. 3.2) and the MSc
dissertation on disassociation in Python (chapters 5 and 6), as far as their text says what was run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cloven.datasets import shaped
from cloven.kinds.disassociated.methods import Disassociation
from experiments.public_data import PUBLIC_DATA
from experiments.runs import FIGURES, even_taxonomy, markdown, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from cloven.data.taxonomy import Taxonomy
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.methods.horizontal import SmallClusters
    from experiments.runs import Column, Run

STRATEGIES: tuple[SmallClusters, ...] = ("add", "abandon", "suppress", "remaining", "keep")
SIZES = (10, 20, 30, 60, 120, 250, 1_000, 10_000, None)
ANCHOR = Disassociation(k=5, m=2, max_cluster_size=10, rare_items="cluster", refine=True)


def sources(folder: Path, *, quick: bool) -> Iterator[tuple[str, Transactions, Taxonomy]]:
    """The four data sets of the experiment; POS is generated, at an eighth of its size for the sweeps."""
    from cloven.data.taxonomy import read_taxonomy

    for name in ("BMS-WebView-1", "BMS-WebView-2", "groceries"):
        data = PUBLIC_DATA[name].load(folder)
        if quick:
            import numpy as np

            data = data.take(np.arange(min(len(data), 5_000)))
        hierarchy = PUBLIC_DATA[name].taxonomy
        yield (
            name,
            data,
            even_taxonomy(data) if hierarchy is None or quick else read_taxonomy(folder / hierarchy),
        )
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


def disassociation(
    folder: Path, report: Callable[[str, float], None], *, quick: bool = False
) -> tuple[str, dict[str, list[Run]]]:
    """The page and the runs behind it."""
    plan = experiments()
    runs: dict[str, list[Run]] = {name: [] for name in plan}
    total, done = 4 * sum(map(len, plan.values())), 0
    for name, data, taxonomy in sources(folder, quick=quick):
        for title, settings in plan.items():
            for method in settings:
                report(f"{name}: {title}", done / total)
                done += 1
                repeats = 5 if title == "anchor" else 1
                count = 2 if quick else 5
                runs[title].append(
                    run(name, data, method, taxonomy=taxonomy, repeats=repeats, reconstructions=count)
                )
    return _page(runs), runs


def _setting(name: str, title: str | None = None) -> Column:
    return title or name, lambda one: _word(one.setting[name])


def _word(value: Any) -> str:
    if value is None:
        return "unlimited"
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


_SECTIONS: dict[str, tuple[str, tuple[Column, ...]]] = {
    "anchor": (
        "The papers' setting: k=5, m=2, fewer than 11 records in a cluster, five runs",
        (_setting("refine"),),
    ),
    "k": ("k", (_setting("refine"), _setting("k"), _setting("max_cluster_size", "max"))),
    "m": ("m", (_setting("refine"), _setting("m"))),
    "size": ("Maximum cluster size", (_setting("refine"), _setting("max_cluster_size", "max"))),
    "strategy": (
        "Small clusters",
        (_setting("k"), _setting("refine"), _setting("small_clusters", "strategy")),
    ),
    "reading": ("Reading of k^m", (_setting("reading"),)),
    "join": (
        "Equation 1 of refining: terms that move, or all that are listed",
        (_setting("join_terms", "terms"),),
    ),
    "horizontal": (
        "Horizontal step, at equal k, m and maximum",
        (_setting("max_cluster_size", "max"), _setting("refine"), _setting("horizontal")),
    ),
}

_HEAD = """# Disassociation: what the parameters cost and bring

Made by `cloven reproduce disassociation`; the figures behind every line are in `disassociation.json`. Unless a column
says otherwise: k=5, m=2, at most 30 records in a cluster, `add`, refined. Every release passed `verify` (`keep` as
allowed). What the figures mean: [measures](../reference/measures.md). POS could not be had: the data has its published
shape (records, items, lengths) from a seeded generator, so its times mean something and its utility figures little. The
maximum here is inclusive; the papers' is not. What they say and why we differ: [papers](papers.md).

"""


def _page(runs: dict[str, list[Run]]) -> str:
    parts = [_HEAD]
    for key, (title, columns) in _SECTIONS.items():
        parts.append(f"## {title}\n")
        parts.append(markdown(runs[key], (("data", lambda r: r.data), *columns, *FIGURES)))
    return "\n".join(parts)
