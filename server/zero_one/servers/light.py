"""The Light Server: one WebSocket endpoint for devices of both protocol levels, and the plain pages beside it.

A level 1 device says who it is; who it really is, ``admission`` decides. One of level 0 cannot say, so its id is made
of its address: ``level0-<ip>`` for the first connection from there, ``level0-<ip>-2`` for a second at the same time. So
two old devices behind one address never share a conversation while both are connected, and one that reconnects gets its
own back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from fastapi import FastAPI, WebSocket

from zero_one.conversation import Conversations
from zero_one.conversation.spans import Metrics
from zero_one.identity.access import Caller
from zero_one.protocol.events import Stop
from zero_one.servers.admission import Doorkeeper, Refused, bearer
from zero_one.servers.connection import Connection, Nameless
from zero_one.servers.entrance import ends_of, place_of
from zero_one.servers.guard import Guard, Receive, Scope, Send
from zero_one.servers.hosts import Names
from zero_one.servers.http import Health, add_http
from zero_one.servers.pair import PairPage

log = logging.getLogger(__name__)

_ARDUINO = "arduino"
WATCH_EVERY_S = 0.5
"""How often the list of devices is looked at: what ``01 devices`` revokes is gone after at most this. A look costs one
``stat``; a file watcher would be one more dependency with its own ways to fail on network folders."""


class LightApp:
    """The ASGI application: WebSocket ``/``, ``/ping``, ``/health``, ``/metrics``, ``/pair``, each behind the guard.

    Whoever serves it runs ``watch`` as a task beside it: it is what makes revoking take effect on open connections.
    ``pairs`` None: no device can be paired here.
    """

    def __init__(
        self,
        conversations: Conversations,
        ready: Callable[[], bool],
        health: Health,
        metrics: Metrics,
        *,
        door: Doorkeeper,
        names: Names | None = None,
        pairs: PairPage | None = None,
    ) -> None:
        app = FastAPI(title="01 Light Server", docs_url=None, redoc_url=None, openapi_url=None)
        add_http(app, health, metrics)
        if pairs is not None:
            app.add_api_route("/pair", pairs.answer, methods=["POST"])
        self._server = LightServer(conversations, door, ready)
        app.add_api_websocket_route("/", self._server.serve)
        self._guarded = Guard(app, door, names or Names())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._guarded(scope, receive, send)

    async def watch(self, look: Callable[[], None] = lambda: None) -> None:
        """Until cancelled: drop who was revoked, and let scopes that changed count. ``look`` is called each time."""
        await self._server.watch(look)


class LightServer:
    """Transport in, conversation out. ``ready`` tells the hello whether the engines are warm."""

    def __init__(self, conversations: Conversations, door: Doorkeeper, ready: Callable[[], bool]) -> None:
        self._conversations, self._door, self._ready = conversations, door, ready
        self._nameless = Nameless()
        self._open: set[Connection] = set()
        self._away: dict[str, Caller] = {}
        """Devices that were here, by their conversation: what they began may go on."""

    async def serve(self, socket: WebSocket) -> None:
        """One connection from its first to its last frame."""
        place, (peer, here) = place_of(socket.scope), ends_of(socket.scope)
        visitor = await self._door.look(
            peer,
            here,
            place.entrance,
            key=bearer(socket.headers.getlist("authorization")),
            page="origin" in socket.headers,
            headers=socket.scope["headers"],
        )
        await socket.accept(_ARDUINO if _ARDUINO in socket.scope.get("subprotocols", ()) else None)
        connection = Connection(socket, visitor, place, self._door, self._conversations, self._nameless, self._ready)
        self._open.add(connection)
        try:
            await connection.run()
        except Refused as no:
            log.debug("%s was refused: %s", visitor.address, no)
            await connection.turn_away(no)
        except ConnectionError as gone:
            log.debug("%s", gone)
        finally:
            self._open.discard(connection)
            if (caller := connection.caller) is not None and caller.paired:
                self._away[caller.device] = caller
            await connection.leave()
            await self._conversations.tidy()

    async def watch(self, look: Callable[[], None]) -> None:
        while True:
            await asyncio.sleep(WATCH_EVERY_S)
            try:
                await asyncio.to_thread(self._door.book.refresh)
                # All at once: one that does not read its goodbye holds nobody up.
                await asyncio.gather(*(self._reconsider(connection) for connection in list(self._open)))
                await self._end_work_of_the_gone()
                look()
            except Exception:  # whatever it was: whoever is revoked next must be noticed
                log.exception("the list of devices could not be looked at; it is tried again")

    async def _reconsider(self, connection: Connection) -> None:
        try:
            await connection.reconsider()
        except Exception:  # the watch goes on for all others
            log.exception("a connection could not be looked at again")

    async def _end_work_of_the_gone(self) -> None:
        """What a device began ends when it is revoked, also while it is away."""
        for name, caller in list(self._away.items()):
            if self._door.still(caller) is None:
                del self._away[name]
                for conversation in self._conversations.open(name):
                    await conversation.handle(Stop())
