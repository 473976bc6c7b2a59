"""An HTTP and WebSocket server on one port, the way devices need it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator

import uvicorn
from fastapi import FastAPI

from zero_one.protocol.light import MAX_TEXT_FRAME

_BACKLOG = 128
_GRACE_S = 3
_PING_S = 20.0
"""A device that is gone without a word is noticed after at most twice this."""


class ListenError(OSError):
    """The port cannot be had. The text says what to do."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free one. Raises ListenError."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise ListenError(
            f"Port {port} on {host} cannot be used ({error.strerror or error}). Is another 01 running? "
            f"Choose another one with --server-port, for example --server-port {port + 1 if port else 10101}."
        ) from error


class Server(uvicorn.Server):
    """Tells when it listens, and leaves the process's signals alone. Frames go out whole and uncompressed, which is
    what small devices can read; no header may claim another address than the connection's own."""

    def __init__(self, app: FastAPI) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                ws="websockets-sansio",
                ws_max_size=MAX_TEXT_FRAME + 1024,
                ws_per_message_deflate=False,
                ws_ping_interval=_PING_S,
                ws_ping_timeout=_PING_S,
                http="h11",
                lifespan="off",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=_GRACE_S,
            )
        )
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
