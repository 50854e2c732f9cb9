"""A search engine on this machine: questions, answers, patience, pauses, and what an interruption leaves."""

from __future__ import annotations

import json
import sqlite3
from collections import deque
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from cloven.errors import InputError, ParameterError
from cloven.relatedness.counts import CountsFile, write_counts
from cloven.relatedness.ngd import GoogleDistance
from experiments.counts_web import LimitReachedError, Manners, WebSearch

NUMBERS = {"flu": 400, "fever": "1,000", '"blood vessel"': 50, "knee": 0, "fever flu": 200}
NUMBERS |= {'"blood vessel" flu': 0, '"blood vessel" fever': 5}


class Engine(ThreadingHTTPServer):
    """Answers from a table; ``faults`` are answered first."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.faults: deque[tuple[int, dict[str, str], bytes]] = deque()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/find?key=secret&q={{query}}"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        query = parse_qs(urlsplit(self.path).query)["q"][0]
        self.server.asked.append(query)
        self.server.headers.append(dict(self.headers))
        content = json.dumps({"info": [{"total": NUMBERS.get(query)}]}).encode()
        status, headers, content = self.server.faults.popleft() if self.server.faults else (200, {}, content)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Time:
    """A clock that only sleeping moves."""

    def __init__(self):
        self.now, self.slept = 100.0, []

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def engine(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with Engine() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join(timeout=10)


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def search(engine, time, tmp_path):
    def make(**changes):
        manners = {"pause": 0.0, "timeout": 10.0, "tries": 3, "clock": lambda: time.now, "sleep": time.sleep}
        manners |= changes.pop("manners", {})
        settings = {"pointer": "/info/0/total"} | changes
        return WebSearch(
            engine.url, 10_000, tmp_path / "answers.sqlite", manners=Manners(**manners), **settings
        )

    return make


def everything(counted):
    items = np.arange(len(counted.single))
    return counted.together(items, items).tolist()


def test_items_and_pairs_are_asked_once(engine, search):
    counted = search(headers={"X-Key": "k"}).count(["fever", "flu", "blood  vessel", "knee"])
    assert counted.single.tolist() == [1000, 400, 50, 0]
    assert everything(counted) == [[1000, 200, 5, 0], [200, 400, 0, 0], [5, 0, 50, 0], [0, 0, 0, 0]]
    assert engine.asked == [
        "fever", "flu", '"blood vessel"', "knee", "fever flu", '"blood vessel" fever', '"blood vessel" flu',
    ]  # fmt: skip
    assert {headers["X-Key"] for headers in engine.headers} == {"k"}
    assert (counted.documents, date.fromisoformat(counted.date)) == (10_000, datetime.now(UTC).date())
    assert counted.source == f"web search http://127.0.0.1:{engine.server_port}/find"
    search().count(["flu", "fever"]).together(np.array([1]), np.array([0]))
    assert len(engine.asked) == 7


def test_empty_blocks_have_their_shape(search):
    counted = search().count(["flu"])
    assert counted.together(np.array([0]), np.array([], dtype=np.int64)).shape == (1, 0)
    assert counted.together(np.array([], dtype=np.int64), np.array([0])).shape == (0, 1)


def test_item_without_letters_is_not_asked(engine, search):
    assert search().count(['"', " ", "flu"]).single.tolist() == [0, 0, 400]
    assert engine.asked == ["flu"]


def test_pair_can_be_worded(engine, search, monkeypatch):
    monkeypatch.setitem(NUMBERS, "{right}", 3)
    monkeypatch.setitem(NUMBERS, "+{right} AND +flu", 2)
    assert everything(search(pair="+{right} AND +{left}").count(["{right}", "flu"])) == [[3, 2], [2, 400]]


def test_number_by_regular_expression(engine, search):
    engine.faults += [(200, {}, "About <b>67\u00a0400\u00a0000</b> results".encode())]
    engine.faults += [(200, {"Content-Type": "text/html; charset=latin-1"}, b"\xe9: none found")]
    found = search(pointer=None, pattern=r"About <b>([^<]*)</b>", nothing="é: none").count(["a", "b"])
    assert found.single.tolist() == [67_400_000, 0]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_busy_engine_is_asked_again_later(engine, search, time, status):
    engine.faults += [(status, {}, b"busy"), (status, {}, b"busy")]
    assert search(manners={"wait": 2.0}).count(["flu"]).single.tolist() == [400]
    assert time.slept == [2.0, 4.0]
    assert engine.asked == ["flu"] * 3


def test_engine_says_how_long_it_is_busy(engine, search, time):
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=40), usegmt=True)
    engine.faults += [(429, {"Retry-After": "17"}, b""), (503, {"Retry-After": later}, b"")]
    search(manners={"wait": 2.0}).count(["flu"])
    assert time.slept[0] == 17.0
    assert 30.0 < time.slept[1] <= 40.0


def test_long_wait_and_lasting_trouble_end_the_run(engine, search, time):
    engine.faults += [(429, {"Retry-After": "9000"}, b"")]
    with pytest.raises(
        InputError, match=r"busy \(HTTP 429\) for 9000 s; come back then, answers so far are kept"
    ):
        search().count(["flu"])
    assert time.slept == []
    engine.faults += [(502, {}, b"")] * 3
    with pytest.raises(InputError, match=r"no answer in 3 tries \(HTTP 502\); answers so far are kept"):
        search().count(["flu"])


def test_refusal_ends_the_run_at_once_without_showing_the_key(engine, search, time):
    engine.faults += [(403, {}, b"")]
    with pytest.raises(InputError, match=r"127.0.0.1: the search refuses \(HTTP 403\)") as raised:
        search().count(["flu"])
    assert time.slept == []
    assert "secret" not in str(raised.value) + repr(search())


def test_no_connection_is_told(engine, search):
    made = search()
    engine.shutdown()
    engine.server_close()
    with pytest.raises(InputError, match=r"no answer in 3 tries \(.*refused\)"):
        made.count(["flu"])


@pytest.mark.parametrize(
    "answer", [b"", b"<html>", b"{}", b'{"info": [{"total": "many"}]}', b'{"info": {"0": []}}']
)
def test_malformed_answer_is_shown_and_not_kept(engine, search, answer):
    engine.faults += [(200, {}, answer)]
    with pytest.raises(
        InputError, match=r"no number of documents at /info/0/total in the answer; correct it \(got "
    ):
        search().count(["flu"])
    assert search().count(["flu"]).single.tolist() == [400]


@pytest.mark.parametrize("total", ["-3", "1.5", "true", '"1,00"', "null", "1e999"])
def test_what_is_no_count_is_refused(engine, search, total):
    engine.faults += [(200, {}, f'{{"info": [{{"total": {total}}}]}}'.encode())]
    with pytest.raises(InputError, match="no number of documents"):
        search().count(["flu"])


def test_interrupted_run_goes_on(engine, search):
    engine.faults += [(200, {}, b'{"info": [{"total": 7}]}'), (500, {}, b"")]

    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search(manners={"sleep": interrupt}).count(["a", "flu"])
    assert search().count(["a", "flu"]).single.tolist() == [7, 400]
    assert engine.asked == ["a", "flu", "flu"]


def test_pause_between_requests(engine, search, time):
    made = search(manners={"pause": 3.0})
    counted = made.count(["flu", "fever"])
    assert time.slept == [3.0]
    time.now += 2.0
    everything(counted)
    assert time.slept == [3.0, 1.0]
    made.count(["knee"])
    assert time.slept == [3.0, 1.0, 3.0]


def test_limit_of_requests(engine, search, tmp_path):
    engine.faults += [(500, {}, b"")]
    with pytest.raises(
        LimitReachedError, match="limit of 2 requests is used up; answers so far are kept, run again"
    ):
        search(manners={"limit": 2}).count(["flu", "fever"])
    known = search(manners={"limit": 0}, beyond="unknown").count(["flu", "fever"])
    assert known.single.tolist() == [400, 0]
    some = search(manners={"limit": 2}, beyond="unknown").count(["flu", "fever", "blood vessel"])
    assert everything(some) == [[400, -1, -1], [-1, 1000, -1], [-1, -1, 50]]
    assert len(engine.asked) == 4


def test_answers_of_another_engine_are_not_mixed(engine, search):
    search().count(["flu"])
    engine.faults += [(200, {}, b"12 pages")]
    assert search(pointer=None, pattern=r"(\d+) pages").count(["flu"]).single.tolist() == [12]
    assert search().count(["flu"]).single.tolist() == [400]


def test_cache_that_is_none(search, tmp_path):
    (tmp_path / "answers.sqlite").write_bytes(b"no database at all, but long enough to look like one" * 30)
    with pytest.raises(
        InputError, match=r"answers.sqlite: the cache of answers cannot be used \(.*\); name another"
    ):
        search().count(["flu"])


def test_each_answer_is_committed_with_its_date(engine, search, tmp_path):
    search().count(["flu"])
    file = sqlite3.connect(tmp_path / "answers.sqlite")
    try:
        rows = file.execute("SELECT query, documents, date FROM answers").fetchall()
        file.execute("UPDATE answers SET date = '2001-02-03'")
        file.commit()
    finally:
        file.close()
    assert rows == [("flu", 400, datetime.now(UTC).date().isoformat())]
    assert search().count(["fever", "flu"]).date == "2001-02-03"


def test_counts_can_be_written_and_measured(engine, search, tmp_path):
    items = ["flu", "fever", "blood vessel", "knee"]
    write_counts(tmp_path / "counts.jsonl", items, search())
    assert CountsFile(tmp_path / "counts.jsonl").count(items).unlisted == -1
    every = np.arange(4)
    asked = GoogleDistance(search()).relate(items).distances(every, every)
    read = GoogleDistance(CountsFile(tmp_path / "counts.jsonl")).relate(items).distances(every, every)
    finite = np.array([[0, 1], [1, 2]])
    assert asked[tuple(finite.T)] == pytest.approx(read[tuple(finite.T)])
    assert np.isnan(asked[3]).all()
    assert asked[0, 2] > asked[0, 1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"url": "file:///etc/passwd?{query}"}, "http or https address with {query}"),
        ({"url": "ftp://host/{query}"}, "http or https"),
        ({"url": "https:///{query}"}, "http or https"),
        ({"url": "https://host/"}, "with {query} in it"),
        ({"pattern": "(x)"}, "either pointer"),
        ({"pointer": None}, "either pointer"),
        ({"pointer": None, "pattern": r"\d+"}, r"needs a group \(...\) around the number"),
        ({"pointer": None, "pattern": "(("}, "not a usable regular expression"),
        ({"nothing": "("}, "not a usable regular expression"),
        ({"documents": 0}, "documents must be positive"),
        ({"beyond": "never"}, "'stop' or 'unknown'"),
        ({"pair": "{left}"}, "pair must contain {left} and {right}"),
    ],
)
def test_bad_parameters(changes, message):
    good = {"url": "https://host/{query}", "documents": 10, "cache": "c", "pointer": "/n"}
    assert WebSearch(**good)
    with pytest.raises(ParameterError, match=message):
        WebSearch(**good | changes)


@pytest.mark.parametrize(
    "changes",
    [{"pause": -1}, {"timeout": 0}, {"wait": -1}, {"longest_wait": -1}, {"tries": 0}, {"limit": -1}],
)
def test_bad_manners(changes):
    with pytest.raises(ParameterError, match=next(iter(changes))):
        Manners(**changes)


def test_redirect_to_another_scheme_is_not_followed(engine, search):
    engine.faults += [
        (302, {"Location": "file:///etc/passwd"}, b""),
        (302, {"Location": "ftp://127.0.0.1/x"}, b""),
    ]
    with pytest.raises(InputError):
        search(manners={"tries": 1}).count(["flu"])
    with pytest.raises(InputError, match="unknown url type"):
        search(manners={"tries": 1}).count(["flu"])
