"""``01 --server light``: one port, listening before the engines are warm."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from zero_one.app.services import House
from zero_one.config.settings import Settings
from zero_one.conversation import Conversations
from zero_one.servers.light import light_app
from zero_one.servers.listener import ListenError, Server, listen


async def serve(settings: Settings, stop: asyncio.Event, *, ready: Callable[[int], None]) -> None:
    """Serve until ``stop`` is set.

    ``ready(port)`` is called once the port listens; the engines warm up after that. On the way out every conversation
    is saved and every task is gone. Raises ListenError.
    """
    listener = listen(settings.server.host, settings.server.port)
    port: int = listener.getsockname()[1]
    house = House(settings)
    conversations = Conversations(house.services)
    server = Server(light_app(conversations, house.services.ready, house.health, house.services.metrics))
    running = asyncio.create_task(server.serve(sockets=[listener]))
    opened = asyncio.create_task(server.listening.wait())
    waiting = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({running, opened}, return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            raise ListenError("The server could not start; the log says why.")
        await house.open(conversations.announce)
        ready(port)
        await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        opened.cancel()
        waiting.cancel()
        await conversations.close()
        await house.close()
        server.should_exit = True
        await running
