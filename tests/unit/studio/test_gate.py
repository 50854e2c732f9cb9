"""The gate: no token, no page; no other name, no other site; no body that is too long or too slow."""

from __future__ import annotations

import asyncio

import pytest

from cloven.studio.access import Access
from cloven.studio.app import routes
from cloven.studio.gate import GUARDS, Gate
from tests.unit.studio.studios import COOKIE, ORIGIN, opened

FILLED = [route.path.replace("{number:int}", "1") for route in routes()]
SHUT = [path for path in FILLED if path not in ("/studio.css", "/icon.svg")]


@pytest.fixture
def stranger(tmp_path):
    with opened(tmp_path / "ws", log_in=False) as client:
        yield client


@pytest.fixture
def owner(tmp_path):
    with opened(tmp_path / "ws", most_upload=2_000) as client:
        yield client


@pytest.mark.parametrize("path", SHUT)
def test_nothing_is_reached_without_the_cookie(stranger, path):
    for method in ("GET", "POST", "HEAD"):
        answer = stranger.request(method, path)
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers


def test_addresses_that_do_not_exist_look_like_all_others(stranger):
    assert stranger.get("/nothing/here").status_code == 401


def test_the_token_becomes_a_strict_cookie_once(stranger):
    token = stranger.access.new_token()
    first = stranger.get("/", params={"token": token})
    assert first.status_code == 200
    cookie = first.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    assert stranger.get("/data").status_code == 200
    stranger.cookies.clear()
    again = stranger.get("/", params={"token": token})
    assert again.status_code == 403
    assert "set-cookie" not in again.headers
    assert token not in again.text


@pytest.mark.parametrize("token", ["", "x", "é" * 50, "a" * 5_000])
def test_a_wrong_token_opens_nothing(stranger, token):
    answer = stranger.get("/", params={"token": token})
    assert answer.status_code in (401, 403)
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("cookie", ["", "x", '"', "a; b", "\x01"])
def test_a_made_up_cookie_opens_nothing(stranger, cookie):
    assert stranger.get("/", headers={"cookie": f"{COOKIE}={cookie}"}).status_code == 401


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:8001", "localhost.evil.example:8000", ""]
)
def test_another_name_is_not_answered_to(owner, host):
    assert owner.get("/", headers={"host": host}).status_code == 421
    assert (
        owner.get("/", params={"token": owner.access.new_token()}, headers={"host": host}).status_code == 421
    )


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": ORIGIN, "sec-fetch-site": "cross-site"},
        {"origin": ORIGIN, "sec-fetch-site": "same-site"},
        {"origin": ORIGIN, "sec-fetch-site": "none"},
        {"origin": "http://evil.example", "sec-fetch-site": "same-origin"},
    ],
)
def test_no_other_site_changes_anything(owner, headers):
    assert owner.post("/data/sample", headers=headers).status_code == 403
    assert owner.workspace.all_data() == []


def test_a_form_without_origin_and_site_changes_nothing(owner):
    del owner.headers["origin"]
    assert owner.post("/data/sample").status_code == 403
    assert owner.workspace.all_data() == []


@pytest.mark.parametrize("headers", [{"origin": ORIGIN}, {"origin": "null", "sec-fetch-site": "same-origin"}])
def test_our_own_pages_do(owner, headers):
    assert owner.post("/data/sample", headers=headers, follow_redirects=False).status_code == 303
    assert len(owner.workspace.all_data()) == 1


@pytest.mark.parametrize("site", ["cross-site", "same-site", "nonsense"])
def test_other_sites_cannot_load_pages_or_streams(owner, site):
    for path in ("/", "/runs", "/studio.js", "/data/1/events"):
        assert owner.get(path, headers={"sec-fetch-site": site}).status_code == 403


def test_an_address_that_is_longer_than_any_is_refused(owner):
    assert owner.get(f"/data/{'9' * 5_000}").status_code == 414


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_other_methods_are_refused(owner, method):
    assert owner.request(method, "/").status_code == 405


