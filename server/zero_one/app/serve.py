"""``01 --server light``: one port, listening before the engines are warm."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Callable, Iterator

import uvicorn
from fastapi import FastAPI

from zero_one.app.services import House
from zero_one.config.settings import Settings
from zero_one.conversation import Conversations
from zero_one.protocol.light import MAX_TEXT_FRAME
from zero_one.servers.http import add_http
from zero_one.servers.light import LightServer

log = logging.getLogger(__name__)

_BACKLOG = 128
_GRACE_S = 3


class ServeError(OSError):
    """The server could not start. The text says what to do."""


async def serve(
    settings: Settings, *, ready: Callable[[int], None] | None = None, stop: asyncio.Event | None = None
) -> None:
    """Serve until ``stop`` is set, or, where none is given, until SIGINT or SIGTERM.

    ``ready(port)`` is called once the port listens; the engines warm up after that. On the way out every conversation
    is saved and every task is gone. Raises ServeError.
    """
    listener = _listen(settings.server.host, settings.server.port)
    port: int = listener.getsockname()[1]
    house = House(settings)
    conversations = Conversations(house.services)
    app = light_app(conversations, house)
    server = _Server(
        uvicorn.Config(
            app,
            ws="websockets-sansio",
            ws_max_size=MAX_TEXT_FRAME + 1024,
            ws_per_message_deflate=False,
            http="h11",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_S,
        )
    )
    async with _until(stop) as stopping:
        running = asyncio.create_task(server.serve(sockets=[listener]))
        opened = asyncio.create_task(server.listening.wait())
        try:
            await asyncio.wait({running, opened}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                raise ServeError("The server could not start; the log says why.")
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


def light_app(conversations: Conversations, house: House) -> FastAPI:
    """The ASGI application: WebSocket ``/``, ``/ping``, ``/health``, ``/metrics``."""
    app = FastAPI(title="01 Light Server", docs_url=None, redoc_url=None, openapi_url=None)
    add_http(app, house.health, house.services.metrics)
    LightServer(conversations, house.services.ready).add_to(app)
    return app


class _Server(uvicorn.Server):
    """Tells when it listens, and leaves the process's signals alone."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise ServeError(
            f"Port {port} on {host} cannot be used ({error.strerror or error}). Is another 01 running? "
            f"Choose another one with --server-port, for example --server-port {port + 1 if port else 10101}."
        ) from error


@contextlib.asynccontextmanager
async def _until(stop: asyncio.Event | None):  # type: ignore[no-untyped-def]
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
