"""The studio as a server on one address: the loopback interface, or another with TLS and a password."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from html import escape
from secrets import token_hex
from typing import TYPE_CHECKING

from cloven.errors import ParameterError
from cloven.storage.atomic import PRIVATE_FILE, write_bytes
from cloven.studio.access import Access
from cloven.studio.app import MOST_UPLOAD, studio
from cloven.studio.connections import Listening, say_shortly
from cloven.studio.desk import Desk
from cloven.studio.gate import TOKEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import uvicorn

    from cloven.studio.workspace import Workspace

LOOPBACK = "127.0.0.1"
SHORTEST = 12
"""Letters of a password, at least."""


@dataclass(frozen=True)
class Door:
    """Where the studio is reached.

    Attributes:
        address: name or number of the interface.
        port: its port; 0 for one that is free.
        certificate: file of a TLS certificate.
        private_key: file of its private key.
        password: what lets in from elsewhere.
    """

    address: str = LOOPBACK
    port: int = 0
    certificate: Path | None = None
    private_key: Path | None = None
    password: str | None = None

    def __post_init__(self) -> None:
        if self.address in ("", "0.0.0.0", "::"):  # noqa: S104 - it is refused
            message = "name one address, not all of them: browsers must call the studio by a name it knows"
            raise ParameterError(message)
        safe = self.certificate is not None and self.private_key is not None and self.password is not None
        if not self.local and not safe:
            message = (
                f"{self.address} can be reached by others; give --certificate, --private-key and --password-file, too,"
                f" or leave --address out for {LOOPBACK}"
            )
            raise ParameterError(message)
        if self.password is not None and len(self.password) < SHORTEST:
            message = f"the password must have at least {SHORTEST} letters; it is all that keeps others out"
            raise ParameterError(message)

    @property
    def local(self) -> bool:
        """Whether only this machine reaches it."""
        try:
            return ipaddress.ip_address(self.address).is_loopback
        except ValueError:
            return False

    @property
    def tls(self) -> bool:
        """Whether the line is encrypted."""
        return self.certificate is not None

    def origins(self, port: int) -> tuple[str, ...]:
        """Addresses as browsers write them; one of this machine also by its name."""
        scheme = "https" if self.tls else "http"
        host = f"[{self.address}]" if ":" in self.address else self.address
        names = [host, *(["localhost"] if self.local else [])]
        return tuple(f"{scheme}://{name}:{port}" for name in names)


@dataclass(frozen=True)
class Running:
    """A studio that is being served.

    Attributes:
        origin: its address.
        access: who may come in.
        passing: private folder for files that go with the server, or sooner.
    """

    origin: str
    access: Access
    passing: Path

    def address(self, when_spent: Callable[[], None] = lambda: None) -> str:
        """The address to open: with a token that is good for one visit, or to be asked for the password."""
        if self.access.password is not None:
            return f"{self.origin}/"
        return f"{self.origin}/?{TOKEN}={self.access.new_token(when_spent)}"

    def redirect(self) -> tuple[str, Path]:
        """An address, and a private page that sends a browser there; it goes with the token.

        All users of a machine can read the command line of a browser, so that no token may stand there.
        """
        page = self.passing.absolute() / f"{token_hex(16)}.html"
        address = self.address(lambda: _delete(page))
        write_bytes(page, _REDIRECT.format(escape(address)).encode(), PRIVATE_FILE)
        return address, page


_REDIRECT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={0}"><title>Cloven Studio</title></head>
<body><p><a href="{0}">Go on to the studio</a></p></body></html>
"""


def _delete(page: Path) -> None:
    with suppress(OSError):  # what stays is swept with the server, and its token is spent
        page.unlink()


def serve(
    workspace: Workspace, door: Door, ready: Callable[[Running], None], most_upload: int = MOST_UPLOAD
) -> None:
    """Serve until interrupted; ``ready`` is told where, once the address is taken."""
    import uvicorn

    with _taken(door) as listening, _passing_here(workspace):
        port = listening.getsockname()[1]
        access = Access(f"cloven-studio-{port}", secure=door.tls)
        if door.password is not None:
            access.set_password(door.password)
        origins = door.origins(port)
        app = studio(Desk(workspace), access, origins, most_upload)
        config = uvicorn.Config(
            replace(app, at_work=listening.at_work),
            log_level="error",  # of strangers that send no HTTP there is nothing to say
            access_log=False,  # tokens stand in addresses
            server_header=False,
            date_header=False,
            ws="none",
            proxy_headers=False,
            timeout_graceful_shutdown=2,
            ssl_certfile=door.certificate,
            ssl_keyfile=door.private_key,
        )
        ready(Running(origins[0], access, workspace.passing))
        asyncio.run(_run(uvicorn.Server(config), listening))


async def _run(server: uvicorn.Server, listening: Listening) -> None:
    asyncio.get_running_loop().set_exception_handler(say_shortly)
    await server.serve(sockets=[listening])


@contextmanager
def _taken(door: Door) -> Iterator[Listening]:
    """The address, so that nobody else has it."""
    family = socket.AF_INET6 if ":" in door.address else socket.AF_INET
    with Listening(family) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((door.address, door.port))
        except OSError as error:
            message = (
                f"{door.address}:{door.port} cannot be used ({error.strerror}); name another --port, or none"
            )
            raise ParameterError(message) from error
        listening.listen(128)  # whoever comes before the server is ready waits
        yield listening


@contextmanager
def _passing_here(workspace: Workspace) -> Iterator[None]:
    """Uploads on their way lie in the workspace, not where all users of the machine keep such.

    Nothing on its way outlives the server.
    """
    workspace.sweep()
    before = tempfile.tempdir
    tempfile.tempdir = str(workspace.passing)
    try:
        yield
    finally:
        tempfile.tempdir = before
        workspace.sweep()
