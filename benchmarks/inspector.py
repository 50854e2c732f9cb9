"""How long the inspector of the studio takes on a large release: the worker, once, and pages of the server after it.

Run ``python benchmarks/inspector.py [RECORDS]``; the data are made up.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path
from time import perf_counter

import cloven as cv
from cloven.datasets.baskets import sparse
from cloven.storage.release import read_key, read_release
from cloven.studio.inspection.drawer import Drawer
from cloven.studio.inspector import pages_of
from cloven.studio.inspector_address import Address
from cloven.studio.workers import Worker

ITEMS, MEAN, LONGEST = 5_000, 8.0, 100


def main() -> None:
    """Anonymise, let a worker look through it, and open pages as the server does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", nargs="?", type=int, default=100_000)
    records = parser.parse_args().records
    with tempfile.TemporaryDirectory() as inside:
        folder = Path(inside)
        result = cv.Disassociation(k=5, m=2).anonymise(sparse(records, ITEMS, MEAN, LONGEST, seed=1))
        cv.write_release(result, folder / "made")
        print(f"{records:,} records of {ITEMS:,} items, {result.release.clusters:,} clusters")
        start = perf_counter()
        asyncio.run(_worked(folder))
        print(f"worker: {perf_counter() - start:.1f} s")
        _opened(folder)


async def _worked(folder: Path) -> None:
    places = {"published": "made", "private": "made.private", "folder": "kept"}
    job = {"work": "inspect", "meanings": "", "stamp": "1"}
    worker = await Worker.begin(job | {name: str(folder / place) for name, place in places.items()})
    ended = await worker.listen(lambda _event: None)
    if ended.problem:
        raise SystemExit(ended.problem)


def _opened(folder: Path) -> None:
    start = perf_counter()
    release = read_release(folder / "made")
    pages = pages_of(release, read_key(folder / "made.private", release), None, Drawer(folder / "kept"))
    truth = (("truth", "1"),)
    views = {
        "list of clusters, with reading the release": lambda: pages.overview(Address("")),
        "a cluster, put together by an attack": lambda: pages.group(
            Address("", query=(("rebuild", "1"),)), 0
        ),
        "list with the truth": lambda: pages.overview(Address("", query=truth)),
        "people": lambda: pages.people(Address("", query=truth)),
    }
    for name, view in views.items():
        view()
        print(f"{name}: {perf_counter() - start:.2f} s")
        start = perf_counter()


if __name__ == "__main__":
    main()
