"""How long the inspector of the studio takes on a large release: the worker, once, and pages of the server after it."""

from __future__ import annotations

import asyncio
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import cloven as cv
from cloven.datasets.baskets import sparse
from cloven.studio.inspection.drawer import Drawer
from cloven.studio.inspector import pages_of
from cloven.studio.inspector_address import Address
from cloven.studio.workers import Worker

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.measuring import Extent, Row

RECORDS, ITEMS, MEAN, LONGEST = 100_000, 5_000, 8.0, 100


def inspector(extent: Extent) -> list[Row]:
    """Anonymise 100,000 made-up records of 5,000 items, let a worker look through it, and open pages."""
    many = RECORDS // (200 if extent.small else 1)
    with tempfile.TemporaryDirectory() as inside:
        folder = Path(inside)
        result = cv.Disassociation(k=5, m=2).anonymise(sparse(many, ITEMS, MEAN, LONGEST, seed=1))
        cv.write_release(result, folder / "made")
        rows = [_timed("worker", lambda: asyncio.run(_worked(folder)))]
        release = cv.read_release(folder / "made")
        key = cv.read_key(folder / "made.private", release)
        pages = pages_of(release, key, None, Drawer(folder / "kept"))
        truth, rebuilt = (Address("", query=((name, "1"),)) for name in ("truth", "rebuild"))
        views: dict[str, Callable[[], object]] = {
            "list of clusters": partial(pages.overview, Address("")),
            "a cluster, put together by an attack": partial(pages.group, rebuilt, 0),
            "list with the truth": partial(pages.overview, truth),
            "people": partial(pages.people, truth),
        }
        return rows + [_timed(name, view) for name, view in views.items()]


async def _worked(folder: Path) -> None:
    places = {"published": "made", "private": "made.private", "folder": "kept"}
    job = {"work": "inspect", "meanings": "", "stamp": "1"}
    worker = await Worker.begin(job | {name: str(folder / place) for name, place in places.items()})
    ended = await worker.listen(lambda _event: None)
    if ended.problem:
        raise SystemExit(ended.problem)


def _timed(what: str, work: Callable[[], object]) -> Row:
    start = perf_counter()
    work()
    spent = perf_counter() - start
    print(f"{what:38s} {spent:7.2f} s", flush=True)
    return {"what": what, "seconds": spent}
