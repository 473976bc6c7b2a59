"""Before any route: was it us who were meant, may this page speak to us, and does this path need a key?"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from zero_one.servers.admission import NOT_PAIRED, TRY_LATER, Doorkeeper, Refused, Visitor, bearer
from zero_one.servers.entrance import ends_of, place_of
from zero_one.servers.hosts import Host, HostError, Names, foreign, read_host

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_OPEN = frozenset({"/ping", "/pair"})
"""What anybody may ask: whether a server is there (the first 01's devices do), and to be paired with a code."""
_OTHER_SITES = frozenset({"cross-site", "same-site"})


class _Turned(Exception):
    """An answer instead of the route's."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Guard:
    """ASGI middleware. HTTP and WebSocket, every method and every path, also those that do not exist."""

    def __init__(self, app: App, door: Doorkeeper, names: Names) -> None:
        self._app, self._door, self._names = app, door, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            self._check(scope)
        except _Turned as answer:
            await _answer(scope, receive, send, answer)
            return
        await self._app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        """Raises _Turned."""
        entrance, page = place_of(scope).entrance, scope["type"] == "http"
        if entrance.plain and page and scope["path"] != "/ping":
            raise _Turned(403, "This port is for devices of the first 01 alone.")
        host = self._host(_values(scope, b"host"), trusted=not entrance.outside)
        visitor = self._visitor(scope)
        strange = foreign(_values(scope, b"origin"), host)
        strange = strange or any(value.lower() in _OTHER_SITES for value in _values(scope, b"sec-fetch-site"))
        if strange:
            # No browser lets a page set this header across sites unless we say so, and we never do.
            self._key(visitor, 403, "Pages of other sites may not talk to this server.")
            if scope["path"] == "/pair":
                raise _Turned(403, "Pages of other sites may not pair devices.")
        elif page and scope["path"] not in _OPEN and not (visitor.near and visitor.key is None):
            self._key(visitor, 401, "This needs the key of a paired device, as a bearer token.")

    def _host(self, values: list[str], *, trusted: bool) -> Host:
        """Behind a tunnel any name will do: nobody is trusted there for where he is."""
        if len(values) != 1:
            raise _Turned(400, "A request needs exactly one Host header.")
        try:
            host = read_host(values[0])
        except HostError as problem:
            raise _Turned(400, f"The Host header cannot be right: {problem}") from None
        if trusted and not self._names.ours(host):
            raise _Turned(
                421,
                f"{host.name} is not a name of this server. If it should be, set server.domain to it on the computer.",
            )
        return host

    def _visitor(self, scope: Scope) -> Visitor:
        key = bearer(_values(scope, b"authorization"))
        return self._door.glance(ends_of(scope)[0], place_of(scope).entrance, key=key, headers=scope["headers"])

    def _key(self, visitor: Visitor, status: int, text: str) -> None:
        """Raises _Turned where there is no valid key."""
        if visitor.key is None:
            raise _Turned(status, text)
        try:
            self._door.device_of(visitor.key, visitor)
        except Refused as no:
            raise _Turned({NOT_PAIRED: 401, TRY_LATER: 429}.get(no.code, 403), str(no)) from None


def _values(scope: Scope, name: bytes) -> list[str]:
    """All values of a header; a browser sends none twice that we look at, so nobody may."""
    return [value.decode("latin-1").strip() for key, value in scope["headers"] if key.lower() == name]


async def _answer(scope: Scope, receive: Receive, send: Send, answer: _Turned) -> None:
    body = json.dumps({"error": str(answer)}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if answer.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    kind = "http.response"
    if scope["type"] == "websocket":
        await receive()
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008, "reason": str(answer)[:120]})
            return
        kind = "websocket.http.response"
    await send({"type": f"{kind}.start", "status": answer.status, "headers": [*headers, (b"connection", b"close")]})
    await send({"type": f"{kind}.body", "body": body})
