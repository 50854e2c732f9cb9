"""``cloven relatedness counts`` asks a search engine on this machine, stops, and goes on."""

from __future__ import annotations

import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pytest


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        query = parse_qs(urlsplit(self.path).query)["q"][0]
        self.server.asked.append((query, self.headers.get("X-Key")))
        content = json.dumps({"total": 100 if " " not in query else 10}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture
def engine(monkeypatch):
    """A search engine that finds 100 documents for a word and 10 for two."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.asked = []
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join(timeout=10)


def test_counts_from_the_web_go_on_where_they_stopped(cloven, tmp_path, monkeypatch, engine):
    monkeypatch.chdir(tmp_path)
    Path("three.json").write_text('["flu", "fever", "knee"]')
    Path("headers.txt").write_text("X-Key: secret\n")
    url = f"http://127.0.0.1:{engine.server_port}/find?q={{query}}"
    how = ("--documents", 1000, "--pointer", "/total", "--pause", 0, "--headers", "headers.txt")
    arguments = ("relatedness", "counts", url, "three.json", *how, "-o", "web.jsonl")
    cloven(*arguments, "--limit", 2).refused(3, "the limit of 2 requests is used up", "run again to go on")
    assert not Path("web.jsonl").exists()
    partly = (
        *arguments[:-1],
        "partly.jsonl",
        "--cache",
        "web.jsonl.answers.sqlite",
        "--limit",
        2,
        "--partial",
    )
    found = cloven(*partly, "--json").json
    assert (found["items_found"], found["pairs"]) == (3, 1)
    counted = cloven(*arguments, "--json").json
    assert (counted["items_found"], counted["pairs"], counted["documents"]) == (3, 3, 1000)
    assert counted["source"] == f"web search http://127.0.0.1:{engine.server_port}/find"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", counted["date"])
    asked = ["fever", "fever flu", "fever knee", "flu", "flu knee", "knee"]
    assert sorted(query for query, _ in engine.asked) == asked
    assert {key for _, key in engine.asked} == {"secret"}
    assert cloven("relatedness", "show", "ngd:web.jsonl", "flu", "knee").code == 0
