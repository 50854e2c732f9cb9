"""What workers do, as pages hear of it while it goes on; and how runs and searches are stopped and gone on with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from cloven.studio.data_views import data_of, desk_of, see

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from cloven.studio.records import WorkKind

BEAT = 15.0
"""Seconds after which a silent stream says that it is alive."""
Progress = dict[str, Any]


async def cancel(request: Request) -> Response:
    """Stop a run or a search; what is finished is kept."""
    kind, number = work_of(request)
    await desk_of(request).cancel(kind, number)
    return _back(kind, number)


async def go_on(request: Request) -> Response:
    """Go on with what was stopped, or failed."""
    kind, number = work_of(request)
    desk_of(request).go_on(kind, number)
    return _back(kind, number)


def _back(kind: WorkKind, number: int) -> Response:
    return see(f"/runs/{number}/attack" if kind == "runs" else f"/searches/{number}")


def work_of(request: Request) -> tuple[WorkKind, int]:
    """The run or the search that an address names."""
    kind: WorkKind = "runs" if request.url.path.startswith("/runs/") else "searches"
    number = int(request.path_params["number"])
    if desk_of(request).workspace.work(kind, number) is None:
        raise HTTPException(404)
    return kind, number


async def look_again(request: Request) -> Response:
    """Have a release looked through for the inspector again, after that went wrong."""
    _, number = work_of(request)
    desk_of(request).look_again(number)
    return see(f"/runs/{number}/clusters/")


# Events, as they are sent by the server.


async def work_events(request: Request) -> Response:
    """Of a run or a search: how far it is, and that more is found."""
    (kind, number), workspace = work_of(request), desk_of(request).workspace

    def told() -> tuple[Progress, int] | None:
        work = workspace.work(kind, number)
        if work is None or not work.active:
            return None
        return {"step": work.step, "share": work.share, "state": work.state}, work.findings

    return _stream(request, f"{kind}/{number}", told)


async def data_events(request: Request) -> Response:
    """Of a data set that is being read: only that it ends."""
    number, workspace = data_of(request).number, desk_of(request).workspace

    def told() -> tuple[Progress, int] | None:
        data = workspace.data(number)
        return ({}, 0) if data is not None and data.state == "reading" else None

    return _stream(request, f"data/{number}", told)


async def inspector_events(request: Request) -> Response:
    """Of a release that is looked through for the inspector: how far that is."""
    (_, number), desk = work_of(request), desk_of(request)

    def told() -> tuple[Progress, int] | None:
        looking = desk.looking(number)
        if looking is None or looking.problem:
            return None
        return {"step": looking.step, "share": looking.share}, 0

    return _stream(request, f"inspector/{number}", told)


def _stream(request: Request, key: str, told: Callable[[], tuple[Progress, int] | None]) -> Response:
    """An answer that goes on as long as something is told: progress, and how many findings there are."""
    events = _events(desk_of(request).changes(key, BEAT), told)
    return StreamingResponse(events, media_type="text/event-stream", headers={"x-accel-buffering": "no"})


async def _events(
    changes: AsyncIterator[bool], told: Callable[[], tuple[Progress, int] | None]
) -> AsyncIterator[str]:
    seen = 0
    while (now := told()) is not None:
        progress, findings = now
        if progress:
            yield _event("progress", progress)
        if findings != seen:
            seen = findings
            yield _event("found", {"findings": findings})
        if not await anext(changes):
            yield ": alive\n\n"
    yield _event("end", {})


def _event(name: str, value: Mapping[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(value)}\n\n"
