"""``cloven studio``."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated

import typer

from cloven.cli.console import say
from cloven.cli.options import asks, takes
from cloven.errors import ParameterError
from cloven.escapes import visible
from cloven.intake.files import small_text
from cloven.values import whole

if TYPE_CHECKING:
    from cloven.studio.server import Running

MISSING = "the studio is not installed; install cloven[studio]"


@takes()
def studio(
    workspace: Annotated[
        Path, typer.Option("--workspace", metavar="FOLDER", help="Where data, runs and keys are kept.")
    ] = Path("cloven-studio"),
    port: Annotated[
        int, asks(whole(0, 65535), "--port", help="Port on this machine; default: one that is free.")
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the browser, or only show the address.")
    ] = True,
    max_upload: Annotated[
        int, asks(whole(1, 100_000), "--max-upload", help="Megabytes of an uploaded file, at most.")
    ] = 500,
    address: Annotated[
        str, typer.Option("--address", metavar="NAME", help="Another address; needs the next three options.")
    ] = "127.0.0.1",
    certificate: Annotated[
        Path | None, typer.Option("--certificate", metavar="FILE", help="TLS certificate, PEM.")
    ] = None,
    private_key: Annotated[
        Path | None, typer.Option("--private-key", metavar="FILE", help="Its private key, PEM.")
    ] = None,
    password_file: Annotated[
        Path | None, typer.Option("--password-file", metavar="FILE", help="File whose first line lets in.")
    ] = None,
) -> None:
    """Open Cloven Studio: the whole way from a file to a verdict in a browser, on this machine alone.

    The address holds a token that lets one browser in, once; press Enter for a new one. Ctrl-C ends the studio; runs
    that were at work go on when it is opened again. The workspace holds your data and keys: only you may enter it.
    """
    try:
        from cloven.studio.server import Door, serve
    except ModuleNotFoundError as error:
        raise ParameterError(MISSING) from error
    from cloven.storage.journal import alone
    from cloven.studio.workspace import Workspace

    password = None if password_file is None else small_text(password_file).split("\n")[0].strip()
    door = Door(address, port, certificate, private_key, password)
    opened = Workspace.at(workspace)
    try:
        with alone(workspace, "workspace"):
            serve(
                opened,
                door,
                lambda running: _tell(running, workspace, browser=browser),
                max_upload * 1_000_000,
            )
    finally:
        opened.close()


def _tell(running: Running, workspace: Path, *, browser: bool) -> None:
    """Say where it is, open the browser, and give further addresses to whoever presses Enter."""
    place, page = running.redirect() if browser else (running.address(), None)
    say(f"Cloven Studio  {place}")
    say(f"workspace      {visible(str(workspace))}  (yours alone)")
    say("Enter shows another address, Ctrl-C ends the studio.")
    if page is not None:
        webbrowser.open(page.as_uri())
    Thread(target=_further, args=(running,), daemon=True).start()


def _further(running: Running) -> None:
    for _ in sys.stdin:
        say(f"Cloven Studio  {running.address()}")
