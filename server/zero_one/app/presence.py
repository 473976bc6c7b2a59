"""What a running server is to others: the file that says where it is, its announcement in the local network, the tunnel
from the internet, and the pairing code on its terminal."""

from __future__ import annotations

import asyncio
import getpass
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from zero_one.app import trust, whereabouts
from zero_one.app.address import Address, answers
from zero_one.app.expose import ExposeError, Exposure, Tunnel, Up
from zero_one.app.whereabouts import Whereabouts
from zero_one.config.paths import data_dir
from zero_one.config.settings import ServerSettings, Settings
from zero_one.identity.certificate import Certificate, own_certificate
from zero_one.identity.device import device_id

if TYPE_CHECKING:
    from zero_one.commands.base import Announce

Tell = Callable[[str], None]


class Presence:
    """Of one server. ``announce`` speaks to its owner's device; ``listener`` is the near end of the tunnel, if any."""

    def __init__(self, settings: Settings, tell: Tell, *, expose: bool = False, qr: bool = False) -> None:
        self._settings, self._tell, self._qr = settings, tell, qr
        self.announce: Announce | None = None
        self.tunnel: Tunnel | None = make_tunnel(settings.server) if expose else None
        self.listener: socket.socket | None = None
        self.outside: Certificate | None = None
        """What the near end of the tunnel shows; None where the tunnel has TLS of its own."""
        self._certificate: Certificate | None = None
        self._where: Whereabouts | None = None
        self._offering: asyncio.Task[None] | None = None

    def spoken(self, announce: Announce) -> None:
        """The server tells how its devices are spoken to."""
        self.announce = announce

    async def prepare(self) -> None:
        """Before the server listens. Raises ExposeError, OSError."""
        self._certificate = await asyncio.to_thread(trust.certificate, self._settings)
        if self.tunnel is None:
            return
        self.tunnel.command(0)
        from zero_one.servers.listener import listen

        self.listener = listen("127.0.0.1", 0)
        if self.tunnel.tls:
            self.outside = self._certificate or await asyncio.to_thread(own_certificate, trust.identity_dir())

    @property
    def pin(self) -> str:
        """The fingerprint of what the server's own port shows; empty without TLS."""
        return self._certificate.fingerprint if self._certificate else ""

    @asynccontextmanager
    async def shown(self, port: int) -> AsyncIterator[None]:
        """While the server listens at ``port``."""
        self._where = Whereabouts(os.getpid(), self._settings.server.host, port, self.pin)
        tasks: list[asyncio.Task[None]] = []
        with whereabouts.kept(self._where):
            try:
                if self._settings.server.announce and not self._where.near_only:
                    tasks.append(asyncio.create_task(self._announced(port)))
                if self.tunnel is not None and self.listener is not None:
                    tasks.append(asyncio.create_task(self._exposed(self.tunnel, self.listener.getsockname()[1])))
                elif self._qr:
                    self._offer()
                yield
            finally:
                for task in [*tasks, *([self._offering] if self._offering else [])]:
                    task.cancel()
                    await asyncio.gather(task, return_exceptions=True)

    # --- the local network

    async def _announced(self, port: int) -> None:
        from zero_one.app.announce import Notice, announced, computer_name

        addresses = await asyncio.to_thread(lambda: [str(one) for one in whereabouts.reachable()])
        try:
            user = getpass.getuser()
        except (KeyError, OSError, ImportError):
            user = ""
        notice = Notice(computer_name(socket.gethostname(), user), port, tuple(addresses), self.pin)
        async with announced(notice, tell=self._tell):
            await asyncio.Event().wait()

    # --- the tunnel

    async def _exposed(self, tunnel: Tunnel, port: int) -> None:
        try:
            await Exposure(tunnel, port, on_up=self._up, on_down=self._down).run()
        except ExposeError as error:
            await self._down(f"The tunnel is given up: {error} The server goes on without it.")

    async def _up(self, up: Up) -> None:
        """Said aloud too: whoever lives with this computer should know that it can be reached from everywhere."""
        assert self._where is not None
        pin = self.outside.fingerprint if self.outside else ""
        tunnel = "" if up.public else up.shown
        self._where = replace(self._where, public=up.public, tunnel=tunnel, tunnel_pin=pin if tunnel else "")
        whereabouts.note(self._where)
        self._tell(
            f"This computer can now be reached from the internet at {up.shown}. Only paired devices are let in; Ctrl-C "
            "ends it."
        )
        await self._say("Note: this computer can now be reached from the internet. Only paired devices are let in.")
        if tunnel and not await answers(Address(f"wss://{tunnel}/", f"https://{tunnel}", pin)):
            self._tell(
                f"{tunnel} does not answer from here. If it does not from elsewhere either, the machine in between "
                "keeps the port to itself: set GatewayPorts clientspecified in its sshd_config, and open its firewall."
            )
        if self._qr:
            self._offer()

    async def _down(self, text: str) -> None:
        if self._where is not None and (self._where.public or self._where.tunnel):
            self._where = replace(self._where, public="", tunnel="", tunnel_pin="")
            whereabouts.note(self._where)
            await self._say("The way in from the internet is closed.")
        self._tell(text)

    async def _say(self, text: str) -> None:
        """On the owner's desktop client: at once, or when it is next there."""
        if self.announce is not None:
            owner = await asyncio.to_thread(device_id, data_dir())
            with suppress(ConnectionError):
                await self.announce(owner, text)

    # --- a code on the terminal

    def _offer(self) -> None:
        if self._offering is None or self._offering.done():
            self._offering = asyncio.create_task(self._offered())

    async def _offered(self) -> None:
        from zero_one.app import pair
        from zero_one.identity.devices import Device

        assert self._where is not None
        try:
            async with pair.offered(self._where) as offer:
                pair.present(offer, self._where, lambda text: print(text, flush=True))
                outcome = await pair.watch(offer)
        except OSError as error:
            self._tell(f"No pairing code can be kept ({error.strerror or error}).")
            return
        self._tell(pair.paired(outcome) if isinstance(outcome, Device) else outcome)


def make_tunnel(server: ServerSettings) -> Tunnel:
    """The tunnel that the settings name. Raises ExposeError."""
    if server.expose == "ssh":
        from zero_one.app.expose_ssh import Ssh

        return Ssh(server.expose_to, server.expose_port)
    from zero_one.app.expose_ngrok import Ngrok

    return Ngrok(server.domain)
