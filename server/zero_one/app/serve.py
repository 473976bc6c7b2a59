"""``01 --server light``: one port, listening before the engines are warm; beside it, others for special guests."""

from __future__ import annotations

import asyncio
import socket
import ssl
import sys
from collections.abc import Callable

from zero_one.app import trust
from zero_one.app.data import InUse, hold_folder
from zero_one.app.services import House
from zero_one.commands.base import Announce
from zero_one.config.resolve import is_loopback
from zero_one.config.settings import Settings
from zero_one.conversation import Conversations
from zero_one.identity.certificate import Certificate, CertificateError
from zero_one.servers.admission import Doorkeeper
from zero_one.servers.entrance import Entrance
from zero_one.servers.hosts import Names
from zero_one.servers.light import LightApp
from zero_one.servers.listener import ListenError, Server, listen
from zero_one.servers.pair import PairPage
from zero_one.servers.plain import PlainDoor


def _tell(line: str) -> None:
    print(f"01: {line}", file=sys.stderr, flush=True)


async def serve(
    settings: Settings,
    stop: asyncio.Event,
    *,
    ready: Callable[[int], None],
    outside: socket.socket | None = None,
    outside_tls: ssl.SSLContext | None = None,
    speaks: Callable[[Announce], None] = lambda announce: None,
    tell: Callable[[str], None] = _tell,
    typed: bool = False,
) -> None:
    """Serve until ``stop`` is set.

    ``ready(port)`` is called once the port listens; the engines warm up after that. On the way out every conversation
    is saved and every task is gone. Raises ListenError.

    ``outside`` is a listening loopback socket (``listen("127.0.0.1", 0)``) for the near end of a tunnel: it speaks no
    TLS, where that is the tunnel's work, or ``outside_tls``, and there nobody is taken for the owner: every connection
    needs a paired device's key, and ``POST /pair`` works. It is served from the moment ``ready`` is called, and closed
    at the end. ``speaks`` is given, just before ``ready``, what lets a device be spoken to unasked. ``typed``: for
    words typed into this terminal only, see ``House``.
    """
    certificate = _certificate(settings, tell)
    listener = listen(settings.server.host, settings.server.port)
    port: int = listener.getsockname()[1]
    try:
        folder = hold_folder()
    except InUse as error:
        listener.close()
        raise ListenError(str(error)) from error
    book = trust.devices()
    if book.lost:
        tell(book.lost)
    house = House(settings, typed=typed)
    conversations = house.past.conversations = Conversations(house.services)
    door = Doorkeeper(book, require_pairing=settings.server.require_pairing, tell=tell, note=house.services.note)
    app = LightApp(
        conversations,
        house.services.ready,
        house.health,
        house.services.metrics,
        door=door,
        names=Names([settings.server.domain] if settings.server.domain else []),
        pairs=PairPage(trust.desk(), door, fingerprint=certificate.fingerprint if certificate else ""),
    )
    entrances = [Entrance(listener, tls=certificate.context() if certificate else None)]
    if outside is not None:
        entrances.append(Entrance(outside, tls=outside_tls, outside=True))
    server = Server(app, entrances)
    plain_port = settings.server.plain_port if settings.server.plain_port is not None else port + 1
    plain = PlainDoor(book, server, settings.server.host, plain_port, tell)
    watching = asyncio.create_task(app.watch(plain.look) if certificate else app.watch())
    running = asyncio.create_task(server.serve())
    opened = asyncio.create_task(server.listening.wait())
    waiting = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({running, opened}, return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            raise ListenError("The server could not start; the log says why.")
        await house.open(conversations.announce)
        speaks(conversations.announce)
        ready(port)
        await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (opened, waiting, watching):
            task.cancel()
        await conversations.close()
        try:
            await house.close()
        finally:
            folder.release()
        server.should_exit = True
        await running


def _certificate(settings: Settings, tell: Callable[[str], None]) -> Certificate | None:
    """Raises ListenError: without the TLS that was asked for, nobody is let in."""
    try:
        found = trust.certificate(settings)
    except CertificateError as error:
        raise ListenError(f"The server cannot speak TLS, so it did not start. {error}") from error
    if found is None and not is_loopback(settings.server.host):
        tell(
            f"The server listens on {settings.server.host} without TLS (server.tls: off): keys and what is said can be "
            "read and changed by others on that network."
        )
    return found
