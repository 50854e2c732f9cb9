"""The one gate in front of every page, file and stream of the studio.

Nothing behind it is reached without the cookie; no other site can make a browser change anything; no name but our own
is answered to; every answer forbids scripts, frames and copies that are not ours. A body that is too long, or comes too
slowly, is cut off here, whoever sends it.
"""

from __future__ import annotations

import asyncio
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from cloven.studio.access import Access

TOKEN = "token"  # noqa: S105 - the name of a parameter
LOGIN = "/password"
MOST_FORM = 2_000_000
"""Bytes of a form that uploads nothing."""
SLOWEST = 30.0
"""Seconds that the next piece of a body may take."""
LONGEST_PATH = 1_000
"""Letters of an address, without what is asked there."""
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
GUARDS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
OURS = ("same-origin", "none")
"""Where a request may come from, as browsers tell it: our own pages, or the address line."""
OPEN = ("/studio.css", "/icon.svg")
"""What says nothing about anybody: the look of the page that asks for a token."""


@dataclass(frozen=True)
class Gate:
    """Everything goes through here.

    Attributes:
        app: what lies behind.
        access: who may come in.
        origins: our own addresses, such as ``http://127.0.0.1:8765``.
        most_upload: bytes of an upload, at most.
        uploads: paths that take one.
        slowest: seconds that the next piece of a body may take.
        at_work: is entered as long as a request with our cookie is answered.
    """

    app: ASGIApp
    access: Access
    origins: tuple[str, ...]
    most_upload: int
    uploads: tuple[str, ...] = ()
    slowest: float = SLOWEST
    at_work: Callable[[Scope], AbstractContextManager[object]] = nullcontext

    @property
    def hosts(self) -> tuple[str, ...]:
        """Names that we answer to."""
        return tuple(origin.partition("://")[2] for origin in self.origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = _headers(scope)
        guarded = _guarded(send)
        wrong = self._wrong(scope, headers)
        if wrong is not None:
            await _say(guarded, *wrong)
        elif self._is_token(scope):
            await self._change(scope, guarded)
        elif scope["path"] == LOGIN and self.access.password is not None:
            await self._login(scope, receive, guarded, headers)
        elif self._is_known(headers):
            with self.at_work(scope):
                await self._pass(scope, receive, guarded, headers)
        elif scope["path"] in OPEN:
            await self._pass(scope, receive, guarded, headers)
        else:
            await self._ask(guarded)

    def _wrong(self, scope: Scope, headers: Mapping[str, list[str]]) -> tuple[int, str] | None:
        """What is wrong with a request, whoever sends it."""
        if headers.get("host", []) not in [[host] for host in self.hosts]:
            return 421, "This server answers to its own name only. Open the address that the terminal shows."
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "Pages are read and forms are sent; nothing else is done here."
        if len(scope["path"]) > LONGEST_PATH:
            return 414, "No address of this studio is so long."
        came = headers.get("sec-fetch-site", [])
        if scope["method"] == "POST":
            if not self._is_ours(headers.get("origin", []), came):
                return 403, "This form was not sent from a page of this studio, so nothing was changed."
        elif came and (len(came) > 1 or came[0] not in OURS) and not self._is_token(scope):
            return (
                403,
                "Another site asked for this page. Open it from the address line or from the studio itself.",
            )
        return None

    def _is_ours(self, origin: list[str], came: list[str]) -> bool:
        """Whether a form was sent from a page of ours, by what a browser says of the site and of its origin.

        One that is to send no referrer tells its origin as null: then what it says of the site decides.
        """
        known = [[each] for each in self.origins]
        if came:
            return came == ["same-origin"] and (origin in known or origin in ([], ["null"]))
        return origin in known

    def _is_token(self, scope: Scope) -> bool:
        return (
            self.access.password is None
            and scope["method"] == "GET"
            and scope["path"] == "/"
            and bool(_query(scope).get(TOKEN))
        )

    def _is_known(self, headers: Mapping[str, list[str]]) -> bool:
        """Whether a cookie of ours came with it.

        Cookies know no ports, so those of every server on this machine come along, however they are written.
        """
        pairs = (each.partition("=") for each in ";".join(headers.get("cookie", [])).split(";"))
        ours = (value.strip() for name, _, value in pairs if name.strip() == self.access.cookie)
        return any(self.access.knows(each) for each in ours)

    async def _change(self, scope: Scope, send: Send) -> None:
        """The token for a cookie. The page goes on by itself, so that what follows comes from our own page."""
        session = self.access.spend(_query(scope)[TOKEN][0])
        if session is None:
            await _say(
                send,
                403,
                "This address was used before, or is not of this server. Press Enter in the terminal that runs"
                " cloven studio: it shows a new one.",
            )
            return
        inner = '<p><a href="/">Go on to the studio</a></p>'
        await _say(send, 200, inner, title="Welcome", next_page="/", cookie=self.access.set_cookie(session))

    async def _login(
        self, scope: Scope, receive: Receive, send: Send, headers: Mapping[str, list[str]]
    ) -> None:
        """Ask for the password, or change it for a cookie."""
        if scope["method"] != "POST":
            await _say(send, 200, _PASSWORD, title="Password")
            return
        body = await _whole(_Body(receive, 10_000, self.slowest).receive)
        if body is None:
            await _say(send, 413, "That is too long for a password.")
            return
        given = parse_qs(body.decode("utf-8", "replace")).get("password", [""])[0]
        sender = str((scope.get("client") or ("",))[0])
        session = await asyncio.to_thread(self.access.answer, given, sender)
        if session is None:
            await asyncio.sleep(1.0)
            await _say(
                send,
                403,
                f'<p class="mistake" role="alert">That is not the password.</p>{_PASSWORD}',
                title="Password",
            )
            return
        await _say(
            send, 200, '<p><a href="/">Go on</a></p>', title="Welcome", next_page="/",
            cookie=self.access.set_cookie(session),
        )  # fmt: skip
        del headers

    async def _ask(self, send: Send) -> None:
        if self.access.password is not None:
            await _say(send, 401, _PASSWORD, title="Password")
            return
        await _say(
            send,
            401,
            "Open the address that the terminal shows: it lets this browser in, once. Press Enter there for a new one.",
        )

    async def _pass(
        self, scope: Scope, receive: Receive, send: Send, headers: Mapping[str, list[str]]
    ) -> None:
        """On to the page, with a body that is cut off where it grows too long or comes too slowly."""
        if scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        most = self.most_upload if scope["path"] in self.uploads else MOST_FORM
        stated = headers.get("content-length", ["0"])[-1]
        if not (stated.isascii() and stated.isdecimal()) or int(stated) > most:
            await _say(send, 413, _too_large(most))
            return
        body = _Body(receive, most, self.slowest)

        async def told(message: Message) -> None:
            if body.cut is None:  # what the page says of half a body is of no use
                await send(message)

        with suppress(TooLargeError, TimeoutError):
            await self.app(scope, body.receive, told)
        if body.cut is not None:
            await _say(send, *body.cut)


@dataclass
class _Body:
    """A body as it comes in, cut off where it grows too long or comes too slowly.

    Attributes:
        given: gives its pieces.
        most: bytes, at most.
        slowest: seconds that the next piece may take.
        cut: what to say of it once it is cut off.
    """

    given: Receive
    most: int
    slowest: float
    cut: tuple[int, str] | None = None
    _taken: int = 0
    _more: bool = True

    async def receive(self) -> Message:
        """The next piece."""
        if not self._more:  # what comes now is that the browser is gone
            return await self.given()
        try:
            message = await asyncio.wait_for(self.given(), self.slowest)
        except TimeoutError:
            self.cut = 408, _TOO_SLOW
            raise
        self._taken += len(message.get("body", b""))
        self._more = bool(message.get("more_body", False))
        if self._taken > self.most:
            self.cut = 413, _too_large(self.most)
            raise TooLargeError
        return message


_TOO_SLOW = "The file came too slowly. Send it again, or name a file on this machine instead."


class TooLargeError(Exception):
    """A body has more bytes than are taken."""


_PASSWORD = (
    f'<form method="post" action="{LOGIN}">'
    # For keepers of passwords, which file them by a name.
    '<input name="username" value="owner" type="text" autocomplete="username" hidden>'
    '<label for="password">Password</label>'
    '<input id="password" name="password" type="password" autocomplete="current-password" required autofocus>'
    '<button class="primary">Enter</button></form>'
)
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
{refresh}<title>{title} · Cloven Studio</title>
<link rel="stylesheet" href="/studio.css"><link rel="icon" href="/icon.svg"></head>
<body class="door"><main><div class="card"><h1>{title}</h1>{inner}</div></main></body></html>
"""
_TITLES = {401: "Not yet", 403: "Not from there", 405: "Not here", 408: "Too slow", 413: "Too large"}


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _query(scope: Scope) -> dict[str, list[str]]:
    try:
        return parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=200)
    except ValueError:
        return {}


def _guarded(send: Send) -> Send:
    """Every answer carries the guards; a page may ask for a stricter policy, such as that of a report."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message.get("headers", [])}
            guards = [(name.encode(), value.encode()) for name, value in GUARDS.items()]
            message = {
                **message,
                "headers": [*message.get("headers", []), *(each for each in guards if each[0] not in own)],
            }
        await send(message)

    return guarded


async def _whole(receive: Receive) -> bytes | None:
    body: bytes = b""
    try:
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body", False):
                return body
    except (TooLargeError, TimeoutError):
        return None


async def _say(
    send: Send, status: int, inner: str, *, title: str = "", next_page: str = "", cookie: str = ""
) -> None:
    """A small page of our own words; nothing that was sent stands in it."""
    said = inner if inner.startswith("<") else f"<p>{inner}</p>"
    refresh = f'<meta http-equiv="refresh" content="0; url={next_page}">' if next_page else ""
    page = _PAGE.format(refresh=refresh, title=title or _TITLES.get(status, "No"), inner=said)
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-length", str(len(page.encode())).encode()),
    ]
    if cookie:
        headers.append((b"set-cookie", cookie.encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": page.encode()})


def _too_large(most: int) -> str:
    return f"That is more than {most / 1_000_000:,.0f} MB. Name a file on this machine instead: it is not copied."
