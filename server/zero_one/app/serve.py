"""``01 --server light``: one port, listening before the engines are warm."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable

from zero_one.app.services import House
from zero_one.config.settings import Settings
from zero_one.conversation import Conversations
from zero_one.servers.light import light_app
from zero_one.servers.listener import ListenError, Server, listen


async def serve(
    settings: Settings, *, ready: Callable[[int], None] | None = None, stop: asyncio.Event | None = None
) -> None:
    """Serve until ``stop`` is set, or, where none is given, until SIGINT or SIGTERM.

    ``ready(port)`` is called once the port listens; the engines warm up after that. On the way out every conversation
    is saved and every task is gone. Raises ListenError.
    """
    listener = listen(settings.server.host, settings.server.port)
    port: int = listener.getsockname()[1]
    house = House(settings)
    conversations = Conversations(house.services)
    server = Server(light_app(conversations, house.services.ready, house.health, house.services.metrics))
    async with _until(stop) as stopping:
        running = asyncio.create_task(server.serve(sockets=[listener]))
        opened = asyncio.create_task(server.listening.wait())
        try:
            await asyncio.wait({running, opened}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                raise ListenError("The server could not start; the log says why.")
            await house.open(conversations.announce)
            if ready is not None:
                ready(port)
            waiting = asyncio.create_task(stopping.wait())
            await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
        finally:
            opened.cancel()
            await conversations.close()
            await house.close()
            server.should_exit = True
            await running


@contextlib.asynccontextmanager
async def _until(stop: asyncio.Event | None) -> AsyncIterator[asyncio.Event]:
    """An event that is set by ``stop`` or, without it, by the usual signals."""
    if stop is not None:
        yield stop
        return
    event = asyncio.Event()
    loop = asyncio.get_running_loop()
    before = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        before[number] = signal.signal(number, lambda *_: loop.call_soon_threadsafe(event.set))
    try:
        yield event
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
