"""The cluster inspector as part of the studio: which release a run made, and the page around what is shown of it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.routing import Mount

from cloven._version import __version__
from cloven.storage.release import read_key, read_release
from cloven.studio.inspector import inspector_routes
from cloven.studio.pages import steps

if TYPE_CHECKING:
    from cloven.protocols import Relatedness
    from cloven.studio.records import Run
    from cloven.studio.workspace import Workspace

KEPT = 4
"""Releases that are kept read."""


def inside(workspace: Workspace) -> Mount:
    """The inspector of every run that has a release."""

    def found(number: str) -> Run | None:
        run = workspace.run(int(number)) if number.isdigit() else None
        return run if run is not None and run.state == "done" and run.published.is_dir() else None

    def open_release(number: str) -> tuple[Any, Any] | None:
        run = found(number)
        if run is None:
            return None
        changed = (run.published / "manifest.json").stat().st_mtime_ns
        return _read(str(run.published), str(run.private), changed)

    def meanings(number: str) -> Relatedness | None:
        run = found(number)
        data = None if run is None else workspace.data(run.data)
        if run is None or data is None:
            return None
        return _meanings(str(run.wanted.get("relatedness") or ("sample" if data.place is None else "")))

    def around(number: str) -> dict[str, Any]:
        run = found(number)
        data = None if run is None else workspace.data(run.data)
        shown = None if run is None else steps("Inspect", data, run)
        return {"version": __version__, "here": "", "steps": shown}

    pages = inspector_routes(open_release, relatedness=meanings, outline="layout.html", around=around)
    return Mount("/runs/{run:str}/clusters", routes=pages)


@lru_cache(maxsize=KEPT)
def _read(published: str, private: str, _changed: int) -> tuple[Any, Any]:
    release = read_release(Path(published))
    return release, read_key(Path(private), release)


@lru_cache(maxsize=KEPT)
def _meanings(text: str) -> Relatedness | None:
    from cloven.relatedness.spec import parse

    return parse(text) if text else None
