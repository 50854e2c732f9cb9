"""What a replay tells and what safety costs: the figures of docs/decisions/0010, printed as its two tables.

The first follows every world and all lots of small random tables in exact fractions (``tests/laws/replayed.py``), which
takes about a minute. The second needs the public data: CLOVEN_DATA, or ../shared/data.

    python benchmarks/partitions.py
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

from cloven.kinds.tables.buckets import Buckets
from cloven.kinds.tables.methods.slicing import Slicing
from cloven.kinds.tables.utility import SENSITIVE_ERROR, table_utility

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests" / "laws")]

TABLES, PEOPLE, SEED = 40, 7, 12
PRICED = ("adaptive", "stratified", "replay-proof")


def replay() -> None:
    """In how many tables somebody's chance may exceed 1/2, or be 1; in brackets how likely lots do that, on average."""
    from replayed import WAYS, exposed, random_tables

    print("| partition | may exceed 1/2 | may be certain |\n|---|---|---|")
    for partition in WAYS:
        found = [exposed(table, partition, k=2, l=2) for table in random_tables(TABLES, PEOPLE, SEED)]
        cells = [
            f"{sum(one > 0 for one in of)} ({float(sum(of)) / TABLES:.3f})" for of in zip(*found, strict=True)
        ]
        print(f"| `{partition}` | {' | '.join(cells)} |", flush=True)


def price(data: Path) -> None:
    """Buckets of Adult, and the query error with the sensitive value."""
    from mondrian import adult_tables

    if not (data / "relational").is_dir():
        print(f"no public data in {data}; set CLOVEN_DATA")
        return
    table = next(iter(adult_tables(data).values()))
    print(
        "| partition | "
        + " | ".join(f"buckets, l = {l} | query error with occupation" for l in (3, 6))
        + " |"
    )
    print("|---|---|---|---|---|")
    for partition in PRICED:
        cells = []
        for l in (3, 6):
            release = Slicing(k=6, l=l, check="bucket", partition=partition, seed=1).anonymise(table).release  # type: ignore[arg-type]
            lost = table_utility(table, release, np.random.default_rng(1)).get(SENSITIVE_ERROR).value
            cells += [f"{len(Buckets.of(release)):,}", f"{lost:.2f}"]
        print(f"| `{partition}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    price(Path(os.environ.get("CLOVEN_DATA", HERE.parent.parent / "shared" / "data")))
    replay()
