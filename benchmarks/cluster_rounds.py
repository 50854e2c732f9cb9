"""Seconds of a counting pass of top splits on Spark: ``python -m benchmarks.cluster_rounds --records 20000 400000``.

A round of top splits is two passes over all records. The line through the medians gives what ``cluster`` asks for with
``--spark``: seconds of a core for each occurrence, and seconds of a pass over next to nothing. Needs PySpark and Java.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.cluster_measure import slope
from cloven.datasets import SHAPES, shaped
from cloven.engines.spark import session_at
from cloven.intake.urls import file_url
from cloven.kinds.disassociated.blocks.splits import grown
from cloven.kinds.disassociated.spark.counting import FrameCounting
from cloven.kinds.disassociated.spark.records import packed

PARTS = 50
"""Blocks are at most so small a part of the data."""


class EnoughError(Exception):
    """So many rounds were asked for, and done."""


@dataclass
class Timed:
    """Counting on Spark, every pass timed, until there were enough."""

    inner: FrameCounting
    most: int
    passes: list[float] = field(default_factory=list)

    def top(self, *asked: Any) -> Any:
        """The first pass of a round."""
        if len(self.passes) >= 2 * self.most:
            raise EnoughError
        return self._timed(self.inner.top, *asked)

    def profiles(self, *asked: Any) -> Any:
        """The second."""
        return self._timed(self.inner.profiles, *asked)

    def _timed(self, function: Any, *asked: Any) -> Any:
        start = monotonic()
        found = function(*asked)
        self.passes.append(monotonic() - start)
        return found


def seconds_of_a_pass(session: Any, records: int, rounds: int) -> tuple[int, float]:
    """Occurrences, and the median seconds of passes over them."""
    data = shaped("pos", scale=records / SHAPES["pos"].records)
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "coded.parquet"
        table = pa.table({"content": packed(np.array(data.offsets), np.array(data.codes))})
        pq.write_table(table, file, row_group_size=1 << 16)
        order = np.arange(len(data.vocabulary), dtype=np.int32)
        timed = Timed(FrameCounting(session.read.parquet(file_url(file)), order, frozenset()), rounds)
        with suppress(EnoughError):
            grown(timed, len(data), len(data) // PARTS)
    return len(data.codes), median(timed.passes)


def main() -> None:
    """Time passes over data of several sizes; the last is foretold from the others, if there are three or more."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, nargs="+", default=[20_000, 400_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--cores", type=int, default=2)
    asked = parser.parse_args()
    session = session_at(f"local[{asked.cores}]", quiet=True)
    seconds_of_a_pass(session, 5000, 3)  # Java has compiled what it can
    found = []
    for records in asked.records:
        found.append(seconds_of_a_pass(session, records, asked.rounds))
        print(
            f"{records:10,} records, {found[-1][0]:10,} occurrences: {found[-1][1]:.2f} s a pass", flush=True
        )
    session.stop()
    known = found[:-1] if len(found) > 2 else found
    each = slope(*zip(*known, strict=True))
    begin = float(np.mean([seconds - each * many for many, seconds in known]))
    print(f"{1e9 * asked.cores * each:.0f} ns of a core an occurrence, {begin:.2f} s for a pass over nothing")
    print(f"foretold for the last: {begin + each * found[-1][0]:.2f} s")


if __name__ == "__main__":
    main()
