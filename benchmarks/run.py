"""Measure speed: against the plain reference, against m, against size, and whole runs. `make bench` runs everything.

The reference is a plain-Python HORPART + VERPART straight from the pseudo-code; it is found by CLOVEN_REFERENCE or
../shared/reference.py, the public data sets by CLOVEN_DATA or ../shared/data. Every part that lacks its input says so.
Times are medians of five, kernels warm; both programs run in this one process, one after the other.

    python benchmarks/run.py [ratio] [depth] [scale] [whole] [bounded] [attack] [generalisation] [mondrian]
                             [--json FILE]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.datasets import shaped
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.methods.labelling import label, prepare, tie_order_of
from cloven.reading import read

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from cloven.data.transactions import Transactions

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("CLOVEN_DATA", ROOT.parent / "shared" / "data"))
REFERENCE = Path(os.environ.get("CLOVEN_REFERENCE", ROOT.parent / "shared" / "reference.py"))
FILES = {
    "BMS-WebView-1": "transactions/BMS1.dat.gz",
    "BMS-WebView-2": "transactions/BMS2.txt.gz",
    "T10I4D100K": "transactions/T10I4D100K.dat.gz",
}
RUNS = 5


def seconds(work: Callable[[], object], runs: int = RUNS) -> float:
    """Median time of a piece of work."""
    spent = []
    for _ in range(runs):
        start = perf_counter()
        work()
        spent.append(perf_counter() - start)
    return statistics.median(spent)


def split(data: Transactions, method: Disassociation) -> None:
    """Canonical sorting, HORPART and VERPART, as ``anonymise`` runs them; no refining, no assembling."""
    prepared = prepare(data, tie_order_of(data, method.tie_order))
    label(method, data, prepared, lambda _step, _share: None)


def reference() -> ModuleType | None:
    """The plain reference as a module."""
    if not REFERENCE.is_file():
        return None
    spec = importlib.util.spec_from_file_location("reference", REFERENCE)
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ratio() -> list[dict[str, Any]]:
    """H + V at k=5, m=2, max 30 against the reference."""
    plain = reference()
    if plain is None or not DATA.is_dir():
        print(f"ratio: skipped, no reference in {REFERENCE} or no data in {DATA}")
        return []
    rows = []
    for name, file in FILES.items():
        data, records = read(DATA / file), plain.read(str(DATA / file))
        method = Disassociation(k=5, m=2, max_cluster_size=30, rare_items="cluster", refine=False)
        split(data, method)

        def run_plain(records: Any = records) -> None:
            for cluster in plain.horpart(records, 31):
                plain.verpart(records, cluster, 5, 2)

        ours, theirs = seconds(lambda d=data, m=method: split(d, m)), seconds(run_plain)
        rows.append({"data": name, "reference_s": theirs, "cloven_s": ours, "ratio": theirs / ours})
        print(f"ratio: {name:14s} reference {theirs:7.3f} s   cloven {ours:7.4f} s   {theirs / ours:6.1f}x")
    return rows


def depth() -> list[dict[str, Any]]:
    """What m=3 costs against m=2 (H + V)."""
    rows = []
    for name, file in FILES.items():
        if not DATA.is_dir():
            print(f"depth: skipped, no data in {DATA}")
            return []
        data = read(DATA / file)
        times = {}
        for m in (2, 3, 4):
            method = Disassociation(k=5, m=m, max_cluster_size=30, rare_items="cluster", refine=False)
            split(data, method)
            times[m] = seconds(lambda d=data, x=method: split(d, x))
        rows.append(
            {
                "data": name,
                **{f"m{m}_s": value for m, value in times.items()},
                "m3_over_m2": times[3] / times[2],
            }
        )
        print(f"depth: {name:14s} m=2 {times[2]:.4f} s   m=3 {times[3]:.4f} s   {times[3] / times[2]:.2f}x")
    return rows


def scale() -> list[dict[str, Any]]:
    """Growth on data of the POS shape: an eighth, the published size, and eight times it."""
    rows: list[dict[str, Any]] = []
    small = shaped("pos", scale=0.01)
    for warm_up in (
        Disassociation(rare_items="cluster", refine=True),
        Disassociation(block_records=1_000, rare_items="cluster", refine=True),
    ):
        warm_up.anonymise(small)
    for factor, runs in ((0.125, 3), (1.0, 3), (8.0, 1)):
        data = shaped("pos", scale=factor)
        parts = seconds(
            lambda d=data: split(d, Disassociation(max_cluster_size=30, rare_items="cluster", refine=False)),
            runs,
        )
        whole = seconds(
            lambda d=data: Disassociation(max_cluster_size=30, rare_items="cluster", refine=True).anonymise(
                d
            ),
            runs,
        )
        rows.append({"records": len(data), "split_s": parts, "anonymise_s": whole})
        print(f"scale: {len(data):>9,} records   H+V {parts:7.3f} s   anonymise {whole:7.3f} s", end="")
        if len(rows) > 1:
            before = rows[-2]
            print(
                f"   {parts / before['split_s']:5.2f}x, {whole / before['anonymise_s']:5.2f}x the time of 1/8",
                end="",
            )
        print()
    return rows


def whole() -> list[dict[str, Any]]:
    """Whole runs of the command, start to finish, kernels cached: read, H, V, R, verify, write."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        inputs = {"POS shape": place / "pos.dat"}
        if DATA.is_dir():
            inputs = {"BMS-WebView-2": DATA / FILES["BMS-WebView-2"], **inputs}
        _write_fimi(shaped("pos"), inputs["POS shape"])
        for name, file in inputs.items():
            command = [
                sys.executable,
                "-m",
                "cloven.cli",
                "anonymise",
                "disassociation",
                str(file),
                "--json",
                "-o",
            ]
            spent = []
            for run in range(RUNS):
                start = perf_counter()
                subprocess.run([*command, str(place / f"{name}-{run}")], check=True, capture_output=True)
                spent.append(perf_counter() - start)
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
            rows.append(
                {"data": name, "seconds": statistics.median(spent), "best_s": min(spent), "peak_gb": peak}
            )
            print(
                f"whole: {name:14s} {statistics.median(spent):6.2f} s (best {min(spent):.2f})   peak {peak:.2f} GB"
            )
    return rows


