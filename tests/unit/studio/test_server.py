"""The server on a real socket, as ``cloven studio`` starts it."""

from __future__ import annotations

import re
import signal
import socket
import stat
import subprocess
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import httpx2
import pytest

from cloven.errors import ParameterError
from cloven.studio.server import Door
from reliability.served import Served, command
from tests.browser.studios import noting_browser, opened_by


@contextmanager
def serving(folder, *options):
    served = Served(folder, options)
    served.start()
    try:
        yield served
    finally:
        served.stop()


def test_it_is_reached_on_this_machine_with_its_token_alone(tmp_path):
    with serving(tmp_path / "ws") as served:
        address, origin = served.address, served.origin
        assert origin.startswith("http://127.0.0.1:")
        with httpx2.Client(base_url=origin) as client:
            assert client.get("/").status_code == 401
            assert client.get("/data/1/events").status_code == 401
            assert client.get(address).status_code == 200
            assert "New release" in client.get("/data").text
            assert client.get("/", headers={"host": "evil.example"}).status_code == 421
            assert client.post("/data/sample", headers={"origin": "http://evil.example"}).status_code == 403
        assert httpx2.get(address).status_code == 403
        another = served.another()
        assert another != address
        assert httpx2.get(another).status_code == 200


def test_the_browser_is_given_a_private_page_and_no_token(tmp_path, monkeypatch):
    noted = noting_browser(tmp_path, monkeypatch)
    with serving(tmp_path / "my ws", "--browser") as served:
        given = opened_by(noted)
        assert given.startswith("file://")
        assert served.address.partition("token=")[2] not in given
        page = Path(url2pathname(urlsplit(given).path))
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "my ws").stat().st_mode) == 0o700
        target = re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', page.read_text())[1]
        assert unescape(target) == served.address
        with httpx2.Client(base_url=served.origin) as client:
            site = {"sec-fetch-site": "cross-site"}  # what browsers say of a page that a file sends them to
            assert client.get(unescape(target), headers=site).status_code == 200
            assert client.get("/").status_code == 200
        assert not page.exists(), "it has served"
        assert httpx2.get(served.address).status_code == 403


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_page_goes_with_the_server(tmp_path, monkeypatch, how):
    noted = noting_browser(tmp_path, monkeypatch)
    served = Served(tmp_path / "ws", ("--browser",))
    served.start()
    page = Path(url2pathname(urlsplit(opened_by(noted)).path))
    assert page.exists()
    served.stop(how)
    assert not page.exists()


def test_it_listens_nowhere_else(tmp_path):
    with serving(tmp_path / "ws") as served:
        port = int(served.origin.rpartition(":")[2])
        with socket.socket() as other, pytest.raises(ConnectionRefusedError):
            other.connect(("127.0.0.2", port))


def test_a_workspace_that_is_open_is_not_opened_again(tmp_path):
    with serving(tmp_path / "ws"):
        on_its_way = tmp_path / "ws" / "passing" / "upload"
        on_its_way.touch()
        again = command(tmp_path / "ws")
        done = subprocess.run(again, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 4
        assert "another run works on this workspace" in done.stderr
        assert on_its_way.exists(), "what the first one is just being sent stays"
    with serving(tmp_path / "ws"):
        assert not on_its_way.exists(), "of a server that was killed"


def test_headers_that_are_no_http_get_an_answer_and_no_page(tmp_path):
    with serving(tmp_path / "ws") as served:
        host, port = re.search(r"//([^:]+):(\d+)", served.origin).groups()
        for raw in (
            b"nonsense\r\n\r\n",
            b"GET / HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        ):
            with socket.create_connection((host, int(port)), 10) as line:
                line.sendall(raw)
                answer = line.recv(65536)
            assert b" 200 " not in answer.split(b"\r\n")[0]
        assert served.errors() == "", "strangers could fill the log"


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
