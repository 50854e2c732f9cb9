"""The cluster inspector as part of the studio: which release a run made, and the page around what is shown of it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.routing import Mount

from cloven._version import __version__
from cloven.storage.release import read_key, read_release
from cloven.studio.inspection.drawer import Drawer
from cloven.studio.inspection.words import KeptWords
from cloven.studio.inspector import inspector_routes
from cloven.studio.pages import shown, steps
from cloven.studio.records import number_in

if TYPE_CHECKING:
    from starlette.responses import Response

    from cloven.protocols import Relatedness
    from cloven.studio.desk import Desk
    from cloven.studio.records import Run

KEPT = 4
"""Releases that are kept read."""


def inside(desk: Desk) -> Mount:
    """The inspector of every run that has a release; a worker looks through it before the first page is shown."""
    workspace = desk.workspace

    def found(number: str) -> Run | None:
        run = workspace.run(number_in(number))
        return run if run is not None and run.state == "done" and _has_release(run) else None

    def open_release(number: str) -> tuple[Any, Any] | None:
        run = found(number)
        if run is None:
            return None
        changed = (run.published / "manifest.json").stat().st_mtime_ns
        return _read(str(run.published), str(run.private), changed)

    def meaning_of(run: Run) -> str:
        data = workspace.data(run.data)
        of_the_data = "sample" if data is not None and data.place is None else ""
        return str(run.wanted.get("relatedness") or of_the_data)

    def words(number: str) -> Relatedness | None:
        run = found(number)
        return None if run is None or not meaning_of(run) else KeptWords(Drawer(run.inspector))

    def drawer(number: str) -> Drawer:
        run = found(number)
        return Drawer(None if run is None else run.inspector)

    def waiting(number: str) -> Response | None:
        run = found(number)
        looking = None if run is None else desk.look_inside(run, meaning_of(run))
        if run is None or looking is None:
            return None
        around_it = steps("Inspect", workspace.data(run.data), run)
        return shown("inspector_waiting.html", run=run, looking=looking, steps=around_it, title="Look inside")

    def around(number: str) -> dict[str, Any]:
        run = found(number)
        data = None if run is None else workspace.data(run.data)
        shown = None if run is None else steps("Inspect", data, run)
        return {"version": __version__, "here": "", "steps": shown}

    pages = inspector_routes(
        open_release,
        relatedness=words,
        drawer=drawer,
        waiting=waiting,
        outline="layout.html",
        around=around,
    )
    return Mount("/runs/{run:str}/clusters", routes=pages)


def _has_release(run: Run) -> bool:
    return (run.published / "manifest.json").is_file()


@lru_cache(maxsize=KEPT)
def _read(published: str, private: str, _changed: int) -> tuple[Any, Any]:
    release = read_release(Path(published))
    return release, read_key(Path(private), release)