@pytest.mark.parametrize(
    "path", ["/", "/studio.css", "/studio.js", "/nothing", "/data/77", "/runs/77/events"]
)
def test_every_answer_carries_the_guards(owner, path):
    answer = owner.get(path)
    assert {name: answer.headers[name] for name in GUARDS} == GUARDS
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert "'unsafe" not in answer.headers["content-security-policy"]


def test_refusals_carry_the_guards_too(stranger):
    for answer in (stranger.get("/"), stranger.get("/", headers={"host": "x"}), stranger.put("/")):
        assert {name: answer.headers[name] for name in GUARDS} == GUARDS


def test_an_upload_that_says_it_is_too_large_is_refused(owner):
    answer = owner.post("/data/upload", files={"file": ("a.csv", b"a,b\n" * 1_000)})
    assert answer.status_code == 413
    assert owner.workspace.all_data() == []
    assert list(owner.workspace.passing.iterdir()) == []


def test_an_upload_that_turns_out_too_large_is_cut_off(owner):
    def pieces():
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
        for _ in range(100):
            yield b"a,b\n" * 100
        yield b"\r\n--x--\r\n"

    answer = owner.post(
        "/data/upload", content=pieces(), headers={"content-type": "multipart/form-data; boundary=x"}
    )
    assert answer.status_code == 413
    assert owner.workspace.all_data() == []
    assert list(owner.workspace.passing.iterdir()) == []


def test_other_forms_may_not_be_large_at_all(tmp_path):
    with opened(tmp_path / "ws", most_upload=100_000_000) as owner:
        assert owner.post("/data/file", data={"path": "x" * 3_000_000}).status_code == 413


def asked(gate, pieces, path="/data/upload"):
    """What the gate answers to a body that comes in pieces; a piece that is None never comes."""
    sent, left = [], list(pieces)

    async def receive():
        piece = left.pop(0)
        if piece is None:
            await asyncio.sleep(60)
        return {"type": "http.request", "body": piece, "more_body": bool(left)}

    async def send(message):
        sent.append(message)

    token = gate.access.spend(gate.access.new_token())
    headers = {"host": "127.0.0.1:8000", "origin": ORIGIN, "cookie": f"{COOKIE}={token}"}
    plain = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": plain}
    asyncio.run(gate(scope, receive, send))
    return sent[0]["status"]


def test_a_body_that_stops_coming_is_given_up():
    async def app(scope, receive, send):
        while (await receive())["more_body"]:
            pass

    gate = Gate(app, Access(COOKIE), (ORIGIN,), 1_000, ("/data/upload",), slowest=0.05)
    assert asked(gate, [b"a", None]) == 408


def test_other_protocols_are_closed():
    sent = []

    async def send(message):
        sent.append(message)

    async def run():
        gate = Gate(None, Access(COOKIE), (ORIGIN,), 1)
        await gate({"type": "websocket", "path": "/", "headers": []}, None, send)

    asyncio.run(run())
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_a_password_lets_in_and_a_wrong_one_does_not(tmp_path):
    with opened(tmp_path / "ws", log_in=False) as client:
        client.access.set_password("a long password")
        client.access.secure = True
        assert 'type="password"' in client.get("/").text
        assert client.get("/", params={"token": client.access.new_token()}).status_code == 401
        wrong = client.post("/password", data={"password": "wrong"})
        assert wrong.status_code == 403
        assert "set-cookie" not in wrong.headers
        client.access._wait_until.clear()
        right = client.post("/password", data={"password": "a long password"})
        assert "Secure" in right.headers["set-cookie"]
        assert client.post("/password", data={"password": "x" * 20_000}).status_code == 413
        assert (
            client.post(
                "/password", data={"password": "a long password"}, headers={"origin": "x"}
            ).status_code
            == 403
        )
