"""The Light Server: one WebSocket endpoint for devices of both protocol levels.

A level 1 device says who it is. One of level 0 cannot, so its id is made of its address: ``level0-<ip>`` for the first
connection from there, ``level0-<ip>-2`` for a second one at the same time. So two old devices behind one address never
share a conversation while both are connected, and one that reconnects gets its own back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from fastapi import FastAPI, WebSocket
from starlette.websockets import WebSocketDisconnect

from zero_one import __version__
from zero_one.conversation import Conversation, Conversations
from zero_one.conversation.spans import Metrics
from zero_one.identity.access import Caller, owner
from zero_one.protocol.events import PCM_RATE_OUT, Cancelled, DeviceEvent, Hello, ServerEvent
from zero_one.protocol.light import HELLO_WAIT_MS, Frame, ServerSide
from zero_one.servers.http import Health, add_http
from zero_one.servers.origin import trusted_origin

log = logging.getLogger(__name__)

_ARDUINO = "arduino"
_TRY_LATER = 1013
_POLICY = 1008


def light_app(conversations: Conversations, ready: Callable[[], bool], health: Health, metrics: Metrics) -> FastAPI:
    """The ASGI application: WebSocket ``/``, ``/ping``, ``/health``, ``/metrics``."""
    app = FastAPI(title="01 Light Server", docs_url=None, redoc_url=None, openapi_url=None)
    add_http(app, health, metrics)
    LightServer(conversations, ready).add_to(app)
    return app


class LightLink:
    """One connection, as its conversation sees it."""

    def __init__(self, socket: WebSocket, side: ServerSide, hello: Hello | None, caller: Caller) -> None:
        self._socket, self._side, self.caller = socket, side, caller
        self.rate_out = hello.rate_out if hello else PCM_RATE_OUT
        self.features = hello.features if hello else frozenset()

    async def send(self, event: ServerEvent) -> None:
        await send_frames(self._socket, self._side.encode(event))

    async def close(self, reason: str) -> None:
        """Tell it why, if it takes that within a second."""
        try:
            async with asyncio.timeout(1):
                await self._socket.close(_TRY_LATER, reason)
        except (TimeoutError, RuntimeError, WebSocketDisconnect) as problem:
            log.debug("a device could not be told to leave: %r", problem)


async def send_frames(socket: WebSocket, frames: list[Frame]) -> None:
    """Raises ConnectionError when the device is gone."""
    try:
        for frame in frames:
            if isinstance(frame, str):
                await socket.send_text(frame)
            else:
                await socket.send_bytes(frame)
    except (WebSocketDisconnect, RuntimeError, OSError) as gone:
        raise ConnectionError(f"the connection is closed: {gone!r}") from gone


class Nameless:
    """Ids for devices that have none: the lowest free number of their address."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, address: str) -> str:
        number = 1
        while (name := f"level0-{address}" + (f"-{number}" if number > 1 else "")) in self._taken:
            number += 1
        self._taken.add(name)
        return name

    def give_back(self, name: str) -> None:
        self._taken.discard(name)


class LightServer:
    """Transport in, conversation out. ``ready`` tells the hello whether the engines are warm."""

    def __init__(self, conversations: Conversations, ready: Callable[[], bool] = lambda: True) -> None:
        self._conversations, self._ready = conversations, ready
        self._nameless = Nameless()

    def add_to(self, app: FastAPI) -> None:
        app.add_api_websocket_route("/", self.serve)

    async def serve(self, socket: WebSocket) -> None:
        """One connection from its first to its last frame."""
        origin = socket.headers.get("origin")
        if not trusted_origin(origin):
            log.warning("a web page (%s) tried to connect and was refused", origin)
            await socket.close(_POLICY, "Web pages of other hosts may not connect.")
            return
        await socket.accept(_ARDUINO if _ARDUINO in socket.scope.get("subprotocols", ()) else None)
        side = ServerSide(server=f"zero-one/{__version__}", ready=self._ready(), resume=self._conversations.resume)
        connection = _Connection(socket, side, self._conversations, self._nameless)
        try:
            await connection.run()
        except ConnectionError as gone:
            log.debug("%s", gone)
        finally:
            await connection.leave()
            await self._conversations.tidy()


class _Connection:
    def __init__(self, socket: WebSocket, side: ServerSide, conversations: Conversations, nameless: Nameless) -> None:
        self._socket, self._side = socket, side
        self._conversations, self._nameless = conversations, nameless
        self._conversation: Conversation | None = None
        self._link: LightLink | None = None
        self._name: str | None = None
        self._loop = asyncio.get_running_loop()
        self._hello_until: float | None = self._now() + HELLO_WAIT_MS

    def _now(self) -> float:
        return self._loop.time() * 1000

    async def run(self) -> None:
        while True:
            frame = await self._receive()
            if frame is None:
                return
            if frame == ():
                await self._tick()
                continue
            assert isinstance(frame, str | bytes)
            events = self._side.receive(frame, self._now())
            if any(isinstance(event, Hello) for event in events):
                await self._answer()
                await self._introduce(self._side.hello)
            await self._deliver(events)
            await self._answer()

    async def _receive(self) -> Frame | tuple[()] | None:
        """A frame, () when a deadline passed, None at the end."""
        deadlines = [at for at in (self._side.deadline, self._hello_until) if at is not None]
        try:
            async with asyncio.timeout_at(min(deadlines) / 1000 if deadlines else None):
                message = await self._socket.receive()
        except TimeoutError:
            return ()
        if message["type"] == "websocket.disconnect":
            return None
        text: str | None = message.get("text")
        return text if text is not None else bytes(message.get("bytes") or b"")

    async def _tick(self) -> None:
        now = self._now()
        if self._hello_until is not None and now >= self._hello_until:
            await self._introduce(None)
        await self._deliver(self._side.tick(now))

    async def _answer(self) -> None:
        await send_frames(self._socket, self._side.take_replies())

    async def _introduce(self, hello: Hello | None) -> None:
        """The device is known now: by its hello, or as one that has none."""
        self._hello_until = None
        await self.leave()
        if hello is not None:
            device = hello.device
        else:
            client = self._socket.client
            device = self._name = self._nameless.take(client.host if client else "unknown")
        self._conversation = self._conversations.get(device)
        self._link = LightLink(self._socket, self._side, hello, owner(device))
        log.debug("%s is connected (level %d)", device, self._side.level)
        await self._conversation.attach(self._link)

    async def _deliver(self, events: list[DeviceEvent]) -> None:
        if events and self._conversation is None:
            await self._introduce(None)
        for event in events:
            assert self._conversation is not None
            await self._conversation.handle(event, self._link)

    async def leave(self) -> None:
        """The connection is over (or turned out to be another device's)."""
        if self._conversation is None or self._link is None:
            return
        # What is half said is the conversation's to judge: it knows whether the device will say it again.
        for event in self._side.lost():
            if not isinstance(event, Cancelled):
                await self._conversation.handle(event, self._link)
        await self._conversation.detach(self._link)
        if self._name is not None:
            self._nameless.give_back(self._name)
        self._conversation = self._link = self._name = None
