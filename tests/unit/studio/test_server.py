"""The server on a real socket, as ``cloven studio`` starts it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import httpx2
import pytest

from cloven.errors import ParameterError
from cloven.studio.server import Door


@contextmanager
def serving(folder, *options):
    """A studio in a process of its own, and the address that it shows first."""
    command = [
        sys.executable,
        "-m",
        "cloven.cli",
        "studio",
        "--no-browser",
        "--workspace",
        str(folder),
        *options,
    ]
    environment = {**os.environ, "PYTHONWARNINGS": "error::ResourceWarning"}
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        try:
            line = process.stdout.readline()
            found = re.search(r"https?://\S+", line)
            assert found, line + process.stderr.read()
            yield process, found[0]
        finally:
            process.send_signal(signal.SIGINT)
            process.stdin.close()
            process.wait(20)


def test_it_is_reached_on_this_machine_with_its_token_alone(tmp_path):
    with serving(tmp_path / "ws") as (process, address):
        origin = address.partition("/?")[0]
        assert origin.startswith("http://127.0.0.1:")
        with httpx2.Client(base_url=origin) as client:
            assert client.get("/").status_code == 401
            assert client.get("/data/1/events").status_code == 401
            assert client.get(address).status_code == 200
            assert "New release" in client.get("/data").text
            assert client.get("/", headers={"host": "evil.example"}).status_code == 421
            assert client.post("/data/sample", headers={"origin": "http://evil.example"}).status_code == 403
        assert httpx2.get(address).status_code == 403
        process.stdin.write("\n")
        process.stdin.flush()
        lines = [process.stdout.readline() for _ in range(3)]
        another = re.search(r"http://\S+", lines[-1])[0]
        assert another != address
        assert httpx2.get(another).status_code == 200


def test_it_listens_nowhere_else(tmp_path):
    with serving(tmp_path / "ws") as (_, address):
        port = int(re.search(r":(\d+)/", address)[1])
        with socket.socket() as other, pytest.raises(ConnectionRefusedError):
            other.connect(("127.0.0.2", port))


def test_a_workspace_that_is_open_is_not_opened_again(tmp_path):
    with serving(tmp_path / "ws"):
        command = [
            sys.executable,
            "-m",
            "cloven.cli",
            "studio",
            "--no-browser",
            "--workspace",
            str(tmp_path / "ws"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 4
        assert "another run works on this workspace" in done.stderr


def test_headers_that_are_no_http_get_an_answer_and_no_page(tmp_path):
    with serving(tmp_path / "ws") as (_, address):
        host, port = re.search(r"//([^:]+):(\d+)/", address).groups()
        for raw in (
            b"nonsense\r\n\r\n",
            b"GET / HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        ):
            with socket.create_connection((host, int(port)), 10) as line:
                line.sendall(raw)
                answer = line.recv(65536)
            assert b" 200 " not in answer.split(b"\r\n")[0]


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.1", "studio.example", ""])  # noqa: S104
def test_another_address_needs_more(address):
    with pytest.raises(ParameterError):
        Door(address)


def test_a_short_password_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="at least 12"):
        Door("192.0.2.1", 0, tmp_path / "c", tmp_path / "k", "short")


def test_another_address_with_all_of_it():
    door = Door("192.0.2.1", 0, "cert.pem", "key.pem", "a long password")
    assert not door.local
    assert door.origins(8443) == ("https://192.0.2.1:8443",)
    assert Door().origins(80) == ("http://127.0.0.1:80", "http://localhost:80")
    assert Door("::1").origins(80) == ("http://[::1]:80", "http://localhost:80")
