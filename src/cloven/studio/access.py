"""Who may come in: a token that is good for one visit, the cookie that it is changed for, and a password elsewhere.

Tokens and cookies live as long as the server. Only digests are kept, and they are compared without telling how much of
them was right.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_SESSIONS = 32
"""Browsers that may be in at the same time; the oldest has to go."""


@dataclass
class Access:
    """The doors of one server.

    Attributes:
        cookie: name of the cookie; other servers on this machine have other ports, and so other names.
        secure: whether cookies go over TLS alone.
        password: digest of the password with its salt; None where tokens open.
    """

    cookie: str
    secure: bool = False
    password: tuple[bytes, bytes] | None = None
    _tokens: dict[bytes, Callable[[], None]] = field(default_factory=dict, repr=False)
    _sessions: list[bytes] = field(default_factory=list, repr=False)
    _wait_until: dict[str, float] = field(default_factory=dict, repr=False)
    _turn: Lock = field(default_factory=Lock, repr=False)

    def new_token(self, when_spent: Callable[[], None] = lambda: None) -> str:
        """A token for one visit."""
        token = secrets.token_urlsafe(32)
        self._tokens[_digest(token)] = when_spent
        return token

    def spend(self, token: str) -> str | None:
        """Change a token for a cookie; None if it is wrong or was spent."""
        given = _digest(token)
        known = next((each for each in self._tokens if hmac.compare_digest(each, given)), None)
        if known is None:
            return None
        self._tokens.pop(known)()
        return self._admit()

    def set_password(self, password: str) -> None:
        """Let whoever knows this in."""
        salt = secrets.token_bytes(16)
        self.password = salt, _stretched(password, salt)

    def answer(self, password: str, sender: str = "") -> str | None:
        """Change the password for a cookie; None if it is wrong, or if this sender just tried another wrong one.

        Others need not wait for that: who sends wrong ones all the time would keep the owner out.
        """
        with self._turn:  # who guesses many at once waits as long as who guesses one after the other
            now = monotonic()
            self._wait_until = {each: until for each, until in self._wait_until.items() if until > now}
            if self.password is None or sender in self._wait_until:
                return None
            if not self._matches(password):
                self._wait_until[sender] = monotonic() + 1.0
                return None
            return self._admit()

    def _matches(self, password: str) -> bool:
        if self.password is None:
            return False
        salt, known = self.password
        return hmac.compare_digest(_stretched(password, salt), known)

    def knows(self, cookie: str | None) -> bool:
        """Whether a cookie is one that was given here."""
        if cookie is None:
            return False
        given = _digest(cookie)
        return sum(hmac.compare_digest(each, given) for each in self._sessions) > 0

    def set_cookie(self, value: str) -> str:
        """The header that gives a browser its cookie."""
        secure = "; Secure" if self.secure else ""
        return f"{self.cookie}={value}; Path=/; HttpOnly; SameSite=Strict{secure}"

    def _admit(self) -> str:
        session = secrets.token_urlsafe(32)
        self._sessions.append(_digest(session))
        del self._sessions[:-MOST_SESSIONS]
        return session


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()


def _stretched(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1)