def attack() -> list[dict[str, Any]]:
    """The semantic attack on What's Cooking, half of it and all; word mover's distance; covers of BMS-WebView-2."""
    file, vectors = DATA / "named/whats_cooking_train.json.zip", DATA / "vectors/glove_6b_100d_150k.npy"
    if not (file.is_file() and vectors.is_file()):
        print(f"attack: no public data in {DATA}; set CLOVEN_DATA")
        return []
    from cloven.kinds.disassociated.attack.semantic import Semantic
    from cloven.kinds.disassociated.covers.covers import covers
    from cloven.kinds.disassociated.score.movers import Vectors as MoverVectors
    from cloven.kinds.disassociated.score.movers import movers_distances
    from cloven.relatedness.vectors import Vectors

    rows, data = [], read(file, column="ingredients")
    for share in (0.5, 1.0):
        part = data.take(np.arange(round(share * len(data))))
        for refine in (False, True):
            method = Disassociation(k=3, m=2, max_cluster_size=30, rare_items="cluster", refine=refine)
            release = method.anonymise(part).release
            spent = seconds(lambda release=release: Semantic(Vectors(str(vectors))).guess(release), 3)
            rows.append({"records": len(part), "refine": refine, "seconds": spent})
            print(f"attack: What's Cooking {len(part):7,} records, refine {refine!s:5} {spent:6.2f} s")
    rng = np.random.default_rng(1)
    matrix = rng.standard_normal((5_000, 100)).astype(np.float32)
    known = np.ones(len(matrix), bool)
    left = [np.sort(rng.choice(5_000, 20, replace=False)) for _ in range(10_000)]
    right = [np.sort(rng.choice(5_000, 20 + number % 5, replace=False)) for number in range(10_000)]
    spent = seconds(lambda: movers_distances(left, right, MoverVectors(matrix, known)), 1)
    rows.append({"movers_pairs": 10_000, "seconds": spent})
    print(f"attack: word mover's distance, 10,000 pairs of 20 to 24 words {spent:6.2f} s")
    release = (
        Disassociation(k=3, m=2, max_cluster_size=25, rare_items="cluster", refine=True)
        .anonymise(read(DATA / FILES["BMS-WebView-2"]))
        .release
    )
    spent = seconds(lambda: covers(release))
    rows.append({"covers": len(covers(release)), "seconds": spent})
    print(f"attack: covers of BMS-WebView-2 {spent:6.3f} s")
    return rows


def generalisation() -> list[dict[str, Any]]:
    """Set-based generalisation of BMS-WebView-2 at k=5: Apriori over the public taxonomy, both searches, m=2 and 3."""
    from cloven.data.taxonomy import read_taxonomy
    from cloven.kinds.generalised.methods.apriori_km import AprioriKm
    from cloven.kinds.generalised.utility import ncp

    file, tree = DATA / FILES["BMS-WebView-2"], DATA / "transactions/treefile_BMS.txt.gz"
    if not (file.is_file() and tree.is_file()):
        print(f"generalisation: no public data in {DATA}; set CLOVEN_DATA")
        return []
    data, taxonomy = read(file), read_taxonomy(tree)
    # Any method of the family can stand here: it needs a name and a result of `anonymise`.
    methods = {
        f"apriori-km m={m} {search}": AprioriKm(k=5, m=m, taxonomy=taxonomy, search=search)
        for m in (2, 3)
        for search in ("refined", "published")
    }
    rows = []
    for name, method in methods.items():
        lost = ncp(method.anonymise(data).release, data)
        spent = seconds(lambda method=method: method.anonymise(data))
        rows.append({"data": "BMS-WebView-2", "method": name, "ncp": lost, "seconds": spent})
        print(f"generalisation: {name:26s} {spent:6.2f} s   NCP {lost:.5f}")
    return rows


def mondrian() -> list[dict[str, Any]]:
    """Mondrian on Adult against the packages of others."""
    sys.path.insert(0, str(Path(__file__).parent))
    from mondrian import compare

    return compare(DATA)


def bounded() -> list[dict[str, Any]]:
    """Disassociation within a gigabyte against all in memory, on data of the POS shape."""
    sys.path.insert(0, str(Path(__file__).parent))
    from bounded import compare

    return compare([100_000, 1_000_000], "1GB", whole=True)


def _write_fimi(data: Transactions, path: Path) -> None:
    codes, offsets = data.codes.tolist(), data.offsets.tolist()
    with path.open("w") as out:
        for start, end in pairwise(offsets):
            out.write(" ".join(map(str, codes[start:end])) + "\n")


def main() -> None:
    """Run the parts asked for, or all."""
    # Whole runs come first: the peak of a child counts what its parent held when it was started.
    parts = {
        "whole": whole,
        "bounded": bounded,
        "ratio": ratio,
        "depth": depth,
        "scale": scale,
        "attack": attack,
        "generalisation": generalisation,
        "mondrian": mondrian,
    }
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*parts, []], help="default: all")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    asked = parser.parse_args()
    print(
        f"python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} cores, {platform.machine()}"
    )
    found = {name: run() for name, run in parts.items() if not asked.parts or name in asked.parts}
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
