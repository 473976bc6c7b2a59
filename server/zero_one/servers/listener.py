"""An HTTP and WebSocket server the way devices need it, on one port or several."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
import ssl
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import uvicorn

from zero_one.identity.addresses import household, loopback
from zero_one.protocol.light import MAX_TEXT_FRAME
from zero_one.servers.entrance import Entrance, Place
from zero_one.servers.wire import HttpWire

log = logging.getLogger(__name__)

_BACKLOG = 128
_GRACE_S = 3
_PING_S = 20.0
"""A device that is gone without a word is noticed after at most twice this."""
_TLS_HANDSHAKE_S = 10.0
_TLS_GOODBYE_S = 3.0
_NO_HANDLES_S = 1.0
"""How long nobody is let in after the system had no file handle left, as asyncio itself does."""
_NO_HANDLES = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}

MOST_CONNECTIONS = 512
MOST_HERE = 256
"""From this machine itself, where many programs may share one address."""
MOST_EACH = 32
"""From one address elsewhere; a household behind one address has fewer devices."""
MOST_STRANGERS = 64
"""From elsewhere, as long as it is not clear who is there."""
MOST_STRANGERS_EACH = 8
MOST_TUNNELLED, MOST_STRANGERS_TUNNELLED = 128, 32
"""All that come through a tunnel have one address."""


class ListenError(OSError):
    """The port cannot be had. The text says what to do."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free one. Raises ListenError."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise ListenError(_refused(host, port, error)) from error


def _refused(host: str, port: int, error: OSError) -> str:
    other = port + 1 if 1024 < port < 65535 else 10101
    another = f"Choose another one with --server-port, for example --server-port {other}."
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} on {host} is in use, perhaps by another 01. {another}"
    if error.errno == errno.EACCES:
        return f"Port {port} on {host} is not allowed to you. {another}"
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return f"{host} is no address of this computer. Listen on one of its own with --server-host, such as 127.0.0.1."
    return f"Port {port} on {host} cannot be used ({error.strerror or error}). {another}"


class Headcount:
    """How many connections there are, of whom. Not one more than the limits is let in."""

    def __init__(self, near: Callable[[str], bool] = loopback) -> None:
        self._near = near
        self._all: Counter[str] = Counter()
        self._strangers: Counter[str] = Counter()

    def enter(self, address: str, *, outside: bool = False) -> Head | None:
        """None where there are too many of them. ``outside``: through a tunnel."""
        who, each, strangers_each = household(address), MOST_EACH, MOST_STRANGERS_EACH
        if outside:
            who, each, strangers_each = "tunnel", MOST_TUNNELLED, MOST_STRANGERS_TUNNELLED
        elif self._near(address):
            return None if self._all[who] >= MOST_HERE else Head(self, who, stranger=False)
        if self._all.total() >= MOST_CONNECTIONS or self._all[who] >= each:
            return None
        if self._strangers.total() >= MOST_STRANGERS or self._strangers[who] >= strangers_each:
            return None
        return Head(self, who, stranger=True)

    def __len__(self) -> int:
        return self._all.total()

    def _count(self, counter: Counter[str], who: str, by: int) -> None:
        counter[who] += by
        if not counter[who]:
            del counter[who]


class Head:
    """One connection that was let in: ``known`` once it is clear who is there, ``leave`` once it is gone."""

    def __init__(self, count: Headcount, who: str, *, stranger: bool) -> None:
        self._count, self._who, self._gone = count, who, False
        self.stranger = stranger
        count._count(count._all, who, 1)
        if stranger:
            count._count(count._strangers, who, 1)

    def known(self) -> None:
        if self.stranger:
            self.stranger = False
            self._count._count(self._count._strangers, self._who, -1)

    def leave(self) -> None:
        if not self._gone:
            self._gone = True
            self.known()
            self._count._count(self._count._all, self._who, -1)


App = Callable[[Any, Any, Any], Awaitable[None]]


class Server(uvicorn.Server):
    """Tells when it listens, and leaves the process's signals alone. Frames go out whole and uncompressed, which is
    what small devices can read; no header may claim another address than the connection's own.

    ``serve(sockets=[…])`` serves plain entrances; ``entrances`` before that, or ``open`` at any time, others.
    """

    def __init__(self, app: App, entrances: list[Entrance] | None = None, count: Headcount | None = None) -> None:
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
        self._entrances = list(entrances or [])
        self._count = count if count is not None else Headcount()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.servers: list[Any] = []
        for one in sockets or []:
            self.open(Entrance(one))
        for entrance in self._entrances:
            self.open(entrance)
        self.started = True
        self.listening.set()

    def open(self, entrance: Entrance) -> None:
        """Let connections in there too, until the server ends."""
        self.servers.append(_Acceptor(entrance, self._count, self._wire))

    def _wire(self, place: Place, on_lost: Callable[[], None]) -> HttpWire:
        return HttpWire(on_lost=on_lost, config=self.config, server_state=self.server_state, app_state={"place": place})

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _Acceptor:
    """Takes connections at one entrance. It counts them before TLS begins, which asyncio's own server cannot."""

    def __init__(
        self, entrance: Entrance, count: Headcount, wire: Callable[[Place, Callable[[], None]], HttpWire]
    ) -> None:
        assert entrance.socket is not None
        self._entrance, self._socket, self._count, self._wire = entrance, entrance.socket, count, wire
        self._socket.setblocking(False)
        self._loop = asyncio.get_running_loop()
        self._coming: set[asyncio.Task[None]] = set()
        self._task = self._loop.create_task(self._run())

    def close(self) -> None:
        for task in (self._task, *self._coming):
            task.cancel()

    async def wait_closed(self) -> None:
        await asyncio.gather(self._task, *self._coming, return_exceptions=True)

    async def _run(self) -> None:
        try:
            await self._accept()
        finally:
            self._socket.close()

    async def _accept(self) -> None:
        while True:
            try:
                connection, peer = await self._loop.sock_accept(self._socket)
            except OSError as error:
                if error.errno in _NO_HANDLES:
                    log.warning("no connection can be taken at the moment: %s", error)
                    await asyncio.sleep(_NO_HANDLES_S)
                elif self._socket.fileno() < 0:
                    return
                continue  # whoever came was gone again
            head = self._count.enter(str(peer[0]), outside=self._entrance.outside)
            if head is None:
                log.debug("too many connections from %s; one was turned away", peer[0])
                connection.close()
                continue
            task = self._loop.create_task(self._welcome(connection, head))
            self._coming.add(task)
            task.add_done_callback(self._coming.discard)

    async def _welcome(self, connection: socket.socket, head: Head) -> None:
        tls = self._entrance.tls
        place = Place(self._entrance, head.stranger, [head.known])
        try:
            await self._loop.connect_accepted_socket(
                lambda: self._wire(place, head.leave),
                connection,
                ssl=tls,
                ssl_handshake_timeout=_TLS_HANDSHAKE_S if tls else None,
                ssl_shutdown_timeout=_TLS_GOODBYE_S if tls else None,
            )
        except (OSError, ssl.SSLError, asyncio.CancelledError) as problem:
            log.debug("a connection ended before it began: %r", problem)
            connection.close()
            head.leave()
            if isinstance(problem, asyncio.CancelledError):
                raise
