"""Connections that ask for nothing: other users of the machine open them, and must not keep the owner out."""

from __future__ import annotations

import asyncio
import resource
import socket
import sys
import threading
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx2
import pytest
import uvicorn

from cloven.studio.access import Access
from cloven.studio.connections import Listening
from cloven.studio.gate import Gate
from reliability.served import Served
from tests.unit.studio.studios import COOKIE

HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1"
LONG = 30.0
"""Seconds after which a test gives up; none waits for them to pass."""


class Small:
    """A server with a gate, in a thread; a page behind it waits until it is told to go on."""

    def __init__(self, **limits):
        self.go_on = threading.Event()
        self.asked = threading.Semaphore(0)
        self.listening = Listening(socket.AF_INET, **limits)
        self.listening.bind(("127.0.0.1", 0))
        self.listening.listen()
        self.place = self.listening.getsockname()
        self.origin = f"http://127.0.0.1:{self.place[1]}"
        access = Access(COOKIE)
        self.cookie = f"{COOKIE}={access.spend(access.new_token())}"
        gate = Gate(self.page, access, (self.origin,), 1_000, at_work=self.listening.at_work)
        config = uvicorn.Config(gate, log_level="error", ws="none", lifespan="off")
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(
            target=lambda: asyncio.run(self.server.serve(sockets=[self.listening]))
        )

    async def page(self, scope, receive, send):
        if scope["path"] == "/wait":
            self.asked.release()
            await asyncio.to_thread(self.go_on.wait, LONG)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    def line(self, sent=b""):
        line = socket.create_connection(self.place, LONG)
        line.settimeout(LONG)
        line.sendall(sent)
        return line

    def ask(self, path, line=None):
        line = self.line() if line is None else line
        line.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {self.origin[7:]}\r\nCookie: {self.cookie}\r\n\r\n".encode()
        )
        return line

    def answer(self, path="/"):
        return httpx2.get(f"{self.origin}{path}", headers={"cookie": self.cookie}, timeout=LONG).status_code


@contextmanager
def running(server):
    server.thread.start()
    try:
        yield server
    finally:
        server.go_on.set()
        server.server.should_exit = True
        server.thread.join(LONG)


def small(**limits):
    return running(Small(**limits))


def is_closed(line):
    """Whether the other side closes it, whatever it says before."""
    with suppress(ConnectionError):
        while line.recv(1000):
            pass
    return True


def is_answered(line):
    """Whether the page comes, and comes whole."""
    got = b""
    while not got.endswith(b"ok") and (more := line.recv(1000)):
        got += more
    return got.startswith(b"HTTP/1.1 200") and got.endswith(b"ok")


@pytest.mark.parametrize("sent", [b"", HALF, b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HT"])
def test_who_is_not_let_in_is_closed_after_a_while(sent):
    with small(patience=0.2) as server, server.line(sent) as line:
        assert is_closed(line)


def test_one_letter_after_the_other_is_no_way_to_stay():
    with small(patience=0.2) as server, server.line(HALF) as line:
        ended = threading.Event()

        def drip():
            with suppress(OSError):
                while not ended.wait(0.02):
                    line.sendall(b"x")

        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            assert is_closed(line)
        finally:
            ended.set()
            dripping.join(LONG)


def test_who_is_let_in_may_take_longer():
    with small(patience=0.2) as server, server.ask("/wait") as line:
        assert server.asked.acquire(timeout=LONG)
        with server.line(HALF) as other:
            assert is_closed(other)  # so that the time is over
        server.go_on.set()
        assert is_answered(line)
        assert is_answered(server.ask("/", line)), "and may ask again"


def test_of_those_who_are_not_let_in_the_oldest_makes_room():
    with small(most=16, patience=1000) as server, ExitStack() as stack:
        waiting = stack.enter_context(server.ask("/wait"))
        assert server.asked.acquire(timeout=LONG)
        lines = [stack.enter_context(server.line(HALF)) for _ in range(60)]
        assert all(is_closed(line) for line in lines[:45])
        assert server.answer() == 200
        server.go_on.set()
        assert is_answered(waiting)


@pytest.mark.parametrize("crowd", [15, 31, 32, 33, 100])
def test_the_owner_who_comes_after_a_crowd_waits_and_is_not_sent_away(crowd):
    server = Small(most=16, patience=1000)
    with ExitStack() as stack:
        for _ in range(crowd):
            stack.enter_context(server.line(HALF))
        owner = stack.enter_context(server.ask("/"))
        stack.enter_context(running(server))
        assert is_answered(owner)


def test_whoever_was_let_in_stays_longer_than_strangers():
    with small(most=16, patience=1000) as server, ExitStack() as stack:
        known = stack.enter_context(server.ask("/"))
        assert is_answered(known)
        lines = [stack.enter_context(server.line(HALF)) for _ in range(60)]
        assert all(is_closed(line) for line in lines[:45])
        assert is_answered(server.ask("/", known))


def test_where_all_are_at_work_the_next_one_is_sent_away():
    with small(most=3, patience=1000) as server, ExitStack() as stack:
        working = [stack.enter_context(server.ask("/wait")) for _ in range(3)]
        assert all(server.asked.acquire(timeout=LONG) for _ in working)
        assert is_closed(stack.enter_context(server.line()))
        server.go_on.set()
        assert all(is_answered(line) for line in working)
        assert server.answer() == 200


@contextmanager
def half_requests(origin, many):
    """Connections of somebody who has no cookie and does not end what they ask."""
    host, port = origin.partition("//")[2].split(":")
    with ExitStack() as stack:
        for _ in range(many):
            line = stack.enter_context(socket.create_connection((host, int(port)), LONG))
            with suppress(OSError):
                line.sendall(HALF)
        yield


@pytest.mark.skipif(sys.platform != "linux", reason="limits of another process are set on Linux alone")
@pytest.mark.parametrize(("many", "files"), [(400, 256), (40, None)])
def test_the_owner_is_served_while_others_open_connections(tmp_path, many, files):
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 2 * many:
        pytest.skip(f"this process may not open {many} connections")
    served = Served(tmp_path / "ws")
    served.start()
    try:
        number = served.process.pid
        there = sum(1 for _ in Path(f"/proc/{number}/fd").iterdir())
        most = files or there + 8  # fewer than there may be connections
        resource.prlimit(number, resource.RLIMIT_NOFILE, (most, most))
        with half_requests(served.origin, many):
            assert httpx2.get(served.address, timeout=LONG).status_code == 200
            assert len(served.errors().splitlines()) < 40
    finally:
        served.stop()
