"""A small real Light Server for tests: a WebSocket, ServerSide, and a script for what it says."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from zero_one.protocol.events import DeviceEvent, Pcm, Pressed, Received, ServerEvent, TailClosed, Typed
from zero_one.protocol.light import ServerSide


class LightServer:
    """Keeps every event; ``react`` is called with each. ``wait_for`` waits for one."""

    def __init__(self, react: Callable[[LightServer, DeviceEvent], Awaitable[None]] | None = None) -> None:
        self.events: list[DeviceEvent] = []
        self.frames: list[str | bytes] = []
        self.connections = 0
        self.port = 0
        self.silent = False  # answer nothing, as a server of the first 01 would the hello
        self._react = react
        self._utterance: str | None = None
        self._changed = asyncio.Condition()
        self._link: ServerConnection | None = None
        self._side = ServerSide()
        self._server: Server | None = None

    @property
    def url(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def start(self, port: int = 0) -> None:
        self._server = await serve(self._serve, "127.0.0.1", port, max_size=None)
        self.port = next(iter(self._server.sockets)).getsockname()[1]

    async def stop(self) -> None:
        """Break every connection, as a crash does."""
        if self._link is not None:
            self._link.transport.abort()
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def say(self, *events: ServerEvent) -> None:
        assert self._link is not None
        for event in events:
            for frame in self._side.encode(event):
                await self._link.send(frame)

    async def raw(self, message: dict[str, Any]) -> None:
        assert self._link is not None
        await self._link.send(json.dumps(message))

    def heard(self) -> bytes:
        """All PCM so far."""
        return b"".join(event.data for event in self.events if isinstance(event, Pcm))

    async def wait_for(self, condition: Callable[[list[DeviceEvent]], object], within_s: float = 60) -> None:
        async with asyncio.timeout(within_s), self._changed:
            await self._changed.wait_for(lambda: condition(self.events))

    async def wait_for_kind(self, kind: type[object], count: int = 1, within_s: float = 60) -> Any:
        """The ``count``-th event of a kind."""
        await self.wait_for(lambda events: sum(isinstance(e, kind) for e in events) >= count, within_s)
        return [event for event in self.events if isinstance(event, kind)][count - 1]

    async def _serve(self, link: ServerConnection) -> None:
        self.connections += 1
        self._link, self._side = link, ServerSide(server="test")
        loop = asyncio.get_running_loop()
        with contextlib.suppress(ConnectionClosed):
            while True:
                due = self._side.deadline
                try:
                    async with asyncio.timeout_at(None if due is None else due / 1000):
                        frame = await link.recv()
                except TimeoutError:
                    await self._take(self._side.tick(loop.time() * 1000))
                    continue
                self.frames.append(frame)
                if self.silent and isinstance(frame, str) and '"hello"' in frame:
                    continue
                events = self._side.receive(frame, loop.time() * 1000)
                for reply in self._side.take_replies():
                    await link.send(reply)
                await self._take(events)
        await self._take(self._side.lost())

    async def _take(self, events: list[DeviceEvent]) -> None:
        for event in events:
            async with self._changed:
                self.events.append(event)
                self._changed.notify_all()
            await self._confirm(event)
            if self._react is not None:
                await self._react(self, event)

    async def _confirm(self, event: DeviceEvent) -> None:
        """What is here whole need not be kept by the client any longer."""
        if isinstance(event, Pressed):
            self._utterance = event.id
        whole = event.id if isinstance(event, Typed) else self._utterance if isinstance(event, TailClosed) else None
        if whole is not None and self._side.level:
            await self.say(Received(whole))


@contextlib.asynccontextmanager
async def light_server(
    react: Callable[[LightServer, DeviceEvent], Awaitable[None]] | None = None,
) -> AsyncIterator[LightServer]:
    server = LightServer(react)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
