"""Studios for tests: an app in a new workspace, and a browser of a kind that is let in."""

from __future__ import annotations

import time
from contextlib import contextmanager

from starlette.testclient import TestClient

from cloven.studio.access import Access
from cloven.studio.app import studio
from cloven.studio.desk import Bounds, Desk
from cloven.studio.workspace import Workspace

ORIGIN = "http://127.0.0.1:8000"
COOKIE = "cloven-studio-8000"


@contextmanager
def opened(folder, *, most_upload=1_000_000, bounds=None, log_in=True):
    """A client of a studio in this folder; the work goes on as long as the block."""
    workspace = Workspace.at(folder)
    access = Access(COOKIE)
    desk = Desk(workspace, bounds or Bounds())
    app = studio(desk, access, (ORIGIN,), most_upload)
    try:
        with TestClient(app, base_url=ORIGIN, raise_server_exceptions=False) as client:
            client.desk, client.access, client.workspace = desk, access, workspace
            client.headers["origin"] = ORIGIN
            if log_in:
                assert client.get("/", params={"token": access.new_token()}).status_code == 200
            yield client
    finally:
        workspace.close()


def until(client, path, stops, seconds=120.0):
    """The page, once it says one of these."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        page = client.get(path)
        if any(words in page.text for words in stops):
            return page
        time.sleep(0.1)
    raise AssertionError(page.text)
