"""HORPART and VERPART alone: against the plain reference, and against m, k and the largest cluster."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.measuring import FILES, Missing, medians
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.methods.labelling import label, prepare, tie_order_of
from cloven.reading import read

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from benchmarks.measuring import Extent, Row
    from cloven.data.transactions import Transactions

SPLITTING = Disassociation(rare_items="cluster", refine=False)
"""The defaults, without what comes after VERPART."""
VARIED = {"m": (1, 2, 3, 4), "k": (3, 5, 10, 25), "max_cluster_size": (10, 30, 100)}


def split(data: Transactions, method: Disassociation) -> None:
    """Canonical sorting, HORPART and VERPART, as ``anonymise`` runs them; no refining, no assembling."""
    prepared = prepare(data, tie_order_of(data, method.tie_order))
    label(method, data, prepared, lambda _step, _share: None)


def plain(extent: Extent) -> list[Row]:
    """H + V at k=5, m=2, max 30 against the plain reference, which is written straight from the pseudo-code."""
    reference = _reference(extent.reference)
    rows = []
    for name, file in FILES.items():
        path = extent.file(file)
        data, records = extent.some(read(path)), reference.read(str(path))
        records = records[: len(data)]
        method = replace(SPLITTING, k=5, m=2, max_cluster_size=30)
        split(data, method)

        def run_plain(records: Any = records) -> None:
            for cluster in reference.horpart(records, 31):
                reference.verpart(records, cluster, 5, 2)

        found = medians({"cloven": partial(split, data, method), "plain": run_plain}, extent.runs)
        ours, theirs = found["cloven"], found["plain"]
        rows.append({"data": name, "reference_s": theirs, "cloven_s": ours, "ratio": theirs / ours})
        print(
            f"{name:14s} reference {theirs:7.3f} s   cloven {ours:7.4f} s   {theirs / ours:6.1f}x", flush=True
        )
    return rows


def _reference(file: Path) -> ModuleType:
    """The plain reference as a module."""
    spec = importlib.util.spec_from_file_location("reference", file) if file.is_file() else None
    if spec is None or spec.loader is None:
        message = "the plain reference is not there (CLOVEN_REFERENCE names its file)"
        raise Missing(message)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parameters(extent: Extent) -> list[Row]:
    """H + V with one parameter varied at a time, in times of the defaults."""
    rows = []
    for name, file in FILES.items():
        data = extent.some(read(extent.file(file)))
        methods = [SPLITTING, *(_with(p, value) for p, values in VARIED.items() for value in values)]
        works = {method: partial(split, data, method) for method in methods}
        for work in works.values():
            work()  # compiles
        found = medians(works, extent.runs)
        for parameter, values in VARIED.items():
            for value in values:
                spent = found[_with(parameter, value)]
                times = spent / found[SPLITTING]
                rows.append({
                    "data": name, "parameter": parameter, "value": value, "seconds": spent, "ratio": times,
                })  # fmt: skip
                print(f"{name:14s} {parameter:>16s} = {value:<4d} {spent:.4f} s   {times:5.2f}x", flush=True)
    return rows


def _with(parameter: str, value: int) -> Disassociation:
    changed: dict[str, Any] = {parameter: value}
    return replace(SPLITTING, **changed)
