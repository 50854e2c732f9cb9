"""How many connections there may be, and how long one may stay that was not let in.

Everybody on this machine can connect. Without limits, connections that ask for nothing take all the files that the
server may open, and its owner is no longer answered. The limits hold from the moment that a connection is accepted,
before any encryption is agreed on; what the server counts itself are requests.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import Scope

MOST = 64
"""Connections at the same time: a browser has six, and many machines allow 256 files or 1,024."""
PATIENCE = 10.0
"""Seconds until a connection must have asked for something and have been let in."""
NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


@dataclass(eq=False)
class _Connection:
    """A connection: how long it is waited for, whether it was let in, and how many of its requests are at work."""

    line: socket.socket
    timer: asyncio.TimerHandle = field(init=False)
    known: bool = False
    working: int = 0
    ended: bool = False

    def end(self) -> None:
        """Have the loop close it: for whoever reads from it, it is at its end."""
        self.ended = True
        self.timer.cancel()
        with suppress(OSError):  # the other side was first
            self.line.shutdown(socket.SHUT_RDWR)


class Listening(socket.socket):
    """A socket that listens, for a server on asyncio's loop of sockets.

    Where there are as many connections as there may be, one of them makes room for the next: the oldest of those that
    were never let in, or else of those that were. None is ended while a request that was let in is at work.
    """

    def __init__(self, family: int, most: int = MOST, patience: float = PATIENCE) -> None:
        super().__init__(family, socket.SOCK_STREAM)
        self._most, self._patience = most, patience
        self._connections: dict[tuple[str, int], _Connection] = {}
        self._loop_first = False

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection.

        Raises:
            BlockingIOError: there is none, or the loop must first close those that were ended.
            OSError: no more files can be opened; asyncio waits a second then.
        """
        if self._loop_first:  # asyncio asks on and on, even after it said that it waits, until it hears this
            self._loop_first = False
            raise BlockingIOError
        try:
            line, address = super().accept()
        except OSError as error:
            if error.errno in NO_ROOM:
                self._loop_first = True
                for each in self._idle(known=False):
                    each.end()
            raise
        if not self._has_room():
            line.close()
            raise BlockingIOError
        found = _Connection(line)
        found.timer = asyncio.get_running_loop().call_later(self._patience, found.end)
        self._connections[address[:2]] = found
        return line, address

    def _has_room(self) -> bool:
        """Whether one more may come; room is made for it where that can be."""
        there = {name: each for name, each in self._connections.items() if each.line.fileno() >= 0}
        self._connections = there
        if sum(not each.ended for each in there.values()) < self._most:
            return True
        idle = [*self._idle(known=False), *self._idle(known=True)]
        if not idle or len(there) >= 2 * self._most:
            return False
        idle[0].end()
        self._loop_first = True
        return True

    def _idle(self, *, known: bool) -> list[_Connection]:
        """Connections that can be ended, the oldest first."""
        connections = self._connections.values()
        return [each for each in connections if each.known == known and not (each.working or each.ended)]

    @contextmanager
    def at_work(self, scope: Scope) -> Iterator[None]:
        """As long as this, a request that was let in is at work."""
        found = self._connections.get(scope.get("client") or ("", 0))
        if found is None:  # it is gone already
            yield
            return
        found.timer.cancel()
        found.known = True
        found.working += 1
        try:
            yield
        finally:
            found.working -= 1


def say_shortly(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Say in one line that no more connections can be accepted, and all else as asyncio does."""
    error = context.get("exception")
    if "socket" in context and isinstance(error, OSError) and error.errno in NO_ROOM:
        message = "new connections wait: %s; `ulimit -n` allows more"
        logging.getLogger("uvicorn.error").error(message, error.strerror)
    else:
        loop.default_exception_handler(context)
