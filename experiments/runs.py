"""One run of an experiment: anonymise, verify, measure; and tables of such runs."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cloven.data.taxonomy import Taxonomy
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.methods import Disassociation

SEED = 20120801
"""Seed of the measurements, so that a table can be made again; no release depends on it."""


@dataclass(frozen=True)
class Run:
    """One run: what was run, and what came out."""

    data: str
    setting: dict[str, Any]
    found: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"data": self.data, "setting": self.setting, "found": self.found}


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
    verdict = verify(release, allow_unsafe=True)
    verdict.raise_if_broken()
    sizes = release.cluster_size
    measured = utility(
        data,
        release,
        rng=np.random.default_rng(SEED),
        reconstructions=reconstructions,
        taxonomy=taxonomy,
        suppressed_records=len(data) - release.records,
    ).to_dict()
    limit = method.max_cluster_size
    found = {
        "seconds": float(np.median(times)),
        "clusters": release.clusters,
        "joints": release.joints,
        "smallest": int(sizes.min()),
        "largest": int(sizes.max()),
        "oversize": 0 if limit is None else int((sizes > limit).sum()),
        "records_oversize": 0 if limit is None else int(sizes[sizes > limit].sum()),
        **measured,
    }
    setting = {
        "k": method.k,
        "m": method.m,
        **{n: v for n, v in method.parameters.items() if n not in _FIXED},
    }
    return Run(name, setting, found)


_FIXED = {
    "method",
    "unsafe",
    "seeded",
    "utility_groups",
    "sensitive",
    "min_item_support",
    "block_records",
    "tie_order",
}


def even_taxonomy(data: Transactions, fan_out: int = 5) -> Taxonomy:
    """A hierarchy of even ranges over the sorted items, for data without one (as the public one of BMS-WebView-2)."""
    from cloven.data.taxonomy import Taxonomy

    rows = []
    for place, name in enumerate(data.vocabulary):
        row, width = [name], fan_out
        while width < len(data.vocabulary):
            row.append(f"range {place // width} of {width}")
            width *= fan_out
        rows.append([*row, "*"])
    return Taxonomy.from_rows(rows)


def mean(value: dict[str, Any] | float | None) -> str:
    """A figure for a table: a mean with half its interval, or a number, or a dash."""
    if value is None:
        return "-"
    if isinstance(value, dict):
        spread = "" if value["low"] is None else f" ±{(value['high'] - value['low']) / 2:.3f}"
        return f"{value['mean']:.3f}{spread}"
    return f"{value:.3f}"


Column = tuple[str, "Callable[[Run], str]"]

FIGURES: tuple[Column, ...] = (
    ("items kept", lambda r: mean(r.found["items_kept"])),
    ("pairs kept", lambda r: mean(r.found["pairs_kept"])),
    ("tlost only", lambda r: mean(r.found["tlost_only"])),
    ("tlost any", lambda r: mean(r.found["tlost_any"])),
    ("tKd", lambda r: mean(r.found["tkd"])),
    ("tKd chunks", lambda r: mean(r.found["tkd_chunks"])),
    ("tKd-ML2", lambda r: mean(r.found["tkd_ml2"])),
    ("re", lambda r: mean(r.found["re"])),
    ("re chunks", lambda r: mean(r.found["re_chunks"])),
    ("suppressed", lambda r: f"{r.found['suppressed_records']:,}"),
    ("clusters", lambda r: f"{r.found['clusters']:,}"),
    ("oversize", lambda r: f"{r.found['oversize']:,}"),
    ("largest", lambda r: f"{r.found['largest']:,}"),
    ("time s", lambda r: f"{r.found['seconds']:.2f}"),
)


def markdown(runs: Sequence[Run], columns: Sequence[Column]) -> str:
    """A Markdown table, one line for each run."""
    lines = ["| " + " | ".join(name for name, _ in columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(cell(one) for _, cell in columns) + " |" for one in runs]
    return "\n".join(lines) + "\n"
