"""mDNS: the server tells the local network that it is here (``_zero-one._tcp``), so that devices find it.

What is told is what a port scan would find anyway: name of the machine, port, protocol level, whether TLS is spoken,
and the first digits of the certificate's fingerprint, to tell two servers apart. No key, no code, no user, no device.
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from zero_one.protocol.light import PROTOCOL

log = logging.getLogger(__name__)

SERVICE = "_zero-one._tcp.local."
_PREFIX = 16
"""Hex digits of the fingerprint: enough to recognise a server, never enough to be taken for a pin."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What is announced. ``addresses`` are those that others can reach, as texts."""

    name: str
    port: int
    addresses: tuple[str, ...]
    pin: str = ""

    @property
    def properties(self) -> dict[str, str]:
        found = {"protocol": str(PROTOCOL), "tls": "1" if self.pin else "0"}
        return found | ({"fp": self.pin[:_PREFIX]} if self.pin else {})


def computer_name(host: str, user: str) -> str:
    """The machine's name in one DNS label, unless it tells who uses it."""
    bare = host.partition(".")[0]
    if len(user) > 2 and user.casefold() in bare.casefold():
        return "zero-one"
    return re.sub(r"[^0-9A-Za-z-]", "", bare)[:50] or "zero-one"


@asynccontextmanager
async def announced(
    notice: Notice, *, interfaces: Iterable[str] | None = None, tell: Callable[[str], None]
) -> AsyncIterator[None]:
    """Announce for as long as the block lasts. Where that cannot be done it is told, and no reason not to serve."""
    zeroconf: Any = None
    try:
        zeroconf = await _register(notice, interfaces)
    except ImportError:
        tell("The server is not announced in the local network: the package zeroconf is not installed.")
    except Exception as problem:  # noqa: BLE001  (sockets, multicast, names: each platform fails in its own way)
        tell(f"The server is not announced in the local network ({problem or type(problem).__name__}).")
    try:
        yield
    finally:
        if zeroconf is not None:
            # This says goodbye, so that nobody keeps the address of a server that is gone.
            await zeroconf.async_unregister_all_services()
            await zeroconf.async_close()


async def _register(notice: Notice, interfaces: Iterable[str] | None) -> Any:
    from zeroconf import InterfaceChoice, IPVersion
    from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

    chosen = list(interfaces) if interfaces is not None else InterfaceChoice.All
    zeroconf = AsyncZeroconf(interfaces=chosen, ip_version=IPVersion.V4Only)
    try:
        # Under a host name of our own: box.local itself is the system's to answer for.
        info = AsyncServiceInfo(
            SERVICE,
            f"{notice.name}.{SERVICE}",
            port=notice.port,
            properties=notice.properties,
            server=f"{notice.name}-01.local.",
            parsed_addresses=list(notice.addresses),
        )
        # A second server of the same name gets a number.
        task = await zeroconf.async_register_service(info, allow_name_change=True)
        await task
    except BaseException:
        await zeroconf.async_close()
        raise
    return zeroconf
