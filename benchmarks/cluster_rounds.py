"""Seconds of a counting pass of top splits on Spark: ``python -m benchmarks.cluster_rounds --records 20000 400000``.

A round of top splits is two passes over all records. This gives what ``cluster`` asks for with ``--spark``: seconds of
a core for each occurrence, which is the slope of what all processes took; and the seconds of the clock that the fastest
pass over the smallest data took, which counts next to nothing. Needs PySpark and Java.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.cluster_measure import slope
from benchmarks.engines import _tree
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

    def narrow(self, *_: Any) -> None:
        """Every pass reads all: what a pass over so many costs is asked."""

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


def seconds_of_a_pass(session: Any, records: int, rounds: int) -> tuple[int, float, float]:
    """Occurrences, mean seconds of all processors for a pass over them, and those of the clock for the fastest."""
    data = shaped("pos", scale=records / SHAPES["pos"].records)
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "coded.parquet"
        table = pa.table({"content": packed(np.array(data.offsets), np.array(data.codes))})
        pq.write_table(table, file, row_group_size=1 << 16)
        order = np.arange(len(data.vocabulary), dtype=np.int32)
        timed = Timed(_counting(session.read.parquet(file_url(file)), order, len(data)), rounds)
        before = _processors()
        with suppress(EnoughError):
            grown(timed, len(data), len(data) // PARTS)
        used = (_processors() - before) / len(timed.passes)
    return len(data.codes), used, min(timed.passes)


def _counting(frame: Any, order: Any, records: int) -> FrameCounting:
    return FrameCounting(frame, order, frozenset(), records, lambda some, _name: some)


def _processors() -> float:
    """Seconds of processors of this process and all below it."""
    return sum(used for used, *_ in _tree(os.getpid()).values())


def main() -> None:
    """Time passes over data of several sizes; the last is foretold from the others, if there are three or more."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, nargs="+", default=[20_000, 400_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cores", type=int, default=2)
    asked = parser.parse_args()
    session = session_at(f"local[{asked.cores}]", quiet=True)
    seconds_of_a_pass(session, 5000, 3)  # Java has compiled what it can
    found = []
    for records in asked.records:
        many, used, fastest = seconds_of_a_pass(session, records, asked.rounds)
        found.append((many, used, fastest))
        print(
            f"{records:10,} records, {many:10,} occurrences: {used:.2f} s of processors a pass, {fastest:.2f} s",
            flush=True,
        )
    session.stop()
    known = found[:-1] if len(found) > 2 else found
    each = slope([many for many, *_ in known], [used for _, used, _ in known])
    begin = float(np.mean([used - each * many for many, used, _ in known]))
    print(f"{1e9 * each:.0f} ns of a core an occurrence, {known[0][2]:.2f} s for a pass over next to nothing")
    print(f"foretold for the last: {begin + each * found[-1][0]:.2f} s of processors a pass")


if __name__ == "__main__":
    main()
