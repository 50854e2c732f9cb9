"""The studio as an ASGI app: every address and its view, with the gate in front."""

from __future__ import annotations

import errno
import sqlite3
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from cloven.errors import ClovenError
from cloven.escapes import visible
from cloven.studio import data_views, decide_views, protect_views, run_views, search_views, work_views
from cloven.studio.gate import Gate
from cloven.studio.inside import inside
from cloven.studio.pages import asset, shown, stylesheet

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from cloven.studio.access import Access
    from cloven.studio.desk import Desk

MOST_UPLOAD = 500_000_000
"""Bytes of a file that a browser sends, at most, unless its owner says otherwise."""
UPLOADS = ("/data/upload",)
FULL = (errno.ENOSPC, errno.EDQUOT)


def studio(desk: Desk, access: Access, origins: tuple[str, ...], most_upload: int = MOST_UPLOAD) -> Gate:
    """The app, behind its gate."""

    @asynccontextmanager
    async def life(_app: Starlette) -> AsyncIterator[None]:
        desk.begin()
        try:
            yield
        finally:
            await desk.end()

    app = Starlette(
        routes=[*routes(), inside(desk)],
        lifespan=life,
        exception_handlers={
            HTTPException: _not_found,
            ClovenError: _refused,
            OSError: _no_room,
            sqlite3.OperationalError: _no_room,
            Exception: _broken,
        },
    )
    app.state.desk, app.state.most_upload = desk, most_upload
    return Gate(app, access, origins, most_upload, UPLOADS)


def routes() -> list[Route]:
    """Every address."""
    data, runs, decide = "/data/{number:int}", "/runs/{number:int}", decide_views
    return [
        Route("/", data_views.home),
        Route("/data", data_views.choose),
        Route("/data/sample", data_views.take_sample, methods=["POST"]),
        Route("/data/upload", data_views.take_upload, methods=["POST"]),
        Route("/data/file", data_views.take_file, methods=["POST"]),
        Route(data, data_views.data_page),
        Route(f"{data}/reading", data_views.settle_reading, methods=["POST"]),
        Route(f"{data}/delete", data_views.delete_data, methods=["GET", "POST"]),
        Route(f"{data}/events", work_views.data_events),
        Route(f"{data}/meaning", protect_views.meaning),
        Route(f"{data}/protect", protect_views.protect_page),
        Route(f"{data}/protect", protect_views.plan_run, methods=["POST"]),
        Route(f"{data}/tune", search_views.form, methods=["GET", "POST"]),
        Route("/searches/{number:int}", search_views.search_page),
        Route("/searches/{number:int}/live", search_views.live),
        Route("/searches/{number:int}/events", work_views.work_events),
        Route("/searches/{number:int}/cancel", work_views.cancel, methods=["POST"]),
        Route("/searches/{number:int}/go-on", work_views.go_on, methods=["POST"]),
        Route("/searches/{number:int}/delete", search_views.delete, methods=["POST"]),
        Route("/runs", decide.all_runs),
        Route("/compare", decide.compare),
        Route(runs, decide.run_page),
        Route(f"{runs}/attack", run_views.attack_page),
        Route(f"{runs}/attack", run_views.start, methods=["POST"]),
        Route(f"{runs}/live", run_views.live),
        Route(f"{runs}/events", work_views.work_events),
        Route(f"{runs}/cancel", work_views.cancel, methods=["POST"]),
        Route(f"{runs}/go-on", work_views.go_on, methods=["POST"]),
        Route(f"{runs}/name", run_views.rename, methods=["POST"]),
        Route(f"{runs}/delete", run_views.delete_run, methods=["GET", "POST"]),
        Route(f"{runs}/inspector", work_views.look_again, methods=["POST"]),
        Route(f"{runs}/inspector/events", work_views.inspector_events),
        Route(f"{runs}/release.zip", decide.release_file),
        Route(f"{runs}/report.html", decide.owners_report),
        Route(f"{runs}/public-report.html", decide.public_report),
        Route(f"{runs}/key", decide.key_page),
        Route(f"{runs}/key.zip", decide.key_file, methods=["POST"]),
        Route(f"{runs}/audit.json", decide.document),
        Route("/studio.css", _css),
        Route("/studio.js", _js),
        Route("/icon.svg", _icon),
    ]  # fmt: skip


async def _css(_request: Request) -> Response:
    return Response(stylesheet(), media_type="text/css")


async def _js(_request: Request) -> Response:
    return Response(asset("studio.js"), media_type="text/javascript")


async def _icon(_request: Request) -> Response:
    return Response(asset("icon.svg"), media_type="image/svg+xml")


async def _not_found(_request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    words = {
        404: (
            "Nothing is here",
            "What this address named was deleted, or never was. The rest of the studio is fine.",
        ),
        405: ("Not like this", "This address takes another kind of request."),
        400: (
            "This form cannot be read",
            "It has more parts than it should, or is damaged. Nothing was changed.",
        ),
    }
    title, sentence = words.get(status, ("That did not work", "Nothing was changed."))
    return shown("message.html", status, title=title, sentence=sentence, steps=None)


async def _refused(_request: Request, error: Exception) -> Response:
    return shown(
        "message.html", 500, title="That did not work", sentence=visible(str(error), 500), steps=None
    )


async def _no_room(_request: Request, error: Exception) -> Response:
    """A full disk is no fault of the studio, and its owner can mend it."""
    if getattr(error, "errno", 0) not in FULL and "disk is full" not in str(error):
        raise error
    sentence = "The disk is full, so nothing was changed. Make room for it, and try again."
    return shown("message.html", 507, title="No room", sentence=sentence, steps=None)


async def _broken(_request: Request, _error: Exception) -> Response:
    sentence = "This is a fault of the studio. Your data and runs are untouched, and the rest of it works."
    return shown("message.html", 500, title="Something broke", sentence=sentence, steps=None)
