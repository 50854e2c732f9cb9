"""Tokens, cookies and passwords."""

from __future__ import annotations

from cloven.studio.access import MOST_SESSIONS, Access


def test_secrets_are_not_kept():
    access = Access("c")
    token = access.new_token()
    cookie = access.spend(access.new_token())
    assert token not in repr(vars(access))
    assert cookie not in repr(vars(access))


def test_the_oldest_browser_has_to_go():
    access = Access("c")
    cookies = [access.spend(access.new_token()) for _ in range(MOST_SESSIONS + 1)]
    assert [access.knows(cookie) for cookie in cookies] == [False] + [True] * MOST_SESSIONS


def test_without_a_password_none_is_right():
    assert Access("c").answer("") is None


def test_wrong_passwords_of_others_keep_nobody_out(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("cloven.studio.access.monotonic", lambda: now[0])
    access = Access("c")
    access.set_password("right and long")
    assert access.answer("wrong", "10.0.0.9") is None
    assert access.answer("right and long", "10.0.0.9") is None
    assert access.answer("right and long", "10.0.0.1") is not None
    now[0] += 1.1
    assert access.answer("right and long", "10.0.0.9") is not None
